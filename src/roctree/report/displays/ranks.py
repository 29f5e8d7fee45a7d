"""Critical-difference diagram: mean ranks on an axis, with bars over groups that do not differ."""

from typing import TYPE_CHECKING

import numpy as np

from roctree.report.displays.drawing import pyplot, svg_text

if TYPE_CHECKING:
    from roctree.experiment import Ranks

# Sizes in pixels, of which matplotlib counts 72 per inch.
LEAST_AXIS, LEAST_MARGIN, LETTER_WIDTH = 240, 140.0, 6.4
AXIS_HEIGHT, LABEL_STEP, BAR_STEP = 60, 20, 12


def critical_difference_svg(ranks: "Ranks", width: int) -> str:
    """Return the diagram as SVG text.

    Parameters
    ----------
    ranks : Ranks
        The mean ranks.
    width : int
        Width in pixels; larger if the names need it.
    """
    order = np.argsort(ranks.mean_ranks, kind="stable")
    labels = [f"{ranks.names[i]} {ranks.mean_ranks[i]:.2f}" for i in order]
    n = len(order)
    margin = max(LEAST_MARGIN, 20.0 + LETTER_WIDTH * max(map(len, labels)))
    width = max(width, round(2 * margin + LEAST_AXIS))
    n_left, groups = (n + 1) // 2, ranks.cliques
    labels_begin = AXIS_HEIGHT + BAR_STEP * len(groups) + 14
    height = labels_begin + LABEL_STEP * (n_left + 1) + 6
    scale = (width - 2 * margin) / (n - 1)
    figure = pyplot().figure(figsize=(width / 72, height / 72), dpi=72)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.set_axis_off()

    def x(rank: float) -> float:
        return margin + (rank - 1.0) * scale

    def line(xs: tuple[float, ...], ys: tuple[float, ...], thickness: float = 1.0) -> None:
        ax.plot(xs, ys, color="black", linewidth=thickness, solid_capstyle="butt")

    line((x(1), x(n)), (AXIS_HEIGHT, AXIS_HEIGHT))
    for rank in range(1, n + 1):
        line((x(rank), x(rank)), (AXIS_HEIGHT - 5, AXIS_HEIGHT))
        ax.text(x(rank), AXIS_HEIGHT - 10, str(rank), ha="center", va="baseline")
    length = min(ranks.critical_difference * scale, width - margin)
    line((margin, margin + length), (25, 25), 2.0)
    ax.text(margin, 17, f"critical difference {ranks.critical_difference:.2f}", va="baseline")
    for place, i in enumerate(order):
        on_left = place < n_left
        y = labels_begin + LABEL_STEP * (place if on_left else n - 1 - place)
        end = margin - 8 if on_left else width - margin + 8
        position = x(float(ranks.mean_ranks[i]))
        line((position, position, end), (AXIS_HEIGHT, y, y))
        side = "right" if on_left else "left"
        label = labels[place].replace("$", r"\$")
        ax.text(end + (-4 if on_left else 4), y, label, ha=side, va="center")
    positions = dict(zip(ranks.names, ranks.mean_ranks, strict=True))
    for number, group in enumerate(groups):
        y = AXIS_HEIGHT + 10 + BAR_STEP * number
        ends = (x(float(positions[group[0]])) - 4, x(float(positions[group[-1]])) + 4)
        line(ends, (y, y), 4.0)
    return svg_text(figure)
