"""What the results of a study depend on, as short texts that can be compared later."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import roctree

# What draws, writes or describes results cannot change them.
_WITHOUT_INFLUENCE = ("checks/", "cli", "export/", "report/", "reproduce", "experiment/")
# But for what divides, fits and measures.
_OF_THE_STUDY = ("designs", "growth", "metrics")
_LIBRARIES = ("numpy", "numba", "scikit-learn", "scipy")


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


def of_class(kind: type) -> str:
    """Return the version of the library that a class is from, or its module's name."""
    library = kind.__module__.partition(".")[0]
    return f"{library} {_version(library)}"


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
        return "unknown"
