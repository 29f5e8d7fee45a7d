"""What users hand over, as arrays; what cannot be used is refused in one sentence."""

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roctree.data.labels import encode_labels
from roctree.errors import DataError, ParameterError
from roctree.strategy import is_number

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

Floats = NDArray[np.float64]

# Products of two totals must neither overflow nor vanish.
_LARGEST, _SMALLEST = 1e100, 1e-100


def numbers(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers in one row."""
    found = _floats(name, values)
    if found.ndim != 1:
        raise DataError(
            f"{name} has shape {found.shape}: give one number for each case or leaf, such as "
            "one column of predict_proba(X)."
        )
    _refuse_infinite(name, found)
    return found


def matrix(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers in rows, with a column for each of at least two classes."""
    found = _floats(name, values)
    if found.ndim != 2 or found.shape[1] < 2:
        raise DataError(
            f"{name} has shape {found.shape}: give a row for each case or leaf and a column for "
            "each of at least two classes."
        )
    _refuse_infinite(name, found)
    return found


def counts(name: str, values: Floats) -> Floats:
    """Return weights of cases, none of them negative."""
    if (values < 0.0).any():
        row = int(np.argwhere(values < 0.0)[0, 0])
        raise DataError(f"{name} has a negative number in row {row} (counting from 0).")
    with np.errstate(over="ignore"):
        total = values.max(initial=0.0) * values.size
    if total > _LARGEST or 0.0 < total < _SMALLEST:
        raise DataError(f"{name} are too extreme for sums: multiply them so that they average 1.")
    return values


def is_positive(y: Any, positive: Any) -> NDArray[np.bool_]:
    """Return which labels are the positive class, None for the last of two in sorted order."""
    found, codes = encode_labels(y)
    classes = found.tolist()
    if positive is None:
        return np.asarray(codes == _usual(classes))
    # Cases of one class only may be those of the other, but several others are a slip.
    if np.ndim(positive) or (positive not in classes and len(classes) > 1):
        raise ParameterError(
            f"positive={positive!r} is no label of y, which has {', '.join(map(repr, classes))}."
        )
    return np.asarray([label == positive for label in classes])[codes]


def scored(scores: ArrayLike, truth: NDArray[np.bool_]) -> Floats:
    """Return the scores of cases, one for each."""
    values = numbers("scores", scores)
    if len(values) != len(truth):
        raise DataError(f"There are {len(values)} scores for {len(truth)} labels in y.")
    return values


def check_rate(name: str, rate: float) -> None:
    """Refuse what is no share of cases."""
    if not is_number(rate) or not 0.0 <= rate <= 1.0:
        raise ParameterError(f"{name}={rate!r} is no rate: give a number from 0 to 1.")


def check_cost(name: str, cost: float) -> None:
    """Refuse what is no cost."""
    if not is_number(cost) or cost < 0.0:
        raise ParameterError(f"{name}={cost!r} is no cost: give a finite number from 0 on.")


def check_level(level: float) -> None:
    """Refuse a level of confidence that is none."""
    if not is_number(level) or not 0.0 < level < 1.0:
        raise ParameterError(f"level={level!r} is no level of confidence: give one such as 0.95.")


def check_whole(name: str, value: int, least: int, advice: str) -> None:
    """Refuse what is no whole number, or too small."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name}={value!r} is not allowed: give {advice}.")


def check_two_classes(curve: "Curve", what: str) -> None:
    """Refuse a curve without positives or without negatives."""
    if not curve.has_both_classes:
        raise DataError(
            f"There are {curve.n_positive:g} positives and {curve.n_negative:g} negatives: "
            f"{what} needs both."
        )


def _usual(classes: list[Any]) -> int:
    """The number of the positive class among those found."""
    if len(classes) > 2:
        raise DataError(f"y has {len(classes)} classes: say which one is positive.")
    if len(classes) == 2:
        return 1
    if classes[0] not in (-1, 0, 1):
        raise DataError(f"y has no label but {classes[0]!r}: say which one is positive.")
    return 0 if classes[0] == 1 else 1


def _floats(name: str, values: ArrayLike) -> Floats:
    try:
        found = np.asarray(np.ma.filled(values, np.nan) if np.ma.isMA(values) else values)
        # Text would be parsed, but is more likely the wrong column.
        if found.dtype.kind in "fiubO":
            return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"{name} must be numbers only.")


def _refuse_infinite(name: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise DataError(
            f"{name} has a value in row {row} (counting from 0) that is missing or infinite: "
            "give finite numbers."
        )
