import sys

import numpy as np
import pandas as pd
import pytest

from roctree import ParameterError, ROCTreeClassifier, presets
from tests import shared_data
from tests.estimator import weather
from tests.export.engines import check_onnx

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

WAYS = [
    {},
    {"missing": "category", "nominal": "multiway"},
    {"missing": "branch", "nominal": "one_vs_rest"},
    {"class_weight": "balanced", "smoothing": "none"},
    {"labels": "majority", "max_leaf_nodes": 1},
    {"ranking": "soft"},
    {"ranking": "soft", "width": 3.0, "missing": "branch", "labels": "majority"},
]


@pytest.mark.parametrize("parameters", WAYS, ids=repr)
def test_onnxruntime_says_what_the_tree_says(parameters):
    X, y = weather.frame(missing=0.2)
    tree = ROCTreeClassifier(**parameters).fit(X, y)
    check_onnx(tree, X)
    check_onnx(tree, X.assign(sky=np.where(np.arange(len(X)) % 3 == 0, "hail", X.sky)))


def test_dates_are_inputs_of_days_since_1970():
    X, y = weather.frame(missing=0.2)
    when = pd.Timestamp("1999-12-31 18:00") + pd.to_timedelta(X.warmth, "D")
    days = (when - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    for frame in (X.assign(warmth=when), X.assign(warmth=when).drop(columns="sky")):
        tree = ROCTreeClassifier(min_samples_leaf=4).fit(frame, y)
        check_onnx(tree, frame.assign(warmth=days))
        described = [entry.doc_string for entry in tree.to_onnx().graph.input]
        assert "days since 1970-01-01" in described[0]


def test_rows_that_are_not_divided_are_exact():
    X, y = weather.complete()
    tree = ROCTreeClassifier().fit(X, y)
    assert np.array_equal(check_onnx(tree, X), tree.predict_proba(X))


def test_float32_is_compared_as_float64():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3)).astype(np.float32)
    y = values.sum(axis=1) > 0
    for threshold in ("observed", "midpoint"):
        tree = ROCTreeClassifier(threshold=threshold).fit(values, y)
        frame = pd.DataFrame(values)
        assert np.array_equal(check_onnx(tree, frame, "float32"), tree.predict_proba(values))


@pytest.mark.parametrize("request_", [{"cost_fp": 1, "cost_fn": 4}, {"cost_reject": 0.2}])
def test_labels_are_those_of_the_operating_point(request_):
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(X, y).at(**request_)
    assert ("undecided" in tree.predict(X)) == ("cost_reject" in request_)
    check_onnx(tree, X)


def test_probabilities_are_the_calibrated_ones():
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(X[:60], y[:60])
    check_onnx(tree.calibrated(X[60:], y[60:]), X)


@pytest.mark.parametrize("labels", [[0, 1, 2, 1], [True, False, True, True], [0.0, 1.0, 0.0, 1.0]])
def test_labels_keep_their_type(labels):
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "b": pd.Categorical([1, 2, 2, 1])})
    check_onnx(ROCTreeClassifier().fit(X, labels), X)


def test_columns_may_have_any_name():
    X, y = weather.frame()
    X.columns = ["label", "🌳 'leaf'", "leaf"]
    graph = ROCTreeClassifier().fit(X, y).to_onnx()
    assert [entry.name for entry in graph.graph.output] == ["label_", "probabilities", "leaf_"]
    check_onnx(ROCTreeClassifier().fit(X, y), X)


def test_the_graph_says_where_it_came_from():
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, y).at(cost_fp=1, cost_fn=5)
    graph = tree.to_onnx()
    assert graph.producer_name == "roctree"
    assert "LeastCost(cost_fp=1, cost_fn=5" in graph.doc_string
    assert "120 rows" in graph.doc_string


@pytest.mark.parametrize("name", ["iris", "hepatitis", "house-votes", "autos"])
def test_onnxruntime_says_the_same_on(name):
    data = shared_data.load(name)
    for tree in (ROCTreeClassifier(), presets.c45()):
        check_onnx(tree.fit(data.frame, list(data.labels)), data.frame)


def test_what_a_graph_cannot_say_is_refused(monkeypatch):
    X, y = weather.frame()
    tree = ROCTreeClassifier(min_samples_leaf=9).fit(X, y)
    with pytest.raises(ParameterError, match="Randomised labels cannot"):
        tree.at(max_fpr=0.123, randomise=True).to_onnx()
    with pytest.raises(ParameterError, match="no label for undecided cases beside numbers"):
        tree.fit(X, y == "play").at(cost_reject=0.2).to_onnx()
    with pytest.raises(ParameterError, match="dtype='int8' is not known"):
        tree.to_onnx(dtype="int8")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'pip install "roctree\[onnx\]"'):
        tree.to_onnx()


def test_a_column_without_a_name_cannot_be_an_input():
    X, y = weather.complete()
    tree = ROCTreeClassifier().fit(X.rename(columns={"wind": ""}), y)
    with pytest.raises(ParameterError, match="'' cannot be the name of an ONNX input"):
        tree.to_onnx()
