"""Files as the library takes data: to grow a tree from, or of a kind that a tree knows."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from roctree.cli.output import Table, working
from roctree.data.files import file_batches, file_columns, read_file
from roctree.data.known import labels_of_column, target_of, type_of_labels, types_of
from roctree.data.roles import (
    Cases,
    ColumnFacts,
    Wishes,
    cases_of,
    named,
    weight_type,
    weights_of,
)
from roctree.data.sources import is_pipe
from roctree.data.spelling import Spelling
from roctree.errors import DataError


class KnownCases(NamedTuple):
    """Attributes, labels and weights, None for ones, as the methods of a tree take them."""

    X: Any
    y: Any
    weights: Any


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
        cases = cases_of(read_file(path, spelling(reading), wanted.types), wanted)
    if cases.X.num_columns == 0:
        raise DataError(f"{path} has no column left to predict {wanted.target!r} from.")
    return cases


def known_cases(
    path: str,
    tree: Any,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None = None,
) -> KnownCases:
    """Read cases with their classes, of the kind that a tree was grown from."""
    schema = tree.schema_
    with working(f"Reading {path}"):
        table = read_file(path, spelling(reading), weight_type(weight) | types_of(schema))
    there, known = table.column_names, tree.training_.target
    weights = weights_of(table, named([weight], there, several=False)[0]) if weight else None
    if target is None:
        rest = table.select([name for name in there if name != weight])
        target = known if known in there else target_of(rest, schema)
    (name,) = named([target], there, several=False)
    attributes = table.select(named(schema.names, there, several=False))
    labels = labels_of_column(table.column(name), schema.classes, name)
    return KnownCases(attributes, labels, weights)


def known_parts(
    path: str,
    tree: Any,
    target: str | None,
    reading: Mapping[str, Any],
    weight: str | None = None,
) -> Iterator[KnownCases]:
    """Read such cases block by block, if the column of classes is known by its name.

    All at once otherwise, and from a pipe, which cannot be looked at before it is read.
    """
    schema, name = tree.schema_, target or tree.training_.target
    if is_pipe(path) or name not in file_columns(path, spelling(reading)):
        yield known_cases(path, tree, target, reading, weight)
        return
    types = type_of_labels(name, schema.classes) | weight_type(weight) | types_of(schema)
    columns = list(dict.fromkeys([*schema.names, name, *([weight] if weight else [])]))
    begin = 0
    for table in file_batches(path, columns, spelling(reading), types):
        labels = labels_of_column(table.column(name), schema.classes, name, begin)
        # Rows without weight leave no trace, and some blocks may have no others.
        if table.num_rows and (weight is None or table.column(weight).to_numpy().any()):
            weights = weights_of(table, weight, begin) if weight else None
            yield KnownCases(table.select(list(schema.names)), labels, weights)
        begin += table.num_rows


def column_table(facts: tuple[ColumnFacts, ...], title: str = "") -> Table:
    """Return what was found out about each column."""
    rows = [(fact.name, fact.role, fact.values, str(fact.n_missing), fact.remark) for fact in facts]
    return Table(("column", "taken for", "values", "missing", "remark"), rows, title)
