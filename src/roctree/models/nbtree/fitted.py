"""A fitted Naive Bayes tree: probabilities, operating points and text, without scikit-learn.

Cases of one leaf differ in their probabilities. Operating points and curves are therefore chosen
among the distinct probabilities of the cases, which take the place of leaves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from roctree.data import Dataset, Schema, check_rows_given
from roctree.errors import ParameterError
from roctree.fitted import Decision, FittedModel
from roctree.labelling import Labellings, Leaves
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.parameters import RULES, Rule, check_parameter
from roctree.requests import OperatingRequest, class_index
from roctree.strategy import is_finite_number
from roctree.text import did_you_mean, quote_if_needed
from roctree.tree.prediction import apply
from roctree.tree.text import apart, short, to_text

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Folds = Literal["rows", "kinds"]

DEFAULTS: Mapping[str, Any] = {
    "min_samples_split": 30,
    "min_error_reduction": 0.05,
    "folds": "rows",
    "categorical_features": "from_dtype",
}
COUNTS = ("training", "smoothed")

_RULES = {
    "min_samples_split": RULES["min_samples_split"],
    "min_error_reduction": Rule(
        "a number from 0 to 1", lambda value: is_finite_number(value) and 0 <= value <= 1
    ),
    "folds": Rule(
        "'rows' or 'kinds'",
        lambda value: isinstance(value, str) and value in get_args(Folds),
        get_args(Folds),
    ),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for the first parameter that is not allowed."""
    for name in _RULES:
        check_parameter(name, parameters[name], _RULES)


@dataclass(frozen=True, eq=False)
class Scored:
    """The distinct probabilities that leaves give some cases, and the classes of these cases.

    Parameters
    ----------
    scores : float64[n, classes]
        Distinct class probabilities.
    counts : float64[n, classes]
        Weight of the cases of each class with these probabilities.
    leaf : int64[n] or None
        The leaf that gave them, the heaviest where missing values lead to several. None if
        unknown, as in files of the first release.
    """

    scores: Floats
    counts: Floats
    leaf: Ints | None = None

    @classmethod
    def from_cases(cls, tree: NaiveBayesTree, cases: Dataset) -> "Scored":
        """Group cases by their probabilities and their leaf."""
        answers = np.column_stack(
            [tree.probabilities(cases.values), apply(tree.nodes, cases.values)]
        )
        distinct, group = np.unique(answers, axis=0, return_inverse=True)
        counts = np.zeros((len(distinct), tree.nodes.n_classes))
        np.add.at(counts, (group.reshape(-1), cases.labels), cases.weights)
        return cls(distinct[:, :-1].copy(), counts, distinct[:, -1].astype(np.int64))

    def with_expected_counts(self) -> "Scored":
        """Return the same scores with the class counts that they predict."""
        return replace(self, counts=self.scores * self.counts.sum(axis=1, keepdims=True))

    def as_leaves(self, positive: int) -> Leaves:
        """Return the scores as leaves."""
        return Leaves(np.arange(len(self.scores)), self.counts, self.scores, positive)

    def with_pure_leaves(self, positive: int) -> Leaves:
        """Return the scores as leaves, followed by an empty pure leaf for each class.

        The votes that a labeller gives the pure leaves determine its votes for any probabilities:
        see ``FittedNaiveBayesTree.decision``.
        """
        n_classes = self.scores.shape[1]
        scores = np.concatenate([self.scores, np.eye(n_classes)])
        counts = np.concatenate([self.counts, np.zeros((n_classes, n_classes))])
        return Leaves(np.arange(len(scores)), counts, scores, positive)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNaiveBayesTree(FittedModel):
    """A tree with a Naive Bayes model at each leaf.

    Parameters
    ----------
    tree : NaiveBayesTree
        The nodes and the models of the leaves.
    scored : Scored
        Distinct probabilities of the training cases, and their class counts.
    """

    estimator_name: ClassVar[str] = "NaiveBayesTreeClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = DEFAULTS

    tree: NaiveBayesTree
    scored: Scored

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

    @cached_property
    def decision(self) -> Decision | None:
        """The votes of pure leaves at the operating point; None for the most probable class.

        A case belongs to the pure leaves in proportion to its probabilities. Votes are linear in
        these, so that its vote is the mean vote of the pure leaves, just as for cases that missing
        values divide among leaves.
        """
        point = self.operating_point
        if point is None:
            return None
        nodes = self.tree.nodes
        pure = slice(-nodes.n_classes, None)
        return Decision(nodes, point.votes[pure], point.other_votes[pure], point.chance, point.seed)

    def row_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes]."""
        return self.tree.probabilities(values)

    def row_labels(self, values: Floats, n_threads: int = 1) -> Ints:
        """Return the class index of each encoded row."""
        return self._labels_with(values, self.tree.probabilities(values), n_threads)

    def _labels_with(self, values: Floats, shares: Floats, n_threads: int) -> Ints:
        if self.decision is None:
            return np.asarray(shares.argmax(axis=1))
        return self.decision.per_draw(values, lambda votes: (shares @ votes).argmax(axis=1))

    def leaf_table(
        self, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return distinct class probabilities and class counts, float64[n, classes] each."""
        check_rows_given(X, y, sample_weight)
        found = self.scored if X is None else self._score(X, y, sample_weight)
        return found.scores, found.counts

    def labellings(self, *, counts: Any = "training", positive: Any = None) -> Labellings:
        """Return the optimal labellings, for two classes.

        Rates are those of ``counts``; costs are weighed by the probabilities, as in ``at(...)``.
        """
        leaves = self.labelling_leaves(counts, class_index(positive, self.classes))
        return Labellings.from_leaves(leaves, self.classes, by_shares=True)

    def labelling_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the scores as leaves, with the requested counts."""
        return self._scored_by(counts).as_leaves(positive)

    def point_leaves(self, counts: Any, positive: int) -> Leaves:
        """Return the scores and a pure leaf for each class, with the requested counts."""
        return self._scored_by(counts).with_pure_leaves(positive)

    def n_point_nodes(self, leaves: Leaves) -> int:
        """Return the number of leaves that an operating point labels."""
        return len(leaves.nodes)

    def at_request(self, request: OperatingRequest) -> Self:
        """Return the model at the operating point that a request chooses."""
        other = super().at_request(request)
        if request.basis == "smoothed" or other.operating_point is None:
            return other
        # The costs for which labels are optimal follow from probabilities, not from counts.
        return replace(other, operating_point=replace(other.operating_point, cost_ratio=None))

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as text, followed by the table of each leaf that is shown.

        A table has the prior of each class, and the probability of each interval or category given
        the class. Attributes with a single interval are omitted.
        """
        tree = self.tree

        def model_of(node: int) -> str:
            return f"  [NB {tree.model[node] + 1}]"

        text = to_text(
            tree.nodes, self.schema, max_depth=max_depth, digits=digits, leaf_note=model_of
        )
        depth = tree.nodes.depth
        shown = [n for n in tree.nodes.leaves if max_depth is None or depth[n] <= max_depth]
        used = sorted({int(tree.model[node]) for node in shown})
        return "\n\n".join([text, *(model_table(tree, each, self.schema, digits) for each in used)])

    def _score(self, X: Any, y: Any, sample_weight: Any = None) -> Scored:
        return Scored.from_cases(self.tree, self.dataset(X, y, sample_weight))

    def _scored_by(self, counts: Any) -> Scored:
        """Return the cases that an operating point is chosen by."""
        if isinstance(counts, tuple) and len(counts) in (2, 3):
            return self._score(*counts)
        if not isinstance(counts, str) or counts not in COUNTS:
            raise ParameterError(
                parameter="counts",
                value=counts,
                reason="is not known{hint}: give 'training', 'smoothed', or, from Python, held-out "
                "cases (X, y)",
                hint=did_you_mean(counts, COUNTS),
            )
        return self.scored if counts == "training" else self.scored.with_expected_counts()


