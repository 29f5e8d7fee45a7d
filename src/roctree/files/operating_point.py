"""Where a tree operates as values of JSON, and back.

The labels of the leaves are those of their highest votes and need no field. Everything else is
written, because cases that were held out to choose the point are not there to choose it again.
"""

import math
from typing import Any

import numpy as np

from roctree.errors import ParameterError
from roctree.files import values
from roctree.files.section import Section
from roctree.labelling import Labeller, OperatingPoint

FIELDS = (
    *(
        "labeller",
        "counts",
        "in_parts",
        "positive",
        "seed",
        "chance",
        "votes",
        "other_votes",
        "confusion",
    ),
    *("expected_cost", "fpr", "tpr", "cost_ratio", "isocost_slope"),
)
COUNTS = ("training", "smoothed", "held_out")


def plain_point(point: OperatingPoint | None) -> dict[str, Any] | None:
    """Return the operating point as values of JSON, null for none."""
    if point is None:
        return None
    if not (np.isfinite(point.votes).all() and np.isfinite(point.other_votes).all()):
        raise ParameterError("The costs of the operating point are too large to be saved.")
    return {
        "labeller": values.plain(point.labeller),
        "counts": point.counts,
        "in_parts": bool(point.in_parts),
        "positive": point.positive,
        "seed": point.seed,
        "chance": float(point.chance),
        "votes": point.votes.tolist(),
        "other_votes": None if point.chance == 0.0 else point.other_votes.tolist(),
        "confusion": point.confusion.tolist(),
        "expected_cost": values.scalar(point.expected_cost),
        "fpr": values.scalar(point.fpr),
        "tpr": values.scalar(point.tpr),
        "cost_ratio": values.plain(point.cost_ratio),
        "isocost_slope": values.scalar(point.isocost_slope),
    }


def restored_point(
    section: Section, name: str, n_classes: int, n_rows: int | None = None
) -> OperatingPoint | None:
    """Return the operating point from a section of a document, None for null.

    Parameters
    ----------
    section, name : the section that has it, and what it is called there
    n_classes : how many classes there are
    n_rows : how many rows of votes there must be; None for as many as there are
    """
    if not section.has(name):
        return None
    found = section.section(name, FIELDS)
    shape = (len(found.items("votes")) if n_rows is None else n_rows), n_classes
    chance = found.number("chance", 0.0)
    votes = found.floats("votes", *shape)
    others = found.floats("other_votes", *shape) if found.has("other_votes") else votes
    if chance > 1.0 or (chance > 0.0) != found.has("other_votes"):
        found.refuse("chance", "is no chance, or lacks the other votes")
    return OperatingPoint(
        labeller=_labeller(found),
        labels=votes.argmax(axis=1),
        others=others.argmax(axis=1),
        votes=votes,
        other_votes=others,
        chance=chance,
        confusion=found.floats("confusion", n_classes, n_classes),
        expected_cost=_cost(found),
        fpr=_number_or_none(found, "fpr"),
        tpr=_number_or_none(found, "tpr"),
        cost_ratio=_cost_ratio(found),
        isocost_slope=_number_or_none(found, "isocost_slope"),
        counts=found.choice("counts", COUNTS),
        in_parts=found.flag("in_parts"),
        positive=found.whole("positive", 0, n_classes),
        seed=found.whole("seed", 0, 1 << 32),
    )


def _labeller(section: Section) -> Labeller:
    found = values.restored(section.values["labeller"], "labeller")
    if type(found) not in values.STRATEGIES["labelling"].values():
        section.refuse("labeller", "is no labeller")
    try:
        values.plain(found)
    except values.NoWordError:
        section.refuse("labeller", "has an option that is not kept in files")
    labeller: Labeller = found
    return labeller


def _cost(section: Section) -> float:
    found = _number_or_none(section, "expected_cost")
    if found is None:
        section.refuse("expected_cost", "is no number")
    return found


def _number_or_none(section: Section, name: str) -> float | None:
    """Return a number, also one that is not finite."""
    if not section.has(name):
        return None
    return _as_float(section, name, values.restored_scalar(section.values[name], name))


def _cost_ratio(section: Section) -> tuple[float, float] | None:
    if not section.has("cost_ratio"):
        return None
    found = values.restored(section.values["cost_ratio"], "cost_ratio")
    if not isinstance(found, tuple) or len(found) != 2:
        section.refuse("cost_ratio", "is no pair of numbers")
    low, high = found
    return _as_float(section, "cost_ratio", low), _as_float(section, "cost_ratio", high)


def _as_float(section: Section, name: str, value: Any) -> float:
    if type(value) not in (int, float) or (abs(value) > _LARGEST and not math.isinf(value)):
        section.refuse(name, "is no number")
    return float(value)


_LARGEST = float(np.finfo(np.float64).max)
