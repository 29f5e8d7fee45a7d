"""The results of an experiment in one SQLite file, and what they depend on.

The file is in write-ahead mode (WAL), and each split is one transaction, so that a process that is
killed at any moment leaves only complete splits. Next to the results the file stores what they
depend on: data, configurations, design, measures and code.
"""

import json
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from inspect import isroutine
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import roctree
from roctree.errors import DataError

STORE_FORMAT = 1
_TABLES = """
create table if not exists fact (kind text, name text, value text, primary key (kind, name));
create table if not exists outcome (
    problem text, configuration text, repeat integer, fold integer,
    measures text, seconds real, error text,
    primary key (problem, configuration, repeat, fold)
) without rowid;
"""


class Outcome(NamedTuple):
    """Result of one configuration on one split; ``error`` is its message if it failed."""

    problem: str
    configuration: str
    repeat: int
    fold: int
    measures: dict[str, float]
    seconds: float
    error: str | None = None


class Key(NamedTuple):
    """Key of an outcome."""

    problem: str
    configuration: str
    repeat: int
    fold: int


@dataclass(frozen=True)
class Store:
    """A file of outcomes.

    Parameters
    ----------
    path : Path
        The file; created if it does not exist.
    """

    path: Path

    def __post_init__(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"Cannot create the folder {str(self.path.parent)!r} for results "
                f"({error.strerror}): use another path."
            ) from error
        with self._connected() as connection:
            tables = connection.execute("select name from sqlite_master where type = 'table'")
            if not {name for (name,) in tables} <= {"fact", "outcome"}:
                raise DataError(
                    f"{str(self.path)!r} is a database with other content: use another path."
                )
            connection.execute("pragma journal_mode = wal")
            connection.executescript(_TABLES)
            found = dict(self._facts(connection, "format"))
            if not found:
                self._keep(connection, "format", {"store": str(STORE_FORMAT)})
            elif found != {"store": str(STORE_FORMAT)}:
                raise DataError(
                    f"{str(self.path)!r} was written by another release in a format that this "
                    "release cannot read: use another path."
                )

    def facts(self, kind: str) -> dict[str, str]:
        """Return the dependencies of one kind, by name."""
        with self._connected() as connection:
            return dict(self._facts(connection, kind))

    def keep(self, kind: str, facts: dict[str, str]) -> None:
        """Store dependencies of one kind; existing names are replaced."""
        with self._connected() as connection:
            self._keep(connection, kind, facts)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Store the outcomes of a split, all or none."""
        rows = [
            (*outcome[:4], json.dumps(outcome.measures), outcome.seconds, outcome.error)
            for outcome in outcomes
        ]
        with self._connected() as connection:
            connection.executemany("insert or replace into outcome values (?,?,?,?,?,?,?)", rows)

    def present(self, with_errors: bool = True) -> set[Key]:
        """Return the keys of the outcomes in the file."""
        query = "select problem, configuration, repeat, fold from outcome"
        with self._connected() as connection:
            return {
                Key(*row)
                for row in connection.execute(
                    query + ("" if with_errors else " where error is null")
                )
            }

    def outcomes(
        self, problems: Sequence[str] | None = None, configurations: Sequence[str] | None = None
    ) -> list[Outcome]:
        """Return outcomes sorted by their keys, in whatever order they were stored."""
        with self._connected() as connection:
            rows = connection.execute(
                "select * from outcome order by problem, configuration, repeat, fold"
            )
            return [
                Outcome(problem, configuration, repeat, fold, json.loads(measures), *rest)
                for problem, configuration, repeat, fold, measures, *rest in rows
                if (problems is None or problem in problems)
                and (configurations is None or configuration in configurations)
            ]

    def forget(self, problem: str | None = None, configuration: str | None = None) -> None:
        """Delete the outcomes of a problem, of a configuration, or all."""
        with self._connected() as connection:
            connection.execute(
                "delete from outcome where (?1 is null or problem = ?1) "
                "and (?2 is null or configuration = ?2)",
                (problem, configuration),
            )

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        # One connection per transaction: nothing is open while the processes work.
        try:
            with closing(sqlite3.connect(self.path, timeout=60.0)) as connection, connection:
                # A finished transaction survives a power failure.
                connection.execute("pragma synchronous = full")
                yield connection
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"{str(self.path)!r} cannot be used as a file of results ({error}): "
                "use another path."
            ) from error

    @staticmethod
    def _facts(connection: sqlite3.Connection, kind: str) -> list[Any]:
        return connection.execute("select name, value from fact where kind = ?", (kind,)).fetchall()

    @staticmethod
    def _keep(connection: sqlite3.Connection, kind: str, facts: dict[str, str]) -> None:
        rows = [(kind, name, value) for name, value in facts.items()]
        connection.executemany("insert or replace into fact values (?, ?, ?)", rows)


# What results depend on, as short texts that can be compared later. A text is the same in every
# process: otherwise an experiment could not resume in another one.

# Modules that do not affect results: they draw, write or describe them.
_WITHOUT_INFLUENCE = ("checks", "cli", "export", "report", "experiment/", "progress.py")
# Modules of this package that affect results: they split, fit and measure. They are separate from
# ``run`` and ``results`` so that edits of those do not invalidate stored results.
_OF_EXPERIMENTS = ("designs", "configurations", "metrics")
_LIBRARIES = ("numpy", "numba", "scikit-learn", "scipy")
_UNKNOWN = "unknown"


@cache
def code_fingerprint() -> dict[str, str]:
    """Return a digest of each module that results depend on, and the versions of libraries."""
    home = Path(roctree.__file__).parent
    parts = {library: _version(library) for library in _LIBRARIES}
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home).as_posix()
        if not name.startswith(_WITHOUT_INFLUENCE):
            parts[name] = _short_digest(path.read_bytes())
    for stem in _OF_EXPERIMENTS:
        name = f"experiment/{stem}.py"
        parts[name] = _short_digest((home / name).read_bytes())
    return parts


def fingerprint(value: Any) -> str:
    """Describe a configuration, a measure or an option by its parts and its origin.

    Examples
    --------
    >>> from roctree.smoothing import MBranch
    >>> fingerprint({"smoothing": MBranch(M=2), "depth": None})
    "{'smoothing': roctree.smoothing.MBranch(M=2), 'depth': None}"
    """
    if isinstance(value, Mapping):
        return f"{{{_join_parts((f'{key!r}: ', part) for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{_join_parts(('', part) for part in value)}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(fingerprint, value)))}}}"
    if isinstance(value, np.ndarray):
        return f"array {fingerprint(value.tolist())}"
    if isinstance(value, type) or isroutine(value):
        return _named(value) + _origin(value)
    parts, kind = _parts_of(value), type(value)
    if parts is not None:
        return f"{_named(kind)}({_join_parts(parts)}){_origin(kind)}"
    # Addresses differ between processes.
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)) + _origin(kind)


def _origin_version(thing: Any) -> str:
    """Return the origin of a class or function: a library's version, or a digest of its file."""
    library = thing.__module__.partition(".")[0]
    found = _UNKNOWN if library == roctree.__name__ else _version(library)
    if found != _UNKNOWN:
        return f"{library} {found}"
    file = getattr(sys.modules.get(thing.__module__), "__file__", None)
    if file is None:
        return str(thing.__module__)
    return f"{Path(file).name} {_short_digest(Path(file).read_bytes())}"


def changed_code(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the names that are new or have changed; removed ones have no influence."""
    return sorted(name for name in now if before.get(name) != now[name])


def _short_digest(content: bytes) -> str:
    """Return a short digest."""
    return sha256(content).hexdigest()[:16]


def _version(library: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(library, library))
    except PackageNotFoundError:
        return _UNKNOWN


def _parts_of(value: Any) -> Iterable[tuple[str, Any]] | None:
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


def _join_parts(parts: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}{fingerprint(part)}" for name, part in parts)


def _origin(thing: Any) -> str:
    """Return the origin of an object that is not part of the fingerprint of the code."""
    module = thing.__module__
    own = module.replace(".", "/").removeprefix(f"{roctree.__name__}/")
    known = code_fingerprint()
    is_known = f"{own}.py" in known or f"{own}/__init__.py" in known
    return (
        "" if is_known or module in ("builtins", "functools") else f" of {_origin_version(thing)}"
    )
