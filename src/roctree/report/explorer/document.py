"""The data document of the explorer: everything that the page shows is computed from it.

It holds the model's own tables and no more: structure, class counts of training and test cases,
probabilities, a confidence band, some cases, and where to start. What differs between models is
in a module for each kind.
"""

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import Dataset, check_test_cases
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.models.multiscale.estimator import MultiscaleClassifier
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
from roctree.operating import class_number
from roctree.report.explorer.cells import cell_parts
from roctree.report.explorer.naive_bayes import naive_bayes_parts
from roctree.report.explorer.split_tree import split_tree_parts
from roctree.report.explorer.start import start_state
from roctree.report.explorer.tables import or_none
from roctree.strategy import is_number

if TYPE_CHECKING:
    from roctree.data import Schema

_FEW_CLASSES = 4
# What only some kinds of models have.
_ABSENT: dict[str, Any] = {
    "lines": None,
    "models": None,
    "cells": None,
    "whole": None,
    "divided": [],
    "extent": None,
    "rounded": None,
    "in_parts": [],
}


def data_document(
    estimator: Any,
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
    estimator : a fitted model
    X_test, y_test : cases that did not grow it
    positive : the class of interest; None for that of the operating point, or the last
    title : of the page; None for the names of the classes
    cases : most test cases to be shown one by one; 0 for a page without data of single cases
    """
    schema = estimator.schema_
    _check(schema, X_test, y_test, cases)
    test = None if X_test is None else Dataset.encoded(X_test, y_test, schema)
    point = estimator.operating_point_
    usual = schema.n_classes - 1 if point is None or schema.n_classes > 2 else point.positive
    place = usual if positive is None else class_number(positive, estimator.classes_)
    shown, parts = parts_of(estimator, test)
    return {
        **_ABSENT,
        "title": _title(schema) if title is None else str(title),
        "made_by": f"Made by roctree {__version__}.",
        "classes": [str(label) for label in schema.classes.tolist()],
        "class_code": [repr(label) for label in schema.classes.tolist()],
        "start": start_state(estimator, place, has_test=test is not None),
        "n_test": 0 if test is None else len(test.labels),
        "cases": [] if test is None else _cases(test, shown, cases),
        **parts,
    }


@singledispatch
def parts_of(estimator: Any, test: Dataset | None) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the attributes that a model looks at, and what a page needs of its kind."""
    raise ParameterError(f"A {type(estimator).__name__} has no page: give a tree of roctree.")


parts_of.register(ROCTreeClassifier, split_tree_parts)
parts_of.register(NaiveBayesTreeClassifier, naive_bayes_parts)
parts_of.register(MultiscaleClassifier, cell_parts)


def _check(schema: "Schema", X_test: Any, y_test: Any, cases: Any) -> None:
    if schema.n_classes < 2:
        raise ParameterError("The tree knows only one class: there is nothing to explore.")
    check_test_cases(X_test, y_test)
    if not is_number(cases) or cases < 0 or cases != int(cases):
        raise ParameterError(f"cases={cases!r} is no number of cases: give 0 or more.")


def _title(schema: "Schema") -> str:
    if schema.n_classes > _FEW_CLASSES:
        return f"A decision tree for {schema.n_classes} classes"
    names = [str(label) for label in schema.classes.tolist()]
    return f"{', '.join(names[:-1])} or {names[-1]}?"


def _cases(test: Dataset, shown: NDArray[np.intp], most: int) -> list[dict[str, Any]]:
    """Cases from everywhere in the test data, by the attributes that the model looks at."""
    n_rows = len(test.labels)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, int(most))).round().astype(np.int64))
    values = test.values[np.ix_(rows, shown)].astype(np.float64)
    return [
        {"row": row, "label": label, "values": or_none(each)}
        for row, label, each in zip(rows.tolist(), test.labels[rows].tolist(), values, strict=True)
    ]
