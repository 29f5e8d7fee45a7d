"""Variants of a data set, derived from its table by steps.

They are always taken in this order:

- ``first_rows``: keep only so many
- ``drop_attributes``: leave these columns out
- ``drop_missing_rows``: true, or the attributes that must be known
- ``drop_classes``: drop the rows of these classes
- ``merge``: new class -> old classes
- ``positive_class``: this class against "rest"
- ``kinds``: attribute -> its kind here
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roctree.data import Rows
from roctree.errors import DataError
from roctree.experiment.sources.problem import Problem
from roctree.strategy import nearest

STEPS = (
    *("first_rows", "drop_attributes", "drop_missing_rows", "drop_classes"),
    *("merge", "positive_class", "kinds"),
)


@dataclass(frozen=True)
class Text:
    """A table as text, the class in the last column, an empty cell where a value is missing."""

    names: list[str]
    kinds: dict[str, str]
    rows: list[list[str]] = field(repr=False)

    def derived(self, steps: dict[str, Any], name: str) -> "Text":
        """Return the table after the steps of a derivation, in their fixed order."""
        for step in steps:
            if step not in STEPS:
                raise DataError(f"The derivation of {name!r} has an unknown step {step!r}.")
        for step in ("drop_attributes", "drop_missing_rows", "kinds"):
            self._check_names(steps.get(step), f"The step {step!r} of {name!r}")
        names, kinds, rows = self.names, self.kinds | steps.get("kinds", {}), self.rows
        rows = rows[: steps.get("first_rows")]
        dropped = set(steps.get("drop_attributes", ()))
        kept = [place for place, column in enumerate(names) if column not in dropped]
        names, rows = [names[i] for i in kept], [[*(row[i] for i in kept), row[-1]] for row in rows]
        wanted = steps.get("drop_missing_rows", [])
        known = [i for i, column in enumerate(names) if wanted is True or column in wanted]
        rows = [row for row in rows if all(row[i] for i in known)]
        return Text(names, kinds, _relabelled(rows, steps))

    def _check_names(self, given: Any, step: str) -> None:
        """Refuse attributes that the table does not have."""
        for name in given if isinstance(given, list | dict) else ():
            if name not in self.names:
                raise DataError(f"{step} names {name!r}{nearest(name, self.names)}: no attribute.")

    def problem(self, name: str, positive: str | None) -> Problem:
        """Return the table as numbers and codes."""
        if not self.rows:
            raise DataError(f"{name!r} has no rows.")
        *columns, labels = zip(*self.rows, strict=True)
        nominal = [self.kinds[column] == "nominal" for column in self.names]
        categories = tuple(
            tuple(sorted(set(column) - {""})) if is_nominal else None
            for column, is_nominal in zip(columns, nominal, strict=True)
        )
        values = [
            _numbers(cells, known, f"{column!r} of {name!r}")
            for cells, known, column in zip(columns, categories, self.names, strict=True)
        ]
        classes = tuple(sorted(set(labels)))
        codes = np.searchsorted(classes, labels).astype(np.int32)
        rows = Rows(np.column_stack(values), tuple(self.names), categories)
        return Problem(name, rows, codes, classes, positive)


def _relabelled(rows: list[list[str]], steps: dict[str, Any]) -> list[list[str]]:
    dropped = set(steps.get("drop_classes", ()))
    merged = {old: new for new, olds in steps.get("merge", {}).items() for old in olds}
    positive = steps.get("positive_class")

    def label(found: str) -> str:
        found = merged.get(found, found)
        return found if positive in (None, found) else "rest"

    return [[*row[:-1], label(row[-1])] for row in rows if row[-1] not in dropped]


def _numbers(column: tuple[str, ...], categories: tuple[str, ...] | None, title: str) -> Any:
    if categories is not None:
        codes = {category: float(code) for code, category in enumerate(categories)}
        return np.array([codes.get(cell, np.nan) for cell in column])
    try:
        return np.array([float(cell) if cell else np.nan for cell in column])
    except ValueError as error:
        raise DataError(f"The attribute {title} is said to be numeric: {error}.") from None


def check_result(text: Text, expected: dict[str, Any], name: str) -> None:
    """Refuse a table that is not what was said of it: rows, kinds of attributes, classes."""
    found = {
        "rows": len(text.rows),
        "nominal": sum(text.kinds[column] == "nominal" for column in text.names),
        "numeric": sum(text.kinds[column] == "numeric" for column in text.names),
        "classes": dict(Counter(row[-1] for row in text.rows)),
    }
    for key, value in found.items():
        if key in expected and expected[key] != value:
            raise DataError(
                f"The variant {name!r} has {key} {value} where the manifest says {expected[key]}."
            )
