"""What is in a model file."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

import roctree
from roctree.cli.options import Model, Report, command
from roctree.cli.output import Table
from roctree.cli.relabelled import point_facts, said_point
from roctree.cli.wording import spelled_strategy
from roctree.export.common import SOFT, default_labelling, has_soft_thresholds, size_of
from roctree.table import plain

Depth = Annotated[int, typer.Option(metavar="LEVELS", help="How much of the tree is shown.")]
SHOWN_CATEGORIES = 6


@command()
def describe(model: Model, max_depth: Depth = 3) -> Report:
    """Show a tree, its columns, its classes and where it operates.

    Example:
      roctree describe tree.json
    """
    tree = roctree.load(model)
    classes, point = tree.classes_.tolist(), tree.operating_point_
    named = f"classes {', '.join(plain(label, within_list=True) for label in classes)}"
    where = default_labelling(tree) if point is None else said_point(tree)
    soft = f"; {SOFT}" if has_soft_thresholds(tree) else ""
    shown = [
        f"{size_of(tree)}, grown from {tree.training_}; {named}; labels: {where}{soft}.\n",
        _columns(tree),
        tree.to_text(max_depth=max_depth),
    ]
    return Report(_facts(tree), shown)


def _facts(tree: Any) -> dict[str, Any]:
    point, changed = tree.operating_point_, _changed(tree)
    names = tree.schema_.names
    facts = {
        "classes": tree.classes_,
        "leaves": tree.get_n_leaves(),
        "depth": tree.get_depth(),
        "training_cases": float(tree.tree_.weight[0]),
        "training": asdict(tree.training_),
        "parameters": {name: spelled_strategy(value) for name, value in changed.items()},
        "operating_point": None if point is None else point_facts(tree),
        "soft_thresholds": has_soft_thresholds(tree),
        "columns": dict(zip(names, tree.schema_.categories, strict=True)),
    }
    if hasattr(tree, "feature_importances_"):
        facts["importances"] = dict(zip(names, tree.feature_importances_, strict=True))
    return facts


def _changed(tree: Any) -> dict[str, Any]:
    """The parameters that are not as they are by default."""
    default = type(tree)().get_params()
    return {name: value for name, value in tree.get_params().items() if value != default[name]}


def _columns(tree: Any) -> Table:
    names, kinds = tree.schema_.names, map(_kind, tree.schema_.categories)
    if not hasattr(tree, "feature_importances_"):
        return Table(("column", "values"), list(zip(names, kinds, strict=True)))
    importances = [f"{importance:.3f}" for importance in tree.feature_importances_]
    rows = list(zip(names, kinds, importances, strict=True))
    return Table(("column", "values", "importance"), rows)


def _kind(categories: Any) -> str:
    if categories is None:
        return "numbers"
    shown = ", ".join(
        plain(category, within_list=True) for category in categories[:SHOWN_CATEGORIES]
    )
    return shown + ", ..." * (len(categories) > SHOWN_CATEGORIES)
