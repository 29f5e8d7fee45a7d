"""Pruners that decide by class counts, or gains: those of the tree, or of held-out cases.

Notation: at a node, ``n`` are the class counts, ``N`` their sum, ``E = N - max n`` the training
errors as a leaf, ``C`` the number of classes. Three of the pruners look at one node at a time
(``CriticalValue``, ``CardPerClass``, ``ExpectedError``). The others compare a node as a leaf with
its subtree by an estimate of the errors on new cases:

=================  =====================================================  ========================
pruner             estimated errors of a leaf                             source
=================  =====================================================  ========================
``Pessimistic``    E + 1/2, and one standard error in favour of a leaf    Quinlan 1987
``MinimumError``   N (N - n + (1 - prior) m) / (N + m), lowest class      Cestnik, Bratko 1991
``ErrorBased``     N U(E, N): upper confidence limit of the error rate    Quinlan 1993
``ReducedError``   the errors of held-out cases                           Quinlan 1987
=================  =====================================================  ========================

The first three also take ``costs`` of errors, after Bradley and Lovell (1995): errors are
multiplied by the cost of the label that makes them, and a new leaf takes the label that costs
least. Decision 0009 (docs/decisions/0009-pruning-readings.md) lists how we read ambiguous
definitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from roctree.arrays import Bools, Floats, Floats2D, Ints
from roctree.data.dataset import Dataset
from roctree.errors import ParameterError
from roctree.pruning.protocol import (
    TIE,
    Costs,
    Need,
    Pruned,
    cut_with_labels,
    held_out_errors,
    inherit_labels,
    majority,
    training_errors,
)
from roctree.pruning.raising import raise_subtrees
from roctree.strategy import LARGEST_COST, check_choices, check_number, reject_option
from roctree.tree.shape import (
    better_as_leaves,
    collapse,
    cut,
    leaf_sums,
    subtree_sums,
    uniform_subtrees,
)
from roctree.tree.tree import Tree

Limit = Literal["exact", "c45", "weka"]


# One node at a time.


@dataclass(frozen=True)
class Unpruned:
    """No pruning: the tree as it was grown.

    Examples
    --------
    >>> Unpruned()(Tree.single_leaf([3, 1])).n_leaves
    1
    """

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the tree itself."""
        return tree


@dataclass(frozen=True)
class CriticalValue:
    """Critical-value pruning (Mingers 1987): keep a split if it, or one below, gains enough.

    Parameters
    ----------
    value : float, default 0.01
        The critical value: minimum gain, in units of the criterion that grew the tree.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> [tree.pruned("critical_value", value=value).get_n_leaves() for value in (0.05, 0.3)]
    [4, 1]
    """

    value: float = 0.01

    def __post_init__(self) -> None:
        check_number(self, "value")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        reaches = ~tree.is_leaf & (tree.gain >= self.value)
        return cut(tree, subtree_sums(tree, reaches.astype(np.float64)) == 0.0)


@dataclass(frozen=True)
class CardPerClass:
    """Make leaves of nodes with few cases, after Ferri, Flach and Hernández-Orallo (2003).

    Parameters
    ----------
    K : float, default 1.0
        Amount of pruning; 0 prunes nothing.
    rule : {"printed", "per_class"}, default "printed"
        "printed" prunes nodes with fewer than 2 K / classes cases, as printed in the paper; for few
        classes and small K that is hardly any. "per_class" prunes nodes with fewer than 2 K classes
        cases, as the name of the method and its motivation suggest.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> [tree.pruned("card_per_class", K=K).get_n_leaves() for K in (2, 4, 6)]
    [4, 3, 2]
    """

    K: float = 1.0
    rule: Literal["printed", "per_class"] = "printed"

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "K")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        factor = 1.0 / tree.n_classes if self.rule == "printed" else float(tree.n_classes)
        return cut(tree, tree.weight < 2.0 * self.K * factor)


