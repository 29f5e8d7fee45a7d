"""Receiver operating characteristics: curves, areas, costs and how certain they are."""

from roctree.roc.bands import Band
from roctree.roc.costs import BrierCurve, CostCurve
from roctree.roc.curve import Curve, Point, Points
from roctree.roc.inference import Comparison, Interval, compare
from roctree.roc.multiclass import mauc, one_vs_rest, pairwise
from roctree.roc.precision import PrecisionRecall, PrecisionRecallGain

__all__ = [
    "Band",
    "BrierCurve",
    "Comparison",
    "CostCurve",
    "Curve",
    "Interval",
    "Point",
    "Points",
    "PrecisionRecall",
    "PrecisionRecallGain",
    "compare",
    "mauc",
    "one_vs_rest",
    "pairwise",
]
