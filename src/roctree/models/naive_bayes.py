"""Naive Bayes on intervals and categories, and a fitted tree with such a model at each leaf.

Each attribute is a set of cells: the intervals of a number, or categories. A model is made of
counts: the weight of each class in each cell, with one case added to every cell. So a fold of
cross-validation is removed by subtracting its cases, and only counts need to be stored.

Products and sums are computed in Weka's order, so that probabilities equal Weka's.

Cases of one leaf differ in their probabilities, so that operating points and curves of the fitted
tree are chosen as ``FittedScores`` does. Nothing here needs scikit-learn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from roctree._jit import compiled, kernel, typed_kernel
from roctree.arrays import (
    Floats,
    Floats2D,
    Int,
    Ints,
    Ints2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
)
from roctree.data import Dataset, Schema
from roctree.files.document import Section
from roctree.files.parts import (
    read_parameters,
    read_schema,
    read_score_point,
    read_scored,
    read_training,
    read_tree,
    write_parameters,
    write_point,
    write_schema,
    write_scored,
    write_training,
    write_tree,
)
from roctree.fitted import FittedScores
from roctree.parameters import RULES, Rule, check_parameter, one_of
from roctree.strategy import is_finite_number
from roctree.tally import ScoreGroups
from roctree.text import pluralize, quote_if_needed
from roctree.tree.kernels.descent import Paths, Reached, visit
from roctree.tree.prediction import apply
from roctree.tree.text import distinct_texts, format_number, to_text
from roctree.tree.tree import Tree, read_only

WEKA_FOLDS = 5
MISSING = -1
# No likelihood is smaller than LEAST, and smaller products are multiplied by SCALE, so that none
# underflows to zero.
LEAST, SCALE = 1e-75, 1e75


class NaiveBayesModel(NamedTuple):
    """Naive Bayes model of the cases of one node.

    Parameters
    ----------
    cuts : for each attribute the upper bounds of its intervals except the last; empty for
        categories
    n_cells : int64[features], number of intervals or categories
    counts : float64[cells, classes], weights of the cases, one attribute after the other
    class_counts : float64[classes]
    """

    cuts: list[Floats]
    n_cells: Ints
    counts: Floats
    class_counts: Floats


@dataclass(frozen=True, eq=False)
class NaiveBayesModels:
    """Several models in shared arrays, read-only.

    Parameters
    ----------
    cut_starts : int64[models * features + 1], where the cuts of each attribute of each model begin
    cuts : float64[...], ascending; values up to a cut belong to the interval before it
    cell_starts : int64[models * features + 1], where the cells of each attribute begin
    counts : float64[cells, classes], weights of the training cases
    class_counts : float64[models, classes]
    """

    cut_starts: Ints
    cuts: Floats
    cell_starts: Ints
    counts: Floats
    class_counts: Floats

    def __post_init__(self) -> None:
        for name in ("cut_starts", "cuts", "cell_starts", "counts", "class_counts"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def from_models(cls, models: Sequence[NaiveBayesModel]) -> "NaiveBayesModels":
        """Join models."""
        cuts = [cuts for model in models for cuts in model.cuts]
        return cls(
            offsets([len(part) for part in cuts]),
            np.concatenate(cuts),
            offsets(np.concatenate([model.n_cells for model in models])),
            np.concatenate([model.counts for model in models]),
            np.array([model.class_counts for model in models]),
        )

    def __len__(self) -> int:
        return len(self.class_counts)

    @property
    def n_features(self) -> int:
        """Number of attributes."""
        return (len(self.cell_starts) - 1) // len(self)

    @cached_property
    def prior(self) -> Floats:
        """Probability of each class in each model, with one case added to each class."""
        counted = self.class_counts + 1.0
        return read_only(counted / counted.sum(axis=1, keepdims=True))

    @cached_property
    def likelihood(self) -> Floats:
        """Probability of each cell given the class, with one case added to each cell."""
        n_cells = np.diff(self.cell_starts)
        totals = np.add.reduceat(self.counts, self.cell_starts[:-1], axis=0) + n_cells[:, None]
        shares = (self.counts + 1.0) / np.repeat(totals, n_cells, axis=0)
        return read_only(np.maximum(shares, LEAST))

    def cells(self, model: int, feature: int) -> slice:
        """Return the rows of ``counts`` and ``likelihood`` of an attribute."""
        place = model * self.n_features + feature
        return slice(int(self.cell_starts[place]), int(self.cell_starts[place + 1]))

    def cuts_of(self, model: int, feature: int) -> Floats:
        """Return the cuts of an attribute."""
        place = model * self.n_features + feature
        return self.cuts[self.cut_starts[place] : self.cut_starts[place + 1]]


@dataclass(frozen=True, eq=False)
class NaiveBayesTree:
    """A tree whose leaves are Naive Bayes models, read-only.

    Parameters
    ----------
    nodes : the tree; the branch of a category has its number
    model : int64[nodes], number of the model of each leaf, -1 at other nodes; a leaf without cases
        uses the model of its parent
    models : the models
    nominal : bool[features], whether the cells of an attribute are categories
    """

    nodes: Tree
    model: Ints
    models: NaiveBayesModels
    nominal: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for name in ("model", "nominal"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.nodes.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.nodes.n_leaves

    @property
    def weight(self) -> Floats:
        """Weight of the training cases at each node."""
        return self.nodes.weight

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node; 0 if the root is a leaf."""
        return self.nodes.max_depth

    def probabilities(self, values: NDArray[Any]) -> Floats:
        """Return the class probabilities of encoded rows, float64[rows, classes].

        Where missing values lead to several leaves, their probabilities are averaged.
        """
        paths, models = self.nodes.all_paths, self.models
        mixture = np.empty((len(values), self.nodes.n_classes))
        compiled(mix_posteriors, microseconds=5 * values.size)(
            np.ascontiguousarray(values, dtype=np.float64),
            paths,
            LeafModels(
                self.model,
                self.nominal.astype(np.int64),
                models.cell_starts,
                models.cut_starts,
                models.cuts,
                models.likelihood,
                models.prior,
            ),
            mixture,
        )
        return mixture

    def __repr__(self) -> str:
        size = f"{pluralize(self.n_nodes, 'node')}, {pluralize(self.n_leaves, 'leaf', 'leaves')}"
        return f"<NaiveBayesTree of {size}, depth {self.max_depth}>"


