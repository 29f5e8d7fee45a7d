"""Smoothers: class probabilities from the class counts of a tree.

Raw leaf frequencies are poor probabilities: a pure leaf of three cases claims certainty, and most
leaves tie. A smoother pulls them towards something better known. Notation: at a node, ``n`` is the
vector of class counts, ``N`` their sum, ``C`` the number of classes.

==========================  ===========================================  =======================
name                        probabilities at a leaf                      source
==========================  ===========================================  =======================
``none``                    n / N
``laplace``                 (n + 1) / (N + C)
``m_estimate``              (n + m prior) / (N + m)                      Cestnik 1990
``m_branch`` (default)      m-estimate whose prior is that of the        Ferri et al. 2003
                            parent node
``hierarchical_shrinkage``  steps along the path, each damped by         Agarwal et al. 2022
                            N / (N + strength)
``curtailment``             n / N of the nearest ancestor with enough    Zadrozny, Elkan 2001
                            cases
==========================  ===========================================  =======================

A smoother is any callable ``Tree -> float64[nodes, classes]`` whose rows sum to 1. It returns a row
for *every* node, inner nodes treated as if they were leaves. Only counts are used, never training
rows: smoothing a fitted tree again takes microseconds.

To add a smoother, write a frozen dataclass below and add it to ``SMOOTHING``. The parameter check,
the command line, the documentation table, the laws in ``tests/smoothing`` and the benchmarks use
the registry.
"""

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from roctree._jit import compiled, typed_kernel
from roctree.arrays import Floats, Floats2D, ReadonlyFloats, ReadonlyFloats2D, ReadonlyInts
from roctree.errors import ParameterError
from roctree.strategy import check_choices, check_number, check_strength, configure, lookup
from roctree.tree.tree import Tree

__all__ = [
    "SMOOTHING",
    "Curtailment",
    "Frequencies",
    "HierarchicalShrinkage",
    "Laplace",
    "MBranch",
    "MEstimate",
    "Smoother",
    "UniformWhereEmpty",
    "choices",
    "probabilities",
    "resolve_smoother",
]

Auto = Literal["auto"]  # resolved by cross-validation before the smoother is called
Grid = dict[str, tuple[float, ...]]  # the values tried for each option that may be "auto"


@runtime_checkable
class Smoother(Protocol):
    """A function from a tree to float64[nodes, classes] whose rows sum to 1."""

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the class probabilities of each node."""


@dataclass(frozen=True)
class Frequencies:
    """Raw class frequencies, n / N: 0 and 1 at pure leaves.

    A node without training cases takes the frequencies of its nearest non-empty ancestor.

    Examples
    --------
    >>> Frequencies()(Tree.single_leaf([3, 1]))
    array([[0.75, 0.25]])
    """

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the frequencies."""
        return _fill_empty(tree, frequencies(tree))


@dataclass(frozen=True)
class Laplace:
    """Laplace's correction, (n + 1) / (N + classes): one additional case of every class.

    Examples
    --------
    >>> Laplace()(Tree.single_leaf([3, 1])).round(3)
    array([[0.667, 0.333]])
    """

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the corrected frequencies."""
        return (tree.counts + 1.0) / (tree.weight + tree.n_classes)[:, None]


@dataclass(frozen=True)
class MEstimate:
    """The m-estimate, (n + m prior) / (N + m): m additional cases distributed like a prior.

    Parameters
    ----------
    m : float or "auto", default 4.0
        Number of additional cases; "auto" selects it by cross-validation.
    prior : {"uniform", "training"}, default "uniform"
        Prior class probabilities: all equal, or the class frequencies of the training data.

    Examples
    --------
    >>> MEstimate(m=4)(Tree.single_leaf([3, 1]))
    array([[0.625, 0.375]])
    """

    m: float | Auto = 4.0
    prior: Literal["uniform", "training"] = "uniform"
    grid: ClassVar[Grid] = {"m": (0.5, 1, 2, 4, 8, 16, 32, 64)}

    def __post_init__(self) -> None:
        check_choices(self)
        check_strength(self, "m")

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the estimates."""
        m = _resolved(self, "m")
        prior = np.full(tree.n_classes, 1.0 / tree.n_classes)
        if self.prior == "training" and tree.weight[0] > 0.0:
            prior = frequencies(tree)[0]
        total = tree.weight + m
        # An empty node with m = 0 takes the prior alone.
        part = np.divide(m, total, out=np.ones_like(total), where=total > 0.0)[:, None]
        return np.asarray((1.0 - part) * frequencies(tree) + part * prior)


