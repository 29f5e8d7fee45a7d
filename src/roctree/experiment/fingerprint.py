"""What the results of an experiment depend on, as short texts that can be compared later.

A text is the same in every process: otherwise an experiment could not resume in another one.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from inspect import isroutine
from pathlib import Path
from typing import Any

import numpy as np

import roctree

# Modules that draw, write or describe results do not change them.
_WITHOUT_INFLUENCE = ("checks", "cli", "export", "report", "experiment/", "progress.py")
# The modules of this package that split, fit and measure do.
_OF_EXPERIMENTS = ("designs", "configurations", "metrics")
_LIBRARIES = ("numpy", "numba", "scikit-learn", "scipy")
UNKNOWN = "unknown"


@cache
def of_code() -> dict[str, str]:
    """Return a digest of each module that results depend on, and the versions of libraries."""
    home = Path(roctree.__file__).parent
    parts = {library: _version(library) for library in _LIBRARIES}
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home).as_posix()
        if not name.startswith(_WITHOUT_INFLUENCE):
            parts[name] = digest(path.read_bytes())
    for stem in _OF_EXPERIMENTS:
        name = f"experiment/{stem}.py"
        parts[name] = digest((home / name).read_bytes())
    return parts


def of_value(value: Any) -> str:
    """Describe a configuration, a measure or an option by its parts and its origin.

    Examples
    --------
    >>> from roctree.smoothing import MBranch
    >>> of_value({"smoothing": MBranch(M=2), "depth": None})
    "{'smoothing': roctree.smoothing.MBranch(M=2), 'depth': None}"
    """
    if isinstance(value, Mapping):
        return f"{{{_listed((f'{key!r}: ', part) for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{_listed(('', part) for part in value)}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(of_value, value)))}}}"
    if isinstance(value, np.ndarray):
        return f"array {of_value(value.tolist())}"
    if isinstance(value, type) or isroutine(value):
        return _named(value) + _origin(value)
    parts, kind = _parts(value), type(value)
    if parts is not None:
        return f"{_named(kind)}({_listed(parts)}){_origin(kind)}"
    # Addresses differ between processes.
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)) + _origin(kind)


def of_origin(thing: Any) -> str:
    """Return the origin of a class or function: a library's version, or a digest of its file."""
    library = thing.__module__.partition(".")[0]
    found = UNKNOWN if library == roctree.__name__ else _version(library)
    if found != UNKNOWN:
        return f"{library} {found}"
    file = getattr(sys.modules.get(thing.__module__), "__file__", None)
    if file is None:
        return str(thing.__module__)
    return f"{Path(file).name} {digest(Path(file).read_bytes())}"


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the names that are new or have changed; removed ones have no influence."""
    return sorted(name for name in now if before.get(name) != now[name])


def digest(content: bytes) -> str:
    """Return a short digest."""
    return sha256(content).hexdigest()[:16]


def _version(library: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(library, library))
    except PackageNotFoundError:
        return UNKNOWN


def _parts(value: Any) -> Iterable[tuple[str, Any]] | None:
    """Return the parts of an object, each after its name; None if they are not known."""
    if isinstance(value, partial):
        named = {"func": value.func, "args": value.args, "keywords": value.keywords}
    elif hasattr(value, "get_params"):
        named = value.get_params(deep=False)
    elif is_dataclass(value):
        named = {each.name: getattr(value, each.name) for each in fields(value)}
    else:
        return None
    return [(f"{name}=", part) for name, part in named.items()]


def _named(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _listed(parts: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}{of_value(part)}" for name, part in parts)


def _origin(thing: Any) -> str:
    """Return the origin of an object that is not part of the fingerprint of the code."""
    module = thing.__module__
    own = module.replace(".", "/").removeprefix(f"{roctree.__name__}/")
    known = of_code()
    is_known = f"{own}.py" in known or f"{own}/__init__.py" in known
    return "" if is_known or module in ("builtins", "functools") else f" of {of_origin(thing)}"
