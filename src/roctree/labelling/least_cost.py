"""The class of least expected cost (Lemma 1 of Ferri, Flach and Hernández-Orallo 2002)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.labelling.leaves import Labelling, Leaves, sure
from roctree.strategy import LARGEST_COST, is_number

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LeastCost:
    """Each leaf has the class that costs least to predict there.

    Parameters
    ----------
    cost_fp
        Cost of a false alarm, where there are two classes; 1 if only the other is given.
    cost_fn
        Cost of a miss.
    cost_matrix
        Costs of all pairs, ``cost_matrix[predicted][true]``, for any number of classes.
    prior
        Shares of the classes where the tree will be used, or of the positives; those of the leaves'
        own cases if not given.
    """

    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_matrix: tuple[tuple[float, ...], ...] | None = None
    prior: float | tuple[float, ...] | None = None

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels; of two classes that cost the same the positive one is taken."""
        costs = self.matrix(leaves) * self.weights(leaves)
        return sure(votes_by_cost(leaves.shares, costs, leaves.positive))

    def matrix(self, leaves: Leaves) -> Floats:
        """Return the costs of each predicted and true class."""
        if self.cost_matrix is not None:
            if self.cost_fp is not None or self.cost_fn is not None:
                raise ParameterError("Give cost_matrix, or cost_fp and cost_fn, not both.")
            return checked_matrix(self.cost_matrix, leaves.n_classes)
        if self.cost_fp is None and self.cost_fn is None:
            return 1.0 - np.eye(leaves.n_classes)
        leaves.check_two_classes("The pair of cost_fp and cost_fn")
        costs = np.zeros((2, 2))
        costs[leaves.positive, 1 - leaves.positive] = _checked("cost_fp", self.cost_fp)
        costs[1 - leaves.positive, leaves.positive] = _checked("cost_fn", self.cost_fn)
        if not costs.any():
            raise ParameterError("cost_fp and cost_fn are both 0: give one of them more.")
        return costs

    def weights(self, leaves: Leaves) -> Floats:
        """Return by how much each class is more frequent than among the leaves' cases."""
        wanted = prior_of(self.prior, leaves)
        if (leaves.prior[wanted > 0.0] == 0.0).any():
            raise ParameterError(
                f"prior={self.prior!r} has a class of which counts has no cases: what they would "
                "be taken for is not known."
            )
        return np.divide(wanted, leaves.prior, out=np.zeros_like(wanted), where=leaves.prior > 0.0)


def votes_by_cost(shares: Floats, costs: Floats, positive: int) -> Floats:
    """Return what speaks for each class, the less it costs the more.

    Parameters
    ----------
    shares : float64[n, classes], of the true classes
    costs : float64[predicted, true], or one such matrix for each of the n
    positive : the class that is taken of two that cost the same; of more it is the first
    """
    # What being right costs is the same for all predictions, and would only drown the differences.
    right = np.diagonal(costs, axis1=-2, axis2=-1)
    excess, of_true = costs - right[..., None, :], shares[:, :, None]
    expected, rounded = (excess @ of_true)[:, :, 0], (np.abs(excess) @ of_true)[:, :, 0]
    # Exact ties are common, and rounding would decide them: that of the two costs compared, for a
    # third may be so high as to drown them.
    place = expected.argmin(axis=1)[:, None]
    least = np.take_along_axis(expected, place, axis=1)
    tied = expected <= least + _TIE * np.maximum(rounded, np.take_along_axis(rounded, place, 1))
    if shares.shape[1] != 2:
        return -np.where(tied, least, expected)
    votes = np.zeros_like(expected)
    margin = expected[:, 1 - positive] - expected[:, positive]
    votes[:, positive] = np.where(tied[:, positive], np.maximum(margin, _LEAST), margin)
    return votes


def prior_of(prior: object, leaves: Leaves) -> Floats:
    """Return the wanted shares of all classes; those of the leaves' cases where none are given."""
    if prior is None:
        return leaves.prior
    if is_number(prior):
        share = float(prior)  # type: ignore[arg-type]
        shares = np.array([1.0 - share, share] if leaves.positive == 1 else [share, 1.0 - share])
    else:
        shares = as_numbers("prior", prior)
    if shares.shape != (leaves.n_classes,) or not np.isfinite(shares).all():
        raise ParameterError(
            f"prior={prior!r} does not give a share to each of {leaves.n_classes} classes."
        )
    if (shares < 0.0).any() or abs(shares.sum() - 1.0) > 1e-6:
        raise ParameterError(f"prior={prior!r} must be shares from 0 to 1 that add up to 1.")
    return shares


def checked_matrix(matrix: Any, n_classes: int) -> Floats:
    """Return costs as an array; refused unless each pair of classes has a number."""
    costs = as_numbers("cost_matrix", matrix)
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            f"cost_matrix has shape {costs.shape}: give {n_classes} rows, one for each predicted "
            f"class, of {n_classes} costs, one for each true class."
        )
    if not (np.abs(costs) <= LARGEST_COST).all():
        raise ParameterError(
            f"cost_matrix has a cost that is no finite number, or beyond {LARGEST_COST:g}."
        )
    if n_classes > 1:
        check_errors_cost(costs)
    return costs


def check_errors_cost(costs: Floats) -> None:
    """Refuse costs [..., predicted, true] by which no error costs more than being right."""
    right = np.diagonal(costs, axis1=-2, axis2=-1)
    if (costs <= right[..., None, :]).all():
        raise ParameterError(
            "cost_matrix makes no error cost more than being right: its rows are the predicted "
            "classes, its columns the true ones, and its diagonal is what being right costs."
        )


def as_numbers(name: str, values: Any) -> Floats:
    """Return an array of numbers, or say whose value is none."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers, in rows of the same length.") from None


def _checked(name: str, cost: float | None) -> float:
    if cost is None:
        return 1.0
    if not is_number(cost) or cost < 0.0:
        raise ParameterError(f"{name}={cost!r} is no cost: give a number from 0 on.")
    if cost > LARGEST_COST:
        raise ParameterError(f"{name}={cost!r} is too large: give at most {LARGEST_COST:g}.")
    return float(cost)


_TIE = 1e-12
# A vote that is a tie, and yet for the positive class.
_LEAST = 1e-200
