"""Requests: the arguments of ``at(...)`` and of other methods that name classes and costs, checked.

``OperatingRequest.from_arguments`` turns costs, rates or a threshold into a labeller. Cost matrices
and priors may be given by position or by class label, as nested sequences, dicts or data frames.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from roctree.arrays import Floats
from roctree.errors import ParameterError
from roctree.labelling import (
    BestFBeta,
    Labeller,
    LeastCost,
    MaxFPR,
    MinTPR,
    OperatingPoint,
    Threshold,
    as_numbers,
    check_errors_cost,
    checked_matrix,
    labels_with_undecided,
    separates_one_class,
    votes_by_cost,
)
from roctree.parameters import check_seed
from roctree.strategy import LARGEST_COST, is_finite_number, keyed_by_label
from roctree.text import did_you_mean

Counts = Literal["training", "smoothed"]
# The basis of an operating point chosen on held-out cases.
HELD_OUT = "held_out"


@dataclass(frozen=True)
class PointArguments:
    """The arguments of ``at(...)``; None where an argument was not given."""

    cost_fp: float | None = None
    cost_fn: float | None = None
    cost_matrix: Any = None
    cost_reject: float | None = None
    prior: Any = None
    max_fpr: float | None = None
    min_tpr: float | None = None
    beta: float | None = None
    threshold: float | None = None
    randomise: bool = False

    @property
    def default_counts(self) -> Counts:
        """The default of ``counts``: a threshold refers to smoothed probabilities."""
        return "training" if self.threshold is None else "smoothed"

    def labeller(self, classes: NDArray[Any]) -> Labeller:
        """Return the labeller of this request; raise ``ParameterError`` for contradictions."""
        kinds = self._kinds()
        self._refuse_contradictions(kinds)
        prior = _prior_in_class_order(self.prior, classes)
        if self.max_fpr is not None:
            return MaxFPR(self.max_fpr, self.randomise)
        if self.min_tpr is not None:
            return MinTPR(self.min_tpr, self.randomise)
        if self.beta is not None:
            return BestFBeta(self.beta, prior)
        if self.threshold is not None:
            return Threshold(self.threshold)
        matrix = None if self.cost_matrix is None else _matrix_as_tuples(self.cost_matrix, classes)
        if self.cost_reject is not None:
            labels_with_undecided(classes)
        return LeastCost(self.cost_fp, self.cost_fn, matrix, prior, self.cost_reject)

    def _kinds(self) -> list[str]:
        """Return the kinds of operating point that are requested, as fields of a message."""
        costs = [self.cost_fp, self.cost_fn, self.cost_matrix, self.cost_reject]
        names = ["costs"] if any(cost is not None for cost in costs) else []
        alone = ("max_fpr", "min_tpr", "beta", "threshold")
        return names + [f"{{{name}}}" for name in alone if getattr(self, name) is not None]

    def _refuse_contradictions(self, kinds: list[str]) -> None:
        if not isinstance(self.randomise, bool | np.bool_):
            raise ParameterError(
                parameter="randomise",
                value=self.randomise,
                reason="is not allowed: give {true!r} or {false!r}",
                true=True,
                false=False,
            )
        if len(kinds) > 1:
            raise ParameterError(
                reason=f"{kinds[0]} and {kinds[1]} ask for two labellings: give one."
            )
        kind = kinds[0] if kinds else ""
        if not kind and self.prior is None:
            raise ParameterError(
                reason="Give an operating point: {cost_fp} and {cost_fn}, {cost_matrix}, "
                "{cost_reject}, {prior}, {max_fpr}, {min_tpr}, {beta} or {threshold}."
            )
        if self.prior is not None and kind in ("{max_fpr}", "{min_tpr}", "{threshold}"):
            raise ParameterError(reason=f"{kind} does not depend on {{prior}}: leave it out.")
        if self.randomise and kind not in ("{max_fpr}", "{min_tpr}"):
            raise ParameterError(
                parameter="randomise", reason="attains a rate: give {max_fpr} or {min_tpr} as well"
            )


class OperatingRequest(NamedTuple):
    """A request for an operating point, checked.

    Parameters
    ----------
    labeller : Labeller
        Chooses the labels.
    counts : "training", "smoothed" or held-out cases
        Basis of the choice.
    positive : int
        Index of the positive class: one of two, or one against the rest.
    seed : int
        Seed of the random draws of randomised labels.
    """

    labeller: Labeller
    counts: Any
    positive: int
    seed: int

    @classmethod
    def from_arguments(
        cls,
        arguments: Mapping[str, Any],
        classes: NDArray[Any],
        class_of_interest: int,
        counts: Any = None,
        positive: Any = None,
        seed: Any = 0,
    ) -> "OperatingRequest":
        """Read the arguments of ``at(...)``.

        Parameters
        ----------
        arguments : costs, rates, ... by name
        classes : class labels
        class_of_interest : index of the positive class of two if none is named
        counts : what to choose by, or None for the default of the request
        positive : label of the positive class, or None
        seed : seed of the draws, or None for a random one
        """
        known = [field.name for field in fields(PointArguments)]
        for name in arguments:
            if name not in known:
                raise ParameterError(
                    f"at() has no argument {name!r}{did_you_mean(name, known)}: give "
                    f"{', '.join(known)}."
                )
        request = PointArguments(**arguments)
        basis = request.default_counts if counts is None else counts
        labeller = request.labeller(classes)
        if len(classes) > 2:
            _check_positive(labeller, positive, classes)
        place = class_of_interest if positive is None else class_index(positive, classes)
        return cls(labeller, basis, place, check_seed(seed))

    @classmethod
    def from_point(cls, point: OperatingPoint) -> "OperatingRequest":
        """Return the request that led to an operating point, to repeat it on a changed model."""
        if point.counts == HELD_OUT:
            raise ParameterError(
                reason="The operating point was chosen on held-out cases, which are not kept: "
                "prune, smooth, calibrate or soften thresholds first, then call {at(...)}."
            )
        return cls(point.labeller, point.counts, point.positive, point.seed)

    @property
    def basis(self) -> str:
        """What the point is chosen by: "training", "smoothed" or "held_out"."""
        return self.counts if isinstance(self.counts, str) else HELD_OUT


def _check_positive(labeller: Labeller, positive: Any, classes: NDArray[Any]) -> None:
    """Raise unless a positive class is named just where one of several is separated."""
    if separates_one_class(labeller) and positive is None:
        raise ParameterError(
            reason="There are {n_classes} classes: give {positive}, the class to separate from the "
            "rest, or costs of all errors by {cost_matrix}; the classes are {classes}.",
            n_classes=len(classes),
            classes=", ".join(map(repr, classes.tolist())),
        )
    if not separates_one_class(labeller) and positive is not None:
        raise ParameterError(
            parameter="positive",
            value=positive,
            reason="has no effect on costs and priors of {n_classes} classes: leave it out, or "
            "separate this class from the rest by {cost_fp} and {cost_fn}, or by a rate",
            n_classes=len(classes),
        )


def least_cost_classes(
    probabilities: Floats, cost_matrix: Any, classes: NDArray[Any], positive: int
) -> NDArray[np.int64]:
    """Return the class of lowest expected cost for each row; if two classes tie, the positive one.

    Parameters
    ----------
    probabilities : float64[rows, classes]
    cost_matrix : [predicted][true], by number or by label, or float64[rows, predicted, true]
    classes : their labels
    positive : index of the positive class of two
    """
    n_rows, n_classes = probabilities.shape
    costs = as_numbers("cost_matrix", _matrix_in_class_order(cost_matrix, classes))
    if costs.ndim != 3:
        costs = checked_matrix(costs, n_classes)
    elif costs.shape != (n_rows, n_classes, n_classes):
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has shape {costs.shape}: give ({n_classes}, {n_classes}), predicted by true "
            f"class, or one such matrix for each of the {n_rows} rows",
        )
    elif not (usable := np.abs(costs) <= LARGEST_COST).all():
        row = int(np.argmin(usable.all(axis=(1, 2))))
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has a cost for row {row} that is not finite, or beyond {LARGEST_COST:g}",
        )
    elif n_rows and n_classes > 1:
        check_errors_cost(costs)
    return np.asarray(votes_by_cost(probabilities, costs, positive).argmax(axis=1))


def check_basis(counts: Any) -> None:
    """Raise ``ParameterError`` unless ``counts`` names what an operating point is chosen by."""
    if not isinstance(counts, str):
        raise ParameterError(
            parameter="counts",
            reason="must be 'training', 'smoothed', or (X, y) of held-out cases",
        )
    known = get_args(Counts)
    if counts not in known:
        raise ParameterError(
            parameter="counts",
            value=counts,
            reason="is not known{suggestion}: give 'training' or 'smoothed'; in Python, (X, y) of "
            "held-out cases is allowed too",
            suggestion=did_you_mean(counts, known),
        )


def cost_table(cost_matrix: Any, classes: NDArray[Any]) -> Floats:
    """Return costs [predicted, true] as an array; by default every error costs one."""
    if cost_matrix is None:
        return 1.0 - np.eye(len(classes))
    return checked_matrix(np.array(_matrix_as_tuples(cost_matrix, classes)), len(classes))


def held_out_cases(counts: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Return X, y and sample_weight of held-out cases given as (X, y) or (X, y, sample_weight)."""
    if len(counts) not in (2, 3):
        raise ParameterError(
            parameter="counts",
            reason=f"is a tuple of {len(counts)}: give (X, y) or (X, y, sample_weight) of held-out "
            "cases",
        )
    X, y, sample_weight = (*counts, None)[:3]
    return X, y, sample_weight


