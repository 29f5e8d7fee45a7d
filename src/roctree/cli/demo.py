"""``roctree demo`` and ``roctree warm-up``: a first look, and compilation ahead of time."""

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from roctree.cli.options import command
from roctree.cli.output import Report, Table
from roctree.progress import spinner

if TYPE_CHECKING:
    from roctree.experiment.demo import CriterionScores

PAGE = "roctree-demo.html"
LOADING = "Loading the kernels; the first run compiles them"


@command()
def demo(
    page: Annotated[str, typer.Option(metavar="FILE", help="HTML page to write.")] = PAGE,
) -> Report:
    """Compare criteria on breast-cancer data, show a tree, and write its interactive page.

    Example:
      roctree demo
    """
    with spinner(LOADING):
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
    text = tree.to_text()
    invitation = f"\nDrag the costs and watch the leaves relabel: open {page}"
    about = "A small tree grown from all cases:\n"
    return Report({"criteria": facts, "tree": text, "page": page}, [table, about, text, invitation])


def _cells(outcome: "CriterionScores") -> list[str]:
    rates = [f"{rate.mean():.3f} ± {rate.std():.3f}" for rate in (outcome.auc, outcome.accuracy)]
    return [outcome.criterion, *rates, f"{outcome.n_leaves.mean():.1f}"]


def _means(outcome: "CriterionScores") -> dict[str, float]:
    return {
        "auc": float(outcome.auc.mean()),
        "accuracy": float(outcome.accuracy.mean()),
        "leaves": float(outcome.n_leaves.mean()),
    }


@command()
def warm_up() -> Report:
    """Compile the kernels ahead of their first use, and show how long it took.

    Example:
      roctree warm-up
    """
    begin = perf_counter()
    with spinner(LOADING):
        from roctree.models.warm_up import warm_up as compile_all

        compile_all()
    seconds = perf_counter() - begin
    return Report({"seconds": seconds}, [f"The kernels are compiled; this took {seconds:.1f} s."])
