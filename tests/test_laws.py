"""Laws of everything public that takes weights, priors, classes or columns, over registries.

A function that takes ``sample_weight`` and is not listed in ``WEIGHTED`` fails a test here. Data
in Parquet files and Dask frames are compared with data in memory, weights included, in
``tests/large``.
"""

import inspect
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import roctree
from roctree import (
    BrierCurveDisplay,
    CostCurveDisplay,
    CostPruningDisplay,
    Dataset,
    LossCurveDisplay,
    MDLDiscretizer,
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ReliabilityDisplay,
    ROCHullDisplay,
    ROCTreeClassifier,
    distill,
    roc,
)
from roctree.criteria import CRITERIA
from roctree.pruning import PRUNING, CostComplexity
from roctree.smoothing import SMOOTHING
from tests.estimator import weather


@dataclass(frozen=True)
class Cases:
    """Cases with weights, or without; ``row`` numbers those that are copies of each other."""

    X: pd.DataFrame
    y: np.ndarray
    weights: np.ndarray | None
    row: np.ndarray

    @property
    def numbers(self):
        return self.X[["warmth", "wind"]].to_numpy()


def weighted_cases(scale=1.0, seed=1):
    X, y = weather.complete(60, seed)
    weights = scale * np.random.default_rng(seed).integers(0, 4, len(y))
    return Cases(X, y, weights, np.arange(len(y)))


def copied_cases():
    cases = weighted_cases()
    copies = np.repeat(cases.row, cases.weights.astype(int))
    return Cases(cases.X.iloc[copies], cases.y[copies], None, copies)


@cache
def tree():
    return ROCTreeClassifier(max_depth=3).fit(*weather.complete(100, seed=5))


@cache
def naive_bayes_tree():
    return NaiveBayesTreeClassifier().fit(*weather.complete(100, seed=5))


@cache
def cells():
    X, y = weather.complete(100, seed=5)
    return MultiscaleClassifier(max_level=4).fit(X[["warmth", "wind"]].to_numpy(), y)


NEW, _ = weather.complete(40, seed=9)
NEW_NUMBERS = NEW[["warmth", "wind"]].to_numpy()


def curve(found):
    """A curve by its scores and rates; weights may be scaled."""
    return [found.scores, found.fpr, found.tpr, found.auc]


def curves(display):
    return [part for found in display.curves for part in curve(found)]


def costs_of(found):
    return [found.fpr, found.tpr]


def of_tree(fitted):
    """A fitted tree by its splits and frequencies, and what it says about other cases."""
    return [
        fitted.tree_.feature,
        fitted.tree_.threshold,
        fitted.tree_.counts / fitted.tree_.counts[0].sum(),
        fitted.predict_proba(NEW),
        fitted.feature_importances_,
    ]


def plain(**parameters):
    """A tree whose probabilities are frequencies, so that weights may be scaled."""
    return ROCTreeClassifier(smoothing="none", **parameters)


def scores(cases):
    return tree().predict_proba(cases.X)[:, 1]


def folds(cases, model):
    halves = [np.flatnonzero(cases.row % 2 == part) for part in (0, 1)]
    return {"estimator": [model, model], "indices": {"test": halves, "train": halves[::-1]}}


def fit_naive_bayes(cases):
    model = NaiveBayesTreeClassifier(folds="kinds").fit(cases.X, cases.y, cases.weights)
    return [model.predict_proba(NEW)]


def fit_cells(cases):
    model = MultiscaleClassifier(smoothing="none", max_level=4)
    model.fit(cases.numbers, cases.y, cases.weights)
    return [model.predict_proba(NEW_NUMBERS)]


def fit_cells_in_parts(cases):
    model = MultiscaleClassifier(smoothing="none", max_level=4, bounds=[(-20, 60), (0, 9)])
    for part in (0, 1):
        mine = cases.row % 2 == part
        weights = None if cases.weights is None else cases.weights[mine]
        model.partial_fit(
            cases.numbers[mine], cases.y[mine], classes=["home", "play"], sample_weight=weights
        )
    return [model.predict_proba(NEW_NUMBERS)]