@dataclass(frozen=True)
class ExpectedError:
    """Expected-error pruning: undo splits that do not lower Niblett and Bratko's expected error.

    The expected error is (E + classes - 1) / (N + classes). Children are treated as leaves, so
    splits further down, which may make a split worthwhile, are ignored. Ferri, Flach and
    Hernández-Orallo (2003) name the method without defining it.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> tree.pruned("expected_error").get_n_leaves()
    2
    """

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        wrong = tree.weight - tree.counts.max(axis=1) + tree.n_classes - 1.0
        expected = tree.weight * wrong / (tree.weight + tree.n_classes)
        below = np.bincount(tree.parent[1:], expected[1:], minlength=tree.n_nodes)
        return cut(tree, expected <= below + TIE * tree.weight)


# A node against its subtree.


@dataclass(frozen=True)
class Pessimistic:
    """Pessimistic pruning (Quinlan 1987): prune within one standard error, at 1/2 error per leaf.

    A node becomes a leaf if E + 1/2 is at most e + sqrt(e (N - e) / N), where e is the number of
    errors of its subtree plus 1/2 for each leaf. Leaves without cases are not charged.

    Parameters
    ----------
    costs : float per class, matrix, dict or None, default None
        Cost of wrongly predicting each class, or a matrix of costs [predicted][true]. The standard
        error is then that of the number of errors, times their mean cost.
    leaves : {"keep", "relabel"}, default "keep"
        With costs, whether existing leaves keep their majority class or are relabelled too.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> tree.pruned("pessimistic").get_n_leaves()
    2
    """

    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_costs(self.costs)

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        if self.costs is not None:
            return self.labelled(tree).tree
        charged = training_errors(tree) + 0.5 * (tree.weight > 0.0)
        return cut(tree, self._final(tree, charged, charged))

    def labelled(self, tree: Tree) -> Pruned:
        """Return the tree pruned under costs, and the labels of its nodes."""
        wrong = tree.weight[:, None] - tree.counts + 0.5 * (tree.weight > 0.0)[:, None]
        costs = (1.0,) * tree.n_classes if self.costs is None else self.costs
        cost = wrong * cost_of_errors(costs, tree.counts)
        labels = cheapest_labels(tree, cost)
        if self.leaves == "keep":
            labels = np.where(tree.is_leaf, majority(tree), labels)
        own = labels[:, None]
        final = self._final(
            tree,
            np.take_along_axis(wrong, own, axis=1)[:, 0],
            np.take_along_axis(cost, own, axis=1)[:, 0],
        )
        if self.leaves == "relabel":
            final, labels = uniform_subtrees(tree, final, labels)
        return cut_with_labels(tree, final, labels)

    def _final(self, tree: Tree, wrong: Floats, cost: Floats) -> Bools:
        """Flag the nodes that become leaves.

        Pruning elsewhere does not change the numbers of a node, so the order does not matter.
        """
        below, lost = leaf_sums(tree, wrong), leaf_sums(tree, cost)
        deviation = standard_error(below, tree.weight)
        mean_cost = np.divide(lost, below, out=np.zeros_like(lost), where=below > 0.0)
        return np.asarray(~tree.is_leaf & (cost <= lost + mean_cost * deviation))


def standard_error(errors: Floats, cases: Floats) -> Floats:
    """Return sqrt(e (N - e) / N), or 0 if errors, at 1/2 per leaf, exceed the cases.

    Examples
    --------
    >>> standard_error(np.array([12.0]), np.array([35.0])).round(6)
    array([2.808151])
    """
    right = np.maximum(cases - errors, 0.0)
    return np.sqrt(errors * right / np.where(cases > 0.0, cases, 1.0))


