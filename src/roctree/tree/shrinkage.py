"""How strongly the categories of a nominal attribute are shrunk before they are divided in two.

The best division of many categories into two sets has a high score even if they are uninformative,
because each rare category ends up on the side that happens to fit. So categories are divided by
shrunk counts, as if each had some additional cases from a common distribution. The fewer cases a
category has, the closer it is to that distribution.

The strength, a number of cases, is estimated once per attribute, from the class counts of its
categories at the root. As in the James-Stein estimator, it is larger if the categories differ
little beyond chance. Attributes with at most ten categories are not shrunk.
``kernels.nominal.shrink`` shrinks the counts at each node.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from roctree.arrays import Floats
from roctree.tree.columns import Columns

if TYPE_CHECKING:
    from roctree.tree.growth import GrowthRules

Shrinkage = float | Literal["auto"] | None

# With up to this many categories, counts are not shrunk.
FEW_CATEGORIES = 10
# Lower bound of the statistic's excess over chance, which keeps the strength finite.
_MIN_EXCESS = 0.1


def estimate_strength(counts: Floats) -> float:
    """Return the strength for an attribute with these class counts, ``[category, class]``.

    Examples
    --------
    >>> estimate_strength(np.array([[5.0, 0.0], [0.0, 5.0]] * 10)) == 50 / 89
    True
    >>> estimate_strength(np.eye(2))
    0.0
    """
    counts = counts[counts.sum(axis=1) > 0.0][:, counts.sum(axis=0) > 0.0]
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    n_categories, total = len(sizes), sizes.sum()
    if n_categories <= FEW_CATEGORIES or totals.size < 2:
        return 0.0
    by_chance = (totals**2).sum() / total
    between = (counts**2 / sizes[:, None]).sum() - by_chance
    statistic = (total - 1.0) * between / (total - by_chance)
    freedom = n_categories - FEW_CATEGORIES
    typical = (total - (sizes**2).sum() / total) / (n_categories - 1)
    return float(typical * freedom / max(statistic - freedom, _MIN_EXCESS))


def set_shrinkage(columns: Columns, rules: "GrowthRules", count: Callable[[int], Floats]) -> None:
    """Set the strength of each nominal attribute that is divided into two sets.

    Parameters
    ----------
    columns : Columns
        Receives the strengths.
    rules : GrowthRules
    count : callable
        Returns the class counts of the codes of an attribute at the root, ``[code, class]``; the
        last code is that of missing values.
    """
    strength = rules.category_shrinkage
    if rules.nominal != "binary" or strength is None:
        return
    for feature in np.flatnonzero(columns.n_categories):
        found = strength
        if found == "auto":
            # Missing values count as one more category.
            many = columns.n_categories[feature] >= FEW_CATEGORIES
            found = _estimate(count(int(feature)), rules) if many else 0.0
        columns.features.shrinkage[feature] = found * rules.unit


def _estimate(counts: Floats, rules: "GrowthRules") -> float:
    """Return the strength as a number of cases; missing values count if they join a branch."""
    known = counts if rules.missing == "branch" else counts[:-1]
    return estimate_strength(known / rules.unit)


def count_categories(columns: Columns, feature: int, labels: Any, weights: Floats) -> Floats:
    """Return the class counts of the categories of an attribute, with missing values last."""
    values = columns.values[:, feature]
    missing = columns.n_categories[feature] - columns.own_code[feature]
    return count_codes(
        columns, feature, np.where(np.isnan(values), missing, values), labels, weights
    )


def count_codes(columns: Columns, feature: int, codes: Any, labels: Any, weights: Floats) -> Floats:
    """Return the class counts of the codes of an attribute."""
    n_codes, n_classes = int(columns.n_categories[feature]) + 1, int(labels.max()) + 1
    cells = codes.astype(np.int64) * n_classes + labels
    found = np.bincount(cells, weights, minlength=n_codes * n_classes)
    return found.astype(np.float64).reshape(n_codes, n_classes)