@dataclass(frozen=True)
class MBranch:
    """An m-estimate at every node of the path from the root, each using its parent's as prior.

    The number of additional cases grows with the height h above the end of the path (1 at the leaf)
    and with the number of training cases N0: m = M (1 + (1 - 1/h) sqrt(N0)). Small leaves borrow
    from the whole path, large leaves hardly change (Ferri, Flach and Hernández-Orallo 2003).

    Parameters
    ----------
    M : float or "auto", default 4.0
        Number of additional cases at the leaf; "auto" selects it by cross-validation.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> MBranch(M=4)(tree)[tree.leaves].round(3)
    array([[0.741, 0.259],
           [0.494, 0.506],
           [0.745, 0.255]])
    """

    M: float | Auto = 4.0
    grid: ClassVar[Grid] = {"M": (0.25, 0.5, 1, 2, 4, 8, 16, 32)}

    def __post_init__(self) -> None:
        check_strength(self, "M")

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the estimate at the end of the path to each node."""
        estimates = np.zeros((tree.n_nodes, tree.n_classes))
        sqrt_total = math.sqrt(tree.weight[0])
        compiled(_m_branch, microseconds=9.0 * estimates.size)(
            tree.parent, tree.weight, tree.counts, _resolved(self, "M"), sqrt_total, estimates
        )
        return estimates


# Smaller contributions do not change a double.
_LEAST_REST = 2.0**-80


@typed_kernel
def _m_branch(
    parent: ReadonlyInts,
    weight: ReadonlyFloats,
    counts: ReadonlyFloats2D,
    m: float,
    sqrt_total: float,
    estimates: Floats2D,
) -> None:
    """Walk from each node up to the root, adding counts with geometrically shrinking weights.

    The number of additional cases depends on the height above the *end* of the path, so paths share
    no partial results and a single pass from the root down is not possible.
    """
    n_classes = counts.shape[1]
    for end in range(parent.size):
        rest, node, height = 1.0, end, 1.0
        while node >= 0 and rest > _LEAST_REST:
            added = m * (1.0 + (1.0 - 1.0 / height) * sqrt_total)
            if weight[node] > 0.0:
                each = rest / (weight[node] + added)
                for label in range(n_classes):
                    estimates[end, label] += each * counts[node, label]
                rest = each * added
            node, height = parent[node], height + 1.0
        for label in range(n_classes):
            estimates[end, label] += rest / n_classes


@dataclass(frozen=True)
class UniformWhereEmpty:
    """A smoother that predicts equal class probabilities in leaves without training cases.

    One branch per category makes such leaves. The published results of m-branch smoothing (Ferri,
    Flach and Hernández-Orallo 2003) fit this rule, not that of its definition, by which such a leaf
    has the probabilities of its parent (``MBranch`` alone).

    Parameters
    ----------
    smoother : Smoother or str, default "m_branch"
        Smoother of all other nodes.

    Examples
    --------
    >>> UniformWhereEmpty("none")(Tree.single_leaf([3, 1]))
    array([[0.75, 0.25]])
    """

    smoother: "Smoother | str" = "m_branch"

    def __post_init__(self) -> None:
        resolve_smoother(self.smoother)

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the probabilities of each node."""
        estimates = resolve_smoother(self.smoother)(tree).copy()
        estimates[tree.weight == 0.0] = 1.0 / tree.n_classes
        return estimates


