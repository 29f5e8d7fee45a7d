"""Tables as a page holds them: flat lists of numbers, attributes by name, the band of a curve."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree.roc import Curve

if TYPE_CHECKING:
    from roctree.data import Schema

Floats = NDArray[np.float64]

# Resampling more leaves and classes would take longer than growing the tree.
_MOST_RESAMPLED = 20_000
_SAMPLES = 500
_BAND_DIGITS = 5


def or_none(values: Floats) -> list[float | None]:
    """Return numbers as a list, None where missing."""
    return [None if value != value else value for value in values.tolist()]


def numbers(counts: Floats) -> list[float]:
    """Return counts in a row, whole ones without a decimal point."""
    return [int(count) if count == int(count) else count for count in counts.ravel().tolist()]


def feature(schema: "Schema", number: int, unit: float = 1.0) -> dict[str, Any]:
    """Return an attribute: its name, its categories, and what counts as a distance of one."""
    categories = schema.categories[number]
    return {
        "name": str(schema.names[number]),
        "unit": unit,
        "categories": None if categories is None else [str(each) for each in categories],
        # Whether a category is written without quotes, as numbers and booleans are.
        "plain": categories is not None and not any(isinstance(each, str) for each in categories),
    }


def band(name: str, scores: Floats, counts: Floats) -> dict[str, Any] | None:
    """Return the confidence band of each class against the rest, as ``roc(...).band()`` has it.

    Parameters
    ----------
    name : of the cases that are counted
    scores, counts : float64[lines, classes]
    """
    if counts.size > _MOST_RESAMPLED:
        return None
    bands = []
    for ours, score in zip(counts.T, scores.T, strict=True):
        curve = Curve.from_leaves(score, ours, counts.sum(axis=1) - ours)
        bands.append(_band_of(curve) if curve.has_both_classes else None)
    return {"on": name, "classes": bands}


def _band_of(curve: Curve) -> dict[str, list[float]]:
    found = curve.band(n_samples=_SAMPLES)
    return {
        "low": np.round(found.low, _BAND_DIGITS).tolist(),
        "high": np.round(found.high, _BAND_DIGITS).tolist(),
    }
