"""What a model is and where it came from, in lines at the head of all that leaves the library."""

from typing import Any

from roctree._version import __version__
from roctree.table import amount, on_one_line

_MOST_CLASSES = 10
SOFT = "thresholds are soft: a case near one goes down both branches, and its leaves are averaged"


def origin(model: Any) -> tuple[str, ...]:
    """Return lines without control characters: model, data, size, and how labels are chosen.

    Parameters
    ----------
    model : a fitted classifier of the library
    """
    schema, training = model.schema_, model.training_
    classes = [repr(label) for label in schema.classes.tolist()]
    classes[_MOST_CLASSES:] = ["..."] * (len(classes) > _MOST_CLASSES)
    columns = amount(schema.n_features, "column")
    saved = f"; first saved {training.date}" if training.date is not None else ""
    size = f"{amount(model.tree_.n_nodes, 'node')}, {size_of(model)}"
    smoothing = getattr(model, "smoothing_", None)
    lines: tuple[str, ...] = (
        f"{' '.join(repr(model).split())}, by roctree {training.version or __version__}",
        f"grown from {training}, {columns}, classes {', '.join(classes)}{saved}",
        size if smoothing is None else f"{size}; probabilities by {smoothing!r}",
        f"labels: {_labelling(model)}",
    )
    if has_soft_thresholds(model):
        lines += (SOFT,)
    return tuple(map(on_one_line, lines))


def size_of(model: Any) -> str:
    """Say how large a tree is."""
    return f"{amount(model.get_n_leaves(), 'leaf', 'leaves')}, depth {model.get_depth()}"


def has_soft_thresholds(model: Any) -> bool:
    """Whether cases near thresholds go down both branches."""
    softness = getattr(model.tree_, "softness", None)
    return softness is not None and bool(softness.any())


def with_origin(model: Any, text: str) -> str:
    """Return a text below the lines of a model's origin."""
    return "\n".join([*(f"# {line}" for line in origin(model)), text])


def _labelling(model: Any) -> str:
    """Say how labels are chosen."""
    point = model.operating_point_
    return usual_labels(model) if point is None else f"{point!r}, chosen by {point.counts} counts"


def usual_labels(model: Any) -> str:
    """Say how labels are chosen where no operating point was asked for."""
    if getattr(model, "node_labels_", None) is not None:
        return "by the costs of pruning"
    by_majority = getattr(model, "labels", "probability") == "majority"
    return "the majority of the training cases" if by_majority else "the most probable class"
