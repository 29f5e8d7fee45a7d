"""Texts that a person would take for something else: numbers with marks, dates."""

from typing import Any

from roctree.data.arrow import compute

NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
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


def mistaken(texts: Any) -> str | None:
    """Return what texts are that should not be texts, and what to do; None if they may be.

    Parameters
    ----------
    texts : array of pyarrow, the distinct texts of a column

    Examples
    --------
    >>> from roctree.data.arrow import pa
    >>> mistaken(pa.array(["0,5", "1,25"]))
    "all are numbers with a comma before decimals: say --decimal ','"
    >>> mistaken(pa.array(["red", "green"]))
    >>> mistaken(pa.array(["007", "012"]))
    """
    numbers = compute.match_substring_regex(texts, NUMBER)
    n_numbers = compute.sum(numbers).as_py() or 0
    if n_numbers == len(texts):
        few = n_numbers <= MANY_NUMBERS
        return None if few or are_codes(texts) else "all are numbers: say --numeric"
    for pattern, what in LOOKS.items():
        if compute.all(compute.match_substring_regex(texts, pattern)).as_py():
            return f"all are {what}"
    if n_numbers <= max(MANY_NUMBERS, len(texts) / 2):
        return None
    odd = texts.filter(compute.invert(numbers))[0].as_py()
    return f"most are numbers, but {odd!r} is none: say --missing-value if it stands for missing"


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
