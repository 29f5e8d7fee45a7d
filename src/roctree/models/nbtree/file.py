"""A fitted ``NaiveBayesTreeClassifier`` as the sections of a document, and back.

Of the models only cuts and counts are written. How many cells an attribute has follows from its
cuts or its categories, and probabilities follow from the counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_point,
    read_schema,
    read_training,
    read_tree,
    write_parameters,
    write_point,
    write_schema,
    write_training,
    write_tree,
)
from roctree.labelling import OperatingPoint
from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier, check_parameters
from roctree.models.nbtree.fitted import Scored
from roctree.models.nbtree.naive_bayes import Models, NaiveBayesTree, category_cells, offsets
from roctree.operating import HELD_OUT
from roctree.tree.tree import Tree

Ints = NDArray[np.int64]

SECTIONS = ("training", "parameters", "schema", "tree", "models", "scored", "operating_point")
_MODELS = ("of_nodes", "cuts", "counts", "class_counts")


def write(model: Any, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted classifier.

    Parameters
    ----------
    model : the classifier
    omitted : receives the parameters whose value a file cannot hold
    """
    return {
        "training": write_training(model.training_),
        "parameters": write_parameters(model.get_params(deep=False), omitted),
        "schema": write_schema(model.schema_),
        "tree": write_tree(model.tree_.nodes),
        "models": _plain_models(model.tree_),
        "scored": _plain_scored(model.scored_),
        "operating_point": write_point(model.operating_point_),
    }


def read(section: Section) -> Any:
    """Return the classifier of a document's sections."""
    schema = read_schema(section)
    nodes = read_tree(section, schema)
    scored = _scored(section, nodes)
    attributes = {
        "training_": read_training(section),
        "tree_": _tree(section, nodes, schema),
        "scored_": scored,
        "operating_point_": _point(section, scored),
    }
    return fitted_classifier(
        NaiveBayesTreeClassifier, section, check_parameters, schema, attributes
    )


def fitted_classifier(
    cls: Any, section: Section, check: Any, schema: Schema, attributes: dict[str, Any]
) -> Any:
    """Return a classifier with the parameters of a document and what ``fit`` has set."""
    defaults = cls().get_params(deep=False)
    model = cls(**read_parameters(section, defaults, lambda given: check(cls(**given))))
    of_schema = {
        "schema_": schema,
        "classes_": schema.classes,
        "n_classes_": schema.n_classes,
        "n_features_in_": schema.n_features,
    }
    if schema.named:
        of_schema["feature_names_in_"] = np.array(schema.names, dtype=object)
    for name, value in {**of_schema, **attributes}.items():
        setattr(model, name, value)
    return model


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
        found.reject("of_nodes", "has a leaf without a model, or a model elsewhere")
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


def _scored(section: Section, nodes: Tree) -> Scored:
    # Files of the first release do not say which leaf gave an answer.
    plain = section.values["scored"]
    says_leaves = isinstance(plain, dict) and "leaves" in plain
    found = section.section("scored", ("scores", "counts", *["leaves"] * says_leaves))
    n_scores, n_classes = len(found.items("scores")), nodes.n_classes
    counts = found.nonnegative("counts", n_scores, n_classes)
    with np.errstate(over="ignore"):
        if not 0.0 < counts.sum() < np.inf:
            found.reject("counts", "has no cases, or too many to add up")
    scores = found.probabilities("scores", slice(None), n_scores, n_classes)
    return Scored(scores, counts, _leaves(found, n_scores, nodes) if says_leaves else None)


def _leaves(section: Section, n_scores: int, nodes: Tree) -> Ints:
    leaves = section.ints("leaves", np.int64, n_scores)
    if not np.isin(leaves, nodes.leaves).all():
        section.reject("leaves", "has a number of no leaf")
    return leaves


def _point(section: Section, scored: Scored) -> OperatingPoint | None:
    """Return the operating point; by cases held out it has as many rows as these had answers."""
    n_answers, n_classes = scored.scores.shape
    point = read_point(section, n_classes)
    if point is None:
        return None
    n_rows = len(point.votes)
    if n_rows < n_classes or (point.counts != HELD_OUT and n_rows != n_answers + n_classes):
        section.reject("operating_point", "has votes for other answers")
    return point
