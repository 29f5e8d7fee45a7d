"""The positive class: the rarer of two unless another is named, or one against the rest."""

from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import roctree
from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCHullDisplay,
    ROCTreeClassifier,
)
from roctree.report.explorer.document import data_document

CLASSIFIERS = [ROCTreeClassifier, NaiveBayesTreeClassifier, MultiscaleClassifier]


def few(label, other, n_rows=60):
    """Cases of two classes, of which the first is rare."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 2))
    rare = X[:, 0] + 0.5 * random.normal(size=n_rows) > 0.9
    assert 0 < rare.sum() < n_rows / 2
    return X, np.where(rare, label, other)


@pytest.fixture(scope="module")
def severity():
    """Cases of three classes that overlap, and the parameters of a small tree."""
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 2)).round(1)
    level = X[:, 0] + 0.7 * random.normal(size=300)
    return X, np.array(["mild", "none", "severe"])[np.digitize(level, [-0.4, 0.8])]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(("rare", "common"), [("churned", "stays"), ("yes", "no")])
def test_the_rarer_class_is_positive_and_every_result_names_it(classifier, rare, common):
    tree = classifier().fit(*few(rare, common))
    assert tree.positive_class_ == rare
    assert tree.labellings().positive_class == rare
    assert f"positive class {rare!r}" in repr(tree.labellings())
    assert tree.roc().positive_class == rare
    assert tree.roc().n_positive < tree.roc().n_negative
    assert f"<Curve of {rare!r}" in repr(tree.roc())
    point = tree.at(max_fpr=0.2).operating_point_
    assert point.positive_class == rare
    assert f"positive class {rare!r}" in repr(point)
    same = tree.at(max_fpr=0.2, positive=rare).operating_point_
    assert np.array_equal(point.votes, same.votes)
    other = tree.at(max_fpr=0.2, positive=common).operating_point_
    assert other.positive_class == common
    start = data_document(tree.fitted_)["start"]
    assert tree.classes_[start["positive"]] == rare


def test_of_two_equally_frequent_classes_the_last_is_positive():
    tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"])
    assert tree.positive_class_ == "b"
    weighted = ROCTreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1, 3])
    assert weighted.positive_class_ == "a"


def test_cost_curves_and_displays_take_the_rarer_class_too():
    pytest.importorskip("matplotlib")
    X, y = few("churned", "stays")
    tree = ROCTreeClassifier(max_depth=3).fit(X, y)
    assert tree.cost_pruning_curve([1, 9]).positive == "churned"
    assert ROCHullDisplay.from_estimator(tree, X, y).positive == "churned"


def test_ties_of_predicted_costs_go_to_the_rarer_class_as_at_an_operating_point():
    X, y = [[0.0]] * 4 + [[1.0]] * 5, ["a", "a", "b", "b", *"bbbbb"]
    tree = ROCTreeClassifier(smoothing="none").fit(X, y)
    assert tree.predict([[0.0]], cost_matrix=[[0, 1], [1, 0]]) == ["a"]
    assert tree.at(cost_fp=1, cost_fn=1).predict([[0.0]]) == ["a"]


def test_a_file_keeps_the_positive_class_of_its_point(tmp_path):
    X, y = few("churned", "stays")
    for positive in ("churned", "stays"):
        tree = ROCTreeClassifier().fit(X, y).at(max_fpr=0.2, positive=positive)
        tree.save(tmp_path / "tree.json")
        again = roctree.load(tmp_path / "tree.json")
        assert again.operating_point_.positive_class == positive
        assert repr(again.operating_point_) == repr(tree.operating_point_)


REQUESTS = [
    {"max_fpr": 0.1},
    {"max_fpr": 0.13, "randomise": True},
    {"min_tpr": 0.7},
    {"beta": 2},
    {"beta": 1, "prior": 0.3},
    {"beta": 1, "prior": [0.3, 0.3, 0.4]},
    {"threshold": 0.4},
    {"cost_fp": 1, "cost_fn": 5},
    {"cost_fn": 2, "prior": 0.2},
    {"prior": 0.6},
]


@pytest.mark.filterwarnings("ignore:max_fpr")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
@pytest.mark.parametrize("positive", ["mild", "none", "severe"])
def test_one_class_is_separated_from_the_rest_as_if_these_were_one(
    severity, classifier, request_, positive
):
    X, y = severity
    tree = classifier().fit(X, y)
    point = tree.at(positive=positive, **request_).operating_point_
    assert point.positive_class == positive
    # Merging the classes of the rest in the table of leaves asks the question of two classes.
    model = tree.fitted_
    place = tree.classes_.tolist().index(positive)
    table = model.point_leaves(point.counts, place)
    own = table.counts[:, place]
    others = table.counts.sum(axis=1) - own
    order = np.argsort(-np.round(table.shares[:, place], 12), kind="stable")
    flagged = point.labels[table.nodes] == place
    if "randomise" not in request_:
        assert point.tpr == pytest.approx(own[flagged].sum() / own.sum())
        assert point.fpr == pytest.approx(others[flagged].sum() / others.sum())
        # Flagged leaves come first in the ranking.
        assert (np.diff(flagged[order].astype(int)) <= 0).all()
    else:
        assert point.fpr == pytest.approx(request_["max_fpr"])
    if "max_fpr" in request_ and "randomise" not in request_:
        assert point.fpr <= request_["max_fpr"] + 1e-12
    if "min_tpr" in request_:
        assert point.tpr >= request_["min_tpr"] - 1e-12
    # Other leaves have the most frequent class of the rest.
    rest = table.shares.copy()
    rest[:, place] = -1.0
    assert np.array_equal(point.labels[table.nodes][~flagged], rest.argmax(axis=1)[~flagged])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_predictions_against_the_rest_have_the_rates_of_the_point(severity, classifier):
    X, y = severity
    tree = classifier().fit(X, y)
    other = tree.at(max_fpr=0.1, positive="severe")
    found, point = other.predict(X), other.operating_point_
    assert set(found) == {"mild", "none", "severe"}
    assert np.mean(found[y != "severe"] == "severe") == pytest.approx(point.fpr)
    assert np.mean(found[y == "severe"] == "severe") == pytest.approx(point.tpr)
    assert point.confusion.shape == (3, 3)


def test_labellings_and_curves_of_one_class_against_the_rest_agree(severity):
    X, y = severity
    tree = ROCTreeClassifier(max_depth=3).fit(X, y)
    for positive in tree.classes_.tolist():
        found, curve = tree.labellings(positive=positive), tree.roc(positive=positive)
        assert f"positive class {positive!r} against the rest" in repr(found)
        rates = found.to_pandas()
        plain = tree.smoothed("none").roc(positive=positive)
        assert rates["tpr"].to_numpy() == pytest.approx(plain.tpr)
        assert curve.positive_class == positive
        merged = np.where(y == positive, "it", "rest")
        two = roctree.roc.Curve.from_scores(
            merged, tree.predict_proba(X)[:, list(tree.classes_).index(positive)], positive="it"
        )
        assert curve.auc == pytest.approx(two.auc)
    held_out = tree.labellings(counts=(X[::2], y[::2]), positive="severe")
    assert held_out[-1].tpr == 1.0


def test_a_point_against_the_rest_is_kept_by_pruning_files_exports_and_the_page(severity, tmp_path):
    X, y = severity
    X = pd.DataFrame(X, columns=["a", "b"])
    X.iloc[::7, 0] = np.nan
    tree = ROCTreeClassifier(min_samples_leaf=10).fit(X, y).at(max_fpr=0.1, positive="severe")
    smaller = tree.pruned("minimum_error").operating_point_
    assert smaller.positive_class == "severe"
    tree.save(tmp_path / "tree.json")
    again = roctree.load(tmp_path / "tree.json")
    assert again.operating_point_.positive_class == "severe"
    assert np.array_equal(again.predict(X), tree.predict(X))
    start = data_document(tree.fitted_)["start"]
    assert (start["mode"], start["positive"]) == ("max_fpr", 2)
    costs = ROCTreeClassifier(min_samples_leaf=10).fit(X, y).at(cost_fn=3, positive="severe")
    assert data_document(costs.fitted_)["start"]["mode"] == "costs"
    rows = X.assign(id=range(len(X)))  # the query reads it by this name
    query = tree.to_sql("rows", keep=["id"], dialect="duckdb")
    found = duckdb.sql(f"SELECT * FROM ({query}) ORDER BY id").df()
    assert len(rows) == len(found)
    assert found["label"].tolist() == tree.predict(X).tolist()


def test_two_classes_are_the_special_case_of_one_against_the_rest():
    X, y = few("churned", "stays")
    two = ROCTreeClassifier().fit(X, y)
    three = ROCTreeClassifier().fit([*X, [9.0, 9.0]], [*y, "unknown"])
    three.fitted_ = two.fitted_
    for request in REQUESTS[:5]:
        assert repr(two.at(**request).operating_point_) == repr(
            two.at(positive="churned", **request).operating_point_
        )


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda tree: tree.at(max_fpr=0.1), "There are 3 classes: give positive, the class to"),
        (lambda tree: tree.at(cost_fn=2), "There are 3 classes: give positive, the class to"),
        (lambda tree: tree.at(prior=0.5), "There are 3 classes: give positive, the class to"),
        (lambda tree: tree.labellings(), "There are 3 classes: give positive, the class to"),
        (lambda tree: tree.roc(), "There are 3 classes: give positive, the class to"),
        (
            lambda tree: tree.at(cost_matrix=1 - np.eye(3), positive="virginica"),
            "has no effect on costs and priors of 3 classes",
        ),
        (
            lambda tree: tree.at(max_fpr=0.1, positive="Virginica"),
            r"is not a class \(did you mean 'virginica'\?\)",
        ),
    ],
)
def test_what_is_missing_is_said(ask, message):
    data = load_iris()
    tree = ROCTreeClassifier().fit(data.data, data.target_names[data.target])
    with pytest.raises(ParameterError, match=message):
        ask(tree)


def test_a_leaf_without_cases_adds_no_labelling():
    X = pd.DataFrame({"colour": pd.Categorical(list("rrrgggbb"), categories=list("rgbw"))})
    y = ["no", "no", "yes", "yes", "yes", "no", "no", "no"]
    tree = ROCTreeClassifier(nominal="multiway").fit(X, y)
    assert (tree.tree_.weight[tree.tree_.leaves] == 0.0).any()
    found = tree.labellings()
    rates = [(row.fpr, row.tpr) for row in found]
    assert len(set(rates)) == len(rates) == 4
    assert found[-1].positive_leaves.size == tree.get_n_leaves()
    assert found[0].cost_ratio[0] == 0.0
    assert found[-1].cost_ratio[1] == np.inf
    assert all(a.cost_ratio[1] == b.cost_ratio[0] for a, b in pairwise(found))
