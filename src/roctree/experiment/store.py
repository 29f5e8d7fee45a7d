"""The results of an experiment in one SQLite file.

The file is in write-ahead mode (WAL), and each split is one transaction, so that a process that is
killed at any moment leaves only complete splits. Next to the results the file stores what they
depend on: data, configurations, design, measures and code.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from roctree.errors import DataError

FORMAT = 1
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
                self._keep(connection, "format", {"store": str(FORMAT)})
            elif found != {"store": str(FORMAT)}:
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
