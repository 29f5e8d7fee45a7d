"""Where a tree stands: which leaves it calls what, how often that is wrong, and what it costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.labelling.labellings import Labellings, range_words
from roctree.labelling.least_cost import LeastCost
from roctree.labelling.leaves import Labeller, Labelling, Leaves
from roctree.roc.curve import IN_PARTS

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """A labelling of the leaves, and what it achieves on the counts it was chosen by.

    Parameters
    ----------
    labeller : what was asked for
    labels : int64[nodes], the class of each leaf
    others : int64[nodes], the class that it has instead with probability ``chance``
    votes, other_votes : float64[nodes, classes], the highest is that of the class; the mean of
        several leaves decides where missing values divide a case among them
    chance : from 0 to 1; 0 unless the labels are randomised
    confusion : float64[classes, classes], shares of all cases by predicted and true class
    expected_cost : per case, at the prior asked for; errors cost 1 where no costs were given
    fpr, tpr : rates of two classes, None for more
    cost_ratio : from and to which cost of a miss, in false alarms, the labels stay the best, for
        two classes and labels that are among the optimal ones; else None
    isocost_slope : of the lines of equal cost in ROC space, for costs or a prior of two classes
    counts : what it was chosen by: "training", "smoothed" or "held_out"
    in_parts : whether missing values or soft thresholds divide cases among leaves, which the counts
        have in parts and ``predict`` labels as a whole: the rates are approximate
    positive : number of the positive class, where there are two
    seed : of the random numbers of a randomised labelling
    """

    labeller: Labeller
    labels: NDArray[np.int64]
    others: NDArray[np.int64]
    votes: Floats
    other_votes: Floats
    chance: float
    confusion: Floats
    expected_cost: float
    fpr: float | None = None
    tpr: float | None = None
    cost_ratio: tuple[float, float] | None = None
    isocost_slope: float | None = None
    counts: str = "training"
    in_parts: bool = False
    positive: int = 1
    seed: int = 0

    def __repr__(self) -> str:
        facts = [f"expected cost {self.expected_cost:.4g}"]
        if self.fpr is not None and self.tpr is not None:
            facts = [f"FPR {self.fpr:.4f}", f"TPR {self.tpr:.4f}", *facts]
        if self.cost_ratio is not None:
            costs = range_words(*self.cost_ratio, ".3g")
            facts.append(f"best while a miss costs {costs} false alarms")
        if 0.0 < self.chance < 1.0:
            facts.append(f"one group of leaves positive by chance, {self.chance:.4f}")
        if self.in_parts:
            facts.append(IN_PARTS)
        return f"<OperatingPoint {self.labeller!r}: {', '.join(facts)}>"


def operating_point(
    leaves: Leaves,
    labeller: Labeller,
    n_nodes: int,
    counts: str = "training",
    seed: int = 0,
    *,
    in_parts: bool = False,
) -> OperatingPoint:
    """Return the operating point that a labeller chooses among the leaves of ``n_nodes`` nodes."""
    chosen = labeller(leaves)
    confusion = _confusion(leaves, chosen)
    judged = labeller if isinstance(labeller, LeastCost) else LeastCost(
        prior=getattr(labeller, "prior", None)
    )  # fmt: skip
    costs = judged.matrix(leaves) * judged.weights(leaves)
    rates: dict[str, Any] = {}
    if leaves.n_classes == 2:
        ratio = _cost_ratio(leaves, chosen, judged.weights(leaves))
        rates = _rates(leaves, confusion) | {"cost_ratio": ratio}
        if judged is labeller:
            rates["isocost_slope"] = _isocost_slope(leaves, costs)
    return OperatingPoint(
        labeller,
        _of_nodes(chosen.labels, leaves, n_nodes),
        _of_nodes(chosen.other_labels, leaves, n_nodes),
        _of_nodes(chosen.votes, leaves, n_nodes),
        _of_nodes(chosen.others, leaves, n_nodes),
        chosen.chance,
        confusion,
        float((confusion * costs).sum()),
        counts=counts,
        in_parts=in_parts,
        positive=leaves.positive,
        seed=seed,
        **rates,
    )


def _of_nodes(values: NDArray[Any], leaves: Leaves, n_nodes: int) -> NDArray[Any]:
    placed = np.zeros((n_nodes, *values.shape[1:]), dtype=values.dtype)
    placed[leaves.nodes[leaves.is_leaf]] = values[leaves.is_leaf]
    return placed


def _confusion(leaves: Leaves, chosen: Labelling) -> Floats:
    """The share of all cases that are predicted to be one class and are another."""
    shares = np.zeros((leaves.n_classes, leaves.n_classes))
    for labels, part in (
        (chosen.labels, 1.0 - chosen.chance),
        (chosen.other_labels, chosen.chance),
    ):
        np.add.at(shares, labels, part * leaves.counts)
    return np.asarray(shares / leaves.counts.sum())


def _rates(leaves: Leaves, confusion: Floats) -> dict[str, float]:
    ours, theirs = confusion[:, leaves.positive], confusion[:, 1 - leaves.positive]
    return {
        "tpr": float(ours[leaves.positive] / ours.sum()) if ours.any() else float("nan"),
        "fpr": float(theirs[leaves.positive] / theirs.sum()) if theirs.any() else float("nan"),
    }


def _cost_ratio(leaves: Leaves, chosen: Labelling, weights: Floats) -> tuple[float, float] | None:
    """The range of cost ratios of the labelling, if it is one of the optimal ones."""
    positive = chosen.labels == leaves.positive
    n_scores = int(leaves.rank[positive].max()) + 1 if positive.any() else 0
    if chosen.chance > 0.0 or not np.array_equal(leaves.rank < n_scores, positive):
        return None
    if weights[leaves.positive] == 0.0:
        return None
    # Where negatives are more frequent than among the leaves' cases, a miss must cost more.
    rarer = float(weights[1 - leaves.positive] / weights[leaves.positive])
    low, high = Labellings(leaves).cost_ranges[n_scores].tolist()
    if np.isnan(low):
        return None
    return rarer * low if low < np.inf else low, rarer * high if high < np.inf else high


def _isocost_slope(leaves: Leaves, costs: Floats) -> float | None:
    """How many true positives, as a rate, are worth one false positive."""
    regrets = (costs - np.diagonal(costs)) * leaves.prior
    alarm = regrets[leaves.positive, 1 - leaves.positive]
    miss = regrets[1 - leaves.positive, leaves.positive]
    return float(alarm / miss) if miss > 0.0 else None