@dataclass(frozen=True)
class MinimumError:
    """Minimum-error pruning (Cestnik and Bratko 1991): prune if the expected error is no larger.

    The expected error of a leaf is an m-estimate, (N - n + (1 - prior) m) / (N + m) for the class
    that minimises it; that of a subtree is the mean over its leaves, weighted by their cases.

    Parameters
    ----------
    m : float or "classes", default 8.0
        Weight of the prior, in cases; "classes" stands for the number of classes.
    prior : {"training", "uniform"}, default "training"
        Prior class probabilities: class frequencies at the root, or all equal.
        ``MinimumError(m="classes", prior="uniform")`` is the method of Niblett and Bratko (1986).
    costs : float per class, matrix, dict or None, default None
        Cost of wrongly predicting each class, or a matrix of costs [predicted][true]. With costs,
        even equal ones, an existing leaf is judged by the class that it predicts (Bradley and
        Lovell 1995, equation 5); without, by the class with the lowest expected error.
    leaves : {"keep", "relabel"}, default "keep"
        With costs, whether existing leaves keep their majority class or are relabelled too.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> [tree.pruned("minimum_error", m=m).get_n_leaves() for m in (0, 8)]
    [4, 2]
    """

    m: float | Literal["classes"] = 8.0
    prior: Literal["training", "uniform"] = "training"
    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_costs(self.costs)
        if isinstance(self.m, str):
            if self.m != "classes":
                reject_option(self, "m", "give a number, or 'classes'")
        else:
            check_number(self, "m")

    def __call__(self, tree: Tree, *_: Any) -> Tree:
        """Return the pruned tree."""
        return self.labelled(tree).tree

    def labelled(self, tree: Tree) -> Pruned:
        """Return the pruned tree, and the labels of its nodes."""
        cost = self.expected(tree) * tree.weight[:, None]
        # Cestnik and Bratko judge a leaf by the class of lowest expected error, which may differ
        # from its majority class; Bradley and Lovell, with costs, by the class that it predicts.
        return prune_by_cost(tree, cost, "any" if self.costs is None else self.leaves)

    def errors_by_label(self, tree: Tree) -> Floats2D:
        """Return the expected number of errors of each node as a leaf of each class."""
        return replace(self, costs=None).expected(tree) * tree.weight[:, None]

    def expected(self, tree: Tree) -> Floats2D:
        """Return the expected error, or cost, of each node as a leaf of each class."""
        m = float(tree.n_classes if self.m == "classes" else self.m)
        prior = np.full(tree.n_classes, 1.0 / tree.n_classes)
        if self.prior == "training" and tree.weight[0] > 0.0:
            prior = tree.counts[0] / tree.weight[0]
        cases = tree.counts + m * prior
        total = tree.weight + m
        wrong = total[:, None] - cases
        error = wrong / np.where(total > 0.0, total, 1.0)[:, None]
        return error if self.costs is None else error * cost_of_errors(self.costs, cases)


