"""Performance measures of a fitted classifier on test cases.

A measure is a function of an ``Answer``; a line in ``METRICS`` registers one. It is NaN where the
test cases do not define it, such as an area if all cases are of one class.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from roctree.arrays import Floats
from roctree.data import EncodedRows
from roctree.errors import ParameterError
from roctree.estimator import ROCTreeClassifier
from roctree.roc import Curve, mauc
from roctree.strategy import check_number
from roctree.text import did_you_mean

# Lower bound of a probability in the log-loss: a zero would make every mean infinite.
LOG_LOSS_FLOOR = 1e-6


@dataclass(frozen=True, eq=False)
class Answer:
    """Predictions of a classifier for the test cases.

    Parameters
    ----------
    model : classifier
        The fitted classifier.
    rows : EncodedRows
        The test cases.
    truth : int array of shape (n,)
        Index of the true class of each case.
    predicted : int array of shape (n,)
        Index of the predicted class of each case.
    probabilities : float64 array of shape (n, n_classes)
        Probabilities over all classes of the problem.
    scores : float64 array of shape (n,), or None
        Ranking scores, higher for the second of two classes; None for more classes.
    positive : int
        Index of the positive class.

    Examples
    --------
    A metric is a function of an answer:

    >>> from roctree import ROCTreeClassifier
    >>> from roctree.experiment import BuiltIn, HoldOut, Plan
    >>> def flagged(answer):
    ...     return float((answer.predicted == answer.positive).mean())
    >>> trees = {"tree": ROCTreeClassifier()}
    >>> metrics = {"flagged": flagged}
    >>> plan = Plan.of(BuiltIn().load("monks1"), trees, HoldOut(), metrics=metrics)
    >>> "flagged" in plan.metrics
    True
    """

    model: BaseEstimator
    rows: EncodedRows
    truth: NDArray[np.int32]
    predicted: NDArray[np.int64]
    probabilities: Floats
    scores: Floats | None
    positive: int

    @classmethod
    def from_model(
        cls,
        model: BaseEstimator,
        rows: EncodedRows,
        truth: NDArray[np.int32],
        classes: tuple[Any, ...],
        positive: int,
    ) -> "Answer":
        """Return the predictions of a classifier; some classes may be absent from training."""
        places = np.array([classes.index(label) for label in model.classes_.tolist()])
        probabilities = np.zeros((len(truth), len(classes)))
        probabilities[:, places] = model.predict_proba(rows)
        code = {label: place for place, label in enumerate(classes)}
        predicted = np.array([code[label] for label in np.asarray(model.predict(rows)).tolist()])
        scores = probabilities[:, 1] if len(classes) == 2 else None
        if scores is not None and isinstance(model, ROCTreeClassifier) and model.ranking != "leaf":
            scores = np.asarray(model.decision_function(rows))
        return cls(model, rows, truth, predicted, probabilities, scores, positive)

    @cached_property
    def leaf_table(self) -> tuple[Floats, Floats]:
        """The distinct rows of probabilities, and the class counts of each."""
        # The cases of a leaf share one row, so that areas take less time.
        distinct, place = np.unique(self.probabilities, axis=0, return_inverse=True)
        counts = np.zeros_like(distinct)
        np.add.at(counts, (place.reshape(-1), self.truth), 1.0)
        return distinct, counts

    @property
    def n_classes(self) -> int:
        """Number of classes of the problem."""
        return int(self.probabilities.shape[1])


def accuracy(answer: Answer) -> float:
    """Share of cases that are classified correctly."""
    return float(np.mean(answer.predicted == answer.truth))


def auc(answer: Answer) -> float:
    """Area under the ROC curve; Hand and Till's mean for more than two classes."""
    if answer.scores is None:
        return mauc_hand_till(answer)
    positive = answer.truth == 1
    return float(Curve.from_leaves(answer.scores, positive, ~positive).auc)


def mauc_hand_till(answer: Answer) -> float:
    """Mean area over pairs of classes, ranked by the probability of either (Hand and Till)."""
    return mauc(*answer.leaf_table)


def mauc_renormalised(answer: Answer) -> float:
    """Mean area over pairs of classes, ranked by p / (p + q), as in Ferri et al. (2003)."""
    return mauc(*answer.leaf_table, pairs="renormalised")


