"""Cells as text: the box of each, by the attributes that bound it."""

from itertools import islice

import numpy as np

from roctree.data import Schema
from roctree.models.multiscale.cells import BITS, Bounds, Cells, CellTree, Ints
from roctree.table import plain
from roctree.tree.text import ALL_DIGITS, check_limits, in_lines, short

# All attributes are halved at once, so that a line could be as long as the table is wide.
MAX_SHOWN = 4


def cells_to_text(
    cell_tree: CellTree, schema: Schema, labels: Ints, *, max_depth: int | None, digits: int
) -> str:
    """Return a line for each cell, parts below the cell that they are of.

    A cell at the edge has no bound there, for values beyond count as those at the edge. Parts that
    were merged are told by their number.

    Parameters
    ----------
    cell_tree : the cells
    schema : names and classes
    labels : the class of each node
    max_depth : number of levels to show; None for all
    digits : significant digits of bounds and weights
    """
    check_limits(max_depth, digits)
    bounds, cells, tree = cell_tree.bounds, cell_tree.cells, cell_tree.tree
    names = [plain(name) for name in schema.names]
    cell_of, n_cells = _cells_of_nodes(cells, tree.n_nodes)

    def condition(node: int) -> str:
        if n_cells[node] == 1:
            return _box(cells, int(cell_of[node]), bounds, names, digits)
        return f"any of {n_cells[node]} cells"

    return in_lines(
        tree, schema.classes, condition, max_depth=max_depth, digits=digits, labels=labels
    )


def _cells_of_nodes(cells: Cells, n_nodes: int) -> tuple[Ints, Ints]:
    """Return a cell of each node, and how many it has."""
    cell_of = np.zeros(n_nodes, dtype=np.int64)
    cell_of[cells.node] = np.arange(cells.n_cells)
    return cell_of, np.bincount(cells.node, minlength=n_nodes)


def _box(cells: Cells, cell: int, bounds: Bounds, names: list[str], digits: int) -> str:
    side = 2 ** (BITS - int(cells.level[cell]))
    sides = (
        _side(name, bounds, attribute, int(cells.corner[cell, attribute]), side, digits)
        for attribute, name in enumerate(names)
        if bounds.low[attribute] < bounds.high[attribute]
    )
    shown = list(islice(sides, MAX_SHOWN))
    n_more = sum(1 for _ in sides)
    return ", ".join(shown) + f", … ({n_more} more)" * (n_more > 0)


def _side(name: str, bounds: Bounds, attribute: int, begin: int, length: int, digits: int) -> str:
    """Say between which values an attribute is."""
    low, high = bounds.value(attribute, begin), bounds.value(attribute, begin + length)
    while short(low, digits) == short(high, digits) and digits < ALL_DIGITS:
        digits += 1
    above = f"{short(low, digits)} <= " * (begin > 0)
    below = f" < {short(high, digits)}" * (begin + length < 2**BITS)
    return f"{above}{name}{below}"
