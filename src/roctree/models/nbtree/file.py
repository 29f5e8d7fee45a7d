"""A Naive Bayes tree as the sections of a model file, and back.

Only the cuts and counts of the models are written. The number of cells of an attribute follows from
its cuts or its categories, and probabilities follow from the counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.files import training
from roctree.files.classifier import plain_parameters, unfitted
from roctree.files.operating_point import plain_point, restored_point
from roctree.files.schema import plain_schema, restored_schema
from roctree.files.section import Section
from roctree.files.strategies import shares
from roctree.files.tree import plain_tree, restored_tree
from roctree.labelling import OperatingPoint
from roctree.models.nbtree.fitted import FittedNaiveBayesTree, Scored, check_parameters
from roctree.models.nbtree.naive_bayes import Models, NaiveBayesTree, category_cells, offsets
from roctree.operating import HELD_OUT
from roctree.tree.tree import Tree

Ints = NDArray[np.int64]

SECTIONS = ("training", "parameters", "schema", "tree", "models", "scored", "operating_point")
_MODELS = ("of_nodes", "cuts", "counts", "class_counts")


def plain(classifier: Any, forgotten: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted classifier.

    Parameters
    ----------
    classifier : NaiveBayesTreeClassifier
    forgotten : list of str
        Receives the parameters that a file cannot hold.
    """
    model: FittedNaiveBayesTree = classifier.fitted_
    return {
        "training": training.plain(model.training),
        "parameters": plain_parameters(classifier, forgotten),
        "schema": plain_schema(model.schema),
        "tree": plain_tree(model.tree.nodes),
        "models": _plain_models(model.tree),
        "scored": _plain_scored(model.scored),
        "operating_point": plain_point(model.operating_point),
    }


def restored(cls: Any, section: Section) -> Any:
    """Return the classifier of a document's sections."""
    schema = restored_schema(section, "schema")
    nodes = restored_tree(section, "tree", schema)
    scored = _scored(section, nodes)
    classifier = unfitted(cls, section, lambda found: check_parameters(found.get_params(False)))
    classifier.fitted_ = FittedNaiveBayesTree(
        schema=schema,
        training=training.restored(section, "training"),
        operating_point=_point(section, scored),
        tree=_tree(section, nodes, schema),
        scored=scored,
    )
    return classifier


def _plain_scored(scored: Scored) -> dict[str, Any]:
    plain = {"scores": scored.scores.tolist(), "counts": scored.counts.tolist()}
    return plain if scored.leaf is None else plain | {"leaves": scored.leaf.tolist()}


def _plain_models(tree: NaiveBayesTree) -> dict[str, Any]:
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
        found.refuse("of_nodes", "has a leaf without a model, or an inner node with one")
    return NaiveBayesTree(nodes, numbers, models, schema.nominal)


def _models(section: Section, schema: Schema) -> Models:
    n_models = len(section.items("class_counts"))
    if n_models == 0:
        section.refuse("class_counts", "has no models")
    n_categories = np.tile(category_cells(schema), n_models)
    cut_starts, cuts = _cuts(section, n_categories)
    n_cells = np.where(n_categories > 0, n_categories, np.diff(cut_starts) + 1)
    models = Models(
        cut_starts,
        cuts,
        offsets(n_cells),
        section.sizes("counts", int(n_cells.sum()), schema.n_classes),
        section.sizes("class_counts", n_models, schema.n_classes),
    )
    with np.errstate(over="ignore"):
        for name in ("counts", "class_counts"):
            if not np.isfinite(getattr(models, name).sum()):
                section.refuse(name, "has numbers too large to add up")
    return models


def _cuts(section: Section, n_categories: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return where the cuts of each attribute of each model begin, and all cuts."""
    lists = section.items("cuts")
    if len(lists) != len(n_categories) or not all(type(cuts) is list for cuts in lists):
        section.refuse("cuts", f"is not made of {len(n_categories)} lists")
    sizes = np.array([len(cuts) for cuts in lists])
    if sizes[n_categories > 0].any():
        section.refuse("cuts", "has one between categories")
    every = Section({"cuts": [cut for cuts in lists for cut in cuts]}, section.place)
    cuts, starts = every.floats("cuts", int(sizes.sum())), offsets(sizes)
    within = np.ones(len(cuts), dtype=np.bool_)
    within[starts[:-1][sizes > 0]] = False
    if (cuts[1:] <= cuts[:-1])[within[1:]].any():
        section.refuse("cuts", "is not in increasing order")
    return starts, cuts


def _scored(section: Section, nodes: Tree) -> Scored:
    # Files of the first release do not name the leaves.
    plain = section.values["scored"]
    says_leaves = isinstance(plain, dict) and "leaves" in plain
    found = section.section("scored", ("scores", "counts", *["leaves"] * says_leaves))
    n_scores, n_classes = len(found.items("scores")), nodes.n_classes
    counts = found.sizes("counts", n_scores, n_classes)
    with np.errstate(over="ignore"):
        if not 0.0 < counts.sum() < np.inf:
            found.refuse("counts", "has no cases, or too many to add up")
    scores = shares(found, "scores", slice(None), n_scores, n_classes)
    return Scored(scores, counts, _leaves(found, n_scores, nodes) if says_leaves else None)


def _leaves(section: Section, n_scores: int, nodes: Tree) -> Ints:
    leaves = section.ints("leaves", np.int64, n_scores)
    if not np.isin(leaves, nodes.leaves).all():
        section.refuse("leaves", "has a number of no leaf")
    return leaves


def _point(section: Section, scored: Scored) -> OperatingPoint | None:
    """Return the operating point; one chosen on held-out cases has as many rows as their scores."""
    n_answers, n_classes = scored.scores.shape
    point = restored_point(section, "operating_point", n_classes)
    if point is None:
        return None
    n_rows = len(point.votes)
    if n_rows < n_classes or (point.counts != HELD_OUT and n_rows != n_answers + n_classes):
        section.refuse("operating_point", "has votes for other answers")
    return point
