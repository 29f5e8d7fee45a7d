"""All labellings of a tree that are best for some costs (Theorem 6 of Ferri et al. 2002)."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.labelling.leaves import Leaves

Floats = NDArray[np.float64]

_HEAD = ("leaves +", "FPR", "TPR", "accuracy", "miss / false alarm", "share of +")


class LabellingRow(NamedTuple):
    """One labelling: the leaves with the highest shares of positives are positive.

    Parameters
    ----------
    positive_leaves : int64[...], numbers of the positive leaves
    fpr, tpr, accuracy : on the counts that the labellings were made from
    cost_ratio : from and to which cost of a miss, in false alarms, it is best
    prior : from and to which share of positives it is best if both errors cost the same
    """

    positive_leaves: NDArray[np.int64]
    fpr: float
    tpr: float
    accuracy: float
    cost_ratio: tuple[float, float]
    prior: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Labellings(Sequence[LabellingRow]):
    """The optimal labellings, from no positive leaf to all; a sequence of rows.

    Parameters
    ----------
    leaves : the leaves and their counts
    positive_class, negative_class : their labels
    """

    leaves: Leaves
    positive_class: Any = None
    negative_class: Any = None

    def __len__(self) -> int:
        return len(self.leaves.curve.tpr)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = place + len(self) if place < 0 else place
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} labellings")
        curve, ratios, priors = self.leaves.curve, self.cost_bounds(), self.prior_bounds()
        tpr, fpr = float(curve.tpr[number]), float(curve.fpr[number])
        return LabellingRow(
            self.leaves.nodes[self.leaves.rank() < number],
            fpr,
            tpr,
            float(tpr * curve.prior + (1.0 - fpr) * (1.0 - curve.prior)),
            (float(ratios[number]), float(ratios[number + 1])),
            (float(priors[number]), float(priors[number + 1])),
        )

    def __iter__(self) -> Iterator[LabellingRow]:
        return (self[number] for number in range(len(self)))

    def cost_bounds(self) -> Floats:
        """Return where neighbouring labellings cost the same: misses in false alarms, 0 to inf."""
        shares = self.leaves.curve.scores
        with np.errstate(divide="ignore"):
            bounds = (1.0 - shares) / shares
        return np.concatenate([[0.0], bounds, [np.inf]])

    def prior_bounds(self) -> Floats:
        """Return the shares of positives where neighbours cost the same, both errors costing 1."""
        curve = self.leaves.curve
        with np.errstate(invalid="ignore", divide="ignore"):
            odds = self.cost_bounds() * curve.prior / (1.0 - curve.prior)
            return np.asarray(np.where(np.isinf(odds), 1.0, odds / (1.0 + odds)))

    def columns(self) -> dict[str, Any]:
        """Return the table as columns."""
        curve, costs, priors = self.leaves.curve, self.cost_bounds(), self.prior_bounds()
        sizes = np.bincount(self.leaves.rank(), minlength=len(curve.scores))
        return {
            "positive_leaves": np.append(0, np.cumsum(sizes)),
            "fpr": curve.fpr,
            "tpr": curve.tpr,
            "accuracy": curve.tpr * curve.prior + (1.0 - curve.fpr) * (1.0 - curve.prior),
            "cost_ratio_from": costs[:-1],
            "cost_ratio_to": costs[1:],
            "prior_from": priors[:-1],
            "prior_to": priors[1:],
        }

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self.columns())

    def to_text(self) -> str:
        """Return the table as text, a line for each labelling."""
        cells = [list(_HEAD), *self._cells()]
        widths = [max(len(row[i]) for row in cells) for i in range(len(_HEAD))]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        )

    def __repr__(self) -> str:
        title = f"{len(self)} labellings"
        if self.positive_class is not None:
            title += f", positive {self.positive_class!r}"
        return f"{title}\n{self.to_text()}"

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(title=repr(self).partition("\n")[0])
        for head in _HEAD:
            table.add_column(head, justify="right")
        for row in self._cells():
            table.add_row(*row)
        return table

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in _HEAD)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _cells(self) -> list[list[str]]:
        columns = self.columns()
        return [
            [
                str(columns["positive_leaves"][i]),
                *(f"{columns[name][i]:.3f}" for name in ("fpr", "tpr", "accuracy")),
                f"{columns['cost_ratio_from'][i]:.3g} to {columns['cost_ratio_to'][i]:.3g}",
                f"{columns['prior_from'][i]:.3f} to {columns['prior_to'][i]:.3f}",
            ]
            for i in range(len(self))
        ]
