"""From what a user asks of ``at(...)`` to a labeller, and from a fitted tree to its leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.labelling import (
    FBeta,
    Labeller,
    LeastCost,
    Leaves,
    MaxFPR,
    MinTPR,
    Threshold,
)
from roctree.strategy import nearest
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Counts = Literal["training", "smoothed"]


@dataclass(frozen=True)
class Request:
    """What a user asks for; None where nothing was said."""

    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_matrix: Any = None
    prior: Any = None
    max_fpr: float | None = None
    min_tpr: float | None = None
    beta: float | None = None
    threshold: float | None = None
    randomise: bool = False

    @property
    def usual_counts(self) -> Counts:
        """What it is chosen by if nothing is said: a threshold is one of probabilities."""
        return "training" if self.threshold is None else "smoothed"

    def labeller(self, classes: NDArray[Any]) -> Labeller:
        """Return what does as asked; contradictions are refused."""
        asked = self._asked()
        self._refuse_contradictions(asked)
        prior = _in_order(self.prior, classes)
        if self.max_fpr is not None:
            return MaxFPR(self.max_fpr, self.randomise)
        if self.min_tpr is not None:
            return MinTPR(self.min_tpr, self.randomise)
        if self.beta is not None:
            return FBeta(self.beta, prior)
        if self.threshold is not None:
            return Threshold(self.threshold)
        matrix = None if self.cost_matrix is None else _nested(self.cost_matrix)
        return LeastCost(self.cost_fp, self.cost_fn, matrix, prior)

    def _asked(self) -> list[str]:
        """The kinds of operating point that are asked for, in the user's words."""
        costs = [self.cost_fp, self.cost_fn, self.cost_matrix]
        names = ["costs"] if any(cost is not None for cost in costs) else []
        alone = ("max_fpr", "min_tpr", "beta", "threshold")
        return names + [name for name in alone if getattr(self, name) is not None]

    def _refuse_contradictions(self, asked: list[str]) -> None:
        if len(asked) > 1:
            raise ParameterError(f"{asked[0]} and {asked[1]} ask for two labellings: give one.")
        kind = asked[0] if asked else ""
        if not kind and self.prior is None:
            raise ParameterError(
                "Say where the tree shall operate: give cost_fp and cost_fn, cost_matrix, prior, "
                "max_fpr, min_tpr, beta or threshold."
            )
        if self.prior is not None and kind in ("max_fpr", "min_tpr", "threshold"):
            raise ParameterError(f"{kind} does not depend on prior: leave prior out.")
        if self.randomise and kind not in ("max_fpr", "min_tpr"):
            raise ParameterError("randomise hits a rate: give it with max_fpr or min_tpr.")


def asked_for(request: Mapping[str, Any]) -> Request:
    """Return the request of these arguments."""
    known = [field.name for field in fields(Request)]
    for name in request:
        if name not in known:
            raise ParameterError(
                f"at() has no argument {name!r}{nearest(name, known)}: give {', '.join(known)}."
            )
    return Request(**request)


def cheapest(probabilities: Floats, cost_matrix: Any) -> NDArray[np.int64]:
    """Return the class of least expected cost for each row.

    Parameters
    ----------
    probabilities : float64[rows, classes]
    cost_matrix : float64[predicted, true], or one for each row
    """
    costs = np.asarray(cost_matrix, dtype=np.float64)
    n_rows, n_classes = probabilities.shape
    single = costs.shape == (n_classes, n_classes)
    if not (single or costs.shape == (n_rows, n_classes, n_classes)):
        raise ParameterError(
            f"cost_matrix has shape {costs.shape}: give ({n_classes}, {n_classes}), predicted by "
            f"true class, or one for each of the {n_rows} rows."
        )
    if not np.isfinite(costs).all():
        raise ParameterError("cost_matrix must have finite numbers only.")
    expected = np.einsum(
        "nj,nij->ni", probabilities, np.broadcast_to(costs, (n_rows, n_classes, n_classes))
    )
    return np.asarray(expected.argmin(axis=1))


def leaves_of(
    tree: Tree, probabilities: Floats, frequencies: Floats, counts: Any, positive: int
) -> Leaves:
    """Return the leaves by the counts that a user chose.

    Parameters
    ----------
    tree : the tree
    probabilities, frequencies : float64[nodes, classes], smoothed and not
    counts : "training", "smoothed", or class counts of other cases at all nodes
    positive : number of the positive class
    """
    if isinstance(counts, np.ndarray):
        return Leaves.of(tree, counts, frequencies, positive)
    if counts == "training":
        return Leaves.of(tree, tree.counts, frequencies, positive)
    if counts == "smoothed":
        return Leaves.of(tree, probabilities * tree.weight[:, None], probabilities, positive)
    raise ParameterError(
        f"counts={counts!r} is not known{nearest(counts, ['training', 'smoothed'])}: give "
        "'training', 'smoothed', or (X, y) of cases held out."
    )


def class_number(label: Any, classes: NDArray[Any]) -> int:
    """Return the number of the positive class, by default the last."""
    known = classes.tolist()
    if label is None:
        return len(known) - 1
    if label not in known:
        raise ParameterError(
            f"positive={label!r} is no class; the classes are {', '.join(map(repr, known))}."
        )
    return int(known.index(label))


def _in_order(prior: Any, classes: NDArray[Any]) -> Any:
    """The prior in the order of the classes, as a tuple, or one number."""
    if not isinstance(prior, Mapping):
        return prior if prior is None or np.ndim(prior) == 0 else tuple(np.asarray(prior).tolist())
    known = classes.tolist()
    if set(prior) != set(known):
        raise ParameterError(f"prior must name the classes {', '.join(map(repr, known))}.")
    return tuple(float(prior[label]) for label in known)


def _nested(matrix: Any) -> tuple[tuple[float, ...], ...]:
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ParameterError(
            f"cost_matrix has shape {table.shape}: give a row for each predicted class; costs of "
            "single cases are for predict(X, cost_matrix=...)."
        )
    return tuple(tuple(row) for row in table.tolist())
