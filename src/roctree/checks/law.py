"""How a law is asserted."""

import math


def close(one: float, other: float) -> bool:
    """Whether two numbers are equal but for rounding."""
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


def at_most(low: float, high: float) -> bool:
    """Whether a number is no higher than another, but for rounding."""
    return low <= high or close(low, high)


def hold(law: bool, sentence: str) -> None:
    """Raise ``AssertionError`` with the sentence unless the law holds."""
    if not law:
        raise AssertionError(sentence)