def class_index(label: Any, classes: NDArray[Any], parameter: str = "positive") -> int:
    """Return the index of a class."""
    known = classes.tolist()
    if np.ndim(label) or label not in known:
        raise ParameterError(
            parameter=parameter,
            value=label,
            reason="is not a class{suggestion}; the classes are {classes}",
            suggestion=did_you_mean(label, [each for each in known if isinstance(each, str)]),
            classes=", ".join(map(repr, known)),
        )
    return int(known.index(label))


def rarer_class(counts: NDArray[Any]) -> int:
    """Return the index of the rarer of two classes, the last if both are equally frequent.

    This is the default class of interest. With one class, or more than two, it is the last.
    """
    return 0 if len(counts) == 2 and counts[0] < counts[1] else len(counts) - 1


def _prior_in_class_order(prior: Any, classes: NDArray[Any]) -> Any:
    """Return the prior in the order of the classes, as a tuple, or one number."""
    prior = keyed_by_label(prior, classes.tolist())
    if isinstance(prior, Mapping):
        return tuple(
            prior[label] for label in _check_class_labels("prior", prior, classes, "the share of")
        )
    if prior is None or is_finite_number(prior):
        return prior
    return tuple(np.atleast_1d(as_numbers("prior", prior)).tolist())


def _matrix_as_tuples(matrix: Any, classes: NDArray[Any]) -> tuple[tuple[float, ...], ...]:
    """Return costs in the order of the classes, in a form that can be compared and hashed."""
    table = as_numbers("cost_matrix", _matrix_in_class_order(matrix, classes))
    if table.ndim != 2:
        raise ParameterError(
            parameter="cost_matrix",
            reason=f"has shape {table.shape}: give one row per predicted class; costs of single "
            "cases are for predict(X, cost_matrix=...)",
        )
    return tuple(tuple(row) for row in table.tolist())


