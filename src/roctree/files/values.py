"""Parameters, options and labels as values of JSON, and back.

What JSON has no word for is an object with one of these words: ``{"tuple": [...]}``,
``{"mapping": [[key, value], ...]}``, ``{"array": [...], "dtype": "int64"}``, ``{"float": "inf"}``,
and for strategies of the library ``{"smoothing": "m_branch", "options": {"M": 4.0}}``. Code is
never written: of what is not in a registry the file has the name, ``{"not_kept": "my_smoother"}``.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from roctree.criteria import CRITERIA
from roctree.errors import ModelFileError, ParameterError
from roctree.labelling import LABELLING
from roctree.pruning import PRUNING
from roctree.smoothing import SMOOTHING

STRATEGIES: dict[str, dict[str, type]] = {
    "criterion": {name: type(strategy) for name, strategy in CRITERIA.items()},
    "pruning": {name: type(strategy) for name, strategy in PRUNING.items()},
    "smoothing": {name: type(strategy) for name, strategy in SMOOTHING.items()},
    "labelling": dict(LABELLING),
}
# What arrays may hold; text has the width of the longest and objects are any of the scalars.
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "str", "object"),
)
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
SCALARS = (str, bool, int, float)
MOST_LEVELS = 16
# An array of text is as wide as its longest: so many times larger than its letters it may be.
_WIDENING, _SLACK = 16, 1 << 20


@dataclass(frozen=True)
class NotKept:
    """What stands for a strategy or a value that a file does not hold; to use it is refused."""

    name: str

    def __call__(self, *_: Any) -> NoReturn:
        """Say that it is not here."""
        raise ParameterError(f"{self.name!r} is not kept in model files: give it anew.")

    def __repr__(self) -> str:
        return f"<{self.name}, not kept in the model file>"


class NoWordError(Exception):
    """A value that has no form in JSON."""


def plain_or_name(value: Any) -> Any:
    """Return a value as JSON, or only its name."""
    try:
        return plain(value)
    except (NoWordError, RecursionError):
        return {"not_kept": value.name if isinstance(value, NotKept) else _name(value)}


def is_forgotten(written: Any) -> bool:
    """Return whether only the name of a value was written."""
    return isinstance(written, dict) and "not_kept" in written


def plain(value: Any, levels: int = MOST_LEVELS) -> Any:
    """Return a value as JSON; numbers of numpy become those of Python."""
    if levels == 0:
        raise NoWordError
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in SCALARS:
        return scalar(value)
    if isinstance(value, list):
        return [plain(item, levels - 1) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [plain(item, levels - 1) for item in value]}
    if isinstance(value, Mapping):
        pairs = [[scalar(key), plain(value[key], levels - 1)] for key in value]
        return {"mapping": pairs}
    if isinstance(value, np.ndarray):
        return {"array": plain(value.tolist(), levels - 1), "dtype": dtype_name(value)}
    return _plain_strategy(value, levels - 1)


def scalar(value: Any) -> Any:
    """Return one text, truth value or number as JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is not None and type(value) not in SCALARS:
        raise NoWordError
    return value


def dtype_name(array: NDArray[Any]) -> str:
    """Return the word for the type of an array."""
    name = "str" if array.dtype.kind == "U" else array.dtype.name
    if name not in DTYPES:
        raise NoWordError
    return name


def restored(value: Any, place: str, levels: int = MOST_LEVELS) -> Any:
    """Return the value that was written; ``place`` is where it stands, in words."""
    if levels == 0:
        raise ModelFileError(f"The file nests {place} too deeply.")
    if isinstance(value, list):
        return [restored(item, place, levels - 1) for item in value]
    if not isinstance(value, dict):
        return value if value is None else restored_scalar(value, place)
    words = set(value)
    if words == {"tuple"}:
        return tuple(_list_of(value["tuple"], place, levels))
    if words == {"mapping"}:
        return _mapping(value["mapping"], place, levels)
    if words == {"array", "dtype"}:
        return array_of(_list_of(value["array"], place, levels), value["dtype"], place)
    if words == {"not_kept"} and isinstance(value["not_kept"], str):
        return NotKept(value["not_kept"])
    if len(words) == 2 and "options" in words:
        return _strategy(value, place, levels)
    return restored_scalar(value, place)


def restored_scalar(value: Any, place: str) -> Any:
    """Return one text, truth value or number."""
    if isinstance(value, dict) and set(value) == {"float"}:
        word = value["float"]
        if isinstance(word, str) and word in NOT_FINITE:
            return NOT_FINITE[word]
    if type(value) not in SCALARS or (isinstance(value, float) and math.isinf(value)):
        raise ModelFileError(f"The file has {place} in a form that is not known.")
    return value


def array_of(items: list[Any], dtype: Any, place: str) -> NDArray[Any]:
    """Return an array of a type in ``DTYPES``; refused where it would be larger than the file."""
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"The file has {place} of a type that is not known.")
    text = [item for item in items if isinstance(item, str)]
    longest = max(map(len, text), default=0)
    if len(items) * longest > _WIDENING * sum(map(len, text)) + _SLACK:
        raise ModelFileError(f"The file has {place} of lengths too different for an array.")
    if dtype == "str" and len(text) < len(items):
        raise ModelFileError(f"The file has {place} that should be text and are not.")
    if dtype not in ("str", "object") and (text or not _numbers_only(items)):
        raise ModelFileError(f"The file has {place} that should be numbers and are not.")
    try:
        return np.array(items, dtype=np.str_ if dtype == "str" else dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(f"The file has {place} that are no {dtype}.") from None


def _numbers_only(items: list[Any]) -> bool:
    flat = [entry for item in items for entry in (item if isinstance(item, list) else [item])]
    return set(map(type, flat)) <= {bool, int, float}


def _plain_strategy(value: Any, levels: int) -> Any:
    if not is_dataclass(value) or isinstance(value, type):
        raise NoWordError
    for kind, registry in STRATEGIES.items():
        for name, known in registry.items():
            if type(value) is known:
                options = {
                    field.name: plain(getattr(value, field.name), levels) for field in fields(value)
                }
                return {kind: name, "options": options}
    raise NoWordError


def _strategy(value: dict[str, Any], place: str, levels: int) -> Any:
    (kind,) = set(value) - {"options"}
    name, options = value[kind], value["options"]
    known = STRATEGIES.get(kind, {}).get(name) if isinstance(name, str) else None
    if known is None or not isinstance(options, dict):
        raise ModelFileError(f"The file has {place} of a kind that this release does not know.")
    given = {option: restored(options[option], place, levels - 1) for option in options}
    unknown = set(given) - {field.name for field in fields(known)}
    if unknown:
        raise ModelFileError(f"The file has {place} with the option {min(unknown)[:40]!r}, "
                             "which this release does not know.")  # fmt: skip
    try:
        return known(**given)
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(f"The file has {place} that make no sense: {error}") from None


def _list_of(value: Any, place: str, levels: int) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"The file has {place} in a form that is not known.")
    return [restored(item, place, levels - 1) for item in value]


def _mapping(pairs: Any, place: str, levels: int) -> dict[Any, Any]:
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 for pair in pairs
    ):
        raise ModelFileError(f"The file has {place} in a form that is not known.")
    return {restored_scalar(key, place): restored(value, place, levels - 1) for key, value in pairs}


def _name(value: Any) -> str:
    """Return how the author calls it; never where it lies in memory."""
    for attribute in ("name", "__qualname__"):
        name = getattr(value, attribute, None)
        if isinstance(name, str) and name:
            return name[:200]
    return type(value).__name__
