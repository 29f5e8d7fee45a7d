"""The parts that model files share: values as JSON, then sections made of them.

For each part there is a function that writes it as JSON values and one that reads and checks it.
Values without a JSON type are objects with one of these keys: ``{"tuple": [...]}``, ``{"mapping":
[[key, value], ...]}``, ``{"array": [...], "dtype": "int64"}``, ``{"float": "inf"}``, and for
strategies of the library ``{"smoothing": "m_branch", "options": {"M": 4.0}}``. Code is never
written: of a strategy that is not in a registry the file has the name, ``{"not_kept": "mine"}``.

Sizes are never declared in a file: they follow from lists that are there, so that a small file
cannot ask for much memory.
"""

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.arrays import Floats
from roctree.calibration import Calibration
from roctree.criteria import CRITERIA
from roctree.data import Schema
from roctree.errors import ModelFileError, ParameterError
from roctree.files.document import Section
from roctree.fitted import Training
from roctree.labelling import LABELLING, Labeller, OperatingPoint
from roctree.points import AttributePoints, Points, Scorecard
from roctree.pruning import PRUNING, Pruner
from roctree.requests import HELD_OUT
from roctree.roc import Reliability
from roctree.smoothing import SMOOTHING, Smoother
from roctree.tally import ScoreGroups
from roctree.tree.tree import Tree

STRATEGY_CLASSES: dict[str, dict[str, type]] = {
    "criterion": {name: type(strategy) for name, strategy in CRITERIA.items()},
    "pruning": {name: type(strategy) for name, strategy in PRUNING.items()},
    "smoothing": {name: type(strategy) for name, strategy in SMOOTHING.items()},
    "labelling": dict(LABELLING),
    "points": {"points": Points},
}
# Types of arrays; text is as wide as the longest, and objects are any scalars.
_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "str", "object"),
)
# Options that earlier releases do not know; without them they read the file.
_OMITTED_IF_NONE = ("cost_reject",)
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_SCALAR_TYPES = (str, bool, int, float)
_MAX_LEVELS = 16
# An array of text may take this many times the memory of its characters, plus this many bytes.
_WIDENING, _SLACK = 16, 1 << 20


@dataclass(frozen=True)
class NotKept:
    """A strategy or value that a file does not hold; calling it raises ``ParameterError``."""

    name: str

    def __call__(self, *_: Any) -> NoReturn:
        """Raise ``ParameterError``."""
        raise ParameterError(
            reason="{name!r} is not stored in model files: set it again", name=self.name
        )

    def __repr__(self) -> str:
        return f"<{self.name}, not stored in the model file>"


class NotRepresentableError(Exception):
    """A value that cannot be written as JSON."""


# To JSON


def to_json(value: Any, levels: int = _MAX_LEVELS) -> Any:
    """Return a value as JSON; numbers of numpy become those of Python."""
    if levels == 0:
        raise NotRepresentableError
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in _SCALAR_TYPES:
        return scalar_to_json(value)
    if isinstance(value, list):
        return [to_json(item, levels - 1) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(item, levels - 1) for item in value]}
    if isinstance(value, Mapping):
        pairs = [[scalar_to_json(key), to_json(value[key], levels - 1)] for key in value]
        return {"mapping": pairs}
    if isinstance(value, np.ndarray):
        return {"array": to_json(value.tolist(), levels - 1), "dtype": dtype_name(value)}
    return _strategy_to_json(value, levels - 1)


def to_json_or_name(value: Any) -> Any:
    """Return a value as JSON, or only its name if it cannot be written."""
    try:
        return to_json(value)
    except (NotRepresentableError, RecursionError):
        return {"not_kept": value.name if isinstance(value, NotKept) else _own_name(value)}


def is_not_kept(written: Any) -> bool:
    """Return whether only the name of a value was written."""
    return isinstance(written, dict) and "not_kept" in written