@dataclass(frozen=True)
class HierarchicalShrinkage:
    """Frequencies summed along the path, each step from a node damped by N / (N + strength).

    N is the weight of the node that the step starts from: steps below large nodes count almost
    fully, steps below small nodes hardly at all (Agarwal et al. 2022).

    Parameters
    ----------
    strength : float or "auto", default 10.0
        Amount of shrinkage, in cases; "auto" selects it by cross-validation.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> HierarchicalShrinkage()(tree)[tree.leaves].round(3)
    array([[0.867, 0.133],
           [0.602, 0.398],
           [0.832, 0.168]])
    """

    strength: float | Auto = 10.0
    grid: ClassVar[Grid] = {"strength": (0.1, 0.5, 1, 2, 5, 10, 25, 50, 100, 500)}

    def __post_init__(self) -> None:
        check_strength(self, "strength")

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the shrunk frequencies.

        The damped steps along a path telescope into a mixture of its nodes' frequencies. The last
        node has weight N / (N + strength), N being that of its parent. Each node above has, of the
        remainder, the weight that makes the sum up to it N / (N + strength) for its own parent. A
        node without cases takes the probabilities of its nearest non-empty ancestor.
        """
        strength = _resolved(self, "strength")
        parent_weight = tree.weight[tree.parent]
        parent_weight[0] = tree.weight[0]
        damped = np.maximum(parent_weight + strength, np.finfo(np.float64).tiny)
        # Rounding of fractional cases may make a child heavier than its parent.
        share = np.maximum(1.0 - (tree.weight + strength) / damped, 0.0)
        last = 1.0 - strength / damped
        share[0] = last[0] = float(tree.weight[0] > 0.0)
        mixtures = _mix_down(tree, share)
        inherited = mixtures[tree.parent]
        inherited[0] = 1.0 / tree.n_classes
        shrunk = last[:, None] * frequencies(tree) + (1.0 - last)[:, None] * inherited
        return _fill_empty(tree, shrunk)


@dataclass(frozen=True)
class Curtailment:
    """Class frequencies of the nearest node on the path that has enough cases.

    Introduced by Zadrozny and Elkan (2001).

    Parameters
    ----------
    minimum : float, default 20.0
        Weight that is enough; the root always has enough.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> rows, labels = [[1.0], [2.0], [3.0], [4.0], [5.0]], ["no", "no", "yes", "no", "no"]
    >>> tree = ROCTreeClassifier().fit(rows, labels).tree_
    >>> Curtailment()(tree)[tree.leaves]
    array([[0.8, 0.2],
           [0.8, 0.2],
           [0.8, 0.2]])
    """

    minimum: float = 20.0

    def __post_init__(self) -> None:
        check_number(self, "minimum")

    def __call__(self, tree: Tree) -> Floats2D:
        """Return the frequencies."""
        enough = (tree.weight >= self.minimum) & (tree.weight > 0.0)
        enough[0] = tree.weight[0] > 0.0
        return _mix_down(tree, enough.astype(float))


def choices(smoother: Smoother) -> list[Smoother]:
    """Return the smoothers that "auto" selects from; without "auto", the smoother alone.

    Examples
    --------
    >>> choices(MBranch(M="auto"))[:2]
    [MBranch(M=0.25), MBranch(M=0.5)]
    """
    if isinstance(smoother, UniformWhereEmpty):
        inner = choices(resolve_smoother(smoother.smoother))
        return [UniformWhereEmpty(each) for each in inner] if len(inner) > 1 else [smoother]
    grid: Grid = getattr(smoother, "grid", {})
    automatic = [option for option in grid if getattr(smoother, option) == "auto"]
    settings = [
        dict(zip(automatic, values, strict=True))
        for values in product(*(grid[option] for option in automatic))
    ]
    return [replace(smoother, **each) if each else smoother for each in settings]  # type: ignore[type-var]


# Row sums may differ from 1 by this much.
_SUM_TOLERANCE = 1e-6


def probabilities(smoother: Smoother, tree: Tree) -> Floats2D:
    """Return a smoother's probabilities, checked: user-defined smoothers may return anything."""
    try:
        found = np.asarray(smoother(tree), dtype=np.float64)
    except ParameterError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{smoother!r} did not return an array of probabilities: {error}."
        ) from error
    if found.shape != tree.counts.shape:
        raise ParameterError(
            f"{smoother!r} returned an array of shape {found.shape} for a tree of {tree.n_nodes} "
            f"nodes and {tree.n_classes} classes: return one row per node."
        )
    finite = np.isfinite(found)
    if not finite.all():
        raise ParameterError(
            f"{smoother!r} returned probabilities that are not finite for node "
            f"{np.argmin(finite.all(axis=1))}; note that a node may have no cases."
        )
    of_leaves = found[tree.leaves]
    wrong = np.abs(of_leaves.sum(axis=1) - 1.0) > _SUM_TOLERANCE
    if of_leaves.min() < 0.0 or wrong.any():
        wrong |= of_leaves.min(axis=1) < 0.0
        raise ParameterError(
            f"{smoother!r} returned {of_leaves[np.argmax(wrong)].tolist()} for leaf "
            f"{tree.leaves[np.argmax(wrong)]}: probabilities must be non-negative and sum to 1."
        )
    return found


