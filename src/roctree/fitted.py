"""Fitted models: every question that can be asked after a model has grown.

A fitted model is a frozen value. It holds the tree, the schema of its columns and the class
probabilities of its leaves, but no training rows, and it knows nothing of scikit-learn: the
estimators wrap one, the command line and the model files work on it directly.

:class:`FittedModel` implements what all kinds of models share: operating points, optimal
labellings, ROC curves and predictions. A kind of model supplies the probabilities of rows, their
labels, and class counts by leaf. :class:`FittedTree` is the decision tree; the Naive Bayes tree and
the Multiscale Classifier are in ``roctree.models``.

Changing a model returns another one: ``at``, ``smoothed``, ``pruned`` and ``ranked`` never modify
the model that they are called on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from roctree._version import __version__
from roctree.data import (
    Dataset,
    Schema,
    as_one_row,
    check_rows_given,
    check_test_cases,
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
    Spread,
    cases_needed,
    check_boundary,
    geometric_scores,
    nearest_changes,
    scale_of,
)
from roctree.labelling import Labellings, Leaves, OperatingPoint, operating_point
from roctree.parameters import DEFAULTS, Labels, check_parameter
from roctree.pruning import (
    CostPruningCurve,
    Path,
    Pruned,
    Pruner,
    cost_complexity_path,
    cost_pruning_curve,
    paper_options,
)
from roctree.pruning import resolve as resolve_pruner
from roctree.requests import (
    OperatingRequest,
    class_index,
    curve_class_index,
    held_out_cases,
    least_cost_classes,
)
from roctree.roc import Curve
from roctree.smoothing import Frequencies, Smoother, probabilities
from roctree.tally import Tally
from roctree.text import did_you_mean, escape_unprintable, pluralize
from roctree.tree.explanation import Explanation, by_class, leaf_parts
from roctree.tree.prediction import apply, decision_path, mix
from roctree.tree.shape import importances, subtree_counts
from roctree.tree.softness import soften
from roctree.tree.text import to_text
from roctree.tree.tree import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Measure = TypeVar("Measure", bound=np.generic)
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)

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
    votes : float64[nodes, classes]
        The vote of each leaf for each class.
    others : float64[nodes, classes]
        Alternative votes, used instead with probability ``chance``.
    chance : float
        Probability of the alternative votes; 0 unless the labels are randomised.
    seed : int
        Seed of the random draws, one per row.
    """

    tree: Tree
    votes: Floats
    others: Floats
    chance: float = 0.0
    seed: int = 0

    @classmethod
    def at_point(cls, tree: Tree, point: OperatingPoint) -> "Decision":
        """Return the decision of an operating point."""
        return cls(tree, point.votes, point.other_votes, point.chance, point.seed)

    @property
    def labels(self) -> Ints:
        """Class index of each node, as if it were a leaf."""
        return np.asarray(self.votes.argmax(axis=1))

    def certain_votes(self) -> Floats:
        """Return the votes; refuse randomised labels."""
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
        return np.where(drawn, measure(self.others), found)

    def confusion(self, tally: Tally) -> Floats:
        """Return the weight of counted cases by predicted and true class.

        Randomised labels contribute their expected counts.
        """
        table = np.zeros((self.tree.n_classes,) * 2)
        for votes, part in ((self.votes, 1.0 - self.chance), (self.others, self.chance)):
            np.add.at(table, tally.lines(votes).argmax(axis=1), part * tally.counts)
        return table

    def accuracy(self, tally: Tally) -> float:
        """Return the proportion of counted cases that are classified correctly."""
        if self.chance > 0.0:
            raise ParameterError("The accuracy of randomised labels needs the rows in memory.")
        labels = tally.lines(self.votes).argmax(axis=1)
        correct = np.take_along_axis(tally.counts, labels[:, None], axis=1)
        return float(correct.sum() / tally.counts.sum())


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
    if not isinstance(counts, str):
        raise ParameterError(
            parameter="counts",
            reason="must be 'training', 'smoothed', or (X, y) of held-out cases",
        )
    if counts == "training":
        return Leaves.from_counts(tree, tree.counts, frequencies, positive, nodes)
    if counts == "smoothed":
        smoothed = probabilities * tree.weight[:, None]
        return Leaves.from_counts(tree, smoothed, probabilities, positive, nodes)
    raise ParameterError(
        parameter="counts",
        value=counts,
        reason="is not known{suggestion}: give 'training' or 'smoothed'; in Python, (X, y) of "
        "held-out cases is allowed too",
        suggestion=did_you_mean(counts, ["training", "smoothed"]),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel(ABC):
    """What all fitted models can answer.

    Parameters
    ----------
    schema : Schema
        Names, kinds and categories of the columns, and the classes.
    training : Training
        A summary of the training data.
    parameters : mapping
        Constructor arguments of the estimator, for model files and descriptions.
    operating_point : OperatingPoint or None
        What ``at(...)`` has chosen.
    """

    estimator_name: ClassVar[str]
    default_parameters: ClassVar[Mapping[str, Any]]

    schema: Schema
    training: Training
    parameters: Mapping[str, Any] = field(default_factory=dict)
    operating_point: OperatingPoint | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Only the fields: equal models have equal pickles, whatever has been derived from them.
        return {each.name: getattr(self, each.name) for each in fields(self)}

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

    @abstractmethod
    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""

    @abstractmethod
    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""

    @abstractmethod
    def leaf_table(
        self, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return class probabilities and class counts, float64[lines, classes] each.

        Curves and metrics need nothing else. Without X the counts are those of the training data.
        """

    @abstractmethod
    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves that ``labellings`` orders, with the requested counts."""

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

    @property
    def labels_by_costs_of_pruning(self) -> bool:
        """Whether labels come from pruning under costs."""
        return False

    def with_parameters(self, parameters: Mapping[str, Any]) -> Self:
        """Return the model with the constructor arguments of its estimator."""
        return replace(self, parameters=parameters)

    # Rows

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels in sorted order."""
        return self.schema.classes

    def encode(self, X: Any) -> Floats:
        """Return rows as numbers, float64[rows, features], according to the schema."""
        return encode_columns(X, self.schema)

    def dataset(self, X: Any, y: Any, sample_weight: Any = None) -> Dataset:
        """Return labelled rows, encoded according to the schema."""
        return Dataset.encoded(X, y, self.schema, sample_weight=sample_weight)

    def predict(self, X: Any, cost_matrix: Any = None, *, n_threads: int = 1) -> NDArray[Any]:
        """Return the predicted class of each row."""
        values = self.encode(X)
        if cost_matrix is None:
            labels = self.row_labels(values, n_threads)
        else:
            shares = self.row_probabilities(values, n_threads)
            labels = least_cost_classes(shares, cost_matrix, self.classes)
        return np.asarray(self.classes[labels])

    def predict_proba(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the class probabilities of each row."""
        return self.row_probabilities(self.encode(X), n_threads)

    def decision_function(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the score of each row: positive where the second of two classes is predicted."""
        values = self.encode(X)
        shares = self.row_probabilities(values, n_threads)
        return self._scores(shares, shares, values, n_threads)

    def _scores(self, shares: Floats, votes: Floats, values: Floats, n_threads: int = 1) -> Floats:
        """Return scores of rows from probabilities, and votes: the same times class weights."""
        if votes.shape[1] != 2:
            return votes
        if self.follows_probabilities:
            return np.asarray(votes[:, 1] - votes[:, 0])
        # Above zero exactly where the second class is predicted, in order of probability there.
        second = self._labels_with(values, shares, n_threads) == 1
        return np.asarray(shares[:, 1] / 2.0 + np.where(second, 0.5, -0.5))

    def _labels_with(self, values: Floats, shares: Floats, n_threads: int) -> Ints:
        """Return the class index of rows whose probabilities are known already."""
        return self.row_labels(values, n_threads)

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class, float64[classes, classes]."""
        cases = self.dataset(X, y, sample_weight)
        table = np.zeros((self.schema.n_classes,) * 2)
        np.add.at(table, (self.row_labels(cases.values), cases.labels), cases.weights)
        return table

    # Operating points and curves

    def at(
        self, *, counts: Any = None, positive: Any = None, random_state: Any = 0, **request: Any
    ) -> Self:
        """Return the model relabelled for costs, rates or a threshold."""
        return self.at_request(
            OperatingRequest.from_arguments(request, self.classes, counts, positive, random_state)
        )

    def at_request(self, request: OperatingRequest) -> Self:
        """Return the model at the operating point that a request chooses."""
        leaves = self.point_leaves(request.counts, request.positive)
        point = operating_point(
            leaves,
            request.labeller,
            self.n_point_nodes(leaves),
            request.basis,
            request.seed,
            in_parts=self.counts_divided_cases(request.counts),
        )
        return replace(self, operating_point=point)

    def n_point_nodes(self, leaves: Leaves) -> int:
        """Return the number of nodes that an operating point labels."""
        return self.n_nodes

    def with_point_of(self, before: Self) -> Self:
        """Return this model, just pruned or smoothed, at the operating point requested before."""
        if before.operating_point is None:
            return replace(self, operating_point=None)
        return self.at_request(OperatingRequest.from_point(before.operating_point))

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the optimal labellings of the leaves, for two classes."""
        leaves = self.labelling_leaves(counts, class_index(positive, self.classes))
        return Labellings.from_leaves(
            leaves, self.classes, in_parts=self.counts_divided_cases(counts)
        )

    def roc(
        self, X: Any = None, y: Any = None, *, positive: Any = None, sample_weight: Any = None
    ) -> Curve:
        """Return the ROC curve: leaves in the order of probability, counts of the given data."""
        place = curve_class_index(positive, self.classes)
        scores, counts = self.leaf_table(X, y, sample_weight)
        others = counts.sum(axis=1) - counts[:, place]
        curve = Curve.from_leaves(scores[:, place], counts[:, place], others)
        return replace(curve, in_parts=X is None and self.counts_divided_cases("training"))

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
    def usual_labels_text(self) -> str:
        """How labels are chosen without an operating point."""
        return "the most probable class"

    @property
    def probabilities_text(self) -> str:
        """How probabilities are estimated; empty if there is nothing to say."""
        return ""

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
            self.usual_labels_text
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
class FittedTree(FittedModel):
    """A decision tree with class probabilities at its leaves.

    Parameters
    ----------
    tree : Tree
        Nodes and class counts.
    smoother, pruner : Smoother, Pruner
        The strategies, with "auto" resolved.
    probabilities : float64[nodes, classes]
        Smoothed class probabilities; those of inner nodes as if they were leaves.
    node_labels : int64[nodes] or None
        The class that pruning under costs gives each node.
    class_weight : float64[classes]
    spread : Spread
        Ranges and standard deviations of the features.
    scale : float64[features]
        How much of a feature counts as a distance of one.
    divides_cases : bool
        Whether missing values divided training cases among leaves.
    labels : {"probability", "majority"}
        What ``predict`` is based on.
    ranking : {"leaf", "local", "global", "soft"}
        What ``decision_function`` is based on.
    width : float
        Width of the soft thresholds, as a multiple of what the training cases suggest.
    geometric : GeometricProbability or None
        Estimate of the probabilities from distances to the decision boundary.
    """

    estimator_name: ClassVar[str] = "ROCTreeClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = DEFAULTS

    tree: Tree
    smoother: Smoother
    pruner: Pruner
    probabilities: Floats
    node_labels: Ints | None
    class_weight: Floats
    spread: Spread
    scale: Floats
    divides_cases: bool
    labels: Labels = "probability"
    ranking: str = "leaf"
    width: float = 1.0
    geometric: GeometricProbability | None = None

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Largest number of splits on a path."""
        return self.tree.max_depth

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.tree.n_nodes

    # Changes: each returns another tree

    def smoothed(self, smoother: Smoother) -> Self:
        """Return the tree with its probabilities smoothed by another method."""
        if self.geometric is not None:
            raise cases_needed("fit with this smoothing")
        other = replace(self, smoother=smoother, probabilities=probabilities(smoother, self.tree))
        return other.with_point_of(self)

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
            Training cases, which probabilities by distance need once more.
        n_threads : int
        """
        other = replace(
            self,
            pruner=pruner,
            tree=pruned.tree,
            node_labels=pruned.labels,
            probabilities=probabilities(self.smoother, pruned.tree),
            geometric=None,
            operating_point=None,
        )
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
        self, ranking: str, *, metric: Any = None, width: float, cases: Dataset | None = None
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
        return other.with_point_of(self) if "soft" in (ranking, self.ranking) else other

    # Labels

    @cached_property
    def decision(self) -> Decision:
        """How rows are labelled: at the operating point, or else as usual."""
        if self.operating_point is not None:
            return Decision.at_point(self.tree, self.operating_point)
        votes = self._usual_votes()
        return Decision(self.tree, votes, votes)

    @cached_property
    def display_labels(self) -> Ints:
        """Class index of each node as it is displayed.

        An operating point labels leaves only. A subtree that is not shown in full has the label
        that most of its training cases get.
        """
        tree, labels = self.tree, self.decision.labels
        if self.operating_point is None:
            return labels
        weights = np.zeros_like(tree.counts)
        weights[tree.leaves, labels[tree.leaves]] = tree.weight[tree.leaves]
        return np.where(tree.is_leaf, labels, subtree_counts(tree, weights).argmax(axis=1))

    def _usual_votes(self) -> Floats:
        if self.node_labels is not None:
            return np.eye(self.schema.n_classes)[self.node_labels]
        by_majority = self.labels == "majority"
        shares = Frequencies()(self.tree) if by_majority else self.probabilities
        return np.asarray(shares * self.class_weight)

    @property
    def follows_probabilities(self) -> bool:
        """Whether ``predict`` gives the most probable class."""
        relabelled = self.operating_point is not None or self.node_labels is not None
        return not relabelled and self.labels == "probability"

    @property
    def labels_by_costs_of_pruning(self) -> bool:
        """Whether labels come from pruning under costs."""
        return self.node_labels is not None

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        return self.decision.row_labels(values, n_threads)

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows."""
        shares = mix(self.tree, values, self.probabilities, n_threads=n_threads)
        return shares if self.geometric is None else self.geometric(values, shares, n_threads)

    def decision_function(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Return the score of each row by ``ranking``."""
        values = self.encode(X)
        check_parameter("ranking", self.ranking)  # it may have been set after the fit
        if RANKINGS[self.ranking] is not None:
            known = values, self.probabilities, self.class_weight, n_threads
            return self.decision.per_draw(
                values, lambda votes: geometric_scores(self.ranking, self.boundary(votes), *known)
            )
        shares = mix(self.tree, values, self.probabilities, n_threads=n_threads)
        return self._scores(shares, shares * self.class_weight, values, n_threads)

    # Counts in leaves

    def tally(self, X: Any, y: Any = None, sample_weight: Any = None) -> Tally:
        """Return labelled cases counted in the leaves; a tally of this tree stays as it is."""
        if isinstance(X, Tally):
            return X.of_tree(self.tree)
        return Tally.of(self.tree, self.dataset(X, y, sample_weight))

    def leaf_table(
        self, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return class probabilities and class counts, float64[lines, classes] each.

        There is one line per leaf, then one per case that is divided among leaves.
        """
        if not isinstance(X, Tally):
            check_rows_given(X, y, sample_weight)
        if X is None:
            return self.probabilities[self.tree.leaves], self.tree.counts[self.tree.leaves]
        tally = self.tally(X, y, sample_weight)
        return tally.lines(self.probabilities), tally.counts

    def confusion(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return the weight of cases by predicted and true class, float64[classes, classes]."""
        return self.decision.confusion(self.tally(X, y, sample_weight))

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the leaves with training counts, smoothed counts or those of held-out cases."""
        if isinstance(counts, tuple):
            counts = self.tally(*held_out_cases(counts))
        elif isinstance(counts, Tally):
            counts = counts.of_tree(self.tree)
        frequencies = Frequencies()(self.tree)
        return leaves_by_counts(self.tree, self.probabilities, frequencies, counts, positive)

    def counts_divided_cases(self, counts: Any) -> bool:
        """Whether divided cases are counted in parts, which makes rates approximate."""
        # Held-out cases that are divided are counted as a whole, in lines of their own.
        return isinstance(counts, str) and (self.divides_cases or self.has_soft_thresholds)

    # Pruning under costs

    def pruning_path(self) -> Path:
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
        place = class_index(positive, self.classes)
        check_test_cases(X_test, y_test)
        pruner = resolve_pruner(method, **paper_options(method, options))
        counts, apart = self.tree.counts, None
        if X_test is not None:
            tally = self.tally(X_test, y_test, sample_weight)
            counts, apart = tally.whole, tally.apart
        curve = cost_pruning_curve(
            self.tree, pruner, costs, counts, self.classes.tolist(), place, apart=apart
        )
        in_parts = X_test is None and self.counts_divided_cases("training")
        return replace(curve, in_parts=in_parts)

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
        return self._distances(self.encode(X), boundary, n_threads)

    def boundary_report(
        self, X: Any, y: Any, sample_weight: Any = None, *, n_threads: int = 1
    ) -> BoundaryReport:
        """Return how far correct and wrong predictions are from the boundary."""
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
        return nearest_changes(edge, values, place, limits, self.schema)

    # The tree itself

    def apply(self, X: Any, *, n_threads: int = 1) -> Ints:
        """Return the leaf of each row; of several, the one on the heaviest path."""
        return apply(self.tree, self.encode(X), n_threads=n_threads)

    def decision_path(self, X: Any) -> Any:
        """Return a sparse indicator matrix of the nodes that each row passes."""
        return decision_path(self.tree, self.encode(X))

    def explain(self, x: Any) -> Explanation:
        """Return the leaves that one case reaches, why, and their probabilities."""
        values = self.encode(as_one_row(x, self.schema.names))
        leaves = leaf_parts(self.tree, values, self.probabilities, self.schema)
        label = self.classes[self.row_labels(values)[0]]
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
            labels=self.display_labels,
        )

    @property
    def usual_labels_text(self) -> str:
        """How labels are chosen without an operating point."""
        if self.node_labels is not None:
            return "by the costs of pruning"
        if self.labels == "majority":
            return "the majority of the training cases"
        return "the most probable class"

    @property
    def probabilities_text(self) -> str:
        """The smoother."""
        return f"; probabilities by {self.smoother!r}"

    @property
    def has_soft_thresholds(self) -> bool:
        """Whether cases near a threshold go down both branches."""
        return bool(self.tree.softness.any())
