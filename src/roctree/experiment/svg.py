"""Small drawings as SVG text: what results look like, without a plotting library."""

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

# Colours of Okabe and Ito, which colour-blind eyes can tell apart; dashes for those who print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 1")
# The radius of a dot.
DOT = 3
FONT_SIZE, LETTER_WIDTH = 12, 6.4

Place = Callable[[float, float], tuple[float, float]]


@dataclass
class Drawing:
    """Lines and words on a page of so many pixels."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = "#000", width: float = 1
    ) -> None:
        """Draw a straight line."""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width:g}"/>'
        )

    def path(self, points: Sequence[tuple[float, float]], colour: str, dash: str) -> None:
        """Draw a line through points."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.8" '
            f'stroke-dasharray="{dash}"/>'
        )

    def dot(self, x: float, y: float, colour: str) -> None:
        """Draw a small filled circle."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT}" fill="{colour}"/>')

    def text(self, x: float, y: float, words: str, anchor: str = "start") -> None:
        """Write words."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'
        )

    def window(self, x: float, y: float, width: float, height: float) -> None:
        """Cut what follows to a rectangle, until it is closed."""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.parts.append(f'<svg {place} viewBox="{x:g} {y:g} {width:g} {height:g}">')

    def close_window(self) -> None:
        """Draw on the whole page again."""
        self.parts.append("</svg>")

    def svg(self) -> str:
        """Return the page."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="sans-serif" '
            f'font-size="{FONT_SIZE}">\n<rect width="100%" height="100%" fill="#fff"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def width_of(labels: Iterable[str]) -> float:
    """Return about how many pixels the longest of some labels takes."""
    return LETTER_WIDTH * max(map(len, labels), default=0)


@dataclass(frozen=True)
class Series:
    """A named line of points; ``dots`` marks each of them, ``marked`` some other points."""

    name: str
    points: Sequence[tuple[float, float]]
    dots: bool = False
    marked: Sequence[tuple[float, float]] = ()


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
    """Return lines between two axes of so many steps, with their names beside them."""
    left, top, size = 60.0, 20.0, 340.0
    legend = max(240.0, 60.0 + width_of(each.name for each in series))
    drawing = Drawing(left + size + legend, top + size + 50)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - x_range[0]) / (x_range[1] - x_range[0])
        up = (y - y_range[0]) / (y_range[1] - y_range[0])
        return left + size * across, top + size * (1.0 - up)

    _axes(drawing, place, x_range, y_range, n_steps)
    drawing.text(left + size / 2, top + size + 38, x_label, "middle")
    drawing.text(8, 14, y_label)
    if diagonal:
        drawing.line(*place(0.0, 0.0), *place(1.0, 1.0), colour="#999")
    for number, each in enumerate(series):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        places = [place(x, y) for x, y in each.points]
        drawing.window(left - DOT, top - DOT, size + 2 * DOT, size + 2 * DOT)
        drawing.path(places, colour, dash)
        for point in (*(each.points if each.dots else ()), *each.marked):
            drawing.dot(*place(*point), colour)
        drawing.close_window()
        height = top + 14 + 20 * number
        drawing.path([(left + size + 14, height), (left + size + 44, height)], colour, dash)
        drawing.text(left + size + 50, height + 4, each.name)
    return drawing.svg()


def _axes(
    drawing: Drawing,
    place: Place,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    n_steps: int,
) -> None:
    low_left, low_right = place(x_range[0], y_range[0]), place(x_range[1], y_range[0])
    drawing.line(*low_left, *low_right)
    drawing.line(*low_left, *place(x_range[0], y_range[1]))
    for step in range(n_steps + 1):
        x = x_range[0] + step / n_steps * (x_range[1] - x_range[0])
        y = y_range[0] + step / n_steps * (y_range[1] - y_range[0])
        across, up = place(x, y_range[0]), place(x_range[0], y)
        drawing.text(across[0], across[1] + 16, f"{x:g}", "middle")
        drawing.text(up[0] - 6, up[1] + 4, f"{y:g}", "end")