def scalar_to_json(value: Any) -> Any:
    """Return a string, truth value or number as JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is not None and type(value) not in _SCALAR_TYPES:
        raise NotRepresentableError
    return value


def dtype_name(array: NDArray[Any]) -> str:
    """Return the name of the type of an array in files."""
    name = "str" if array.dtype.kind == "U" else array.dtype.name
    if name not in _DTYPES:
        raise NotRepresentableError
    return name


def _strategy_to_json(value: Any, levels: int) -> Any:
    if not is_dataclass(value) or isinstance(value, type):
        raise NotRepresentableError
    for kind, registry in STRATEGY_CLASSES.items():
        for name, known in registry.items():
            if type(value) is known:
                options = {
                    field.name: to_json(getattr(value, field.name), levels)
                    for field in fields(value)
                    if field.name not in _OMITTED_IF_NONE or getattr(value, field.name) is not None
                }
                return {kind: name, "options": options}
    raise NotRepresentableError


def _own_name(value: Any) -> str:
    """Return the name of a value as given by its author, never a repr with an address."""
    for attribute in ("name", "__qualname__"):
        name = getattr(value, attribute, None)
        if isinstance(name, str) and name:
            return name[:200]
    return type(value).__name__


# From JSON


def from_json(value: Any, place: str, levels: int = _MAX_LEVELS) -> Any:
    """Return the value that was written.

    Parameters
    ----------
    value : object
        JSON from a file.
    place : str
        What the value is called in messages.
    levels : int
        How deeply it may be nested.
    """
    if levels == 0:
        raise ModelFileError(f"The file nests {place} too deeply.")
    if isinstance(value, list):
        return [from_json(item, place, levels - 1) for item in value]
    if not isinstance(value, dict):
        return value if value is None else scalar_from_json(value, place)
    keys = set(value)
    if keys == {"tuple"}:
        return tuple(_list_from_json(value["tuple"], place, levels))
    if keys == {"mapping"}:
        return _mapping_from_json(value["mapping"], place, levels)
    if keys == {"array", "dtype"}:
        items = _list_from_json(value["array"], place, levels)
        return array_from_json(items, value["dtype"], place)
    if keys == {"not_kept"} and isinstance(value["not_kept"], str):
        return NotKept(value["not_kept"])
    if len(keys) == 2 and "options" in keys:
        return _strategy_from_json(value, place, levels)
    return scalar_from_json(value, place)


def scalar_from_json(value: Any, place: str) -> Any:
    """Return a string, truth value or number."""
    if isinstance(value, dict) and set(value) == {"float"}:
        word = value["float"]
        if isinstance(word, str) and word in _NOT_FINITE:
            return _NOT_FINITE[word]
    if type(value) not in _SCALAR_TYPES or (isinstance(value, float) and math.isinf(value)):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return value


def array_from_json(items: list[Any], dtype: Any, place: str) -> NDArray[Any]:
    """Return an array of a known type; reject it if it would be much larger than the file."""
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ModelFileError(f"The file has {place} of an unknown type.")
    text = [item for item in items if isinstance(item, str)]
    longest = max(map(len, text), default=0)
    if len(items) * longest > _WIDENING * sum(map(len, text)) + _SLACK:
        raise ModelFileError(f"The file has {place} of lengths too different for an array.")
    if dtype == "str" and len(text) < len(items):
        raise ModelFileError(f"The file has {place} that should be text but are not.")
    if dtype not in ("str", "object") and (text or not _numbers_only(items)):
        raise ModelFileError(f"The file has {place} that should be numbers but are not.")
    try:
        return np.array(items, dtype=np.str_ if dtype == "str" else dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(f"The file has {place} that are not {dtype}.") from None


def _numbers_only(items: list[Any]) -> bool:
    flat = [entry for item in items for entry in (item if isinstance(item, list) else [item])]
    return set(map(type, flat)) <= {bool, int, float}


def _strategy_from_json(value: dict[str, Any], place: str, levels: int) -> Any:
    (kind,) = set(value) - {"options"}
    name, options = value[kind], value["options"]
    known = STRATEGY_CLASSES.get(kind, {}).get(name) if isinstance(name, str) else None
    if known is None or not isinstance(options, dict):
        raise ModelFileError(f"The file has {place} of a kind that this release does not know.")
    given = {option: from_json(options[option], place, levels - 1) for option in options}
    unknown = set(given) - {field.name for field in fields(known)}
    if unknown:
        raise ModelFileError(
            f"The file has {place} with the option {min(unknown)[:40]!r}, which this release does "
            "not know."
        )
    try:
        return known(**given)
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(f"The file has {place} with options not allowed: {error}") from None


def _list_from_json(value: Any, place: str, levels: int) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return [from_json(item, place, levels - 1) for item in value]


def _mapping_from_json(pairs: Any, place: str, levels: int) -> dict[Any, Any]:
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 for pair in pairs
    ):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return {
        scalar_from_json(key, place): from_json(value, place, levels - 1) for key, value in pairs
    }


# Training data

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MAX_ROWS = 1 << 53


def write_training(training: Training) -> dict[str, Any]:
    """Return the training data as JSON; saving for the first time sets the date."""
    return {
        "rows": training.rows,
        "target": training.target,
        "date": training.date or _now(),
        "roctree": training.version or __version__,
    }


def read_training(section: Section) -> Training:
    """Return the training data from a document."""
    found = section.section("training", ("rows", "target", "date", "roctree"))
    date = found.text("date")
    if not _TIMESTAMP.fullmatch(date):
        found.reject("date", "is not a date such as 2026-01-31T12:00:00Z")
    target = found.text("target") if found.has("target") else None
    return Training(found.integer("rows", 1, _MAX_ROWS), target, date, found.text("roctree"))


def _now() -> str:
    """Return the time; SOURCE_DATE_EPOCH, if set, makes files reproducible to the byte."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# Parameters


