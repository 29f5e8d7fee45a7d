"""Explanation of the prediction for one case: the leaves it reaches, and the splits on the way."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from roctree.arrays import Floats
from roctree.errors import ParameterError
from roctree.text import pluralize
from roctree.tree.prediction import decision_path, mix
from roctree.tree.text import (
    DIGITS,
    NodePredictions,
    branch_conditions,
    format_number,
    value_text,
)
from roctree.tree.tree import Tree

if TYPE_CHECKING:
    from roctree.data import Schema


# Largest number of leaves to describe; the rest is a small part of a case.
MAX_LEAVES = 6


@dataclass(frozen=True)
class LeafPart:
    """A leaf that a case reaches.

    Parameters
    ----------
    node : int
        Number of the leaf.
    letter : str
        Its letter on the page, in texts and in plots.
    part : float
        Part of the case that reaches it, from 0 to 1.
    cases : float
        Weight of its training cases.
    probabilities : dict
        Probability of each class.
    steps : tuple of str
        Descriptions of the splits on the path from the root.
    """

    node: int
    letter: str
    part: float
    cases: float
    probabilities: dict[Any, float]
    steps: tuple[str, ...]

    def __str__(self) -> str:
        cases = f"{format_number(self.cases, DIGITS)} {'case' if self.cases == 1.0 else 'cases'}"
        shares = _shares_text(self.probabilities)
        head = f"{_percent(self.part)} leaf {self.letter}: {shares} ({cases})"
        return "\n".join([head, *[f"    {step}" for step in self.steps]])


@dataclass(frozen=True)
class Explanation:
    """The prediction for a case, and the leaves that it comes from.

    Parameters
    ----------
    label : label
        The predicted class.
    probabilities : dict
        Probability of each class.
    leaves : tuple of LeafPart
        The leaves that the case reaches, the largest part first.
    """

    label: Any
    probabilities: dict[Any, float]
    leaves: tuple[LeafPart, ...]

    def __str__(self) -> str:
        lines = [f"{self.label}: {_shares_text(self.probabilities)}"]
        if len(self.leaves) > 1:
            lines[0] += f", the mean of {len(self.leaves)} leaves"
        lines += map(str, self.leaves[:MAX_LEAVES])
        rest = self.leaves[MAX_LEAVES:]
        if rest:
            part = sum(leaf.part for leaf in rest)
            lines.append(f"{_percent(part)} {pluralize(len(rest), 'more leaf', 'more leaves')}")
        return "\n".join(lines)

    __repr__ = __str__


def leaf_parts(
    tree: Tree, values: Floats, predictions: NodePredictions, schema: "Schema"
) -> tuple[LeafPart, ...]:
    """Return the leaves that a case reaches, the largest part first.

    Parameters
    ----------
    tree : Tree
    values : float64[1, features]
        The case.
    predictions : NodePredictions
        Probabilities and letters of the leaves.
    schema : Schema
    """
    if len(values) != 1:
        raise ParameterError(f"explain takes one case, but x has {len(values)} rows.")
    parts = _parts(tree, values)
    steps = _steps(tree, values[0], parts, schema)
    leaves = [node for node in parts if tree.is_leaf[node]]
    return tuple(
        LeafPart(
            node,
            predictions.letters[node],
            parts[node],
            float(tree.weight[node]),
            by_class(predictions.probabilities[node], schema),
            tuple(steps[above] for above in _path(tree, node)),
        )
        for node in sorted(leaves, key=lambda node: (-parts[node], node))
    )


def by_class(shares: Floats, schema: "Schema") -> dict[Any, float]:
    """Return a dict of a number per class, by its label."""
    return dict(zip(schema.classes.tolist(), shares.tolist(), strict=True))


def _parts(tree: Tree, values: Floats) -> dict[int, float]:
    """Return the part of a case at each node that it reaches."""
    reached = decision_path(tree, values).indices
    leaves = reached[tree.is_leaf[reached]]
    table = np.zeros((tree.n_nodes, len(leaves)))
    table[leaves, np.arange(len(leaves))] = 1.0
    parts = dict.fromkeys(map(int, reached), 0.0)
    parts.update(zip(map(int, leaves), mix(tree, values, table)[0].tolist(), strict=True))
    for node in sorted(parts, reverse=True)[:-1]:
        parts[int(tree.parent[node])] += parts[node]
    return parts


def _path(tree: Tree, node: int) -> list[int]:
    """Return the nodes on the path to a node, without the root, itself last."""
    path: list[int] = []
    while node > 0:
        path.append(node)
        node = int(tree.parent[node])
    return path[::-1]


def _steps(tree: Tree, row: Floats, parts: dict[int, float], schema: "Schema") -> dict[int, str]:
    """Return for each node below the root why the case reached it."""
    return {
        node: _step(tree, row, node, parts[node] / parts[int(tree.parent[node])], schema, condition)
        for node, condition in branch_conditions(tree, schema, sorted(parts)[1:]).items()
    }


def _step(
    tree: Tree, row: Floats, node: int, share: float, schema: "Schema", condition: str
) -> str:
    parent = int(tree.parent[node])
    feature, softness = int(tree.feature[parent]), float(tree.softness[parent])
    seen = value_text(row[feature], schema, feature, DIGITS)
    if share >= 1.0:
        return f"{seen}: {condition}"
    if np.isnan(row[feature]) or softness == 0.0:
        return f"{seen}: {_percent(share)} goes to {condition}, as in training"
    distance = format_number(abs(float(row[feature] - tree.threshold[parent])), DIGITS)
    return (
        f"{seen}: {_percent(share)} goes to {condition}, as the threshold is {distance} away and "
        f"soft within {format_number(softness, DIGITS)}"
    )


def _shares_text(probabilities: dict[Any, float]) -> str:
    return ", ".join(f"{label} {value:.3f}" for label, value in probabilities.items())


def _percent(part: float) -> str:
    return f"{100.0 * part:.3g} %"
