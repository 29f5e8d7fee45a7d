"""How the displays draw: colours, axes, legends.

Lines differ in style and points in shape, not in colour alone, so that the plots can be printed.
"""

from io import StringIO
from typing import Any

from roctree.errors import ParameterError, how_to_install

# Colours of Okabe and Ito, which colour-blind eyes can tell apart.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
PURPLE, SKY = "#CC79A7", "#56B4E9"

FOLD: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "alpha": 0.7}
# On plots of curves beyond so many points these would be a blot.
MOST_POINTS = 200


def pyplot() -> Any:
    """The library that draws."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            f"Plots are drawn by matplotlib, which is not installed: {how_to_install('plot')}."
        ) from None
    return pyplot


def svg_text(figure: Any) -> str:
    """Return a figure as SVG text, the same bytes for the same drawing, and close it."""
    library = pyplot()
    text = StringIO()
    # Labels stay text, so that the picture is small and can be searched.
    with library.rc_context({"svg.fonttype": "none", "svg.hashsalt": "roctree"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    library.close(figure)
    return text.getvalue()


def axes(ax: Any) -> tuple[Any, Any]:
    """The figure and the axes, new ones if none are given."""
    if ax is not None:
        return ax.figure, ax
    figure, ax = pyplot().subplots(layout="constrained")
    return figure, ax


def diagonal(ax: Any) -> Any:
    """Draw what guessing achieves."""
    (line,) = ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.2, label="chance")
    return line


def finish_roc(ax: Any, positive: Any) -> None:
    """Give ROC space its names and its square."""
    false, true = (of_positive(f"{kind} positive rate", positive) for kind in ("false", "true"))
    finish(ax, false, true, (0.0, 1.0), (0.0, 1.0), loc="lower right")
    ax.set_aspect("equal")


def of_positive(what: str, positive: Any) -> str:
    """Return the name of an axis, with the class that is positive if it is known."""
    return what if positive is None else f"{what} (positive: {positive})"


def finish(
    ax: Any,
    x_label: str,
    y_label: str,
    x: tuple[float, float],
    y: tuple[float, float],
    **legend: Any,
) -> None:
    """Name the axes, set their limits, and explain the lines."""
    # Room for lines and markers that lie on the border.
    room = 0.02
    ax.set(xlabel=x_label, ylabel=y_label, xlim=(x[0] - room, x[1] + room),
           ylim=(y[0] - room, y[1] + room))  # fmt: skip
    ax.legend(fontsize="small", framealpha=0.95, **legend)


def labelled(name: str | None, facts: str) -> str:
    """Return what the legend says of a line."""
    return facts if name is None else f"{name} ({facts})"


def line_style(usual: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return how to draw a line, as the user wants it where that was said."""
    if "pos_label" in options:
        raise ParameterError(f"Say positive={options['pos_label']!r}; there is no pos_label here.")
    return usual | options