# Parameters whose names in files are those of the first release.
_NAMES_IN_FILES = {"max_leaf_nodes": "max_leaves"}
_NAMES = {in_file: name for name, in_file in _NAMES_IN_FILES.items()}


def write_parameters(parameters: Mapping[str, Any], omitted: list[str]) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON.

    Parameters
    ----------
    parameters : mapping of str to object
        The constructor arguments.
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    written = {name: to_json_or_name(value) for name, value in parameters.items()}
    omitted += [
        f"{name}={value['not_kept']}" for name, value in written.items() if is_not_kept(value)
    ]
    return {_NAMES_IN_FILES.get(name, name): value for name, value in written.items()}


def read_parameters(
    section: Section, defaults: Mapping[str, Any], check: Callable[[Mapping[str, Any]], None]
) -> dict[str, Any]:
    """Return the parameters of an estimator; those newer than the file have their defaults.

    Parameters
    ----------
    section : Section
        The document.
    defaults : mapping of str to object
        All parameters of the estimator.
    check : callable
        Raises ``ParameterError`` for parameters that are not allowed.
    """
    given = section.values["parameters"]
    if isinstance(given, dict):
        given = {_NAMES.get(name, name): value for name, value in given.items()}
    if not isinstance(given, dict) or not set(given) <= set(defaults):
        section.reject("parameters", "has one that this release does not know")
    restored = {name: from_json(given[name], f"parameter {name!r}") for name in given}
    parameters = {name: restored.get(name, defaults[name]) for name in sorted(defaults)}
    try:
        check(parameters)
    except ParameterError as error:
        raise ModelFileError(f"'parameters' of the file are not allowed: {error}") from None
    return parameters


# Schema


