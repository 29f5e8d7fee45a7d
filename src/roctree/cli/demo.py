"""The main job on data that are there: compare, fit, look."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roctree.cli.options import Report, command
from roctree.cli.output import Table
from roctree.progress import spinner

if TYPE_CHECKING:
    from roctree.experiment.demo import CriterionScores


PAGE = "roctree-demo.html"


@command()
def demo(
    page: Annotated[str, typer.Option(metavar="FILE", help="The page to write.")] = PAGE,
) -> Report:
    """Compare criteria on breast-cancer data, show a tree, and write its interactive page.

    Example:
      roctree demo
    """
    with spinner("Loading the kernels; their first use on a machine compiles them"):
        from roctree.experiment import demo as experiment

        tree = experiment.shown_tree()
    outcomes = []
    for criterion in experiment.CRITERIA_SHOWN:
        with spinner(f"Cross-validating {criterion}"):
            outcomes.append(experiment.cross_validated(criterion))
    schema = replace(tree.schema_, names=experiment.tumours()[-1])
    tree.fitted_ = replace(tree.fitted_, schema=schema)
    title = f"Breast-cancer data, {experiment.FOLDS}-fold cross-validation, mean ± deviation"
    table = Table(("criterion", "AUC", "accuracy", "leaves"), list(map(_cells, outcomes)), title)
    facts = {outcome.criterion: _means(outcome) for outcome in outcomes}
    experiment.write_page(Path(page))
    invitation = f"\nDrag the costs and watch the leaves relabel: open {page}"
    shown: list[str | Table] = [
        table, "A small tree of all cases:\n", tree.to_text(), invitation
    ]  # fmt: skip
    return Report({"criteria": facts, "tree": tree.to_text(), "page": page}, shown)


def _cells(outcome: "CriterionScores") -> list[str]:
    rates = [f"{rate.mean():.3f} ± {rate.std():.3f}" for rate in (outcome.auc, outcome.accuracy)]
    return [outcome.criterion, *rates, f"{outcome.n_leaves.mean():.1f}"]


def _means(outcome: "CriterionScores") -> dict[str, float]:
    return {
        "auc": float(outcome.auc.mean()),
        "accuracy": float(outcome.accuracy.mean()),
        "leaves": float(outcome.n_leaves.mean()),
    }
