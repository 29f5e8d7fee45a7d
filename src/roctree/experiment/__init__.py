"""Studies: configurations compared on problems, resumable, with tables and tests of significance.

``Plan.of`` says what to compare, ``run`` does it and returns ``Results``.
"""

from roctree.experiment.designs import Bootstrap, CrossValidation, HoldOut
from roctree.experiment.growth import Configuration
from roctree.experiment.metrics import METRICS, Answer, FBeta
from roctree.experiment.plan import Plan
from roctree.experiment.ranks import Ranks, critical_difference
from roctree.experiment.results import Results
from roctree.experiment.run import run
from roctree.experiment.significance import (
    Comparison,
    corrected_resampled_t,
    paired_t,
    unpaired_t,
    wilcoxon,
)
from roctree.experiment.sources import BuiltIn, Folder, OpenML, Problem
from roctree.experiment.tables import Table

__all__ = [
    "METRICS",
    "Answer",
    "Bootstrap",
    "BuiltIn",
    "Comparison",
    "Configuration",
    "CrossValidation",
    "FBeta",
    "Folder",
    "HoldOut",
    "OpenML",
    "Plan",
    "Problem",
    "Ranks",
    "Results",
    "Table",
    "corrected_resampled_t",
    "critical_difference",
    "paired_t",
    "run",
    "unpaired_t",
    "wilcoxon",
]
