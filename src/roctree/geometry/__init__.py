"""Distances of cases from the decision boundary of a tree, and what follows from them."""

from roctree.geometry.boundary import (
    RANKINGS,
    Boundaries,
    Boundary,
    BoundaryReport,
    GeometricProbability,
    cases_needed,
    check_boundary,
    geometric_scores,
)
from roctree.geometry.changes import CaseChange, Change, Changes, Limits, nearest_changes
from roctree.geometry.metric import SCALINGS, MetricChoice, Moments, Spread, diagonal, scale_of

__all__ = [
    "RANKINGS",
    "SCALINGS",
    "Boundaries",
    "Boundary",
    "BoundaryReport",
    "CaseChange",
    "Change",
    "Changes",
    "GeometricProbability",
    "Limits",
    "MetricChoice",
    "Moments",
    "Spread",
    "cases_needed",
    "check_boundary",
    "diagonal",
    "geometric_scores",
    "nearest_changes",
    "scale_of",
]