def count_cells(
    cells: Ints, n_cells: Ints, labels: Ints, weights: Floats, n_classes: int
) -> Floats:
    """Return the weight of each class in each cell, one attribute after the other.

    Parameters
    ----------
    cells : int64[features, cases], -1 where missing
    n_cells : int64[features]
    labels : int64[cases]
    weights : float64[cases]
    n_classes : number of classes
    """
    starts = offsets(n_cells)
    rows = cells + starts[:-1, None]
    known = cells >= 0
    places = (rows * n_classes + labels)[known]
    added = np.broadcast_to(weights, cells.shape)[known]
    summed = np.bincount(places, added, starts[-1] * n_classes)
    return np.asarray(summed, dtype=np.float64).reshape(-1, n_classes)


def category_cells(schema: Schema) -> Ints:
    """Return the number of cells of each nominal attribute, 0 for numbers.

    A nominal attribute without any known category has one cell, which stays empty.
    """
    return np.asarray(np.maximum(schema.n_categories, 1) * schema.nominal, dtype=np.int64)


def offsets(sizes: Sequence[int] | Ints) -> Ints:
    """Return where parts of these sizes begin, and their total size at the end."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


class LeafModels(NamedTuple):
    """The models of a tree's leaves, as the prediction kernel reads them.

    Parameters
    ----------
    model : int64[nodes], number of the model of each leaf
    nominal : int64[features], 1 where cells are categories
    cell_starts, cut_starts, cuts : as in ``NaiveBayesModels``
    likelihood : float64[cells, classes]
    prior : float64[models, classes]
    """

    model: ReadonlyInts
    nominal: ReadonlyInts
    cell_starts: ReadonlyInts
    cut_starts: ReadonlyInts
    cuts: ReadonlyFloats
    likelihood: ReadonlyFloats2D
    prior: ReadonlyFloats2D


@typed_kernel(allocates=True)
def mix_posteriors(
    values: ReadonlyFloats2D,
    paths: Paths,
    leaves: LeafModels,
    mixture: Floats2D,
) -> None:
    """Write the class probabilities of each row, averaged over the leaves it reaches.

    Parameters
    ----------
    values : float64[rows, features]
    paths : the nodes of the tree
    leaves : the models
    mixture : float64[rows, classes]
    """
    n_features = leaves.nominal.size
    n_nodes = paths.rules.size
    reached = Reached(np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes))
    cells, out = np.empty(n_features, dtype=np.int64), np.empty(leaves.prior.shape[1])
    for row in range(values.shape[0]):
        mixture[row] = 0.0
        n_reached = visit(values, row, 0, paths, reached)
        for i in range(n_reached):
            leaf = reached.nodes[i]
            if paths.rules[leaf].n_children > 0:
                continue
            model = leaves.model[leaf]
            first = model * n_features
            for feature in range(n_features):
                place = first + feature
                cells[feature] = cell_of(
                    values[row, feature],
                    leaves.nominal[feature],
                    leaves.cell_starts[place],
                    leaves.cuts[leaves.cut_starts[place] : leaves.cut_starts[place + 1]],
                )
            posterior(cells, leaves.prior[model], leaves.likelihood, out)
            for label in range(out.size):
                mixture[row, label] += reached.parts[i] * out[label]


@kernel
def cell_of(value: float, is_category: Int, start: Int, cuts: Floats) -> Int:
    """Return the row of the cell that a value is in, -1 if it is missing."""
    if value != value:
        return MISSING
    if is_category:
        return start + int(value)
    low, high = 0, cuts.size
    while low < high:
        middle = (low + high) // 2
        if value > cuts[middle]:
            low = middle + 1
        else:
            high = middle
    return start + low


@kernel
def posterior(cells: Ints, prior: Floats, likelihood: Floats, out: Floats) -> None:
    """Write the class probabilities of a case by the cell of each attribute, -1 where missing."""
    for label in range(out.size):
        out[label] = prior[label]
    # As long as one product is large enough, the others need no check.
    leader = 0
    for cell in cells:
        if cell == MISSING:
            continue
        for label in range(out.size):
            out[label] *= likelihood[cell, label]
        if out[leader] < LEAST:
            leader = largest(out)
            if out[leader] < LEAST:
                for label in range(out.size):
                    out[label] *= SCALE
    total = 0.0
    for label in range(out.size):
        total += out[label]
    for label in range(out.size):
        out[label] /= total


@kernel
def most_probable(cells: Ints, prior: Floats, likelihood: Floats, out: Floats) -> Int:
    """Return the class that is most probable by ``posterior``."""
    if out.size != 2:
        posterior(cells, prior, likelihood, out)
        return largest(out)
    # The same for two classes, without loops over them.
    first, second = prior[0], prior[1]
    for cell in cells:
        if cell == MISSING:
            continue
        first *= likelihood[cell, 0]
        second *= likelihood[cell, 1]
        if first < LEAST and second < LEAST:
            first *= SCALE
            second *= SCALE
    total = first + second
    return int(second / total > first / total)


@kernel
def largest(numbers: Floats) -> Int:
    """Return the place of the largest number, the first of equals."""
    best = 0
    for i in range(1, numbers.size):
        if numbers[i] > numbers[best]:
            best = i
    return best


class Members(NamedTuple):
    """Some cases of a node, in Weka's order.

    Parameters
    ----------
    cases : int64[members], their numbers at the node
    weights : float64[members], the weight that is left of each
    sequence : int64[members], places of the members in the order in which folds follow each other
    """

    cases: Ints
    weights: Floats
    sequence: Ints


class Discretized(NamedTuple):
    """The cells of some cases.

    Parameters
    ----------
    cells : int64[features, cases], the cell of each case in each attribute, -1 where missing
    n_cells : int64[features], number of cells of each attribute
    cuts : float64[features, cases], upper bounds of the intervals of numbers except the last
    """

    cells: Ints2D
    n_cells: Ints
    cuts: Floats2D


class Tallies(NamedTuple):
    """Weights of cases by class, each with one case added to every cell.

    Parameters
    ----------
    cells : float64[cells, classes], one attribute after the other
    attributes : float64[attributes, classes], cases whose value is known
    classes : float64[classes]
    total : float64[1]
    """

    cells: Floats2D
    attributes: Floats2D
    classes: Floats
    total: Floats


@kernel(allocates=True)
def cross_validated_errors(
    found: Discretized,
    members: Members,
    labels: Ints,
    n_classes: Int,
    has_fractions: bool,
    limit: float,
) -> float:
    """Return the weight of the members that are misclassified when their fold is left out.

    Folds are consecutive parts of ``members.sequence``. Sums of fractional weights depend on their
    order; those of each attribute are then accumulated as Weka does. Counting stops after the first
    fold with which the errors exceed the limit.
    """
    # Only attributes with more than one cell are informative.
    n_features, n_members = found.n_cells.size, members.cases.size
    starts = np.empty(n_features + 1, dtype=np.int64)
    informative = np.empty(n_features, dtype=np.int64)
    n_informative = 0
    starts[0] = 0
    for feature in range(n_features):
        if found.n_cells[feature] > 1:
            informative[n_informative] = feature
            starts[n_informative + 1] = starts[n_informative] + found.n_cells[feature]
            n_informative += 1
    n_cells = starts[n_informative]
    tallies = Tallies(
        np.ones((n_cells, n_classes)),
        np.ones((n_informative, n_classes)),
        np.ones(n_classes),
        np.full(1, float(n_classes)),
    )
    for i in range(n_informative):
        for label in range(n_classes):
            tallies.attributes[i, label] = found.n_cells[informative[i]]
    rows = np.empty((n_members, n_informative), dtype=np.int64)
    all_cells, sequence = found.cells, members.sequence
    for i in range(n_informative):
        for j in range(n_members):
            cell = all_cells[informative[i], sequence[j]]
            rows[j, i] = MISSING if cell == MISSING else starts[i] + cell
    dealt, weights = np.empty(n_members, dtype=np.int64), np.empty(n_members)
    member_cases, member_weights = members.cases, members.weights
    for j in range(n_members):
        dealt[j] = labels[member_cases[sequence[j]]]
        weights[j] = member_weights[sequence[j]]
    add_cases(tallies, rows, dealt, weights, 1.0, has_fractions)
    prior, out = np.empty(n_classes), np.empty(n_classes)
    likelihood = np.empty((n_cells, n_classes))
    errors = 0.0
    for fold in range(WEKA_FOLDS):
        begin = fold * (n_members // WEKA_FOLDS) + min(fold, n_members % WEKA_FOLDS)
        end = begin + n_members // WEKA_FOLDS + int(fold < n_members % WEKA_FOLDS)
        others = Tallies(
            tallies.cells.copy(),
            tallies.attributes.copy(),
            tallies.classes.copy(),
            tallies.total.copy(),
        )
        fold_cases = rows[begin:end], dealt[begin:end], weights[begin:end]
        add_cases(others, *fold_cases, -1.0, has_fractions)
        if not has_fractions:
            add_up_attributes(others, starts)
        estimate(others, starts, likelihood, prior)
        for j in range(begin, end):
            if most_probable(rows[j], prior, likelihood, out) != dealt[j]:
                errors += weights[j]
        if errors > limit:
            break
    return errors


@kernel
def add_cases(
    tallies: Tallies, rows: Ints, labels: Ints, weights: Floats, sign: float, has_fractions: bool
) -> None:
    """Add cases to the tallies, or remove them if ``sign`` is -1."""
    cells, attributes, classes, total = tallies
    for j in range(labels.size):
        label, weight = labels[j], sign * weights[j]
        for i in range(rows.shape[1]):
            row = rows[j, i]
            if row != MISSING:
                cells[row, label] += weight
                if has_fractions:
                    attributes[i, label] += weight
        classes[label] += weight
        total[0] += weight


@kernel
def add_up_attributes(tallies: Tallies, starts: Ints) -> None:
    """Set the tallies of each attribute to the sum over its cells, exact for integer weights."""
    cells, attributes = tallies.cells, tallies.attributes
    for i in range(attributes.shape[0]):
        for label in range(attributes.shape[1]):
            attributes[i, label] = 0.0
        for row in range(starts[i], starts[i + 1]):
            for label in range(attributes.shape[1]):
                attributes[i, label] += cells[row, label]


@kernel
def estimate(tallies: Tallies, starts: Ints, likelihood: Floats, prior: Floats) -> None:
    """Write the likelihood of each cell and the prior of each class."""
    cells, attributes, classes, total = tallies
    for i in range(attributes.shape[0]):
        for row in range(starts[i], starts[i + 1]):
            for label in range(prior.size):
                likelihood[row, label] = max(LEAST, cells[row, label] / attributes[i, label])
    for label in range(prior.size):
        prior[label] = classes[label] / total[0]


# --- The fitted tree: its parameters, its text and its model file ---


FoldUnit = Literal["rows", "kinds"]

_RULES = {
    "min_samples_split": RULES["min_samples_split"],
    "min_error_reduction": Rule(
        "a number from 0 to 1", lambda value: is_finite_number(value) and 0 <= value <= 1
    ),
    "folds": one_of(get_args(FoldUnit)),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for the first parameter that is not allowed."""
    for name in _RULES:
        check_parameter(name, parameters[name], _RULES)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNaiveBayesTree(FittedScores):
    """A tree with a Naive Bayes model at each leaf.

    Parameters
    ----------
    tree : NaiveBayesTree
        The nodes and the models of the leaves.
    """

    estimator_name: ClassVar[str] = "NaiveBayesTreeClassifier"
    default_parameters: ClassVar[Mapping[str, Any]] = {
        "min_samples_split": 30,
        "min_error_reduction": 0.05,
        "folds": "rows",
        "categorical_features": "from_dtype",
    }

    tree: NaiveBayesTree

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

    @property
    def class_counts(self) -> Floats:
        """Weight of the training cases of each class."""
        return np.asarray(self.tree.nodes.counts[0])

    def uncalibrated_probabilities(self, values: Floats, n_threads: int = 1) -> Floats:
        """Return the class probabilities of encoded rows before calibration."""
        return self.tree.probabilities(values)

    @property
    def node_shares(self) -> Floats:
        """Share of each class at each node, with one more case of each as in Naive Bayes."""
        smoothed = self.tree.nodes.counts + 1.0
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

    def to_text(self, *, max_depth: int | None = None, digits: int = 4) -> str:
        """Return the tree as text, followed by the table of each leaf that is shown.

        A table has the prior of each class, and the probability of each interval or category given
        the class. Attributes with a single interval are omitted.
        """
        tree = self.tree

        def model_of(node: int) -> str:
            return f"  [NB {tree.model[node] + 1}]"

        predictions = self.node_predictions_of(
            tree.nodes, tree.nodes.counts.argmax(axis=1), self.node_shares
        )
        text = to_text(
            tree.nodes,
            self.schema,
            max_depth=max_depth,
            digits=digits,
            leaf_note=model_of,
            predictions=predictions,
        )
        depth = tree.nodes.depth
        shown = [n for n in tree.nodes.leaves if max_depth is None or depth[n] <= max_depth]
        used = sorted({int(tree.model[node]) for node in shown})
        return "\n\n".join([text, *(model_table(tree, each, self.schema, digits) for each in used)])

    def score_cases(self, cases: Dataset) -> ScoreGroups:
        """Group cases by their probabilities and their leaf."""
        leaf = apply(self.tree.nodes, cases.values)
        return ScoreGroups.grouped(self.row_probabilities(cases.values), cases, leaf)