def encoded(found):
    keep = found.weights > 0.0
    order = np.lexsort((*found.values[keep].T, found.labels[keep]))
    table = np.column_stack([found.values, found.labels])[keep][order]
    rows, inverse = np.unique(table, axis=0, return_inverse=True)
    sums = np.bincount(inverse.ravel(), found.weights[keep][order])
    return [rows, sums / sums.sum()]


def classes_of_three(cases):
    """Outcomes of three classes, and scores of each."""
    outcomes = cases.row % 3
    raw = np.stack([np.cos(cases.row * (label + 1.0)) + 1.5 for label in range(3)], axis=1)
    return np.round(raw / raw.sum(axis=1, keepdims=True), 1), outcomes


def multiclass(function):
    def ask(cases):
        found = function(*classes_of_three(cases), sample_weight=cases.weights)
        if isinstance(found, float):
            return [found]
        listed = found.values() if isinstance(found, dict) else found
        return [part for each in listed for part in (curve(each) if hasattr(each, "auc") else each)]

    return ask


def display_of(kind, **options):
    return {
        f"{kind.__name__}.from_estimator": lambda cases: curves(
            kind.from_estimator(tree(), cases.X, cases.y, sample_weight=cases.weights, **options)
        ),
        f"{kind.__name__}.from_predictions": lambda cases: curves(
            kind.from_predictions(cases.y, scores(cases), sample_weight=cases.weights, **options)
        ),
        f"{kind.__name__}.from_cv_results": lambda cases: curves(
            kind.from_cv_results(
                folds(cases, tree()), cases.X, cases.y, sample_weight=cases.weights
            )
        ),
    }


def asked(model, rows, name, **options):
    """A question to a fitted model about cases."""

    def ask(cases):
        found = getattr(model(), name)(rows(cases), cases.y, sample_weight=cases.weights, **options)
        return curve(found) if name == "roc" else [found]

    return ask


def frame(cases):
    return cases.X


def numbers(cases):
    return cases.numbers


def cost_pruning(model, rows):
    return lambda cases: costs_of(
        model().cost_pruning_curve([0.3, 1, 4], rows(cases), cases.y, sample_weight=cases.weights)
    )


def boundary_report(cases):
    found = tree().boundary_report(cases.X, cases.y, cases.weights)
    return [found.accuracy, found.mean_hits, found.mean_errors, found.lambda_]


def leaf_table(cases):
    found = tree().leaf_table(cases.X, cases.y, sample_weight=cases.weights).to_pandas()
    held_out = [column for column in found if found[column].dtype.kind == "f"]
    return [found[column].to_numpy() for column in held_out if "interval" not in column]


def pruned_by_other_cases(cases):
    """The trees of several pruners, of data that hardly tell the classes apart."""
    X, y = weather.complete(100, seed=5)
    known = {"X_val": cases.X, "y_val": cases.y, "sample_weight": cases.weights}
    trees = [ROCTreeClassifier(min_samples_leaf=1).fit(X, np.roll(y, by)) for by in range(3)]
    pruners = ("reduced_error", CostComplexity(choice="best"), "auc")
    return [tree.pruned(pruner, **known).tree_.counts for tree in trees for pruner in pruners]


def cut_points(cases):
    """The cuts of numbers that tell the classes apart more or less."""
    numbers = [cases.numbers + shift * (cases.y == "play")[:, None] for shift in range(1, 9)]
    return MDLDiscretizer().fit(np.hstack(numbers), cases.y, cases.weights).cut_points_


def ranked_softly(cases):
    fitted = plain(max_depth=2).fit(cases.X, cases.y, cases.weights)
    soft = fitted.ranked("soft", X=cases.X, y=cases.y, sample_weight=cases.weights)
    return [soft.predict_proba(NEW), soft.decision_function(NEW)]


def smoothed_by_choice(cases):
    fitted = ROCTreeClassifier(max_depth=3).fit(cases.X, cases.y, cases.weights)
    found = fitted.smoothed("m_branch", X=cases.X, y=cases.y, sample_weight=cases.weights)
    return [found.tree_.counts / found.tree_.counts[0].sum()]


