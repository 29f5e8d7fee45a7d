"""Plots of classifiers, drawn by matplotlib if it is installed."""

from roctree.report.displays import (
    BrierCurveDisplay,
    CostCurveDisplay,
    CostPruningDisplay,
    FrontierDisplay,
    LossCurveDisplay,
    ReliabilityDisplay,
    ROCHullDisplay,
)

__all__ = [
    "BrierCurveDisplay",
    "CostCurveDisplay",
    "CostPruningDisplay",
    "FrontierDisplay",
    "LossCurveDisplay",
    "ROCHullDisplay",
    "ReliabilityDisplay",
]