def write_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as JSON."""
    columns = [
        {"name": name, "categories": _write_categories(name, categories)}
        | ({"dates": schema.date_unit(feature)} if schema.date_unit(feature) else {})
        for feature, (name, categories) in enumerate(
            zip(schema.names, schema.categories, strict=True)
        )
    ]
    try:
        classes = {"type": dtype_name(schema.classes), "labels": to_json(schema.classes.tolist())}
    except NotRepresentableError as error:
        raise _unwritable("The classes are", schema.classes[0]) from error
    return {"named": schema.named, "columns": columns, "classes": classes}


def read_schema(section: Section) -> Schema:
    """Return the schema from a document."""
    found = section.section("schema", ("named", "columns", "classes"))
    columns = [
        Section.from_value(
            column, f"a column of {found.place}", ("name", "categories"), optional=("dates",)
        )
        for column in found.items("columns")
    ]
    names = tuple(column.text("name") for column in columns)
    if not names or len(set(names)) < len(names):
        found.reject("columns", "has no names, or one twice")
    categories = tuple(_read_categories(column) for column in columns)
    dates = tuple(
        column.choice("dates", ("days", "times")) if "dates" in column.values else ""
        for column in columns
    )
    known = dates if any(dates) else ()
    return Schema(names, categories, _read_classes(found), found.flag("named"), known)


def _write_categories(name: str, categories: tuple[Any, ...] | None) -> list[Any] | None:
    if categories is None:
        return None
    try:
        return [scalar_to_json(category) for category in categories]
    except NotRepresentableError as error:
        raise _unwritable(f"column {name!r} has categories", categories[0]) from error


def _unwritable(what: str, example: Any) -> ParameterError:
    return ParameterError(
        f"{what} such as {example!r}, a {type(example).__name__}, which model files do not hold: "
        "fit with text or numbers instead."
    )


def _read_categories(column: Section) -> tuple[Any, ...] | None:
    if not column.has("categories"):
        return None
    found = [
        scalar_from_json(item, f"a category of column {column.values['name'][:40]!r}")
        for item in column.items("categories")
    ]
    if not _of_one_kind(found) or len(set(found)) < len(found):
        column.reject("categories", "mixes text with numbers, or has one twice")
    return tuple(found)


def _read_classes(section: Section) -> NDArray[Any]:
    found = section.section("classes", ("type", "labels"))
    labels = [scalar_from_json(item, "a class") for item in found.items("labels")]
    if not labels or not _of_one_kind(labels):
        found.reject("labels", "has no classes, or mixes text with numbers")
    classes = array_from_json(labels, found.values["type"], "classes")
    kept = classes.tolist()
    if not all(before < after for before, after in pairwise(kept)):
        found.reject("labels", "is not in increasing order")
    if classes.dtype != np.object_ and kept != labels:
        found.reject("labels", "does not fit its type")
    return classes


def _of_one_kind(values: list[Any]) -> bool:
    """Return whether values are all text, or all numbers and none of them NaN."""
    text = [isinstance(value, str) for value in values]
    return (all(text) or not any(text)) and all(value == value for value in values)


# Tree

_TREE_FIELDS = (
    *("n_children", "feature", "threshold", "category_branch", "missing_branch"),
    *("counts", "softness", "gain"),
)


def write_tree(tree: Tree) -> dict[str, Any]:
    """Return a tree as JSON; of its structure only the numbers of children are written."""
    return {
        "n_children": tree.n_children.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": [None if np.isnan(t) else t for t in tree.threshold.tolist()],
        "category_branch": tree.category_branch.tolist(),
        "missing_branch": tree.missing_branch.tolist(),
        "counts": tree.counts.tolist(),
        "softness": tree.softness.tolist() if tree.softness.any() else None,
        "gain": tree.gain.tolist(),
    }


def read_tree(section: Section, schema: Schema) -> Tree:
    """Return the tree from a document, checked from end to end."""
    found = section.section("tree", _TREE_FIELDS)
    n_nodes = len(found.items("n_children"))
    feature = found.ints("feature", np.int32, n_nodes)
    if n_nodes == 0 or not ((feature >= -1) & (feature < schema.n_features)).all():
        found.reject("feature", "names a column that does not exist")
    # A nominal split has a branch for every category of its column.
    sizes = np.append(schema.n_categories, 0).astype(np.int64)[feature]
    tree = Tree(
        n_children=found.ints("n_children", np.int32, n_nodes),
        feature=feature,
        threshold=found.floats_or_null("threshold", n_nodes),
        category_branch=found.ints("category_branch", np.int16, int(sizes.sum())),
        category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        missing_branch=found.ints("missing_branch", np.int16, n_nodes),
        counts=found.floats("counts", n_nodes, schema.n_classes),
        softness=found.floats("softness", n_nodes) if found.has("softness") else np.zeros(n_nodes),
        gain=found.floats("gain", n_nodes),
    )
    return tree.validate(schema.n_features)


# Smoothing and pruning: a strategy, and its result for each node


class NodeStrategies(NamedTuple):
    """The strategies of a model, and what they gave each node."""

    smoother: Smoother
    probabilities: Floats
    pruner: Pruner
    node_labels: NDArray[np.int64] | None


def write_strategies(
    smoother: Smoother,
    probabilities: Floats,
    pruner: Pruner,
    node_labels: NDArray[np.int64] | None,
) -> dict[str, Any]:
    """Return the sections of smoothing and pruning as JSON."""
    labels = None if node_labels is None else node_labels.tolist()
    return {
        "smoothing": {
            "strategy": to_json_or_name(smoother),
            "probabilities": probabilities.tolist(),
        },
        "pruning": {"strategy": to_json_or_name(pruner), "labels": labels},
    }


def read_strategies(section: Section, tree: Tree) -> NodeStrategies:
    """Return both strategies from a document."""
    smoothed = section.section("smoothing", ("strategy", "probabilities"))
    pruned = section.section("pruning", ("strategy", "labels"))
    return NodeStrategies(
        _read_strategy(smoothed, "smoothing"),
        smoothed.probabilities("probabilities", tree.leaves, *tree.counts.shape),
        _read_strategy(pruned, "pruning"),
        _read_node_labels(pruned, tree),
    )


def _read_strategy(section: Section, kind: str) -> Any:
    found = from_json(section.values["strategy"], kind)
    if not isinstance(found, (NotKept, *STRATEGY_CLASSES[kind].values())):
        section.reject("strategy", f"is not a {kind} strategy")
    return found


def _read_node_labels(section: Section, tree: Tree) -> NDArray[np.int64] | None:
    if not section.has("labels"):
        return None
    found = section.ints("labels", np.int64, tree.n_nodes)
    if not ((found >= 0) & (found < tree.n_classes)).all():
        section.reject("labels", "has a number that is not a class")
    return found


# Calibration

_CURVE_FIELDS = ("score_from", "score_to", "positives", "negatives", "level", "brier")


def write_calibration(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as JSON."""
    scores = calibration.scores
    return {
        "curves": [
            {
                "score_from": curve.score_from.tolist(),
                "score_to": curve.score_to.tolist(),
                "positives": curve.positives.tolist(),
                "negatives": curve.negatives.tolist(),
                "level": float(curve.level),
                "brier": float(curve.brier),
            }
            for curve in calibration.curves
        ],
        "scores": None if scores is None else scores.tolist(),
    }