@dataclass(frozen=True)
class ErrorBased:
    """Error-based pruning (C4.5): prune if the upper confidence limit of the errors is no larger.

    Parameters
    ----------
    cf : float, default 0.25
        Confidence level, C4.5's -c as a fraction; smaller values prune more.
    limit : {"exact", "c45", "weka"}, default "exact"
        Upper confidence limit: that of the binomial distribution, or the approximation used by C4.5
        or by Weka's J48.
    raising : bool, default False
        Whether the largest branch of a node may replace it; requires the training data.
    slack : float, default 0.1
        Number of additional errors allowed for a leaf, or for a raised branch.
    collapse : bool, default False
        Whether to replace, beforehand, subtrees that make no fewer training errors than a leaf.
    costs : float per class, matrix, dict or None, default None
        Cost of wrongly predicting each class, or a matrix of costs [predicted][true]. Excludes
        slack and raising.
    leaves : {"keep", "relabel"}, default "keep"
        With costs, whether existing leaves keep their majority class or are relabelled too.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> [tree.pruned("error_based", cf=cf).get_n_leaves() for cf in (0.25, 0.75)]
    [2, 4]
    """

    cf: float = 0.25
    limit: Limit = "exact"
    raising: bool = False
    slack: float = 0.1
    collapse: bool = False
    costs: Costs | None = None
    leaves: Literal["keep", "relabel"] = "keep"

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "cf", above_zero=True)
        check_number(self, "slack")
        check_costs(self.costs)
        if self.cf >= 1.0:
            reject_option(self, "cf", "give a fraction below 1; C4.5's -c 25 is 0.25")
        if self.raising and self.costs is not None:
            reject_option(self, "raising", "subtrees cannot be raised under costs")

    @property
    def needs(self) -> Need:
        """The training cases if subtrees are raised."""
        return "training" if self.raising else "counts"

    def __call__(self, tree: Tree, training: Dataset | None = None) -> Tree:
        """Return the pruned tree."""
        if self.costs is not None:
            return self.labelled(tree).tree
        tree = collapse(tree) if self.collapse else tree
        # Weka treats numbers that differ by less than 1e-6 as equal.
        slack = self.slack + (1e-6 if self.limit == "weka" else 0.0)
        if not self.raising:
            return cut(tree, better_as_leaves(tree, self.expected(tree), slack))
        if training is None:
            raise ParameterError(
                owner=self,
                parameter="raising",
                value=True,
                reason="needs the training data: use it with fit, or pass {X and y}",
            )
        return raise_subtrees(tree, training, self._upper_limit, slack)

    def labelled(self, tree: Tree) -> Pruned:
        """Return the tree pruned under costs, and the labels of its nodes."""
        tree = collapse(tree) if self.collapse else tree
        costs = (1.0,) * tree.n_classes if self.costs is None else self.costs
        if self.leaves == "keep" and all_equal(costs):
            # The approximate limits may be lower for a class with fewer cases; equal costs must
            # not choose it.
            return cut_with_labels(
                tree, better_as_leaves(tree, self.expected(tree)), majority(tree)
            )
        cost = self.errors_by_label(tree) * cost_of_errors(costs, tree.counts)
        return prune_by_cost(tree, cost, self.leaves)

    def errors_by_label(self, tree: Tree) -> Floats2D:
        """Return the upper limit of the errors of each node as a leaf of each class."""
        wrong = tree.weight[:, None] - tree.counts
        return self._upper_limit(wrong, np.broadcast_to(tree.weight[:, None], wrong.shape))

    def expected(self, tree: Tree) -> Floats:
        """Return the upper limit of the errors of each node as a leaf."""
        return self._upper_limit(training_errors(tree), tree.weight)

    def _upper_limit(self, wrong: Floats, cases: Floats) -> Floats:
        return expected_errors(wrong, cases, self.cf, self.limit)


@dataclass(frozen=True)
class ReducedError:
    """Reduced-error pruning (Quinlan 1987): prune if held-out errors do not increase.

    A node becomes a leaf if it makes no more errors on held-out cases than its pruned subtree. A
    node that no held-out case reaches becomes a leaf.

    Parameters
    ----------
    fraction : float, default 1/3
        Fraction of the training data that ``fit`` holds out if no validation data are given.
    copies : {"together", "divided"}, default "together"
        Whether ``fit`` keeps identical rows on one side. "divided" holds out rows regardless of
        their copies, as Weka's J48 does with -R: in data with copies, such as bootstrap samples,
        larger trees survive, since some of the cases that prune also grew the tree.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> tree = ROCTreeClassifier().fit(X, y)
    >>> X_val, y_val = [[2], [3], [4], [5]], ["no", "no", "yes", "yes"]
    >>> tree.pruned("reduced_error", X_val=X_val, y_val=y_val).get_n_leaves()
    2
    """

    fraction: float = 1.0 / 3.0
    copies: Literal["together", "divided"] = "together"
    needs: ClassVar[Need] = "held_out"

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "fraction", above_zero=True)
        if self.fraction >= 1.0:
            reject_option(self, "fraction", "give less than 1, so that some cases remain to grow")

    def __call__(self, tree: Tree, counts: Floats2D) -> Tree:
        """Return the pruned tree; labels are the training majority classes."""
        wrong = held_out_errors(tree, counts)
        # Ties are common, and sums of fractional cases are inexact in the last digit.
        return cut(tree, better_as_leaves(tree, wrong, 1e-12 * counts[0].sum()))


# Upper confidence limits of the number of errors.

