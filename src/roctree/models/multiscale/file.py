"""A Multiscale Classifier as the sections of a model file, and back.

The training cases are not written, so that a file reveals no more about them than the cells do.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import DataError
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
from roctree.models.multiscale.cells import (
    BITS,
    CellBounds,
    Cells,
    CellTree,
    leading_bits,
    tree_of_counts,
)
from roctree.models.multiscale.fitted import FittedCells, check_parameters, refuse_nominal
from roctree.tree.tree import Tree, check_structure

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