# The table of a leaf

TreeLine = tuple[str, list[str]]


def model_table(tree: NaiveBayesTree, model: int, schema: Schema, digits: int) -> str:
    """Return one model as text: the prior of each class, and each cell given the class."""
    weight = float(tree.models.class_counts[model].sum())
    cases = f"{format_number(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    head = f"NB {model + 1}: {cases}", [quote_if_needed(label) for label in schema.classes]
    prior = "class", _decimals(tree.models.prior[model])
    return _align_lines([head, prior, *_attribute_lines(tree, model, schema, digits)])


def _attribute_lines(
    tree: NaiveBayesTree, model: int, schema: Schema, digits: int
) -> Iterator[TreeLine]:
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
    texts = distinct_texts(cuts.tolist(), digits)
    return [f"<= {texts[cut]}" for cut in cuts.tolist()] + [f"> {texts[cuts[-1]]}"]


def _decimals(shares: Floats) -> list[str]:
    return [f"{share:.3f}" for share in shares]


def _align_lines(lines: list[TreeLine]) -> str:
    width = max(len(name) for name, _ in lines)
    column = max(len(cell) for _, cells in lines for cell in cells)
    return "\n".join(
        (name.ljust(width) + "".join(f"  {cell:>{column}}" for cell in cells)).rstrip()
        for name, cells in lines
    )


