"""Labels of leaves: chosen after training, from class counts and what errors cost.

A tree orders its leaves; which of them are positive is a separate decision. Here the leaves are a
table (``Leaves``), a labeller is a function from that table to votes (``Labelling``), and an
``OperatingPoint`` is a labelling of a tree with its rates and costs. ``Labellings`` lists all
labellings of two classes that are optimal for some costs.

==============  ====================================================================
name            labels
==============  ====================================================================
``majority``    the most frequent class
``least_cost``  the class with the lowest expected cost (Ferri et al. 2002, Lemma 1)
``max_fpr``     the most true positives with at most this false positive rate
``min_tpr``     the fewest false positives with at least this true positive rate
``f_beta``      the highest F-measure
``threshold``   positive from this probability upwards
==============  ====================================================================

``at(...)`` chooses a labeller by its arguments, not by name (``PointArguments.labeller`` in
``roctree.requests``); the names are those of model files. To add a labeller, write a frozen
dataclass that is a ``Labeller``, add it to ``LABELLING``, and an argument to ``PointArguments``.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats, Ints
from roctree.errors import ParameterError, ParameterWarning, stacklevel_outside_package
from roctree.roc import Curve
from roctree.roc.arithmetic import tie_groups
from roctree.roc.curve import IN_PARTS
from roctree.roc.inputs import check_cost, check_rate
from roctree.strategy import LARGEST_COST, configure, is_finite_number
from roctree.text import UNDECIDED, DisplayTable
from roctree.tree.tree import SCORE_DECIMALS, Tree, make_read_only

# Differences up to this are rounding errors: such costs are tied, such rates are met.
_ROUNDING = 1e-12


def labels_with_undecided(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the class labels, and after them the label of cases that are not decided.

    It is "undecided" if the classes are text; beside numbers and other objects it is None.

    >>> labels_with_undecided(np.array(["ill", "well"])).tolist()
    ['ill', 'well', 'undecided']
    """
    labels = classes.tolist()
    if not all(isinstance(label, str) for label in labels):
        return np.array([*labels, None], dtype=object)
    if UNDECIDED in labels:
        raise ParameterError(
            parameter="cost_reject",
            reason=f"needs the label {UNDECIDED!r}, which is a class of the data: rename the class",
        )
    return np.array([*labels, UNDECIDED], dtype=object if classes.dtype == object else None)


# Leaves as a table


@dataclass(frozen=True, eq=False)
class Leaves:
    """Class counts of the leaves, on the training cases or any others.

    Cases that missing values divide among several leaves may have rows of their own, because they
    are labelled by the mean vote of those leaves.

    Parameters
    ----------
    nodes : int64[rows]
        Node numbers of the leaves; -1 in rows of divided cases.
    counts : float64[rows, classes]
        Weights of the cases of each class.
    shares : float64[rows, classes]
        Class frequencies; those of training in leaves without cases.
    positive : int
        The positive class: one of two, or one against the rest.
    by_shares : bool
        Whether shares are the probabilities of a model rather than frequencies of the counts. Costs
        are then weighed by shares, and rates are those of the counts.
    decimals : int or None
        Decimals that these probabilities are rounded to, if they are. A threshold on those of one
        class is then placed halfway between them, so that the cases of a row have the same label.
    """

    nodes: Ints
    counts: Floats
    shares: Floats
    positive: int = 1
    by_shares: bool = False
    decimals: int | None = None

    @classmethod
    def from_counts(
        cls,
        tree: Tree,
        counts: Floats,
        fallback: Floats,
        positive: int = 1,
        nodes: Ints | None = None,
    ) -> "Leaves":
        """Return the leaves of a tree with the given class counts of its nodes.

        Parameters
        ----------
        tree : Tree
        counts : float64[nodes, classes]
        fallback : float64[nodes, classes]
            Class frequencies for leaves without cases.
        positive : int
        nodes : int64[rows], optional
            The nodes that count as leaves, if cases may stop at inner nodes too.
        """
        nodes = tree.leaves if nodes is None else nodes
        own, total = counts[nodes], counts[nodes].sum(axis=1)
        if not total.any():
            raise ParameterError(
                parameter="counts",
                reason="contains no cases: pass at least one to choose an operating point",
            )
        frequencies = own / np.where(total > 0.0, total, 1.0)[:, None]
        shares = np.where(total[:, None] > 0.0, frequencies, fallback[nodes])
        return cls(nodes, own, shares, positive)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which rows are leaves rather than divided cases."""
        return self.nodes >= 0

    @cached_property
    def prior(self) -> Floats:
        """Share of each class among all cases."""
        totals = self.counts.sum(axis=0)
        return np.asarray(totals / totals.sum())

    @cached_property
    def against_rest(self) -> "Leaves":
        """The leaves with two classes: the rest, and the positive class."""
        if self.n_classes <= 2:
            return self
        counts, shares = (
            np.column_stack([np.delete(table, self.positive, 1).sum(1), table[:, self.positive]])
            for table in (self.counts, self.shares)
        )
        if self.decimals is not None:
            ours = round_half_up(self.shares[:, self.positive], self.decimals)
            shares = np.column_stack([1.0 - ours, ours])
        return replace(self, counts=counts, shares=shares, positive=1)

    def select(self, chosen: NDArray[np.bool_]) -> "Leaves":
        """Return some of the rows."""
        nodes, counts, shares = self.nodes[chosen], self.counts[chosen], self.shares[chosen]
        return replace(self, nodes=nodes, counts=counts, shares=shares)

    def with_empty_joined(self) -> "Leaves":
        """Return the leaves, those without cases with the share of the next leaf that has some.

        The next leaf is that with the next lower share of positives; after the last one, the last.
        The label of an empty leaf changes no rate, so that it needs no labelling of its own.
        """
        totals = np.bincount(self.rank, self.counts.sum(axis=1))
        full = np.flatnonzero(totals > 0.0)
        empty = (totals == 0.0)[self.rank]
        if not empty.any():
            return self
        places = np.searchsorted(full, self.rank[empty]).clip(max=len(full) - 1)
        shares = self.shares.copy()
        shares[empty, self.positive] = self.curve.scores[full[places]]
        shares[empty, 1 - self.positive] = 1.0 - shares[empty, self.positive]
        return replace(self, shares=shares)

    @cached_property
    def curve(self) -> Curve:
        """ROC curve of the leaves, ordered by their shares of positives."""
        self.check_two_classes("an ROC curve")
        return Curve.from_leaves(
            self.shares[:, self.positive],
            self.counts[:, self.positive],
            self.counts[:, 1 - self.positive],
        )

    @cached_property
    def rank(self) -> Ints:
        """Index of each row's score among those of the curve, highest first."""
        return tie_groups(self.shares[:, self.positive], exact=False)[1]

    def votes_for_top(self, n_scores: int) -> Floats:
        """Return votes that make the leaves with the ``n_scores`` highest scores positive."""
        scores = np.concatenate([[_ABOVE_ALL], self.curve.scores, [_BELOW_ALL]])
        votes = np.zeros((len(self.nodes), 2))
        own = np.round(self.shares[:, self.positive], SCORE_DECIMALS)
        votes[:, self.positive] = own - (scores[n_scores] + scores[n_scores + 1]) / 2.0
        return votes

    def check_two_classes(self, what: str) -> None:
        """Raise unless there are exactly two classes; ``what`` may refer to ``{parameters}``."""
        needed = f"Two classes are needed for {what}, but the tree has "
        if self.n_classes == 1:
            raise ParameterError(reason=f"{needed}only one")
        if self.n_classes != 2:
            raise ParameterError(
                reason=f"{needed}{self.n_classes}: give {{positive}}, the class to separate from "
                "the rest, or {at(cost_matrix=...)} with one row per predicted and one column per "
                "true class"
            )