def read_calibration(section: Section, n_classes: int) -> Calibration:
    """Return the calibration from a document."""
    found = section.section("calibration", ("curves", "scores"))
    curves = tuple(_read_curve(curve) for curve in found.items("curves"))
    if len(curves) != (1 if n_classes == 2 else n_classes):
        found.reject("curves", "has not one curve per class, or one of two classes")
    scores = None
    if found.has("scores"):
        scores = found.floats("scores", len(found.items("scores")), n_classes)
    return Calibration(curves, scores)


def _read_curve(value: Any) -> Reliability:
    found = Section.from_value(value, "a curve of 'calibration'", _CURVE_FIELDS)
    n_pools = len(found.items("score_from"))
    first, last = found.floats("score_from", n_pools), found.floats("score_to", n_pools)
    knots = np.column_stack([first, last]).ravel()
    positives, negatives = (found.nonnegative(name, n_pools) for name in _CURVE_FIELDS[2:4])
    if n_pools == 0 or (np.diff(knots) < 0.0).any():
        found.reject("score_from", "has no scores, or scores that do not rise")
    if (positives + negatives == 0.0).any():
        found.reject("positives", "has a pool without cases")
    level = found.number("level", 0.0)
    if not 0.0 < level < 1.0:
        found.reject("level", "is not a confidence level")
    return Reliability(first, last, positives, negatives, level, found.number("brier", 0.0))


