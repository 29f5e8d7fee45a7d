"""Texts that a person would take for something else: numbers with marks, dates."""

from typing import Any

from roctree.data.arrow import compute

NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
# What all texts of a column look like, and what to do about it; the first that fits is said.
LOOKS = {
    r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$": (
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
    "'0,5' and others are numbers with a comma before decimals: say --decimal ','"
    >>> mistaken(pa.array(["red", "green"]))
    """
    if len(texts) == 0:
        return None
    for pattern, what in LOOKS.items():
        if compute.all(compute.match_substring_regex(texts, pattern)).as_py():
            return f"{texts[0].as_py()!r} and others are {what}"
    numbers = compute.match_substring_regex(texts, NUMBER)
    n_numbers = compute.sum(numbers).as_py()
    if n_numbers <= max(MANY_NUMBERS, len(texts) / 2):
        return None
    odd = texts.filter(compute.invert(numbers))[0].as_py()
    return f"most are numbers, but {odd!r} is none: say --missing-value if it stands for missing"
