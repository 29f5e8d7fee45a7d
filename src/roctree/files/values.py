"""Parameters, options and labels as JSON, and back.

What JSON lacks is an object with one of these keys: ``{"tuple": [...]}``,
``{"mapping": [[key, value], ...]}``, ``{"array": [...], "dtype": "int64"}``, ``{"float": "inf"}``,
and for strategies of the library ``{"smoothing": "m_branch", "options": {"M": 4.0}}``. Code is
never written: of a strategy that is not in a registry the file has the name,
``{"not_kept": "mine"}``.
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
# Types of arrays; text is as wide as the longest, and objects are any scalars.
_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "str", "object"),
)
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_SCALAR_TYPES = (str, bool, int, float)
_MOST_LEVELS = 16
# An array of text may take this many times the memory of its characters, plus this many bytes.
_WIDENING, _SLACK = 16, 1 << 20


@dataclass(frozen=True)
class NotKept:
    """A strategy or value that a file does not hold; calling it raises ``ParameterError``."""

    name: str

    def __call__(self, *_: Any) -> NoReturn:
        """Raise ``ParameterError``."""
        raise ParameterError(
            reason="{name!r} is not stored in model files: set it again", name=self.name
        )

    def __repr__(self) -> str:
        return f"<{self.name}, not stored in the model file>"


class NotRepresentableError(Exception):
    """A value that cannot be written as JSON."""


# To JSON


def to_json(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return a value as JSON; numbers of numpy become those of Python."""
    if levels == 0:
        raise NotRepresentableError
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in _SCALAR_TYPES:
        return scalar_to_json(value)
    if isinstance(value, list):
        return [to_json(item, levels - 1) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(item, levels - 1) for item in value]}
    if isinstance(value, Mapping):
        pairs = [[scalar_to_json(key), to_json(value[key], levels - 1)] for key in value]
        return {"mapping": pairs}
    if isinstance(value, np.ndarray):
        return {"array": to_json(value.tolist(), levels - 1), "dtype": dtype_name(value)}
    return _strategy_to_json(value, levels - 1)


def to_json_or_name(value: Any) -> Any:
    """Return a value as JSON, or only its name if it cannot be written."""
    try:
        return to_json(value)
    except (NotRepresentableError, RecursionError):
        return {"not_kept": value.name if isinstance(value, NotKept) else _name(value)}


def is_not_kept(written: Any) -> bool:
    """Return whether only the name of a value was written."""
    return isinstance(written, dict) and "not_kept" in written


def scalar_to_json(value: Any) -> Any:
    """Return a string, truth value or number as JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is not None and type(value) not in _SCALAR_TYPES:
        raise NotRepresentableError
    return value


def dtype_name(array: NDArray[Any]) -> str:
    """Return the name of the type of an array in files."""
    name = "str" if array.dtype.kind == "U" else array.dtype.name
    if name not in _DTYPES:
        raise NotRepresentableError
    return name


def _strategy_to_json(value: Any, levels: int) -> Any:
    if not is_dataclass(value) or isinstance(value, type):
        raise NotRepresentableError
    for kind, registry in STRATEGIES.items():
        for name, known in registry.items():
            if type(value) is known:
                options = {
                    field.name: to_json(getattr(value, field.name), levels)
                    for field in fields(value)
                }
                return {kind: name, "options": options}
    raise NotRepresentableError


def _name(value: Any) -> str:
    """Return the name that the author gave a value, never its address in memory."""
    for attribute in ("name", "__qualname__"):
        name = getattr(value, attribute, None)
        if isinstance(name, str) and name:
            return name[:200]
    return type(value).__name__


# From JSON


def from_json(value: Any, place: str, levels: int = _MOST_LEVELS) -> Any:
    """Return the value that was written.

    Parameters
    ----------
    value : object
        JSON from a file.
    place : str
        What the value is called in messages.
    levels : int
        How deeply it may be nested.
    """
    if levels == 0:
        raise ModelFileError(f"The file nests {place} too deeply.")
    if isinstance(value, list):
        return [from_json(item, place, levels - 1) for item in value]
    if not isinstance(value, dict):
        return value if value is None else scalar_from_json(value, place)
    keys = set(value)
    if keys == {"tuple"}:
        return tuple(_list_from_json(value["tuple"], place, levels))
    if keys == {"mapping"}:
        return _mapping_from_json(value["mapping"], place, levels)
    if keys == {"array", "dtype"}:
        items = _list_from_json(value["array"], place, levels)
        return array_from_json(items, value["dtype"], place)
    if keys == {"not_kept"} and isinstance(value["not_kept"], str):
        return NotKept(value["not_kept"])
    if len(keys) == 2 and "options" in keys:
        return _strategy_from_json(value, place, levels)
    return scalar_from_json(value, place)


def scalar_from_json(value: Any, place: str) -> Any:
    """Return a string, truth value or number."""
    if isinstance(value, dict) and set(value) == {"float"}:
        word = value["float"]
        if isinstance(word, str) and word in _NOT_FINITE:
            return _NOT_FINITE[word]
    if type(value) not in _SCALAR_TYPES or (isinstance(value, float) and math.isinf(value)):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return value


def array_from_json(items: list[Any], dtype: Any, place: str) -> NDArray[Any]:
    """Return an array of a known type; reject it if it would be much larger than the file."""
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ModelFileError(f"The file has {place} of an unknown type.")
    text = [item for item in items if isinstance(item, str)]
    longest = max(map(len, text), default=0)
    if len(items) * longest > _WIDENING * sum(map(len, text)) + _SLACK:
        raise ModelFileError(f"The file has {place} of lengths too different for an array.")
    if dtype == "str" and len(text) < len(items):
        raise ModelFileError(f"The file has {place} that should be text but are not.")
    if dtype not in ("str", "object") and (text or not _numbers_only(items)):
        raise ModelFileError(f"The file has {place} that should be numbers but are not.")
    try:
        return np.array(items, dtype=np.str_ if dtype == "str" else dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelFileError(f"The file has {place} that are not {dtype}.") from None


def _numbers_only(items: list[Any]) -> bool:
    flat = [entry for item in items for entry in (item if isinstance(item, list) else [item])]
    return set(map(type, flat)) <= {bool, int, float}


def _strategy_from_json(value: dict[str, Any], place: str, levels: int) -> Any:
    (kind,) = set(value) - {"options"}
    name, options = value[kind], value["options"]
    known = STRATEGIES.get(kind, {}).get(name) if isinstance(name, str) else None
    if known is None or not isinstance(options, dict):
        raise ModelFileError(f"The file has {place} of a kind that this release does not know.")
    given = {option: from_json(options[option], place, levels - 1) for option in options}
    unknown = set(given) - {field.name for field in fields(known)}
    if unknown:
        raise ModelFileError(
            f"The file has {place} with the option {min(unknown)[:40]!r}, which this release does "
            "not know."
        )
    try:
        return known(**given)
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(f"The file has {place} with options not allowed: {error}") from None


def _list_from_json(value: Any, place: str, levels: int) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return [from_json(item, place, levels - 1) for item in value]


def _mapping_from_json(pairs: Any, place: str, levels: int) -> dict[Any, Any]:
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 for pair in pairs
    ):
        raise ModelFileError(f"The file has {place} in an unknown form.")
    return {
        scalar_from_json(key, place): from_json(value, place, levels - 1) for key, value in pairs
    }
