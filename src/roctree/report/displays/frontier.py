"""Size against quality: a line for each way to make trees small."""

from typing import TYPE_CHECKING, Any, Literal, get_args

from roctree.errors import ParameterError
from roctree.report.displays.drawing import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, axes

if TYPE_CHECKING:
    from roctree.experiment.frontier import Frontier

Measure = Literal["auc", "log_loss", "cost"]
_NAMES = {"auc": "AUC", "log_loss": "log-loss", "cost": "cost of a case"}
# Their lengths have no common divisor: no two ways look alike.
_COLOURS = (BLUE, ORANGE, GREEN, GREY, PURPLE, SKY)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LINES = ("-", "--", ":", "-.", (0, (5, 1)))


def check_measure(measure: Any) -> None:
    """Refuse what is no measure."""
    if measure not in get_args(Measure):
        raise ParameterError(
            parameter="measure",
            value=measure,
            reason="is not known; choose from auc, log_loss, cost",
        )


class FrontierDisplay:
    """What trees of each size achieve.

    Parameters
    ----------
    frontier : of ``roctree.frontier(...)``

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    lines_ : a line for each way
    """

    def __init__(self, frontier: "Frontier") -> None:
        self.frontier = frontier

    def plot(self, measure: Measure = "auc", *, ax: Any = None) -> "FrontierDisplay":
        """Draw one measure against the number of leaves.

        Parameters
        ----------
        measure : "auc", "log_loss" or "cost"
        ax : axes of matplotlib; None for new ones
        """
        check_measure(measure)
        self.figure_, self.ax_ = axes(ax)
        self.lines_ = []
        for number, way in enumerate(self.frontier.ways):
            points = self.frontier.of(way)
            (line,) = self.ax_.plot(
                [point.n_leaves for point in points],
                [getattr(point, measure) for point in points],
                color=_COLOURS[number % len(_COLOURS)],
                marker=_MARKERS[number % len(_MARKERS)],
                linestyle=_LINES[number % len(_LINES)],
                label=way.replace("_", " "),
            )
            self.lines_.append(line)
        self.ax_.set_xscale("log", base=2)
        self.ax_.xaxis.set_major_formatter("{x:g}")
        self.ax_.set(xlabel="leaves", ylabel=_NAMES[measure])
        self.ax_.legend(fontsize="small", framealpha=0.95)
        return self