# The midpoint of any share and one of these is above or below the shares of all leaves and of all
# mixtures of leaves.
_ABOVE_ALL, _BELOW_ALL = 4.0, -4.0


def round_half_up(shares: Floats, decimals: int) -> Floats:
    """Return rounded shares; what is short of a half by rounding errors is rounded up.

    >>> round_half_up(np.array([0.115, 0.125, 0.135 - 1e-15]), 2).tolist()
    [0.12, 0.13, 0.14]
    """
    scale = 10.0**decimals
    return np.asarray(np.floor((shares + _ROUNDING) * scale + 0.5) / scale)


class Labelling(NamedTuple):
    """Votes of each leaf for each class, and alternative votes used at random.

    A leaf has the class with the highest vote, the first in case of ties. A case that is divided
    among leaves has the class with the highest mean vote, so votes are on the scale of costs. If
    cases may remain undecided, the votes for that are a last column.

    Parameters
    ----------
    votes : float64[leaves, classes or classes + 1]
    other_votes : float64[leaves, classes or classes + 1]
        Votes used instead with probability ``chance``.
    chance : float
        From 0 to 1.
    """

    votes: Floats
    other_votes: Floats
    chance: float = 0.0

    @classmethod
    def deterministic(cls, votes: Floats) -> "Labelling":
        """Return a labelling without randomisation."""
        return cls(votes, votes)

    @property
    def labels(self) -> Ints:
        """The class of each leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    @property
    def other_labels(self) -> Ints:
        """The alternative class of each leaf."""
        return np.asarray(self.other_votes.argmax(axis=1))


@runtime_checkable
class Labeller(Protocol):
    """A function from leaves to their labels."""

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the votes of each leaf."""


# Labellers


@dataclass(frozen=True)
class Majority:
    """Label each leaf with its most frequent class, the first in case of ties."""

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        return Labelling.deterministic(leaves.shares)


@dataclass(frozen=True)
class LeastCost:
    """Label each leaf with the class that has the lowest expected cost there.

    Parameters
    ----------
    cost_fp : float or None
        Cost of a false alarm, for two classes; 1 if only ``cost_fn`` is given.
    cost_fn : float or None
        Cost of a miss; 1 if only ``cost_fp`` is given.
    cost_matrix : tuple of tuples of float, or None
        Costs of all pairs of classes, ``cost_matrix[predicted][true]``.
    prior : float, tuple of float or None
        Class shares in the target population, or the share of positives; by default those of the
        leaves.
    cost_reject : float or None
        Cost of leaving a case undecided, whatever its class (Chow 1970); None to decide every case.
    """

    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_matrix: tuple[tuple[float, ...], ...] | None = None
    prior: float | tuple[float, ...] | None = None
    cost_reject: float | None = None

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels; if two classes cost the same, the positive one."""
        costs = self.matrix(leaves) * self.weights(leaves)
        votes = votes_by_cost(leaves.shares, costs, leaves.positive)
        if leaves.decimals is not None and costs.shape == (2, 2):
            is_positive = votes.argmax(axis=1) == leaves.positive
            n_scores = int(leaves.rank[is_positive].max(initial=-1)) + 1
            votes = leaves.votes_for_top(n_scores)
        elif leaves.by_shares:
            votes += _tie_margins(leaves, costs)
        return Labelling.deterministic(votes)

    def matrix(self, leaves: Leaves) -> Floats:
        """Return the costs by predicted and true class; a last row is for undecided cases."""
        costs = self._costs_of_errors(leaves)
        if self.cost_reject is None:
            return costs
        reject = _checked_cost("cost_reject", self.cost_reject)
        if leaves.n_classes == 2:
            self._warn_if_never_rejecting(costs, reject)
        return np.vstack([costs, np.full(leaves.n_classes, reject)])

    def _warn_if_never_rejecting(self, costs: Floats, reject: float) -> None:
        # The cheaper of both decisions, as a function of the share of the second class, is concave
        # and has its maximum where both cost the same, or at an end.
        first, second = (costs - np.diagonal(costs))[[1, 0], [0, 1]]
        tie = first / (first + second) if first > 0.0 and second > 0.0 else 0.0
        shares = np.array([[1.0, 1.0 - tie, 0.0], [0.0, tie, 1.0]])
        limit = float((costs @ shares).min(axis=0).max())
        if reject >= limit:
            warnings.warn(
                ParameterWarning(
                    reason=f"{{cost_reject={reject:g}}} leaves no case undecided: with these costs "
                    f"a decision never costs more than {limit:.4g}. Lower {{cost_reject}}"
                ),
                stacklevel=stacklevel_outside_package(),
            )

    def _costs_of_errors(self, leaves: Leaves) -> Floats:
        if self.cost_matrix is not None:
            if self.cost_fp is not None or self.cost_fn is not None:
                raise ParameterError(
                    reason="Pass either {cost_matrix} or {cost_fp} and {cost_fn}, not both"
                )
            return checked_matrix(self.cost_matrix, leaves.n_classes)
        if self.cost_fp is None and self.cost_fn is None:
            return 1.0 - np.eye(leaves.n_classes)
        leaves.check_two_classes("{cost_fp} and {cost_fn}")
        costs = np.zeros((2, 2))
        costs[leaves.positive, 1 - leaves.positive] = _checked_cost("cost_fp", self.cost_fp)
        costs[1 - leaves.positive, leaves.positive] = _checked_cost("cost_fn", self.cost_fn)
        if not costs.any():
            raise ParameterError(
                reason="{cost_fp} and {cost_fn} are both 0: at least one must be positive"
            )
        return costs

    def weights(self, leaves: Leaves) -> Floats:
        """Return the factors from the class frequencies of the leaves to the target ones."""
        target = _target_prior(self.prior, leaves)
        if (leaves.prior[target > 0.0] == 0.0).any():
            raise ParameterError(
                parameter="prior",
                value=self.prior,
                reason="has a positive share for a class that has no cases in {counts}: its "
                "predictions are unknown",
            )
        return np.divide(target, leaves.prior, out=np.zeros_like(target), where=leaves.prior > 0.0)


@dataclass(frozen=True)
class MaxFPR:
    """Label with the highest true positive rate that a false positive rate allows.

    Leaves become positive in decreasing order of their share of positives. If the first leaves
    already exceed the rate, none is positive, with a warning.

    Parameters
    ----------
    rate : float
        Highest false positive rate.
    randomise : bool
        Whether to attain it exactly, by predicting the cases of one more group of leaves positive
        at random.
    """

    rate: float
    randomise: bool = False

    def __post_init__(self) -> None:
        check_rate("max_fpr", self.rate)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels with the highest true positive rate among those with the rate."""
        leaves.check_two_classes("{max_fpr}")
        if leaves.curve.n_negative == 0.0:
            raise ParameterError(
                parameter="max_fpr", reason="needs negative cases, but {counts} contains none"
            )
        fpr = leaves.curve.fpr
        vertex = int(np.flatnonzero(fpr <= self.rate + _ROUNDING)[-1])
        if self.randomise:
            return _interpolated(leaves, vertex, fpr, self.rate)
        if leaves.curve.tp[vertex] == 0.0 and leaves.curve.n_positive > 0.0:
            self._warn(float(fpr[vertex + 1]))
        n_scores = _without_useless_alarms(leaves.curve, vertex)
        return Labelling.deterministic(leaves.votes_for_top(n_scores))

    def _warn(self, least: float) -> None:
        """Warn that nothing is predicted positive."""
        at_random = ", or attain the rate at random with {randomise}" if self.rate > 0.0 else ""
        warnings.warn(
            ParameterWarning(
                reason=f"{{max_fpr={self.rate:g}}} leaves no case positive: the first leaves "
                f"already have a false positive rate of {least:.4g}. Raise {{max_fpr}}{at_random}"
            ),
            stacklevel=stacklevel_outside_package(),
        )


