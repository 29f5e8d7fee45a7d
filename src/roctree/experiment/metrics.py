"""What is measured of a fitted classifier on cases it has not seen; one line here adds a measure.

A measure is a function of an ``Answer``. It is not a number where the test cases do not define it,
as an area where they are all of one class.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.roc import Curve, mauc
from roctree.strategy import check_number, nearest

Floats = NDArray[np.float64]
# As low as a probability counts in the log-loss: a bare zero would make all means infinite.
LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True, eq=False)
class Answer:
    """What a classifier says of the test cases.

    Parameters
    ----------
    model : the fitted classifier
    rows : the test cases
    truth : int[n], the number of each case's class
    predicted : int[n]
    probabilities : float64[n, classes], over all classes of the problem
    scores : float64[n], the higher the more like the second of two classes; None for more classes
    positive : number of the positive class
    """

    model: Any
    rows: Any
    truth: NDArray[np.int32]
    predicted: NDArray[np.int64]
    probabilities: Floats
    scores: Floats | None
    positive: int

    @classmethod
    def of(
        cls,
        model: Any,
        rows: Any,
        truth: NDArray[np.int32],
        classes: tuple[Any, ...],
        positive: int,
    ) -> "Answer":
        """Ask a fitted classifier; training may have seen some of the classes only."""
        places = np.array([classes.index(label) for label in model.classes_.tolist()])
        probabilities = np.zeros((len(truth), len(classes)))
        probabilities[:, places] = model.predict_proba(rows)
        code = {label: place for place, label in enumerate(classes)}
        predicted = np.array([code[label] for label in np.asarray(model.predict(rows)).tolist()])
        scores = probabilities[:, 1] if len(classes) == 2 else None
        if scores is not None and getattr(model, "ranking", "leaf") != "leaf":
            scores = np.asarray(model.decision_function(rows))
        return cls(model, rows, truth, predicted, probabilities, scores, positive)

    @cached_property
    def leaf_table(self) -> tuple[Floats, Floats]:
        """The distinct probabilities, and how many cases of each class have them."""
        # Few cases differ where they come from leaves, and areas take time for each.
        distinct, place = np.unique(self.probabilities, axis=0, return_inverse=True)
        counts = np.zeros_like(distinct)
        np.add.at(counts, (place.reshape(-1), self.truth), 1.0)
        return distinct, counts

    @property
    def n_classes(self) -> int:
        """How many classes the problem has."""
        return int(self.probabilities.shape[1])


def accuracy(answer: Answer) -> float:
    """The share of cases that are predicted right."""
    return float(np.mean(answer.predicted == answer.truth))


def auc(answer: Answer) -> float:
    """The area under the ROC curve; for more than two classes Hand and Till's mean."""
    if answer.scores is None:
        return mauc_hand_till(answer)
    positive = answer.truth == 1
    return float(Curve.from_leaves(answer.scores, positive, ~positive).auc)


def mauc_hand_till(answer: Answer) -> float:
    """The mean area over pairs of classes, by the probability of either."""
    return mauc(*answer.leaf_table)


def mauc_renormalised(answer: Answer) -> float:
    """The mean area over pairs of classes, by p / (p + q), as Ferri et al. had it in 2003."""
    return mauc(*answer.leaf_table, pairs="renormalised")


def log_loss(answer: Answer) -> float:
    """Minus the mean logarithm of the probability of what was the case, at least 1e-6."""
    of_truth = answer.probabilities[np.arange(len(answer.truth)), answer.truth]
    return float(-np.log(np.maximum(of_truth, LEAST_PROBABILITY)).mean())


def brier(answer: Answer) -> float:
    """The mean squared error of the probabilities, summed over the classes."""
    truth = np.eye(answer.n_classes)[answer.truth]
    return float(((answer.probabilities - truth) ** 2).sum(axis=1).mean())


@dataclass(frozen=True)
class FBeta:
    """The F-measure of the positive class, 0 without a hit.

    Parameters
    ----------
    beta : the weight of recall against precision
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_number(self, "beta")

    def __call__(self, answer: Answer) -> float:
        """The measure of an answer."""
        called, is_so = answer.predicted == answer.positive, answer.truth == answer.positive
        hits = float(np.sum(called & is_so))
        missed, wrong = float(np.sum(~called & is_so)), float(np.sum(called & ~is_so))
        found = (1.0 + self.beta**2) * hits
        return found / (found + self.beta**2 * missed + wrong) if hits else 0.0


def recall_of_each_class(answer: Answer) -> Floats:
    """The share of each class that is predicted right; not a number where it has no case."""
    right = answer.predicted == answer.truth
    totals = np.bincount(answer.truth, minlength=answer.n_classes)
    hits = np.bincount(answer.truth, right, minlength=answer.n_classes)
    shares = np.divide(hits, totals, out=np.full(len(totals), np.nan), where=totals > 0)
    return np.asarray(shares)


def balanced_accuracy(answer: Answer) -> float:
    """The accuracy if the classes were equally frequent."""
    return float(np.mean(recall_of_each_class(answer)))


def swapped_accuracy(answer: Answer) -> float:
    """The accuracy if two classes had each other's frequency; not a number for more."""
    if answer.n_classes != 2:
        return float("nan")
    share = float(np.mean(answer.truth == 0))
    return float(np.array([1.0 - share, share]) @ recall_of_each_class(answer))


def leaves(answer: Answer) -> float:
    """The number of leaves; not a number for what has none."""
    count = getattr(answer.model, "get_n_leaves", None)
    return float("nan") if count is None else float(count())


def depth(answer: Answer) -> float:
    """The most splits on a path; not a number for what has none."""
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
# Of these less is better; of all others more.
LESS_IS_BETTER = frozenset({"log_loss", "brier", "leaves", "depth", "seconds"})
# What results have beside measures.
OTHER_COLUMNS = ("problem", "configuration", "repeat", "fold", "seconds", "error")


def resolve(names: Any) -> dict[str, Metric]:
    """Return measures by name: names of them, or a mapping with one's own functions."""
    if isinstance(names, Mapping):
        return _checked(names)
    several = isinstance(names, Iterable) and not isinstance(names, str)
    chosen = list(names) if several else [names]
    for name in chosen:
        if not (isinstance(name, str) and name in METRICS):
            raise ParameterError(
                f"metric {name!r} is not known{nearest(name, METRICS)}: choose from "
                f"{', '.join(METRICS)}, or give functions by name."
            )
    return {name: METRICS[name] for name in chosen}


def _checked(measures: Mapping[Any, Any]) -> dict[str, Metric]:
    """Return measures of one's own; refused unless they are functions under names."""
    for name, measure in measures.items():
        if not isinstance(name, str) or name in OTHER_COLUMNS:
            raise ParameterError(
                f"A metric cannot be called {name!r}: give a text other than "
                f"{', '.join(OTHER_COLUMNS)}, which results have beside it."
            )
        if not callable(measure):
            raise ParameterError(
                f"metric {name!r} is {measure!r}: give a function of an Answer, such as FBeta(3)."
            )
    return dict(measures)
