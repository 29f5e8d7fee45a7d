"""What a display shows of a classifier: its curves, the rates of its labels, the costs at hand."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.errors import ParameterError
from roctree.roc import Curve
from roctree.roc.inputs import check_two_classes


class Rates(NamedTuple):
    """The rates of some labels."""

    fpr: float
    tpr: float


def positive_class(estimator: Any, positive: Any) -> Any:
    """The positive class of a classifier of two."""
    if not hasattr(estimator, "classes_"):
        raise ParameterError(
            f"{type(estimator).__name__} has no classes_: fit a classifier first, then draw it."
        )
    classes = list(estimator.classes_)
    if positive is not None:
        if positive not in classes:
            known = ", ".join(map(repr, classes))
            raise ParameterError(f"positive={positive!r} is no class; the classes are {known}.")
        return positive
    if len(classes) != 2:
        raise ParameterError(f"There are {len(classes)} classes: say which is positive.")
    point = getattr(estimator, "operating_point_", None)
    return classes[1 if point is None else point.positive]


def point_of(estimator: Any, positive: Any) -> Any:
    """The operating point of a tree, if it is one of this positive class."""
    point = getattr(estimator, "operating_point_", None)
    same = point is not None and estimator.classes_[point.positive] == positive
    return point if same else None


def curve_of(estimator: Any, X: Any, y: Any, positive: Any) -> Curve:
    """The curve of a tree by its leaves, of another classifier by its scores."""
    curve = _curve(estimator, X, y, positive)
    check_two_classes(curve, "a plot of rates")
    return curve


def _curve(estimator: Any, X: Any, y: Any, positive: Any) -> Curve:
    if hasattr(estimator, "roc"):
        curve: Curve = estimator.roc(X, y, positive=positive)
        return curve
    place = list(estimator.classes_).index(positive)
    if hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(X)[:, place]
    else:
        scores = np.asarray(estimator.decision_function(X))
        scores = scores[:, place] if scores.ndim == 2 else scores * (1.0 if place == 1 else -1.0)
    return Curve.from_scores(y, scores, positive=positive)


def curves_of_folds(cv_results: Any, X: Any, y: Any, positive: Any) -> list[Curve]:
    """The curve of each fold's classifier on the cases that it was not fitted to."""
    return [
        curve_of(each, X_test, y_test, positive_class(each, positive))
        for each, X_test, y_test in folds_of(cv_results, X, y)
    ]


def folds_of(cv_results: Any, X: Any, y: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each fold's classifier, and the cases that it was not fitted to."""
    if not ("estimator" in cv_results and "indices" in cv_results):
        raise ParameterError(
            "cv_results has no estimators and indices: use cross_validate(..., "
            "return_estimator=True, return_indices=True)."
        )
    for each, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        yield each, _rows(X, test), _rows(y, test)


def _rows(data: Any, places: NDArray[np.int64]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    return data[places]


def rates_of_labels(found: ArrayLike, y: ArrayLike, positive: Any) -> Rates:
    """The rates of predicted labels."""
    labels, truth = np.asarray(found) == positive, np.asarray(y) == positive
    return Rates(float(labels[~truth].mean()), float(labels[truth].mean()))


def isocost_slope(
    curve: Curve,
    cost_fp: float | None,
    cost_fn: float | None,
    prior: float | None,
    point: Any = None,
) -> float | None:
    """The slope of the lines of equal cost, if anything is known of costs."""
    if cost_fp is None and cost_fn is None and prior is None:
        return None if point is None else point.isocost_slope
    share = curve.prior if prior is None else prior
    alarm = (1.0 if cost_fp is None else cost_fp) * (1.0 - share)
    miss = (1.0 if cost_fn is None else cost_fn) * share
    if not (alarm >= 0.0 and miss > 0.0):
        raise ParameterError(
            f"cost_fp={cost_fp!r}, cost_fn={cost_fn!r} and prior={prior!r} give no line of equal "
            "cost: misses must cost something, and positives occur."
        )
    return alarm / miss


def weight_of_positives(slope: float | None) -> float | None:
    """The share of the positives in what errors can cost."""
    return None if slope is None else 1.0 / (1.0 + slope)
