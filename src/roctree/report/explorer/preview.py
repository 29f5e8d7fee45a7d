"""A preview of a tree and its ROC curve for notebooks, as inline SVG without dependencies."""

import html
from collections.abc import Iterator

import numpy as np

from roctree.arrays import Floats, Ints
from roctree.fitted import FittedTree
from roctree.text import quote_if_needed, shorten
from roctree.tree.text import branch_conditions, depth_first
from roctree.tree.tree import Tree

ROW, COLUMN, LEFT, TOP = 28, 190, 14, 22
LEAF_WIDTH, WORDS = 30, 260
PLOT, GAP = 210, 46
MAX_ROWS = 16
LEVELS = 3
_MAX_LETTERS = 26
_WIDEST = 12.0
# A colour-blind safe scale from blue through a pale middle to orange.
_LOW, _MIDDLE, _HIGH = (33, 113, 181), (240, 240, 238), (204, 85, 0)


def preview_svg(model: FittedTree) -> str:
    """Return the top of a tree as SVG, with its training ROC curve for two classes.

    The text is empty if the first levels have too many branches to draw.
    """
    tree = model.tree
    shown = np.flatnonzero(tree.depth <= LEVELS)
    ends = [
        node
        for node in depth_first(tree, LEVELS)
        if tree.is_leaf[node] or tree.depth[node] == LEVELS
    ]
    if len(ends) > MAX_ROWS:
        return ""
    heights = _heights(tree, shown, ends)
    depth = int(tree.depth[shown].max())
    width = LEFT + depth * COLUMN + LEAF_WIDTH + WORDS
    height = max(TOP * 2 + ROW * len(ends), PLOT + 60 if tree.n_classes == 2 else 0)
    parts = [*_branches(model, shown, heights), *_ends(model, ends, heights)]
    if tree.n_classes == 2:
        parts += _curve(model, width + GAP)
        width += GAP + PLOT + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="The top of the tree" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _heights(tree: Tree, shown: Ints, ends: list[int]) -> Floats:
    """Return vertical positions: leaves in rows, parents halfway between first and last child."""
    heights = np.zeros(tree.n_nodes)
    heights[ends] = TOP + ROW * np.arange(len(ends))
    inner = [node for node in shown.tolist() if node not in ends]
    for node in reversed(inner):
        first = int(tree.first_child[node])
        heights[node] = (heights[first] + heights[first + int(tree.n_children[node]) - 1]) / 2
    return heights


def _x(tree: Tree, node: int) -> int:
    return LEFT + COLUMN * int(tree.depth[node])


def _branches(model: FittedTree, shown: Ints, heights: Floats) -> Iterator[str]:
    tree = model.tree
    conditions = branch_conditions(tree, model.schema, shown[1:].tolist())
    for node, condition in conditions.items():
        parent = int(tree.parent[node])
        name = quote_if_needed(model.schema.names[tree.feature[parent]])
        x0, x1, y0, y1 = _x(tree, parent), _x(tree, node), heights[parent], heights[node]
        wide = max(1.0, _WIDEST * float(tree.weight[node] / tree.weight[0]))
        yield (
            f'<path d="M{x0} {y0:.1f}C{x0 + 100} {y0:.1f} {x1 - 100} {y1:.1f} {x1} {y1:.1f}" '
            f'fill="none" stroke="#9aa4af" stroke-opacity="0.55" stroke-width="{wide:.1f}"/>'
            f"{_words(x1 - 6, y1 - 6, shorten(condition, _MAX_LETTERS, name), 'end')}"
        )


def _ends(model: FittedTree, ends: list[int], heights: Floats) -> Iterator[str]:
    tree, answers = model.tree, model.answers
    for node in ends:
        x, y = _x(tree, node), heights[node]
        label, positive = int(answers.labels[node]), answers.positive
        two = tree.n_classes == 2
        blend = float(
            model.probabilities[node, positive] if two else model.probabilities[node].max()
        )
        more = "" if tree.is_leaf[node] else " …"
        name = shorten(answers.label_text(node), _MAX_LETTERS)
        facts = f"{name}: {answers.share_text(node)}, {tree.weight[node]:g} cases{more}"
        yield (
            f'<rect x="{x}" y="{y - 8:.1f}" width="{LEAF_WIDTH}" height="16" rx="4" '
            f'fill="{_colour(blend)}" stroke="{_colour(float(label == positive))}" '
            f'stroke-width="2"/>{_words(x + LEAF_WIDTH + 6, y + 4, facts)}'
        )


def _curve(model: FittedTree, left: int) -> Iterator[str]:
    """Draw the training ROC curve, unless all cases are of one class."""
    curve = model.roc()
    if not curve.has_both_classes:
        return
    bottom = TOP + PLOT
    x, y = left + PLOT * curve.fpr, bottom - PLOT * curve.tpr
    line = " ".join(f"{across:.1f},{up:.1f}" for across, up in zip(x, y, strict=True))
    yield (
        f'<path d="M{left} {TOP}V{bottom}H{left + PLOT}M{left} {bottom}L{left + PLOT} {TOP}" '
        f'fill="none" stroke="#9aa4af"/><polyline points="{line}" fill="none" '
        f'stroke="{_colour(1.0)}" stroke-width="2.5"/>'
        f"{_words(left + PLOT / 2, bottom + 18, 'false positive rate', 'middle')}"
        f"{_words(left + PLOT - 6, bottom - 10, f'training AUC {curve.auc:.3f}', 'end')}"
    )


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _colour(share: float) -> str:
    end, part = (_LOW, 1.0 - 2.0 * share) if share < 0.5 else (_HIGH, 2.0 * share - 1.0)
    mixed = (round(m + (e - m) * part) for m, e in zip(_MIDDLE, end, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
