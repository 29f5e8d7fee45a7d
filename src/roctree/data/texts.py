"""Texts that a person would take for something else: numbers with marks, dates."""

import re
from typing import Any

from roctree.data.arrow import compute

POINT = "."
# Of the mark before decimals.
NUMBER = r"^[-+]?(\d+{0}?\d*|{0}\d+)([eE][-+]?\d+)?$"
# What all texts of a column look like, and what to do about it; the first that fits is said.
LOOKS = {
    r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$|^[-+]?\d{1,3}$": (
        "numbers with marks between thousands: write them without"
    ),
    r"^[-+]?\d*,\d+$|^[-+]?\d+$": "numbers with a comma before decimals: say --decimal ','",
    r"^\d{1,4}([./-])\d{1,2}[./-]\d{1,4}([T ].*)?$": (
        "dates, and a tree needs numbers: turn them into such as days since a fixed date"
    ),
    r"^[-+]?[$€£¥]? ?[-+]?\d[\d.,]* ?[%$€£¥]?$": "numbers with units: write them without",
}
# Fewer numbers among texts may be names, as in a book of codes.
MANY_NUMBERS = 10


def mistaken(texts: Any, decimal: str = POINT) -> str | None:
    """Return what texts are that should not be texts, and what to do; None if they may be.

    Parameters
    ----------
    texts : array of pyarrow, the distinct texts of a column
    decimal : the mark before decimals in the numbers of the file

    Examples
    --------
    >>> from roctree.data.arrow import pa
    >>> mistaken(pa.array(["0,5", "1,25"]))
    "all are numbers with a comma before decimals: say --decimal ','"
    >>> mistaken(pa.array(["red", "green"]))
    >>> mistaken(pa.array(["007", "012"]))
    """
    numbers = _are_numbers(texts, decimal)
    n_numbers = compute.sum(numbers).as_py() or 0
    if n_numbers == len(texts):
        few = n_numbers <= MANY_NUMBERS
        return None if few or are_codes(texts) else "all are numbers: say --numeric"
    if decimal != POINT and compute.all(_are_numbers(texts, POINT)).as_py():
        return f"all are numbers with a point before decimals, not {decimal!r}: write one mark"
    for pattern, what in LOOKS.items():
        if compute.all(compute.match_substring_regex(texts, pattern)).as_py():
            return f"all are {what}"
    if n_numbers <= max(MANY_NUMBERS, len(texts) / 2):
        return None
    odd = texts.filter(compute.invert(numbers))[0].as_py()
    return f"most are numbers, but {odd!r} is none: say --missing-value if it stands for missing"


def other_mark(text: str, decimal: str) -> str:
    """Return what to say of a text that is a number with another mark before decimals, or nothing.

    >>> other_mark("0,5", "."), other_mark("half", ".")
    ("; for a comma before decimals say --decimal ','", '')
    """
    if decimal == POINT and re.fullmatch(NUMBER.format(","), text):
        return "; for a comma before decimals say --decimal ','"
    if decimal != POINT and re.fullmatch(NUMBER.format(re.escape(POINT)), text):
        return f"; the mark before decimals is said to be {decimal!r}"
    return ""


def _are_numbers(texts: Any, decimal: str) -> Any:
    return compute.match_substring_regex(texts, NUMBER.format(re.escape(decimal)))


def are_codes(texts: Any) -> bool:
    """Whether texts are digits of which some begin with needless zeros, such as postcodes.

    Parameters
    ----------
    texts : array of pyarrow, in which some may be missing

    Examples
    --------
    >>> from roctree.data.arrow import pa
    >>> are_codes(pa.array(["007", "12", None])), are_codes(pa.array(["0", "7"]))
    (True, False)
    """
    digits = compute.match_substring_regex(texts, r"^\s*\d+\s*$")
    padded = compute.match_substring_regex(texts, r"^\s*0\d")
    return bool(compute.all(digits).as_py() and compute.any(padded).as_py())