def estimated_prior(model, rows):
    return lambda cases: [*model().estimate_prior(rows(cases), sample_weight=cases.weights).shares]


def calibrated(model, rows, new):
    return lambda cases: [
        model().calibrated(rows(cases), cases.y, sample_weight=cases.weights).predict_proba(new)
    ]


WEIGHTED = {
    "ROCTreeClassifier.fit": lambda cases: of_tree(plain().fit(cases.X, cases.y, cases.weights)),
    "ROCTreeClassifier.cost_complexity_pruning_path": lambda cases: [
        *plain().cost_complexity_pruning_path(cases.X, cases.y, cases.weights).values()
    ],
    "ROCTreeClassifier.pruned": pruned_by_other_cases,
    "ROCTreeClassifier.smoothed": smoothed_by_choice,
    "ROCTreeClassifier.ranked": ranked_softly,
    "ROCTreeClassifier.roc": asked(tree, frame, "roc", positive="play"),
    "ROCTreeClassifier.score": asked(tree, frame, "score"),
    "ROCTreeClassifier.confusion": lambda cases: [
        shares(tree().confusion(cases.X, cases.y, cases.weights))
    ],
    "ROCTreeClassifier.tally": lambda cases: [
        shares(tree().tally(cases.X, cases.y, cases.weights).counts)
    ],
    "ROCTreeClassifier.leaf_table": leaf_table,
    "ROCTreeClassifier.boundary_report": boundary_report,
    "ROCTreeClassifier.cost_pruning_curve": cost_pruning(tree, frame),
    "ROCTreeClassifier.estimate_prior": estimated_prior(tree, frame),
    "NaiveBayesTreeClassifier.estimate_prior": estimated_prior(naive_bayes_tree, frame),
    "MultiscaleClassifier.estimate_prior": estimated_prior(cells, numbers),
    "ROCTreeClassifier.calibrated": calibrated(tree, frame, NEW),
    "NaiveBayesTreeClassifier.calibrated": calibrated(naive_bayes_tree, frame, NEW),
    "MultiscaleClassifier.calibrated": calibrated(cells, numbers, NEW_NUMBERS),
    "NaiveBayesTreeClassifier.fit": fit_naive_bayes,
    "NaiveBayesTreeClassifier.roc": asked(naive_bayes_tree, frame, "roc", positive="play"),
    "NaiveBayesTreeClassifier.confusion": lambda cases: [
        shares(naive_bayes_tree().confusion(cases.X, cases.y, cases.weights))
    ],
    "NaiveBayesTreeClassifier.score": asked(naive_bayes_tree, frame, "score"),
    "MultiscaleClassifier.fit": fit_cells,
    "MultiscaleClassifier.partial_fit": fit_cells_in_parts,
    "MultiscaleClassifier.roc": asked(cells, numbers, "roc", positive="play"),
    "MultiscaleClassifier.score": asked(cells, numbers, "score"),
    "MultiscaleClassifier.confusion": lambda cases: [
        shares(cells().confusion(cases.numbers, cases.y, cases.weights))
    ],
    "MultiscaleClassifier.cost_pruning_curve": cost_pruning(cells, numbers),
    "MDLDiscretizer.fit": cut_points,
    "Dataset.from_data": lambda cases: encoded(
        Dataset.from_data(cases.X, cases.y, sample_weight=cases.weights)
    ),
    "Dataset.encoded": lambda cases: encoded(
        Dataset.encoded(cases.X, cases.y, tree().schema_, sample_weight=cases.weights)
    ),
    "distill": lambda cases: of_tree(
        distill(
            tree(), cases.X, cases.y, sample_weight=cases.weights, n_generated=0, smoothing="none"
        )
    ),
    "roc.Curve.from_scores": lambda cases: curve(
        roc.Curve.from_scores(cases.y, scores(cases), sample_weight=cases.weights)
    ),
    "roc.mauc": multiclass(roc.mauc),
    "roc.one_vs_rest": multiclass(roc.one_vs_rest),
    "roc.pairwise": multiclass(roc.pairwise),
    **display_of(ROCHullDisplay),
    **display_of(CostCurveDisplay),
    **display_of(LossCurveDisplay),
    **display_of(BrierCurveDisplay),
    **display_of(ReliabilityDisplay),
    "CostPruningDisplay.from_estimator": lambda cases: costs_of(
        CostPruningDisplay.from_estimator(
            tree(), cases.X, cases.y, sample_weight=cases.weights
        ).curve
    ),
    "CostPruningDisplay.from_cv_results": lambda cases: costs_of(
        CostPruningDisplay.from_cv_results(
            folds(cases, tree()), cases.X, cases.y, sample_weight=cases.weights
        ).curve
    ),
}
# What they answer depends on how many cases there are, not only on proportions.
COUNTING = {
    "ROCTreeClassifier.boundary_report",
    "ROCTreeClassifier.leaf_table",
    "ROCTreeClassifier.ranked",
    "ROCTreeClassifier.pruned",
    "ROCTreeClassifier.cost_complexity_pruning_path",
    "NaiveBayesTreeClassifier.fit",
    "MDLDiscretizer.fit",
    "distill",
}


