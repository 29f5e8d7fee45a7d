"""The smallest change of a case that leads to another label: a counterfactual explanation.

Each case is projected onto the nearest leaf with the requested label, within the limits set by the
user. Distances are those of ``roctree.geometry.boundary``, but the changed case really reaches the
leaf: a value that must exceed a threshold becomes the next larger number, and a missing value that
leaves the label open is filled in.

``Limits`` are what the user allows; ``Boxes`` are the values that lead to each node; both give the
``Targets`` onto which ``project`` moves cases; ``Changes`` presents the result.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled
from roctree.arrays import Bools, Floats, Ints
from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.geometry.boundary import Boundary
from roctree.geometry.kernels import (
    ANY,
    DIVIDED,
    ELSEWHERE,
    LEADS,
    NOTHING,
    Targets,
    nearest_leaf,
)
from roctree.geometry.metric import units_of
from roctree.strategy import is_finite_number, is_integer
from roctree.text import (
    Alignment,
    DisplayTable,
    did_you_mean,
)
from roctree.tree.tree import IS_PRESENT, Tree

Effects = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)


class Change(NamedTuple):
    """One attribute that must change.

    Parameters
    ----------
    attribute : str
        Name of the attribute.
    now : object
        Value of the case; None if missing.
    needed : object
        A value that leads to the leaf.
    by : float or None
        Difference between the two, if both are numbers.
    """

    attribute: str
    now: Any
    needed: Any
    by: float | None

    @property
    def words(self) -> str:
        """The change in words, such as "age > 30" or "age > 30 (now missing)"."""
        text = _format_needed(self)
        words = f"{self.attribute} {text}" if text[0] == ">" else f"{self.attribute} = {text}"
        return f"{words} (now missing)" if self.now is None else words


class CaseChange(NamedTuple):
    """The smallest change of one case to another label.

    Parameters
    ----------
    label : label
        Predicted class.
    to : label
        Class after the change; None if it cannot be reached.
    distance : float
        Length of the change; infinite if the class cannot be reached.
    changes : tuple of Change
        The attributes that must change.
    """

    label: Any
    to: Any
    distance: float
    changes: tuple[Change, ...]

    @property
    def reachable(self) -> bool:
        """Whether an allowed change leads to the label."""
        return bool(np.isfinite(self.distance))


@dataclass(frozen=True, eq=False, repr=False)
class Changes(DisplayTable, Sequence[CaseChange]):
    """The smallest change of each case; a sequence with one item per case.

    Parameters
    ----------
    cases : tuple of CaseChange
    values : float64[cases, features]
        The changed cases, as codes and numbers.
    schema : Schema
        Meaning of the values.
    """

    head: ClassVar = ("case", "label", "attribute", "now", "needed", "change", "distance")
    sides: ClassVar[Alignment] = "left"

    cases: tuple[CaseChange, ...]
    values: Floats
    schema: Schema

    def __len__(self) -> int:
        return len(self.cases)

    def __getitem__(self, place: Any) -> Any:
        return self.cases[place]

    @property
    def distance(self) -> Floats:
        """Length of each change; infinite if the label cannot be reached."""
        return np.array([case.distance for case in self.cases])

    @property
    def reachable(self) -> NDArray[np.bool_]:
        """Whether an allowed change leads to the label."""
        return np.isfinite(self.distance)

    def changed(self) -> list[list[Any]]:
        """Return the changed rows; rows that cannot reach the label are unchanged."""
        return [
            [
                _decode(cell, categories)
                for cell, categories in zip(row.tolist(), self.schema.categories, strict=True)
            ]
            for row in self.values
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns, with one line per attribute that must change."""
        lines = [
            (number, case.label, case.to, *change, case.distance)
            for number, case in enumerate(self.cases)
            for change in case.changes or (Change("", None, None, None),)
        ]
        names = ("case", "label", "to", "attribute", "now", "needed", "by", "distance")
        return {name: [line[i] for line in lines] for i, name in enumerate(names)}

    def cells(self) -> list[tuple[str, ...]]:
        """Return the table as text, one tuple of cells per line."""
        return list(self._lines())

    def _lines(self) -> Iterator[tuple[str, ...]]:
        for number, case in enumerate(self.cases):
            same = case.to is None or case.to == case.label
            label = str(case.label) if same else f"{case.label} to {case.to}"
            distance = _format_value(case.distance)
            if not case.changes:
                remark = "(no change)" if case.reachable else "(cannot be reached)"
                yield str(number), label, remark, "", "", "", distance
            for place, change in enumerate(case.changes):
                by = "" if change.by is None else f"{change.by:+.6g}"
                cells = (change.attribute, _format_value(change.now), _format_needed(change), by)
                yield ("", "", *cells, "") if place else (str(number), label, *cells, distance)


