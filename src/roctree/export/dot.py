"""A tree in the language of Graphviz."""

from roctree.export.exported import Exported
from roctree.table import plain
from roctree.tree.text import (
    branch_condition,
    check_limits,
    depth_first,
    says_missing_of,
    share_text,
    short,
    short_thresholds,
)

# Fills of the classes, light enough for black text, and apart for the colour-blind too.
COLOURS = ("#f7d8b5", "#bcd9ee", "#c9e7cb", "#f3c6d3", "#e9e3a8", "#d5ccea", "#d9d9d9")


def to_dot(model: Exported, *, max_depth: int | None = None, digits: int = 4) -> str:
    """Return the tree as a graph: splits as ellipses, leaves as boxes in the colour of their label.

    Parameters
    ----------
    model : the labelled tree
    max_depth : number of levels to show; None for all
    digits : significant digits of thresholds and weights, at most 17
    """
    check_limits(max_depth, digits)
    tree, cuts = model.tree, short_thresholds(model.tree, digits)
    lines = [f"// {line}" for line in model.origin]
    lines += [
        "digraph tree {",
        '  node [fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    says_missing = says_missing_of(tree)
    for node in depth_first(tree, max_depth):
        lines.append(f"  {node} [{_looks(model, node, max_depth, digits)}];")
        parent = int(tree.parent[node])
        if parent >= 0:
            name = plain(model.schema.names[tree.feature[parent]])
            words = branch_condition(
                tree, model.schema, node, name, cuts.get(parent), says_missing=says_missing[parent]
            )
            lines.append(f"  {parent} -> {node} [label={quoted(words)}];")
    return "\n".join([*lines, "}"])


def quoted(text: str) -> str:
    """Return a label: backslashes, quotes and ampersands are themselves."""
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("\n", "\\n")):
        text = text.replace(special, written)
    return f'"{text}"'


def _looks(model: Exported, node: int, max_depth: int | None, digits: int) -> str:
    tree = model.tree
    weight = short(float(tree.weight[node]), digits)
    cases = f"{weight} {'case' if weight == '1' else 'cases'}"
    if not tree.is_leaf[node] and tree.depth[node] != max_depth:
        words = f"{plain(model.schema.names[tree.feature[node]])}\n{cases}"
        return f"label={quoted(words)}"
    label = int(model.labels[node])
    share = share_text(float(model.probabilities[node, label]))
    words = f"{plain(model.schema.classes[label])}  {share}\n{cases}"
    more = "" if tree.is_leaf[node] else "\n…"
    return (
        f'shape=box, style=filled, fillcolor="{COLOURS[label % len(COLOURS)]}", '
        f"label={quoted(words + more)}"
    )