def shares(counts):
    return np.asarray(counts) / np.sum(counts)


def functions_with_weights():
    """The names of all public functions and methods with a parameter ``sample_weight``."""
    for prefix, module in (("", roctree), ("roc.", roc)):
        for name in module.__all__:
            thing = getattr(module, name)
            members = {name: thing}
            if inspect.isclass(thing):
                members = {f"{name}.{member}": getattr(thing, member) for member in dir(thing)}
            for label, member in members.items():
                ours = getattr(member, "__module__", None) or ""
                hidden = label.split(".")[-1].startswith(("_", "set_", "get_"))
                if hidden or not callable(member) or not ours.startswith(("roctree", "sklearn")):
                    continue
                if "sample_weight" in inspect.signature(member).parameters:
                    yield prefix + label


# Cases are divided into folds by their number, so that copies are not kept together.
BY_FOLDS = {"ROCTreeClassifier.with_points"}


def test_every_public_function_that_takes_weights_is_listed():
    assert set(functions_with_weights()) == set(WEIGHTED) | BY_FOLDS


def same(found, expected, exact):
    assert len(found) == len(expected)
    for mine, other in zip(found, expected, strict=True):
        if exact:
            np.testing.assert_array_equal(mine, other)
        else:
            np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_case_of_weight_k_equals_k_cases(name):
    found = WEIGHTED[name](weighted_cases())
    same(found, WEIGHTED[name](copied_cases()), exact=False)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_matter(name):
    cases = weighted_cases()
    found = WEIGHTED[name](cases)
    plain = WEIGHTED[name](Cases(cases.X, cases.y, None, cases.row))
    assert any(
        np.shape(mine) != np.shape(other) or not np.array_equal(mine, other, equal_nan=True)
        for mine, other in zip(found, plain, strict=True)
    )


@pytest.mark.parametrize("name", WEIGHTED)
def test_the_order_of_cases_changes_nothing(name):
    cases = weighted_cases()
    order = np.random.default_rng(2).permutation(len(cases.y))
    shuffled = Cases(cases.X.iloc[order], cases.y[order], cases.weights[order], cases.row[order])
    same(WEIGHTED[name](shuffled), WEIGHTED[name](cases), exact=False)


@pytest.mark.parametrize("name", [name for name in WEIGHTED if name not in COUNTING])
def test_scaling_all_weights_by_a_power_of_two_changes_nothing(name):
    found = WEIGHTED[name](weighted_cases(2.0**3))
    same(found, WEIGHTED[name](weighted_cases()), exact=True)


# Priors


