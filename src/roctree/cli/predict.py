"""Score new cases, however many."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any

import typer

import roctree
from roctree.cli.cases import chooser, spelling
from roctree.cli.options import OPERATING, READING, Data, Model, Output, Report, command
from roctree.cli.output import told_once
from roctree.cli.relabelled import positive_class, relabelled
from roctree.cli.scores import SCORES, score_columns
from roctree.cli.writing import STANDARD_OUTPUT, table_writer
from roctree.data.files import file_batches
from roctree.data.known import types_of
from roctree.table import plain

Columns = Annotated[
    str, typer.Option(metavar="NAMES", help=f"What to write, of {', '.join(SCORES)}.")
]
Keep = Annotated[
    list[str], typer.Option(metavar="COLUMNS", help="Columns of the data to write as well.")
]


@command(operating=OPERATING, reading=READING)
def predict(
    model: Model,
    data: Data,
    output: Output = None,
    columns: Columns = "label,probability",
    keep: Keep = [],  # noqa: B006 - typer wants lists
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
    as_json: bool,
) -> Report | None:
    """Label and score the rows of a file, which may be larger than memory.

    Example:
      roctree predict tree.json new.csv --positive ill --cost-fp 1 --cost-fn 5 -o scored.csv
    """
    tree = relabelled(roctree.load(model), operating)
    types = types_of(tree.schema_)
    found = file_batches(data, chooser(tree, keep, data), spelling(reading), types)
    scored = (score_columns(tree, batch, columns, keep) for batch in _blocks(found, tree))
    path = output or STANDARD_OUTPUT
    with told_once():
        n_rows = _written(scored, path, ".jsonl" if as_json and path == STANDARD_OUTPUT else None)
    if path == STANDARD_OUTPUT:
        return None
    positive = positive_class(tree, operating) if operating else None
    said = "" if positive is None else f"; positive class {plain(positive)}"
    return Report({"rows": n_rows, "output": path}, [f"{n_rows} rows written: {path}{said}"])


def _blocks(batches: Iterable[Any], tree: Any) -> Iterator[Any]:
    """All rows at once where labels are drawn by chance, since a draw goes by the row's place."""
    point = tree.operating_point_
    if point is None or point.chance == 0.0:
        yield from batches
        return
    from roctree.data.arrow import pa

    yield pa.concat_tables(batches)


def _written(tables: Iterator[Any], path: str, ending: str | None) -> int:
    first, n_rows = next(tables), 0
    with table_writer(path, first.schema, ending) as write:
        for table in chain([first], tables):
            write(table)
            n_rows += table.num_rows
    return n_rows
