"""Peers of the studies: other classifiers, and trees pruned to a number of leaves.

All take ``EncodedRows``, as an experiment passes them. Classifiers that need numbers get one
indicator column per category; a missing category is 0 in all of them.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from roctree import ROCTreeClassifier, distill
from roctree.arrays import Floats
from roctree.classifier import training_data
from roctree.data import EncodedRows
from roctree.models.distill import Booster
from roctree.presets import c45
from roctree.pruning import CostComplexity
from roctree.roc import mauc

SEED = 0
# Tuning grids of scikit-learn's tree, the second for a given number of leaves.
GRID = {"min_samples_leaf": [1, 2, 5, 10, 20], "ccp_alpha": [0.0, 0.002, 0.01]}
GRID_OF_SIZE = {"min_samples_leaf": [1, 5, 20], "criterion": ["gini", "entropy"]}
# The strengths that imodels tries by default.
STRENGTHS = [0.0, 0.1, 1.0, 10.0, 50.0, 100.0, 500.0]
INNER_FOLDS = 3


class OneHot(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of numbers, for nominal attributes too.

    Parameters
    ----------
    classifier : estimator
        A classifier of numbers, not fitted.
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: EncodedRows, y: Any) -> "OneHot":
        """Fit the classifier to one column per category."""
        self.model_ = clone(self.classifier).fit(one_hot(X), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: EncodedRows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.model_.predict(one_hot(X)))

    def predict_proba(self, X: EncodedRows) -> Floats:
        """Return the probabilities of each row."""
        return np.asarray(self.model_.predict_proba(one_hot(X)))

    def get_n_leaves(self) -> float:
        """Return the number of leaves; NaN if the classifier is not a tree."""
        tree: Any = getattr(self.model_, "best_estimator_", self.model_)
        shrunk = getattr(tree, "estimator_", None)
        tree = shrunk if hasattr(shrunk, "tree_") else tree
        return float(tree.get_n_leaves()) if hasattr(tree, "get_n_leaves") else float("nan")


class Boosted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's gradient boosting with default settings and native nominal attributes."""

    def fit(self, X: EncodedRows, y: Any) -> "Boosted":
        """Fit the booster."""
        self.model_ = booster_of(X, tuple(y.tolist()))
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: EncodedRows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: EncodedRows) -> Floats:
        """Return the probabilities of each row."""
        return self.model_.predict_proba(X)


class TreeMadeBy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree that takes more than ``fit`` to make.

    Parameters
    ----------
    way : str
        Name of one of ``WAYS``.
    max_leaves : int, default=None
        Maximum number of leaves; None for no limit.
    """

    def __init__(self, way: str, max_leaves: int | None = None) -> None:
        self.way = way
        self.max_leaves = max_leaves

    def fit(self, X: EncodedRows, y: Any) -> "TreeMadeBy":
        """Make the tree."""
        self.tree_ = WAYS[self.way](X, y, self.max_leaves)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: EncodedRows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.tree_.predict(X))

    def predict_proba(self, X: EncodedRows) -> Floats:
        """Return the probabilities of each row."""
        return np.asarray(self.tree_.predict_proba(X))

    def get_n_leaves(self) -> float:
        """Return the number of leaves."""
        return float(self.tree_.get_n_leaves())


def distilled(X: EncodedRows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """Distil gradient boosting into one tree."""
    teacher = booster_of(X, tuple(y.tolist()))
    return distill(teacher, X, y, max_leaf_nodes=max_leaves, random_state=SEED)


def two_teachers(X: EncodedRows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """Distil the mean of gradient boosting and a forest into one tree."""
    both = [("boosting", Boosted()), ("forest", forest())]
    teacher = VotingClassifier(both, voting="soft").fit(X, y)
    return distill(teacher, X, y, max_leaf_nodes=max_leaves, random_state=SEED)


def distilled_as_large(X: EncodedRows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """Distil gradient boosting into a tree with as many leaves as one without a teacher."""
    alone = ROCTreeClassifier(max_leaf_nodes=max_leaves).fit(X, y)
    return distilled(X, y, alone.get_n_leaves())


def c45_cut_back(X: EncodedRows, y: Any, max_leaves: int | None) -> ROCTreeClassifier:
    """Grow C4.5's pruned tree with Laplace smoothing, and prune it further to the number of leaves.

    C4.5 has no parameter for the size: cost-complexity pruning removes the remaining subtrees.
    """
    tree = c45(smoothing="laplace", labels="probability").fit(X, y)
    if max_leaves is None or tree.get_n_leaves() <= max_leaves:
        return tree
    path = tree.pruning_path()
    price = path.between()[int(np.argmax(path.n_leaves <= max_leaves))]
    return tree.pruned(CostComplexity(alpha=float(price)))


def imodels_shrunk(X: EncodedRows, y: Any, max_leaves: int | None) -> OneHot:
    """Shrink scikit-learn's tree by imodels, with a strength chosen by inner folds.

    ``HSTreeClassifierCV`` does not work here: its folds are consecutive rows, and it fails if a
    fold lacks a class.
    """
    from imodels import HSTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=SEED)
    strengths = {"reg_param": STRENGTHS}
    search = GridSearchCV(HSTreeClassifier(tree), strengths, cv=INNER_FOLDS, scoring=HandTill())
    return OneHot(search).fit(X, y)


WAYS: dict[str, Callable[[EncodedRows, Any, int | None], Any]] = {
    "distilled": distilled,
    "two_teachers": two_teachers,
    "distilled_as_large": distilled_as_large,
    "c45_cut_back": c45_cut_back,
    "imodels_shrunk": imodels_shrunk,
}


def forest() -> OneHot:
    """Return scikit-learn's forest with 200 trees."""
    return OneHot(RandomForestClassifier(200, random_state=SEED))


