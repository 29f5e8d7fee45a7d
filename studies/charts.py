"""Line charts of the reproductions as SVG text, drawn by matplotlib."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roctree.report.displays import pyplot, svg_text

# The palette of Okabe and Ito, which colour-blind readers can distinguish; dashes are for print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", (0, (6, 3)), (0, (2, 2)), (0, (8, 3, 2, 3)), (0, (1, 3)), (0, (10, 4)), (0, (4, 1)))


@dataclass(frozen=True)
class Series:
    """A named line.

    Parameters
    ----------
    name : str
        Name in the legend.
    points : sequence of (x, y)
        Points of the line.
    dots : bool, default=False
        Whether to mark each point.
    marked : sequence of (x, y), default=()
        Further points to mark with dots.
    crossed : sequence of (x, y), default=()
        Points to mark with crosses.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dots: bool = False
    marked: Sequence[tuple[float, float]] = ()
    crossed: Sequence[tuple[float, float]] = ()


def chart(
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    n_steps: int = 5,
    diagonal: bool = False,
) -> str:
    """Return a chart of lines, with a legend beside it, as SVG text."""
    figure, ax = pyplot().subplots(figsize=(9.0, 5.6), layout="constrained")
    if diagonal:
        ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=1.0)
    for number, each in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        dash = DASHES[number % len(DASHES)]
        xs, ys = zip(*each.points, strict=True)
        ax.plot(xs, ys, color=colour, linestyle=dash, linewidth=1.8, label=each.name)
        dots = [*(each.points if each.dots else ()), *each.marked]
        if dots:
            # Dots on the border are drawn in full.
            xs, ys = zip(*dots, strict=True)
            ax.plot(xs, ys, color=colour, marker="o", markersize=5, linestyle="", clip_on=False)
        for x, y in each.crossed:
            ax.plot(x, y, color=colour, marker="x", markersize=11, markeredgewidth=2.5, zorder=4)
    ax.set(xlabel=x_label, ylabel=y_label, xlim=x_range, ylim=y_range)
    ax.set_xticks(np.linspace(*x_range, n_steps + 1))
    ax.set_yticks(np.linspace(*y_range, n_steps + 1))
    ax.set_box_aspect(1)
    ax.set_anchor("W")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0, frameon=False)
    return svg_text(figure)
