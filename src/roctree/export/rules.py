"""A tree as rules: for each leaf what leads to it, its label, probabilities and cases."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.export.exported import Exported
from roctree.table import plain
from roctree.tree.text import (
    category_set,
    check_limits,
    depth_first,
    share_text,
    short,
    short_thresholds,
)
from roctree.tree.tree import IS_PRESENT, Tree

_MOST_CLASSES = 4


@dataclass
class Bounds:
    """What a path says about one attribute."""

    low: str | None = None
    high: str | None = None
    codes: NDArray[np.int64] | None = None
    present: bool | None = None
    takes_missing: bool = True


def to_rules(model: Exported, *, digits: int = 4) -> str:
    """Return a rule for each leaf, from the left to the right of the tree.

    Tests of one attribute are joined. A rule says ``or missing`` where cases without the value
    follow it wholly; where they are divided among several leaves the rule says nothing of them.

    Parameters
    ----------
    model : the labelled tree
    digits : significant digits of thresholds and weights, at most 17
    """
    check_limits(None, digits)
    cuts = short_thresholds(model.tree, digits)
    lines = [f"# {line}" for line in model.origin]
    for node in depth_first(model.tree, None):
        if model.tree.is_leaf[node]:
            lines.append(_rule(model, node, cuts, digits))
    return "\n".join(lines)


def _rule(model: Exported, leaf: int, cuts: dict[int, str], digits: int) -> str:
    conditions = [
        _words(model, feature, bounds) for feature, bounds in _path(model.tree, leaf, cuts).items()
    ]
    label = plain(model.schema.classes[model.labels[leaf]])
    weight = short(float(model.tree.weight[leaf]), digits)
    cases = f"{weight} {'case' if weight == '1' else 'cases'}"
    facts = f"({_shares(model, leaf)}; {cases}, leaf {leaf})"
    return f"if {' and '.join(conditions) or 'true'} then {label}  {facts}"


def _path(tree: Tree, leaf: int, cuts: dict[int, str]) -> dict[int, Bounds]:
    """Return what the path to a leaf asks of each attribute, in the order of the first tests."""
    edges, node = [], leaf
    while node > 0:
        edges.append(node)
        node = int(tree.parent[node])
    found: dict[int, Bounds] = {}
    for node in reversed(edges):
        parent, branch = int(tree.parent[node]), int(tree.branch[node])
        bounds = found.setdefault(int(tree.feature[parent]), Bounds())
        bounds.takes_missing &= bool(tree.missing_branch[parent] == branch)
        if tree.threshold[parent] == IS_PRESENT and tree.missing_branch[parent] == 1:
            bounds.present = branch == 0
        elif parent in cuts:
            if branch == 0:
                bounds.high = cuts[parent]
            else:
                bounds.low = cuts[parent]
        else:
            codes = slice(tree.category_offsets[parent], tree.category_offsets[parent + 1])
            mine = np.flatnonzero(tree.category_branch[codes] == branch)
            bounds.codes = mine if bounds.codes is None else np.intersect1d(bounds.codes, mine)
    return found


def _words(model: Exported, feature: int, bounds: Bounds) -> str:
    name = plain(model.schema.names[feature])
    if bounds.codes is not None:
        if bounds.codes.size == 0:
            return f"{name} is missing" if bounds.takes_missing else f"{name} is none of these"
        words = f"{name} {category_set(bounds.codes, model.schema.categories[feature])}"
    elif bounds.low is None and bounds.high is None:
        return f"{name} is {'present' if bounds.present else 'missing'}"
    elif bounds.low is not None and bounds.high is not None:
        words = f"{bounds.low} < {name} <= {bounds.high}"
    else:
        words = f"{name} <= {bounds.high}" if bounds.low is None else f"{name} > {bounds.low}"
    return f"({words} or missing)" if bounds.takes_missing else words


def _shares(model: Exported, leaf: int) -> str:
    """Say the probabilities, the largest first."""
    found, classes = model.probabilities[leaf], model.schema.classes
    order: Any = np.argsort(-found, kind="stable")
    listed = [f"{plain(classes[i])} {share_text(float(found[i]))}" for i in order]
    listed[_MOST_CLASSES:] = ["…"] * (len(listed) > _MOST_CLASSES)
    return ", ".join(listed)