def log_loss(answer: Answer) -> float:
    """Mean negative logarithm of the probability of the true class, at least 1e-6."""
    of_truth = answer.probabilities[np.arange(len(answer.truth)), answer.truth]
    return float(-np.log(np.maximum(of_truth, LOG_LOSS_FLOOR)).mean())


def brier(answer: Answer) -> float:
    """Mean squared error of the probabilities, summed over the classes."""
    truth = np.eye(answer.n_classes)[answer.truth]
    return float(((answer.probabilities - truth) ** 2).sum(axis=1).mean())


@dataclass(frozen=True)
class FBeta:
    """F-measure of the positive class; 0 without a true positive.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall relative to precision.

    Examples
    --------
    >>> FBeta(beta=2.0).beta
    2.0
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_number(self, "beta")

    def __call__(self, answer: Answer) -> float:
        """Return the F-measure of an answer."""
        predicted, actual = answer.predicted == answer.positive, answer.truth == answer.positive
        hits = float(np.sum(predicted & actual))
        missed, wrong = float(np.sum(~predicted & actual)), float(np.sum(predicted & ~actual))
        found = (1.0 + self.beta**2) * hits
        return found / (found + self.beta**2 * missed + wrong) if hits else 0.0


def class_recalls(answer: Answer) -> Floats:
    """Recall of each class; NaN for a class without cases."""
    right = answer.predicted == answer.truth
    totals = np.bincount(answer.truth, minlength=answer.n_classes)
    hits = np.bincount(answer.truth, right, minlength=answer.n_classes)
    shares = np.divide(hits, totals, out=np.full(len(totals), np.nan), where=totals > 0)
    return np.asarray(shares)


def balanced_accuracy(answer: Answer) -> float:
    """Accuracy if the classes were equally frequent: the mean recall."""
    return float(np.mean(class_recalls(answer)))


def swapped_accuracy(answer: Answer) -> float:
    """Accuracy if the two classes had each other's frequency; NaN for more classes."""
    if answer.n_classes != 2:
        return float("nan")
    share = float(np.mean(answer.truth == 0))
    return float(np.array([1.0 - share, share]) @ class_recalls(answer))


def leaves(answer: Answer) -> float:
    """Number of leaves; NaN for a model without leaves."""
    count = getattr(answer.model, "get_n_leaves", None)
    return float("nan") if count is None else float(count())


def depth(answer: Answer) -> float:
    """Depth of the tree; NaN for a model without one."""
    count = getattr(answer.model, "get_depth", None)
    return float("nan") if count is None else float(count())


Metric = Callable[[Answer], float]

METRICS: dict[str, Metric] = {
    "accuracy": accuracy,
    "auc": auc,
    "mauc_hand_till": mauc_hand_till,
    "mauc_renormalised": mauc_renormalised,
    "log_loss": log_loss,
    "brier": brier,
    "f1": FBeta(1.0),
    "f2": FBeta(2.0),
    "balanced_accuracy": balanced_accuracy,
    "swapped_accuracy": swapped_accuracy,
    "leaves": leaves,
    "depth": depth,
}
# Measures for which smaller is better.
LESS_IS_BETTER = frozenset({"log_loss", "brier", "leaves", "depth", "seconds"})
# Columns of the results other than measures.
OTHER_COLUMNS = ("problem", "configuration", "repeat", "fold", "seconds", "error")


def resolve_metrics(names: Any) -> dict[str, Metric]:
    """Return measures by name, given their names or a mapping from names to functions."""
    if isinstance(names, Mapping):
        return _check_functions(names)
    several = isinstance(names, Iterable) and not isinstance(names, str)
    chosen = list(names) if several else [names]
    for name in chosen:
        if not (isinstance(name, str) and name in METRICS):
            raise ParameterError(
                f"metric {name!r} is not known{did_you_mean(name, METRICS)}: choose from "
                f"{', '.join(METRICS)}, or give a mapping from names to functions."
            )
    return {name: METRICS[name] for name in chosen}


def _check_functions(measures: Mapping[Any, Any]) -> dict[str, Metric]:
    for name, measure in measures.items():
        if not isinstance(name, str) or name in OTHER_COLUMNS:
            raise ParameterError(
                f"A metric cannot be named {name!r}: use a string other than "
                f"{', '.join(OTHER_COLUMNS)}, which are columns of the results."
            )
        if not callable(measure):
            raise ParameterError(
                f"metric {name!r} is {measure!r}: give a function of an Answer, such as FBeta(3)."
            )
    return dict(measures)
