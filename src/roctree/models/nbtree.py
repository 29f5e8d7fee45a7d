"""``NaiveBayesTreeClassifier``: Kohavi's NBTree (1996), grown as Weka grows it.

A candidate split is the one that C4.5, in Weka's version, would make on an attribute: a branch for
each category, or the threshold of highest information gain. It is judged by the errors of Naive
Bayes in its branches, in cross-validation on the cases of each branch, where every numeric
attribute is first cut into intervals for the cases at hand.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from roctree._jit import choose, compiled, kernel, typed_kernel
from roctree.arrays import (
    Bools,
    Floats,
    Int,
    Ints,
    Ints2D,
    ReadonlyFloats,
    ReadonlyFloats2D,
    ReadonlyInts,
    ReadonlyInts2D,
)
from roctree.classifier import FittedClassifier, training_data
from roctree.data import CategoricalFeatures, Dataset, warn_about_training_data
from roctree.fitted import Training
from roctree.models.discretizer import (
    LOG_2,
    STRIDE,
    ClassCounts,
    PathEnd,
    Scratch,
    SortedColumn,
    Weights,
    copy_to,
    entropy,
    fill,
    find_mdl_cuts,
    last_present,
    least_price,
    least_purity,
    n_present,
    purest_corner,
    x_log_x,
    x_log_x_table,
)
from roctree.models.naive_bayes import (
    MISSING,
    WEKA_FOLDS,
    Discretized,
    FittedNaiveBayesTree,
    FoldUnit,
    Members,
    NaiveBayesModel,
    NaiveBayesModels,
    NaiveBayesTree,
    category_cells,
    check_parameters,
    count_cells,
    cross_validated_errors,
)
from roctree.tally import ScoreGroups
from roctree.tree.growth import weight_grid
from roctree.tree.prediction import apply
from roctree.tree.tree import MAX_BRANCHES, NO_BRANCH, Tree


class NaiveBayesTreeClassifier(FittedClassifier[FittedNaiveBayesTree]):
    """A decision tree with a Naive Bayes model at each leaf: Kohavi's NBTree, as Weka grows it.

    A node is split if that avoids enough errors of Naive Bayes in five-fold cross-validation.
    Numbers are cut into intervals at each node, by the method of Fayyad and Irani.

    Parameters
    ----------
    min_samples_split : float, default=30
        Minimum weight of a node to be split.
    min_error_reduction : float, default=0.05
        Minimum fraction of a node's errors that a split must avoid.
    folds : {"rows", "kinds"}, default="rows"
        "rows" assigns rows to the folds of cross-validation by their position, exactly as Weka
        does. With "kinds" equal rows stay together and the tree does not depend on the order of
        rows: a row of weight k is the same as k rows.
    categorical_features : "from_dtype", None, names, indices or mask, default="from_dtype"
        Which columns are nominal. As in scikit-learn, booleans are numbers unless listed.

    Attributes
    ----------
    fitted_ : FittedNaiveBayesTree
        The fitted model; the attributes below are parts of it.
    tree_ : NaiveBayesTree
        The nodes and the models of the leaves.
    scored_ : ScoreGroups
        Distinct probabilities of the training cases, and their class counts.
    schema_ : Schema
        Names and categories of the columns, and the classes.
    classes_, n_classes_ : array, int
        Class labels in sorted order, and their number.
    training_ : Training
        A summary of the training data.
    operating_point_ : OperatingPoint or None
        What ``at(...)`` has chosen. Its labels and votes are those of ``scored_``, followed by
        those of cases that certainly belong to each class.
    n_features_in_, feature_names_in_ : int, array
        Columns seen by ``fit``; names only if they had any.

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> tree = NaiveBayesTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> tree.predict([[2.4], [None]])
    array(['no', 'no'], dtype='<U3')
    >>> tree.at(cost_fp=1, cost_fn=5).predict([[2.4]])
    array(['yes'], dtype='<U3')
    >>> tree.labellings()
    3 labellings, positive class 'yes'
    leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +
           0  0.000  0.000     0.500                        0 to 0.25  0.000 to 0.200
           1  0.000  1.000     1.000                        0.25 to 4  0.200 to 0.800
           2  1.000  1.000     0.500                        4 or more  0.800 to 1.000
    >>> print(tree.to_text())
    A no  (yes 0.50, 6 cases)  [NB 1]
    <BLANKLINE>
    NB 1: 6 cases     no    yes
    class          0.500  0.500
    x0
      <= 3.5       0.800  0.200
      > 3.5        0.200  0.800
    """

    def __init__(
        self,
        *,
        min_samples_split: float = 30,
        min_error_reduction: float = 0.05,
        folds: FoldUnit = "rows",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.min_samples_split = min_samples_split
        self.min_error_reduction = min_error_reduction
        self.folds = folds
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a list of rows, or a table of pandas, polars or pyarrow; NaN and None are
            missing.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,) or None
            Weights of at least 0.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> NaiveBayesTreeClassifier().fit(X, y).get_n_leaves()
        6
        """
        check_parameters(self.get_params(deep=False))
        data = training_data(X, y, sample_weight, self.categorical_features)
        warn_about_training_data(data, stacklevel=2)
        cases = data if self.folds == "rows" else merge_equal_rows(data)
        # If the weights average less than one, the limit counts cases of average weight.
        unit = min(1.0, float(cases.weights.sum()) / len(data.weights))
        tree = grow_naive_bayes_tree(cases, self.min_samples_split * unit, self.min_error_reduction)
        self.fitted_ = FittedNaiveBayesTree(
            schema=data.schema,
            training=Training.from_target(len(data.labels), y),
            tree=tree,
            scored=ScoreGroups.grouped(
                tree.probabilities(cases.values), cases, apply(tree.nodes, cases.values)
            ),
        )
        return self

    @property
    def tree_(self) -> NaiveBayesTree:
        """The nodes and the models of the leaves."""
        return self._model().tree

    @property
    def scored_(self) -> ScoreGroups:
        """Distinct probabilities of the training cases, and their class counts."""
        return self._model().scored