# Operating point: labels of leaves are those of the highest votes and need no field. The rest is
# written, because held-out cases that chose the point are not available to choose it again.

_POINT_FIELDS = (
    *("labeller", "counts", "in_parts", "positive", "seed", "chance", "votes", "other_votes"),
    *("confusion", "expected_cost", "fpr", "tpr", "cost_ratio", "isocost_slope"),
)
_POINT_COUNTS = ("training", "smoothed", "held_out")
_LARGEST_FLOAT = float(np.finfo(np.float64).max)


def write_point(point: OperatingPoint | None) -> dict[str, Any] | None:
    """Return the operating point as JSON, null for none."""
    if point is None:
        return None
    if not (np.isfinite(point.votes).all() and np.isfinite(point.other_votes).all()):
        raise ParameterError("The costs of the operating point are too large to be saved.")
    return {
        "labeller": to_json(point.labeller),
        "counts": point.counts,
        "in_parts": bool(point.in_parts),
        "positive": point.positive,
        "seed": point.seed,
        "chance": float(point.chance),
        "votes": point.votes.tolist(),
        "other_votes": None if point.chance == 0.0 else point.other_votes.tolist(),
        "confusion": point.confusion.tolist(),
        "expected_cost": scalar_to_json(point.expected_cost),
        "fpr": scalar_to_json(point.fpr),
        "tpr": scalar_to_json(point.tpr),
        "cost_ratio": to_json(point.cost_ratio),
        "isocost_slope": scalar_to_json(point.isocost_slope),
    }


def read_point(
    section: Section, n_classes: int, n_rows: int | None = None
) -> OperatingPoint | None:
    """Return the operating point from a document, None for null.

    Parameters
    ----------
    section : Section
        The document.
    n_classes : int
        Number of classes.
    n_rows : int, optional
        Number of rows that the votes must have; None for any number.
    """
    if not section.has("operating_point"):
        return None
    found = section.section("operating_point", _POINT_FIELDS)
    labeller = _read_labeller(found)
    # Undecided cases have votes and a row of their own.
    n_labels = n_classes + (getattr(labeller, "cost_reject", None) is not None)
    shape = (len(found.items("votes")) if n_rows is None else n_rows), n_labels
    chance = found.number("chance", 0.0)
    votes = found.floats("votes", *shape)
    others = found.floats("other_votes", *shape) if found.has("other_votes") else votes
    if chance > 1.0 or (chance > 0.0) != found.has("other_votes"):
        found.reject("chance", "is not a probability, or lacks the other votes")
    expected_cost = _number_or_none(found, "expected_cost")
    if expected_cost is None:
        found.reject("expected_cost", "is not a number")
    return OperatingPoint(
        labeller=labeller,
        labels=votes.argmax(axis=1),
        others=others.argmax(axis=1),
        votes=votes,
        other_votes=others,
        chance=chance,
        confusion=found.floats("confusion", n_labels, n_classes),
        expected_cost=expected_cost,
        fpr=_number_or_none(found, "fpr"),
        tpr=_number_or_none(found, "tpr"),
        cost_ratio=_read_cost_ratio(found),
        isocost_slope=_number_or_none(found, "isocost_slope"),
        counts=found.choice("counts", _POINT_COUNTS),
        in_parts=found.flag("in_parts"),
        positive=found.integer("positive", 0, n_classes),
        seed=found.integer("seed", 0, 1 << 32),
    )


