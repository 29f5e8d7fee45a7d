"""A Naive Bayes tree as the sections of a model file, and back.

Only the cuts and counts of the models are written. The number of cells of an attribute follows from
its cuts or its categories, and probabilities follow from the counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Ints
from roctree.data import Schema
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_schema,
    read_score_point,
    read_scored,
    read_training,
    read_tree,
    write_parameters,
    write_point,
    write_schema,
    write_scored,
    write_training,
    write_tree,
)
from roctree.models.nbtree.fitted import FittedNaiveBayesTree, check_parameters
from roctree.models.nbtree.naive_bayes import Models, NaiveBayesTree, category_cells, offsets
from roctree.tree.tree import Tree

SECTIONS = ("training", "parameters", "schema", "tree", "models", "scored", "operating_point")
_MODELS = ("of_nodes", "cuts", "counts", "class_counts")


def write(model: FittedNaiveBayesTree, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted model.

    Parameters
    ----------
    model : FittedNaiveBayesTree
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    return {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "tree": write_tree(model.tree.nodes),
        "models": _write_models(model.tree),
        "scored": write_scored(model.scored),
        "operating_point": write_point(model.operating_point),
    }


def read(section: Section) -> FittedNaiveBayesTree:
    """Return the fitted model of a document."""
    schema = read_schema(section)
    nodes = read_tree(section, schema)
    scored = read_scored(section, nodes)
    defaults = FittedNaiveBayesTree.default_parameters
    return FittedNaiveBayesTree(
        schema=schema,
        training=read_training(section),
        parameters=read_parameters(section, defaults, check_parameters),
        operating_point=read_score_point(section, scored),
        tree=_tree(section, nodes, schema),
        scored=scored,
    )


def _write_models(tree: NaiveBayesTree) -> dict[str, Any]:
    models = tree.models
    return {
        "of_nodes": tree.model.tolist(),
        "cuts": [cuts.tolist() for cuts in np.split(models.cuts, models.cut_starts[1:-1])],
        "counts": models.counts.tolist(),
        "class_counts": models.class_counts.tolist(),
    }


def _tree(section: Section, nodes: Tree, schema: Schema) -> NaiveBayesTree:
    found = section.section("models", _MODELS)
    models = _models(found, schema)
    numbers = found.ints("of_nodes", np.int64, nodes.n_nodes)
    if (
        (numbers[~nodes.is_leaf] != -1).any()
        or (numbers[nodes.is_leaf] < 0).any()
        or (numbers >= len(models)).any()
    ):
        found.reject("of_nodes", "has a leaf without a model, or an inner node with one")
    return NaiveBayesTree(nodes, numbers, models, schema.nominal)


def _models(section: Section, schema: Schema) -> Models:
    n_models = len(section.items("class_counts"))
    if n_models == 0:
        section.reject("class_counts", "has no models")
    n_categories = np.tile(category_cells(schema), n_models)
    cut_starts, cuts = _cuts(section, n_categories)
    n_cells = np.where(n_categories > 0, n_categories, np.diff(cut_starts) + 1)
    models = Models(
        cut_starts,
        cuts,
        offsets(n_cells),
        section.nonnegative("counts", int(n_cells.sum()), schema.n_classes),
        section.nonnegative("class_counts", n_models, schema.n_classes),
    )
    with np.errstate(over="ignore"):
        for name in ("counts", "class_counts"):
            if not np.isfinite(getattr(models, name).sum()):
                section.reject(name, "has numbers too large to add up")
    return models


def _cuts(section: Section, n_categories: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return where the cuts of each attribute of each model begin, and all cuts."""
    lists = section.items("cuts")
    if len(lists) != len(n_categories) or not all(type(cuts) is list for cuts in lists):
        section.reject("cuts", f"is not made of {len(n_categories)} lists")
    sizes = np.array([len(cuts) for cuts in lists])
    if sizes[n_categories > 0].any():
        section.reject("cuts", "has one between categories")
    every = Section({"cuts": [cut for cuts in lists for cut in cuts]}, section.place)
    cuts, starts = every.floats("cuts", int(sizes.sum())), offsets(sizes)
    within = np.ones(len(cuts), dtype=np.bool_)
    within[starts[:-1][sizes > 0]] = False
    if (cuts[1:] <= cuts[:-1])[within[1:]].any():
        section.reject("cuts", "is not in increasing order")
    return starts, cuts
