"""Validation of scores, counts, labels and options passed to ``roctree.roc``."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.arrays import Floats
from roctree.data import encode_labels
from roctree.errors import DataError, ParameterError
from roctree.strategy import is_finite_number, is_integer

if TYPE_CHECKING:
    from roctree.roc.curve import Curve


# Products of two totals must neither overflow nor underflow.
_LARGEST, _SMALLEST = 1e100, 1e-100


def check_vector(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers as a one-dimensional array."""
    found = _finite(name, values)
    if found.ndim != 1:
        raise DataError(
            f"{name} has shape {found.shape}: pass one number per case or leaf, for example one "
            "column of predict_proba(X)."
        )
    return found


def check_matrix(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers as a matrix with a column for each of at least two classes."""
    found = _finite(name, values)
    if found.ndim != 2 or found.shape[1] < 2:
        raise DataError(
            f"{name} has shape {found.shape}: pass one row per case or leaf and one column for "
            "each of at least two classes."
        )
    return found


def _finite(name: str, values: ArrayLike) -> Floats:
    """Return an array of finite numbers, of any shape."""
    found = _as_floats(name, values)
    if not np.isfinite(found).all():
        row = int(np.argwhere(~np.isfinite(np.atleast_1d(found)))[0, 0])
        raise DataError(
            f"{name} has a missing or infinite value in row {row} (counting from 0): all values "
            "must be finite."
        )
    return found


def _as_floats(name: str, values: ArrayLike) -> Floats:
    try:
        found = np.asarray(np.ma.filled(values, np.nan) if np.ma.isMA(values) else values)
        # Strings could be parsed, but are more likely the wrong column.
        if found.dtype.kind in "fiubO":
            return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"{name} must contain only numbers.")


def check_counts(name: str, values: Floats) -> Floats:
    """Return case weights after checking that none is negative and that sums are safe."""
    if (values < 0.0).any():
        row = int(np.argwhere(values < 0.0)[0, 0])
        raise DataError(f"{name} has a negative number in row {row} (counting from 0).")
    with np.errstate(over="ignore"):
        total = values.max(initial=0.0) * values.size
    if total > _LARGEST or 0.0 < total < _SMALLEST:
        raise DataError(f"{name} are too extreme to be summed: rescale them to a mean of 1.")
    return values


def is_positive(y: Any, positive: Any) -> NDArray[np.bool_]:
    """Return which labels are the positive class; None means the last of two in sorted order."""
    found, codes = encode_labels(y)
    classes = found.tolist()
    if positive is None:
        return np.asarray(codes == _default_positive(classes))
    # A single label may well be the negative class; among several, the positive one must occur.
    if np.ndim(positive) or (positive not in classes and len(classes) > 1):
        raise ParameterError(
            parameter="positive",
            value=positive,
            reason="is not a label in y, which contains {labels}",
            labels=", ".join(map(repr, classes)),
        )
    return np.asarray([label == positive for label in classes])[codes]


def _default_positive(classes: list[Any]) -> int:
    """Return the code of the positive class among the labels found."""
    if len(classes) > 2:
        raise DataError(reason=f"y has {len(classes)} classes: set {{positive}} to one of them")
    if len(classes) == 2:
        return 1
    if classes[0] not in (-1, 0, 1):
        raise DataError(
            reason="y contains only the label {label!r}: set {positive}", label=classes[0]
        )
    return 0 if classes[0] == 1 else 1


def check_scores(scores: ArrayLike, truth: NDArray[np.bool_]) -> Floats:
    """Return the scores, one per label."""
    values = check_vector("scores", scores)
    if len(values) != len(truth):
        raise DataError(f"There are {len(values)} scores for {len(truth)} labels in y.")
    return values


def check_rate(name: str, rate: float) -> None:
    """Raise unless the value is a number from 0 to 1."""
    if not is_finite_number(rate) or not 0.0 <= rate <= 1.0:
        raise ParameterError(parameter=name, value=rate, reason="must be a number from 0 to 1")


def check_cost(name: str, cost: float) -> None:
    """Raise unless the value is a finite, nonnegative number."""
    if not is_finite_number(cost) or cost < 0.0:
        raise ParameterError(
            parameter=name, value=cost, reason="must be a finite, nonnegative number"
        )


def check_confidence(level: float) -> None:
    """Raise unless the value is a confidence level."""
    if not is_finite_number(level) or not 0.0 < level < 1.0:
        raise ParameterError(
            parameter="level", value=level, reason="must be a confidence level such as 0.95"
        )


def check_integer(name: str, value: int, least: int) -> None:
    """Raise unless the value is an integer of at least ``least``."""
    if not is_integer(value) or value < least:
        raise ParameterError(
            parameter=name, value=value, reason=f"must be an integer of at least {least}"
        )


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise unless the value is one of the choices."""
    if value not in choices:
        raise ParameterError(
            parameter=name, value=value, reason=f"must be one of {', '.join(map(repr, choices))}"
        )


def check_two_classes(curve: "Curve", what: str) -> None:
    """Raise unless the curve has both positives and negatives."""
    if not curve.has_both_classes:
        raise DataError(
            f"There are {curve.n_positive:g} positives and {curve.n_negative:g} negatives: "
            f"{what} needs both."
        )