@dataclass(frozen=True)
class MinTPR:
    """Label with the lowest false positive rate that a true positive rate (recall) needs.

    Parameters
    ----------
    rate : float
        Lowest true positive rate.
    randomise : bool
        Whether to attain it exactly, by predicting the cases of the last group of leaves positive
        at random.
    """

    rate: float
    randomise: bool = False

    def __post_init__(self) -> None:
        check_rate("min_tpr", self.rate)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        leaves.check_two_classes("{min_tpr}")
        if leaves.curve.n_positive == 0.0:
            raise ParameterError(
                parameter="min_tpr", reason="needs positive cases, but {counts} contains none"
            )
        tpr = leaves.curve.tpr
        needed = int(np.flatnonzero(tpr >= self.rate - _ROUNDING)[0])
        if self.randomise and needed > 0:
            return _interpolated(leaves, needed - 1, tpr, self.rate)
        return Labelling.deterministic(leaves.votes_for_top(needed))


def _interpolated(leaves: Leaves, vertex: int, rates: Floats, rate: float) -> Labelling:
    """Mix the labels of a vertex of the curve and of the next one at random to attain a rate."""
    if vertex + 1 == len(rates):
        return Labelling.deterministic(leaves.votes_for_top(vertex))
    chance = float((rate - rates[vertex]) / (rates[vertex + 1] - rates[vertex]))
    # Anything this close to a vertex is rounding.
    if chance < _ROUNDING or chance > 1.0 - _ROUNDING:
        return Labelling.deterministic(leaves.votes_for_top(vertex + round(chance)))
    return Labelling(leaves.votes_for_top(vertex), leaves.votes_for_top(vertex + 1), chance)


def _without_useless_alarms(curve: Curve, vertex: int) -> int:
    """Return the vertex, or an earlier one with as many true and fewer false positives."""
    as_good = np.flatnonzero(curve.tp[: vertex + 1] == curve.tp[vertex])
    cheapest = curve.fp[as_good] == curve.fp[as_good[0]]
    return int(as_good[cheapest][-1])


