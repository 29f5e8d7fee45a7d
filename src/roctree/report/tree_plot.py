"""A tree drawn by matplotlib: branches from left to right, a box for each leaf."""

from typing import Any

import numpy as np

from roctree.arrays import Floats, Ints
from roctree.export.text import case_count, label_colour
from roctree.fitted import FittedTree
from roctree.report.displays import GREY, pyplot
from roctree.text import quote_if_needed, shorten
from roctree.tree.text import (
    DIGITS,
    HTML_LEVELS,
    WHOLE_TREE_LEAVES,
    branch_conditions,
    check_limits,
    depth_first,
)

_FONT_SIZE = 9.0
# In inches at this size of letters, which are about half as wide as high.
_LETTER = 0.56 * _FONT_SIZE / 72.0
_ROW, _MARGIN, _GAP = 0.34, 0.1, 0.25
_MAX_LETTERS = 44


def plot_tree(model: FittedTree, ax: Any = None, *, max_depth: int | None = None) -> Any:
    """Draw a tree and return the axes.

    Parameters
    ----------
    model : FittedTree
    ax : matplotlib axes or None
        Where to draw, in letters that fit; None for a new figure of the size of the tree.
    max_depth : int or None
        Number of levels to show; None for all, or for three of a tree of more than 16 leaves.
    """
    check_limits(max_depth, DIGITS)
    tree = model.tree
    if max_depth is None and tree.n_leaves > WHOLE_TREE_LEAVES:
        max_depth = HTML_LEVELS
    shown = list(depth_first(tree, max_depth))
    ends = [node for node in shown if tree.is_leaf[node] or tree.depth[node] == max_depth]
    conditions = _short_conditions(model, shown)
    outcomes = {node: _outcome(model, node) for node in ends}

    columns = _columns(tree.depth, conditions)
    rows = _rows(model, shown, ends)
    right = max(columns[tree.depth[node]] + _width(text) for node, text in outcomes.items())
    size = right + _MARGIN, _ROW * len(ends) + 2 * _MARGIN
    if ax is None:
        library = pyplot()
        ax = library.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0.0, size[0]), ylim=(size[1], 0.0))
    ax.set_axis_off()
    font = {"fontsize": _FONT_SIZE * _scale(ax, size)}
    for node, text in conditions.items():
        parent = int(tree.parent[node])
        x, y = columns[tree.depth[parent]], rows[node]
        ax.plot([x, x, columns[tree.depth[node]]], [rows[parent], y, y], color=GREY, linewidth=0.8)
        ax.text(x + _MARGIN, y - 0.02, text, va="bottom", **font)
    for node, text in outcomes.items():
        colour = label_colour(model, int(model.display_labels[node]))
        box = {"boxstyle": "round,pad=0.25", "facecolor": colour, "edgecolor": GREY}
        x = columns[tree.depth[node]] + 0.5 * _MARGIN
        ax.text(x, rows[node], text, va="center", bbox=box, **font)
    return ax


def _short_conditions(model: FittedTree, shown: list[int]) -> dict[int, str]:
    """Return the conditions that lead to the nodes below the root."""
    tree, names = model.tree, model.schema.names
    found = branch_conditions(tree, model.schema, shown[1:])
    return {
        node: shorten(text, _MAX_LETTERS, quote_if_needed(names[tree.feature[tree.parent[node]]]))
        for node, text in found.items()
    }


def _outcome(model: FittedTree, node: int) -> str:
    """Return the letter and label of a node, its number and its cases."""
    label = shorten(model.answers.label_text(node), _MAX_LETTERS)
    cases = case_count(model.tree, node, DIGITS)
    more = "" if model.tree.is_leaf[node] else " …"
    return f"{label}: {model.answers.share_text(node)}, {cases}{more}"


def _columns(depth: Ints, conditions: dict[int, str]) -> Floats:
    """Return the horizontal position of each depth: conditions fit between two of them."""
    widths = np.zeros(1 + max((int(depth[node]) for node in conditions), default=0))
    for node, text in conditions.items():
        widths[depth[node]] = max(widths[depth[node]], _width(text))
    return np.asarray(_MARGIN + np.cumsum(widths))


def _width(text: str) -> float:
    return _GAP + _LETTER * len(text)


def _rows(model: FittedTree, shown: list[int], ends: list[int]) -> Floats:
    """Return the vertical position of each node: leaves below each other, parents halfway."""
    tree = model.tree
    rows = np.zeros(tree.n_nodes)
    rows[ends] = _MARGIN + _ROW * (0.5 + np.arange(len(ends)))
    at_end = set(ends)
    for node in reversed(shown):
        if node not in at_end:
            first = int(tree.first_child[node])
            rows[node] = (rows[first] + rows[first + int(tree.n_children[node]) - 1]) / 2
    return rows


def _scale(ax: Any, size: tuple[float, float]) -> float:
    """Return the size of the axes in units of the size of the drawing, at most 1."""
    room = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(min(1.0, room.width / size[0], room.height / size[1]))
