"""Where the explorer starts: at the operating point of the tree, or where it predicts as it is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.labelling import FBeta, LeastCost, MaxFPR, MinTPR, Threshold
from roctree.operating import HELD_OUT
from roctree.strategy import is_number

Floats = NDArray[np.float64]


def start_state(estimator: Any, positive: int, *, has_test: bool) -> dict[str, Any]:
    """Return the state of the page before anyone has touched it.

    Parameters
    ----------
    estimator : a fitted model
    positive : number of the class of interest
    has_test : whether there are test cases
    """
    matrix = _usual_costs(estimator)
    others = np.arange(len(matrix)) != positive
    state: dict[str, Any] = {
        "mode": "costs" if len(matrix) == 2 else "matrix",
        "cost_fp": float(matrix[positive, others].mean()),
        "cost_fn": float(matrix[others, positive].mean()),
        "matrix": matrix.tolist(),
        "prior": None,
        "priors": None,
        "max_fpr": 0.1,
        "min_tpr": 0.9,
        "beta": 1.0,
        "by": "smoothed",
        "on": "test" if has_test else "training",
        "positive": positive,
        "view": "roc",
        "unit": "",
        "values": None,
    }
    return state | _of_point(estimator, positive, has_test=has_test)


def _usual_costs(estimator: Any) -> Floats:
    """The costs [predicted, true] that a model without operating point decides by."""
    n_classes = len(estimator.classes_)
    errors = 1.0 - np.eye(n_classes)
    # Labels of nodes are those that pruning under costs gives.
    if getattr(estimator, "node_labels_", None) is not None:
        costs = np.array(estimator.pruning_.costs, dtype=np.float64)
        # Costs of classes are those of predicting them wrongly.
        return np.asarray(errors * (costs[:, None] if costs.ndim == 1 else costs))
    # Only trees of splits have weights of classes.
    weights: Floats = getattr(estimator, "class_weight_", np.ones(n_classes))
    return np.asarray(errors * weights)


def _of_point(estimator: Any, positive: int, *, has_test: bool) -> dict[str, Any]:
    """What the operating point of the tree says otherwise."""
    point = estimator.operating_point_
    if point is None:
        return {}
    by = ("test" if has_test else "training") if point.counts == HELD_OUT else point.counts
    return {"by": by} | _of_labeller(point.labeller, positive, point.positive)


def _of_labeller(labeller: Any, positive: int, asked: int) -> dict[str, Any]:
    if isinstance(labeller, MaxFPR):
        return {"mode": "max_fpr", "max_fpr": float(labeller.rate)}
    if isinstance(labeller, MinTPR):
        return {"mode": "min_tpr", "min_tpr": float(labeller.rate)}
    if isinstance(labeller, Threshold):
        # A leaf is positive from the share on where both errors cost the same there.
        return {"cost_fp": float(labeller.value), "cost_fn": 1.0 - float(labeller.value)}
    if isinstance(labeller, FBeta):
        prior = _prior(labeller.prior, positive, asked)
        return {"mode": "beta", "beta": float(labeller.beta)} | prior
    return _of_costs(labeller, positive, asked) if isinstance(labeller, LeastCost) else {}


def _of_costs(labeller: LeastCost, positive: int, asked: int) -> dict[str, Any]:
    prior = _prior(labeller.prior, positive, asked)
    if labeller.cost_matrix is None:
        costs = [
            1.0 if cost is None else float(cost) for cost in (labeller.cost_fp, labeller.cost_fn)
        ]
        alarm, miss = costs if positive == asked else costs[::-1]
        return {"cost_fp": alarm, "cost_fn": miss} | prior
    matrix = [list(map(float, row)) for row in labeller.cost_matrix]
    if len(matrix) > 2:
        return {"mode": "matrix", "matrix": matrix} | prior
    other = 1 - positive
    regret = np.array(matrix) - np.diagonal(matrix)
    return {"cost_fp": regret[positive, other], "cost_fn": regret[other, positive]} | prior


def _prior(prior: Any, positive: int, asked: int) -> dict[str, Any]:
    if prior is None:
        return {}
    if is_number(prior):
        return {"prior": float(prior) if positive == asked else 1.0 - float(prior)}
    shares = [float(share) for share in prior]
    return {"prior": shares[positive], "priors": shares}
