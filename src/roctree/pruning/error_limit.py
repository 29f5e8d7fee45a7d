"""How many errors a leaf may be expected to make, at a level of confidence: three formulas."""

from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtri

from roctree.tree.passes import Floats, Ints

Limit = Literal["exact", "c45", "weka"]

# C4.5 reads deviations off this table of confidence levels, and interpolates.
_LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
_NO_ERROR = 1e-6
# C4.5 expects so much of the cases that are no errors to become errors where few are none.
_C45_NEARLY_ALL = 0.67
_WEKA_HIGHEST = 0.5
# Two whole numbers below this make one of 52 bits.
_PLACES = 2.0**26


def expected_errors(errors: Floats, cases: Floats, confidence: float, limit: Limit) -> Floats:
    """Return the upper limit of the number of errors among cases, zero where there are none.

    Parameters
    ----------
    errors, cases : weights, of any one shape
    confidence : C4.5's CF, the chance that a rate so high shows no more errors than these
    limit : "exact" for that of the binomial distribution; "c45" and "weka" for the programs' own
    """
    some = cases > 0.0
    of = np.where(some, cases, 1.0)
    wrong = np.where(some, np.clip(errors, 0.0, of), 0.0)
    if limit == "exact":
        expected = of * exact_rate(wrong, of, confidence)
    else:
        expected = wrong + more_errors(wrong, of, confidence, limit)
    return np.where(some, expected, 0.0)


def exact_rate(errors: Floats, cases: Floats, confidence: float) -> Floats:
    """Return the error rate at which so few errors have this chance."""
    # Most nodes are small, and many have the same numbers: finding these is quicker than the limit.
    wrong, total, where = _distinct_pairs(errors, cases)
    right = total - wrong
    all_wrong = right <= 0.0
    rate = betaincinv(wrong + 1.0, np.where(all_wrong, 1.0, right), 1.0 - confidence)
    return np.asarray(np.where(all_wrong, 1.0, rate)[where].reshape(cases.shape))


def _distinct_pairs(errors: Floats, cases: Floats) -> tuple[Floats, Floats, Ints]:
    """Return errors and cases of the distinct pairs, and which of these each pair is.

    Whole numbers are told apart by one number, which is sorted much sooner than two.
    """
    if float(cases.max(initial=0.0)) < _PLACES and _whole(errors) and _whole(cases):
        both, where = np.unique(cases * _PLACES + errors, return_inverse=True)
        total = np.floor(both / _PLACES)
        return both - total * _PLACES, total, where
    pairs, where = np.unique(errors + 1j * cases, return_inverse=True)
    return pairs.real, pairs.imag, where


def _whole(numbers: Floats) -> bool:
    return bool((np.rint(numbers) == numbers).all())


def more_errors(
    errors: Floats, cases: Floats, confidence: float, limit: Literal["c45", "weka"]
) -> Floats:
    """Return what C4.5, or Weka's J48, adds to the errors."""
    if limit == "weka" and confidence > _WEKA_HIGHEST:
        return np.zeros_like(cases)
    none = cases * (1.0 - confidence ** (1.0 / cases))
    below_one = none + errors * (_wilson(np.ones_like(cases), cases, confidence, limit) - none)
    many = _wilson(errors, cases, confidence, limit)
    return np.where(errors < _NO_ERROR, none, np.where(errors < 1.0 - 1e-4, below_one, many))


def _wilson(
    errors: Floats, cases: Floats, confidence: float, limit: Literal["c45", "weka"]
) -> Floats:
    """The additional errors of one or more, by a limit like Wilson's with half an error more."""
    if limit == "c45":
        deviation = float(np.interp(confidence, _LEVELS, _DEVIATIONS))
    else:
        deviation = float(ndtri(1.0 - confidence))
    square = deviation * deviation
    half = errors + 0.5
    nearly_all = half >= cases
    spread = np.where(nearly_all, 0.0, half * (1.0 - half / cases)) + square / 4.0
    rate = (half + square / 2.0 + np.sqrt(square * spread)) / (cases + square)
    # Weka first asks whether one error is nearly all of the cases, C4.5 the same with its factor.
    left = (cases - errors) * (_C45_NEARLY_ALL if limit == "c45" else 1.0)
    return np.where(nearly_all, np.maximum(left, 0.0), rate * cases - errors)