@dataclass(frozen=True, eq=False)
class Limits:
    """What may change, and to which values.

    Parameters
    ----------
    fixed : bool[features]
        Attributes that cannot change.
    low, high : float64[features]
        Range of new numbers.
    codes : dict of int to list of int
        Allowed new categories of nominal attributes; attributes not listed may take any.
    """

    fixed: Bools
    low: Floats
    high: Floats
    codes: dict[int, list[int]]

    @classmethod
    def from_arguments(
        cls, schema: Schema, frozen: Iterable[Any], allowed: Mapping[Any, Any]
    ) -> "Limits":
        """Return the limits given by the user, who refers to attributes by name or position.

        Parameters
        ----------
        schema : Schema
        frozen : attribute or iterable of attributes
            Attributes that cannot change.
        allowed : mapping
            By attribute, a pair of the smallest and largest number, or the categories.
        """
        n = schema.n_features
        limits = cls(np.zeros(n, dtype=np.bool_), np.full(n, -np.inf), np.full(n, np.inf), {})
        if not isinstance(allowed, Mapping):
            raise ParameterError(
                parameter="allowed",
                value=allowed,
                reason="must be a dictionary from attributes to values",
            )
        for name in _as_list(frozen):
            limits.fixed[_attribute(name, schema, "frozen")] = True
        for name, values in allowed.items():
            number = _attribute(name, schema, "allowed")
            categories = schema.categories[number]
            if categories is None:
                limits.low[number], limits.high[number] = _range(schema.names[number], values)
            else:
                limits.codes[number] = _codes(schema.names[number], values, list(categories))
        return limits


def _as_list(values: Any) -> list[Any]:
    single = isinstance(values, str) or not isinstance(values, Iterable)
    return [values] if single else list(values)


def _attribute(name: Any, schema: Schema, parameter: str) -> int:
    if isinstance(name, str) and name in schema.names:
        return schema.names.index(name)
    if is_integer(name) and 0 <= name < schema.n_features:
        return int(name)
    raise ParameterError(
        parameter=parameter,
        reason="names {name!r}, which is not an attribute{hint}",
        name=name,
        hint=did_you_mean(name, schema.names),
    )


def _range(name: str, values: Any) -> tuple[float, float]:
    pair = list(values) if np.ndim(values) == 1 else []
    low, high = pair if len(pair) == 2 else (None, None)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    both = all(is_finite_number(each) or each in (-np.inf, np.inf) for each in (low, high))
    if len(pair) != 2 or not both or low > high:
        raise ParameterError(
            parameter="allowed",
            reason="has {values!r} for {name!r}: pass its smallest and largest value",
            values=values,
            name=name,
        )
    return float(low), float(high)


def _codes(name: str, values: Any, categories: list[Any]) -> list[int]:
    requested = _as_list(values)
    for value in requested:
        if value not in categories:
            texts = [each for each in categories if isinstance(each, str)]
            raise ParameterError(
                parameter="allowed",
                reason="has {category!r} for {name!r}, which is not one of its categories{hint}",
                category=value,
                name=name,
                hint=did_you_mean(value, texts),
            )
    return [categories.index(value) for value in requested]


