"""The labellings of a tree that are best for some costs."""

from typing import Any

import numpy as np

import roctree
from roctree.cli.judged import judged_by
from roctree.cli.methods import method_of
from roctree.cli.options import (
    OPERATING,
    READING,
    Model,
    OptionalFiles,
    Report,
    Target,
    Weight,
    command,
)
from roctree.cli.output import Table
from roctree.cli.relabelled import positive_class
from roctree.errors import ParameterError
from roctree.labelling import LABELLINGS_HEAD, Labellings


@command(operating={"positive": OPERATING["positive"]}, reading=READING)
def labellings(
    model: Model,
    data: OptionalFiles = [],  # noqa: B006 - typer wants lists
    target: Target = None,
    weight: Weight = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """List the labellings that are best for some costs, by training or by other cases.

    Example:
      roctree labellings tree.json
    """
    tree = roctree.load(model)
    if not data and weight is not None:
        raise ParameterError("--weight is a column of cases: name the file they are in as well.")
    counts = judged_by(data, tree, target, reading, weight).cases if data else "training"
    found = method_of(tree, "labellings")(counts=counts, positive=positive_class(tree, operating))
    facts = {"positive": found.positive_class, "labellings": labelling_rows(found)}
    return Report(facts, shown_labellings(found))


def labelling_rows(found: Labellings) -> list[dict[str, Any]]:
    """Return the labellings for machines."""
    columns = found.columns()
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def shown_labellings(found: Labellings) -> list[str | Table]:
    """Return the labellings for people: those that are best for some costs; others are counted."""
    best = ~np.isnan(found.cost_ranges[:, 0])
    rows = [row for row, is_best in zip(found.cells(digits=4), best, strict=True) if is_best]
    table = Table(LABELLINGS_HEAD, rows, f"Labellings, positive {found.positive_class}")
    return [table, *([f"{found.note}\n"] if found.note else [])]
