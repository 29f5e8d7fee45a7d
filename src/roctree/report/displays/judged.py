"""What a display shows of a classifier: its curves, the rates of its labels, the costs at hand."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.data.cells import take_rows
from roctree.data.labels import encode_labels
from roctree.errors import ParameterError
from roctree.operating import class_number
from roctree.roc import Curve
from roctree.roc.inputs import check_two_classes, is_positive
from roctree.strategy import is_number


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
    classes = np.asarray(estimator.classes_).tolist()
    if positive is not None:
        return classes[class_number(positive, estimator.classes_)]
    if len(classes) != 2:
        raise ParameterError(f"There are {len(classes)} classes: say which is positive.")
    point = getattr(estimator, "operating_point_", None)
    return classes[1 if point is None else point.positive]


def positive_of_labels(y: Any, positive: Any) -> Any:
    """The positive class of some labels; None if it is not said, and they are not of two."""
    if positive is not None:
        return positive
    classes = encode_labels(y)[0].tolist()
    return classes[1] if len(classes) == 2 else None


def positive_of_folds(cv_results: Any, positive: Any) -> Any:
    """The positive class of the classifiers of all folds."""
    return positive_class(cv_results["estimator"][0], positive)


def point_of(estimator: Any, positive: Any) -> Any:
    """The operating point of a tree, if it is one of this positive class."""
    point = getattr(estimator, "operating_point_", None)
    same = point is not None and estimator.classes_[point.positive] == positive
    return point if same else None


def curve_of(estimator: Any, X: Any, y: Any, positive: Any, sample_weight: Any = None) -> Curve:
    """The curve of a tree by its leaves, of another classifier by its scores."""
    curve = _curve(estimator, X, y, positive, sample_weight)
    check_two_classes(curve, "a plot of rates")
    return curve


def _curve(estimator: Any, X: Any, y: Any, positive: Any, sample_weight: Any) -> Curve:
    if hasattr(estimator, "roc"):
        curve: Curve = estimator.roc(X, y, positive=positive, sample_weight=sample_weight)
        return curve
    place = list(estimator.classes_).index(positive)
    if hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(X)[:, place]
    else:
        scores = np.asarray(estimator.decision_function(X))
        scores = scores[:, place] if scores.ndim == 2 else scores * (1.0 if place == 1 else -1.0)
    return Curve.from_scores(y, scores, positive=positive, sample_weight=sample_weight)


def curves_of_folds(
    cv_results: Any, X: Any, y: Any, positive: Any, sample_weight: Any
) -> list[Curve]:
    """The curve of each fold's classifier on the cases that it was not fitted to."""
    return [
        curve_of(each, X_test, y_test, positive_class(each, positive), weights)
        for each, X_test, y_test, weights in folds_of(cv_results, X, y, sample_weight)
    ]


def folds_of(
    cv_results: Any, X: Any, y: Any, sample_weight: Any
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield each fold's classifier, and the cases and weights that it was not fitted to."""
    if not ("estimator" in cv_results and "indices" in cv_results):
        raise ParameterError(
            "cv_results has no estimators and indices: use cross_validate(..., "
            "return_estimator=True, return_indices=True)."
        )
    for each, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        weights = None if sample_weight is None else _taken(sample_weight, test)
        yield each, take_rows(X, test), _taken(y, test), weights


def _taken(values: Any, places: NDArray[np.int64]) -> Any:
    if isinstance(values, list | tuple):
        return [values[place] for place in places]
    return np.asarray(values)[places]


def rates_of_labels(
    found: ArrayLike, y: ArrayLike, positive: Any, sample_weight: ArrayLike | None = None
) -> Rates:
    """The rates of predicted labels."""
    labels, truth = np.asarray(found) == positive, is_positive(y, positive)
    weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, float)
    return Rates(*(float(np.average(labels[of], weights=weights[of])) for of in (~truth, truth)))


def listed(curves: Any) -> list[Any]:
    """The curves that a display was given, one or several."""
    given = [curves] if hasattr(curves, "fpr") else curves
    found = list(given) if isinstance(given, Iterable) else []
    if not found or not all(hasattr(each, "fpr") for each in found):
        raise ParameterError(f"{curves!r} is nothing to draw: give a curve, or a list of them.")
    return found


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
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prior": prior}
    for name, value in given.items():
        if value is not None and not is_number(value):
            raise ParameterError(f"{name}={value!r} is no finite number.")
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
