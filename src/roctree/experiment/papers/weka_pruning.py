"""Reduced-error pruning as Weka's J48 has it, for AB05."""

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from roctree.data import Rows
from roctree.estimator import ROCTreeClassifier
from roctree.presets import j48
from roctree.pruning import ReducedError

# Weka takes one fold of three, and shuffles by this seed.
N_FOLDS, SEED = 3, 1


class ReducedErrorJ48(ROCTreeClassifier):
    """J48 with the option -R: grown from two thirds of the cases and pruned by the others.

    The library keeps rows that are alike on one side. Weka does not, so that of a bootstrap sample
    the cases that prune are in part copies of those that grew the tree, and more of it is left.
    """

    def fit(self, X: Rows, y: Any, sample_weight: Any = None) -> ROCTreeClassifier:
        """Return the tree that a stratified third of the cases leaves."""
        parts = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED)
        kept, out = next(parts.split(np.zeros(len(y)), y))
        super().fit(X[kept], y[kept])
        return self.pruned(ReducedError(), X_val=X[out], y_val=y[out])


def reduced_error_j48(**options: Any) -> ReducedErrorJ48:
    """Return such a tree, not fitted, with options of its smoothing and ranking."""
    whole = j48(pruning="none", collapse=False, **options)
    return ReducedErrorJ48(**whole.get_params(deep=False))
