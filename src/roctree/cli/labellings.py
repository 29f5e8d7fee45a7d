"""The labellings of a tree that are best for some costs."""

from typing import Any

import roctree
from roctree.cli.cases import known_cases
from roctree.cli.methods import method_of
from roctree.cli.options import (
    OPERATING,
    READING,
    Model,
    OptionalData,
    Report,
    Target,
    Weight,
    command,
)
from roctree.cli.output import Table
from roctree.cli.relabelled import positive_class
from roctree.errors import ParameterError


@command(operating={"positive": OPERATING["positive"]}, reading=READING)
def labellings(
    model: Model,
    data: OptionalData = None,
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
    if data is None and weight is not None:
        raise ParameterError("--weight is a column of cases: name the file they are in as well.")
    counts = "training" if data is None else known_cases(data, tree, target, reading, weight)
    found = method_of(tree, "labellings")(counts=counts, positive=positive_class(tree, operating))
    facts = {"positive": found.positive_class, "labellings": labelling_rows(found)}
    return Report(facts, [labelling_table(found)])


def labelling_rows(found: Any) -> list[dict[str, Any]]:
    """Return the labellings for machines."""
    columns = found.columns()
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def labelling_table(found: Any) -> Table:
    """Return the labellings for people."""
    head = ("leaves +", "FPR", "TPR", "accuracy", "miss / false alarm", "share of +")
    rows = [
        (
            str(len(row.positive_leaves)),
            *(f"{rate:.4f}" for rate in (row.fpr, row.tpr, row.accuracy)),
            f"{row.cost_ratio[0]:.3g} to {row.cost_ratio[1]:.3g}",
            f"{row.prior[0]:.3f} to {row.prior[1]:.3f}",
        )
        for row in found
    ]
    return Table(head, rows, f"Labellings, positive {found.positive_class}")
