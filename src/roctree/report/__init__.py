"""What a tree looks like: plots, drawn by matplotlib where it is installed."""

from roctree.report.displays import CostCurveDisplay, CostPruningDisplay, ROCHullDisplay

__all__ = ["CostCurveDisplay", "CostPruningDisplay", "ROCHullDisplay"]
