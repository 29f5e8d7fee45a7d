"""Plots of what a tree achieves, by scikit-learn's conventions for displays.

A display holds numbers. ``from_estimator``, ``from_predictions`` and ``from_cv_results`` make one
and draw it; ``plot`` draws it again, on other axes if wanted.
"""

from roctree.report.displays.cost_curve import CostCurveDisplay
from roctree.report.displays.cost_pruning import CostPruningDisplay
from roctree.report.displays.frontier import FrontierDisplay
from roctree.report.displays.roc_hull import ROCHullDisplay

__all__ = ["CostCurveDisplay", "CostPruningDisplay", "FrontierDisplay", "ROCHullDisplay"]
