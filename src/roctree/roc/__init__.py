"""ROC analysis: curves, areas, costs and their uncertainty."""

from roctree.roc.curve import (
    BrierCurve,
    CostCurve,
    Curve,
    CurvePoints,
    Point,
    PrecisionRecall,
    PrecisionRecallGain,
)
from roctree.roc.inference import Band, Comparison, Interval, compare
from roctree.roc.multiclass import mauc, one_vs_rest, pairwise
from roctree.roc.reliability import Reliability
from roctree.roc.threshold_choice import LossCurve

__all__ = [
    "Band",
    "BrierCurve",
    "Comparison",
    "CostCurve",
    "Curve",
    "CurvePoints",
    "Interval",
    "LossCurve",
    "Point",
    "PrecisionRecall",
    "PrecisionRecallGain",
    "Reliability",
    "compare",
    "mauc",
    "one_vs_rest",
    "pairwise",
]
