"""Plots of classifiers, drawn by matplotlib if it is installed."""

from roctree.report.displays import (
    CostCurveDisplay,
    CostPruningDisplay,
    FrontierDisplay,
    ROCHullDisplay,
)

__all__ = ["CostCurveDisplay", "CostPruningDisplay", "FrontierDisplay", "ROCHullDisplay"]
