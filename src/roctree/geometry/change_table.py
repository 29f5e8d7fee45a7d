"""Changes of cases as a table, for the terminal, a notebook or pandas."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.geometry.boundary import Boundary
from roctree.geometry.limits import Limits
from roctree.geometry.projection import Projections, Targets
from roctree.table import as_frame, as_html, as_rich, as_text

Floats = NDArray[np.float64]

_HEAD = ("case", "label", "attribute", "now", "needed", "change", "distance")
_NO_CHANGE, _NO_WAY = "(no change)", "(cannot be reached)"


class Change(NamedTuple):
    """One attribute that must change.

    Parameters
    ----------
    attribute : its name
    now : the value of the case, None where missing
    needed : a value that leads to the leaf
    by : the difference of two numbers, else None
    """

    attribute: str
    now: Any
    needed: Any
    by: float | None

    @property
    def words(self) -> str:
        """The change in words, such as "age > 30"."""
        text = _needed(self)
        return f"{self.attribute} {text}" if text.startswith("> ") else f"{self.attribute} = {text}"


class CaseChange(NamedTuple):
    """What one case needs for another label.

    Parameters
    ----------
    label, to : the predicted class, and that after the change; None where it cannot be reached
    distance : how far the case has to move; infinite where it cannot
    changes : the attributes that must change
    """

    label: Any
    to: Any
    distance: float
    changes: tuple[Change, ...]

    @property
    def reachable(self) -> bool:
        """Whether an allowed change leads to the label."""
        return bool(np.isfinite(self.distance))


@dataclass(frozen=True, eq=False)
class Changes(Sequence[CaseChange]):
    """The least change of each case; a sequence with an item for each.

    Parameters
    ----------
    cases : what each case needs
    values : float64[cases, features], the cases changed, as codes and numbers
    schema : what these mean
    """

    cases: tuple[CaseChange, ...]
    values: Floats
    schema: Schema

    def __len__(self) -> int:
        return len(self.cases)

    def __getitem__(self, place: Any) -> Any:
        return self.cases[place]

    @property
    def distance(self) -> Floats:
        """How far each case has to move; infinite where it cannot."""
        return np.array([case.distance for case in self.cases])

    @property
    def reachable(self) -> NDArray[np.bool_]:
        """Whether an allowed change leads to the label."""
        return np.isfinite(self.distance)

    def changed(self) -> list[list[Any]]:
        """Return the rows with the changes made; those that cannot be changed as they were."""
        return [_decoded(row, self.schema) for row in self.values]

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns, a line for each attribute that must change."""
        lines = [
            (number, case.label, case.to, *change, case.distance)
            for number, case in enumerate(self.cases)
            for change in case.changes or (Change("", None, None, None),)
        ]
        names = ("case", "label", "to", "attribute", "now", "needed", "by", "distance")
        return {name: [line[i] for line in lines] for i, name in enumerate(names)}

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return as_frame("pandas", self.columns())

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        return as_frame("polars", self.columns())

    def to_text(self) -> str:
        """Return the table as text."""
        return as_text(_HEAD, self._cells(), align="left")

    def __repr__(self) -> str:
        return self.to_text()

    def __rich__(self) -> Any:
        return as_rich(_HEAD, self._cells())

    def _repr_html_(self) -> str:
        return as_html(_HEAD, self._cells())

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for number, case in enumerate(self.cases):
            first = (str(number), _labels(case))
            if not case.changes:
                remark = _NO_CHANGE if case.reachable else _NO_WAY
                yield (*first, remark, "", "", "", _shown(case.distance))
            for place, change in enumerate(case.changes):
                by = "" if change.by is None else f"{change.by:+.6g}"
                cells = (change.attribute, _shown(change.now), _needed(change), by)
                end = "" if place else _shown(case.distance)
                yield (*(("", "") if place else first), *cells, end)


def nearest_changes(
    boundary: Boundary, values: Floats, to: int | None, limits: Limits, schema: Schema
) -> Changes:
    """Return the least change of each row to a label, or to any other than its own.

    Parameters
    ----------
    boundary : the labelled tree and the metric
    values : float64[rows, features]
    to : number of the wanted class, or None
    limits : what may change
    schema : names, categories and classes
    """
    own = boundary.predicted(values)
    found = Targets.of(boundary, limits).project(values, own, to)
    return Changes(_described(own, values, found, schema), found.values, schema)


def _described(
    own: NDArray[np.int64], before: Floats, found: Projections, schema: Schema
) -> tuple[CaseChange, ...]:
    """Say in the user's terms what projections change, row by row."""
    after = found.values
    different = (before != after) & ~(np.isnan(before) & np.isnan(after))
    changes: list[list[Change]] = [[] for _ in own]
    for row, attribute in np.argwhere(different).tolist():
        pair = float(before[row, attribute]), float(after[row, attribute])
        changes[row].append(_change(*pair, attribute, schema))
    classes = schema.classes.tolist()
    return tuple(
        CaseChange(classes[label], classes[goal] if np.isfinite(far) else None, far, tuple(made))
        for label, goal, far, made in zip(
            own.tolist(), found.labels.tolist(), found.distance.tolist(), changes, strict=True
        )
    )


def _change(before: float, after: float, attribute: int, schema: Schema) -> Change:
    categories = schema.categories[attribute]
    by = None if categories is not None or np.isnan(before) else after - before
    was, becomes = _value(before, categories), _value(after, categories)
    return Change(schema.names[attribute], was, becomes, by)


def _decoded(row: Floats, schema: Schema) -> list[Any]:
    return [
        _value(cell, categories)
        for cell, categories in zip(row.tolist(), schema.categories, strict=True)
    ]


def _value(cell: float, categories: Any) -> Any:
    if categories is None:
        return None if np.isnan(cell) else cell
    return categories[int(cell)] if 0.0 <= cell < len(categories) else None


def _labels(case: CaseChange) -> str:
    same = case.to is None or case.to == case.label
    return str(case.label) if same else f"{case.label} to {case.to}"


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _needed(change: Change) -> str:
    """Show the number just above a threshold as what it is, and none on the wrong side of it."""
    value, now = change.needed, change.now
    if not isinstance(value, float):
        return str(value)
    below = float(np.nextafter(value, -np.inf))
    if now is None:
        shorter = len(repr(below)) < len(repr(value))
        return f"> {below:.12g}" if shorter else repr(value).removesuffix(".0")
    if value < now:
        return _rounded(value, ROUND_FLOOR)
    # What a user allows is a number of few digits; just above a threshold they are many.
    shortest = f"{value:.12g}"
    return shortest if float(shortest) == value else f"> {_rounded(below, ROUND_CEILING)}"


def _rounded(value: float, rounding: str) -> str:
    """Show twelve digits of a number, none of which leads beyond it."""
    shortest = f"{value:.12g}"
    if float(shortest) == value:
        return shortest
    digits = Context(prec=12, rounding=rounding).create_decimal(Decimal(value))
    return f"{float(digits):.12g}"