def nearest_changes(
    boundary: Boundary,
    values: Floats,
    to: int | None,
    limits: Limits,
    schema: Schema,
    labels: list[Any],
) -> Changes:
    """Return the smallest change of each row to a label, or to any other than its own.

    Parameters
    ----------
    boundary : Boundary
    values : float64[rows, features]
    to : int or None
        Number of the requested class.
    limits : Limits
    schema : Schema
        Names and categories.
    labels : list
        The labels that the numbers of the boundary stand for.
    """
    own = boundary.predicted(values)
    found = project(targets_within(boundary, limits), values, own, to)
    return Changes(_describe(own, values, found, schema, labels), found.values, schema)


@dataclass(frozen=True, eq=False)
class Projections:
    """Cases moved onto the nearest leaf with the requested label.

    Parameters
    ----------
    values : float64[rows, features]
        The moved cases; those that cannot reach the label are unchanged.
    distance : float64[rows]
        How far they moved; infinite if no allowed change leads to the label.
    labels : int64[rows]
        Their labels afterwards.
    """

    values: Floats
    distance: Floats
    labels: Ints


def project(targets: Targets, values: Floats, own: Ints, to: int | None) -> Projections:
    """Project rows onto the nearest leaf with a label, the first in case of ties.

    Parameters
    ----------
    targets : Targets
    values : float64[rows, features]
    own : int64[rows]
        Label of each row.
    to : int or None
        The requested label; None for any other than the row's own.
    """
    changed = np.array(values, dtype=np.float64, order="C")
    squared, leaf = np.empty(len(changed)), np.empty(len(changed), dtype=np.int64)
    run = compiled(nearest_leaf, microseconds=changed.size * len(targets.labels))
    run(changed, own, ANY if to is None else to, targets, squared, leaf)
    rows = np.flatnonzero(leaf != NOTHING)
    numbers, categories = np.ix_(rows, targets.numeric), np.ix_(rows, targets.nominal)
    changed[numbers] = _moved_numbers(targets, changed[numbers], leaf[rows])
    changed[categories] = _moved_categories(targets, changed[categories], leaf[rows])
    labels = own.copy()
    labels[rows] = targets.labels[leaf[rows]]
    return Projections(changed, np.sqrt(squared), labels)


def _moved_numbers(targets: Targets, values: Floats, leaf: Ints) -> Floats:
    """Return the nearest numbers that lead each row to its leaf."""
    low, high, bottom, top = (
        part[leaf] for part in (targets.low, targets.high, targets.bottom, targets.top)
    )
    missing = np.isnan(values)
    stays = np.where(missing, targets.gaps[leaf] == LEADS, (low < values) & (values <= high))
    # A threshold itself belongs to the lower branch.
    least = np.where(bottom > low, bottom, _next_number(low))
    filled = np.where(top < IS_PRESENT, top, np.where(least > -IS_PRESENT, least, 0.0))
    return np.where(stays, values, np.where(missing, filled, np.clip(values, least, top)))


def _moved_categories(targets: Targets, values: Floats, leaf: Ints) -> Floats:
    """Return the categories that lead each row to its leaf."""
    begin, last = targets.starts[:-1], targets.starts[1:] - 1
    known = (values >= 0.0) & (values < last - begin)
    cells = np.where(known, begin + np.where(known, values, 0.0).astype(np.int64), last)
    stays = targets.effects[leaf[:, None], cells] == LEADS
    return np.where(stays, values, targets.choices[leaf])


