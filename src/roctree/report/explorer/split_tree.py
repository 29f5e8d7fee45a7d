"""What the page needs of a tree of splits: nodes, tests, metric, and the cases in the leaves."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset
from roctree.estimator import ROCTreeClassifier
from roctree.geometry import extent
from roctree.geometry.metric import units_of
from roctree.operating import Counts, counts_in_parts
from roctree.report.explorer.divided import divided_cases
from roctree.report.explorer.tables import band, feature, numbers, or_none
from roctree.tally import Tally
from roctree.tree.text import short_thresholds
from roctree.tree.tree import Tree


def split_tree_parts(
    estimator: ROCTreeClassifier, test: Dataset | None
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Return the attributes that the tree tests, and what the page needs."""
    tree, schema = estimator.tree_, estimator.schema_
    tested = np.unique(tree.feature[~tree.is_leaf]).astype(np.intp)
    units = units_of(estimator.scale_)
    return tested, {
        "kind": "tree",
        "features": [feature(schema, i, float(units[i])) for i in tested.tolist()],
        "extent": extent(estimator.spread_, estimator.scale_, schema.nominal),
        "tree": nodes_of(tree, tested),
        "probabilities": estimator.probabilities_.ravel().tolist(),
        "training": numbers(tree.counts),
        **_counted(estimator, test),
    }


def nodes_of(tree: Tree, tested: NDArray[np.intp]) -> dict[str, Any]:
    """Return the structure; attributes are numbered among those that the page shows."""
    cuts = short_thresholds(tree)
    places = np.where(tree.is_leaf, -1, np.searchsorted(tested, tree.feature))
    return {
        "n_children": tree.n_children.tolist(),
        "feature": places.tolist(),
        "threshold": or_none(tree.threshold),
        "cut": [cuts.get(node) for node in range(tree.n_nodes)],
        "softness": tree.softness.tolist() if tree.softness.any() else None,
        "category_branch": tree.category_branch.tolist(),
        "category_offsets": tree.category_offsets.tolist(),
        "missing_branch": tree.missing_branch.tolist(),
    }


def _counted(estimator: ROCTreeClassifier, test: Dataset | None) -> dict[str, Any]:
    """The test cases in the leaves; those divided among several stand apart, as in Python.

    Where these are too many they count in parts, and ``in_parts`` says so, as of training cases.
    """
    tree, scores = estimator.tree_, estimator.probabilities_
    divides = estimator.divides_cases_
    in_parts = [name for name in get_args(Counts) if counts_in_parts(name, tree, divides)]
    if test is None:
        known = band("training", scores[tree.leaves], tree.counts[tree.leaves])
        return {"test": None, "band": known, "in_parts": in_parts}
    tally, apart = Tally.of(tree, test), divided_cases(tree, test)
    return {
        "test": numbers(tally.parts),
        "whole": numbers(tally.counts[: tree.n_leaves]) if apart else None,
        "divided": apart or [],
        "band": band("test", tally.lines(scores), tally.counts),
        "in_parts": [*in_parts, "test"] if apart is None else in_parts,
    }
