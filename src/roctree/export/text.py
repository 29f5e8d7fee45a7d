"""Exports for people: one rule per leaf, and a graph for Graphviz."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.fitted import FittedTree
from roctree.scorecard import FittedScorecard
from roctree.text import quote_if_needed
from roctree.tree.text import (
    branch_condition,
    category_set,
    check_limits,
    depth_first,
    format_number,
    share_text,
    short_thresholds,
    states_missing_branch,
)
from roctree.tree.tree import IS_PRESENT, Tree

_MAX_CLASSES = 4
# Fill colours of the classes, tints of those of the page: light enough for black text.
_FILL_COLOURS = ("#bcd9ee", "#f7d8b5", "#c9e7cb", "#f3c6d3", "#e9e3a8", "#d5ccea")
_UNDECIDED_COLOUR = "#d9d9d9"


def to_rules(model: FittedTree, *, digits: int = 4) -> str:
    """Return one rule per leaf, from left to right.

    Tests of the same attribute are joined. A rule says ``or missing`` if cases without the value
    follow it entirely; if they are divided among several leaves, the rule does not mention them.

    Parameters
    ----------
    model : FittedTree
    digits : int
        Significant digits of thresholds and weights, at most 17.
    """
    check_limits(None, digits)
    lines = [f"# {line}" for line in model.describe()]
    lines += leaf_rules(model, digits=digits).values()
    if isinstance(model, FittedScorecard):
        lines += ["then add points:", replace(model.points_table, digits=digits).to_text()]
    return "\n".join(lines)


def leaf_rules(model: FittedTree, *, digits: int = 4) -> dict[int, str]:
    """Return the rule of each leaf by its node, from left to right."""
    cuts = short_thresholds(model.tree, model.schema, digits)
    return {
        node: _rule_text(model, node, cuts, digits)
        for node in depth_first(model.tree, None)
        if model.tree.is_leaf[node]
    }


def _rule_text(model: FittedTree, leaf: int, cuts: dict[int, str], digits: int) -> str:
    conditions = [
        _condition(model, feature, tests)
        for feature, tests in _tests_on_path(model.tree, leaf, cuts).items()
    ]
    label, cases = model.node_predictions.label_text(leaf), case_count(model.tree, leaf, digits)
    facts = f"({_probability_text(model, leaf)}; {cases}, leaf {leaf})"
    return f"if {' and '.join(conditions) or 'true'} then {label}  {facts}"


@dataclass
class _AttributeTests:
    """The joined tests of one attribute on a path."""

    low: str | None = None
    high: str | None = None
    codes: NDArray[np.int64] | None = None
    present: bool | None = None
    takes_missing: bool = True


def _tests_on_path(tree: Tree, leaf: int, cuts: dict[int, str]) -> dict[int, _AttributeTests]:
    """Return the tests on the path to a leaf by attribute, in the order of first use."""
    path, node = [], leaf
    while node > 0:
        path.append(node)
        node = int(tree.parent[node])
    found: dict[int, _AttributeTests] = {}
    for node in reversed(path):
        parent, branch = int(tree.parent[node]), int(tree.branch[node])
        tests = found.setdefault(int(tree.feature[parent]), _AttributeTests())
        tests.takes_missing &= bool(tree.missing_branch[parent] == branch)
        if tree.threshold[parent] == IS_PRESENT and tree.missing_branch[parent] == 1:
            tests.present = branch == 0
        elif parent in cuts:
            if branch == 0:
                tests.high = cuts[parent]
            else:
                tests.low = cuts[parent]
        else:
            codes = slice(tree.category_offsets[parent], tree.category_offsets[parent + 1])
            mine = np.flatnonzero(tree.category_branch[codes] == branch)
            tests.codes = mine if tests.codes is None else np.intersect1d(tests.codes, mine)
    return found


def _condition(model: FittedTree, feature: int, tests: _AttributeTests) -> str:
    name = quote_if_needed(model.schema.names[feature])
    if tests.codes is not None:
        if tests.codes.size == 0:
            return f"{name} is missing" if tests.takes_missing else f"{name} is none of these"
        words = f"{name} {category_set(tests.codes, model.schema.categories[feature])}"
    elif tests.low is None and tests.high is None:
        return f"{name} is {'present' if tests.present else 'missing'}"
    elif tests.low is not None and tests.high is not None:
        words = f"{tests.low} < {name} <= {tests.high}"
    else:
        words = f"{name} <= {tests.high}" if tests.low is None else f"{name} > {tests.low}"
    return f"({words} or missing)" if tests.takes_missing else words


def _probability_text(model: FittedTree, leaf: int) -> str:
    """List the probabilities of a leaf, the largest first."""
    found, classes = model.probabilities[leaf], model.schema.classes
    order: Any = np.argsort(-found, kind="stable")
    listed = [f"{quote_if_needed(classes[i])} {share_text(float(found[i]))}" for i in order]
    listed[_MAX_CLASSES:] = ["…"] * (len(listed) > _MAX_CLASSES)
    return ", ".join(listed)


def label_colour(model: FittedTree, label: int) -> str:
    """Return the fill colour of a label; the positive one of two is orange, as on the page."""
    if label == model.schema.n_classes:
        return _UNDECIDED_COLOUR
    if model.schema.n_classes == 2:
        return _FILL_COLOURS[int(label == model.displayed_class)]
    return _FILL_COLOURS[label % len(_FILL_COLOURS)]


def case_count(tree: Tree, node: int, digits: int) -> str:
    """Return the weight of a node with its noun."""
    weight = format_number(float(tree.weight[node]), digits)
    return f"{weight} {'case' if weight == '1' else 'cases'}"


def to_dot(model: FittedTree, *, max_depth: int | None = None, digits: int = 4) -> str:
    """Return a Graphviz graph: splits as ellipses, leaves as boxes coloured by their label.

    Parameters
    ----------
    model : FittedTree
    max_depth : int or None
        Number of levels to show; None for all.
    digits : int
        Significant digits of thresholds and weights, at most 17.
    """
    check_limits(max_depth, digits)
    tree, cuts = model.tree, short_thresholds(model.tree, model.schema, digits)
    lines = [f"// {line}" for line in model.describe()]
    lines += [
        "digraph tree {",
        '  node [fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    states_missing = states_missing_branch(tree)
    for node in depth_first(tree, max_depth):
        lines.append(f"  {node} [{_node_attributes(model, node, max_depth, digits)}];")
        parent = int(tree.parent[node])
        if parent >= 0:
            name = quote_if_needed(model.schema.names[tree.feature[parent]])
            words = branch_condition(
                tree,
                model.schema,
                node,
                name,
                cuts.get(parent),
                states_missing=states_missing[parent],
            )
            lines.append(f"  {parent} -> {node} [label={dot_string(words)}];")
    if isinstance(model, FittedScorecard):
        table = replace(model.points_table, digits=digits).to_text()
        words = dot_string(table).replace("\\n", "\\l")
        lines.append(f'  points [shape=plaintext, fontname="monospace", label={words}];')
    return "\n".join([*lines, "}"])


def _node_attributes(model: FittedTree, node: int, max_depth: int | None, digits: int) -> str:
    tree, cases = model.tree, case_count(model.tree, node, digits)
    if not tree.is_leaf[node] and tree.depth[node] != max_depth:
        words = f"{quote_if_needed(model.schema.names[tree.feature[node]])}\n{cases}"
        return f"label={dot_string(words)}"
    predictions = model.node_predictions
    words = f"{predictions.label_text(node)}\n{predictions.share_text(node)}\n{cases}"
    colour = label_colour(model, int(predictions.labels[node]))
    more = "" if tree.is_leaf[node] else "\n…"
    return f'shape=box, style=filled, fillcolor="{colour}", label={dot_string(words + more)}'


def dot_string(text: str) -> str:
    """Return a DOT string literal; backslashes, quotes and ampersands are escaped."""
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("\n", "\\n")):
        text = text.replace(special, written)
    return f'"{text}"'
