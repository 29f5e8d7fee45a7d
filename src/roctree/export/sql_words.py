"""Names, values and tests as SQL writes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roctree.errors import ParameterError
from roctree.export.exported import Exported
from roctree.tree.tree import IS_PRESENT

# The name of a step, with its columns if they have none of their own, and what it selects.
Step = tuple[str, str]


@dataclass(frozen=True)
class Words:
    """The names of a query, quoted.

    Parameters
    ----------
    keep : columns that are handed on
    attributes : the column of each attribute that the tree looks at
    prefix : begins the names of the query's own columns, and no other
    """

    keep: tuple[str, ...]
    attributes: dict[int, str]
    prefix: str

    @classmethod
    def of(cls, model: Exported, keep: Sequence[str]) -> "Words":
        """Return the words for a tree, and columns to be handed on."""
        used = sorted({int(feature) for feature in model.tree.feature if feature >= 0})
        names = [*keep, *(model.schema.names[feature] for feature in used)]
        prefix = "roctree"
        while any(name.casefold().startswith(prefix) for name in names):
            prefix += "_"
        return cls(
            tuple(quoted(name) for name in keep),
            {feature: quoted(model.schema.names[feature]) for feature in used},
            prefix,
        )

    def own(self, name: str, number: int | str = "") -> str:
        """Return a column or a step of the query's own."""
        return f"{self.prefix}_{name}{number}"

    def probabilities(self, model: Exported) -> list[str]:
        """Return the columns with the probability of each class."""
        return [self.own("probability", label) for label in range(model.tree.n_classes)]

    def votes(self, model: Exported) -> list[str]:
        """Return the columns with the votes for each class, which may be its probabilities."""
        if model.follows_probabilities:
            return self.probabilities(model)
        return [self.own("vote", label) for label in range(model.tree.n_classes)]

    @property
    def passed_on(self) -> list[str]:
        """The columns that every step hands to the next."""
        return list(dict.fromkeys([*self.keep, *self.attributes.values()]))

    def tests(self, model: Exported, node: int) -> dict[int, str]:
        """Return what leads to each branch of a node; those of missing values only have nothing."""
        tree = model.tree
        column = self.attributes[int(tree.feature[node])]
        threshold = float(tree.threshold[node])
        if threshold == IS_PRESENT and tree.missing_branch[node] == 1:
            return {0: f"{column} IS NOT NULL"}
        if not np.isnan(threshold):
            return {0: f"{column} <= {number(threshold)}", 1: f"{column} > {number(threshold)}"}
        categories = model.schema.categories[tree.feature[node]] or ()
        begin, end = tree.category_offsets[node : node + 2]
        lists: dict[int, list[str]] = {}
        for code, branch in enumerate(tree.category_branch[begin:end].tolist()):
            if branch >= 0:
                lists.setdefault(branch, []).append(literal(categories[code]))
        return {branch: f"{column} IN ({', '.join(lists[branch])})" for branch in sorted(lists)}

    def near(self, model: Exported, node: int) -> str:
        """Return what holds of a value within the width of the soft threshold of a node."""
        tree, most = model.tree, np.finfo(np.float64).max
        threshold, softness = float(tree.threshold[node]), float(tree.softness[node])
        low, high = max(threshold - softness, -most), min(threshold + softness, most)
        column = self.attributes[int(tree.feature[node])]
        return f"{column} BETWEEN {number(float(low))} AND {number(float(high))}"

    def part_above(self, model: Exported, node: int) -> str:
        """Return how much of a case goes above a soft threshold, as ``part_above`` of the tree."""
        tree = model.tree
        value = f"CAST({self.attributes[int(tree.feature[node])]} AS DOUBLE PRECISION)"
        threshold, steepness = float(tree.threshold[node]), float(model.steepness[node])
        return f"0.5e0 + ({value} - {number(threshold)}) * {number(steepness)}"


def divided_at(node: int) -> int:
    """Return the number that says that a node divides a row: no number of a node."""
    return -1 - node


def listed(columns: Sequence[str]) -> str:
    """Return columns with a line each."""
    return ",\n  ".join(columns)


def table_of(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]], names: bool) -> Step:
    """Return values as a step.

    Parameters
    ----------
    name, columns, rows : of the table, written as SQL wants them
    names : whether the list of values itself is to name its columns
    """
    head = ", ".join(columns)
    values = ",\n  ".join(f"({', '.join(row)})" for row in rows)
    alias = f"listed({head})" if names else "listed"
    return f"{name}({head})", f"SELECT * FROM (VALUES\n  {values}\n) AS {alias}"


def quoted(name: str) -> str:
    """Return a name that is nothing but a name, whatever it holds."""
    if "\0" in name or not name:
        raise ParameterError(f"{name!r} cannot be the name of a column in SQL: rename it.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a label or a category as SQL writes it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        if "\0" in value:
            raise ParameterError(f"{value!r} cannot be written in SQL: rename it.")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else number(float(value))


def number(value: float) -> str:
    """Return a number with an exponent, which makes it a double and not a decimal fraction."""
    text = repr(value)
    return text if "e" in text else text + "e0"
