"""What exports share: which results can be exported, and which nodes divide a case.

A row is divided among several branches if it misses a value and the node has no branch for missing
values, or if it is near a soft threshold.
"""

import re
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.fitted import FittedTree
from roctree.scorecard import FittedScorecard
from roctree.tree.tree import Tree

_SURROGATE = re.compile("[\ud800-\udfff]")


def check_portable(model: FittedTree) -> None:
    """Raise ``ParameterError`` for results that no other program can reproduce."""
    if model.decision.chance > 0.0:
        raise ParameterError(
            reason="Randomised labels cannot be exported: use {at(...)} without {randomise=True}."
        )
    if model.geometric is not None:
        raise ParameterError(
            reason="Geometric probabilities cannot be exported; they come from "
            "{geometric_probability=True}."
        )
    if isinstance(model, FittedScorecard) and model.calibration is not None:
        raise ParameterError(
            reason="Calibrated probabilities of a tree with points cannot be exported: export it "
            "before {calibrated(...)}."
        )
    schema = model.schema
    categories = (known for known in schema.categories if known is not None)
    for name in chain(schema.names, *categories, schema.classes.tolist()):
        if isinstance(name, str) and _SURROGATE.search(name):
            raise ParameterError(
                f"{name!r} contains a lone surrogate, which is not valid Unicode text: rename it."
            )


def tested_features(tree: Tree) -> list[int]:
    """Return the attributes that the tree tests, in order."""
    return sorted({int(feature) for feature in tree.feature if feature >= 0})


def used_features(model: FittedTree) -> list[int]:
    """Return the attributes that the tree tests or that have points, in order."""
    pointed = model.points.features if isinstance(model, FittedScorecard) else []
    return sorted({*tested_features(model.tree), *pointed})


def steepness(tree: Tree) -> NDArray[np.float64]:
    """Return the slope of the share that goes above each soft threshold; 0 for other nodes."""
    with np.errstate(divide="ignore", over="ignore"):
        slope = 0.5 / tree.softness
    return np.where(np.isfinite(slope) & ~np.isnan(tree.threshold), slope, 0.0)


def divides(tree: Tree) -> bool:
    """Whether some node divides rows among its branches."""
    return bool((~tree.is_leaf & (tree.missing_branch < 0) | (steepness(tree) > 0.0)).any())


def undivided(tree: Tree) -> Tree:
    """Return the tree with hard thresholds, and missing values in the heaviest branch."""
    single = np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)
    return replace(tree, softness=np.zeros(tree.n_nodes), missing_branch=single)
