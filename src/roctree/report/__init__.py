"""What a tree looks like: plots, drawn by matplotlib where it is installed."""

from roctree.report.displays import (
    CostCurveDisplay,
    CostPruningDisplay,
    FrontierDisplay,
    ROCHullDisplay,
)

__all__ = ["CostCurveDisplay", "CostPruningDisplay", "FrontierDisplay", "ROCHullDisplay"]