def _read_labeller(section: Section) -> Labeller:
    found = from_json(section.values["labeller"], "labeller")
    if type(found) not in STRATEGY_CLASSES["labelling"].values():
        section.reject("labeller", "is not a labeller")
    try:
        to_json(found)
    except NotRepresentableError:
        section.reject("labeller", "has an option that is not stored in files")
    labeller: Labeller = found
    return labeller


def _number_or_none(section: Section, name: str) -> float | None:
    """Return a number, which need not be finite."""
    if not section.has(name):
        return None
    return _as_float(section, name, scalar_from_json(section.values[name], name))


def _read_cost_ratio(section: Section) -> tuple[float, float] | None:
    if not section.has("cost_ratio"):
        return None
    found = from_json(section.values["cost_ratio"], "cost_ratio")
    if not isinstance(found, tuple) or len(found) != 2:
        section.reject("cost_ratio", "is not a pair of numbers")
    low, high = found
    return _as_float(section, "cost_ratio", low), _as_float(section, "cost_ratio", high)


def _as_float(section: Section, name: str, value: Any) -> float:
    if type(value) not in (int, float) or (abs(value) > _LARGEST_FLOAT and not math.isinf(value)):
        section.reject(name, "is not a number")
    return float(value)


# Scores of cases, of models that give the cases of one leaf different probabilities


def write_scored(scored: ScoreGroups) -> dict[str, Any]:
    """Return the distinct probabilities of cases, and their class counts, as JSON."""
    written: dict[str, Any] = {
        "scores": scored.scores.tolist(),
        "counts": scored.counts.tolist(),
    }
    if scored.leaf is not None:
        written["leaves"] = scored.leaf.tolist()
    return written if scored.decimals is None else written | {"decimals": scored.decimals}


def read_scored(section: Section, nodes: Tree) -> ScoreGroups:
    """Return the distinct probabilities of cases from a document."""
    # Files of the first release do not name the leaves.
    found = section.section("scored", ("scores", "counts"), ("leaves",))
    scored = _read_groups(found, nodes.n_classes)
    if "leaves" not in found.values:
        return scored
    return replace(scored, leaf=_read_leaves(found, len(scored.scores), nodes))


def read_divided(section: Section, nodes: Tree) -> ScoreGroups:
    """Return a group of cases for each leaf, then those of divided cases, from a document."""
    found = section.section("scored", ("scores", "counts", "leaves"), ("decimals",))
    scored = _read_groups(found, nodes.n_classes)
    leaves = _read_leaves(found, len(scored.scores), nodes)
    if not np.array_equal(leaves[: nodes.n_leaves], nodes.leaves):
        found.reject("leaves", "does not begin with all leaves")
    decimals = found.integer("decimals", 0, 16) if "decimals" in found.values else None
    return replace(scored, leaf=leaves, decimals=decimals)


def _read_groups(section: Section, n_classes: int) -> ScoreGroups:
    n_scores = len(section.items("scores"))
    counts = section.nonnegative("counts", n_scores, n_classes)
    with np.errstate(over="ignore"):
        if not 0.0 < counts.sum() < np.inf:
            section.reject("counts", "has no cases, or too many to add up")
    scores = section.probabilities("scores", slice(None), n_scores, n_classes)
    return ScoreGroups(scores, counts)


def _read_leaves(section: Section, n_scores: int, nodes: Tree) -> NDArray[np.int64]:
    leaves = section.ints("leaves", np.int64, n_scores)
    if not np.isin(leaves, nodes.leaves).all():
        section.reject("leaves", "has a number of no leaf")
    return leaves


def read_score_point(section: Section, scored: ScoreGroups) -> OperatingPoint | None:
    """Return the operating point; one chosen on held-out cases has as many rows as their scores."""
    n_scores, n_classes = scored.scores.shape
    point = read_point(section, n_classes)
    if point is None:
        return None
    n_rows = len(point.votes)
    if n_rows < n_classes or (point.counts != HELD_OUT and n_rows != n_scores + n_classes):
        section.reject("operating_point", "has votes for other scores")
    return point


