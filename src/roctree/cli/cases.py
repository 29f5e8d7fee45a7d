"""Files as the library takes data: to grow a tree from, or of a kind that a tree knows."""

from collections.abc import Mapping
from typing import Any

from roctree.cli.output import Table, working
from roctree.data.files import read_file
from roctree.data.known import labels_of_column, target_of, types_of
from roctree.data.roles import Cases, ColumnFacts, Wishes, cases_of, named
from roctree.data.spelling import Spelling


def spelling(reading: Mapping[str, Any]) -> Spelling:
    """Return how the options of reading say that a file is written."""
    given = dict(reading)
    return Spelling(missing=tuple(given.pop("missing_value", ())), **given)


def wishes(target: str, weight: str | None, columns: Mapping[str, Any]) -> Wishes:
    """Return what the options of columns say."""
    return Wishes(target, weight, **{name: tuple(given) for name, given in columns.items()})


def training_cases(path: str, wanted: Wishes, reading: Mapping[str, Any]) -> Cases:
    """Read a file to grow a tree from."""
    with working(f"Reading {path}"):
        return cases_of(read_file(path, spelling(reading), wanted.types), wanted)


def known_cases(
    path: str, tree: Any, target: str | None, reading: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Read cases with their classes, of the kind that a tree was grown from."""
    schema = tree.schema_
    with working(f"Reading {path}"):
        table = read_file(path, spelling(reading), types_of(schema))
    known = tree.training_.target
    if target is None:
        target = known if known in table.column_names else target_of(table, schema)
    (name,) = named([target], table.column_names, several=False)
    attributes = table.select(named(schema.names, table.column_names, several=False))
    return attributes, labels_of_column(table.column(name), schema.classes, name)


def column_table(facts: tuple[ColumnFacts, ...], title: str = "") -> Table:
    """Return what was found out about each column."""
    rows = [(fact.name, fact.role, fact.values, str(fact.n_missing), fact.remark) for fact in facts]
    return Table(("column", "taken for", "values", "missing", "remark"), rows, title)
