"""What single trees are measured against: other classifiers, and trees cut to a number of leaves.

All take ``Rows``, as the engine hands them out. Classifiers that know numbers only are given a
column for every category, 1 where a case has it; a missing category is 0 in all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from roctree.classifier import training_data
from roctree.data import Rows
from roctree.estimator import ROCTreeClassifier
from roctree.pruning import CostComplexity
from roctree.roc import mauc
from roctree.systems.distill import Booster, distill
from roctree.systems.presets import c45

Floats = NDArray[np.float64]
SEED = 0
# What scikit-learn's tree is tuned over: with a number of leaves given, over less.
GRID = {"min_samples_leaf": [1, 2, 5, 10, 20], "ccp_alpha": [0.0, 0.002, 0.01]}
GRID_OF_SIZE = {"min_samples_leaf": [1, 5, 20], "criterion": ["gini", "entropy"]}
# The strengths that imodels tries by itself.
STRENGTHS = [0.0, 0.1, 1.0, 10.0, 50.0, 100.0, 500.0]
INNER_FOLDS = 3


class OneHot(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that knows numbers only, for any attributes.

    Parameters
    ----------
    classifier : of numbers, not fitted
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: Rows, y: Any) -> "OneHot":
        """Fit it to a column for every category."""
        self.model_ = clone(self.classifier).fit(one_hot(X), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Rows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.model_.predict(one_hot(X)))

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of each row."""
        return np.asarray(self.model_.predict_proba(one_hot(X)))

    def get_n_leaves(self) -> float:
        """Return the number of leaves; not a number if it is no tree."""
        tree: Any = getattr(self.model_, "best_estimator_", self.model_)
        shrunk = getattr(tree, "estimator_", None)
        tree = shrunk if hasattr(shrunk, "tree_") else tree
        return float(tree.get_n_leaves()) if hasattr(tree, "get_n_leaves") else float("nan")


class Boosted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's gradient boosting with its own settings, told which attributes are nominal."""

    def fit(self, X: Rows, y: Any) -> "Boosted":
        """Fit it."""
        self.model_ = booster_of(X, tuple(y.tolist()))
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Rows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of each row."""
        return self.model_.predict_proba(X)


class Made(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree that is made in another way than by ``fit`` alone.

    Parameters
    ----------
    way : name of one of ``WAYS``
    max_leaves : most leaves; None for as many as the way leaves
    """

    def __init__(self, way: str, max_leaves: int | None = None) -> None:
        self.way = way
        self.max_leaves = max_leaves

    def fit(self, X: Rows, y: Any) -> "Made":
        """Make the tree."""
        self.tree_ = WAYS[self.way](X, y, self.max_leaves)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Rows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.tree_.predict(X))

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of each row."""
        return np.asarray(self.tree_.predict_proba(X))

    def get_n_leaves(self) -> float:
        """Return the number of leaves."""
        return float(self.tree_.get_n_leaves())


def distilled(X: Rows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """One tree with gradient boosting as its teacher."""
    teacher = booster_of(X, tuple(y.tolist()))
    return distill(teacher, X, y, max_leaves=max_leaves, random_state=SEED)


def two_teachers(X: Rows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """One tree with the mean of gradient boosting and a forest as its teacher."""
    both = [("boosting", Boosted()), ("forest", forest())]
    teacher = VotingClassifier(both, voting="soft").fit(X, y)
    return distill(teacher, X, y, max_leaves=max_leaves, random_state=SEED)


def distilled_as_large(X: Rows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """One tree with gradient boosting as its teacher and the leaves of one without."""
    alone = ROCTreeClassifier(max_leaves=max_leaves).fit(X, y)
    return distilled(X, y, alone.get_n_leaves())


def c45_cut_back(X: Rows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """C4.5's pruned tree with Laplace's smoothing, cut back further if it has too many leaves.

    C4.5 cannot be told a size: subtrees go in the order of cost-complexity pruning.
    """
    tree = c45(smoothing="laplace", labels="probability").fit(X, y)
    if max_leaves is None or tree.get_n_leaves() <= max_leaves:
        return tree
    path = tree.pruning_path()
    price = path.between()[int(np.argmax(path.n_leaves <= max_leaves))]
    return tree.pruned(CostComplexity(alpha=float(price)))


def imodels_shrunk(X: Rows, y: Any, max_leaves: int | None) -> OneHot:
    """Hierarchical shrinkage by imodels of scikit-learn's tree, its strength by inner folds.

    Not by ``HSTreeClassifierCV``: its folds are consecutive rows, and fail where one lacks a class.
    """
    from imodels import HSTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=SEED)
    strengths = {"reg_param": STRENGTHS}
    search = GridSearchCV(HSTreeClassifier(tree), strengths, cv=INNER_FOLDS, scoring=HandTill())
    return OneHot(search).fit(X, y)


WAYS: dict[str, Callable[[Rows, Any, int | None], Any]] = {
    "distilled": distilled,
    "two_teachers": two_teachers,
    "distilled_as_large": distilled_as_large,
    "c45_cut_back": c45_cut_back,
    "imodels_shrunk": imodels_shrunk,
}


def forest() -> OneHot:
    """Return a forest of 200 trees, otherwise as scikit-learn has it."""
    return OneHot(RandomForestClassifier(200, random_state=SEED))


@dataclass(frozen=True)
class HandTill:
    """Hand and Till's area as a scorer of scikit-learn."""

    def __call__(self, model: Any, X: Floats, y: NDArray[Any]) -> float:
        """Return the area of a fitted classifier on some cases."""
        return mauc(model.predict_proba(X), (y[:, None] == model.classes_).astype(np.float64))


def tuned_tree(max_leaves: int | None = None) -> OneHot:
    """Return scikit-learn's tree, tuned by its area in inner folds, perhaps of a size."""
    grid = GRID if max_leaves is None else GRID_OF_SIZE
    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=SEED)
    return OneHot(GridSearchCV(tree, grid, cv=INNER_FOLDS, scoring=HandTill()))


def one_hot(rows: Rows) -> Floats:
    """Return the rows as numbers, a column for every category.

    Examples
    --------
    >>> one_hot(Rows(np.array([[1.0, 7.0], [np.nan, 8.0]]), ("a", "b"), (("x", "y"), None)))
    array([[0., 1., 7.],
           [0., 0., 8.]])
    """
    parts = [
        column[:, None]
        if categories is None
        else (column[:, None] == np.arange(len(categories))).astype(np.float64)
        for column, categories in zip(rows.values.T, rows.categories, strict=True)
    ]
    return np.hstack(parts)


@lru_cache(maxsize=1)
def booster_of(rows: Rows, y: tuple[Any, ...]) -> Booster:
    """Return the booster of some cases; those that ask in turn for the same share it."""
    return Booster.of(training_data(rows, np.array(y)), SEED)
