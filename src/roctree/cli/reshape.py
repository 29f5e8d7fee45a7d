"""A tree made smaller, or labelled for other costs, without fitting again."""

from typing import Annotated, Any

import typer

import roctree
from roctree.cli.cases import known_cases
from roctree.cli.methods import method_of
from roctree.cli.options import (
    OPERATING,
    READING,
    Choice,
    Model,
    Output,
    Report,
    Target,
    command,
)
from roctree.cli.parameters import STRATEGIES, strategy
from roctree.cli.relabelled import point_facts, relabelled, said_point
from roctree.cli.values import by_class
from roctree.cli.wording import spelled_strategy
from roctree.errors import ParameterError
from roctree.table import amount

Written = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(STRATEGIES['pruning'][0])}; options as NAME:OPTION=VALUE.",
        autocompletion=lambda: list(STRATEGIES["pruning"][0]),
    ),
]
DataFile = Annotated[str | None, typer.Option(metavar="DATA", help="Cases with their classes.")]
_COSTS = {
    "costs": Choice(
        "What it costs to predict each class wrongly: with ill=1,well=5 to call the ill well.",
        "PAIRS",
    )
}


@command(costs=_COSTS, reading=READING)
def prune(
    model: Model,
    output: Written,
    method: Method = "pessimistic",
    validation: DataFile = None,
    training: DataFile = None,
    target: Target = None,
    *,
    costs: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Cut a tree back; some methods decide by cases that did not grow it, or by those that did.

    Example:
      roctree prune tree.json --method minimum_error:m=8 -o small.json
    """
    tree = roctree.load(model)
    options: dict[str, Any] = {}
    if costs:
        options["costs"] = by_class("costs", costs["costs"], tree.classes_.tolist())
    for path, name in ((validation, "_val"), (training, "")):
        if path is not None:
            cases = known_cases(path, tree, target, reading)
            options |= {f"X{name}": cases.X, f"y{name}": cases.y}
    smaller = method_of(tree, "pruned")(strategy("pruning", method), **options)
    smaller.save(output)
    before, after = tree.get_n_leaves(), smaller.get_n_leaves()
    by = spelled_strategy(smaller.pruning_)
    facts = {"leaves_before": before, "leaves": after, "method": by, "output": output}
    left = f"{amount(after, 'leaf', 'leaves')} of {before}"
    return Report(
        facts, [f"{left} {'is' if after == 1 else 'are'} left by {by}; written: {output}"]
    )


@command(operating=OPERATING)
def at(model: Model, output: Output = None, *, operating: dict[str, Any]) -> Report:
    """Label a tree for costs, rates or a threshold, and say how it does; its probabilities stay.

    Example:
      roctree at tree.json --cost-fp 1 --cost-fn 5 -o careful.json
    """
    if not operating:
        raise ParameterError("Say where the tree shall operate, as by --cost-fp and --cost-fn.")
    tree = relabelled(roctree.load(model), operating)
    if output is not None:
        tree.save(output)
    saved = f"Written: {output}" if output else "Not kept: name a file by -o to keep the labels."
    return Report(point_facts(tree) | {"output": output}, [said_point(tree), saved])