# C4.5 interpolates the normal deviate of a confidence level in this table.
_LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def expected_errors(errors: Floats, cases: Floats, confidence: float, limit: Limit) -> Floats:
    """Return the upper confidence limit of the number of errors, 0 where there are no cases.

    Parameters
    ----------
    errors, cases : float64, any shape
        Weights of the errors and of all cases.
    confidence : float
        C4.5's CF: probability, at the limit's error rate, of no more errors than observed.
    limit : {"exact", "c45", "weka"}
        Limit of the binomial distribution, or the approximation of C4.5 or Weka.
    """
    some = cases > 0.0
    of = np.where(some, cases, 1.0)
    wrong = np.where(some, np.clip(errors, 0.0, of), 0.0)
    if limit == "exact":
        expected = of * exact_rate(wrong, of, confidence)
    else:
        expected = wrong + additional_errors(wrong, of, confidence, limit)
    return np.where(some, expected, 0.0)


def exact_rate(errors: Floats, cases: Floats, confidence: float) -> Floats:
    """Return the upper Clopper-Pearson limit of the error rate."""
    from scipy.special import betaincinv

    # Most nodes are small, and many have the same numbers: finding duplicates is faster than
    # computing their limits.
    wrong, total, where = _distinct_pairs(errors, cases)
    right = total - wrong
    all_wrong = right <= 0.0
    rate = betaincinv(wrong + 1.0, np.where(all_wrong, 1.0, right), 1.0 - confidence)
    return np.asarray(np.where(all_wrong, 1.0, rate)[where].reshape(cases.shape))


def _distinct_pairs(errors: Floats, cases: Floats) -> tuple[Floats, Floats, Ints]:
    """Return errors and cases of the distinct pairs, and the index of each pair among them.

    Two whole numbers below 2^26 are combined into one float64, which sorts much faster.
    """
    base = 2.0**26
    if float(cases.max(initial=0.0)) < base and _are_whole(errors) and _are_whole(cases):
        both, where = np.unique(cases * base + errors, return_inverse=True)
        total = np.floor(both / base)
        return both - total * base, total, where
    pairs, where = np.unique(errors + 1j * cases, return_inverse=True)
    return pairs.real, pairs.imag, where


def _are_whole(numbers: Floats) -> bool:
    return bool((np.rint(numbers) == numbers).all())


def additional_errors(
    errors: Floats, cases: Floats, confidence: float, limit: Literal["c45", "weka"]
) -> Floats:
    """Return the number of errors that C4.5, or Weka's J48, adds to those observed."""
    if limit == "weka" and confidence > 0.5:
        return np.zeros_like(cases)
    none = cases * (1.0 - confidence ** (1.0 / cases))
    below_one = none + errors * (_wilson(np.ones_like(cases), cases, confidence, limit) - none)
    many = _wilson(errors, cases, confidence, limit)
    return np.where(errors < 1e-6, none, np.where(errors < 1.0 - 1e-4, below_one, many))


def _wilson(
    errors: Floats, cases: Floats, confidence: float, limit: Literal["c45", "weka"]
) -> Floats:
    """Return the additional errors by a continuity-corrected Wilson limit, for one or more."""
    if limit == "c45":
        deviate = float(np.interp(confidence, _LEVELS, _DEVIATES))
    else:
        from scipy.special import ndtri

        deviate = float(ndtri(1.0 - confidence))
    square = deviate * deviate
    half = errors + 0.5
    nearly_all = half >= cases
    spread = np.where(nearly_all, 0.0, half * (1.0 - half / cases)) + square / 4.0
    rate = (half + square / 2.0 + np.sqrt(square * spread)) / (cases + square)
    # If nearly all cases are errors, Weka counts all of the rest, C4.5 0.67 of it.
    left = (cases - errors) * (0.67 if limit == "c45" else 1.0)
    return np.where(nearly_all, np.maximum(left, 0.0), rate * cases - errors)


# Costs of errors.
#
# The cost of a class is the cost of predicting it wrongly: with two classes, the positive class has
# the cost of a false positive, the negative class that of a false negative. A matrix has a row for
# each predicted class and a column for each true class; its diagonal is ignored.


