"""A preview of a tree and its ROC curve for notebooks, as inline SVG without dependencies."""

import html
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from roctree.fitted import FittedTree
from roctree.roc import Curve
from roctree.text import quote_if_needed
from roctree.tree.text import branch_conditions, depth_first
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROW, COLUMN, LEFT, TOP = 28, 190, 14, 22
LEAF_WIDTH, WORDS = 30, 190
PLOT, GAP = 210, 46
MOST_ROWS = 16
LEVELS = 3
_MOST_LETTERS, _LEAST_LETTERS = 26, 4
_WIDEST = 12.0
# A colour-blind safe scale from blue through a pale middle to orange.
_LOW, _MIDDLE, _HIGH = (33, 113, 181), (240, 240, 238), (204, 85, 0)
_REMARK = "%: probability of the tree; in the text: share of training cases"


def preview_svg(model: FittedTree) -> str:
    """Return the top of a tree as SVG, with its training ROC curve for two classes.

    The text is empty if the first levels have too many branches to draw.
    """
    labels = model.display_labels
    tree = model.tree
    shown = np.flatnonzero(tree.depth <= LEVELS)
    ends = [
        node
        for node in depth_first(tree, LEVELS)
        if tree.is_leaf[node] or tree.depth[node] == LEVELS
    ]
    if len(ends) > MOST_ROWS:
        return ""
    heights = _heights(tree, shown, ends)
    depth = int(tree.depth[shown].max())
    width = LEFT + depth * COLUMN + LEAF_WIDTH + WORDS
    height = max(TOP * 2 + ROW * len(ends), PLOT + 60 if tree.n_classes == 2 else 0)
    parts = [*_branches(model, shown, heights), *_ends(model, labels, ends, heights)]
    if depth > 0:
        parts.append(f'<g opacity="0.7">{_words(LEFT, height - 6, _REMARK)}</g>')
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
            f"{_words(x1 - 6, y1 - 6, _short(condition, name), 'end')}"
        )


def _ends(model: FittedTree, labels: Ints, ends: list[int], heights: Floats) -> Iterator[str]:
    tree, classes = model.tree, model.classes.tolist()
    for node in ends:
        x, y = _x(tree, node), heights[node]
        label = int(labels[node])
        share = float(model.probabilities[node, label])
        blend = float(model.probabilities[node, -1]) if tree.n_classes == 2 else share
        more = "" if tree.is_leaf[node] else " …"
        facts = (
            f"{_short(str(classes[label]))} {_percent(share)}, {tree.weight[node]:g} cases{more}"
        )
        yield (
            f'<rect x="{x}" y="{y - 8:.1f}" width="{LEAF_WIDTH}" height="16" rx="4" '
            f'fill="{_colour(blend)}" stroke="{_colour(float(label == tree.n_classes - 1))}" '
            f'stroke-width="2"/>{_words(x + LEAF_WIDTH + 6, y + 4, facts)}'
        )


def _curve(model: FittedTree, left: int) -> Iterator[str]:
    """Draw the training ROC curve, unless all cases are of one class."""
    tree = model.tree
    counts, scores = tree.counts[tree.leaves], model.probabilities[tree.leaves, 1]
    curve = Curve.from_leaves(scores, counts[:, 1], counts[:, 0])
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


def _short(text: str, name: str = "") -> str:
    """Shorten a text; a leading feature name is cut first, since the rest tells branches apart."""
    rest = text.removeprefix(name) if text.startswith(name) else text
    room = _MOST_LETTERS - 1 - len(rest)
    if len(text) > _MOST_LETTERS and name and room >= _LEAST_LETTERS:
        return f"{name[:room]}…{rest}"
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def _percent(share: float) -> str:
    """Format a percentage so that 0 % and 100 % mean exactly 0 and 1."""
    if 0.0 < share < 0.005 or 0.995 <= share < 1.0:
        return "<1%" if share < 0.5 else ">99%"
    return f"{share:.0%}"


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _colour(share: float) -> str:
    end, part = (_LOW, 1.0 - 2.0 * share) if share < 0.5 else (_HIGH, 2.0 * share - 1.0)
    mixed = (round(m + (e - m) * part) for m, e in zip(_MIDDLE, end, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
