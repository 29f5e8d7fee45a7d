"""The sections that model files share: training data, parameters, schema, tree, strategies, point.

For each there is a function that writes it as JSON values and one that reads and checks it. Sizes
are never declared in a file: they follow from lists that are there, so that a small file cannot ask
for much memory.
"""

import math
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import Schema
from roctree.errors import ModelFileError, ParameterError
from roctree.files.document import Floats, Section
from roctree.files.values import (
    STRATEGIES,
    NotKept,
    NotRepresentableError,
    array_from_json,
    dtype_name,
    from_json,
    is_not_kept,
    scalar_from_json,
    scalar_to_json,
    to_json,
    to_json_or_name,
)
from roctree.fitted import Training
from roctree.labelling import Labeller, OperatingPoint
from roctree.pruning import Pruner
from roctree.smoothing import Smoother
from roctree.tree.tree import Tree

# Training data

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MOST_ROWS = 1 << 53


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
    if not _DATE.fullmatch(date):
        found.reject("date", "is not a date such as 2026-01-31T12:00:00Z")
    target = found.text("target") if found.has("target") else None
    return Training(found.integer("rows", 1, _MOST_ROWS), target, date, found.text("roctree"))


def _now() -> str:
    """Return the time; SOURCE_DATE_EPOCH, if set, makes files reproducible to the byte."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# Parameters


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
    return written


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
        for name, categories in zip(schema.names, schema.categories, strict=True)
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
        Section.from_value(column, f"a column of {found.place}", ("name", "categories"))
        for column in found.items("columns")
    ]
    names = tuple(column.text("name") for column in columns)
    if not names or len(set(names)) < len(names):
        found.reject("columns", "has no names, or one twice")
    categories = tuple(_read_categories(column) for column in columns)
    return Schema(names, categories, _read_classes(found), found.flag("named"))


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
    if not isinstance(found, (NotKept, *STRATEGIES[kind].values())):
        section.reject("strategy", f"is not a {kind} strategy")
    return found


def _read_node_labels(section: Section, tree: Tree) -> NDArray[np.int64] | None:
    if not section.has("labels"):
        return None
    found = section.ints("labels", np.int64, tree.n_nodes)
    if not ((found >= 0) & (found < tree.n_classes)).all():
        section.reject("labels", "has a number that is not a class")
    return found


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
    shape = (len(found.items("votes")) if n_rows is None else n_rows), n_classes
    chance = found.number("chance", 0.0)
    votes = found.floats("votes", *shape)
    others = found.floats("other_votes", *shape) if found.has("other_votes") else votes
    if chance > 1.0 or (chance > 0.0) != found.has("other_votes"):
        found.reject("chance", "is not a probability, or lacks the other votes")
    expected_cost = _number_or_none(found, "expected_cost")
    if expected_cost is None:
        found.reject("expected_cost", "is not a number")
    return OperatingPoint(
        labeller=_read_labeller(found),
        labels=votes.argmax(axis=1),
        others=others.argmax(axis=1),
        votes=votes,
        other_votes=others,
        chance=chance,
        confusion=found.floats("confusion", n_classes, n_classes),
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
    if type(found) not in STRATEGIES["labelling"].values():
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