# The table of a leaf

Line = tuple[str, list[str]]


def model_table(tree: NaiveBayesTree, model: int, schema: Schema, digits: int) -> str:
    """Return one model as text: the prior of each class, and each cell given the class."""
    weight = float(tree.models.class_counts[model].sum())
    cases = f"{short(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    head = f"NB {model + 1}: {cases}", [quote_if_needed(label) for label in schema.classes]
    prior = "class", _decimals(tree.models.prior[model])
    return _aligned([head, prior, *_attribute_lines(tree, model, schema, digits)])


def _attribute_lines(
    tree: NaiveBayesTree, model: int, schema: Schema, digits: int
) -> Iterator[Line]:
    for feature, name in enumerate(schema.names):
        cells = tree.models.cells(model, feature)
        if cells.stop - cells.start < 2:
            continue
        yield quote_if_needed(name), []
        cuts, categories = tree.models.cuts_of(model, feature), schema.categories[feature]
        conditions = cell_conditions(cuts, categories, digits)
        for condition, likelihood in zip(conditions, tree.models.likelihood[cells], strict=True):
            yield f"  {condition}", _decimals(likelihood)


def cell_conditions(cuts: Floats, categories: Any, digits: int) -> list[str]:
    """Return the condition for each cell of an attribute, such as "<= 3.5" or "= red".

    Parameters
    ----------
    cuts : upper bounds of the intervals except the last
    categories : None for numbers
    digits : significant digits of cuts
    """
    if categories is not None:
        return [f"= {quote_if_needed(category)}" for category in categories]
    texts = apart(cuts.tolist(), digits)
    return [f"<= {texts[cut]}" for cut in cuts.tolist()] + [f"> {texts[cuts[-1]]}"]


def _decimals(shares: Floats) -> list[str]:
    return [f"{share:.3f}" for share in shares]


def _aligned(lines: list[Line]) -> str:
    width = max(len(name) for name, _ in lines)
    column = max(len(cell) for _, cells in lines for cell in cells)
    return "\n".join(
        (name.ljust(width) + "".join(f"  {cell:>{column}}" for cell in cells)).rstrip()
        for name, cells in lines
    )
