"""A tree at the operating point that options ask for."""

from collections.abc import Mapping
from typing import Any

from roctree.cli.values import operating_point
from roctree.table import plain


def relabelled(tree: Any, operating: Mapping[str, Any]) -> Any:
    """Return the tree there, or as it is where nothing but the positive class is said."""
    asked = operating_point(operating, tree.classes_.tolist())
    return tree.at(**asked) if set(asked) - {"positive"} else tree


def said_point(tree: Any) -> str:
    """Say where a tree operates, and of two classes which is the positive one."""
    point, classes = tree.operating_point_, tree.classes_.tolist()
    of_two = f"positive class {plain(classes[point.positive])}: " if len(classes) == 2 else ""
    return of_two + repr(point).removeprefix("<OperatingPoint ").removesuffix(">")


def point_facts(tree: Any) -> dict[str, Any]:
    """Return where a tree operates, for machines: what was asked for, and what it achieves."""
    point, classes = tree.operating_point_, tree.classes_.tolist()
    asked = {name: value for name, value in vars(point.labeller).items() if value is not None}
    return {
        "labeller": type(point.labeller).__name__,
        "asked": asked,
        "counts": point.counts,
        "positive": classes[point.positive] if len(classes) == 2 else None,
        "fpr": point.fpr,
        "tpr": point.tpr,
        "expected_cost": point.expected_cost,
        "cost_ratio": point.cost_ratio,
        "approximate": point.in_parts,
    }


def positive_class(tree: Any, operating: Mapping[str, Any]) -> Any:
    """Return the class that is said to be positive, of two if nothing is said the last, or None."""
    classes = tree.classes_.tolist()
    asked = operating_point(operating, classes)
    if "positive" in asked:
        return asked["positive"]
    point = tree.operating_point_
    if len(classes) != 2:
        return None
    return classes[-1] if point is None else classes[point.positive]
