"""Fitted models: everything that can be computed from a model after growth.

A fitted model is a frozen value. It holds the tree, the schema of its columns and the class
probabilities of its leaves, but no training rows, and it does not depend on scikit-learn: the
estimators wrap one, the command line and the model files work on it directly.

:class:`FittedModel` implements what all kinds of models share: operating points, optimal
labellings, ROC curves and predictions. A kind of model supplies the probabilities of rows, their
labels, and class counts by leaf. :class:`FittedTree` is the decision tree; the Naive Bayes tree and
the Multiscale Classifier are in ``roctree.models``. :class:`FittedNodes` holds what trees and
Multiscale cells share.

Changing a model returns another one: ``at``, ``smoothed``, ``pruned`` and ``ranked`` never modify
the model that they are called on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.arrays import Floats, Ints
from roctree.calibration import Calibration
from roctree.data import (
    Dataset,
    Schema,
    as_one_row,
    check_rows_given,
    check_test_cases,
    check_weights,
    encode_columns,
)
from roctree.errors import ParameterError
from roctree.geometry import (
    RANKINGS,
    Boundaries,
    Boundary,
    BoundaryReport,
    Changes,
    GeometricProbability,
    Limits,
    MetricChoice,
    Spread,
    cases_needed,
    check_boundary,
    geometric_scores,
    nearest_changes,
    scale_of,
)
from roctree.labelling import (
    Labellings,
    Leaves,
    OperatingPoint,
    labels_with_undecided,
    operating_point,
    separates_one_class,
)
from roctree.parameters import DEFAULTS, Labels, check_parameter, check_seed
from roctree.points import Scorecard
from roctree.prevalence import PriorEstimate, estimate_prior, score_order
from roctree.pruning import (
    CostPruningCurve,
    Pruned,
    Pruner,
    PruningPath,
    cost_complexity_path,
    cost_pruning_curve,
    paper_options,
    resolve_pruner,
)
from roctree.requests import (
    OperatingRequest,
    check_basis,
    class_index,
    held_out_cases,
    least_cost_classes,
    rarer_class,
)
from roctree.roc import Curve
from roctree.roc.arithmetic import group_sums
from roctree.smoothing import Frequencies, Smoother, probabilities
from roctree.tally import Counted, LeafTable, ScoreGroups, Tally
from roctree.text import escape_unprintable, pluralize
from roctree.tree.explanation import Explanation, by_class, leaf_parts
from roctree.tree.prediction import apply, decision_path, mix, node_class_counts
from roctree.tree.shape import importances, subtree_counts
from roctree.tree.softness import soften
from roctree.tree.text import NodePredictions, leaf_letters, to_text
from roctree.tree.tree import Tree, make_read_only

Measure = TypeVar("Measure", bound=np.generic)
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
# Number of groups of similar probabilities that unlabelled cases are counted in.
_N_GROUPS = 40
_MAX_CLASSES_LISTED = 10
SOFT_REMARK = (
    "thresholds are soft: a case near one goes down both branches, and its leaves are averaged"
)


@dataclass(frozen=True)
class Training:
    """A summary of the training data.

    Parameters
    ----------
    rows : int
        Number of rows with a positive weight.
    target : str or None
        Name of the target column, where the labels had one.
    date : str or None
        When the model was first saved, in UTC. None before that, so that equal fits are equal.
    version : str or None
        Release of roctree that first saved the model.
    """

    rows: int
    target: str | None = None
    date: str | None = None
    version: str | None = None

    @classmethod
    def from_target(cls, n_rows: int, y: Any) -> "Training":
        """Describe training data by the number of rows and the name of the target, if it has one.

        ``y`` is a column of labels, or the name of one.
        """
        name = y if isinstance(y, str) else getattr(y, "name", None)
        return cls(n_rows, name if isinstance(name, str) and name else None)

    def __str__(self) -> str:
        known = pluralize(self.rows, "row")
        return known if self.target is None else f"{known}, to predict {self.target!r}"


@dataclass(frozen=True, eq=False)
class Decision:
    """How a tree labels rows: by the largest vote, averaged over the leaves that a row reaches.

    Parameters
    ----------
    tree : Tree
    votes : float64[nodes, classes or classes + 1]
        The vote of each leaf for each class, and for leaving its cases undecided.
    other_votes : float64[nodes, classes]
        Alternative votes, used instead with probability ``chance``.
    chance : float
        Probability of the alternative votes; 0 unless the labels are randomised.
    seed : int
        Seed of the random draws, one per row.
    """

    tree: Tree
    votes: Floats
    other_votes: Floats
    chance: float = 0.0
    seed: int = 0

    @classmethod
    def at_point(cls, tree: Tree, point: OperatingPoint) -> "Decision":
        """Return the decision of an operating point."""
        return cls(tree, point.votes, point.other_votes, point.chance, point.seed)

    @property
    def labels(self) -> Ints:
        """Class index of each node, as if it were a leaf; the number of classes if undecided."""
        return np.asarray(self.votes.argmax(axis=1))

    def certain_votes(self) -> Floats:
        """Return the votes; raise ``ParameterError`` for randomised labels."""
        if self.chance > 0.0:
            raise ParameterError(
                reason="Randomised labels cannot be guaranteed: use {at(...)} without "
                "{randomise=True}."
            )
        return self.votes

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each row."""
        return self.per_draw(
            values, lambda votes: mix(self.tree, values, votes, n_threads=n_threads).argmax(axis=1)
        )

    def per_draw(
        self, values: Floats, measure: Callable[[Floats], NDArray[Measure]]
    ) -> NDArray[Measure]:
        """Evaluate ``measure(votes)`` for all rows, each with the votes that it drew."""
        found = measure(self.votes)
        if self.chance == 0.0:
            return found
        drawn = _random_draws(values, self.seed) < self.chance
        drawn = drawn.reshape(-1, *[1] * (found.ndim - 1))
        return np.where(drawn, measure(self.other_votes), found)

    def confusion(self, tally: Tally) -> Floats:
        """Return the weight of counted cases by predicted and true class.

        Randomised labels contribute their expected counts.
        """
        table = np.zeros((self.votes.shape[1], self.tree.n_classes))
        for votes, part in ((self.votes, 1.0 - self.chance), (self.other_votes, self.chance)):
            np.add.at(table, tally.lines(votes).argmax(axis=1), part * tally.counts)
        return table


