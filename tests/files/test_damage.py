import json
import re
import tracemalloc
import warnings
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roctree
from roctree import (
    ModelFileError,
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
)
from tests.files.models import ALL, as_bytes, fitted, from_bytes

SMALL = as_bytes(ROCTreeClassifier().fit([[1.0, "a"], [2.0, "b"], [3.0, "a"]], ["no", "no", "yes"]))
CHECKSUM = re.compile(rb'"checksum": "[0-9a-f]{64}"\n}\n$')


def with_checksum(text):
    """The bytes of a document whose text ends where the checksum begins."""
    head = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return head + f'"checksum": "{sha256(head).hexdigest()}"\n}}\n'.encode()


def sealed(document):
    """The bytes of any document, with a right checksum."""
    body = {name: value for name, value in document.items() if name != "checksum"}
    return with_checksum(json.dumps(body)[:-1] + ", ")


def document(data=SMALL):
    return json.loads(data)


def use(model):
    """Ask a model for all that reads its arrays."""
    if isinstance(model, MultiscaleClassifier):
        use_cells(model)
        return
    columns = model.schema_.categories
    rows = [
        [c[0] if c else None for c in columns],
        ["?" if c is not None else 0.5 for c in columns],
    ]
    rows.append([None] * len(columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ask in (model.predict, model.predict_proba, model.decision_function):
            ask(rows)
        model.to_text()
        if isinstance(model, NaiveBayesTreeClassifier):
            model.tree_.nodes.validate()
            return
        model.apply(rows)
        if model.ranking != "soft":
            model.boundary_distance(rows)
        model.to_rules()
    model.tree_.validate()


def use_cells(model):
    """Ask cells for all that reads their arrays."""
    rows = np.outer([-1e300, 0.0, 0.1, 1e300], np.ones(model.n_features_in_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ask in (model.predict, model.predict_proba, model.apply, model.decision_function):
            ask(rows)
        model.to_text()
        with suppress(ParameterError):  # of a point that was chosen by cases held out
            model.pruned("pessimistic")


def refused_or_harmless(data):
    try:
        model = from_bytes(data)
    except ModelFileError:
        return False
    use(model)
    return True


def test_a_file_cut_off_at_any_byte_is_refused():
    for length in range(len(SMALL) - 1):
        with pytest.raises(ModelFileError):
            from_bytes(SMALL[:length])
    assert refused_or_harmless(SMALL[:-1])  # only the end of the last line is missing


def test_a_file_with_any_bit_flipped_is_refused():
    for place in range(len(SMALL) - 1):
        for bit in range(8):
            damaged = bytearray(SMALL)
            damaged[place] ^= 1 << bit
            with pytest.raises(ModelFileError):
                from_bytes(bytes(damaged))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([10**400, 1e308, 2**31, 2**63, "nan", "gini", "object", "str"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["float", "tuple", "array", "dtype", "options", "smoothing", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)


def places(value, path=()):
    """All paths of a document, its own last."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from places(inner, (*path, key))
    if path:
        yield path


def put(value, path, new, drop):
    *above, last = path
    for key in above:
        value = value[key]
    if drop:
        del value[last]
    else:
        value[last] = new


# Fields that a file may lack: those of strategies have defaults.
OPTIONAL = {("scored", "leaves"), ("calibration",)}
# Without points each of the later sections may be absent.
LATER = {("points",), ("scored",)}
# Numbers and words that may be any.
FREE = {
    *(("operating_point", name) for name in ("expected_cost", "fpr", "tpr", "isocost_slope")),
    *(("geometric_probability", name) for name in ("bandwidth", "extent", "start", "step", "sums")),
    *(("training", name) for name in ("roctree", "target")),
    ("smoothing", "strategy", "not_kept"),
}


def damages(value, path):
    """Values that must not stand in the place of another, each with a name."""
    yield "an object", {"x": 1}
    if path in FREE or path[0] == "parameters" or "options" in path:
        return
    if isinstance(value, bool):
        yield "a number", 7
    elif isinstance(value, int | float):
        yield "a text", str(value)
        yield "a negative number", -1 - abs(value)
        yield "a huge number", 1e300
    elif isinstance(value, str):
        yield "a number", 7
        yield "another word", "no such word"
    elif isinstance(value, list) and value:
        yield "a longer list", [*value, value[-1]]
        yield "a shorter list", value[:-1]


def accepted(changed):
    try:
        from_bytes(sealed(changed))
    except ModelFileError:
        return False
    return True


@pytest.mark.parametrize("name", ALL)
def test_a_document_is_refused_if_a_field_is_missing_or_of_another_kind(name):
    whole = as_bytes(fitted(name)[0])
    found = []
    for path in places(document(whole)):
        if path[0] in ("checksum", "format", "version") or any(isinstance(k, int) for k in path):
            continue
        value = document(whole)
        for key in path:
            value = value[key]
        for what, new in damages(value, path):
            changed = document(whole)
            put(changed, path, new, drop=False)
            found += [(path, what)] * accepted(changed)
        optional = path in OPTIONAL | (LATER if name == "points that do not help" else set())
        if path[0] != "parameters" and "options" not in path and not optional:
            changed = document(whole)
            put(changed, path, None, drop=True)
            found += [(path, "missing")] * accepted(changed)
    assert found == []


@given(st.sampled_from(sorted(ALL)), st.data())
@settings(max_examples=100)
def test_a_document_with_any_value_changed_is_refused_or_a_tree(name, data):
    changed = document(as_bytes(fitted(name)[0]))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(changed))), label="path")
        if path[0] not in ("checksum", "format", "version"):
            put(changed, path, data.draw(JSON, label="value"), data.draw(st.booleans()))
    refused_or_harmless(sealed(changed))


@given(st.binary(max_size=60))
@settings(max_examples=100)
def test_any_bytes_after_a_good_beginning_are_refused_or_a_tree(data):
    refused_or_harmless(data)
    refused_or_harmless(b'{"format": "roctree", "version": 1, ' + data)
    refused_or_harmless(with_checksum(b'{"format": "roctree", "version": 1, ' + data + b", "))


def broken(**changes):
    """The small document with fields of its tree changed."""
    changed = document()
    changed["tree"] |= changes
    return sealed(changed)


def replaced(old, new):
    text = CHECKSUM.sub(b"", SMALL).decode()
    assert old in text
    return with_checksum(text.replace(old, new, 1))


CASES = {
    "it is empty": (b"", "is not a roctree model"),
    "it is another format": (b'{"format": "other"}', "is not a roctree model"),
    "it is a pickle": (b"\x80\x04\x95", "is not a roctree model"),
    "the version is missing": (b'{"format": "roctree", "tree": 1}', 'lacks its "version"'),
    "the version is of the future": (
        b'{"format": "roctree", "version": 3, "new": true}',
        "has version 3 of the format, but this release of roctree reads up to version 2: upgrade",
    ),
    "the version never was": (b'{"format": "roctree", "version": 0}', "which does not exist"),
    "the checksum is missing": (
        b'{"format": "roctree", "version": 1, "tree": {}}',
        "does not end with its checksum",
    ),
    "it was changed by hand": (SMALL.replace(b'"yes"', b'"yep"'), "has been changed or damaged"),
    "a key is said twice": (
        replaced('"estimator":', '"estimator": "x", "estimator":'),
        "has 'estimator' twice",
    ),
    "it holds NaN": (replaced('"class_weight": [1.0,', '"class_weight": [NaN,'), "has NaN"),
    "a number is too large": (
        replaced('"class_weight": [1.0,', '"class_weight": [1e999,'),
        "'class_weight' of the file has a number that is too large",
    ),
    "a number has too many digits": (
        replaced('"class_weight": [1.0,', f'"class_weight": [{"1" * 5000},'),
        "too many digits",
    ),
    "it is nested too deeply": (
        with_checksum('{"format": "roctree", "version": 1, "x": ' + "[" * 10**6 + ", "),
        "nests its values too deeply",
    ),
    "it is no JSON": (
        with_checksum('{"format": "roctree", "version": 1, x, '),
        "is not valid JSON",
    ),
    "it is no UTF-8": (with_checksum(b'{"format": "roctree", "version": 1, "\xff": 1, '), "UTF-8"),
    "the model is unknown": (replaced("ROCTreeClassifier", "Forest"), "kind of model that"),
    "a section is missing": (
        sealed({k: v for k, v in document().items() if k != "tree"}),
        "The file has no 'tree'",
    ),
    "a section is unknown": (sealed(document() | {"code": "x"}), "has 'code', which"),
    "a parameter is unknown": (replaced('"criterion":', '"crit":'), "does not know"),
    "a parameter makes no sense": (replaced('"ranking": "leaf"', '"ranking": "no"'), "not allowed"),
    "a smoother is unknown": (
        replaced('"m_branch",\n      "opt', '"os.system",\n      "opt'),
        "of a kind that this release does not know",
    ),
    "the children make a cycle": (broken(n_children=[0, 2, 2, 0, 0]), "instead of 5"),
    "a node has one child": (broken(n_children=[2, 1, 0]), "has a single child"),
    "children are missing": (broken(n_children=[2, 2, 0]), "n_children describes"),
    "there are no nodes": (broken(n_children=[], feature=[]), "column that does not exist"),
    "a size is huge": (broken(n_children=[2**31 - 1, 0, 0]), "n_children describes 2147483648"),
    "a column does not exist": (broken(feature=[7, -1, -1]), "column that does not exist"),
    "a column after the last": (broken(feature=[2, -1, -1]), "column that does not exist"),
    "a type is wrong": (broken(feature=[0.0, -1, -1]), "other than integers"),
    "a truth value is no number": (broken(feature=[True, -1, -1]), "other than integers"),
    "a threshold is missing": (broken(threshold=[None, None, None]), "neither categories nor"),
    "a threshold is text": (broken(threshold=["2.5", None, None]), "other than numbers"),
    "counts do not add up": (broken(counts=[[2.0, 1.0], [2.0, 0.0], [0.0, 9.0]]), "not the sum"),
    "counts are negative": (broken(counts=[[2.0, 1.0], [3.0, 0.0], [-1.0, 1.0]]), "negative"),
    "counts are ragged": (broken(counts=[[2.0, 1.0], [2.0], [0.0, 1.0]]), "lists of 2 numbers"),
}


@pytest.mark.parametrize("what", CASES)
def test_a_file_is_refused_with_the_reason_if(what):
    data, reason = CASES[what]
    with pytest.raises(ModelFileError, match=re.escape(reason)):
        from_bytes(data)


def point_with(name="held out and by chance", **changes):
    """A model whose operating point is changed."""
    changed = document(as_bytes(fitted(name)[0]))
    changed["operating_point"] |= changes
    return sealed(changed)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (point_with(other_votes=None), "'chance' .* lacks the other votes"),
        (point_with(chance=0.0), "'chance' .* lacks the other votes"),
        (point_with(chance=1.5), "'chance' .* is not a probability"),
        (point_with("costs", chance=0.5), "'chance' .* lacks the other votes"),
        (point_with(cost_ratio={"tuple": [1.0]}), "'cost_ratio' .* is not a pair"),
        (point_with(expected_cost=None), "'expected_cost' .* is not a number"),
        (point_with(positive=2), "'positive'"),
        (point_with(seed=1 << 32), "'seed'"),
    ],
)
def test_a_point_that_no_labelling_has_is_refused(data, reason):
    with pytest.raises(ModelFileError, match=reason):
        from_bytes(data)


def test_class_weights_and_kernel_sums_that_no_fit_makes_are_refused():
    changed = document(as_bytes(fitted("geometric")[0]))
    for name, values in (
        ("sums", [[-1.0, 0.0]]),
        ("sums", []),
        ("step", 0.0),
        ("bandwidth", 0.0),
    ):
        section = changed["geometric_probability"] | {name: values}
        with pytest.raises(ModelFileError, match="'geometric_probability'"):
            from_bytes(sealed(changed | {"geometric_probability": section}))
    three = document(as_bytes(fitted("three classes")[0]))
    with pytest.raises(ModelFileError, match="is for two classes"):
        from_bytes(sealed(three | {"geometric_probability": changed["geometric_probability"]}))
    with pytest.raises(ModelFileError, match=r"'class_weight' .* has no weight above 0"):
        from_bytes(sealed(three | {"class_weight": [0.0, 0.0, 0.0]}))


def test_a_labeller_without_its_costs_is_refused():
    changed = document(as_bytes(fitted("costs of three")[0]))
    options = changed["operating_point"]["labeller"]["options"]
    options["cost_matrix"] = {"not_kept": "costs"}
    with pytest.raises(ModelFileError, match=r"'labeller' .* has an option that is not stored"):
        from_bytes(sealed(changed))


def test_an_error_of_a_file_names_the_file(tmp_path):
    path = tmp_path / "broken.json"
    path.write_bytes(SMALL[:100])
    with pytest.raises(ModelFileError, match=r"broken\.json: The file does not end with its check"):
        roctree.load(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file on this system")
def test_an_endless_file_is_refused_at_its_beginning():
    with pytest.raises(ModelFileError, match="/dev/zero: The file is not a roctree model"):
        roctree.load("/dev/zero")


def test_a_file_that_is_not_there_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        roctree.load(tmp_path / "none.json")


HOSTILE = {
    "empty lists": '"x": [' + "[]," * 100_000 + "[]], ",
    "a long label among short ones": None,
    "numbers": '"x": [' + "0.0," * 100_000 + "0], ",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_loading_takes_memory_in_proportion_to_the_file(what):
    if HOSTILE[what] is None:
        changed = document()
        labels = [f"{i:05}" for i in range(20_000)] + ["z" * 200_000]
        changed["schema"]["classes"] = {"type": "str", "labels": labels}
        data = sealed(changed)
    else:
        data = with_checksum('{"format": "roctree", "version": 1, ' + HOSTILE[what])
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 40 * len(data) + 2**23
    finally:
        tracemalloc.stop()
