"""What the results of a study depend on, as short texts that can be compared later."""

import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import roctree

# What draws, writes or describes results cannot change them.
_WITHOUT_INFLUENCE = ("checks/", "cli", "export/", "report/", "reproduce", "experiment/")
# But for what divides, fits and measures.
_OF_THE_STUDY = ("designs", "growth", "metrics")
_LIBRARIES = ("numpy", "numba", "scikit-learn", "scipy")
UNKNOWN = "unknown"


@cache
def of_code() -> dict[str, str]:
    """Return a digest of every module that results depend on, and the versions of libraries."""
    home = Path(roctree.__file__).parent
    parts = {library: _version(library) for library in _LIBRARIES}
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home).as_posix()
        if not name.startswith(_WITHOUT_INFLUENCE):
            parts[name] = digest(path.read_bytes())
    for stem in _OF_THE_STUDY:
        name = f"experiment/{stem}.py"
        parts[name] = digest((home / name).read_bytes())
    return parts


def of_origin(thing: Any) -> str:
    """Return where a class or function is from: a library's version, or a digest of its file."""
    library = thing.__module__.partition(".")[0]
    found = _version(library)
    if found != UNKNOWN:
        return f"{library} {found}"
    file = getattr(sys.modules.get(thing.__module__), "__file__", None)
    if file is None:
        return str(thing.__module__)
    return f"{Path(file).name} {digest(Path(file).read_bytes())}"


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the names that are not the same in both."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def digest(content: bytes) -> str:
    """Return a short digest."""
    return sha256(content).hexdigest()[:16]


def _version(library: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(library, library))
    except PackageNotFoundError:
        return UNKNOWN
