"""What the page needs of the Multiscale Classifier: the cells as nodes, and where cases stop."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.models.multiscale.cells import BITS, CellTree
from roctree.models.multiscale.estimator import MultiscaleClassifier
from roctree.models.multiscale.fitted import refuse_missing
from roctree.report.explorer.split_tree import nodes_of
from roctree.report.explorer.tables import band, feature, numbers
from roctree.tree.passes import with_those_below


def cell_parts(
    estimator: MultiscaleClassifier, test: Dataset | None
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the attributes that are halved, and what the page needs."""
    cell_tree, schema = estimator.cell_tree_, estimator.schema_
    if test is not None:
        refuse_missing(test.values, schema)
    halved = np.flatnonzero(cell_tree.bounds.low < cell_tree.bounds.high)
    tree = cell_tree.tree
    stops = cell_tree.stops(test)
    return halved, {
        "kind": "cells",
        "features": [feature(schema, i) for i in halved.tolist()],
        "tree": nodes_of(tree, halved),
        "probabilities": estimator.probabilities_.ravel().tolist(),
        "training": numbers(tree.counts),
        "test": None if test is None else numbers(with_those_below(tree, stops)),
        "cells": _cells(cell_tree, halved),
        "band": band("training" if test is None else "test", estimator.probabilities_, stops),
        "lines": {
            # Every node: a case stops on the way if training never saw the part that it is in.
            "node": list(range(tree.n_nodes)),
            "scores": None,
            "training": numbers(cell_tree.stops()),
            "test": None if test is None else numbers(stops),
        },
    }


def _cells(cell_tree: CellTree, halved: NDArray[np.intp]) -> dict[str, Any]:
    """The boxes: how often sides were halved, and which of the parts of that size each is."""
    bounds, cells = cell_tree.bounds, cell_tree.cells
    level = cells.level.astype(np.uint64)
    places = cells.corner[:, halved].astype(np.uint64) >> (BITS - level)[:, None]
    return {
        "low": bounds.low[halved].tolist(),
        "high": bounds.high[halved].tolist(),
        "n_children": cells.n_children.tolist(),
        "level": level.tolist(),
        "place": places.ravel().tolist(),
        "node": cells.node.tolist(),
    }
