"""Exports of trees with points: databases, onnxruntime, rules and graphs say the same."""

import numpy as np
import pandas as pd
import pytest

from roctree import ParameterError, presets
from roctree.points import Points
from tests.estimator import weather
from tests.export.engines import ENGINES, KEY, _feed, said
from tests.test_points import KINDS, additive


def trees():
    for name, points in KINDS.items():
        for n_classes in (2, 3):
            X, y = additive(250, n_classes)
            yield f"{name} of {n_classes}", presets.readable(max_leaf_nodes=4, points=points), X, y
    X, y = weather.frame(300)
    yield "weather", presets.readable(max_leaf_nodes=3, points="curves", ranking="leaf"), X, y
    X, y = additive(250)
    balanced = presets.readable(max_leaf_nodes=4, points="linear", class_weight="balanced")
    yield "balanced", balanced, X, y


TREES = {name: (tree, X, y) for name, tree, X, y in trees()}


@pytest.fixture(scope="module", params=TREES)
def fitted(request):
    tree, X, y = TREES[request.param]
    strange = X.copy()
    nominal = "kind" if "kind" in X else "sky"
    strange.loc[strange.index[::7], nominal] = "never seen"
    return tree.fit(X, y), strange


@pytest.mark.parametrize("engine", ENGINES)
def test_databases_say_what_the_tree_says(fitted, engine):
    tree, X = fitted
    for model in (tree, tree.at(cost_matrix=1.0 - np.eye(tree.n_classes_))):
        check_sql(model, X, engine)


def check_sql(tree, X, engine):
    found = sorted(ENGINES[engine](tree.to_sql(keep=[KEY]), X))
    _, *columns = (list(column) for column in zip(*found, strict=True))
    probability, label, leaf = said(tree, X)
    assert np.allclose(np.array(columns[:-2]).T, probability, rtol=1e-10, atol=1e-12)
    assert columns[-2] == label
    assert columns[-1] == leaf


def test_labels_of_a_query_are_those_of_the_operating_point():
    X, y = additive(250)
    tree = presets.scorecard().fit(X, y).at(cost_fp=1, cost_fn=5)
    check_sql(tree, X, "sqlite")


def test_onnxruntime_says_what_the_tree_says(fitted):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    tree, X = fitted
    graph = tree.to_onnx().SerializeToString()
    session = runtime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    labels, probabilities, leaves = session.run(None, _feed(tree, X, session, "float64"))
    probability, label, leaf = said(tree, X)
    assert np.allclose(probabilities, probability, rtol=1e-10, atol=1e-12)
    assert (labels.tolist(), leaves.tolist()) == (label, leaf)


def test_a_matrix_of_numbers_is_one_input():
    pytest.importorskip("onnx")
    X, y = additive(250)
    numbers = X[list("abcde")]
    tree = presets.scorecard().fit(numbers.to_numpy(), y)
    assert [entry.name for entry in tree.to_onnx().graph.input] == ["X"]


def test_rules_and_graphs_show_the_table(fitted):
    tree, _ = fitted
    assert tree.to_rules().endswith(f"then add points:\n{tree.points_!r}")
    assert "points [shape=plaintext" in tree.to_dot()


def test_dates_have_points_by_their_days():
    X, y = additive(250)
    dates = pd.to_datetime("2024-01-01") + pd.to_timedelta((X.a * 100).round(), "D")
    frame = X.assign(a=dates)
    tree = presets.scorecard(points=Points(max_attributes=6)).fit(frame, y)
    assert any(each.feature == 0 for each in tree.fitted_.points.attributes)
    for run in ENGINES.values():
        found = sorted(run(tree.to_sql(keep=[KEY]), frame))
        shares = np.array([row[1:-2] for row in found], dtype=float)
        assert np.allclose(shares, tree.predict_proba(frame), rtol=1e-12, atol=1e-14)


def test_calibrated_points_are_refused():
    X, y = additive(250)
    tree = presets.scorecard().fit(X, y).calibrated(X, y)
    with pytest.raises(ParameterError, match="Calibrated"):
        tree.to_sql()
