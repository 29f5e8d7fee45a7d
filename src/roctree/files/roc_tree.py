"""A fitted ``ROCTreeClassifier`` as the sections of a document, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree import criteria, pruning, smoothing
from roctree.errors import ModelFileError, ParameterError
from roctree.files import training, values
from roctree.files.operating_point import plain_point, restored_point
from roctree.files.schema import plain_schema, restored_schema
from roctree.files.section import Section
from roctree.files.tree import plain_tree, restored_tree
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
# Probabilities may be off by this much in sum.
_UNEVEN = 1e-6


def plain(model: Any, forgotten: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted classifier.

    Parameters
    ----------
    model : the classifier
    forgotten : receives the words for what a file cannot hold
    """
    parameters = {
        name: values.plain_or_name(value) for name, value in model.get_params(deep=False).items()
    }
    forgotten += [
        f"{name}={value['not_kept']}"
        for name, value in parameters.items()
        if values.is_forgotten(value)
    ]
    labels = None if model.node_labels_ is None else model.node_labels_.tolist()
    return {
        "training": training.plain(model.training_),
        "parameters": parameters,
        "schema": plain_schema(model.schema_),
        "tree": plain_tree(model.tree_),
        "smoothing": {
            "strategy": values.plain_or_name(model.smoothing_),
            "probabilities": model.probabilities_.tolist(),
        },
        "pruning": {"strategy": values.plain_or_name(model.pruning_), "labels": labels},
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
    smoothed = section.section("smoothing", ("strategy", "probabilities"))
    pruned = section.section("pruning", ("strategy", "labels"))
    metric = section.section("metric", _METRIC)
    ranges, deviations, scale = (_sizes(metric, name, schema.n_features) for name in _METRIC)
    attributes = {
        "training_": training.restored(section, "training"),
        "schema_": schema,
        "classes_": schema.classes,
        "n_classes_": schema.n_classes,
        "n_features_in_": schema.n_features,
        "n_outputs_": 1,
        "tree_": tree,
        "smoothing_": _strategy(smoothed, "smoothing"),
        "probabilities_": _probabilities(smoothed, tree),
        "pruning_": _strategy(pruned, "pruning"),
        "node_labels_": _labels(pruned, tree),
        "class_weight_": _class_weight(section, schema.n_classes),
        "spread_": Spread(ranges, deviations),
        "scale_": scale,
        "divides_cases_": section.flag("divides_cases"),
        "geometric_": _estimate(section, tree, schema.n_features),
        "operating_point_": restored_point(section, "operating_point", tree),
    }
    if schema.named:
        attributes["feature_names_in_"] = np.array(schema.names, dtype=object)
    model = _with_parameters(cls, section)
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


def _with_parameters(cls: Any, section: Section) -> Any:
    """Return a classifier that is not fitted; parameters that are younger than the file default."""
    given = section.values["parameters"]
    known = cls._get_param_names()
    if not isinstance(given, dict) or not set(given) <= set(known):
        section.refuse("parameters", "has one that this release does not know")
    model = cls(**{name: values.restored(given[name], f"parameter {name!r}") for name in given})
    try:
        for name in RULES:
            check_parameter(name, getattr(model, name))
        for name, resolve in _STRATEGIES.items():
            if not isinstance(getattr(model, name), values.NotKept):
                resolve(getattr(model, name))
    except ParameterError as error:
        raise ModelFileError(f"'parameters' of the file make no sense: {error}") from None
    return model


def _strategy(section: Section, kind: str) -> Any:
    found = values.restored(section.values["strategy"], kind)
    if not isinstance(found, (values.NotKept, *values.STRATEGIES[kind].values())):
        section.refuse("strategy", f"is no {kind}")
    return found


def _probabilities(section: Section, tree: Tree) -> Floats:
    found = section.floats("probabilities", *tree.counts.shape)
    leaves = found[tree.leaves]
    if (leaves < 0.0).any() or (np.abs(leaves.sum(axis=1) - 1.0) > _UNEVEN).any():
        section.refuse("probabilities", "has a leaf whose shares do not add up to 1")
    return found


def _labels(section: Section, tree: Tree) -> NDArray[np.int64] | None:
    if not section.has("labels"):
        return None
    found = section.ints("labels", tree.n_nodes, np.int64)
    if not ((found >= 0) & (found < tree.n_classes)).all():
        section.refuse("labels", "has a number that is no class")
    return found


def _class_weight(section: Section, n_classes: int) -> Floats:
    found = _sizes(section, "class_weight", n_classes)
    if not found.any():
        section.refuse("class_weight", "has no weight above 0")
    return found


def _sizes(section: Section, name: str, length: int) -> Floats:
    found = section.floats(name, length)
    if (found < 0.0).any():
        section.refuse(name, "has a number below 0")
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
            _sizes(found, "scale", n_features),
            found.number("extent", 0.0),
        ),
        found.number("start"),
        step,
        sums,
        bandwidth,
    )
