"""Files as the library takes data: to grow a tree from, or of a kind that a tree knows."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from roctree import ROCTreeClassifier
from roctree.cli.output import Table
from roctree.data.arrow import pa
from roctree.data.dataset import Schema
from roctree.data.files import Choice, all_of, file_batches, file_columns, read_file
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
from roctree.progress import spinner


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
    with spinner(f"Reading {path}"):
        spelled = spelling(reading)
        cases = cases_of(read_file(path, spelled, wanted.types), wanted, spelled.decimal)
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
    with spinner(f"Reading {path}"):
        table = read_file(path, spelling(reading), weight_type(weight) | types_of(schema))
    there, known = table.column_names, tree.training_.target
    weights = weights_of(table, named([weight], there, several=False)[0]) if weight else None
    if target is None:
        rest = table.select([name for name in there if name != weight])
        target = known if known in there else target_of(rest, schema)
    (name,) = named([target], there, several=False)
    attributes = with_all(table.select(attributes_there(tree, there, path)), schema)
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
    others = [name, *([weight] if weight else [])]
    begin = 0
    for table in file_batches(path, chooser(tree, others, path), spelling(reading), types):
        labels = labels_of_column(table.column(name), schema.classes, name, begin)
        # Rows without weight leave no trace, and some blocks may have no others.
        if table.num_rows and (weight is None or table.column(weight).to_numpy().any()):
            weights = weights_of(table, weight, begin) if weight else None
            yield KnownCases(with_all(table, schema), labels, weights)
        begin += table.num_rows


def chooser(model: Any, others: Sequence[str], path: str) -> Choice:
    """Return what chooses the columns of a file: those that a model looks at, and others.

    Parameters
    ----------
    model : a fitted classifier
    others : more columns; a text that is no name may list some, with commas
    path : of the file
    """

    def chosen(there: list[str]) -> list[str]:
        return list(dict.fromkeys([*attributes_there(model, there, path), *named(others, there)]))

    return chosen


def attributes_there(model: Any, there: list[str], path: str) -> list[str]:
    """Return the attributes of a model that a file has; refused if it looks at one of the rest."""
    names = model.schema_.names
    all_of(_looked_at(model), there, path)
    absent = [name for name in names if name not in there]
    if absent:
        listed = ", ".join(map(repr, absent))
        warnings.warn(f"{path} has no column {listed}, where the tree never looks.", stacklevel=2)
    return [name for name in names if name in there]


def with_all(table: Any, schema: Schema) -> Any:
    """Return the attributes in their order, those that a table does not have without values."""
    absent = {name: pa.nulls(table.num_rows, kind) for name, kind in types_of(schema).items()}
    there = dict(zip(table.column_names, table.columns, strict=True))
    return pa.table({name: there.get(name, absent[name]) for name in schema.names})


def _looked_at(model: Any) -> list[str]:
    """The attributes that predictions depend on: of a tree, those of its splits."""
    names, point = model.schema_.names, model.operating_point_
    drawn = point is not None and point.chance > 0.0  # a draw goes by all values of a row
    if drawn or not isinstance(model, ROCTreeClassifier):
        return list(names)
    return [names[feature] for feature in np.unique(model.tree_.feature).tolist() if feature >= 0]


def column_table(facts: tuple[ColumnFacts, ...], title: str = "") -> Table:
    """Return what was found out about each column."""
    rows = [(fact.name, fact.role, fact.values, str(fact.n_missing), fact.remark) for fact in facts]
    return Table(("column", "taken for", "values", "missing", "remark"), rows, title)
