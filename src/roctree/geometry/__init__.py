"""How far cases are from the decision boundary of a tree, and what follows from it.

Rankings and metrics by name: one line in ``ranking.RANKINGS`` or ``metric.METRICS`` adds one.
"""

from roctree.geometry.boundary import Boundaries, Boundary, check_boundary
from roctree.geometry.change_table import CaseChange, Change, Changes, nearest_changes
from roctree.geometry.limits import Limits
from roctree.geometry.metric import METRICS, Moments, Spread, extent, scale_of
from roctree.geometry.probability import GeometricProbability, cases_needed
from roctree.geometry.ranking import RANKINGS, scores
from roctree.geometry.report import BoundaryReport

__all__ = [
    "METRICS",
    "RANKINGS",
    "Boundaries",
    "Boundary",
    "BoundaryReport",
    "CaseChange",
    "Change",
    "Changes",
    "GeometricProbability",
    "Limits",
    "Moments",
    "Spread",
    "cases_needed",
    "check_boundary",
    "extent",
    "nearest_changes",
    "scale_of",
    "scores",
]
