"""The parameter ``categorical_features``, with the meaning scikit-learn gives it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError

CHOICES = "use 'from_dtype', None, column names, column numbers or a boolean mask"


def nominal_mask(
    categorical_features: Any, names: Sequence[str], named: bool
) -> NDArray[np.bool_] | None:
    """Return which columns are to be nominal, or None if their types decide."""
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return None
        raise ParameterError(f"categorical_features is {categorical_features!r}: {CHOICES}.")
    mask = np.zeros(len(names), dtype=np.bool_)
    if categorical_features is None or len(entries := _entries(categorical_features)) == 0:
        return mask
    if entries.dtype.kind == "b":
        return _checked_mask(entries, len(names))
    if entries.dtype.kind in "iu":
        mask[_checked_numbers(entries, len(names))] = True
    else:
        mask[_places(entries.tolist(), names, named)] = True
    return mask


def _entries(categorical_features: Any) -> NDArray[Any]:
    entries = np.asarray(categorical_features)
    if entries.ndim != 1 or (len(entries) and entries.dtype.kind not in "biuUTO"):
        raise ParameterError(f"categorical_features is {categorical_features!r}: {CHOICES}.")
    return entries


def _checked_mask(mask: NDArray[np.bool_], n_features: int) -> NDArray[np.bool_]:
    if len(mask) != n_features:
        raise ParameterError(
            f"categorical_features is a mask of {len(mask)} entries, but X has {n_features} "
            "features: give one entry per feature."
        )
    return mask


def _checked_numbers(numbers: NDArray[Any], n_features: int) -> NDArray[Any]:
    outside = numbers[(numbers < 0) | (numbers >= n_features)]
    if len(outside):
        raise ParameterError(
            f"categorical_features names column {outside[0]}, but X has the columns 0 to "
            f"{n_features - 1}."
        )
    return numbers


def _places(wanted: list[Any], names: Sequence[str], named: bool) -> list[int]:
    if not all(isinstance(name, str) for name in wanted):
        raise ParameterError(f"categorical_features mixes names and other things: {CHOICES}.")
    if not named:
        raise ParameterError(
            "categorical_features names columns, but the columns of X have no names: use numbers."
        )
    place = {name: feature for feature, name in enumerate(names)}
    unknown = [name for name in wanted if name not in place]
    if unknown:
        raise ParameterError(
            f"categorical_features names {', '.join(map(repr, unknown))}, which X does not have; "
            f"its columns are {', '.join(map(repr, names))}."
        )
    return [place[name] for name in wanted]