# Model files. Only the cuts and counts of the models are written. The number of cells of an
# attribute follows from its cuts or its categories, and probabilities follow from the counts.


SECTIONS = ("training", "parameters", "schema", "tree", "models", "scored", "operating_point")
_MODELS = ("of_nodes", "cuts", "counts", "class_counts")


def write(model: FittedNaiveBayesTree, omitted: list[str]) -> dict[str, Any]:
    """Return the sections of a fitted model.

    Parameters
    ----------
    model : FittedNaiveBayesTree
    omitted : list of str
        Receives the parameters whose value a file cannot hold.
    """
    return {
        "training": write_training(model.training),
        "parameters": write_parameters(model.parameters, omitted),
        "schema": write_schema(model.schema),
        "tree": write_tree(model.tree.nodes),
        "models": _write_models(model.tree),
        "scored": write_scored(model.scored),
        "operating_point": write_point(model.operating_point),
    }


def read(section: Section) -> FittedNaiveBayesTree:
    """Return the fitted model of a document."""
    schema = read_schema(section)
    nodes = read_tree(section, schema)
    scored = read_scored(section, nodes)
    defaults = FittedNaiveBayesTree.default_parameters
    return FittedNaiveBayesTree(
        schema=schema,
        training=read_training(section),
        parameters=read_parameters(section, defaults, check_parameters),
        operating_point=read_score_point(section, scored),
        tree=_read_tree(section, nodes, schema),
        scored=scored,
    )


