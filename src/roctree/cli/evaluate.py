"""Try a tree on cases that did not grow it."""

from typing import Any

import numpy as np

import roctree
from roctree.cli.judged import Counted, Kept, judged_by
from roctree.cli.labellings import labelling_rows, shown_labellings
from roctree.cli.options import (
    OPERATING,
    READING,
    Dask,
    KnownFiles,
    Model,
    Report,
    Target,
    Weight,
    command,
)
from roctree.cli.output import Table
from roctree.cli.relabelled import positive_class, relabelled
from roctree.progress import spinner

# Costs of a miss in false alarms.
RATIOS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@command(operating=OPERATING, reading=READING)
def evaluate(
    model: Model,
    data: KnownFiles,
    target: Target = None,
    weight: Weight = None,
    dask: Dask = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Show how well a tree ranks, labels and decides under costs, on other cases.

    Example:
      roctree evaluate tree.json test.csv
      roctree evaluate tree.json big/*.parquet
      roctree evaluate tree.json big --dask tcp://127.0.0.1:8786
    """
    tree = relabelled(roctree.load(model), operating)
    with spinner(f"Reading {', '.join(data)}"):
        cases = judged_by(data, tree, target, reading, weight, dask)
    positive = positive_class(tree, operating)
    labels = _labels(tree, cases, weight is not None)
    if tree.n_classes_ == 1:  # nothing can be ranked
        return labels
    if positive is None:
        return _of_many(tree, cases, labels)
    return _of_two(tree, cases, labels, positive)


def _of_two(tree: Any, cases: Counted | Kept, labels: Report, positive: Any) -> Report:
    curve = cases.curve(tree, positive)
    low, high = curve.auc_interval()
    area = (
        f"\nAUC of {positive} {curve.auc:.4f}, with a confidence of 95 % from {low:.4f} to "
        f"{high:.4f}; of the hull {curve.hull().auc:.4f}.\n"
    )
    facts = {"positive": positive, "auc": curve.auc, "auc_interval": [low, high]}
    shown: list[str | Table] = [*labels.shown, area, _points("Hull", curve.hull())]
    facts |= {"hull_auc": curve.hull().auc, "hull": curve.hull().points()._asdict()}
    if tree.n_classes_ == 2:
        # Where cases have scores of their own, not those of leaves, the table would be as long as
        # the data: it has a command of its own.
        if hasattr(tree, "apply"):
            labellings = tree.labellings(counts=cases.cases, positive=positive)
            shown += shown_labellings(labellings)
            facts["labellings"] = labelling_rows(labellings)
        costs = [_costs(tree, cases, ratio, positive, curve) for ratio in RATIOS]
        shown.append(_cost_table(costs))
        facts["costs"] = costs
    return Report({**labels.facts, **facts}, shown)


def _of_many(tree: Any, cases: Counted | Kept, labels: Report) -> Report:
    area = cases.mauc(tree)
    curves = {label: cases.curve(tree, label) for label in tree.classes_.tolist()}
    rows = [(str(label), f"{curve.auc:.4f}") for label, curve in curves.items()]
    facts = {"mauc": area, "auc": {label: curve.auc for label, curve in curves.items()}}
    shown = [f"\nMean AUC of all pairs of classes {area:.4f}.\n"]
    table = Table(("class", "AUC against the others"), rows)
    return Report({**labels.facts, **facts}, [*labels.shown, *shown, table])


def _labels(tree: Any, cases: Counted | Kept, weighted: bool) -> Report:
    """How often each class is taken for which."""
    classes, counts = tree.classes_.tolist(), cases.confusion(tree)
    weight = counts.sum()
    accuracy = float(np.trace(counts) / weight)
    if (counts == np.rint(counts)).all():  # numbers of cases are written as whole ones
        counts, weight = counts.astype(np.int64), int(weight)
    head = ("predicted", *(f"is {label}" for label in classes))
    rows = [(str(label), *(f"{count:.10g}" for count in row))
            for label, row in zip(classes, counts.tolist(), strict=True)]  # fmt: skip
    facts = {"rows": cases.n_rows, "weight": weight, "accuracy": accuracy, "classes": classes,
             "confusion": counts}  # fmt: skip
    of = f" of weight {weight:.10g}" if weighted else ""
    said = f"{cases.n_rows} cases{of}, {accuracy:.2%} labelled rightly.\n"
    return Report(facts, [said, Table(head, rows)])


def _points(title: str, curve: Any) -> Table:
    rows = [tuple(f"{value:.4f}" for value in point) for point in zip(*curve.points(), strict=True)]
    return Table(("FPR", "TPR", "from score"), rows, title)


def _costs(
    tree: Any, cases: Counted | Kept, ratio: float, positive: Any, curve: Any
) -> dict[str, Any]:
    """What the labels cost that are best in training, and what would be best here."""
    counts = cases.confusion(tree.at(cost_fp=1.0, cost_fn=ratio, positive=positive))
    place = tree.classes_.tolist().index(positive)
    (hits, alarms), (misses, _) = counts[[[place], [1 - place]], [[place, 1 - place]]]
    positives, negatives = counts[:, place].sum(), counts[:, 1 - place].sum()
    return {
        "cost_ratio": ratio,
        "fpr": _share(alarms, negatives),
        "tpr": _share(hits, positives),
        "cost": float((alarms + ratio * misses) / (positives + negatives)),
        "least_cost": float(curve.expected_cost(1.0, ratio).min()),
    }


def _share(part: float, whole: float) -> float:
    """The share of weight; not a number where there is none."""
    return float(part / whole) if whole > 0.0 else float("nan")


def _cost_table(costs: list[dict[str, Any]]) -> Table:
    head = ("miss in false alarms", "FPR", "TPR", "cost of a case", "least possible")
    rows = [tuple(f"{value:.4g}" for value in row.values()) for row in costs]
    return Table(head, rows, "Costs of the labels that training chooses")