def targets_within(boundary: Boundary, limits: Limits) -> Targets:
    """Return the leaves of a tree as targets, within the limits of what may change."""
    tree, units = boundary.tree, units_of(boundary.scale)
    boxes = Boxes.from_tree(tree, len(units))
    nominal = sorted(boxes.categories)
    numeric = np.setdiff1d(tree.feature[~tree.is_leaf], nominal).astype(np.int64)
    pick = np.ix_(tree.leaves, numeric)
    low, high = boxes.low[pick], boxes.high[pick]
    bottom, top = _allowed_range(low, high, limits, numeric)
    tables = [boxes.categories[attribute][tree.leaves] for attribute in nominal]
    offers = [
        _offer(table, attribute, float(units[attribute]), limits)
        for attribute, table in zip(nominal, tables, strict=True)
    ]
    n_leaves = len(tree.leaves)
    return Targets(
        labels=boundary.labels[tree.leaves],
        numeric=numeric,
        units=units[numeric],
        low=low,
        high=high,
        bottom=bottom,
        top=top,
        gaps=boxes.gaps[pick],
        nominal=np.array(nominal, dtype=np.int64),
        starts=np.cumsum([0, *(table.shape[1] for table in tables)]),
        effects=_side_by_side(tables, n_leaves, np.uint8),
        prices=_side_by_side([prices for prices, _ in offers], n_leaves, np.float64),
        choices=_side_by_side([choice[:, None] for _, choice in offers], n_leaves, np.float64),
    )


def _allowed_range(
    low: Floats, high: Floats, limits: Limits, numeric: Ints
) -> tuple[Floats, Floats]:
    """Return the range that numbers may change to for each leaf; inverted if it is empty."""
    least, most = limits.low[numeric], limits.high[numeric]
    bottom, top = np.maximum(low, least), np.minimum(high, most)
    first = np.maximum(_next_number(low), least)
    possible = (first <= top) & (low < IS_PRESENT) & ~limits.fixed[numeric]
    return np.where(possible, bottom, np.inf), np.where(possible, top, -np.inf)


