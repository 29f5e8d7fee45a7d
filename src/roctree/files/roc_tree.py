"""A fitted ``ROCTreeClassifier`` as the sections of a document, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree import criteria, pruning, smoothing
from roctree.files import training, values
from roctree.files.classifier import plain_parameters, unfitted
from roctree.files.operating_point import plain_point, restored_point
from roctree.files.schema import plain_schema, restored_schema
from roctree.files.section import Section
from roctree.files.strategies import plain_strategies, restored_strategies
from roctree.files.tree import plain_tree, restored_tree
from roctree.fitted import FittedTree
from roctree.geometry import Boundary, GeometricProbability, Spread
from roctree.parameters import RULES, check_parameter
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]

SECTIONS = (
    *("training", "parameters", "schema", "tree", "smoothing", "pruning", "class_weight"),
    *("metric", "divides_cases", "geometric_probability", "operating_point"),
)
_METRIC = ("ranges", "deviations", "scale")
_ESTIMATE = ("votes", "scale", "extent", "start", "step", "bandwidth", "sums")
_STRATEGIES: dict[str, Any] = {
    "criterion": criteria.resolve,
    "pruning": pruning.resolve,
    "smoothing": smoothing.resolve,
}


def plain(model: Any, forgotten: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted classifier.

    Parameters
    ----------
    model : the classifier
    forgotten : receives the words for what a file cannot hold
    """
    return {
        "training": training.plain(model.training_),
        "parameters": plain_parameters(model, forgotten),
        "schema": plain_schema(model.schema_),
        "tree": plain_tree(model.tree_),
        **plain_strategies(model),
        "class_weight": model.class_weight_.tolist(),
        "metric": {
            "ranges": model.spread_.ranges.tolist(),
            "deviations": model.spread_.deviations.tolist(),
            "scale": model.scale_.tolist(),
        },
        "divides_cases": bool(model.divides_cases_),
        "geometric_probability": _plain_estimate(model.geometric_),
        "operating_point": plain_point(model.operating_point_),
    }


def restored(cls: Any, section: Section) -> Any:
    """Return the classifier of a document's sections."""
    schema = restored_schema(section, "schema")
    tree = restored_tree(section, "tree", schema)
    metric = section.section("metric", _METRIC)
    ranges, deviations, scale = (metric.sizes(name, schema.n_features) for name in _METRIC)
    strategies = restored_strategies(section, tree)
    model = unfitted(cls, section, _check_parameters)
    model.fitted_ = FittedTree(
        schema=schema,
        training=training.restored(section, "training"),
        parameters=model.get_params(deep=False),
        operating_point=restored_point(section, "operating_point", tree.n_classes, tree.n_nodes),
        tree=tree,
        smoother=strategies["smoothing_"],
        pruner=strategies["pruning_"],
        probabilities=strategies["probabilities_"],
        node_labels=strategies["node_labels_"],
        class_weight=_class_weight(section, schema.n_classes),
        spread=Spread(ranges, deviations),
        scale=scale,
        divides_cases=section.flag("divides_cases"),
        labels=model.labels,
        ranking=model.ranking,
        width=model.width,
        geometric=_estimate(section, tree, schema.n_features),
    )
    return model


def _check_parameters(model: Any) -> None:
    for name in RULES:
        check_parameter(name, getattr(model, name))
    for name, resolve in _STRATEGIES.items():
        if not isinstance(getattr(model, name), values.NotKept):
            resolve(getattr(model, name))


def _class_weight(section: Section, n_classes: int) -> Floats:
    found = section.sizes("class_weight", n_classes)
    if not found.any():
        section.refuse("class_weight", "has no weight above 0")
    return found


def _plain_estimate(estimate: GeometricProbability | None) -> dict[str, Any] | None:
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


def _estimate(section: Section, tree: Tree, n_features: int) -> GeometricProbability | None:
    name = "geometric_probability"
    if not section.has(name):
        return None
    found = section.section(name, _ESTIMATE)
    if tree.n_classes != 2:
        section.refuse(name, "is for two classes")
    sums = found.floats("sums", len(found.items("sums")), 2)
    step, bandwidth = found.number("step", 0.0), found.number("bandwidth", 0.0)
    if len(sums) == 0 or (sums < 0.0).any() or step == 0.0 or bandwidth == 0.0:
        section.refuse(name, "has no sums, or one below 0, or no step")
    return GeometricProbability(
        Boundary(
            tree,
            found.floats("votes", *tree.counts.shape),
            found.sizes("scale", n_features),
            found.number("extent", 0.0),
        ),
        found.number("start"),
        step,
        sums,
        bandwidth,
    )
