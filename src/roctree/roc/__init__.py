"""ROC analysis: curves, areas, costs and their uncertainty."""

from roctree.roc.costs import BrierCurve, CostCurve
from roctree.roc.curve import Curve, Point, Points, PrecisionRecall, PrecisionRecallGain
from roctree.roc.inference import Band, Comparison, Interval, compare
from roctree.roc.multiclass import mauc, one_vs_rest, pairwise

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
