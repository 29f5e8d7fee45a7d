"""Criteria that ask how pure the branches are.

An impurity f of class shares p makes a criterion: the score of a split is minus the mean of f
over the branches, each weighted by its share of the cases. It is highest, zero, when every
branch holds one class.

With ``split_smoothing="laplace"`` the shares of a branch are (n + 1) / (w + classes) while the
weight of the branch stays what it is. A useless split then scores below the unsplit node.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from roctree.criteria.branch_impurity import (
    dkm_largest,
    dkm_one_vs_rest,
    dkm_pairwise,
    entropy,
    error,
    gini,
    mean_purity,
    msee,
)
from roctree.criteria.protocol import Correction, Score, Smoothing, evaluate, pseudocount
from roctree.strategy import check_choices, check_number


@dataclass(frozen=True)
class Gini:
    """The Gini index of CART: the chance that two cases of a branch differ in class.

    Examples
    --------
    >>> round(Gini()([[9, 1], [3, 7]]), 4)
    -0.3
    """

    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """Minus the mean of 1 - sum p^2."""
        return mean_purity(gini, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing: the index is concave in the shares."""
        return self.split_smoothing == "none"


@dataclass(frozen=True)
class Entropy:
    """The information of the class, in bits; its improvement is C4.5's gain.

    Examples
    --------
    >>> round(Entropy()([[9, 1], [3, 7]]), 4)
    -0.6751
    """

    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """Minus the mean of - sum p log2 p."""
        return mean_purity(entropy, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing: entropy is concave in the shares."""
        return self.split_smoothing == "none"


@dataclass(frozen=True)
class GainRatio:
    """C4.5's criterion: the improvement of entropy over the information of the split itself.

    Parameters
    ----------
    split_smoothing
        "laplace" smooths the class shares of each branch.
    penalty
        Whether a threshold pays log2(thresholds tried) / n, as in release 8 of C4.5.
    tolerance
        Scores that differ by less are ties; Weka takes 1e-6.
    guard
        Which gains a ratio may come from: "c45" at least their mean, leaving out of the mean
        nominal attributes with very many values, "average" at least the mean of all, "none" any.
    """

    split_smoothing: Smoothing = "none"
    penalty: bool = False
    tolerance: float = 0.0
    guard: Literal["c45", "average", "none"] = "c45"
    children_correction: ClassVar[Correction] = "split_info"
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)
        check_number(self, "tolerance", above_zero=False)

    @property
    def function(self) -> Score:
        """That of entropy; the grower divides the improvement."""
        return mean_purity(entropy, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing, of the gain; the ratio may well fall."""
        return self.split_smoothing == "none"


@dataclass(frozen=True)
class DKM:
    """The criterion of Dietterich, Kearns and Mansour: 2 sqrt(p q) for two classes.

    Parameters
    ----------
    multiclass
        "pairwise" adds 2 sqrt(p q) over the pairs of classes and "one_vs_rest" sqrt(p (1 - p))
        over the classes. "largest" looks at the largest share only, as CORElearn does; it can
        prefer no split to a good one.
    split_smoothing
        "laplace" smooths the class shares of each branch.
    children_correction
        What the improvement is divided by.

    Examples
    --------
    >>> round(DKM()([[9, 1], [3, 7]]), 4)
    -0.7583
    """

    multiclass: Literal["pairwise", "one_vs_rest", "largest"] = "pairwise"
    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """Minus the mean of 2 sqrt(p q), extended to more classes."""
        forms = {"pairwise": dkm_pairwise, "one_vs_rest": dkm_one_vs_rest, "largest": dkm_largest}
        return mean_purity(forms[self.multiclass], pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing, except where only the largest of many classes counts."""
        concave = self.multiclass != "largest" or n_classes <= 2
        return concave and self.split_smoothing == "none"


@dataclass(frozen=True)
class Error:
    """The share of cases outside the majority class of their branch.

    Examples
    --------
    >>> round(Error()([[9, 1], [3, 7]]), 4)
    -0.2
    """

    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """Minus the mean of 1 - max p."""
        return mean_purity(error, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing."""
        return self.split_smoothing == "none"


@dataclass(frozen=True)
class MSEE:
    """The mean squared error of the class shares as probability estimates.

    Examples
    --------
    >>> round(MSEE()([[9, 1], [3, 7]]), 4)
    -0.1956
    """

    split_smoothing: Smoothing = "none"
    children_correction: Correction = "none"
    penalty: ClassVar[bool] = False
    tolerance: ClassVar[float] = 0.0
    __call__ = evaluate

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def function(self) -> Score:
        """Minus the mean of sum_i p_i (1 - p_i) ((1 - p_i)^2 + sum_{j != i} p_j^2)."""
        return mean_purity(msee, pseudocount(self.split_smoothing))

    def convex(self, n_classes: int) -> bool:
        """True without smoothing."""
        return self.split_smoothing == "none"
