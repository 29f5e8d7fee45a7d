"""Grow a tree from a file."""

from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from roctree.cli.cases import column_table, training_cases, wishes
from roctree.cli.options import COLUMNS, READING, Data, Output, Report, Weight, command
from roctree.cli.output import working
from roctree.cli.parameters import options_of_systems, system_of
from roctree.cli.values import label

TargetColumn = Annotated[
    str, typer.Option("--target", metavar="COLUMN", help="The class to predict.")
]
Positive = Annotated[
    str | None, typer.Option(metavar="CLASS", help="The class whose area is shown.")
]
SHOWN_DEPTH = 3


@command(columns=COLUMNS, parameters=options_of_systems(), reading=READING)
def fit(
    data: Data,
    target: TargetColumn,
    output: Output = None,
    weight: Weight = None,
    positive: Positive = None,
    *,
    columns: dict[str, Any],
    parameters: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Grow a tree from a file of cases, and say what each column was taken for.

    Example:
      roctree fit data.csv --target outcome -o tree.json
    """
    cases = training_cases(data, wishes(target, weight, columns), reading)
    classes = cases.y.unique().to_pylist()
    with working("Growing the tree; kernels are compiled when a machine first needs them"):
        tree = system_of(parameters, classes).fit(cases.X, cases.y, cases.weights)
    # The columns of pyarrow do not know their names.
    tree.training_ = replace(tree.training_, target=target)
    if output is not None:
        tree.save(output)
    facts = _facts(tree, cases.X.num_rows, positive)
    saved = f"Written: {output}" if output else "Not kept: name a file by -o to keep the tree."
    about = {"columns": [asdict(fact) for fact in cases.facts], "output": output}
    top = tree.to_text(max_depth=SHOWN_DEPTH)
    return Report(facts | about, [column_table(cases.facts), top, _sentence(facts), saved])


def _facts(tree: Any, n_rows: int, positive: str | None) -> dict[str, Any]:
    classes = tree.classes_.tolist()
    chosen = None if positive is None else label("positive", positive, classes)
    two = chosen is not None or len(classes) == 2
    return {
        "rows": n_rows,
        "classes": classes,
        "leaves": tree.get_n_leaves(),
        "depth": tree.get_depth(),
        "training_auc": tree.roc(positive=chosen).auc if two else None,
    }


def _sentence(facts: dict[str, Any]) -> str:
    area = facts["training_auc"]
    shown = "" if area is None else f", AUC {area:.4f} on the training cases"
    return (
        f"\n{facts['leaves']} leaves, depth {facts['depth']}, from {facts['rows']} rows of "
        f"{len(facts['classes'])} classes{shown}."
    )