@dataclass(frozen=True)
class BestFBeta:
    """Label with the highest F-beta, which is always one of the optimal labellings.

    Parameters
    ----------
    beta : float
        Importance of recall relative to precision.
    prior : float, tuple of float or None
        Share of positives in the target population; by default that of the leaves.
    """

    beta: float = 1.0
    prior: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not is_finite_number(self.beta) or self.beta <= 0.0:
            raise ParameterError(
                parameter="beta", value=self.beta, reason="must be a number above 0"
            )

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels with the fewest positive leaves in case of ties."""
        leaves.check_two_classes("{beta}")
        curve = leaves.curve
        share = _target_prior(self.prior, leaves)[leaves.positive]
        hits = np.nan_to_num(curve.tpr) * share
        alarms = np.nan_to_num(curve.fpr) * (1.0 - share)
        # beta² / (1 + beta²), in a form that does not overflow.
        weight = self.beta / (self.beta + 1.0 / self.beta)
        below = weight * share + (1.0 - weight) * (hits + alarms)
        scores = hits / np.where(below > 0.0, below, 1.0)
        n_scores = int((scores >= scores.max() - _ROUNDING).argmax())
        return Labelling.deterministic(leaves.votes_for_top(n_scores))


@dataclass(frozen=True)
class Threshold:
    """Label leaves positive from a probability upwards.

    Parameters
    ----------
    value : float
        Lowest probability of positive leaves, from 0 to 1.
    """

    value: float = 0.5

    def __post_init__(self) -> None:
        check_rate("threshold", self.value)

    def __call__(self, leaves: Leaves) -> Labelling:
        """Return the labels."""
        leaves.check_two_classes("{threshold}")
        votes = np.zeros_like(leaves.shares)
        votes[:, leaves.positive] = leaves.shares[:, leaves.positive] - self.value + _ROUNDING
        return Labelling.deterministic(votes)


# By their names in model files.
LABELLING: dict[str, type[Labeller]] = {
    "majority": Majority,
    "least_cost": LeastCost,
    "max_fpr": MaxFPR,
    "min_tpr": MinTPR,
    "f_beta": BestFBeta,
    "threshold": Threshold,
}


def describe_request(labeller: Labeller) -> str:
    """Describe the request for an operating point in words.

    >>> describe_request(MaxFPR(0.1))
    'highest true positive rate with a false positive rate of at most 0.1'
    >>> describe_request(LeastCost(cost_fn=5))
    'lowest cost if a false positive costs 1 (not given) and a false negative 5'
    """
    match labeller:
        case Majority():
            return "the most frequent class"
        case LeastCost():
            costs = _describe_costs(labeller) + _describe_reject(labeller.cost_reject)
            return "lowest cost" + costs + _describe_prior(labeller.prior)
        case MaxFPR(rate, randomise):
            limit = f"with a false positive rate of {'' if randomise else 'at most '}{rate:g}"
            return f"highest true positive rate {limit}{', randomised' * randomise}"
        case MinTPR(rate, randomise):
            limit = f"with a true positive rate of {'' if randomise else 'at least '}{rate:g}"
            return f"lowest false positive rate {limit}{', randomised' * randomise}"
        case BestFBeta(beta, prior):
            return f"highest F-measure with beta {beta:g}{_describe_prior(prior)}"
        case Threshold(value):
            return f"positive from a probability of {value:g}"
    return repr(labeller)


def _describe_costs(labeller: LeastCost) -> str:
    if labeller.cost_matrix is not None:
        return f" with the costs {[list(row) for row in labeller.cost_matrix]} [predicted][true]"
    if labeller.cost_fp is None and labeller.cost_fn is None:
        return " if all errors cost the same"
    fp, fn = (
        "1 (not given)" if cost is None else f"{cost:g}"
        for cost in (labeller.cost_fp, labeller.cost_fn)
    )
    return f" if a false positive costs {fp} and a false negative {fn}"


def _describe_reject(cost: float | None) -> str:
    return "" if cost is None else f", leaving a case undecided for {cost:g}"


def _describe_prior(prior: float | tuple[float, ...] | None) -> str:
    if prior is None:
        return ""
    shares = prior if isinstance(prior, tuple) else (prior,)
    return f", where the {'share of positives is' if len(shares) == 1 else 'class shares are'} " + (
        ", ".join(f"{share:g}" for share in shares)
    )


def separates_one_class(labeller: Labeller) -> bool:
    """Return whether a labeller separates one class from all others, however many there are."""
    if isinstance(labeller, LeastCost):
        costs = labeller.cost_fp, labeller.cost_fn
        return costs != (None, None) or is_finite_number(labeller.prior)
    return isinstance(labeller, MaxFPR | MinTPR | BestFBeta | Threshold)


# Costs and priors


def votes_by_cost(shares: Floats, costs: Floats, positive: int) -> Floats:
    """Return votes for each class; the lower its expected cost, the higher its vote.

    Parameters
    ----------
    shares : float64[n, classes]
        Shares of the true classes.
    costs : float64[predicted, true] or float64[n, predicted, true]
        A last row, if there are more rows than classes, is for leaving a case undecided.
    positive : int
        The class chosen if two classes tie; of more classes the first is chosen. A case is decided
        if that costs no more than not to decide it.
    """
    # The cost of being right is the same for all predictions; it would only add rounding errors.
    right = np.diagonal(costs, axis1=-2, axis2=-1)
    excess, of_true = costs - right[..., None, :], shares[:, :, None]
    expected, rounded = (excess @ of_true)[:, :, 0], (np.abs(excess) @ of_true)[:, :, 0]
    # Exact ties are common and must not be decided by rounding errors. The tolerance is relative to
    # the two costs compared: a third may be so high that everything else would seem tied.
    place = expected.argmin(axis=1)[:, None]
    least = np.take_along_axis(expected, place, axis=1)
    scale = np.maximum(rounded, np.take_along_axis(rounded, place, 1))
    tied = expected <= least + _ROUNDING * scale
    if shares.shape[1] != 2:
        return -np.where(tied, least, expected)
    negative = 1 - positive
    votes = expected[:, negative, None] - np.where(tied, least, expected)
    votes[:, positive] = np.where(
        tied[:, positive], np.maximum(votes[:, positive], _LEAST_VOTE), votes[:, positive]
    )
    votes[:, negative] = 0.0
    # A tie with the negative class is exact, so that the case is not left undecided.
    votes[:, 2:][tied[:, 2:] & tied[:, [negative]] & ~tied[:, [positive]]] = 0.0
    return votes


# A vote that decides a tie in favour of the positive class.
_LEAST_VOTE = 1e-200


def _tie_margins(leaves: Leaves, costs: Floats) -> Floats:
    """Return additions to the votes that decide ties as ``votes_by_cost`` does.

    The vote of a case is the mean vote of its leaves, in which a tie is not exact.
    """
    order = -np.arange(len(costs), dtype=np.float64)
    if leaves.n_classes == 2:
        order[[1 - leaves.positive, leaves.positive]] = 0.0, 1.0
        order[2:] = -1.0
    return np.asarray(_ROUNDING * np.abs(costs).max() * order)


def _target_prior(prior: object, leaves: Leaves) -> Floats:
    """Return the requested class shares; by default those of the leaves."""
    if prior is None:
        return leaves.prior
    if is_finite_number(prior):
        share = float(prior)  # type: ignore[arg-type]
        shares = np.array([1.0 - share, share] if leaves.positive == 1 else [share, 1.0 - share])
    else:
        shares = as_numbers("prior", prior)
    if shares.shape != (leaves.n_classes,) or not np.isfinite(shares).all():
        raise ParameterError(
            parameter="prior",
            value=prior,
            reason="must contain one share for each of the {n} classes",
            n=leaves.n_classes,
        )
    if (shares < 0.0).any() or abs(shares.sum() - 1.0) > 1e-6:
        raise ParameterError(
            parameter="prior", value=prior, reason="must be shares from 0 to 1 that sum to 1"
        )
    return shares


def checked_matrix(matrix: Any, n_classes: int) -> Floats:
    """Return a cost matrix as an array after checking that every pair of classes has a cost."""
    costs = as_numbers("cost_matrix", matrix)
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            parameter="cost_matrix",
            reason="has shape {shape}: it must have {n} rows, one per predicted class, of {n} "
            "costs, one per true class",
            shape=costs.shape,
            n=n_classes,
        )
    if not (np.abs(costs) <= LARGEST_COST).all():
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"must contain only finite costs of at most {LARGEST_COST:g}",
        )
    if n_classes > 1:
        check_errors_cost(costs)
    return costs


def check_errors_cost(costs: Floats) -> None:
    """Raise if no error costs more than a correct prediction, for costs [..., predicted, true]."""
    right = np.diagonal(costs, axis1=-2, axis2=-1)
    if (costs <= right[..., None, :]).all():
        raise ParameterError(
            parameter="cost_matrix",
            reason="has no error that costs more than a correct prediction: rows are predicted "
            "classes, columns are true classes, and the diagonal holds the costs of correct "
            "predictions",
        )


def as_numbers(name: str, values: Any) -> Floats:
    """Return an array of numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            parameter=name, reason="must contain numbers, in rows of equal length"
        ) from None


