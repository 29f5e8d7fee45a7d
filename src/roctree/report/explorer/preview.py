"""A preview of a tree and its ROC curve for notebooks, as inline SVG without dependencies."""

import html
from collections.abc import Iterator

from roctree.arrays import Floats
from roctree.export.text import label_colour
from roctree.fitted import FittedTree
from roctree.report.displays import (
    column_places,
    outcome_text,
    row_places,
    short_conditions,
    text_width,
)
from roctree.tree.text import depth_first

PLOT, GAP, MARGIN = 210, 46, 10
MAX_ROWS = 16
LEVELS = 3
_MAX_LETTERS = 26
# The tree is laid out in inches, as by matplotlib.
_PIXELS = 96.0
_BOX = 19
_WIDEST = 7.0
_LINE, _INK, _CURVE = "#9aa4af", "#1b1f24", "#cc5500"


def preview_svg(model: FittedTree) -> str:
    """Return the top of a tree as SVG, with its training ROC curve for two classes.

    The text is empty if the first levels have too many branches to draw.
    """
    tree = model.tree
    shown = list(depth_first(tree, LEVELS))
    ends = [node for node in shown if tree.is_leaf[node] or tree.depth[node] == LEVELS]
    if len(ends) > MAX_ROWS:
        return ""
    conditions = short_conditions(model, shown, _MAX_LETTERS)
    outcomes = {node: outcome_text(model, node, _MAX_LETTERS) for node in ends}
    x = _PIXELS * column_places(tree.depth, conditions)
    y = MARGIN + _PIXELS * row_places(model, shown, ends)
    right = max(x[tree.depth[node]] + _PIXELS * text_width(text) for node, text in outcomes.items())
    width, height = round(right) + MARGIN, round(float(y[ends].max())) + 2 * MARGIN
    parts = [*_branches(model, conditions, x, y), *_ends(model, outcomes, x, y)]
    if tree.n_classes == 2:
        parts += _curve(model, width + GAP)
        width, height = width + GAP + PLOT + MARGIN, max(height, PLOT + 50)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="The top of the tree" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _branches(model: FittedTree, conditions: dict[int, str], x: Floats, y: Floats) -> Iterator[str]:
    """Draw the branches, wider for more cases, with their conditions above them."""
    tree = model.tree
    for node, text in conditions.items():
        parent = int(tree.parent[node])
        x0, x1 = x[tree.depth[parent]], x[tree.depth[node]]
        wide = max(1.0, _WIDEST * float(tree.weight[node] / tree.weight[0]))
        yield (
            f'<path d="M{x0:.1f} {y[parent]:.1f}V{y[node]:.1f}H{x1:.1f}" fill="none" '
            f'stroke="{_LINE}" stroke-opacity="0.6" stroke-width="{wide:.1f}" '
            f'stroke-linejoin="round"/>{_words(x0 + 8, y[node] - 3 - wide / 2, text)}'
        )


def _ends(model: FittedTree, outcomes: dict[int, str], x: Floats, y: Floats) -> Iterator[str]:
    """Draw the leaves and what is not shown below: boxes in the colour of their label."""
    for node, text in outcomes.items():
        left, middle = x[model.tree.depth[node]], y[node]
        colour = label_colour(model, int(model.answers.labels[node]))
        yield (
            f'<rect x="{left:.1f}" y="{middle - _BOX / 2:.1f}" height="{_BOX}" rx="4" '
            f'width="{_PIXELS * text_width(text) - 14:.0f}" fill="{colour}" stroke="{_LINE}"/>'
            f"{_words(left + 5, middle + 4, text, colour=_INK)}"
        )


def _curve(model: FittedTree, left: int) -> Iterator[str]:
    """Draw the training ROC curve, unless all cases are of one class."""
    curve = model.roc()
    if not curve.has_both_classes:
        return
    bottom = MARGIN + PLOT
    x, y = left + PLOT * curve.fpr, bottom - PLOT * curve.tpr
    line = " ".join(f"{across:.1f},{up:.1f}" for across, up in zip(x, y, strict=True))
    yield (
        f'<path d="M{left} {MARGIN}V{bottom}H{left + PLOT}M{left} {bottom}L{left + PLOT} '
        f'{MARGIN}" fill="none" stroke="{_LINE}"/><polyline points="{line}" fill="none" '
        f'stroke="{_CURVE}" stroke-width="2.5"/>'
        f"{_words(left + PLOT / 2, bottom + 18, 'false positive rate', anchor='middle')}"
        f"{_words(left + PLOT - 6, bottom - 10, f'training AUC {curve.auc:.3f}', anchor='end')}"
    )


def _words(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "") -> str:
    fill = f' fill="{colour}"' if colour else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place}{fill}>{html.escape(text)}</text>"
