"""A fitted Multiscale Classifier: cells, their probabilities and labels, without scikit-learn.

Every cell counts as a leaf: a row in a part of a divided cell that training never saw stops at the
smallest cell around it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.data import Dataset, Schema, check_rows_given, check_test_cases, encode_columns
from roctree.errors import DataError, ParameterError
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_point,
    read_schema,
    read_strategies,
    read_training,
    write_parameters,
    write_point,
    write_schema,
    write_strategies,
    write_training,
)
from roctree.fitted import FittedNodes, leaves_by_counts
from roctree.labelling import Leaves
from roctree.models.multiscale.cells import (
    BITS,
    CellBounds,
    Cells,
    CellTree,
    leading_bits,
    tree_of_counts,
)
from roctree.parameters import check_parameter
from roctree.pruning import (
    CostPruningCurve,
    CriticalValue,
    Pruner,
    cost_pruning_curve,
    need,
    paper_options,
)
from roctree.pruning import resolve as resolve_pruner
from roctree.requests import held_out_cases
from roctree.roc.arithmetic import group_sums
from roctree.smoothing import Frequencies, Smoother, choices, probabilities
from roctree.smoothing import resolve as resolve_smoother
from roctree.text import quote_if_needed
from roctree.tree.shape import subtree_counts
from roctree.tree.text import ALL_DIGITS, Answers, check_limits, in_lines, short
from roctree.tree.tree import Tree, check_structure

DEFAULTS: Mapping[str, Any] = {
    "max_level": 30,
    "bounds": "training",
    "pruning": "none",
    "merge_leaves": False,
    "smoothing": "laplace",
    "labels": "probability",
    "keep_cases": True,
}
# All attributes are halved at once: a line with all of them would be as long as the table is wide.
MAX_ATTRIBUTES_SHOWN = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedCells(FittedNodes):
    """Cells with class probabilities.

    Parameters
    ----------
    cell_tree : CellTree
        Ranges of the attributes, cells and class counts; merged cells are one leaf of its tree.
    """

    estimator_name: ClassVar[str] = "MultiscaleClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = DEFAULTS

    cell_tree: CellTree

    @property
    def tree(self) -> Tree:
        """Class counts of the cells, without splits."""
        return self.cell_tree.tree

    @property
    def depth(self) -> int:
        """Number of times that the sides of the smallest cell were halved."""
        return int(self.cell_tree.cells.level.max())

    # Changes: each returns another model

    def smoothed(self, smoother: Smoother) -> Self:
        """Return the cells with their probabilities smoothed by another method."""
        smooth = probabilities(smoother, self.tree)
        other = replace(self, smoother=smoother, probabilities=smooth, calibration=None)
        return other.with_point_of(self)

    def pruned(self, pruner: Pruner, *, merge_leaves: bool = False) -> Self:
        """Return the cells pruned by their counts.

        Parameters
        ----------
        pruner : Pruner
        merge_leaves : bool
            Whether pruning may also merge some of the parts of a cell and leave the others.
        """
        self.check_prunable()
        cell_tree, node_labels = prune_cells(self.cell_tree, pruner, merge_leaves=merge_leaves)
        other = replace(
            self,
            cell_tree=cell_tree,
            pruner=pruner,
            probabilities=probabilities(self.smoother, cell_tree.tree),
            node_labels=node_labels,
            operating_point=None,
        )
        return other.with_point_of(self)

    def cost_pruning_curve(
        self,
        costs: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        method: str | Pruner = "minimum_error",
        positive: Any = None,
        merge_leaves: bool = False,
        **options: Any,
    ) -> CostPruningCurve:
        """Return the errors of these cells pruned under a sequence of cost ratios."""
        place = self.positive_index(positive)
        check_test_cases(X_test, y_test)
        cells = self.cell_tree.grouped() if merge_leaves else self.cell_tree
        pruner = pruner_of_cells(method, **paper_options(method, options))
        counts, stopped = cells.tree.counts, None
        if X_test is not None:
            stopped = cells.stops(self.dataset(X_test, y_test, sample_weight))
            counts = subtree_counts(cells.tree, stopped)
        labels = self.classes.tolist()
        return cost_pruning_curve(cells.tree, pruner, costs, counts, labels, place, stopped=stopped)

    # Rows and their labels

    def encode(self, X: Any, n_threads: int = 1) -> Floats:
        """Return rows as numbers, float64[rows, features]; missing values are an error."""
        values = np.asarray(encode_columns(X, self.schema, n_threads), dtype=np.float64)
        refuse_missing(values, self.schema)
        return values

    def dataset(self, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """Return labelled rows of positive weight, encoded according to the schema."""
        return complete_cases(super().dataset(X, y, sample_weight))

    def apply(self, X: Any) -> Ints:
        """Return the node of ``tree`` where each row stops."""
        return self.cell_tree.nodes(self.encode(X))

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""
        return np.asarray(self.probabilities[self.cell_tree.nodes(values)])

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        nodes = self.cell_tree.nodes(values)
        return self.decision.per_draw(values, lambda votes: votes[nodes].argmax(axis=1))

    # Counts

    def leaf_table(
        self, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return the class probabilities of each node, and the class counts that stop there."""
        check_rows_given(X, y, sample_weight)
        cases = None if X is None else self.dataset(X, y, sample_weight)
        return self.probabilities, self.cell_tree.stops(cases)

    @property
    def stopping_nodes(self) -> Ints:
        """All nodes."""
        return np.arange(self.n_nodes)

    def stopping_counts(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the class counts of labelled cases that stop at each node."""
        return self.cell_tree.stops(self.dataset(X, y, sample_weight))

    def group_weights(self, values: Floats, weights: Floats) -> Floats:
        """Return the weight of encoded rows that stop at each node."""
        return group_sums(self.cell_tree.nodes(values), weights, self.n_nodes)

    def row_intervals(self, values: Floats) -> Floats:
        """Return intervals of the probabilities of encoded rows, float64[rows, classes, 2]."""
        return np.asarray(self.node_intervals[self.cell_tree.nodes(values)])

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return every node as a leaf with the cases that stop there."""
        frequencies, nodes = Frequencies()(self.tree), np.arange(self.n_nodes)
        if isinstance(counts, tuple):
            stops = self.cell_tree.stops(self.dataset(*held_out_cases(counts)))
            return Leaves.from_counts(self.tree, stops, frequencies, positive, nodes)
        stopping = replace(self.tree, counts=self.cell_tree.stops())
        return leaves_by_counts(stopping, self.probabilities, frequencies, counts, positive, nodes)

    # Descriptions

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the cells as text, one line each, with the labels that ``predict`` gives."""
        answers = self.answers_of(self.tree, self.decision.labels, self.probabilities)
        return cells_to_text(
            self.cell_tree, self.schema, answers, max_depth=max_depth, digits=digits
        )


def prune_cells(
    cells: CellTree, pruner: Pruner, *, merge_leaves: bool
) -> tuple[CellTree, Ints | None]:
    """Return pruned cells, and the labels that costs give their nodes."""
    return (cells.grouped() if merge_leaves else cells).pruned(pruner)


# Parameters and data that are allowed


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for the first parameter that is not allowed."""
    level = parameters["max_level"]
    whole = isinstance(level, Integral) and not isinstance(level, bool)
    if not whole or not 0 <= level <= BITS:
        raise ParameterError(
            parameter="max_level",
            value=level,
            reason=f"is not allowed: give an integer from 0 to {BITS}",
        )
    for name in ("merge_leaves", "keep_cases"):
        if not isinstance(parameters[name], bool | np.bool_):
            raise ParameterError(
                parameter=name,
                value=parameters[name],
                reason="is not allowed: give {yes!r} or {no!r}",
                yes=True,
                no=False,
            )
    check_parameter("labels", parameters["labels"])
    pruner_of_cells(parameters["pruning"])
    smoother_of_cells(parameters["smoothing"])


def pruner_of_cells(pruning: str | Pruner, **options: Any) -> Pruner:
    """Return a pruner that needs only the counts of cells; others are an error."""
    pruner = resolve_pruner(pruning, **options)
    if isinstance(pruner, CriticalValue):
        raise ParameterError(
            reason="critical_value uses the gain of splits, and cells are halved whatever the "
            "gain: choose another pruning, such as {pruning='minimum_error'}"
        )
    if need(pruner) != "counts":
        raise ParameterError(
            reason="{pruner!r} needs more than the counts of the cells: choose another pruning, "
            "such as {pruning='minimum_error'}",
            pruner=pruner,
        )
    return pruner


def smoother_of_cells(smoothing: str | Smoother, **options: Any) -> Smoother:
    """Return a smoother; one with an option left to cross-validation is an error."""
    smoother = resolve_smoother(smoothing, **options)
    if len(choices(smoother)) > 1:
        raise ParameterError(
            reason="{smoother!r} needs cross-validation, which cells do not have: give a number",
            smoother=smoother,
        )
    return smoother


def resolve_bounds(bounds: Any, values: Floats) -> CellBounds:
    """Return the range of each attribute."""
    if isinstance(bounds, str) and bounds == "training":
        return CellBounds.from_values(values)
    n_features = values.shape[1]
    try:
        pairs = np.broadcast_to(np.asarray(bounds, dtype=np.float64), (n_features, 2))
    except (TypeError, ValueError):
        pairs = np.full((1, 2), np.nan)
    if not np.isfinite(pairs).all() or (pairs[:, 0] >= pairs[:, 1]).any():
        raise ParameterError(
            parameter="bounds",
            value=bounds,
            reason="is not allowed: give 'training', a pair of numbers (low, high) with "
            f"low < high, or such a pair for each of the {n_features} attributes",
        )
    return CellBounds(pairs[:, 0].copy(), pairs[:, 1].copy())


def complete_cases(cases: Dataset) -> Dataset:
    """Return the cases of positive weight; categories and missing values are an error."""
    refuse_nominal(cases.schema)
    refuse_missing(cases.values, cases.schema)
    return cases.drop_zero_weight()


def refuse_nominal(schema: Schema) -> None:
    """Raise ``DataError`` if a column holds categories."""
    if schema.nominal.any():
        name = schema.names[int(schema.nominal.argmax())]
        raise DataError(
            reason="column {column!r} holds categories, and only numbers can be halved: convert it "
            "to numbers, leave it out, or use ROCTreeClassifier",
            column=name,
        )


def refuse_missing(values: Floats, schema: Schema) -> None:
    """Raise ``DataError`` if a value is missing."""
    missing = np.isnan(values)
    if missing.any():
        row, column = map(int, np.unravel_index(missing.argmax(), missing.shape))
        raise DataError(
            reason="column {column!r} is missing (NaN) in {numbered_row}, and a case "
            "with a missing value is in no cell: fill it in, or use ROCTreeClassifier",
            column=schema.names[column],
            row=row,
        )


# Cells as text


def cells_to_text(
    cell_tree: CellTree, schema: Schema, answers: Answers, *, max_depth: int | None, digits: int
) -> str:
    """Return a line for each cell, followed by its parts.

    A cell at the edge of the range has no bound there, since values outside are clipped. Of merged
    parts only the number is given.

    Parameters
    ----------
    cell_tree : the cells
    schema : names and classes
    answers : label and probability of each node
    max_depth : number of levels to show; None for all
    digits : significant digits of bounds and weights
    """
    check_limits(max_depth, digits)
    bounds, cells, tree = cell_tree.bounds, cell_tree.cells, cell_tree.tree
    names = [quote_if_needed(name) for name in schema.names]
    cell_of = np.zeros(tree.n_nodes, dtype=np.int64)
    cell_of[cells.node] = np.arange(cells.n_cells)
    n_cells = np.bincount(cells.node, minlength=tree.n_nodes)

    def condition(node: int) -> str:
        if n_cells[node] == 1:
            return _box_text(cells, int(cell_of[node]), bounds, names, digits)
        return f"any of {n_cells[node]} cells"

    return in_lines(
        tree, schema.classes, condition, max_depth=max_depth, digits=digits, answers=answers
    )


def _box_text(cells: Cells, cell: int, bounds: CellBounds, names: list[str], digits: int) -> str:
    """Return the bounds of a cell, for the first attributes that vary."""
    side = 2 ** (BITS - int(cells.level[cell]))
    sides = (
        _side_text(name, bounds, attribute, int(cells.corner[cell, attribute]), side, digits)
        for attribute, name in enumerate(names)
        if bounds.low[attribute] < bounds.high[attribute]
    )
    shown = list(islice(sides, MAX_ATTRIBUTES_SHOWN))
    n_more = sum(1 for _ in sides)
    return ", ".join(shown) + f", … ({n_more} more)" * (n_more > 0)


def _side_text(
    name: str, bounds: CellBounds, attribute: int, begin: int, length: int, digits: int
) -> str:
    """Return the bounds of a cell in one attribute."""
    low, high = bounds.value(attribute, begin), bounds.value(attribute, begin + length)
    while short(low, digits) == short(high, digits) and digits < ALL_DIGITS:
        digits += 1
    above = f"{short(low, digits)} <= " * (begin > 0)
    below = f" < {short(high, digits)}" * (begin + length < 2**BITS)
    return f"{above}{name}{below}"


# Model files. The training cases are not written, so that a file reveals no more about them than
# the cells do.


SECTIONS = (
    *("training", "parameters", "schema", "bounds", "cells", "nodes", "smoothing", "pruning"),
    "operating_point",
)
_CELLS = ("n_children", "level", "corner", "node")


def write(model: FittedCells, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted model.

    Parameters
    ----------
    model : FittedCells
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    bounds, cells, tree = model.cell_tree.bounds, model.cell_tree.cells, model.tree
    return {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "bounds": {"low": bounds.low.tolist(), "high": bounds.high.tolist()},
        "cells": {name: getattr(cells, name).tolist() for name in _CELLS},
        "nodes": {
            "n_children": tree.n_children.tolist(),
            "counts": tree.counts[tree.leaves].tolist(),
        },
        **write_strategies(model.smoother, model.probabilities, model.pruner, model.node_labels),
        "operating_point": write_point(model.operating_point),
    }


def read(section: Section) -> FittedCells:
    """Return the fitted model of a document."""
    schema = read_schema(section)
    try:
        refuse_nominal(schema)
    except DataError as error:
        section.reject("schema", f"is not valid: {error}")
    tree = _tree(section, schema.n_classes)
    bounds = _bounds(section, schema.n_features)
    cell_tree = CellTree(bounds, _cells(section, tree, schema.n_features), tree)
    strategies = read_strategies(section, tree)
    parameters = read_parameters(section, FittedCells.default_parameters, check_parameters)
    return FittedCells(
        schema=schema,
        training=read_training(section),
        parameters=parameters,
        operating_point=read_point(section, tree.n_classes, tree.n_nodes),
        cell_tree=cell_tree,
        smoother=strategies.smoother,
        pruner=strategies.pruner,
        probabilities=strategies.probabilities,
        node_labels=strategies.node_labels,
        labels=parameters["labels"],
    )


def _bounds(section: Section, n_features: int) -> CellBounds:
    found = section.section("bounds", ("low", "high"))
    low, high = found.floats("low", n_features), found.floats("high", n_features)
    if (low > high).any():
        section.reject("bounds", "ends before it begins")
    return CellBounds(low, high)


def _tree(section: Section, n_classes: int) -> Tree:
    """Return the tree of counts; a file holds those of the leaves."""
    found = section.section("nodes", ("n_children", "counts"))
    n_children = _n_children(found)
    leaves = np.flatnonzero(n_children == 0)
    counts = np.zeros((len(n_children), n_classes))
    counts[leaves] = found.nonnegative("counts", len(leaves), n_classes)
    with np.errstate(over="ignore"):
        if not np.isfinite(counts.sum()):
            found.reject("counts", "has numbers too large to add up")
    return tree_of_counts(n_children, counts)


def _n_children(section: Section) -> NDArray[np.int32]:
    found = section.ints("n_children", np.int32, len(section.items("n_children")))
    if len(found) == 0:
        section.reject("n_children", "is empty")
    check_structure(found)
    return found


def _cells(section: Section, tree: Tree, n_features: int) -> Cells:
    """Return the cells, each within the one that it is part of, side by side in order."""
    found = section.section("cells", _CELLS)
    n_children = _n_children(found)
    level = found.ints("level", np.uint8, len(n_children))
    if (level > BITS - (n_children > 0)).any():
        found.reject("level", f"halves a side more than {BITS} times")
    corner = found.ints("corner", np.uint32, len(n_children), n_features)
    cells = Cells(n_children, level, corner, found.ints("node", np.int64, len(n_children)))
    if (level != cells.level).any() or (level[1:] <= level[cells.parent[1:]]).any():
        found.reject("level", "has a part that is no smaller than its cell")
    if (corner != cells.corner).any() or not _in_their_places(cells):
        found.reject("corner", "has a part that is not where its cell is, or not in order")
    if not _are_nodes(cells, tree):
        found.reject("node", "has cells that are not arranged as the nodes are")
    return cells


def _in_their_places(cells: Cells) -> bool:
    """Return whether parts begin with the address of their cell and are in order."""
    parent = cells.parent[1:]
    parts, level = cells.corner[1:], cells.level[parent]
    apart = (parts ^ cells.corner[parent]) & leading_bits(level)[:, None]
    halves = parts >> (BITS - 1 - level).astype(np.uint32)[:, None] & np.uint32(1)
    keys = np.packbits(halves.astype(np.bool_), axis=1)
    order = np.ascontiguousarray(keys).view(f"S{keys.shape[1]}")[:, 0]
    siblings = parent[1:] == parent[:-1]
    return not apart.any() and bool((order[1:] > order[:-1])[siblings].all())


def _are_nodes(cells: Cells, tree: Tree) -> bool:
    """Return whether cells match nodes: each divided cell its own, and parents their parents."""
    node, divided = cells.node, cells.n_children > 0
    if not ((node >= 0) & (node < tree.n_nodes)).all() or node[0] != 0:
        return False
    return bool(
        np.bincount(node, minlength=tree.n_nodes).all()
        and np.count_nonzero(divided) == tree.n_nodes - tree.n_leaves
        and (divided != tree.is_leaf[node]).all()
        and (tree.parent[node[1:]] == node[cells.parent[1:]]).all()
    )