def _random_draws(values: NDArray[Any], seed: int) -> Floats:
    """Return a reproducible random number in [0, 1) for each row.

    It depends on the seed, the values of the row and its position, so that equal rows in one table
    differ, and so do rows that are predicted one at a time.
    """
    # Adding zero turns -0.0 into 0.0.
    bits = np.ascontiguousarray(values + 0.0, dtype=np.float64).view(np.uint64)
    bits[np.isnan(values)] = 0
    mixed = _mix_bits(np.arange(len(bits), dtype=np.uint64) + np.uint64(seed << 32))
    for column in bits.T:
        mixed = _mix_bits(mixed ^ column)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53)


def _mix_bits(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes in which every bit depends on all bits (the finaliser of SplitMix64)."""
    bits = bits + _GOLDEN_RATIO
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def leaves_by_counts(
    tree: Tree,
    probabilities: Floats,
    frequencies: Floats,
    counts: Any,
    positive: int,
    nodes: NDArray[np.int64] | None = None,
) -> Leaves:
    """Return the leaves with the requested counts.

    Parameters
    ----------
    tree : Tree
    probabilities, frequencies : float64[nodes, classes]
        Smoothed and raw.
    counts : "training", "smoothed" or Tally
    positive : int
        Index of the positive class.
    nodes : int64[...] or None
        The nodes that count as leaves; None for the leaves.
    """
    if isinstance(counts, Tally):
        leaves = Leaves.from_counts(tree, counts.parts, frequencies, positive)
        shares = np.zeros_like(frequencies)
        shares[leaves.nodes] = leaves.shares
        return Leaves(counts.nodes, counts.counts, counts.lines(shares), positive)
    check_basis(counts)
    if counts == "training":
        return Leaves.from_counts(tree, tree.counts, frequencies, positive, nodes)
    smoothed = probabilities * tree.weight[:, None]
    return Leaves.from_counts(tree, smoothed, probabilities, positive, nodes)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel(ABC):
    """Base class of all fitted models.

    Parameters
    ----------
    schema : Schema
        Names, kinds and categories of the columns, and the classes.
    training : Training
        A summary of the training data.
    parameters : mapping
        Constructor arguments of the estimator, for model files and descriptions.
    operating_point : OperatingPoint or None
        The operating point chosen by ``at(...)``.
    calibration : Calibration or None
        The calibration of the probabilities, if any.
    """

    estimator_name: ClassVar[str]
    default_parameters: ClassVar[Mapping[str, Any]]

    schema: Schema
    training: Training
    parameters: Mapping[str, Any] = field(default_factory=dict)
    operating_point: OperatingPoint | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        make_read_only(self)
        point = self.operating_point
        if point is not None and (
            self.schema.n_classes == 2 or separates_one_class(point.labeller)
        ):
            # A point is chosen by class indices; only the model knows their labels.
            label = self.classes.tolist()[point.positive]
            object.__setattr__(self, "operating_point", replace(point, positive_class=label))

    def __getstate__(self) -> dict[str, Any]:
        # Only the fields, so that equal models have equal pickles regardless of cached properties.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    # What each kind of model supplies

    @property
    @abstractmethod
    def n_leaves(self) -> int:
        """Number of leaves."""

    @property
    @abstractmethod
    def depth(self) -> int:
        """Largest number of splits on a path."""

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """Number of nodes."""

    @property
    @abstractmethod
    def class_counts(self) -> Floats:
        """Weight of the training cases of each class."""

    @abstractmethod
    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""

    @abstractmethod
    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""

    @abstractmethod
    def leaf_table(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> LeafTable:
        """Return class probabilities and class counts, float64[lines, classes] each.

        Curves and metrics are computed from these. Without X the counts are those of the training
        data.
        """

    @abstractmethod
    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves that ``labellings`` orders, with the requested counts."""

    @abstractmethod
    def row_intervals(self, values: Floats) -> Floats:
        """Return intervals of the probabilities of encoded rows, float64[rows, classes, 2].

        The model is calibrated.
        """

    @abstractmethod
    def calibrated(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, level: float = 0.95
    ) -> Self:
        """Return the model with probabilities calibrated on held-out cases."""

    @abstractmethod
    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the model as text."""

    def point_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves that an operating point labels, by default those of ``labellings``."""
        return self.labelling_leaves(counts, positive)

    def counts_divided_cases(self, counts: Any) -> bool:
        """Whether divided cases are counted in parts, which makes rates approximate."""
        return False

    @property
    def follows_probabilities(self) -> bool:
        """Whether ``predict`` gives the most probable class."""
        return self.operating_point is None

    def with_parameters(self, parameters: Mapping[str, Any]) -> Self:
        """Return the model with the constructor arguments of its estimator."""
        return replace(self, parameters=parameters)

    # Rows

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels in sorted order."""
        return self.schema.classes

    @property
    def abstains(self) -> bool:
        """Whether ``predict`` may leave cases undecided."""
        return self.operating_point is not None and self.operating_point.abstains

    @property
    def possible_labels(self) -> NDArray[Any]:
        """The labels that ``predict`` gives: the classes, and that of undecided cases if any."""
        return labels_with_undecided(self.classes) if self.abstains else self.classes

    def encode(self, X: Any, n_threads: int = 1) -> Floats:
        """Encode rows according to the schema, float64[rows, features]."""
        return encode_columns(X, self.schema, n_threads)

    def dataset(self, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """Encode labelled rows according to the schema."""
        return Dataset.encoded(X, y, self.schema, sample_weight=sample_weight)

    def predict(self, X: Any, cost_matrix: Any = None, *, n_threads: int = 1) -> NDArray[Any]:
        """Return the predicted class of each row."""
        values = self.encode(X, n_threads)
        if cost_matrix is None:
            return np.asarray(self.possible_labels[self.row_labels(values, n_threads)])
        shares = self.row_probabilities(values, n_threads)
        labels = least_cost_classes(shares, cost_matrix, self.classes, self.class_of_interest)
        return np.asarray(self.classes[labels])

    def predict_proba(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the class probabilities of each row."""
        return self.row_probabilities(self.encode(X, n_threads), n_threads)

    def predict_interval(self, X: Any) -> Floats:
        """Return confidence intervals of the probabilities, float64[rows, classes, 2]."""
        if self.calibration is None:
            raise ParameterError(
                reason="Intervals of probabilities come from held-out cases: call "
                "calibrated(X, y) first."
            )
        return self.row_intervals(self.encode(X))

    def decision_function(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the score of each row: positive where the second of two classes is predicted."""
        values = self.encode(X, n_threads)
        shares = self.row_probabilities(values, n_threads)
        return self._scores(shares, shares, values, n_threads)

    def _scores(self, shares: Floats, votes: Floats, values: Floats, n_threads: int = 1) -> Floats:
        """Return scores of rows from probabilities, and votes: the same times class weights."""
        if votes.shape[1] != 2:
            return votes
        if self.follows_probabilities:
            return np.asarray(votes[:, 1] - votes[:, 0])
        # Positive exactly where the second class is predicted, and ordered by probability.
        second = self._labels_with(values, shares, n_threads) == 1
        return np.asarray(shares[:, 1] / 2.0 + np.where(second, 0.5, -0.5))

    def _labels_with(self, values: Floats, shares: Floats, n_threads: int) -> Ints:
        """Return the class index of rows with these probabilities."""
        return self.row_labels(values, n_threads)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class, float64[classes, classes].

        If cases may be undecided, a last row counts them.
        """
        cases = self.dataset(X, y, sample_weight)
        table = np.zeros((len(self.possible_labels), self.schema.n_classes))
        np.add.at(table, (self.row_labels(cases.values), cases.labels), cases.weights)
        return table

    # Operating points and curves

    @property
    def class_of_interest(self) -> int:
        """Index of the positive class if none is named: the rarer of two in training."""
        return rarer_class(self.class_counts)

    @property
    def displayed_class(self) -> int:
        """Index of the class whose probability is displayed, by default the positive class."""
        point = self.operating_point
        if point is not None and point.positive_class is not None:
            return point.positive
        return self.class_of_interest

    def node_predictions_of(
        self, tree: Tree, labels: Ints, probabilities: Floats
    ) -> NodePredictions:
        """Return labels and probabilities of nodes as texts and pictures show them."""
        positive = self.displayed_class
        letters = leaf_letters(tree, probabilities[:, positive])
        return NodePredictions(labels, probabilities, positive, letters, self.classes)

    def positive_index(self, positive: Any) -> int:
        """Return the index of the positive class, by default the class of interest of two."""
        if positive is not None:
            return class_index(positive, self.classes)
        if self.schema.n_classes > 2:
            raise ParameterError(
                reason="There are {n_classes} classes: give {positive}, the class to separate from "
                "the rest; the classes are {classes}.",
                n_classes=self.schema.n_classes,
                classes=", ".join(map(repr, self.classes.tolist())),
            )
        return self.class_of_interest

    def at(
        self, *, counts: Any = None, positive: Any = None, random_state: Any = 0, **request: Any
    ) -> Self:
        """Return the model relabelled for costs, rates or a threshold."""
        return self.at_request(
            OperatingRequest.from_arguments(
                request, self.classes, self.class_of_interest, counts, positive, random_state
            )
        )

    def at_request(self, request: OperatingRequest) -> Self:
        """Return the model at the operating point that a request chooses."""
        return replace(self, operating_point=self.chosen_point(request))

    def chosen_point(self, request: OperatingRequest) -> OperatingPoint:
        """Return the operating point that a request chooses."""
        leaves = self.point_leaves(request.counts, request.positive)
        return operating_point(
            leaves,
            request.labeller,
            self.n_point_nodes(leaves),
            request.basis,
            request.seed,
            in_parts=self.counts_divided_cases(request.counts),
        )

    def n_point_nodes(self, leaves: Leaves) -> int:
        """Return the number of nodes that an operating point labels."""
        return self.n_nodes

    def with_point_of(self, before: Self) -> Self:
        """Return this pruned or smoothed model at the operating point of the previous model."""
        if before.operating_point is None:
            return replace(self, operating_point=None)
        return self.at_request(OperatingRequest.from_point(before.operating_point))

    def labellings(
        self,
        *,
        counts: Any = "training",
        positive: Any = None,
        cost_reject: float | None = None,
    ) -> Labellings:
        """Return the optimal labellings of the leaves: one class against the others."""
        leaves = self.labelling_leaves(counts, self.positive_index(positive))
        return Labellings.from_leaves(
            leaves,
            self.classes,
            in_parts=self.counts_divided_cases(counts),
            cost_reject=cost_reject,
        )

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: leaves in the order of probability, counts of the given data."""
        place = self.positive_index(positive)
        scores, counts = self.leaf_table(X, y, sample_weight)
        others = counts.sum(axis=1) - counts[:, place]
        curve = Curve.from_leaves(scores[:, place], counts[:, place], others)
        return replace(
            curve,
            in_parts=X is None and self.counts_divided_cases("training"),
            positive_class=self.classes.tolist()[place],
        )

    # Unlabelled cases

    @abstractmethod
    def group_counts(self, counts: Any) -> Floats:
        """Return labelled cases by group, float64[groups, classes].

        A group is a leaf, or cases of similar probabilities if those of a leaf differ.
        """

    @property
    @abstractmethod
    def group_order(self) -> Floats:
        """A number for each group; groups of similar numbers have similar probabilities."""

    @abstractmethod
    def group_weights(self, values: Floats, weights: Floats) -> Floats:
        """Return the weight of encoded rows in each group."""

    def estimate_prior(
        self,
        X: Any,
        *,
        counts: Any = "smoothed",
        sample_weight: Any = None,
        level: float = 0.95,
        random_state: int = 0,
    ) -> PriorEstimate:
        """Return the class shares of unlabelled cases, estimated from their groups."""
        values = self.encode(X)
        found = self.group_weights(values, check_weights(sample_weight, len(values)))
        return self.prior_of_groups(found, counts, level, random_state)

    def prior_of_groups(
        self, weights: Floats, counts: Any, level: float = 0.95, random_state: int = 0
    ) -> PriorEstimate:
        """Return the class shares of unlabelled cases, given their counts by group."""
        reference, seed = self.group_counts(counts), check_seed(random_state)
        known = reference, weights, self.group_order, self.classes
        return estimate_prior(*known, level=level, seed=seed)

    # Descriptions

    @property
    def estimator_text(self) -> str:
        """The estimator with the parameters that differ from their defaults."""
        changed = [
            f"{name}={value!r}"
            for name, value in sorted(self.parameters.items())
            if repr(value) != repr(self.default_parameters.get(name))
        ]
        return f"{self.estimator_name}({', '.join(changed)})"

    @property
    def size_text(self) -> str:
        """The number of leaves and the depth."""
        return f"{pluralize(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"

    @property
    def default_labels_text(self) -> str:
        """How labels are chosen without an operating point."""
        return "the most probable class"

    @property
    def probabilities_text(self) -> str:
        """How probabilities are estimated; may be empty."""
        if self.calibration is None:
            return ""
        return f"; probabilities calibrated on {self.calibration.n_cases:.10g} held-out cases"

    @property
    def has_soft_thresholds(self) -> bool:
        """Whether cases near a threshold go down both branches."""
        return False

    def describe(self) -> tuple[str, ...]:
        """Return lines that name the model, its data, its size and how labels are chosen."""
        classes = [repr(label) for label in self.classes.tolist()]
        classes[_MAX_CLASSES_LISTED:] = ["..."] * (len(classes) > _MAX_CLASSES_LISTED)
        columns = pluralize(self.schema.n_features, "column")
        saved = "" if self.training.date is None else f"; first saved {self.training.date}"
        point = self.operating_point
        labels = (
            self.default_labels_text
            if point is None
            else f"{point!r}, chosen by {point.counts} counts"
        )
        lines = [
            f"{self.estimator_text}, by roctree {self.training.version or __version__}",
            f"grown from {self.training}, {columns}, classes {', '.join(classes)}{saved}",
            f"{pluralize(self.n_nodes, 'node')}, {self.size_text}{self.probabilities_text}",
            f"labels: {labels}",
        ]
        if self.has_soft_thresholds:
            lines.append(SOFT_REMARK)
        return tuple(map(escape_unprintable, lines))

    def with_description(self, text: str) -> str:
        """Return a text below the lines of ``describe``, as comments."""
        return "\n".join([*(f"# {line}" for line in self.describe()), text])


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedScores(FittedModel):
    """Base class of models that give cases of the same leaf different probabilities.

    Operating points and curves are chosen among the distinct probabilities of cases, which take the
    place of leaves.

    Parameters
    ----------
    scored : ScoreGroups
        Distinct probabilities of the training cases, and their class counts.
    """

    scored: ScoreGroups

    @abstractmethod
    def uncalibrated_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows before calibration."""

    @abstractmethod
    def score_cases(self, cases: Dataset) -> ScoreGroups:
        """Group cases by their probabilities and their leaf."""

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""
        found = self.uncalibrated_probabilities(values, n_threads)
        return found if self.calibration is None else self.calibration(found)

    def row_intervals(self, values: Floats) -> Floats:
        """Return intervals of the probabilities of encoded rows, float64[rows, classes, 2]."""
        assert self.calibration is not None
        return self.calibration.intervals(self.uncalibrated_probabilities(values))

    def calibrated(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, level: float = 0.95
    ) -> Self:
        """Return the model with its probabilities calibrated on held-out cases."""
        if self.calibration is not None:
            raise ParameterError(
                reason="The probabilities are calibrated already: calibrate the model as it was "
                "fitted."
            )
        cases = self.count_scores(X, y, sample_weight)
        calibration = Calibration.from_table(cases.scores, cases.counts, level)
        scored = replace(self.scored, scores=calibration(self.scored.scores))
        return replace(self, calibration=calibration, scored=scored).with_point_of(self)

    @property
    def row_weights(self) -> Floats:
        """Factors by which probabilities are multiplied before the largest is predicted."""
        return np.ones(self.schema.n_classes)

    @property
    def share_votes(self) -> tuple[Floats, Floats]:
        """Votes, and alternative votes, of a case with probability 1 of each class, [class, class].

        Votes are linear in the probabilities: those of a case are the mean of these, just as for
        cases that missing values divide among leaves.
        """
        point = self.operating_point
        if point is None:
            votes = np.diag(self.row_weights)
            return votes, votes
        pure = slice(-self.schema.n_classes, None)
        return point.votes[pure], point.other_votes[pure]

    def _labels_with(self, values: Floats, shares: Floats, n_threads: int) -> Ints:
        votes, others = self.share_votes
        labels = np.asarray((shares @ votes).argmax(axis=1))
        point = self.operating_point
        if point is None or point.chance == 0.0:
            return labels
        drawn = _random_draws(values, point.seed) < point.chance
        return np.where(drawn, (shares @ others).argmax(axis=1), labels)

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        return self._labels_with(values, self.row_probabilities(values, n_threads), n_threads)

    def leaf_table(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> LeafTable:
        """Return distinct class probabilities and class counts, float64[n, classes] each."""
        if not isinstance(X, ScoreGroups):
            check_rows_given(X, y, sample_weight)
        found = self.scored if X is None else self.count_scores(X, y, sample_weight)
        leaves = np.full(len(found.scores), -1) if found.leaf is None else found.leaf
        return LeafTable(found.scores, found.counts, leaves, self.classes)

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the scores as leaves, with the requested counts."""
        return self._scored_by(counts).as_leaves(positive)

    def point_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the scores and a pure leaf for each class, with the requested counts."""
        return self._scored_by(counts).with_pure_leaves(positive)

    def n_point_nodes(self, leaves: Leaves) -> int:
        """Return the number of leaves that an operating point labels."""
        return len(leaves.nodes)

    def count_scores(self, X: Any, y: Any = None, sample_weight: Any = None) -> ScoreGroups:
        """Return labelled cases grouped by their probabilities; groups are returned unchanged."""
        if isinstance(X, ScoreGroups):
            return X
        return self.score_cases(self.dataset(X, y, sample_weight))

    def _scored_by(self, counts: Any) -> ScoreGroups:
        """Return the cases that an operating point is chosen by."""
        if isinstance(counts, ScoreGroups):
            return counts
        if isinstance(counts, tuple):
            return self.count_scores(*held_out_cases(counts))
        check_basis(counts)
        return self.scored if counts == "training" else self.scored.with_expected_counts()

    @cached_property
    def group_order(self) -> Floats:
        """The lower ends of groups of training cases with similar probabilities."""
        order = score_order(self.scored.scores)
        places = np.argsort(order, kind="stable")
        before = np.cumsum(self.scored.counts.sum(axis=1)[places])
        quantiles = np.arange(1, _N_GROUPS) / _N_GROUPS * before[-1]
        starts = order[places[np.searchsorted(before, quantiles)]]
        return np.unique(np.append(-1.0, starts))

    def _groups(self, scores: Floats) -> Ints:
        return np.searchsorted(self.group_order, score_order(scores), side="right") - 1

    def group_counts(self, counts: Any) -> Floats:
        """Return labelled cases by group of similar probabilities."""
        cases = self._scored_by(counts)
        found = np.zeros((len(self.group_order), self.schema.n_classes))
        np.add.at(found, self._groups(cases.scores), cases.counts)
        return found

    def group_weights(self, values: Floats, weights: Floats) -> Floats:
        """Return the weight of encoded rows by group of similar probabilities."""
        groups = self._groups(self.row_probabilities(values))
        return group_sums(groups, weights, len(self.group_order))


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNodes(FittedModel):
    """Base class of decision trees and cells: nodes with class counts, probabilities and labels.

    A subclass has the nodes as ``tree``.

    Parameters
    ----------
    smoother, pruner : Smoother, Pruner
        The strategies, with "auto" resolved.
    probabilities : float64[nodes, classes]
        Smoothed class probabilities; those of inner nodes as if they were leaves.
    node_labels : int64[nodes] or None
        The class that pruning under costs gives each node.
    labels : {"probability", "majority"}
        What ``predict`` is based on.
    """

    smoother: Smoother
    pruner: Pruner
    probabilities: Floats
    node_labels: Ints | None
    labels: Labels = "probability"

    if TYPE_CHECKING:

        @property
        def tree(self) -> Tree:
            """Nodes and class counts: a field or a property of the subclass."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.tree.n_nodes

    @property
    def class_counts(self) -> Floats:
        """Weight of the training cases of each class."""
        return np.asarray(self.tree.counts[0])

    @cached_property
    def decision(self) -> Decision:
        """How rows are labelled: by the operating point, or by default."""
        if self.operating_point is not None:
            return Decision.at_point(self.tree, self.operating_point)
        votes = self._default_votes()
        return Decision(self.tree, votes, votes)

    def _default_votes(self) -> Floats:
        """Return votes by the costs of pruning, by majority or by probability."""
        if self.node_labels is not None:
            return np.eye(self.schema.n_classes)[self.node_labels]
        return Frequencies()(self.tree) if self.labels == "majority" else self.probabilities

    @property
    def follows_probabilities(self) -> bool:
        """Whether ``predict`` gives the most probable class."""
        relabelled = self.operating_point is not None or self.node_labels is not None
        return not relabelled and self.labels == "probability"

    @property
    def default_labels_text(self) -> str:
        """How labels are chosen without an operating point."""
        if self.node_labels is not None:
            return "by the costs of pruning"
        if self.labels == "majority":
            return "the majority of the training cases"
        return "the most probable class"

    @property
    def probabilities_text(self) -> str:
        """The smoother, or the calibration."""
        return super().probabilities_text or f"; probabilities by {self.smoother!r}"

    # Calibration

    @property
    @abstractmethod
    def stopping_nodes(self) -> Ints:
        """The nodes where cases stop."""

    @property
    def group_order(self) -> Floats:
        """A number for each node where cases stop."""
        return score_order(self.probabilities[self.stopping_nodes])

    @abstractmethod
    def stopping_counts(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the class counts of labelled cases at the nodes where they stop.

        Cases that are divided among leaves are counted in parts.
        """

    def calibrated(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, level: float = 0.95
    ) -> Self:
        """Return the model with the probabilities of its nodes calibrated on held-out cases."""
        counts, scores = self.stopping_counts(X, y, sample_weight), self.probabilities
        calibration = Calibration.from_table(scores[self.stopping_nodes], counts, level, scores)
        other = replace(self, calibration=calibration, probabilities=calibration(scores))
        return other.with_point_of(self)

    def group_counts(self, counts: Any) -> Floats:
        """Return labelled cases by leaf, those divided among leaves in parts."""
        if isinstance(counts, tuple):
            return self.stopping_counts(*held_out_cases(counts))
        if isinstance(counts, Tally):
            return self.stopping_counts(counts)
        return self.labelling_leaves(counts, 0).counts

    @cached_property
    def node_intervals(self) -> Floats:
        """Confidence intervals of the calibrated probabilities, float64[nodes, classes, 2]."""
        assert self.calibration is not None
        assert self.calibration.scores is not None
        return self.calibration.intervals(self.calibration.scores)

    def check_prunable(self) -> None:
        """Raise ``ParameterError`` if pruning would drop the calibration."""
        if self.calibration is not None:
            raise ParameterError(
                reason="The probabilities were calibrated on held-out cases, which are not kept: "
                "prune first, then call calibrated(...)."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedTree(FittedNodes):
    """A decision tree with class probabilities at its leaves.

    Parameters
    ----------
    tree : Tree
        Nodes and class counts.
    class_weight : float64[classes]
    spread : Spread
        Ranges and standard deviations of the features.
    scale : float64[features]
        Difference of a feature that counts as a distance of one.
    divides_cases : bool
        Whether missing values divided training cases among leaves.
    ranking : {"leaf", "local", "global", "soft"}
        What ``decision_function`` is based on.
    width : float
        Width of the soft thresholds, as a multiple of the width estimated from the training cases.
    geometric : GeometricProbability or None
        Estimate of the probabilities from distances to the decision boundary.
    points : Scorecard or None
        The points that were learned beside the tree; without attributes if they did not help.
    scored : ScoreGroups or None
        The training cases by leaf, and divided ones by their probabilities; None if no training
        case is divided, or if probabilities have changed since the fit.
    """

    estimator_name: ClassVar[str] = "ROCTreeClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = DEFAULTS

    tree: Tree
    class_weight: Floats
    spread: Spread
    scale: Floats
    divides_cases: bool
    ranking: str = "leaf"
    width: float = 1.0
    geometric: GeometricProbability | None = None
    points: Scorecard | None = None
    scored: ScoreGroups | None = None

    @property
    def depth(self) -> int:
        """Largest number of splits on a path."""
        return self.tree.max_depth

    @property
    def mixes_leaves(self) -> bool:
        """Whether training cases may be divided among leaves, which are averaged."""
        return self.divides_cases or self.has_soft_thresholds

    # Changes: each returns another tree

    def with_scores(self, cases: Dataset | None, n_threads: int = 1) -> Self:
        """Return the tree with the probabilities of its training cases, if it needs them.

        Without the cases they are dropped: rates of operating points are then approximate.
        """
        scored = None
        if cases is not None and self.mixes_leaves:
            scored = ScoreGroups.of_cases(self.tree, self.probabilities, cases, n_threads)
        return replace(self, scored=scored)

    def smoothed(self, smoother: Smoother, cases: Dataset | None = None) -> Self:
        """Return the tree with its probabilities smoothed by another method.

        ``cases`` are the training cases, for the rates of operating points.
        """
        if self.geometric is not None:
            raise cases_needed("fit with this smoothing")
        smooth = probabilities(smoother, self.tree)
        other = replace(self, smoother=smoother, probabilities=smooth, calibration=None)
        return other.with_scores(cases).with_point_of(self)

    def with_pruned(
        self, pruner: Pruner, pruned: Pruned, cases: Dataset | None = None, n_threads: int = 1
    ) -> Self:
        """Return this model around a pruned tree.

        Parameters
        ----------
        pruner : Pruner
            The pruner, with "auto" resolved.
        pruned : Pruned
            The tree that it made, and labels if it pruned under costs.
        cases : Dataset or None
            Training cases, needed to re-estimate probabilities by distance, and for the rates of
            operating points if cases are divided.
        n_threads : int
        """
        self.check_prunable()
        other = replace(
            self,
            pruner=pruner,
            tree=pruned.tree,
            node_labels=pruned.labels,
            probabilities=probabilities(self.smoother, pruned.tree),
            geometric=None,
            operating_point=None,
        ).with_scores(cases, n_threads)
        if self.geometric is not None:
            other = other.with_geometric(cases, n_threads)
        return other.with_point_of(self)

    def with_geometric(self, cases: Dataset | None, n_threads: int = 1) -> Self:
        """Return the tree with probabilities estimated from distances to its boundary."""
        if cases is None:
            raise cases_needed("give {X and y} to pruned")
        boundary = self.boundary(self.decision.votes)
        known = cases.values, cases.labels, cases.weights
        return replace(self, geometric=GeometricProbability.from_cases(boundary, *known, n_threads))

    def ranked(
        self,
        ranking: str,
        *,
        metric: MetricChoice | None = None,
        width: float,
        cases: Dataset | None = None,
    ) -> Self:
        """Return the tree with another ranking.

        Parameters
        ----------
        ranking : {"leaf", "local", "global", "soft"}
        metric : as for ``scale_of``, or None to keep the scale
        width : float
            Width of soft thresholds.
        cases : Dataset or None
            Training cases, needed for "soft" if the tree was not soft before.
        """
        if self.geometric is not None and (ranking == "soft" or metric is not None):
            raise cases_needed("fit with this ranking and metric")
        soft = width if ranking == "soft" else 0.0
        other = replace(
            self,
            tree=soften(self.tree, soft, self.width, cases),
            ranking=ranking,
            width=width,
            scale=self.scale if metric is None else scale_of(metric, self.spread, self.schema),
        )
        if "soft" not in (ranking, self.ranking):
            return other
        return other.with_scores(cases).with_point_of(self)

    # Labels

    @cached_property
    def display_labels(self) -> Ints:
        """Class index of each node as it is displayed.

        An operating point labels leaves only. A subtree that is not shown in full has the label
        that most of its training cases get.
        """
        tree, labels = self.tree, self.decision.labels
        if self.operating_point is None:
            return labels
        weights = np.zeros((tree.n_nodes, self.decision.votes.shape[1]))
        weights[tree.leaves, labels[tree.leaves]] = tree.weight[tree.leaves]
        return np.where(tree.is_leaf, labels, subtree_counts(tree, weights).argmax(axis=1))

    def _default_votes(self) -> Floats:
        votes = super()._default_votes()
        return votes if self.node_labels is not None else votes * self.class_weight

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        return self.decision.row_labels(values, n_threads)

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows."""
        shares = mix(self.tree, values, self.probabilities, n_threads=n_threads)
        return shares if self.geometric is None else self.geometric(values, shares, n_threads)

    def decision_function(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the score of each row by ``ranking``."""
        values = self.encode(X, n_threads)
        check_parameter("ranking", self.ranking)  # it may have been set after the fit
        if RANKINGS[self.ranking] is not None:
            known = values, self.probabilities, self.class_weight, n_threads
            # Distances are those from the boundary between classes, if every case were decided.
            classes = slice(self.schema.n_classes)
            return self.decision.per_draw(
                values,
                lambda votes: geometric_scores(
                    self.ranking, self.boundary(votes[:, classes]), *known
                ),
            )
        shares = mix(self.tree, values, self.probabilities, n_threads=n_threads)
        return self._scores(shares, shares * self.class_weight, values, n_threads)

    # Counts in leaves

    def tally(self, X: Any, y: Any = None, sample_weight: Any = None) -> Tally:
        """Return labelled cases counted in the leaves; a tally is returned unchanged."""
        if isinstance(X, Tally):
            return X.of_tree(self.tree)
        return Tally.from_cases(self.tree, self.dataset(X, y, sample_weight))

    def count(self, cases: Dataset) -> Counted:
        """Return labelled cases counted in the leaves, for curves and labellings."""
        return Tally.from_cases(self.tree, cases)

    def calibrated(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, level: float = 0.95
    ) -> Self:
        """Return the tree with the probabilities of its leaves calibrated on held-out cases."""
        if self.geometric is not None:
            raise ParameterError(
                reason="Probabilities by distance are not those of leaves, which are calibrated: "
                "fit without {geometric_probability}."
            )
        # The probabilities of the training cases after calibration are unknown.
        unscored = replace(self, scored=None)
        return FittedNodes.calibrated(unscored, X, y, sample_weight=sample_weight, level=level)

    @property
    def stopping_nodes(self) -> Ints:
        """The leaves."""
        return self.tree.leaves

    def stopping_counts(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the class counts of labelled cases in the leaves."""
        return np.asarray(self.tally(X, y, sample_weight).parts[self.tree.leaves])

    def group_weights(self, values: Floats, weights: Floats) -> Floats:
        """Return the weight of encoded rows in each leaf, those divided among leaves in parts."""
        labels = np.zeros(len(values), dtype=np.int32)
        counts = node_class_counts(self.tree, values, labels, weights)
        return np.asarray(counts[self.tree.leaves, 0])

    def row_intervals(self, values: Floats) -> Floats:
        """Return intervals of the probabilities of encoded rows, float64[rows, classes, 2]."""
        ends = self.node_intervals
        return np.stack([mix(self.tree, values, ends[:, :, end]) for end in (0, 1)], axis=2)

    def leaf_table(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> LeafTable:
        """Return class probabilities and class counts, float64[lines, classes] each.

        There is one line per leaf, then one per case that is divided among leaves.
        """
        if not isinstance(X, Tally):
            check_rows_given(X, y, sample_weight)
        leaves, classes = self.tree.leaves, self.classes
        intervals = None if self.calibration is None else self.node_intervals
        if X is None and self.scored is not None:
            divided = self.scored.scores[len(leaves) :]
            shares = np.concatenate([self.probabilities[leaves], divided])
            lines = np.append(leaves, np.full(len(divided), -1))
            return LeafTable(shares, self.scored.counts, lines, classes)
        if X is None:
            shares, counts = self.probabilities[leaves], self.tree.counts[leaves]
            ends = None if intervals is None else intervals[leaves]
            return LeafTable(shares, counts, leaves, classes, ends)
        tally = self.tally(X, y, sample_weight)
        shares, divided = tally.lines(self.probabilities), np.full(len(tally.values), -1)
        if intervals is not None:
            intervals = np.stack([tally.lines(intervals[:, :, end]) for end in (0, 1)], axis=2)
        lines = np.concatenate([leaves, divided])
        return LeafTable(shares, tally.counts, lines, classes, intervals)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class, float64[classes, classes]."""
        return self.decision.confusion(self.tally(X, y, sample_weight))

    def group_counts(self, counts: Any) -> Floats:
        """Return labelled cases by leaf, those divided among leaves in parts."""
        if isinstance(counts, str):
            return self._leaves_by(counts, 0).counts
        return super().group_counts(counts)

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves with training counts, smoothed counts or those of held-out cases.

        If cases are divided, there is a row for each of their probabilities too.
        """
        if not self._chooses_by_scores(counts):
            return self._leaves_by(self._counted(counts), positive)
        scored = self._scored_by(counts).as_leaves(positive)
        divided = np.full(len(scored.nodes) - self.n_leaves, -1)
        return replace(scored, nodes=np.append(self.tree.leaves, divided))

    def point_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves, or the probabilities of cases and a pure leaf for each class."""
        if not self._chooses_by_scores(counts):
            return self.labelling_leaves(counts, positive)
        # Thresholds lie between the probabilities of cases, wherever those of other leaves are.
        return self._scored_by(counts).with_cases().with_pure_leaves(positive)

    def n_point_nodes(self, leaves: Leaves) -> int:
        """Return the number of nodes or probabilities that an operating point labels."""
        return len(leaves.nodes) if leaves.by_shares else self.n_nodes

    def chosen_point(self, request: OperatingRequest) -> OperatingPoint:
        """Return the operating point that a request chooses, with the votes of all nodes."""
        point = super().chosen_point(request)
        return self._at_leaves(point) if self._chooses_by_scores(request.counts) else point

    def _at_leaves(self, point: OperatingPoint) -> OperatingPoint:
        """Return a point that was chosen by the probabilities of cases with votes of leaves.

        Votes are linear in probabilities, and those of the pure leaves come last: see
        ``FittedScores``.
        """
        leaves, pure = self.tree.leaves, slice(-self.schema.n_classes, None)

        def at_nodes(votes: Floats) -> Floats:
            found = np.zeros((self.n_nodes, votes.shape[1]))
            found[leaves] = self.probabilities[leaves] @ votes[pure]
            return found

        votes, others = at_nodes(point.votes), at_nodes(point.other_votes)
        return replace(
            point,
            labels=votes.argmax(axis=1),
            others=others.argmax(axis=1),
            votes=votes,
            other_votes=others,
        )

    def _chooses_by_scores(self, counts: Any) -> bool:
        """Whether an operating point is chosen by the probabilities of cases, not those of leaves.

        Held-out cases give the leaves of a hard tree frequencies of their own.
        """
        return self.mixes_leaves and (isinstance(counts, str) or self.has_soft_thresholds)

    def _counted(self, counts: Any) -> Any:
        """Return held-out cases as a tally of this tree; others unchanged."""
        if isinstance(counts, tuple):
            return self.tally(*held_out_cases(counts))
        return counts.of_tree(self.tree) if isinstance(counts, Tally) else counts

    def _leaves_by(self, counts: Any, positive: int) -> Leaves:
        frequencies = Frequencies()(self.tree)
        return leaves_by_counts(self.tree, self.probabilities, frequencies, counts, positive)

    def _scored_by(self, counts: Any) -> ScoreGroups:
        """Return the cases that an operating point is chosen by, grouped by probability."""
        counts = self._counted(counts)
        if isinstance(counts, Tally):
            return ScoreGroups.of_tally(counts, self.probabilities)
        check_basis(counts)
        scored = self.scored
        if scored is None:
            scored = ScoreGroups.of_leaves(self.tree, self.probabilities, self.tree.counts)
        return scored if counts == "training" else scored.with_expected_counts()

    def counts_divided_cases(self, counts: Any) -> bool:
        """Whether divided cases are counted in parts, which makes rates approximate."""
        # Divided held-out cases are counted as a whole, in separate lines.
        unknown = self.mixes_leaves and self.n_leaves > 1 and self.scored is None
        return isinstance(counts, str) and unknown

    # Pruning under costs

    def pruning_path(self) -> PruningPath:
        """Return the nested trees of cost-complexity pruning."""
        return cost_complexity_path(self.tree)

    def cost_pruning_curve(
        self,
        costs: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        method: str | Pruner = "minimum_error",
        positive: Any = None,
        **options: Any,
    ) -> CostPruningCurve:
        """Return the errors of this tree pruned under a sequence of cost ratios."""
        place = self.positive_index(positive)
        check_test_cases(X_test, y_test)
        pruner = resolve_pruner(method, **paper_options(method, options))
        counts, divided = self.tree.counts, None
        if X_test is not None:
            tally = self.tally(X_test, y_test, sample_weight)
            counts, divided = tally.undivided, tally.divided
        curve = cost_pruning_curve(
            self.tree, pruner, costs, counts, self.classes.tolist(), place, divided=divided
        )
        # Pruned trees divide cases otherwise than this one.
        return replace(curve, in_parts=X_test is None and self.mixes_leaves)

    # Geometry

    def boundary(self, votes: Floats) -> Boundary:
        """Return the decision boundary of some votes."""
        return Boundary.from_spread(self.tree, votes, self.scale, self.spread, self.schema.nominal)

    def _distances(self, values: Floats, kind: Boundaries, n_threads: int) -> Floats:
        return self.decision.per_draw(
            values, lambda votes: self.boundary(votes).distances(values, kind, n_threads)
        )

    def boundary_distance(
        self, X: Any, *, boundary: Boundaries = "any", n_threads: int = 1
    ) -> Floats:
        """Return the distance of each row to the nearest region with another label."""
        check_boundary(boundary)
        return self._distances(self.encode(X, n_threads), boundary, n_threads)

    def boundary_report(
        self, X: Any, y: Any, sample_weight: Any = None, *, n_threads: int = 1
    ) -> BoundaryReport:
        """Return the distances of correct and wrong predictions from the boundary."""
        cases = self.dataset(X, y, sample_weight)
        correct = self.row_labels(cases.values, n_threads) == cases.labels
        distances = self._distances(cases.values, "any", n_threads)
        return BoundaryReport.from_distances(distances, correct, cases.weights)

    def nearest_change(
        self, X: Any, to: Any = None, *, frozen: Any = (), allowed: Any = None
    ) -> Changes:
        """Return the smallest change of each row that gives it another label."""
        values, edge = self.encode(X), self.boundary(self.decision.certain_votes())
        place = None if to is None else class_index(to, self.classes, "to")
        limits = Limits.from_arguments(self.schema, frozen, {} if allowed is None else allowed)
        labels = self.possible_labels.tolist()
        return nearest_changes(edge, values, place, limits, self.schema, labels)

    # The tree itself

    def apply(self, X: Any, *, n_threads: int = 1) -> Ints:
        """Return the leaf of each row; if a row reaches several, that on the heaviest path."""
        return apply(self.tree, self.encode(X, n_threads), n_threads=n_threads)

    def decision_path(self, X: Any) -> Any:
        """Return a sparse indicator matrix of the nodes that each row passes."""
        return decision_path(self.tree, self.encode(X))

    def explain(self, x: Any) -> Explanation:
        """Return the leaves that one case reaches, why, and their probabilities."""
        values = self.encode(as_one_row(x, self.schema.names))
        leaves = leaf_parts(self.tree, values, self.node_predictions, self.schema)
        label = self.possible_labels[self.row_labels(values)[0]]
        shares = self.row_probabilities(values)[0]
        return Explanation(label, by_class(shares, self.schema), leaves)

    @property
    def feature_importances(self) -> Floats:
        """Share of each feature in the improvement of the criterion."""
        return importances(self.tree, self.schema.n_features)

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as text, one line per branch."""
        return to_text(
            self.tree,
            self.schema,
            max_depth=max_depth,
            digits=digits,
            predictions=self.node_predictions,
        )

    @cached_property
    def node_predictions(self) -> NodePredictions:
        """Label and probability of each node as texts and pictures show them."""
        return self.node_predictions_of(self.tree, self.display_labels, self.probabilities)

    @property
    def has_soft_thresholds(self) -> bool:
        """Whether cases near a threshold go down both branches."""
        return bool(self.tree.softness.any())

    def describe(self) -> tuple[str, ...]:
        """Return lines that name the model, its data, its size and how labels are chosen."""
        lines = super().describe()
        return lines if self.points is None else (*lines, str(self.points))
