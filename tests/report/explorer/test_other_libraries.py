"""Trees of scikit-learn on the page predict as scikit-learn does."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import roctree
from roctree import ParameterError
from roctree.report.explorer import from_sklearn
from tests.report.explorer import trees
from tests.report.explorer.browser import Opened


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 9}, {"class_weight": "balanced"}])
def test_probabilities_and_leaves_are_those_of_scikit_learn(load, options):
    data = load(as_frame=True)
    model = DecisionTreeClassifier(random_state=0, **options).fit(data.data[::2], data.target[::2])
    tree = from_sklearn(model, data.data, data.target)
    # Also halfway between the roundings to float32 that scikit-learn compares.
    X = data.data.to_numpy()
    near = np.nextafter(X.astype(np.float32), np.float32(np.inf)).astype(float)
    for rows in (X, (X + near) / 2):
        said = tree.predict_proba(rows)
        frame = data.data.copy()
        frame[:] = rows
        np.testing.assert_allclose(said, model.predict_proba(frame), atol=1e-12)
    assert tree.tree.n_leaves == model.get_n_leaves()
    assert tree.schema.names == tuple(data.data.columns)


def test_missing_values_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    np.testing.assert_allclose(from_sklearn(model, X, y).predict_proba(X), model.predict_proba(X))


def test_models_of_other_kinds_are_refused():
    data = load_wine()
    model = LogisticRegression(max_iter=5000).fit(data.data[:100, :2], data.target[:100])
    with pytest.raises(ParameterError, match="fitted DecisionTreeClassifier"):
        roctree.explore(model, data.data, data.target)
    two = DecisionTreeClassifier().fit(data.data, np.column_stack([data.target] * 2))
    with pytest.raises(ParameterError, match="must predict one target"):
        roctree.explore(two)


def test_explore_takes_classifiers_of_roctree_too(tmp_path):
    tree, X_test, y_test = trees.outings()
    one = roctree.explore(tree, X_test, y_test, tmp_path / "one.html")
    two = tree.explore(tmp_path / "two.html", X_test, y_test)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_a_tree_of_scikit_learn_has_a_page(browser, tmp_path):
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    model = DecisionTreeClassifier(max_leaf_nodes=7, random_state=0).fit(
        data.data[::2], labels[::2]
    )
    X_test, y_test = data.data[1::2], labels[1::2]
    page = Opened(browser, roctree.explore(model, X_test, y_test, tmp_path / "tree.html"))
    ours = model.classes_[page.app("state.positive")]
    # Of equal probabilities the page takes the class of interest, scikit-learn the first class.
    place = model.classes_.tolist().index(ours)
    truth, said = y_test == ours, model.predict_proba(X_test)[:, place] >= 0.5
    assert page.number("tp") == (truth & said).sum()
    assert page.number("fp") == (~truth & said).sum()
    page.close()
