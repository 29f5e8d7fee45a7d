"""Experiments: compare classifiers on data sets, resumable, with tables and significance tests.

``Plan.of`` states what to compare, ``run`` runs it and returns ``Results``.
"""

from roctree.experiment.configurations import Configuration
from roctree.experiment.designs import Bootstrap, CrossValidation, HoldOut
from roctree.experiment.metrics import METRICS, Answer, FBeta
from roctree.experiment.results import Results, Table
from roctree.experiment.run import Plan, run
from roctree.experiment.significance import (
    Ranks,
    SignificanceTest,
    corrected_resampled_t,
    critical_difference,
    paired_t,
    unpaired_t,
    wilcoxon,
)
from roctree.experiment.sources import BuiltIn, Folder, OpenML, Problem, UnknownDataSetError

__all__ = [
    "METRICS",
    "Answer",
    "Bootstrap",
    "BuiltIn",
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
    "SignificanceTest",
    "Table",
    "UnknownDataSetError",
    "corrected_resampled_t",
    "critical_difference",
    "paired_t",
    "run",
    "unpaired_t",
    "wilcoxon",
]