# Helpers.


def frequencies(tree: Tree) -> Floats2D:
    """Return the class frequencies of each node; zeros if it has no training cases."""
    return np.asarray(tree.counts / np.where(tree.weight == 0.0, 1.0, tree.weight)[:, None])


def _fill_empty(tree: Tree, estimates: Floats2D) -> Floats2D:
    """Return the estimates, with those of the nearest non-empty ancestor at empty nodes."""
    filled = np.array(estimates, dtype=np.float64)
    compiled(_inherit, microseconds=filled.size)(
        tree.parent, (tree.weight > 0.0).astype(np.float64), filled
    )
    return filled


def _mix_down(tree: Tree, share: Floats) -> Floats2D:
    """Return p = share * frequencies + (1 - share) * p of the parent; uniform above the root."""
    mixtures = frequencies(tree)
    compiled(_inherit, microseconds=mixtures.size)(
        tree.parent, np.array(share, dtype=np.float64), mixtures
    )
    return mixtures


@typed_kernel
def _inherit(parent: ReadonlyInts, share: Floats, mixtures: Floats2D) -> None:
    """Mix each row with that of its parent, in place; parents precede their children."""
    n_classes = mixtures.shape[1]
    for node in range(parent.size):
        for label in range(n_classes):
            inherited = mixtures[parent[node], label] if node > 0 else 1.0 / n_classes
            mixtures[node, label] = (
                share[node] * mixtures[node, label] + (1.0 - share[node]) * inherited
            )


def _resolved(smoother: Any, option: str) -> float:
    """Return the value of an option; raise ``ParameterError`` if it is still "auto"."""
    value = getattr(smoother, option)
    if value == "auto":
        raise ParameterError(
            owner=smoother,
            parameter=option,
            value=value,
            reason="is selected by cross-validation: use it with fit, or pass {X and y} to "
            "{smoothed(...)}",
        )
    return float(value)


SMOOTHING: dict[str, Smoother] = {
    "none": Frequencies(),
    "laplace": Laplace(),
    "m_estimate": MEstimate(),
    "m_branch": MBranch(),
    "hierarchical_shrinkage": HierarchicalShrinkage(),
    "curtailment": Curtailment(),
}


def resolve_smoother(smoothing: str | Smoother, **options: Any) -> Smoother:
    """Return the smoother of that name, or the smoother itself, with some options replaced."""
    return configure(lookup("smoothing", smoothing, SMOOTHING), options)