def _matrix_in_class_order(matrix: Any, classes: NDArray[Any]) -> Any:
    """Return costs in the order of the classes if they are given by label."""
    if hasattr(matrix, "columns") and hasattr(matrix, "index"):
        return _frame_in_class_order(matrix, classes)
    if not isinstance(matrix, Mapping):
        return matrix
    labels = _check_class_labels("cost_matrix", matrix, classes, "what it costs to predict")
    for label in labels:
        if not isinstance(matrix[label], Mapping):
            raise ParameterError(
                parameter="cost_matrix",
                reason="has {row!r} for the predicted class {label!r}: give a cost for each true "
                "class",
                row=matrix[label],
                label=label,
            )
    # Correct predictions cost nothing by default.
    filled = {label: {label: 0.0} | dict(matrix[label]) for label in labels}
    for label, row in filled.items():
        _check_class_labels("cost_matrix", row, classes, f"what it costs to predict {label!r} for")
    return [[row[label] for label in labels] for row in filled.values()]


def _frame_in_class_order(frame: Any, classes: NDArray[Any]) -> Any:
    """Return the costs of a data frame, by class label or in the order of the classes."""
    labels = classes.tolist()
    rows, columns = list(frame.index), list(frame.columns)
    unnamed = [list(range(len(names))) for names in (rows, columns)]
    if [rows, columns] == unnamed and set(rows) != set(labels):
        return frame.to_numpy()
    _check_class_labels("cost_matrix", dict.fromkeys(rows), classes, "a row for")
    _check_class_labels("cost_matrix", dict.fromkeys(columns), classes, "a column for")
    return frame.loc[labels, labels].to_numpy()


def _check_class_labels(
    name: str, given: Mapping[Any, Any], classes: NDArray[Any], what: str
) -> list[Any]:
    """Return the class labels; raise ``ParameterError`` unless a mapping has exactly these keys."""
    labels: list[Any] = classes.tolist()
    unknown = [label for label in given if label not in labels]
    if unknown:
        texts = [label for label in labels if isinstance(label, str)]
        raise ParameterError(
            parameter=name,
            reason="names {unknown!r}{suggestion}, which is not a class; the classes are {classes}",
            unknown=unknown[0],
            suggestion=did_you_mean(unknown[0], texts),
            classes=", ".join(map(repr, labels)),
        )
    absent = [label for label in labels if label not in given]
    if absent:
        raise ParameterError(
            parameter=name,
            reason="lacks {what} {absent!r}: give it for every class",
            what=what,
            absent=absent[0],
        )
    return labels
