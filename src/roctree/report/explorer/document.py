"""The data document of the explorer: everything that the page shows is computed from it.

It holds the tree's own tables and no more: structure, class counts of training and test cases,
probabilities, the metric, a confidence band, some cases, and where to start.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import Dataset
from roctree.errors import ParameterError
from roctree.geometry import extent
from roctree.geometry.metric import units_of
from roctree.operating import class_number
from roctree.report.explorer.divided import divided_cases
from roctree.report.explorer.start import start_state
from roctree.roc import Curve
from roctree.strategy import is_number
from roctree.tally import Tally
from roctree.tree.text import short_thresholds
from roctree.tree.tree import Tree

if TYPE_CHECKING:
    from roctree.data import Schema
    from roctree.estimator import ROCTreeClassifier

Floats = NDArray[np.float64]

# Resampling more leaves and classes would take longer than growing the tree.
_MOST_RESAMPLED = 20_000
_SAMPLES = 500
_BAND_DIGITS = 5
_FEW_CLASSES = 4


def data_document(
    estimator: "ROCTreeClassifier",
    X_test: Any = None,
    y_test: Any = None,
    *,
    positive: Any = None,
    title: str | None = None,
    cases: int = 200,
) -> dict[str, Any]:
    """Return what the page is made from, as numbers, texts, lists and dicts.

    Parameters
    ----------
    estimator : a fitted tree
    X_test, y_test : cases that did not grow the tree
    positive : the class of interest; None for that of the operating point, or the last
    title : of the page; None for the names of the classes
    cases : most test cases to be shown one by one; 0 for a page without data of single cases
    """
    tree, schema = estimator.tree_, estimator.schema_
    _check(tree, X_test, y_test, cases)
    test = None if X_test is None else Dataset.encoded(X_test, y_test, schema)
    point = estimator.operating_point_
    usual = schema.n_classes - 1 if point is None or schema.n_classes > 2 else point.positive
    place = usual if positive is None else class_number(positive, estimator.classes_)
    tested = np.unique(tree.feature[~tree.is_leaf])
    return {
        "title": _title(schema) if title is None else str(title),
        "made_by": f"Made by roctree {__version__}. All is in this file; it needs no network.",
        "classes": [str(label) for label in schema.classes.tolist()],
        "class_code": [repr(label) for label in schema.classes.tolist()],
        "features": _features(estimator, tested),
        "extent": extent(estimator.spread_, estimator.scale_, schema.nominal),
        "tree": _nodes(tree, tested),
        "probabilities": estimator.probabilities_.ravel().tolist(),
        "training": _numbers(tree.counts),
        "cases": [] if test is None else _cases(test, tested, cases),
        "start": start_state(estimator, place, has_test=test is not None),
        **_counted(estimator, test),
    }


def _check(tree: Tree, X_test: Any, y_test: Any, cases: Any) -> None:
    if tree.n_classes < 2:
        raise ParameterError("The tree knows only one class: there is nothing to explore.")
    if (X_test is None) != (y_test is None):
        raise ParameterError("Test data are rows and labels: give both X_test and y_test.")
    if not is_number(cases) or cases < 0 or cases != int(cases):
        raise ParameterError(f"cases={cases!r} is no number of cases: give 0 or more.")


def _title(schema: "Schema") -> str:
    if schema.n_classes > _FEW_CLASSES:
        return f"A decision tree for {schema.n_classes} classes"
    names = [str(label) for label in schema.classes.tolist()]
    return f"{', '.join(names[:-1])} or {names[-1]}?"


def _features(estimator: "ROCTreeClassifier", tested: NDArray[np.int32]) -> list[dict[str, Any]]:
    """The attributes that the tree looks at, in the order of their numbers."""
    units = units_of(estimator.scale_)
    listed = []
    for number in tested.tolist():
        categories = estimator.schema_.categories[number]
        listed.append(
            {
                "name": str(estimator.schema_.names[number]),
                "unit": float(units[number]),
                "categories": None if categories is None else [str(each) for each in categories],
                # Whether a category is written without quotes, as numbers and booleans are.
                "plain": categories is not None
                and not any(isinstance(each, str) for each in categories),
            }
        )
    return listed


def _nodes(tree: Tree, tested: NDArray[np.int32]) -> dict[str, Any]:
    """The structure; attributes are numbered among those that the tree looks at."""
    cuts = short_thresholds(tree)
    numbers = np.where(tree.is_leaf, -1, np.searchsorted(tested, tree.feature))
    return {
        "n_children": tree.n_children.tolist(),
        "feature": numbers.tolist(),
        "threshold": _or_none(tree.threshold),
        "cut": [cuts.get(node) for node in range(tree.n_nodes)],
        "softness": tree.softness.tolist() if tree.softness.any() else None,
        "category_branch": tree.category_branch.tolist(),
        "category_offsets": tree.category_offsets.tolist(),
        "missing_branch": tree.missing_branch.tolist(),
    }


def _or_none(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _numbers(counts: Floats) -> list[float]:
    """Counts in a row, whole ones without a decimal point."""
    return [int(count) if count == int(count) else count for count in counts.ravel().tolist()]


def _counted(estimator: "ROCTreeClassifier", test: Dataset | None) -> dict[str, Any]:
    """The test cases in the leaves; those that missing values divide stand apart, as in Python.

    Where these are too many they count in parts, and ``in_parts`` says so, as of training cases.
    """
    tree, scores = estimator.tree_, estimator.probabilities_
    in_parts = ["training", "smoothed"] if estimator.divides_cases_ else []
    if test is None:
        band = _band("training", scores[tree.leaves], tree.counts[tree.leaves])
        return {"test": None, "whole": None, "divided": [], "n_test": 0, "band": band,
                "in_parts": in_parts}  # fmt: skip
    tally, apart = Tally.of(tree, test), divided_cases(tree, test)
    return {
        "test": _numbers(tally.parts),
        "whole": _numbers(tally.counts[: tree.n_leaves]) if apart else None,
        "divided": apart or [],
        "n_test": len(test.labels),
        "band": _band("test", tally.lines(scores), tally.counts),
        "in_parts": [*in_parts, "test"] if apart is None else in_parts,
    }


def _band(name: str, scores: Floats, counts: Floats) -> dict[str, Any] | None:
    """The confidence band of each class against the rest, as ``tree.roc(...).band()`` has it."""
    if counts.size > _MOST_RESAMPLED:
        return None
    bands = []
    for ours, score in zip(counts.T, scores.T, strict=True):
        curve = Curve.from_leaves(score, ours, counts.sum(axis=1) - ours)
        bands.append(_band_of(curve) if curve.has_both_classes else None)
    return {"on": name, "classes": bands}


def _band_of(curve: Curve) -> dict[str, list[float]]:
    band = curve.band(n_samples=_SAMPLES)
    return {
        "low": np.round(band.low, _BAND_DIGITS).tolist(),
        "high": np.round(band.high, _BAND_DIGITS).tolist(),
    }


def _cases(test: Dataset, tested: NDArray[np.int32], most: int) -> list[dict[str, Any]]:
    """Cases from everywhere in the test data, by the attributes that the tree looks at."""
    n_rows = len(test.labels)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, int(most))).round().astype(np.int64))
    values = test.values[np.ix_(rows, tested)].astype(np.float64)
    return [
        {"row": row, "label": label, "values": _or_none(each)}
        for row, label, each in zip(rows.tolist(), test.labels[rows].tolist(), values, strict=True)
    ]
