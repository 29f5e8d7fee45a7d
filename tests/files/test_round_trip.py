import json
import pickle
import warnings
from importlib.resources import files as package_files

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import roctree
from roctree import ParameterError, ROCTreeClassifier
from roctree.files.parts import NotKept
from tests.files.models import ALL, MODELS, OWN, as_bytes, fitted, from_bytes
from tests.strategies import data_sets

SCHEMA = json.loads((package_files("roctree.files") / "schema.json").read_text())


def again(model):
    return from_bytes(as_bytes(model))


def answers(model, X):
    """Everything that a fitted tree says about cases, as bytes or text."""
    found = [
        model.predict(X),
        model.predict_proba(X),
        model.decision_function(X),
        model.apply(X),
        model.feature_importances_,
        model.roc(positive=model.classes_.tolist()[0]).scores,
    ]
    texts = [
        model.to_text(),
        repr(model.operating_point_),
        body(model.to_rules()),
        body(model.to_dot()),
    ]
    if model.points_ is not None:
        texts.append(repr(model.points_))
    elif model.ranking != "soft":
        found.append(model.boundary_distance(X))
        if model.operating_point_ is None or model.operating_point_.chance == 0.0:
            texts.append(repr(model.nearest_change(X)))
    if model.operating_point_ is not None:
        found += [model.operating_point_.labels, model.operating_point_.others]
    if model.n_classes_ == 2:
        texts.append(model.labellings().to_text())
    return [(a.dtype, a.tolist() if a.dtype == object else a.tobytes()) for a in found], texts


def body(text):
    """An export without its head, which says when it was first saved."""
    return [line for line in text.splitlines() if not line.startswith(("#", "//"))]


def change(model):
    """The same tree after all that can be done to it without fitting."""
    if model.points_ is not None:
        return [model.without_points(), model.at(cost_matrix=1.0 - np.eye(model.n_classes_))]
    if model.operating_point_ is not None and model.operating_point_.counts == "held_out":
        return [model.ranked("global")]
    metric = "standard" if model.geometric_ is None else None
    found = [model.ranked("local", metric=metric), model.ranked("leaf")]
    if model.ranking == "soft":
        found.append(model.ranked("soft", width=1.5))
    if model.n_classes_ > 1:
        found.append(model.at(cost_matrix=1.0 - np.eye(model.n_classes_)))
    if model.geometric_ is None:
        found.append(model.smoothed("laplace"))
        found.append(found[-1].pruned("pessimistic"))
    return found


@pytest.mark.parametrize("name", [name for name in MODELS if name not in OWN])
def test_a_loaded_tree_does_all_that_the_saved_one_did(name):
    model, X = fitted(name)
    loaded = again(model)
    assert answers(loaded, X) == answers(model, X)
    for mine, theirs in zip(change(loaded), change(model), strict=True):
        assert answers(mine, X) == answers(theirs, X)


@pytest.mark.parametrize("name", ALL)
def test_a_file_that_is_loaded_and_saved_again_is_the_same_and_as_its_schema_says(name):
    data = as_bytes(fitted(name)[0])
    assert as_bytes(from_bytes(data)) == data
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(data))


def test_the_json_schema_is_one():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in OWN])
def test_parameters_are_the_same_and_a_clone_fits_the_same_tree(name):
    model, _ = fitted(name)
    loaded = again(model)
    assert repr(loaded.get_params()) == repr(_python_numbers(model.get_params()))
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    if not isinstance(model.metric, str) or isinstance(model.class_weight, dict):
        return
    if name == "pruned under costs":
        return
    assert clone(loaded).fit(X, y).tree_ == clone(model).fit(X, y).tree_


def _python_numbers(parameters):
    """Numbers of numpy are those of Python in a file."""
    weights = parameters["class_weight"]
    if isinstance(weights, dict):
        parameters["class_weight"] = {key: float(weight) if isinstance(weight, np.floating)
                                      else weight for key, weight in weights.items()}  # fmt: skip
    return parameters


@pytest.mark.parametrize("name", ["default", "costs", "geometric"])
def test_a_pickled_tree_says_the_same(name):
    model, X = fitted(name)
    assert answers(pickle.loads(pickle.dumps(model)), X) == answers(model, X)


def test_equal_fits_give_equal_files(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    X, y = [[1.0], [2.0], [3.0]], ["a", "a", "b"]
    first, second = (ROCTreeClassifier().fit(X, y) for _ in range(2))
    assert as_bytes(first) == as_bytes(second)
    assert b'"date": "2023-11-14T22:13:20Z"' in as_bytes(first)


def test_a_file_remembers_where_it_came_from():
    model, _ = fitted("preset")
    loaded = again(model)
    assert (loaded.training_.rows, loaded.training_.target) == (120, "what to do")
    assert loaded.training_.version == roctree.__version__
    assert model.training_.date is None
    refitted = loaded.fit([[1.0], [2.0]], [0, 1])
    assert (refitted.training_.rows, refitted.training_.date) == (2, None)


def test_a_tree_of_data_larger_than_memory_is_saved_too(tmp_path):
    table = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40) // 20})
    table.to_parquet(tmp_path / "rows.parquet")
    model = ROCTreeClassifier(splits="binned").fit(tmp_path / "rows.parquet", "y")
    loaded = again(model)
    assert answers(loaded, table[["x"]]) == answers(model, table[["x"]])
    assert (loaded.training_.rows, loaded.training_.target) == (40, "y")