SEED = 1
# Microseconds to grow a tree with interpreted kernels, per value of the table and class.
_MICROSECONDS_PER_CELL = 150.0


def grow_naive_bayes_tree(
    dataset: Dataset, min_weight: float, min_reduction: float
) -> NaiveBayesTree:
    """Grow a tree.

    Parameters
    ----------
    dataset : the training cases; folds depend on their order
    min_weight : minimum weight of a node to be split
    min_reduction : minimum fraction of a node's errors that its split must avoid
    """
    root = root_cases(dataset)
    microseconds = _MICROSECONDS_PER_CELL * dataset.values.size * root.n_classes
    pick = choose(microseconds, evaluate_node, keep_ranked)
    nodes, models = _GrowingNodes(), list[NaiveBayesModel]()
    # Nodes are numbered in the order in which they are taken from the queue. A node without cases
    # is represented by the number of the model it uses, that of its parent.
    queue: deque[NodeCases | int] = deque([root])
    while queue:
        cases = queue.popleft()
        if isinstance(cases, int):
            nodes.add_leaf(np.zeros(root.n_classes), cases)
            continue
        class_counts: Floats = np.asarray(
            np.bincount(cases.labels, cases.weights, cases.n_classes), dtype=np.float64
        )
        evaluation = _evaluate(pick(evaluate_node), cases, class_counts, min_weight, min_reduction)
        errors, split = evaluation.errors, evaluation.split
        if split is None or (errors - split.errors) / errors < min_reduction:
            nodes.add_leaf(class_counts, len(models))
            models.append(evaluation.model(cases, class_counts))
            continue
        nodes.add_split(split, class_counts, (errors - split.errors) / float(class_counts.sum()))
        if not split.shares.all():
            models.append(evaluation.model(cases, class_counts))
        parts = zip(split.parts(cases), split.shares, strict=True)
        for (members, weights), share in parts:
            queue.append(branch_cases(cases, members, weights) if share > 0.0 else len(models) - 1)
    leaf_models = np.array(nodes.model)
    all_models = NaiveBayesModels.from_models(models)
    return NaiveBayesTree(nodes.tree(), leaf_models, all_models, dataset.schema.nominal)


