"""``roctree predict``: read rows block by block, predict, and write the results."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, cast

import numpy as np
import typer

from roctree.cli.data_files import (
    column_choice,
    table_writer,
    text_format,
    with_all_columns,
)
from roctree.cli.models import HasLeaves, check_supported, load_at, positive_class, require_tree
from roctree.cli.options import (
    OPERATING,
    READING,
    DataArgument,
    ModelArgument,
    OutputOption,
    command,
)
from roctree.cli.output import STANDARD_OUTPUT, Report, distinct_warnings, merged_warnings
from roctree.data.lazy import arrow
from roctree.data.readers import read_batches
from roctree.data.roles import column_types, find_columns
from roctree.errors import ParameterError
from roctree.export.text import leaf_rules
from roctree.fitted import FittedModel
from roctree.text import did_you_mean, quote_if_needed
from roctree.tree.prediction import divided_rows

ResultColumns = Iterator[tuple[str, Any]]
_DIVIDED = "; the case is divided among leaves"


# Result columns


def _threads(model: FittedModel) -> int:
    """Return the number of threads that the model was fitted with."""
    n_jobs = model.parameters.get("n_jobs")
    if n_jobs is None:
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _label(model: FittedModel, rows: Any) -> ResultColumns:
    labels = model.predict(rows, n_threads=_threads(model))
    yield "label", arrow.array(labels, arrow.array(model.possible_labels).type)


def _probability(model: FittedModel, rows: Any) -> ResultColumns:
    shares = model.predict_proba(rows, n_threads=_threads(model))
    for position, label in enumerate(model.classes.tolist()):
        yield f"probability_{label}", arrow.array(shares[:, position])


def _score_columns(model: FittedModel, rows: Any) -> ResultColumns:
    scores = model.decision_function(rows, n_threads=_threads(model))
    if scores.ndim == 1:
        yield "score", arrow.array(scores)
        return
    for position, label in enumerate(model.classes.tolist()):
        yield f"score_{label}", arrow.array(scores[:, position])


def _leaf(model: FittedModel, rows: Any) -> ResultColumns:
    check_supported(isinstance(model, HasLeaves), model, "--columns leaf")
    yield "leaf", arrow.array(cast(HasLeaves, model).apply(rows))


def _rule_columns(model: FittedModel, rows: Any) -> ResultColumns:
    tree = require_tree(model, "--columns rule")
    by_leaf, divided = leaf_rules(tree), divided_rows(tree.tree, tree.encode(rows))
    # A divided case may have another label than the leaf with its largest part.
    kinds, positions = np.unique(2 * tree.apply(rows) + divided, return_inverse=True)
    texts = [by_leaf[kind // 2] + _DIVIDED * (kind % 2) for kind in kinds.tolist()]
    yield "rule", arrow.array(texts).take(arrow.array(positions))


def _change_columns(model: FittedModel, rows: Any) -> ResultColumns:
    """Yield the smallest change that leads to another label, that label, and the distance."""
    tree = require_tree(model, "--columns change")
    if tree.has_soft_thresholds:
        raise ParameterError(
            "--columns contains 'change', but soft thresholds have no boundary between leaves: "
            "leave it out, or use roctree fit --ranking leaf first."
        )
    cases = list(tree.nearest_change(rows))
    texts = [", ".join(change.words for change in case.changes) for case in cases]
    labels = [None if case.to is None else str(case.to) for case in cases]
    yield "change", arrow.array(texts, arrow.string())
    yield "change_to", arrow.array(labels, arrow.string())
    yield "change_distance", arrow.array([case.distance for case in cases], arrow.float64())


# To add a column: write a function as above and add it here.
RESULTS: dict[str, Callable[[FittedModel, Any], ResultColumns]] = {
    "label": _label,
    "probability": _probability,
    "score": _score_columns,
    "leaf": _leaf,
    "rule": _rule_columns,
    "change": _change_columns,
}
ColumnsOption = Annotated[
    str, typer.Option(metavar="NAMES", help=f"Results to write: {', '.join(RESULTS)}.")
]
KeepOption = Annotated[
    list[str], typer.Option(metavar="COLUMNS", help="Columns of the data to copy to the output.")
]


@command(operating=OPERATING, reading=READING)
def predict(
    model: ModelArgument,
    data: DataArgument,
    output: OutputOption = None,
    columns: ColumnsOption = "label,probability",
    keep: KeepOption = [],  # noqa: B006 - typer requires a list
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
    as_json: bool,
) -> Report | None:
    """Predict labels and scores for the rows of a file, which may be larger than memory.

    Example:
      roctree predict tree.json new.csv --positive ill --cost-fp 1 --cost-fn 5 -o scored.csv
    """
    loaded = load_at(model, operating)
    choice, types = column_choice(loaded, keep, data), column_types(loaded.schema)
    batches = read_batches(data, choice, text_format(reading), types)
    if loaded.operating_point is not None and loaded.operating_point.chance > 0.0:
        # Randomised labels depend on the position of a row, so all rows are needed at once.
        batches = (arrow.concat_tables(each) for each in [batches])
    results = (result_table(loaded, batch, columns, keep) for batch in batches)
    path = output or STANDARD_OUTPUT
    with merged_warnings():
        n_rows = _write(results, path, ".jsonl" if as_json and path == STANDARD_OUTPUT else None)
    if path == STANDARD_OUTPUT:
        return None
    positive = positive_class(loaded, operating) if operating else None
    of_class = "" if positive is None else f"; positive class {quote_if_needed(positive)}"
    return Report({"rows": n_rows, "output": path}, [f"Wrote {n_rows} rows to {path}{of_class}"])


def result_table(model: FittedModel, table: Any, results: str, keep: list[str]) -> Any:
    """Return the requested results of a block of rows.

    Parameters
    ----------
    model : FittedModel
    table : pyarrow.Table
        Rows with at least the attributes that the model uses.
    results : str
        Names in ``RESULTS``, separated by commas.
    keep : list of str
        Columns of the rows to copy; a text that is not a column may list several.
    """
    if table.num_rows == 0:
        # Nothing can be predicted, but the columns must be those of other blocks.
        placeholder = _placeholder_row(column_types(model.schema), table)
        return result_table(model, placeholder, results, keep).slice(0, 0)
    rows = with_all_columns(table, model.schema)
    keep = find_columns(keep, table.column_names)
    found = {name: table.column(name) for name in keep}
    with distinct_warnings():
        for name in results.split(","):
            if name not in RESULTS:
                raise ParameterError(
                    f"--columns contains {name!r}{did_you_mean(name, RESULTS)}; choose from "
                    f"{', '.join(RESULTS)}."
                )
            for column, values in RESULTS[name](model, rows):
                if column in keep:
                    raise ParameterError(
                        f"--keep contains {column!r}, which is the name of a result."
                    )
                found[column] = values
    return arrow.table(found)


def _placeholder_row(types: Mapping[str, Any], table: Any) -> Any:
    """Return one row that every model accepts: zeros for numbers, missing for the rest."""

    def cell(kind: Any) -> Any:
        is_number = arrow.types.is_integer(kind) or arrow.types.is_floating(kind)
        return arrow.array([0], arrow.int64()).cast(kind) if is_number else arrow.nulls(1, kind)

    types = {**types, **{field.name: field.type for field in table.schema}}
    return arrow.table({name: cell(kind) for name, kind in types.items()})


def _write(tables: Iterator[Any], path: str, suffix: str | None) -> int:
    """Write tables with the same columns and return the number of rows."""
    first, n_rows = next(tables), 0
    with table_writer(path, first.schema, suffix) as write:
        for table in chain([first], tables):
            write(table)
            n_rows += table.num_rows
    return n_rows