LABELS = [
    np.array(["é", "", "🌳"]),
    np.array(["a", "b", "c"], dtype=object),
    [True, False, True],
    np.array([3, 1, 2], dtype=np.int8),
    np.array([3, 1, 2], dtype=np.uint64),
    np.array([-1.0, 0.0, 2.0], dtype=np.float32),
    np.array([-0.0, 1.0, 1e300]),
    [2**70, -3, 5],
    [np.int64(3), 4, True],
    pd.Series(pd.Categorical([1.5, 2.5, 1.5])),
    pd.Series(["x", "y", "z"]),
    ["\ud800", "a\0b", "line\nend\u2028"],
]


@pytest.mark.parametrize("labels", LABELS, ids=repr)
def test_class_labels_keep_their_values_and_type(labels):
    model = ROCTreeClassifier(smoothing="none").fit([[1.0], [2.0], [3.0]], labels)
    loaded = again(model)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    predicted = loaded.predict([[1.0], [2.0], [3.0]])
    assert predicted.tolist() == model.predict([[1.0], [2.0], [3.0]]).tolist()


COLUMNS = [
    pd.Categorical(["x", "y", "x", "z"], categories=["z", "y", "x", "never"]),
    pd.Categorical([1, 2, 1, 3]),
    pd.Categorical([1.5, -0.0, 1e-300, np.inf]),
    pd.Categorical([2**60, 2**60 + 1, 2**60, 2**60 + 2]),
    np.array([True, False, True, False]),
    ["'", '"', "🌳", "\\"],
    [None, "a", "b", "a"],
]


@pytest.mark.parametrize("column", COLUMNS, ids=repr)
def test_categories_keep_their_values_and_order(column):
    X = pd.DataFrame({"\n'\";--🌳": column})
    model = ROCTreeClassifier().fit(X, [0, 1, 0, 1])
    loaded = again(model)
    assert loaded.schema_ == model.schema_
    kinds = [type(c) for c in model.schema_.categories[0]]
    assert [type(c) for c in loaded.schema_.categories[0]] == [
        kind if kind.__module__ == "builtins" else type(kind().item()) for kind in kinds
    ]
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()


@pytest.mark.parametrize(
    "given",
    [[0], (0,), np.array([0]), np.array([True]), ["x"], np.array(["x"]), None, "from_dtype"],
    ids=repr,
)
def test_the_parameter_for_nominal_columns_comes_back_in_its_form(given):
    X = pd.DataFrame({"x": [1, 2, 3]})
    model = ROCTreeClassifier(categorical_features=given).fit(X, [0, 0, 1])
    found = again(model).categorical_features
    assert type(found) is type(given)
    assert repr(found) == repr(given)


@given(data_sets(rows=(2, 15)), st.sampled_from(["fractional", "category", "branch"]))
@settings(max_examples=15)
def test_every_bit_of_a_tree_comes_back(data, missing):
    nominal = [position in data.nominal for position in range(len(data.columns))]
    model = ROCTreeClassifier(missing=missing, categorical_features=nominal)
    model.fit(data.matrix, data.labels, data.weights)
    loaded = again(model)
    for name, array in model.tree_._arrays().items():
        assert getattr(loaded.tree_, name).tobytes() == array.tobytes()
    assert loaded.probabilities_.tobytes() == model.probabilities_.tobytes()
    assert loaded.spread_.ranges.tobytes() == model.spread_.ranges.tobytes()


def test_code_of_one_s_own_is_not_in_the_file_and_saving_says_so(tmp_path):
    model, X = fitted("own criterion")
    with pytest.warns(UserWarning, match="^criterion=purity: model files do not store custom code"):
        model.save(tmp_path / "tree.json")
    loaded = roctree.load(tmp_path / "tree.json")
    assert loaded.criterion == NotKept("purity")
    assert answers(loaded, X) == answers(model, X)
    with pytest.raises(ParameterError, match="criterion=<purity, not stored in the model file>"):
        clone(loaded).fit([[1.0], [2.0]], [0, 1])
    loaded.set_params(criterion="gini").fit([[1.0], [2.0]], [0, 1])


def test_a_tree_with_a_smoother_of_one_s_own_predicts_but_does_not_smooth_again():
    model, X = fitted("own smoother")
    loaded = again(model)
    assert answers(loaded, X) == answers(model, X)
    with pytest.raises(ParameterError, match="'jeffreys' is not stored in model files: set it"):
        loaded.pruned("pessimistic")
    assert loaded.smoothed("laplace").pruned("pessimistic").get_n_leaves() > 0
    assert loaded.smoothing == NotKept("jeffreys")


def test_saving_an_ordinary_tree_warns_of_nothing(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted("costs")[0].save(str(tmp_path / "tree.json"))
    assert roctree.load(str(tmp_path / "tree.json")).get_n_leaves() > 1


def test_an_unfitted_tree_is_not_saved(tmp_path):
    with pytest.raises(roctree.NotFittedError):
        ROCTreeClassifier().save(tmp_path / "tree.json")
    assert list(tmp_path.iterdir()) == []


def test_a_class_of_one_s_own_is_not_saved(tmp_path):
    class Mine(ROCTreeClassifier):
        pass

    with pytest.raises(ParameterError, match=r"A Mine cannot be saved"):
        Mine().fit([[1.0], [2.0]], [0, 1]).save(tmp_path / "tree.json")


def test_labels_that_json_has_no_word_for_are_refused_by_name(tmp_path):
    labels = np.array([1, 2], dtype=np.longdouble)
    model = ROCTreeClassifier().fit([[1.0], [2.0]], labels)
    with pytest.raises(ParameterError, match="which model files do not hold"):
        model.save(tmp_path / "tree.json")
    assert list(tmp_path.iterdir()) == []


def test_a_chain_of_many_levels_is_saved_and_loaded():
    X = np.arange(1000.0)[:, None]
    model = ROCTreeClassifier(smoothing="none").fit(X, np.arange(1000) % 2)
    assert again(model).tree_ == model.tree_