MODELS = {
    "tree": lambda X, y, **options: ROCTreeClassifier(max_depth=3, **options).fit(X, y),
    "points": lambda X, y: ROCTreeClassifier(max_depth=2, points="linear").fit(X, y),
    "naive bayes": lambda X, y: NaiveBayesTreeClassifier().fit(X, y),
    "cells": lambda X, y: MultiscaleClassifier(max_level=2).fit(X[["warmth", "wind"]], y),
}
BY_PRIOR = [
    {},
    {"cost_fn": 3},
    {"cost_fp": 4, "cost_fn": 1},
    {"cost_matrix": [[0, 5], [1, -1]]},
    {"beta": 2},
]


def rows_for(name, X):
    return X[["warmth", "wind"]] if name == "cells" else X


# A Naive Bayes tree labels by probability.
@pytest.mark.parametrize("name", ["tree", "points", "cells"])
@pytest.mark.parametrize("request_", BY_PRIOR, ids=str)
@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_a_prior_equals_cases_weighted_to_have_it(name, request_, prior):
    X, y = weather.complete(300, seed=3)  # no leaf is empty
    X = rows_for(name, X)
    model = MODELS[name](*weather.complete(100, seed=5))
    played = y == "play"
    weights = np.where(played, prior / played.mean(), (1.0 - prior) / (~played).mean())
    asked = model.at(positive="play", counts=(X, y), prior=prior, **request_)
    costs = request_ or {"cost_fp": 1, "cost_fn": 1}
    expected = model.at(positive="play", counts=(X, y, weights), **costs)
    mine, theirs = asked.operating_point_, expected.operating_point_
    assert asked.predict(X).tolist() == expected.predict(X).tolist()
    for field in ("expected_cost", "fpr", "tpr"):
        assert getattr(mine, field) == pytest.approx(getattr(theirs, field), abs=1e-12)
    if "beta" not in request_:
        assert mine.isocost_slope == pytest.approx(theirs.isocost_slope)
    if name == "cells":  # cells in which no case stops keep the frequencies of training
        return
    assert mine.cost_ratio == pytest.approx(theirs.cost_ratio)
    # For these costs the labelling is optimal, so the ratio of the costs is in the interval.
    if "cost_matrix" not in request_ and "beta" not in request_:
        low, high = mine.cost_ratio
        assert low <= costs.get("cost_fn", 1) / costs.get("cost_fp", 1) <= high


def test_a_prior_of_three_classes_equals_cases_weighted_to_have_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(size=150) > 1)]
    model = ROCTreeClassifier(max_depth=3).fit(X, y)
    costs, prior = [[0, 1, 6], [2, 0, 1], [1, 3, 0]], {"a": 0.5, "b": 0.1, "c": 0.4}
    weights = [prior[label] / np.mean(y == label) for label in y]
    asked = model.at(cost_matrix=costs, prior=prior, counts=(X, y))
    expected = model.at(cost_matrix=costs, counts=(X, y, weights))
    assert asked.predict(X).tolist() == expected.predict(X).tolist()
    assert asked.operating_point_.expected_cost == pytest.approx(
        expected.operating_point_.expected_cost
    )


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_costs_of_a_curve_at_a_prior_are_those_of_weighted_cases(prior):
    cases = weighted_cases()
    played = cases.y == "play"
    share = np.average(played, weights=cases.weights)
    shift = np.where(played, prior / share, (1.0 - prior) / (1.0 - share))
    found = roc.Curve.from_scores(cases.y, scores(cases), sample_weight=cases.weights)
    shifted = roc.Curve.from_scores(cases.y, scores(cases), sample_weight=cases.weights * shift)
    assert found.expected_cost(2, 3, prior) == pytest.approx(shifted.expected_cost(2, 3))


# Classes


def renamed(labels):
    """The same classes in the opposite order."""
    return np.where(np.asarray(labels) == "play", "a play", "b home")