def _write_models(tree: NaiveBayesTree) -> dict[str, Any]:
    models = tree.models
    return {
        "of_nodes": tree.model.tolist(),
        "cuts": [cuts.tolist() for cuts in np.split(models.cuts, models.cut_starts[1:-1])],
        "counts": models.counts.tolist(),
        "class_counts": models.class_counts.tolist(),
    }


def _read_tree(section: Section, nodes: Tree, schema: Schema) -> NaiveBayesTree:
    found = section.section("models", _MODELS)
    models = _read_models(found, schema)
    numbers = found.ints("of_nodes", np.int64, nodes.n_nodes)
    if (
        (numbers[~nodes.is_leaf] != -1).any()
        or (numbers[nodes.is_leaf] < 0).any()
        or (numbers >= len(models)).any()
    ):
        found.reject("of_nodes", "has a leaf without a model, or an inner node with one")
    return NaiveBayesTree(nodes, numbers, models, schema.nominal)


def _read_models(section: Section, schema: Schema) -> NaiveBayesModels:
    n_models = len(section.items("class_counts"))
    if n_models == 0:
        section.reject("class_counts", "has no models")
    n_categories = np.tile(category_cells(schema), n_models)
    cut_starts, cuts = _read_cuts(section, n_categories)
    n_cells = np.where(n_categories > 0, n_categories, np.diff(cut_starts) + 1)
    models = NaiveBayesModels(
        cut_starts,
        cuts,
        offsets(n_cells),
        section.nonnegative("counts", int(n_cells.sum()), schema.n_classes),
        section.nonnegative("class_counts", n_models, schema.n_classes),
    )
    with np.errstate(over="ignore"):
        for name in ("counts", "class_counts"):
            if not np.isfinite(getattr(models, name).sum()):
                section.reject(name, "has numbers too large to add up")
    return models


def _read_cuts(section: Section, n_categories: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return where the cuts of each attribute of each model begin, and all cuts."""
    lists = section.items("cuts")
    if len(lists) != len(n_categories) or not all(type(cuts) is list for cuts in lists):
        section.reject("cuts", f"is not made of {len(n_categories)} lists")
    sizes = np.array([len(cuts) for cuts in lists])
    if sizes[n_categories > 0].any():
        section.reject("cuts", "has one between categories")
    every = Section({"cuts": [cut for cuts in lists for cut in cuts]}, section.place)
    cuts, starts = every.floats("cuts", int(sizes.sum())), offsets(sizes)
    within = np.ones(len(cuts), dtype=np.bool_)
    within[starts[:-1][sizes > 0]] = False
    if (cuts[1:] <= cuts[:-1])[within[1:]].any():
        section.reject("cuts", "is not in increasing order")
    return starts, cuts
