"""A ``FittedTree`` as the sections of a document, and back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roctree import criteria, points, pruning, smoothing
from roctree.arrays import Floats
from roctree.errors import ModelFileError
from roctree.files.document import Section
from roctree.files.parts import (
    NotKept,
    read_divided,
    read_parameters,
    read_point,
    read_points,
    read_schema,
    read_score_point,
    read_scored,
    read_strategies,
    read_training,
    read_tree,
    write_parameters,
    write_point,
    write_points,
    write_schema,
    write_scored,
    write_strategies,
    write_training,
    write_tree,
)
from roctree.fitted import FittedTree
from roctree.geometry import Boundary, GeometricProbability, Spread
from roctree.parameters import RULES, check_parameter
from roctree.scorecard import FittedScorecard
from roctree.tree.tree import Tree

SECTIONS = (
    *("training", "parameters", "schema", "tree", "smoothing", "pruning", "class_weight"),
    *("metric", "divides_cases", "geometric_probability", "operating_point"),
)
# Sections that came later: the points, if any were asked for; and the scores of cases, with points
# or if cases are divided.
LATER_SECTIONS = ("points", "scored")
_METRIC_FIELDS = ("ranges", "deviations", "scale")
_GEOMETRIC_FIELDS = ("votes", "scale", "extent", "start", "step", "bandwidth", "sums")


def write(model: FittedTree, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted tree.

    Parameters
    ----------
    model : FittedTree
        The model.
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    written = {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "tree": write_tree(model.tree),
        **write_strategies(model.smoother, model.probabilities, model.pruner, model.node_labels),
        "class_weight": model.class_weight.tolist(),
        "metric": {
            "ranges": model.spread.ranges.tolist(),
            "deviations": model.spread.deviations.tolist(),
            "scale": model.scale.tolist(),
        },
        "divides_cases": bool(model.divides_cases),
        "geometric_probability": _write_geometric(model.geometric),
        "operating_point": write_point(model.operating_point),
    }
    if model.points is not None:
        written["points"] = write_points(model.points)
    if model.scored is not None:
        written["scored"] = write_scored(model.scored)
    return written


# The behaviour before the parameter existed, if that is not its default.
_BEFORE = {"category_shrinkage": None}


def read(section: Section) -> FittedTree:
    """Return the fitted tree of a document."""
    schema = read_schema(section)
    tree = read_tree(section, schema)
    metric = section.section("metric", _METRIC_FIELDS)
    ranges, deviations, scale = (
        metric.nonnegative(name, schema.n_features) for name in _METRIC_FIELDS
    )
    strategies = read_strategies(section, tree)
    defaults = {**FittedTree.default_parameters, **_BEFORE}
    parameters = read_parameters(section, defaults, _check_stored_parameters)
    card = read_points(section, schema) if "points" in section.values else None
    found = FittedTree(
        schema=schema,
        training=read_training(section),
        parameters=parameters,
        tree=tree,
        smoother=strategies.smoother,
        pruner=strategies.pruner,
        probabilities=strategies.probabilities,
        node_labels=strategies.node_labels,
        class_weight=_read_class_weight(section, schema.n_classes),
        spread=Spread(ranges, deviations),
        scale=scale,
        divides_cases=section.flag("divides_cases"),
        labels=parameters["labels"],
        ranking=parameters["ranking"],
        width=parameters["width"],
        geometric=_read_geometric(section, tree, schema.n_features),
        points=card,
    )
    has_scores = "scored" in section.values
    if card is not None and card.attributes:
        if not has_scores:
            raise ModelFileError("The file has points without scores of cases.")
        scored = read_scored(section, tree)
        point = read_score_point(section, scored)
        return replace(FittedScorecard.from_tree(found, card, scored), operating_point=point)
    if has_scores and not found.mixes_leaves:
        raise ModelFileError("The file has scores of cases, which the tree does not divide.")
    return replace(
        found,
        scored=read_divided(section, tree) if has_scores else None,
        operating_point=read_point(section, tree.n_classes, tree.n_nodes),
    )


def _check_stored_parameters(parameters: Mapping[str, Any]) -> None:
    for name in RULES:
        check_parameter(name, parameters[name])
    resolvers: dict[str, Any] = {
        "criterion": criteria.resolve_criterion,
        "pruning": pruning.resolve_pruner,
        "smoothing": smoothing.resolve_smoother,
        "points": points.resolve_points,
    }
    for name, resolve in resolvers.items():
        if not isinstance(parameters[name], NotKept):
            resolve(parameters[name])


def _read_class_weight(section: Section, n_classes: int) -> Floats:
    found = section.nonnegative("class_weight", n_classes)
    if not found.any():
        section.reject("class_weight", "has no weight above 0")
    return found


def _write_geometric(estimate: GeometricProbability | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {
        "votes": estimate.boundary.votes.tolist(),
        "scale": estimate.boundary.scale.tolist(),
        "extent": estimate.boundary.extent,
        "start": estimate.start,
        "step": estimate.step,
        "bandwidth": estimate.bandwidth,
        "sums": estimate.sums.tolist(),
    }


def _read_geometric(section: Section, tree: Tree, n_features: int) -> GeometricProbability | None:
    name = "geometric_probability"
    if not section.has(name):
        return None
    found = section.section(name, _GEOMETRIC_FIELDS)
    if tree.n_classes != 2:
        section.reject(name, "is for two classes")
    sums = found.floats("sums", len(found.items("sums")), 2)
    step, bandwidth = found.number("step", 0.0), found.number("bandwidth", 0.0)
    if len(sums) == 0 or (sums < 0.0).any() or step == 0.0 or bandwidth == 0.0:
        section.reject(name, "has no sums, one below 0, or no step")
    return GeometricProbability(
        Boundary(
            tree,
            found.floats("votes", *tree.counts.shape),
            found.nonnegative("scale", n_features),
            found.number("extent", 0.0),
        ),
        found.number("start"),
        step,
        sums,
        bandwidth,
    )
