"""Decision trees that can be read and that rank well.

Public names are resolved when first used, so that ``import roctree`` loads neither
numba nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from roctree._version import __version__
from roctree.errors import DataError, ModelFileError, ParameterError
from roctree.garbage_collection import paused_garbage_collection

if TYPE_CHECKING:
    from sklearn.exceptions import NotFittedError

    from roctree import (
        checks,
        criteria,
        distributed,
        experiment,
        points,
        presets,
        pruning,
        roc,
        smoothing,
    )
    from roctree.criteria import criterion
    from roctree.data import Dataset, Schema
    from roctree.estimator import ROCTreeClassifier
    from roctree.experiment.frontier import frontier
    from roctree.files import load
    from roctree.models.discretizer import MDLDiscretizer
    from roctree.models.distill import distill
    from roctree.models.multiscale import MultiscaleClassifier
    from roctree.models.nbtree import NaiveBayesTreeClassifier
    from roctree.report import (
        BrierCurveDisplay,
        CostCurveDisplay,
        CostPruningDisplay,
        FrontierDisplay,
        LossCurveDisplay,
        ReliabilityDisplay,
        ROCHullDisplay,
    )
    from roctree.report.explorer import explore

# The modules of public names, which are imported when a name is first used.
_HOMES = {
    "BrierCurveDisplay": "roctree.report",
    "CostCurveDisplay": "roctree.report",
    "CostPruningDisplay": "roctree.report",
    "Dataset": "roctree.data",
    "FrontierDisplay": "roctree.report",
    "LossCurveDisplay": "roctree.report",
    "MDLDiscretizer": "roctree.models.discretizer",
    "MultiscaleClassifier": "roctree.models.multiscale",
    "NaiveBayesTreeClassifier": "roctree.models.nbtree",
    "NotFittedError": "sklearn.exceptions",
    "ROCHullDisplay": "roctree.report",
    "ROCTreeClassifier": "roctree.estimator",
    "ReliabilityDisplay": "roctree.report",
    "Schema": "roctree.data",
    "criterion": "roctree.criteria",
    "distill": "roctree.models.distill",
    "explore": "roctree.report.explorer",
    "frontier": "roctree.experiment.frontier",
    "load": "roctree.files",
}
_MODULES = {
    "checks",
    "criteria",
    "distributed",
    "experiment",
    "points",
    "presets",
    "pruning",
    "roc",
    "smoothing",
}

__all__ = [
    "BrierCurveDisplay",
    "CostCurveDisplay",
    "CostPruningDisplay",
    "DataError",
    "Dataset",
    "FrontierDisplay",
    "LossCurveDisplay",
    "MDLDiscretizer",
    "ModelFileError",
    "MultiscaleClassifier",
    "NaiveBayesTreeClassifier",
    "NotFittedError",
    "ParameterError",
    "ROCHullDisplay",
    "ROCTreeClassifier",
    "ReliabilityDisplay",
    "Schema",
    "__version__",
    "checks",
    "criteria",
    "criterion",
    "distill",
    "distributed",
    "experiment",
    "explore",
    "frontier",
    "load",
    "points",
    "presets",
    "pruning",
    "roc",
    "smoothing",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _MODULES:
        raise AttributeError(f"module 'roctree' has no attribute {name!r}")
    with paused_garbage_collection():
        module = import_module(_HOMES.get(name, f"roctree.{name}"))
    value = getattr(module, name) if name in _HOMES else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
