"""Decision trees that can be read and that rank well.

Public names are resolved when first used, so that ``import roctree`` loads neither
numba nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError

if TYPE_CHECKING:
    from sklearn.exceptions import NotFittedError

    from roctree import checks, criteria, distributed, experiment, presets, pruning, roc, smoothing
    from roctree.criteria import criterion
    from roctree.data import Dataset, Schema
    from roctree.estimator import ROCTreeClassifier
    from roctree.experiment.frontier import frontier
    from roctree.files import load
    from roctree.models.discretizer import MDLDiscretizer
    from roctree.models.distill import distill
    from roctree.models.multiscale.estimator import MultiscaleClassifier
    from roctree.models.nbtree.estimator import NaiveBayesTreeClassifier
    from roctree.report import (
        CostCurveDisplay,
        CostPruningDisplay,
        FrontierDisplay,
        ROCHullDisplay,
    )

_HOMES = {
    "CostCurveDisplay": "roctree.report",
    "CostPruningDisplay": "roctree.report",
    "Dataset": "roctree.data",
    "FrontierDisplay": "roctree.report",
    "MDLDiscretizer": "roctree.models.discretizer",
    "MultiscaleClassifier": "roctree.models.multiscale.estimator",
    "NaiveBayesTreeClassifier": "roctree.models.nbtree.estimator",
    "NotFittedError": "sklearn.exceptions",
    "ROCHullDisplay": "roctree.report",
    "ROCTreeClassifier": "roctree.estimator",
    "Schema": "roctree.data",
    "criterion": "roctree.criteria",
    "distill": "roctree.models.distill",
    "frontier": "roctree.experiment.frontier",
    "load": "roctree.files",
}
_MODULES = {
    "checks",
    "criteria",
    "distributed",
    "experiment",
    "presets",
    "pruning",
    "roc",
    "smoothing",
}

__all__ = [
    "CostCurveDisplay",
    "CostPruningDisplay",
    "DataError",
    "Dataset",
    "FrontierDisplay",
    "MDLDiscretizer",
    "ModelFileError",
    "MultiscaleClassifier",
    "NaiveBayesTreeClassifier",
    "NotFittedError",
    "ParameterError",
    "ROCHullDisplay",
    "ROCTreeClassifier",
    "Schema",
    "__version__",
    "checks",
    "criteria",
    "criterion",
    "distill",
    "distributed",
    "experiment",
    "frontier",
    "load",
    "presets",
    "pruning",
    "roc",
    "smoothing",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"roctree.{name}")
    else:
        raise AttributeError(f"module 'roctree' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
