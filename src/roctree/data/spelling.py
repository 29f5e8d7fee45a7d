"""How a text file is written: the mark between cells, its alphabet, what stands for missing."""

from dataclasses import dataclass

from roctree.errors import ParameterError

ENCODING = "utf8"
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


@dataclass(frozen=True)
class Spelling:
    """What cannot be seen from a text file, or is seen wrongly.

    Parameters
    ----------
    delimiter : the mark between cells; None for the most frequent in the first line of , ; | tab
    decimal : the mark before decimals
    encoding : name of the alphabet, as Python knows it
    missing : what else than "", "?", "NA", "N/A", "NaN", "null", "None" stands for a missing value
    """

    delimiter: str | None = None
    decimal: str = "."
    encoding: str = ENCODING
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("delimiter", "decimal"):
            mark = getattr(self, name)
            if mark is not None and len(mark) != 1:
                raise ParameterError(f"{name}={mark!r} is not allowed: give a single character.")
        try:
            "".encode(self.encoding)
        except LookupError:
            raise ParameterError(
                f"encoding={self.encoding!r} is not known: give one such as utf8 or latin-1."
            ) from None

    @property
    def null_values(self) -> list[str]:
        """All spellings of a missing value; where commas are followed by blanks these count too."""
        words = (*MISSING, *self.missing)
        return [*words, *(f" {word}" for word in words)]
