"""Try a tree on cases that did not grow it."""

from typing import Any

import numpy as np

import roctree
from roctree.cli.cases import KnownCases, known_cases
from roctree.cli.labellings import labelling_rows, labelling_table
from roctree.cli.options import OPERATING, READING, Data, Model, Report, Target, Weight, command
from roctree.cli.output import Table
from roctree.cli.relabelled import positive_class, relabelled
from roctree.roc import mauc

# Costs of a miss in false alarms.
RATIOS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@command(operating=OPERATING, reading=READING)
def evaluate(
    model: Model,
    data: Data,
    target: Target = None,
    weight: Weight = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Show how well a tree ranks, labels and decides under costs, on other cases.

    Example:
      roctree evaluate tree.json test.csv
    """
    tree = relabelled(roctree.load(model), operating)
    cases = known_cases(data, tree, target, reading, weight)
    positive = positive_class(tree, operating)
    labels = _labels(tree, cases)
    if tree.n_classes_ == 1:  # nothing can be ranked
        return labels
    if positive is None:
        return _of_many(tree, cases, labels)
    return _of_two(tree, cases, labels, positive)


def _of_two(tree: Any, cases: KnownCases, labels: Report, positive: Any) -> Report:
    curve = _curve(tree, cases, positive)
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
            labellings = tree.labellings(counts=tuple(cases), positive=positive)
            shown.append(labelling_table(labellings))
            facts["labellings"] = labelling_rows(labellings)
        costs = [_costs(tree, cases, ratio, positive, curve) for ratio in RATIOS]
        shown.append(_cost_table(costs))
        facts["costs"] = costs
    return Report({**labels.facts, **facts}, shown)


def _of_many(tree: Any, cases: KnownCases, labels: Report) -> Report:
    X, y, weights = cases
    area = mauc(tree.predict_proba(X), y, classes=tree.classes_, sample_weight=weights)
    curves = {label: _curve(tree, cases, label) for label in tree.classes_.tolist()}
    rows = [(str(label), f"{curve.auc:.4f}") for label, curve in curves.items()]
    facts = {"mauc": area, "auc": {label: curve.auc for label, curve in curves.items()}}
    shown = [f"\nMean AUC of all pairs of classes {area:.4f}.\n"]
    table = Table(("class", "AUC against the others"), rows)
    return Report({**labels.facts, **facts}, [*labels.shown, *shown, table])


def _curve(tree: Any, cases: KnownCases, positive: Any) -> Any:
    return tree.roc(cases.X, cases.y, positive=positive, sample_weight=cases.weights)


def _labels(tree: Any, cases: KnownCases) -> Report:
    """How often each class is taken for which."""
    (X, y, weights), classes = cases, tree.classes_.tolist()
    found = tree.predict(X)
    # Without weights these are numbers of cases, and written as whole ones.
    each = np.ones(len(y), np.int64) if weights is None else weights
    counts = [[each[(found == ours) & (y == theirs)].sum() for theirs in classes]
              for ours in classes]  # fmt: skip
    accuracy = float(np.average(found == y, weights=weights))
    head = ("predicted", *(f"is {label}" for label in classes))
    rows = [(str(label), *(f"{count:.10g}" for count in row))
            for label, row in zip(classes, counts, strict=True)]  # fmt: skip
    facts = {"rows": len(y), "weight": each.sum(), "accuracy": accuracy, "classes": classes,
             "confusion": counts}  # fmt: skip
    of = "" if weights is None else f" of weight {each.sum():.10g}"
    said = f"{len(y)} cases{of}, {accuracy:.2%} labelled rightly.\n"
    return Report(facts, [said, Table(head, rows)])


def _points(title: str, curve: Any) -> Table:
    rows = [tuple(f"{value:.4f}" for value in point) for point in zip(*curve.points(), strict=True)]
    return Table(("FPR", "TPR", "from score"), rows, title)


def _costs(tree: Any, cases: KnownCases, ratio: float, positive: Any, curve: Any) -> dict[str, Any]:
    """What the labels cost that are best in training, and what would be best here."""
    called = tree.at(cost_fp=1.0, cost_fn=ratio, positive=positive).predict(cases.X) == positive
    true = cases.y == positive
    wrong = np.where(true, ratio * ~called, called)
    return {
        "cost_ratio": ratio,
        "fpr": _share(called, ~true, cases.weights),
        "tpr": _share(called, true, cases.weights),
        "cost": float(np.average(wrong, weights=cases.weights)),
        "least_cost": float(curve.expected_cost(1.0, ratio).min()),
    }


def _share(flags: Any, among: Any, weights: Any) -> float:
    """The share of weight that flags have among some rows; not a number where there is none."""
    weight = among if weights is None else among * weights
    return float(np.average(flags, weights=weight)) if weight.any() else float("nan")


def _cost_table(costs: list[dict[str, Any]]) -> Table:
    head = ("miss / false alarm", "FPR", "TPR", "cost of a case", "least possible")
    rows = [tuple(f"{value:.4g}" for value in row.values()) for row in costs]
    return Table(head, rows, "Costs of the labels that training chooses")
