"""A table of results, to be shown in a terminal or written in the format of a document."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from roctree.errors import ParameterError
from roctree.strategy import nearest
from roctree.table import Side, as_html, as_rich

_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "×": r"$\times$",
        "−": "$-$",
        "–": "--",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "λ": r"$\lambda$",
    }
)


@dataclass(frozen=True)
class Table:
    """Cells in rows and columns; the first column is words, the others are numbers.

    Parameters
    ----------
    columns : their heads
    rows : of texts, numbers, or None for nothing
    title : what stands above it
    digits : of numbers after the point, one for each column or one for all

    Examples
    --------
    >>> print(Table(("set", "AUC"), (("iris", 98.06),), digits=1).markdown())
    | set | AUC |
    |---|---:|
    | iris | 98.1 |
    <BLANKLINE>
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    digits: int | Sequence[int] = field(default=3)

    @property
    def cells(self) -> list[list[str]]:
        """Every cell as text."""
        return [[self._text(value, i) for i, value in enumerate(row)] for row in self.rows]

    def rich(self) -> Any:
        """Return the table for ``rich.print``."""
        numbers: list[Side] = ["right"] * (len(self.columns) - 1)
        return as_rich(self.columns, self.cells, self.title or None, ["left", *numbers])

    def markdown(self) -> str:
        """Return the table in the way of GitHub's Markdown."""
        lines = [f"**{self.title}**\n"] if self.title else []
        lines.append(_line(self.columns))
        lines.append("|---" + "|---:" * (len(self.columns) - 1) + "|")
        lines += [_line(row) for row in self.cells]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table as HTML."""
        return as_html(self.columns, self.cells, self.title or None)

    def latex(self) -> str:
        """Return the table as a LaTeX tabular."""
        rows = [list(self.columns), *self.cells]
        lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
        lines.insert(1, r"\hline")
        columns = "l" + "r" * (len(self.columns) - 1)
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}", ""])

    def csv(self) -> str:
        """Return the table as comma-separated values, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if value is None else value for value in row] for row in self.rows)
        return text.getvalue()

    def to(self, form: str) -> Any:
        """Return the table as "rich", "markdown", "html", "latex" or "csv"."""
        if form not in FORMS:
            known = ", ".join(FORMS)
            raise ParameterError(
                f"form={form!r} is not known{nearest(form, FORMS)}: choose from {known}."
            )
        return getattr(self, form)()

    def _repr_html_(self) -> str:
        return self.html()

    def _text(self, value: Any, column: int) -> str:
        if value is None:
            return ""
        if isinstance(value, str | int):
            return str(value)
        digits = self.digits if isinstance(self.digits, int) else self.digits[column]
        return "–" if value != value else f"{value:.{digits}f}"


FORMS = ("rich", "markdown", "html", "latex", "csv")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