# Points beside a tree

_POINTS_FIELDS = (
    *("tree_weight", "intercept", "unit", "whole", "tree_share", "penalty"),
    *("log_loss", "tree_log_loss", "rounding_loss", "n_cases", "attributes"),
)
# Log-odds beyond this have no effect, and larger ones might overflow.
_MAX_POINTS = 1e6
_ATTRIBUTE_FIELDS = ("feature", "starts", "high", "values", "slopes", "missing", "share")


def write_points(card: Scorecard) -> dict[str, Any]:
    """Return the points of attributes as JSON."""
    return {
        "tree_weight": card.tree_weight,
        "intercept": card.intercept.tolist(),
        "unit": card.unit,
        "whole": card.whole,
        "tree_share": card.tree_share,
        "penalty": card.penalty,
        "log_loss": card.log_loss,
        "tree_log_loss": card.tree_log_loss,
        "rounding_loss": card.rounding_loss,
        "n_cases": card.n_cases,
        "attributes": [
            {
                "feature": each.feature,
                "starts": each.starts.tolist(),
                "high": each.high,
                "values": each.values.tolist(),
                "slopes": each.slopes.tolist(),
                "missing": each.missing.tolist(),
                "share": each.share,
            }
            for each in card.attributes
        ],
    }


def read_points(section: Section, schema: Schema) -> Scorecard:
    """Return the points of attributes from a document."""
    found = section.section("points", _POINTS_FIELDS)
    n_columns = 1 if schema.n_classes == 2 else schema.n_classes
    attributes = tuple(
        _read_attribute_points(
            Section.from_value(item, "an attribute of 'points'", _ATTRIBUTE_FIELDS),
            schema,
            n_columns,
        )
        for item in found.items("attributes")
    )
    features = [each.feature for each in attributes]
    if len(set(features)) < len(features):
        found.reject("attributes", "has an attribute twice")
    tree_share = found.number("tree_share", 0.0, 1.0)
    if abs(tree_share + sum(each.share for each in attributes) - 1.0) > 1e-6:
        found.reject("attributes", "has shares that do not add up to 1")
    unit = found.number("unit", 0.0, _MAX_POINTS)
    if unit == 0.0:
        found.reject("unit", "is 0")
    return Scorecard(
        found.number("tree_weight", 0.0, _MAX_POINTS),
        found.floats("intercept", n_columns),
        attributes,
        unit=unit,
        whole=found.flag("whole"),
        tree_share=tree_share,
        penalty=_optional_number(found, "penalty", 0.0),
        rounding_loss=_optional_number(found, "rounding_loss", -1.0, 1.0),
        n_cases=found.integer("n_cases", 0, 1 << 53),
        log_loss=_optional_number(found, "log_loss", 0.0),
        tree_log_loss=_optional_number(found, "tree_log_loss", 0.0),
    )


def _optional_number(
    section: Section, name: str, least: float, most: float = _MAX_POINTS
) -> float | None:
    return section.number(name, least, most) if section.has(name) else None


def _read_attribute_points(section: Section, schema: Schema, n_columns: int) -> AttributePoints:
    feature = section.integer("feature", 0, schema.n_features)
    n_segments = len(section.items("starts"))
    starts, categories = section.floats("starts", n_segments), schema.categories[feature]
    high = section.number("high")
    if n_segments == 0 or (np.diff(starts) <= 0.0).any() or high < starts[-1]:
        section.reject("starts", "is empty, not increasing, or beyond the end")
    if categories is not None and starts.tolist() != list(range(len(categories))):
        section.reject("starts", "does not list the categories")
    return AttributePoints(
        feature,
        starts,
        high,
        section.floats("values", n_segments, n_columns),
        section.floats("slopes", n_segments, n_columns),
        section.floats("missing", n_columns),
        section.number("share", 0.0, 1.0),
    )