def ridge() -> OneHot:
    """Return logistic regression with a ridge penalty chosen by three inner folds."""
    model = LogisticRegressionCV(
        Cs=[0.001, 0.01, 0.1, 1.0, 10.0], cv=INNER_FOLDS, scoring="neg_log_loss", max_iter=500
    )
    return OneHot(make_pipeline(SimpleImputer(), StandardScaler(), model))


class Figs(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """imodels' FIGS with its default of 12 splits in all; of more classes, one against the rest."""

    def fit(self, X: Floats, y: Any) -> "Figs":
        """Fit a sum of trees for each class."""
        from imodels import FIGSClassifier

        self.classes_ = np.unique(y)
        targets = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.models_ = [
            FIGSClassifier(max_rules=12, random_state=SEED).fit(X, (y == each).astype(int))
            for each in targets
        ]
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probabilities of each row."""
        found = np.column_stack([model.predict_proba(X)[:, 1] for model in self.models_])
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - found, found])
        return np.asarray((found + 1e-6) / (found + 1e-6).sum(axis=1, keepdims=True))

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def figs() -> OneHot:
    """Return FIGS on imputed numbers."""
    return OneHot(make_pipeline(SimpleImputer(), Figs()))


# Where Debian's package ``weka`` puts the archive, unless WEKA_JAR says otherwise.
WEKA_JAR = Path("/usr/share/java/weka.jar")


def weka_jar() -> Path | None:
    """Return the archive of Weka if it can be run, else None."""
    path = Path(os.environ.get("WEKA_JAR", WEKA_JAR))
    return path if path.exists() and shutil.which("java") else None


class LogisticModelTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Weka's LMT with its defaults, in a process of Java for each question.

    Weka does not keep the model: ``predict_proba`` fits it again, so that a fold is a single run.
    """

    def fit(self, X: EncodedRows, y: Any) -> "LogisticModelTree":
        """Keep the cases."""
        self.cases_ = X, np.asarray(y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: EncodedRows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: EncodedRows) -> Floats:
        """Return the probabilities of each row, all classes in order."""
        jar = weka_jar()
        assert jar is not None
        rows, y = self.cases_
        codes = np.searchsorted(self.classes_, y)
        # Wide enough for Weka's packages in current Java.
        java = ["java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xmx4g", "-cp"]
        with TemporaryDirectory() as folder:
            train, test = Path(folder) / "train.arff", Path(folder) / "test.arff"
            train.write_text(arff(rows, codes, len(self.classes_)))
            test.write_text(arff(X, np.zeros(len(X.values), dtype=int), len(self.classes_)))
            command = [
                *(*java, str(jar), "weka.classifiers.trees.LMT"),
                *("-t", str(train), "-T", str(test), "-p", "0", "-distribution"),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = LMT_LINE.findall(done.stdout)
        if len(found) != len(X.values):
            raise RuntimeError((done.stderr or done.stdout).strip()[:300])
        shares = [distribution.replace("*", "").split(",") for distribution in found]
        return np.array(shares, dtype=np.float64)


# A prediction of Weka 3.6 or later: number, true class, predicted class, error, distribution.
LMT_LINE = re.compile(r"^ *\d+ +\d+:\S+ +\d+:\S+ +(?:\+ +)?([*\d.,E-]+) *$", re.MULTILINE)


def arff(rows: EncodedRows, codes: NDArray[Any], n_classes: int) -> str:
    """Return rows and class numbers in Weka's format.

    Examples
    --------
    >>> rows = EncodedRows(np.array([[1.0, 7.5], [np.nan, 8.0]]), ("a", "b"), (("x", "y"), None))
    >>> print(arff(rows, np.array([0, 1]), 2))
    @relation data
    @attribute x0 {v0,v1}
    @attribute x1 numeric
    @attribute class {c0,c1}
    @data
    v1,7.5,c0
    ?,8.0,c1
    <BLANKLINE>
    """
    head = ["@relation data"]
    for number, known in enumerate(rows.categories):
        kind = "numeric" if known is None else f"{{{','.join(f'v{i}' for i in range(len(known)))}}}"
        head.append(f"@attribute x{number} {kind}")
    head.append(f"@attribute class {{{','.join(f'c{i}' for i in range(n_classes))}}}")

    def cell(value: float, known: Any) -> str:
        if np.isnan(value):
            return "?"
        return repr(value) if known is None else f"v{int(value)}"

    lines = [
        ",".join([*map(cell, row, rows.categories), f"c{code}"])
        for row, code in zip(np.asarray(rows.values).tolist(), codes.tolist(), strict=True)
    ]
    return "\n".join([*head, "@data", *lines, ""])


class ExplainableBoosting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """interpret's explainable boosting machine with its defaults."""

    def fit(self, X: EncodedRows, y: Any) -> "ExplainableBoosting":
        """Fit the machine, with nominal attributes as such."""
        from interpret.glassbox import ExplainableBoostingClassifier

        kinds = ["continuous" if known is None else "nominal" for known in X.categories]
        self.model_ = ExplainableBoostingClassifier(
            feature_types=kinds, random_state=SEED, n_jobs=1
        ).fit(np.asarray(X.values), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: EncodedRows) -> NDArray[Any]:
        """Return the class of each row."""
        return np.asarray(self.model_.predict(np.asarray(X.values)))

    def predict_proba(self, X: EncodedRows) -> Floats:
        """Return the probabilities of each row."""
        return np.asarray(self.model_.predict_proba(np.asarray(X.values)))


@dataclass(frozen=True)
class HandTill:
    """Hand and Till's area as a scorer of scikit-learn."""

    def __call__(self, model: Any, X: Floats, y: NDArray[Any]) -> float:
        """Return the area of a fitted classifier on these cases."""
        return mauc(model.predict_proba(X), (y[:, None] == model.classes_).astype(np.float64))


def tuned_tree(max_leaves: int | None = None) -> OneHot:
    """Return scikit-learn's tree, tuned by its area in inner folds."""
    grid = GRID if max_leaves is None else GRID_OF_SIZE
    tree = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=SEED)
    return OneHot(GridSearchCV(tree, grid, cv=INNER_FOLDS, scoring=HandTill()))


def one_hot(rows: EncodedRows) -> Floats:
    """Return the rows as numbers, with one column per category.

    Examples
    --------
    >>> one_hot(EncodedRows(np.array([[1.0, 7.0], [np.nan, 8.0]]), ("a", "b"), (("x", "y"), None)))
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
def booster_of(rows: EncodedRows, y: tuple[Any, ...]) -> Booster:
    """Return the booster of some cases; consecutive calls with the same cases share it."""
    return Booster.from_cases(training_data(rows, np.array(y)), SEED)