def check_costs(costs: Any) -> None:
    """Raise ``ParameterError`` unless costs are non-negative numbers, by class or as a matrix."""
    if costs is None:
        return
    try:
        table = np.asarray(_without_labels(costs), dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    square = table.ndim == 2 and table.shape[0] == table.shape[1]
    if not (table.ndim == 1 or square) or table.size == 0:
        raise ParameterError(
            parameter="costs",
            reason="must have one number per class, costs[class], or be a square matrix, "
            "costs[predicted][true]",
        )
    if not ((table >= 0.0) & (table <= LARGEST_COST)).all():
        raise ParameterError(
            parameter="costs",
            reason="must be finite, non-negative numbers, at most {largest}",
            largest=f"{LARGEST_COST:g}",
        )
    if not _off_diagonal(table).any():
        raise ParameterError(
            parameter="costs", reason="are 0 for every error: at least one must be above 0"
        )


def all_equal(costs: Costs) -> bool:
    """Whether every error costs the same."""
    table = _off_diagonal(np.asarray(_without_labels(costs), dtype=np.float64))
    return bool((table == table[0]).all())


def _without_labels(costs: Any) -> Any:
    return list(costs.values()) if isinstance(costs, Mapping) else costs


def _off_diagonal(table: Floats) -> Floats:
    """Return costs by class as they are, and those of a matrix without its diagonal."""
    return table if table.ndim == 1 else table[~np.eye(len(table), dtype=bool)]


def cost_of_errors(costs: Costs, cases: Floats2D) -> Floats2D:
    """Return the mean cost of an error at each node under each label.

    Parameters
    ----------
    costs : float per class or matrix
        Costs in class order.
    cases : float64[nodes, classes]
        Class distribution of the errors; cases of the label's own class are not errors.
    """
    if isinstance(costs, Mapping):
        raise ParameterError(
            parameter="costs",
            reason="are given by label, which a tree does not know: give costs in class order",
        )
    table = np.asarray(costs, dtype=np.float64)
    if len(table) != cases.shape[1]:
        raise ParameterError(
            parameter="costs",
            reason="are given for {given} classes, but the tree has {known}",
            given=len(table),
            known=cases.shape[1],
        )
    if table.ndim == 1:
        return np.broadcast_to(table, cases.shape)
    off_diagonal = np.where(np.eye(len(table), dtype=bool), 0.0, table)
    wrong = cases.sum(axis=1)[:, None] - cases
    # Where there are no errors, the true classes are taken to be equally likely.
    even = off_diagonal.sum(axis=1) / max(len(table) - 1, 1)
    return np.where(wrong > 0.0, (cases @ off_diagonal.T) / np.where(wrong > 0.0, wrong, 1.0), even)


def cheapest_labels(tree: Tree, cost: Floats2D) -> Ints:
    """Return the cheapest label of each node, the first if tied; an empty node has its parent's."""
    nearly = cost.min(axis=1) * (1.0 + TIE)
    return inherit_labels(tree, (cost <= nearly[:, None]).argmax(axis=1))


def prune_by_cost(tree: Tree, cost: Floats2D, leaves: Literal["keep", "relabel", "any"]) -> Pruned:
    """Make leaves of nodes whose best label costs no more than their subtrees.

    Parameters
    ----------
    tree : Tree
        The tree.
    cost : float64[nodes, classes]
        Cost of each node as a leaf of each class, times its weight.
    leaves : {"keep", "relabel", "any"}
        "keep": existing leaves keep their majority class. "relabel": they take the cheapest label
        as well, and leaves that then agree are merged. "any": they are judged by the cheapest label
        and keep their majority class.
    """
    final, labels = leaves_by_cost(tree, cost, leaves)
    if leaves == "relabel":
        final, labels = uniform_subtrees(tree, final, labels)
    return cut_with_labels(tree, final, labels)


def leaves_by_cost(
    tree: Tree, cost: Floats2D, leaves: Literal["keep", "relabel", "any"]
) -> tuple[Bools, Ints]:
    """Return which nodes cost no more than their subtrees, and the label of each as a leaf."""
    cheapest = cheapest_labels(tree, cost)
    labels = cheapest if leaves == "relabel" else np.where(tree.is_leaf, majority(tree), cheapest)
    judged = (cheapest if leaves == "any" else labels)[:, None]
    own = np.take_along_axis(cost, judged, axis=1)[:, 0]
    return better_as_leaves(tree, own, TIE * own), labels