def _next_number(numbers: Floats) -> Floats:
    """Return the next larger float of each number; infinite after the largest one."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, np.inf)


def _offer(effects: Effects, attribute: int, unit: float, limits: Limits) -> tuple[Floats, Floats]:
    """Return the squared cost of a change from each category, and the category to change to."""
    n_codes = effects.shape[1] - 1
    options = effects[:, :n_codes] == LEADS
    if attribute in limits.codes:
        options &= np.isin(np.arange(n_codes), limits.codes[attribute])
    possible = options.any(axis=1) & ~limits.fixed[attribute]
    change = np.where(effects == ELSEWHERE, unit * unit, 0.0)
    prices = np.where(effects == LEADS, 0.0, np.where(possible[:, None], change, np.inf))
    return prices, options.argmax(axis=1).astype(np.float64)


def _side_by_side(
    tables: list[NDArray[Scalar]], n_rows: int, kind: type[Scalar]
) -> NDArray[Scalar]:
    """Concatenate the columns of any number of tables, possibly none."""
    return np.concatenate([np.empty((n_rows, 0), dtype=kind), *tables], axis=1)


@dataclass(frozen=True, eq=False)
class Boxes:
    """The values that lead to each node: numbers, categories and missing values.

    Parameters
    ----------
    low, high : float64[nodes, features]
        Numbers above ``low``, up to ``high``.
    gaps : uint8[nodes, features]
        Effect of a missing number: LEADS, or DIVIDED, because any number may be in its place.
    categories : dict of int to uint8[nodes, codes + 1]
        For each nominal attribute in the tree, the effect of each category. The last column is for
        missing values and categories not seen in training.
    """

    low: Floats
    high: Floats
    gaps: Effects
    categories: dict[int, Effects]

    @classmethod
    def from_tree(cls, tree: Tree, n_features: int) -> "Boxes":
        """Return the boxes of all nodes, derived from those of their parents."""
        shape = tree.n_nodes, n_features
        tested = ~tree.is_leaf & np.isnan(tree.threshold)
        n_codes = np.diff(tree.category_offsets)
        boxes = cls(
            np.full(shape, -np.inf),
            np.full(shape, np.inf),
            np.zeros(shape, dtype=np.uint8),
            {
                int(attribute): np.zeros(
                    (tree.n_nodes, int(n_codes[tree.feature == attribute].max()) + 1),
                    dtype=np.uint8,
                )
                for attribute in np.unique(tree.feature[tested])
            },
        )
        for begin, end in zip(tree.level_starts[1:-1], tree.level_starts[2:], strict=True):
            boxes._derive_level(tree, np.arange(begin, end))
        return boxes

    def _derive_level(self, tree: Tree, nodes: Ints) -> None:
        """Derive the boxes of one level from those of the level above."""
        parents = tree.parent[nodes]
        tables: list[NDArray[Any]] = [self.low, self.high, self.gaps, *self.categories.values()]
        for table in tables:
            table[nodes] = table[parents]
        attributes, cuts = tree.feature[parents], tree.threshold[parents]
        numeric = ~np.isnan(cuts)
        first = tree.branch[nodes] == 0
        left = nodes[numeric & first], attributes[numeric & first]
        right = nodes[numeric & ~first], attributes[numeric & ~first]
        self.high[left] = np.minimum(self.high[left], cuts[numeric & first])
        self.low[right] = np.maximum(self.low[right], cuts[numeric & ~first])
        divided = numeric & (tree.missing_branch[parents] != tree.branch[nodes])
        self.gaps[nodes[divided], attributes[divided]] = DIVIDED
        for node in nodes[~numeric]:
            self._apply_nominal_test(tree, int(node))

    def _apply_nominal_test(self, tree: Tree, node: int) -> None:
        """Combine the effects of the categories with the test above a node."""
        parent = tree.parent[node]
        table = self.categories[int(tree.feature[parent])]
        begin, end = tree.category_offsets[parent : parent + 2]
        taken = np.full(table.shape[1], -1)
        taken[: end - begin] = tree.category_branch[begin:end]
        taken[taken < 0] = tree.missing_branch[parent]
        effect = np.where(taken == tree.branch[node], LEADS, ELSEWHERE)
        effect[taken < 0] = DIVIDED
        np.maximum(table[node], effect, out=table[node], casting="unsafe")


def _describe(
    own: Ints, before: Floats, found: Projections, schema: Schema, labels: list[Any]
) -> tuple[CaseChange, ...]:
    """Describe projections in terms of attribute names, categories and labels."""
    after = found.values
    different = (before != after) & ~(np.isnan(before) & np.isnan(after))
    changes: list[list[Change]] = [[] for _ in own]
    for row, attribute in np.argwhere(different).tolist():
        pair = float(before[row, attribute]), float(after[row, attribute])
        changes[row].append(_describe_change(*pair, attribute, schema))
    return tuple(
        CaseChange(labels[label], labels[goal] if np.isfinite(far) else None, far, tuple(made))
        for label, goal, far, made in zip(
            own.tolist(), found.labels.tolist(), found.distance.tolist(), changes, strict=True
        )
    )


def _describe_change(before: float, after: float, attribute: int, schema: Schema) -> Change:
    categories = schema.categories[attribute]
    by = None if categories is not None or np.isnan(before) else after - before
    was, becomes = _decode(before, categories), _decode(after, categories)
    return Change(schema.names[attribute], was, becomes, by)


def _decode(cell: float, categories: Any) -> Any:
    """Return a number or category; None if it is missing or unknown."""
    if categories is None:
        return None if np.isnan(cell) else cell
    return categories[int(cell)] if 0.0 <= cell < len(categories) else None


def _format_value(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _format_needed(change: Change) -> str:
    """Format the required value so that the number shown is on the right side of the threshold."""
    value, now = change.needed, change.now
    if not isinstance(value, float):
        return str(value)
    below = float(np.nextafter(value, -np.inf))
    if now is None:
        shorter = len(repr(below)) < len(repr(value))
        return f"> {below:.12g}" if shorter else repr(value).removesuffix(".0")
    if value < now:
        return _format_rounded(value, ROUND_FLOOR)
    # A limit of the user has few digits; the number just above a threshold has many.
    shortest = f"{value:.12g}"
    return shortest if float(shortest) == value else f"> {_format_rounded(below, ROUND_CEILING)}"


def _format_rounded(value: float, rounding: str) -> str:
    """Format a number with twelve digits, rounded in the given direction."""
    shortest = f"{value:.12g}"
    if float(shortest) == value:
        return shortest
    digits = Context(prec=12, rounding=rounding).create_decimal(Decimal(value))
    return f"{float(digits):.12g}"