VARIANTS = {
    # Where classes tie, the F-measure prefers the first.
    **{f"criterion {name}": {"criterion": name} for name in CRITERIA if name != "f_measure"},
    **{f"smoothing {name}": {"smoothing": name} for name in SMOOTHING},
    "multiway": {"nominal": "multiway"},
    "binned": {"splits": "binned"},
    "best first": {"max_leaf_nodes": 6, "max_depth": None},
    "soft": {"ranking": "soft"},
    "weighted": {"class_weight": "balanced"},
    "points": {"points": "curves", "max_depth": 2},
    "by distance": {"ranking": "global"},
    "probabilities by distance": {"geometric_probability": True},
    **{f"pruning {name}": {"pruning": name, "max_depth": None} for name in PRUNING},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_renaming_classes_permutes_every_output(variant):
    X, y = weather.frame(120, seed=2)
    parameters = {"max_depth": 3} | VARIANTS[variant]
    one = ROCTreeClassifier(**parameters).fit(X, y)
    other = ROCTreeClassifier(**parameters).fit(X, renamed(y))
    assert one.classes_.tolist() == ["home", "play"]
    assert other.classes_.tolist() == ["a play", "b home"]
    np.testing.assert_allclose(other.tree_.counts, one.tree_.counts[:, ::-1], rtol=1e-12)
    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X)[:, ::-1], atol=1e-12)
    np.testing.assert_allclose(other.feature_importances_, one.feature_importances_, atol=1e-12)
    for mine, theirs in (("play", "a play"), ("home", "b home")):
        assert one.roc(positive=mine).auc == pytest.approx(other.roc(positive=theirs).auc)
        for request in ({"cost_fp": 1, "cost_fn": 4}, {"min_tpr": 0.9}, {"beta": 1}):
            at, again = one.at(positive=mine, **request), other.at(positive=theirs, **request)
            assert renamed(at.predict(X)).tolist() == again.predict(X).tolist()
            point, twin = at.operating_point_, again.operating_point_
            assert (point.fpr, point.tpr) == pytest.approx((twin.fpr, twin.tpr))
            assert point.cost_ratio == pytest.approx(twin.cost_ratio)
            assert point.confusion == pytest.approx(twin.confusion[::-1, ::-1])


@pytest.mark.parametrize("name", ["naive bayes", "points", "cells"])
def test_renaming_classes_permutes_every_output_of_the_other_classifiers(name):
    X, y = weather.complete(120, seed=2)
    one, other = MODELS[name](X, y), MODELS[name](X, renamed(y))
    X = rows_for(name, X)
    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X)[:, ::-1], atol=1e-12)
    for mine, theirs in (("play", "a play"), ("home", "b home")):
        assert one.roc(positive=mine).auc == pytest.approx(other.roc(positive=theirs).auc)
        at = one.at(positive=mine, cost_fp=1, cost_fn=4)
        again = other.at(positive=theirs, cost_fp=1, cost_fn=4)
        assert renamed(at.predict(X)).tolist() == again.predict(X).tolist()


# Columns


USELESS = {
    "constant": lambda n: np.full(n, 3.5),
    "one category": lambda n: pd.Categorical(["same"] * n),
    "all missing": lambda n: np.full(n, np.nan),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_useless_column_changes_nothing(variant):
    X, y = weather.frame(120, seed=2)
    model = ROCTreeClassifier(max_depth=3).set_params(**VARIANTS[variant])
    one = clone(model).fit(X, y)
    for column, values in USELESS.items():
        more = X.assign(useless=values(len(X)))
        other = clone(model).fit(more, y)
        assert other.tree_ == one.tree_, column
        assert np.array_equal(other.predict_proba(more), one.predict_proba(X)), column
        assert other.feature_importances_.tolist() == [*one.feature_importances_.tolist(), 0.0]
        assert np.array_equal(other.decision_function(more), one.decision_function(X)), column


@pytest.mark.parametrize("column", ["constant", "one category"])
def test_a_useless_column_changes_no_naive_bayes_tree(column):
    X, y = weather.complete(120, seed=2)
    more = X.assign(useless=USELESS[column](len(X)))
    one, other = NaiveBayesTreeClassifier().fit(X, y), NaiveBayesTreeClassifier().fit(more, y)
    assert np.allclose(other.predict_proba(more), one.predict_proba(X), atol=1e-12)