def merge_equal_rows(dataset: Dataset) -> Dataset:
    """Return one row for all equal rows, with their total weight, sorted by values and class.

    The result does not depend on the order of the rows, nor on whether equal rows are repeated or
    weighted.

    Examples
    --------
    >>> merged = merge_equal_rows(Dataset.from_data([[2.0], [1.0], [2.0]], ["no", "yes", "no"]))
    >>> merged.values, merged.weights
    (array([[1.],
           [2.]]), array([1., 2.]))
    """
    # On the grid the sum of weights does not depend on their order.
    weights, _ = weight_grid(dataset.weights)
    # No data contain infinity; adding zero turns -0.0 into 0.0.
    keys = np.where(np.isnan(dataset.values), np.inf, dataset.values + 0.0)
    rows = np.column_stack([dataset.labels, keys[:, ::-1]])
    order = np.lexsort(rows.T)
    is_new = np.any(rows[order[1:]] != rows[order[:-1]], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    first = order[starts]
    return replace(
        dataset,
        values=dataset.values[first],
        labels=dataset.labels[first],
        weights=np.add.reduceat(weights[order], starts),
    )


def root_cases(dataset: Dataset) -> "NodeCases":
    """Return the cases of the root."""
    values = np.ascontiguousarray(dataset.values.T, dtype=np.float64)
    weights = np.ascontiguousarray(dataset.weights, dtype=np.float64)
    return NodeCases(
        values=values,
        ranked=np.argsort(values, axis=1, kind="stable"),
        n_known=np.count_nonzero(~np.isnan(values), axis=1),
        n_categories=category_cells(dataset.schema),
        labels=dataset.labels.astype(np.int64),
        copies=weights,
        weights=weights,
        n_classes=dataset.schema.n_classes,
        table=x_log_x_table(float(weights.sum())),
    )


def branch_cases(node: "NodeCases", members: Ints, weights: Floats) -> "NodeCases":
    """Return some of the cases of a node, in the order given, with other weights."""
    place = np.full(len(node.labels), MISSING)
    place[members] = np.arange(len(members))
    n_features = len(node.values)
    kept = RankedCases(
        np.zeros((n_features, len(members)), dtype=np.int64), np.zeros(n_features, dtype=np.int64)
    )
    compiled(keep_ranked, microseconds=2 * node.values.size)(node, place, kept)
    return node._replace(
        values=np.take(node.values, members, axis=1),
        ranked=kept.ranked,
        n_known=kept.n_known,
        labels=node.labels[members],
        weights=weights,
        copies=node.copies[members],
    )


class _NodeSplit(NamedTuple):
    """A split of a node.

    Parameters
    ----------
    feature : number of the attribute
    threshold : of numbers, NaN for categories
    errors : of Naive Bayes in the branches
    order : int64[cases], the order in which the branches receive the cases
    branch : int64[cases], the branch of each case, or ``DIVIDED``
    shares : float64[branches], what each branch receives of a divided case
    """

    feature: int
    threshold: float
    errors: float
    order: Ints
    branch: Ints
    shares: Floats

    def parts(self, node: "NodeCases") -> Iterator[tuple[Ints, Floats]]:
        """Yield the cases of each branch and their weights.

        A branch whose share is zero still lists the divided cases, with weight 0.
        """
        branch = self.branch[self.order]
        divided = branch == DIVIDED
        for number, share in enumerate(self.shares):
            inside = (branch == number) | divided
            members = self.order[inside]
            yield members, node.weights[members] * np.where(divided[inside], share, 1.0)


class _Evaluation(NamedTuple):
    """Naive Bayes on the cases of a node, and the best split.

    Parameters
    ----------
    errors : weight of the cases that are misclassified when their fold is left out
    found : the cells of the cases
    split : the split of fewest errors; None if no candidate has few enough
    """

    errors: float
    found: Discretized
    split: _NodeSplit | None

    def model(self, node: "NodeCases", class_counts: Floats) -> NaiveBayesModel:
        """Return the model of all cases of the node."""
        cells, n_cells, cuts = self.found
        n_cuts = np.where(node.n_categories > 0, 0, n_cells - 1)
        counts = count_cells(cells, n_cells, node.labels, node.weights, node.n_classes)
        own_cuts = [cuts[feature, :n].copy() for feature, n in enumerate(n_cuts)]
        return NaiveBayesModel(own_cuts, n_cells, counts, class_counts)


def _evaluate(
    run: Callable[..., Any],
    node: "NodeCases",
    class_counts: Floats,
    min_weight: float,
    min_reduction: float,
) -> _Evaluation:
    n_features, n_cases = node.values.shape
    found = Discretized(
        np.empty((n_features, n_cases), dtype=np.int64),
        np.empty(n_features, dtype=np.int64),
        np.empty((n_features, n_cases)),
    )
    order = np.arange(n_cases)
    max_branches = min(max(2, int(node.n_categories.max())), MAX_BRANCHES)
    split = Partition(np.empty_like(order), np.empty(max_branches))
    weight = class_counts.sum()
    may_split = (
        node.copies.sum() >= WEKA_FOLDS
        and weight > min_weight - SMALL
        and weight - class_counts.max() >= SMALL
    )
    errors, feature, threshold, split_errors = run(
        node, bool(may_split), min_reduction, java_random(SEED), order, found, split
    )
    if feature == NO_SPLIT:
        return _Evaluation(errors, found, None)
    n_branches = int(node.n_categories[feature]) or 2
    shares = split.shares[:n_branches]
    best = _NodeSplit(feature, threshold, split_errors, order, split.branch, shares)
    return _Evaluation(errors, found, best)


@dataclass
class _GrowingNodes:
    """The nodes grown so far, one list per field of a tree, in breadth-first order."""

    n_children: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    n_categories: list[int] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    model: list[int] = field(default_factory=list)

    def add_leaf(self, counts: Floats, model: int) -> None:
        """Add a leaf and the number of its model."""
        self._add(0, NO_BRANCH, np.nan, 0, 0.0, counts, model)

    def add_split(self, split: _NodeSplit, counts: Floats, gain: float) -> None:
        """Add a split; the branch of a category has its number."""
        n_branches = len(split.shares)
        n_categories = n_branches if np.isnan(split.threshold) else 0
        self._add(n_branches, split.feature, split.threshold, n_categories, gain, counts, NO_BRANCH)

    def _add(self, *values: object) -> None:
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            getattr(self, name).append(value)

    def tree(self) -> Tree:
        """Return the nodes as a tree."""
        sizes = np.array(self.n_categories)
        branches = [np.arange(size, dtype=np.int16) for size in self.n_categories]
        return Tree(
            n_children=np.array(self.n_children, dtype=np.int32),
            feature=np.array(self.feature, dtype=np.int32),
            threshold=np.array(self.threshold),
            category_branch=np.concatenate(branches),
            category_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            missing_branch=np.full(len(sizes), NO_BRANCH, dtype=np.int16),
            counts=np.array(self.counts),
            softness=np.zeros(len(sizes)),
            gain=np.array(self.gain),
        )


# --- The candidates of one node, and their errors ---
#
# One kernel, ``evaluate_node``, does all of this for one node. Cases are kept in Weka's order
# throughout, since folds depend on it.

NO_SPLIT = -1
# Branch of a case whose value is missing: it is divided among all branches.
DIVIDED = -1
# Differences that Weka ignores between two sums, and between two values.
SMALL, TOO_CLOSE = 1e-6, 1e-5
# Minimum weight of two branches, and the largest minimum that C4.5 requires on both sides of a cut.
MIN_BRANCH, MAX_SIDE = 2.0, 25.0
# In smaller branches every case is an error; a threshold needs more than five cases in a branch.
MIN_CASES, MIN_CASES_OF_THRESHOLD = float(WEKA_FOLDS), float(np.nextafter(WEKA_FOLDS, np.inf))
# Evaluation of a candidate stops when its errors exceed the limit by more than rounding.
SLACK = 1e-9
# Both counts of a step along the path of two classes are packed in one number, the second above
# the first.
UP = 1 << 32


class NodeCases(NamedTuple):
    """The cases of a node, in Weka's order.

    Parameters
    ----------
    values : float64[features, cases]
    ranked : int64[features, cases], cases with a known number in ascending order
    n_known : int64[features], number of cases in ``ranked``
    n_categories : int64[features], 0 for numeric attributes
    labels : int64[cases]
    copies : float64[cases], weight of each case before missing values divided it
    weights : float64[cases], weight that is left of each case
    n_classes : number of classes of the whole tree
    table : float64[...], x ln x of the integers
    """

    values: ReadonlyFloats2D
    ranked: ReadonlyInts2D
    n_known: ReadonlyInts
    n_categories: ReadonlyInts
    labels: ReadonlyInts
    copies: ReadonlyFloats
    weights: ReadonlyFloats
    n_classes: int
    table: ReadonlyFloats


class Partition(NamedTuple):
    """How a split divides the cases of a node.

    Parameters
    ----------
    branch : int64[cases], the branch of each case, or ``DIVIDED``
    shares : float64[branches], the part of a divided case that each branch receives
    """

    branch: Ints
    shares: Floats


@typed_kernel(allocates=True)
def evaluate_node(
    node: NodeCases,
    may_split: bool,
    min_reduction: float,
    random_state: ReadonlyInts,
    order: Ints,
    found: Discretized,
    split: Partition,
) -> tuple[float, int, float, float]:
    """Discretize the cases of a node, and find its split of fewest errors, the first of equals.

    Parameters
    ----------
    node : the cases
    may_split : whether to look for a split
    min_reduction : minimum fraction of the errors that a split must avoid
    random_state : int64[2], of Java's generator, by which the cases of each candidate are dealt
    order : int64[cases], 0, 1, ...; each numeric attribute sorts it, and the branches inherit the
        final order
    found : receives the cells of the cases
    split : receives the partition, with room for the largest number of branches

    Returns
    -------
    The errors of the node, the attribute of the split (-1 for none), its threshold (NaN for
    categories), and its errors.
    """
    everything = Members(np.arange(order.size), node.weights.copy(), np.arange(order.size))
    errors = errors_of_members(node, everything, np.inf, found)
    best, threshold, limit = NO_SPLIT, math.nan, errors
    if not may_split or errors == 0.0:
        return errors, best, threshold, limit
    limit = errors * min(1.0, 1.0 - min_reduction + SLACK)
    tried = Partition(np.empty_like(split.branch), np.empty_like(split.shares))
    for feature in range(node.values.shape[0]):
        n_categories = node.n_categories[feature]
        n_branches = n_categories if n_categories > 0 else 2
        if n_branches > split.shares.size:
            continue
        candidate = Partition(tried.branch, tried.shares[:n_branches])
        if n_categories > 0:
            cut, min_cases = math.nan, MIN_CASES
            is_possible = divide_by_category(feature, node, order, candidate)
        else:
            cut, min_cases = (
                divide_by_threshold(feature, node, order, candidate),
                MIN_CASES_OF_THRESHOLD,
            )
            is_possible = not math.isnan(cut)
        if is_possible:
            found_errors = errors_of_split(
                node, order, candidate, min_cases, limit, random_state.copy()
            )
            if found_errors < limit:
                best, threshold, limit = feature, cut, found_errors
                copy_to(split.branch, tried.branch)
                copy_to(split.shares, tried.shares)
    return errors, best, threshold, limit


@kernel(allocates=True)
def errors_of_split(
    node: NodeCases,
    order: Ints,
    split: Partition,
    min_cases: float,
    limit: float,
    random_state: Ints,
) -> float:
    """Return the errors of Naive Bayes in the branches of a split.

    They are infinite if fewer than two branches have enough cases, or if they reach the limit, in
    which case the remaining branches are skipped. In branches of fewer than ``min_cases`` every
    case is an error.
    """
    members, weights = np.empty(order.size, dtype=np.int64), np.empty(order.size)
    labels = np.empty(order.size, dtype=np.int64)
    n_features = node.values.shape[0]
    branches, shares = split.branch, split.shares
    all_labels, all_weights, copies = node.labels, node.weights, node.copies
    errors, n_large = 0.0, 0
    for number in range(shares.size):
        n, n_cases = 0, 0.0
        for case in order:
            is_divided = branches[case] == DIVIDED
            if is_divided or branches[case] == number:
                members[n] = case
                weights[n] = all_weights[case] * (shares[number] if is_divided else 1.0)
                n_cases += copies[case]
                n += 1
        if n_cases < min_cases:
            for k in range(n):
                errors += weights[k]
        else:
            n_large += 1
            sequence = np.empty(n, dtype=np.int64)
            for k in range(n):
                labels[k] = all_labels[members[k]]
            deal_cases(sequence, labels[:n], WEKA_FOLDS, random_state)
            found = Discretized(
                np.empty((n_features, n), dtype=np.int64),
                np.empty(n_features, dtype=np.int64),
                np.empty((n_features, n)),
            )
            branch = Members(members[:n], weights[:n], sequence)
            errors += errors_of_members(node, branch, limit - errors, found)
        if errors >= limit:
            return float(np.inf)
    return errors if n_large > 1 else float(np.inf)


@kernel(allocates=True)
def errors_of_members(node: NodeCases, members: Members, limit: float, found: Discretized) -> float:
    """Write the cells of some cases of a node, and return the errors of Naive Bayes among them.

    Errors beyond the limit are not all counted.
    """
    place = np.full(node.values.shape[1], MISSING)
    cases, weights, copies = members.cases, members.weights, node.copies
    n_divided, n_fractions, total = 0, 0, 0.0
    for k in range(cases.size):
        place[cases[k]] = k
        n_divided += int(weights[k] != copies[cases[k]])
        n_fractions += int(weights[k] != np.floor(weights[k]))
        total += weights[k]
    is_divided = n_divided > 0
    has_fractions = is_divided or n_fractions > 0 or total >= node.table.size
    uncut = np.zeros(found.n_cells.size, dtype=np.bool_)
    if has_fractions:
        find_cells(node, cases, weights, place, uncut, is_divided, found)
    else:
        # Sums of integers do not depend on their order, and x ln x is looked up.
        whole = weights.astype(np.int64)
        find_uncut(node, cases, whole, uncut)
        find_cells(node, cases, whole, place, uncut, is_divided, found)
    return cross_validated_errors(found, members, node.labels, node.n_classes, has_fractions, limit)


@kernel(allocates=True)
def find_cells(
    node: NodeCases,
    members: Ints,
    weights: Weights,
    place: Ints,
    uncut: Bools,
    is_divided: bool,
    found: Discretized,
) -> None:
    """Write the cells of the members.

    Parameters
    ----------
    node : the cases
    members : int64[members], numbers of some of its cases
    weights : int64 or float64[members]
    place : int64[cases], place of each case among the members, or ``MISSING``
    uncut : bool[features], numeric attributes that are known to have a single interval
    is_divided : whether missing values have divided some members
    found : receives the cells
    """
    n, n_classes = members.size, node.n_classes
    labels, copies, table = node.labels, node.copies, node.table
    line, sorted_before = np.empty(n + 1, dtype=np.int64), np.arange(n)
    ws, cs = np.empty(n, dtype=weights.dtype), np.empty(n, dtype=weights.dtype)
    xs, ls = np.empty(n), np.empty(n, dtype=np.int64)
    column = SortedColumn(xs, ls, ws, cs if is_divided else ws)
    counts = ClassCounts(
        np.zeros(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
        np.empty(n_classes, dtype=weights.dtype),
    )
    scratch = Scratch(np.empty(n), np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64))
    n_cases = 0.0
    for k in range(n):
        n_cases += copies[members[k]]
        counts.total[labels[members[k]]] += weights[k]
    bits = n_cases * entropy(counts.total, table)
    is_hopeless = not is_divided and bits < least_price(n_cases, table, counts.total)
    # From the last attribute to the first: in this order Weka sorts what it has sorted before.
    for feature in range(node.values.shape[0] - 1, -1, -1):
        values = node.values[feature]
        if node.n_categories[feature] > 0:
            found.n_cells[feature] = node.n_categories[feature]
            cells = found.cells[feature]
            for k in range(n):
                value = values[members[k]]
                cells[k] = int(value) if value == value else MISSING
            continue
        n_known = node.n_known[feature]
        if uncut[feature] or (is_hopeless and n_known == values.size):
            found.n_cells[feature] = 1
            fill(found.cells[feature], 0)
            continue
        if is_divided:
            known = line_up_as_weka(values, members, sorted_before, line)
        else:
            known = line_up(node.ranked[feature, :n_known], place, line)
        for i in range(known):
            case = members[line[i]]
            xs[i], ws[i], ls[i] = values[case], weights[line[i]], labels[case]
            if is_divided:
                cs[i] = copies[case]
        cuts = found.cuts[feature]
        n_cuts = find_mdl_cuts(column, known, table, counts, scratch, cuts)
        found.n_cells[feature] = 1 + n_cuts
        mark_intervals(xs, line[:known], cuts[:n_cuts], found.cells[feature])


@kernel
def line_up(ranked: Ints, place: Ints, line: Ints) -> Int:
    """List the members with a known number in ascending order; return how many there are."""
    known = 0
    for case in ranked:
        # Always written, and kept by arithmetic: the processor cannot predict a branch here.
        line[known] = place[case]
        known += int(place[case] != MISSING)
    return known


@kernel(allocates=True)
def line_up_as_weka(values: Floats, members: Ints, sorted_before: Ints, line: Ints) -> Int:
    """List the members in the order in which Weka adds up their weights.

    Sums of fractional weights depend on the order, and after all cases of a class have been
    subtracted a remainder is left: Weka then counts one class more.
    """
    own = np.empty(members.size)
    for k in range(members.size):
        own[k] = values[members[k]]
    sort_cases(sorted_before, own)
    known = 0
    for k in sorted_before:
        if own[k] == own[k]:
            line[known] = k
            known += 1
    return known


@kernel
def mark_intervals(xs: Floats, line: Ints, cuts: Floats, cells: Ints) -> None:
    """Write the interval of each member listed in ``line``, -1 for all others."""
    fill(cells, 0 if line.size == cells.size else MISSING)
    if cuts.size == 0 and line.size == cells.size:
        return
    cell = 0
    for i in range(line.size):
        while cell < cuts.size and xs[i] > cuts[cell]:
            cell += 1
        cells[line[i]] = cell


@kernel(allocates=True)
def find_uncut(node: NodeCases, members: Ints, weights: Ints, uncut: Bools) -> None:
    """Mark numeric attributes in which no cut of the members can pay for its description.

    This is only tried for two classes, and attributes without missing values.
    """
    class_counts = np.zeros(node.n_classes, dtype=np.int64)
    for k in range(members.size):
        class_counts[node.labels[members[k]]] += weights[k]
    if n_present(class_counts) != 2:
        return
    n = class_counts.sum()
    price = least_price(float(n), node.table, class_counts)
    least = least_purity(class_counts, price, node.table)
    last = last_present(class_counts)
    steps = np.zeros(node.labels.size, dtype=np.int64)
    for k in range(members.size):
        steps[members[k]] = weights[k] * (UP if node.labels[members[k]] == last else 1)
    end = PathEnd(n - class_counts[last], class_counts[last])
    for feature in range(uncut.size):
        if node.n_categories[feature] == 0 and node.n_known[feature] == node.labels.size:
            uncut[feature] = not may_be_cut(node.ranked[feature], steps, end, least, node.table)


@kernel
def may_be_cut(ranked: Ints, steps: Ints, end: PathEnd, least: float, table: Floats) -> bool:
    """Return whether some cut of a column might be pure enough.

    Parameters
    ----------
    ranked : int64[cases], the cases of the node in ascending order
    steps : int64[cases], step of each case along the path of two classes, 0 if it is not a member
    end : where the path ends
    least : least purity required
    table : float64[...], x ln x of the integers
    """
    right, up = 0, 0
    for begin in range(0, ranked.size, STRIDE):
        packed = 0
        for i in range(begin, min(begin + STRIDE, ranked.size)):
            packed += steps[ranked[i]]
        step, rise = packed % UP, packed // UP
        if purest_corner(right, up, step, rise, end, table) >= least:
            return True
        right, up = right + step, up + rise
    return False


@kernel
def divide_by_category(feature: Int, node: NodeCases, order: Ints, split: Partition) -> bool:
    """Write the branch of each case; return whether two branches have enough cases."""
    values, weights = node.values[feature], node.weights
    branches, shares = split.branch, split.shares
    fill(shares, 0.0)
    total = 0.0
    for case in order:
        branches[case] = DIVIDED
        if values[case] == values[case]:
            branch = int(values[case])
            branches[case] = branch
            shares[branch] += weights[case]
            total += weights[case]
    n_large = 0
    for number in range(shares.size):
        if shares[number] > MIN_BRANCH - SMALL:
            n_large += 1
        shares[number] /= max(total, SMALL)
    return n_large > 1


@kernel(allocates=True)
def divide_by_threshold(feature: Int, node: NodeCases, order: Ints, split: Partition) -> float:
    """Sort the cases, write the branch of each, and return the threshold; NaN if there is none."""
    values, shares = node.values[feature], split.shares
    n_known = node.n_known[feature]
    ranked = node.ranked[feature, :n_known]
    if n_known == order.size and all_differ(values, ranked):
        copy_to(order, ranked)
    else:
        # Weka sorts twice, and its sort is not stable.
        sort_cases(order, values)
        sort_cases(order, values)
    best = best_threshold(values, node, order, n_known)
    if best < 0:
        return math.nan
    fill(shares, 0.0)
    fill(split.branch, DIVIDED)
    for i in range(n_known):
        case = order[i]
        branch = int(i > best)
        split.branch[case] = branch
        shares[branch] += node.weights[case]
    total = shares[0] + shares[1]
    shares[0] /= total
    shares[1] /= total
    low, high = float(values[order[best]]), float(values[order[best + 1]])
    middle = (low + high) / 2.0
    # Where the middle rounds to the larger value, that value would go to the wrong side.
    return low if middle == high else middle


@kernel
def all_differ(values: Floats, ranked: Ints) -> bool:
    """Return whether no two cases have the same number, so that every sort gives the same order."""
    n_equal = 0
    for i in range(ranked.size - 1):
        n_equal += int(values[ranked[i]] == values[ranked[i + 1]])
    return n_equal == 0


@kernel(allocates=True)
def best_threshold(values: Floats, node: NodeCases, order: Ints, n_known: Int) -> Int:
    """Return the place of the last case left of the cut of highest gain, -1 if there is none."""
    labels, weights, copies, table = node.labels, node.weights, node.copies, node.table
    left, right = np.zeros(node.n_classes), np.zeros(node.n_classes)
    known, total, n_cases = 0.0, 0.0, 0.0
    for i in range(order.size):
        total += weights[order[i]]
        if i < n_known:
            right[labels[order[i]]] += weights[order[i]]
            known += weights[order[i]]
            n_cases += copies[order[i]]
    min_side = least_side(known, node.n_classes)
    if 2.0 * min_side - n_cases > SMALL:
        return -1
    before = bits(known, table) - sum_of_bits(right, table)
    known_share = 1.0 - (total - known) / total
    n_left, n_right = 0.0, known
    best_gain, best, n_cuts = 0.0, -1, 0
    for i in range(n_known - 1):
        case = order[i]
        left[labels[case]] += weights[case]
        right[labels[case]] -= weights[case]
        n_left += weights[case]
        n_right -= weights[case]
        if not values[case] + TOO_CLOSE < values[order[i + 1]]:
            continue
        if n_left > min_side - SMALL and n_right > min_side - SMALL:
            purity = purity_in_bits(left, n_left, right, n_right, table)
            gained = known_share * (before + purity)
            gain = (gained if abs(gained) >= SMALL else 0.0) / known
            if gain - best_gain > SMALL:
                best_gain, best = gain, i
            n_cuts += 1
    # The more cuts were tried, the more the best one must gain.
    if best < 0 or best_gain - math.log(n_cuts) / LOG_2 / total < SMALL:
        return -1
    return best


@kernel
def least_side(known: float, n_classes: Int) -> float:
    """Return the minimum weight of a side of a cut: a tenth of the mean class, within limits."""
    tenth = 0.1 * known / n_classes
    if tenth - MIN_BRANCH < SMALL:
        return MIN_BRANCH
    return MAX_SIDE if tenth - MAX_SIDE > SMALL else tenth


@kernel
def purity_in_bits(
    left: Floats, n_left: float, right: Floats, n_right: float, table: Floats
) -> float:
    """Return the sum of x log2 x over the classes of both sides, less that of the sides."""
    purity = 0.0
    for label in range(left.size):
        purity += bits(left[label], table)
    purity -= bits(n_left, table)
    for label in range(right.size):
        purity += bits(right[label], table)
    return purity - bits(n_right, table)


@kernel
def sum_of_bits(counts: Floats, table: Floats) -> float:
    """Return the sum of x log2 x over all classes."""
    added = 0.0
    for label in range(counts.size):
        added += bits(counts[label], table)
    return added


@kernel
def bits(x: float, table: Floats) -> float:
    """Return x log2 x, 0 for negligible x."""
    return x_log_x(x, table) / LOG_2 if x >= SMALL else 0.0


class RankedCases(NamedTuple):
    """``ranked`` and ``n_known`` of the cases of a branch."""

    ranked: Ints2D
    n_known: Ints


@typed_kernel
def keep_ranked(node: NodeCases, place: ReadonlyInts, kept: RankedCases) -> None:
    """Keep the cases of a branch among those of its node, in ascending order of their numbers.

    Parameters
    ----------
    node : the cases of the node
    place : int64[cases], number of each case in the branch, or ``MISSING``
    kept : receives the ranks of the branch; its arrays are zero
    """
    for feature in range(node.n_known.size):
        if node.n_categories[feature] > 0:
            continue
        end = 0
        for rank in range(node.n_known[feature]):
            number = place[node.ranked[feature, rank]]
            if number != MISSING:
                kept.ranked[feature, end] = number
                end += 1
        kept.n_known[feature] = end


# The order of cases: Java's random numbers, and Weka's sort, shuffle and stratification, reproduced
# to the last swap. A tree equals Weka's only if its cross-validations use the same folds. The folds
# depend on the order of the cases, which Weka changes by an unstable quicksort whenever it
# evaluates a numeric attribute.


# The multiplier 0x5DEECE66D in two halves of 24 bits: products of halves fit in 63 bits.
_HALF = 1 << 24
_HIGH, _LOW, _ADDEND = 0x5DE, 0xECE66D, 0xB
_SCRAMBLE = 0x5DEECE66D
_INT = 1 << 31
_LAST = float(np.finfo(np.float64).max)


@kernel(allocates=True)
def deal_cases(cases: Ints, labels: Ints, n_folds: Int, state: Ints) -> None:
    """Write the numbers 0, 1, ... in ``cases``, shuffled and dealt to stratified folds.

    ``state`` is that of Java's random number generator.
    """
    for i in range(cases.size):
        cases[i] = i
    shuffle(cases, state)
    stratify(cases, labels, n_folds)


def java_random(seed: int) -> Ints:
    """Return the state of ``new java.util.Random(seed)``: two halves of 24 bits."""
    scrambled = seed ^ _SCRAMBLE
    return np.array([(scrambled >> 24) % _HALF, scrambled % _HALF])


@kernel
def next_bits(state: Ints) -> Int:
    """Return the next 31 random bits."""
    high, low = state[0], state[1]
    sum_low = low * _LOW + _ADDEND
    sum_high = high * _LOW + low * _HIGH + (sum_low >> 24)
    state[0] = sum_high & (_HALF - 1)
    state[1] = sum_low & (_HALF - 1)
    return (state[0] << 7) | (state[1] >> 17)


@kernel
def next_int(state: Ints, bound: Int) -> Int:
    """Return a random number below ``bound``, as ``nextInt(bound)`` does."""
    if bound & (bound - 1) == 0:
        return (bound * next_bits(state)) >> 31
    while True:
        bits = next_bits(state)
        number = bits % bound
        # The last numbers would be less frequent than the others: Java draws again.
        if bits - number + bound - 1 < _INT:
            return number


@kernel
def shuffle(cases: Ints, state: Ints) -> None:
    """Shuffle the cases."""
    for last in range(cases.size - 1, 0, -1):
        other = next_int(state, last + 1)
        cases[last], cases[other] = cases[other], cases[last]


@kernel(allocates=True)
def stratify(cases: Ints, labels: Ints, n_folds: Int) -> None:
    """Deal the cases, class after class, to folds, and write one fold after the other."""
    n = cases.size
    place = 1
    while place < n:
        label = labels[cases[place - 1]]
        for other in range(place, n):
            if labels[cases[other]] == label:
                cases[place], cases[other] = cases[other], cases[place]
                place += 1
        place += 1
    by_class = cases.copy()
    dealt = 0
    for start in range(n_folds):
        for i in range(start, n, n_folds):
            cases[dealt] = by_class[i]
            dealt += 1


@kernel(allocates=True)
def sort_cases(cases: Ints, values: Floats) -> None:
    """Sort the cases by their values, missing ones last, exactly as Weka's quicksort does."""
    keys = np.empty(cases.size)
    for i in range(cases.size):
        value = values[cases[i]]
        keys[i] = value if value == value else _LAST
    _quicksort(keys, cases)


@kernel(allocates=True)
def _quicksort(keys: Floats, index: Ints) -> None:
    """Sort keys and ``index`` with a median-of-three pivot; three or fewer are swapped directly."""
    waiting = np.empty((index.size + 1, 2), dtype=np.int64)
    waiting[0, 0], waiting[0, 1] = 0, index.size - 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        left, right = waiting[n_waiting, 0], waiting[n_waiting, 1]
        if right - left < 1:
            continue
        if right - left == 1:
            _order(keys, index, left, right)
            continue
        middle = (left + right) // 2
        _order(keys, index, left, middle)
        _order(keys, index, left, right)
        _order(keys, index, middle, right)
        if right - left == 2:
            continue
        _swap(keys, index, middle, right - 1)
        centre = _partition(keys, index, left, right - 1)
        _swap(keys, index, centre, right - 1)
        waiting[n_waiting, 0], waiting[n_waiting, 1] = left, centre - 1
        waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = centre + 1, right
        n_waiting += 2


@kernel
def _swap(keys: Floats, index: Ints, first: Int, second: Int) -> None:
    keys[first], keys[second] = keys[second], keys[first]
    index[first], index[second] = index[second], index[first]


@kernel
def _order(keys: Floats, index: Ints, first: Int, second: Int) -> None:
    if keys[first] > keys[second]:
        _swap(keys, index, first, second)


@kernel
def _partition(keys: Floats, index: Ints, left: Int, right: Int) -> Int:
    """Move keys below the pivot, the key at ``right``, to the left; return where they end."""
    pivot = keys[right]
    while True:
        left += 1
        while keys[left] < pivot:
            left += 1
        right -= 1
        while keys[right] > pivot:
            right -= 1
        if left >= right:
            return left
        _swap(keys, index, left, right)