def _checked_cost(name: str, cost: float | None) -> float:
    if cost is None:
        return 1.0
    check_cost(name, cost)
    if cost > LARGEST_COST:
        raise ParameterError(
            parameter=name, value=cost, reason=f"is too large: the maximum is {LARGEST_COST:g}"
        )
    return float(cost)


# Operating points


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """A labelling of the leaves, with its rates and costs on the counts it was chosen by.

    Parameters
    ----------
    labeller : Labeller
        The request.
    labels : int64[nodes]
        Class of each leaf; the number of classes where cases remain undecided.
    others : int64[nodes]
        Class used instead with probability ``chance``.
    votes, other_votes : float64[nodes, classes]
        Votes of each leaf; the highest is that of its class. If a case is divided among leaves, the
        mean of their votes decides. With ``cost_reject`` there is one more column.
    chance : float
        From 0 to 1; 0 unless the labels are randomised.
    confusion : float64[classes, classes]
        Shares of all cases by predicted and true class. With ``cost_reject`` there is one more row,
        of undecided cases.
    expected_cost : float
        Cost per case at the requested prior; errors cost 1 if no costs were requested.
    fpr, tpr : float or None
        Rates for two classes.
    cost_ratio : (float, float) or None
        Range of the cost ratio (miss : false alarm) for which the labels are optimal, if there are
        two classes, every case is decided, and the labelling is an optimal one.
    isocost_slope : float or None
        Slope of the iso-cost lines in ROC space, if costs or a prior were requested for two
        classes.
    counts : {"training", "smoothed", "held_out"}
        The counts it was chosen by.
    in_parts : bool
        Whether missing values or soft thresholds divide cases among leaves and their probabilities
        are unknown. The counts contain fractions of them, while ``predict`` labels them as a whole,
        so the rates are approximate.
    positive : int
        Index of the positive class: one of two, or one against the rest.
    seed : int
        Seed of a randomised labelling.
    positive_class : label
        The positive class; None if all classes are on a par.
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
    positive_class: Any = None

    def __post_init__(self) -> None:
        make_read_only(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        named = "" if self.positive_class is None else f"positive class {self.positive_class!r}, "
        return f"<OperatingPoint {named}{self.labeller!r}: {self.achievement}>"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.confusion.shape[1])

    @property
    def abstains(self) -> bool:
        """Whether cases may remain undecided."""
        return len(self.confusion) > self.n_classes

    @property
    def rejected(self) -> float:
        """Share of the cases that remain undecided, at the requested prior."""
        if not self.abstains:
            return 0.0
        view = _cost_view(self, self.confusion)
        return float((view.confusion[len(view.weights) :] * view.weights).sum())

    @property
    def achievement(self) -> str:
        """Rates and cost in words, and for which costs the labels are optimal."""
        facts = [f"expected cost {self.expected_cost:.4g}"]
        if self.abstains:
            facts.insert(0, f"{self.rejected:.4f} of the cases undecided")
        if self.fpr is not None and self.tpr is not None:
            facts = [f"FPR {self.fpr:.4f}", f"TPR {self.tpr:.4f}", *facts]
        if self.cost_ratio is not None:
            ratios = _format_range(*self.cost_ratio, ".3g")
            facts.append(f"optimal for cost ratios (miss : false alarm) {ratios}")
        if 0.0 < self.chance < 1.0:
            facts.append(f"one group of leaves positive with probability {self.chance:.4f}")
        if self.counts == "smoothed":
            facts.append("estimated by smoothed probabilities")
        if self.in_parts:
            facts.append(IN_PARTS)
        return ", ".join(facts)


def operating_point(
    leaves: Leaves,
    labeller: Labeller,
    n_nodes: int,
    counts: str = "training",
    seed: int = 0,
    *,
    in_parts: bool = False,
) -> OperatingPoint:
    """Return the operating point that a labeller chooses for the leaves of a tree.

    Parameters
    ----------
    leaves : Leaves
    labeller : Labeller
    n_nodes : int
        Number of nodes of the tree.
    counts, seed, in_parts : see ``OperatingPoint``
    """
    # To separate one class from the rest is a problem of two classes.
    view = leaves.against_rest if separates_one_class(labeller) else leaves
    chooser = labeller if view is leaves else _of_two_classes(labeller, leaves)
    chosen = chooser(view)
    if isinstance(chooser, LeastCost):
        pricing = chooser
    else:
        pricing = LeastCost(prior=getattr(chooser, "prior", None))
    weights = pricing.weights(view)
    costs = pricing.matrix(view) * weights
    confusion = _confusion(view, chosen)
    rates: dict[str, Any] = {"expected_cost": float((confusion * costs).sum())}
    if view.n_classes == 2:
        rates |= _rates_of_two(view, confusion)
        rates["cost_ratio"] = _cost_ratio(view, chosen, weights)
        if pricing is chooser:
            rates["isocost_slope"] = _isocost_slope(view, costs)
    if view is not leaves:
        chosen = _for_all_classes(chosen, leaves)
    return OperatingPoint(
        labeller,
        _by_node(chosen.labels, leaves, n_nodes),
        _by_node(chosen.other_labels, leaves, n_nodes),
        _by_node(chosen.votes, leaves, n_nodes),
        _by_node(chosen.other_votes, leaves, n_nodes),
        chosen.chance,
        _confusion(leaves, chosen),
        counts=counts,
        in_parts=in_parts,
        positive=leaves.positive,
        seed=seed,
        **rates,
    )


def cost_of_labels(point: OperatingPoint, confusion: Floats) -> tuple[float, float] | None:
    """Return what labels cost on other cases, by the costs and the prior they were chosen by.

    Parameters
    ----------
    point : OperatingPoint
    confusion : float64[labels, classes]
        Weights of the cases by predicted and true class; a last row is for undecided cases.

    Returns
    -------
    (float, float) or None
        The cost per case, and the lowest cost of one label for all cases. None if the labels were
        not chosen by costs or a prior, or if a class is absent.
    """
    if not isinstance(point.labeller, LeastCost) or not confusion.sum(axis=0).all():
        return None
    view = _cost_view(point, confusion / confusion.sum())
    costs = view.costs * view.weights
    of_one_label = costs @ view.confusion.sum(axis=0)
    return float((view.confusion * costs).sum()), float(of_one_label.min())


class _CostView(NamedTuple):
    """Predictions and their costs: of two classes if one class is separated from the rest.

    Parameters
    ----------
    confusion, costs : float64[labels, classes]
    weights : float64[classes]
        Factors from the class shares of the cases to the requested prior.
    """

    confusion: Floats
    costs: Floats
    weights: Floats


def _cost_view(point: OperatingPoint, confusion: Floats) -> _CostView:
    """Return shares of cases by predicted and true class, with the costs of an operating point."""
    totals = confusion.sum(axis=0)
    leaves = Leaves(np.array([0]), totals[None], totals[None] / totals.sum(), point.positive)
    view = leaves.against_rest if separates_one_class(point.labeller) else leaves
    labeller: Any = point.labeller
    if view is not leaves:
        labeller = _of_two_classes(labeller, leaves)
        n_classes = leaves.n_classes
        side = np.eye(2)[(np.arange(n_classes) == leaves.positive).astype(np.int64)]
        decided, undecided = confusion[:n_classes], confusion[n_classes:]
        confusion = np.vstack([side.T @ decided @ side, undecided @ side])
    costs = replace(labeller, cost_reject=None).matrix(view)
    if labeller.cost_reject is not None:
        costs = np.vstack([costs, np.full(view.n_classes, labeller.cost_reject)])
    return _CostView(confusion, costs, labeller.weights(view))


def _of_two_classes(labeller: Labeller, leaves: Leaves) -> Labeller:
    """Return a labeller whose prior, if it has one share per class, is that of the positive."""
    prior = getattr(labeller, "prior", None)
    if prior is None or is_finite_number(prior):
        return labeller
    return configure(labeller, {"prior": float(_target_prior(prior, leaves)[leaves.positive])})


def _for_all_classes(chosen: Labelling, leaves: Leaves) -> Labelling:
    """Extend votes for one class or the rest: of the rest, the most frequent class is chosen.

    Votes stay linear in the shares, as cases that are divided among leaves need it.
    """
    # As in ``round_half_up``, a share halfway between two rows belongs to the higher one.
    margin = 0.0 if leaves.decimals is None else _ROUNDING

    def extended(votes: Floats) -> Floats:
        found = _MIN_VOTE * leaves.shares
        found[:, leaves.positive] = votes[:, 1] - votes[:, 0] + margin
        return np.column_stack([found, votes[:, 2:] - votes[:, :1]])

    return Labelling(extended(chosen.votes), extended(chosen.other_votes), chosen.chance)


# Decides between classes of the rest, and never between these and the positive class.
_MIN_VOTE = 1e-250


def _by_node(values: NDArray[Any], leaves: Leaves, n_nodes: int) -> NDArray[Any]:
    """Scatter the values of leaves to their nodes; zeros elsewhere."""
    placed = np.zeros((n_nodes, *values.shape[1:]), dtype=values.dtype)
    placed[leaves.nodes[leaves.is_leaf]] = values[leaves.is_leaf]
    return placed


def _confusion(leaves: Leaves, chosen: Labelling) -> Floats:
    """Return the share of all cases by predicted and true class."""
    shares = np.zeros((chosen.votes.shape[1], leaves.n_classes))
    for labels, part in (
        (chosen.labels, 1.0 - chosen.chance),
        (chosen.other_labels, chosen.chance),
    ):
        np.add.at(shares, labels, part * leaves.counts)
    return np.asarray(shares / leaves.counts.sum())


def _rates_of_two(leaves: Leaves, confusion: Floats) -> dict[str, float]:
    ours, theirs = confusion[:, leaves.positive], confusion[:, 1 - leaves.positive]
    return {
        "tpr": float(ours[leaves.positive] / ours.sum()) if ours.any() else float("nan"),
        "fpr": float(theirs[leaves.positive] / theirs.sum()) if theirs.any() else float("nan"),
    }


def _cost_ratio(leaves: Leaves, chosen: Labelling, weights: Floats) -> tuple[float, float] | None:
    """Return the range of cost ratios of a labelling, if it is one of the optimal ones."""
    if chosen.votes.shape[1] > leaves.n_classes:
        return None
    positive = chosen.labels == leaves.positive
    if leaves.by_shares:
        # Probabilities that no case has.
        full = np.asarray(leaves.counts.any(axis=1))
        leaves, positive = leaves.select(full), positive[full]
    n_scores = int(leaves.rank[positive].max()) + 1 if positive.any() else 0
    if chosen.chance > 0.0 or not np.array_equal(leaves.rank < n_scores, positive):
        return None
    if weights[leaves.positive] == 0.0:
        return None
    # If negatives are more frequent in the target population, a miss must cost more.
    rarer = float(weights[1 - leaves.positive] / weights[leaves.positive])
    low, high = Labellings(leaves).cost_ranges[n_scores].tolist()
    if np.isnan(low):
        return None
    return rarer * low if low < np.inf else low, rarer * high if high < np.inf else high


def _isocost_slope(leaves: Leaves, costs: Floats) -> float | None:
    """Return the true positive rate that is worth one unit of false positive rate."""
    regrets = (costs - np.diagonal(costs)) * leaves.prior
    alarm = regrets[leaves.positive, 1 - leaves.positive]
    miss = regrets[1 - leaves.positive, leaves.positive]
    return float(alarm / miss) if miss > 0.0 else None


# All optimal labellings


LABELLINGS_HEAD = (
    "leaves +",
    "FPR",
    "TPR",
    "accuracy",
    "cost ratio (miss : false alarm)",
    "prior of +",
)
# Rows shown at either end of a long table.
_SHOWN = 10


class LabellingRow(NamedTuple):
    """One labelling: the leaves with the highest shares of positives are positive.

    Parameters
    ----------
    positive_leaves : int64[...]
        Node numbers of the positive leaves, highest share first.
    fpr, tpr, accuracy : float
        On the counts that the labellings were made from.
    cost_ratio : (float, float)
        Range of the cost ratio (miss : false alarm) for which it is optimal; NaN if it never is.
    prior : (float, float)
        Range of the share of positives for which it is optimal if both errors cost the same; NaN
        with ``cost_reject``.
    undecided_leaves : int64[...]
        Node numbers of the leaves whose cases remain undecided, highest share first.
    rejected : float
        Share of all cases in undecided leaves.
    """

    positive_leaves: Ints
    fpr: float
    tpr: float
    accuracy: float
    cost_ratio: tuple[float, float]
    prior: tuple[float, float]
    undecided_leaves: Ints = np.zeros(0, dtype=np.int64)
    rejected: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Labellings(DisplayTable, Sequence[LabellingRow]):
    """The optimal labellings of two classes, from no positive leaf to all (Ferri et al. 2002).

    By their Theorem 6 leaves become positive in decreasing order of their share of positives.
    Leaves with equal shares change together, so there may be fewer labellings than leaves plus one.
    If held-out cases are divided among leaves, some labellings separate only those cases, and may
    not be optimal for any costs.

    With ``cost_reject``, the cost of leaving a case undecided in units of a false alarm, leaves
    cease to be negative in the same order. They become positive if their share of negatives is at
    most this cost, and undecided otherwise.

    Parameters
    ----------
    leaves : Leaves
    positive_class, negative_class : label
        The negative class is None if it is the rest of several.
    in_parts : bool
        Whether the counts contain fractions of cases, which makes rates approximate.
    cost_reject : float or None
        Cost of leaving a case undecided, if a false alarm costs 1; None to decide every case.
    """

    leaves: Leaves
    positive_class: Any = None
    negative_class: Any = None
    in_parts: bool = False
    cost_reject: float | None = None

    @classmethod
    def from_leaves(
        cls,
        leaves: Leaves,
        classes: NDArray[Any],
        *,
        in_parts: bool = False,
        cost_reject: float | None = None,
    ) -> "Labellings":
        """Return the labellings of leaves of two classes, or of one class against the rest."""
        two, labels = leaves.against_rest, classes.tolist()
        two.check_two_classes("a table of labellings")
        if cost_reject is not None:
            cost_reject = _checked_cost("cost_reject", cost_reject)
        return cls(
            two.with_empty_joined(),
            labels[leaves.positive],
            labels[1 - leaves.positive] if two is leaves else None,
            in_parts,
            cost_reject,
        )

    def __len__(self) -> int:
        return len(self.leaves.curve.tpr)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._row(number) for number in range(*place.indices(len(self)))]
        number = index(place) + (len(self) if place < 0 else 0)
        if not 0 <= number < len(self):
            raise IndexError(f"index {place} is out of range: there are {len(self)} labellings")
        return self._row(number)

    def __iter__(self) -> Iterator[LabellingRow]:
        return (self._row(number) for number in range(len(self)))

    def _row(self, number: int) -> LabellingRow:
        n_positive, n_chosen = self._n_positive[number], self._n_chosen[number]
        return LabellingRow(
            self._leaves_in_order[:n_positive],
            float(self._fpr[number]),
            float(self._tpr[number]),
            float(self._accuracy[number]),
            tuple(self.cost_ranges[number].tolist()),
            tuple(self.prior_ranges[number].tolist()),
            self._leaves_in_order[n_positive:n_chosen],
            float(self._rejected[number]),
        )

    @cached_property
    def _positive_steps(self) -> Ints:
        """How many steps of the curve are positive in each labelling; the next are undecided."""
        steps, limit = np.arange(len(self)), len(self)
        if self.cost_reject is not None:
            decided = 1.0 - self.leaves.curve.scores <= self.cost_reject + _ROUNDING
            limit = int(np.count_nonzero(decided))
        return np.minimum(steps, limit)

    def _prices(self, positives: Floats, negatives: Floats) -> Floats:
        """Return the cost of no longer calling each step negative, in false alarms."""
        if self.cost_reject is None:
            return negatives
        is_positive = np.arange(len(negatives)) < self._positive_steps[-1]
        return np.where(is_positive, negatives, self.cost_reject * (positives + negatives))

    @cached_property
    def cost_bounds(self) -> Floats:
        """Cost ratios (miss : false alarm) at which adjacent labellings tie, from 0 to inf."""
        curve = self.leaves.curve
        by_share = (curve.positives + curve.negatives == 0.0) | self.leaves.by_shares
        ours = np.where(by_share, curve.scores, curve.positives)
        theirs = self._prices(ours, np.where(by_share, 1.0 - curve.scores, curve.negatives))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            # Without positives nothing is missed, whatever it costs to leave cases undecided.
            steps = np.where(ours > 0.0, theirs / ours, np.inf)
        return np.concatenate([[0.0], steps, [np.inf]])

    @cached_property
    def cost_ranges(self) -> Floats:
        """Cost ratios for which each labelling is optimal, [labellings, 2]; NaN if it never is."""
        bounds, curve = self.cost_bounds, self.leaves.curve
        if (bounds[:-1] <= bounds[1:]).all():
            return np.column_stack([bounds[:-1], bounds[1:]])
        prices = self._prices(curve.positives, curve.negatives)
        edges = _hull_edges(bounds[1:-1].tolist(), curve.positives.tolist(), prices.tolist())
        best = np.cumsum([0, *(edge.n_steps for edge in edges)])
        kept = np.array([0.0, *(edge.bound for edge in edges), np.inf])
        ranges = np.full((len(self), 2), np.nan)
        ranges[best] = np.column_stack([kept[:-1], kept[1:]])
        return ranges

    @cached_property
    def prior_ranges(self) -> Floats:
        """Shares of positives for which each labelling is optimal if both errors cost the same.

        NaN if it never is, if all cases belong to one class, or if cases may remain undecided.
        """
        curve = self.leaves.curve
        if self.cost_reject is not None:
            return np.full((len(self), 2), np.nan)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            odds = self.cost_ranges * (curve.n_positive / np.float64(curve.n_negative))
            return np.asarray(np.where(np.isinf(odds), 1.0, odds / (1.0 + odds)))

    @property
    def note(self) -> str:
        """A sentence about labellings that are never optimal; empty if there are none."""
        n_never = int(np.isnan(self.cost_ranges[:, 0]).sum())
        if n_never == 0:
            return ""
        return (
            f"{n_never} of {len(self)} are never optimal: whatever the costs, another labelling "
            "costs no more on these cases, some of which are divided among leaves."
        )

    @property
    def _fpr(self) -> Floats:
        return np.asarray(self.leaves.curve.fpr[self._positive_steps])

    @property
    def _tpr(self) -> Floats:
        return np.asarray(self.leaves.curve.tpr[self._positive_steps])

    @cached_property
    def _accuracy(self) -> Floats:
        curve = self.leaves.curve
        right = curve.tp[self._positive_steps] + (curve.n_negative - curve.fp)
        return np.asarray(right / (curve.n_positive + curve.n_negative))

    @cached_property
    def _rejected(self) -> Floats:
        curve = self.leaves.curve
        chosen = curve.tp + curve.fp
        return np.asarray((chosen - chosen[self._positive_steps]) / chosen[-1])

    @cached_property
    def _n_chosen(self) -> Ints:
        """Number of leaves of each labelling that are not negative."""
        leaves = self.leaves
        steps = np.bincount(leaves.rank[leaves.is_leaf], minlength=len(self) - 1)
        return np.append(0, np.cumsum(steps))

    @property
    def _n_positive(self) -> Ints:
        return np.asarray(self._n_chosen[self._positive_steps])

    @cached_property
    def _leaves_in_order(self) -> Ints:
        """The leaves, highest share first; the positive leaves of a labelling are a prefix."""
        order = self.leaves.nodes[np.argsort(self.leaves.rank, kind="stable")]
        order = order[order >= 0]
        order.flags.writeable = False
        return order

    def columns(self) -> dict[str, Any]:
        """Return the table as columns."""
        costs, priors = self.cost_ranges, self.prior_ranges
        found: dict[str, Any] = {"positive_leaves": self._n_positive}
        if self.cost_reject is not None:
            found["undecided_leaves"] = self._n_chosen - self._n_positive
        found |= {"fpr": self._fpr, "tpr": self._tpr, "accuracy": self._accuracy}
        if self.cost_reject is not None:
            found["rejected"] = self._rejected
        found |= {"cost_ratio_from": costs[:, 0], "cost_ratio_to": costs[:, 1]}
        if self.cost_reject is None:
            found |= {"prior_from": priors[:, 0], "prior_to": priors[:, 1]}
        return found

    @property
    def head(self) -> tuple[str, ...]:
        """The heads of the columns of ``cells``."""
        if self.cost_reject is None:
            return LABELLINGS_HEAD
        leaves, *rates, ratio, _ = LABELLINGS_HEAD
        return leaves, "undecided", *rates, "rejected", ratio

    def cells(self, digits: int = 3) -> list[list[str]]:
        """Return the table as text cells, one list per labelling.

        Parameters
        ----------
        digits : int
            Decimals of the rates.
        """
        return self._format_rows(range(len(self)), digits)

    @property
    def caption(self) -> str:
        """Number of labellings, and the positive class."""
        named = "" if self.positive_class is None else f", positive class {self.positive_class!r}"
        named += " against the rest" * (self.negative_class is None and bool(named))
        if self.cost_reject is not None:
            named += f", undecided cases cost {self.cost_reject:g} false alarms"
        return f"{len(self)} labellings{named}" + (f", {IN_PARTS}" if self.in_parts else "")

    def _shown(self) -> list[list[str]]:
        """Return all rows, or the first and last ones of a long table."""
        if len(self) <= 2 * _SHOWN + 1:
            return self.cells()
        first, last = range(_SHOWN), range(len(self) - _SHOWN, len(self))
        return [*self._format_rows(first), ["..."] * len(self.head), *self._format_rows(last)]

    def _format_rows(self, numbers: range, digits: int = 3) -> list[list[str]]:
        columns = self.columns()
        leaves = [name for name in columns if name.endswith("_leaves")]
        rates = [name for name in ("fpr", "tpr", "accuracy", "rejected") if name in columns]
        n_ranges = len(self.head) - len(leaves) - len(rates)
        return [
            [
                *(str(columns[name][i]) for name in leaves),
                *(f"{columns[name][i]:.{digits}f}" for name in rates),
                *self._format_ranges(i)[:n_ranges],
            ]
            for i in numbers
        ]

    def _format_ranges(self, number: int) -> tuple[str, str]:
        low, high = self.cost_ranges[number].tolist()
        if np.isnan(low):
            return "never optimal", ""
        rarest, most_frequent = self.prior_ranges[number].tolist()
        return _format_range(low, high, ".3g"), _format_range(rarest, most_frequent, ".3f")


def _format_range(low: float, high: float, form: str) -> str:
    """Format a range for display.

    >>> _format_range(0.5, 2.0, ".3g"), _format_range(0.0, 0.0, ".3g")
    ('0.5 to 2', 'only 0')
    >>> _format_range(4.0, np.inf, ".3g"), _format_range(np.inf, np.inf, ".3g")
    ('4 or more', 'only ∞')
    """
    if np.isinf(low):
        return "only ∞"
    if low == high:
        return f"only {low:{form}}"
    return f"{low:{form}} or more" if np.isinf(high) else f"{low:{form}} to {high:{form}}"


class _HullEdge(NamedTuple):
    """Consecutive steps of the curve, and the cost ratio at which both ends cost the same."""

    bound: float
    positives: float
    negatives: float
    n_steps: int = 1

    def merged(self, other: "_HullEdge") -> "_HullEdge":
        ours, theirs = self.positives + other.positives, self.negatives + other.negatives
        bound = theirs / ours if ours > 0.0 else np.inf if theirs > 0.0 else other.bound
        return _HullEdge(bound, ours, theirs, self.n_steps + other.n_steps)


def _hull_edges(
    bounds: list[float], positives: list[float], negatives: list[float]
) -> list[_HullEdge]:
    """Merge adjacent steps until their bounds increase: the edges of the convex hull."""
    edges: list[_HullEdge] = []
    for edge in map(_HullEdge, bounds, positives, negatives):
        while edges and edges[-1].bound > edge.bound:
            edge = edges.pop().merged(edge)
        edges.append(edge)
    return edges
