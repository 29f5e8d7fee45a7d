"""Laws that criteria, smoothers and pruners must satisfy, for testing built-in and custom ones.

``check_criterion``, ``check_smoother`` and ``check_pruner`` test the laws of their kind on many
random tables or trees. Each law is also a separate function of a strategy and one table or tree. A
violated law raises ``AssertionError`` with a message that describes the violation and the input.

>>> check_criterion("gini")
>>> check_smoother("m_branch", n_classes=3)
>>> check_pruner("minimum_error")

``expected_failed_checks`` lists the checks of scikit-learn that a classifier fails, with reasons.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from roctree._jit import block_score, compiled, table_score
from roctree.arrays import Floats2D
from roctree.criteria import ContingencyTable, Criterion, as_table, resolve_criterion
from roctree.errors import ModelFileError
from roctree.pruning import Fold, Pruner, need, resolve_pruner
from roctree.smoothing import Smoother, frequencies, probabilities, resolve_smoother
from roctree.tree.shape import cut, leaf_sums, nodes_in, subtree_counts
from roctree.tree.tree import NO_BRANCH, Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = [
    "a_case_more_never_lowers_its_class",
    "branch_order_changes_nothing",
    "check_criterion",
    "check_pruner",
    "check_smoother",
    "class_numbers_change_no_pruning",
    "class_order_changes_nothing",
    "compiled_score_is_the_same",
    "corners_are_never_beaten",
    "empty_branch_changes_nothing",
    "equal_costs_change_nothing",
    "expected_failed_checks",
    "many_cases_keep_their_frequencies",
    "only_counts_and_shape_matter",
    "probabilities_lie_between_zero_and_one",
    "pruned_tree_is_part_of_the_tree",
    "pruning_again_changes_nothing",
    "refining_never_lowers_the_score",
    "renamed_classes_change_places_only",
    "rows_add_up_to_one",
    "scale_changes_nothing",
    "score_is_finite",
    "useless_split_earns_nothing",
]

_CHECK_TOLERANCE = 1e-12


def expected_failed_checks(estimator: "BaseEstimator") -> dict[str, str]:
    """Return the checks of scikit-learn that a classifier fails by design, with the reason of each.

    Pass them to ``sklearn.utils.estimator_checks.parametrize_with_checks`` as the argument of the
    same name.

    Parameters
    ----------
    estimator : ROCTreeClassifier or another classifier
        A classifier, fitted or not.

    Returns
    -------
    dict of str to str
        Empty unless scores and probabilities are estimated in different ways.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> expected_failed_checks(ROCTreeClassifier())
    {}
    >>> list(expected_failed_checks(ROCTreeClassifier(ranking="global")))
    ['check_decision_proba_consistency']
    """
    by_distance = getattr(estimator, "ranking", "leaf") == "global"
    if by_distance == getattr(estimator, "geometric_probability", False):
        return {}
    return {
        "check_decision_proba_consistency": "decision_function ranks cases by their distance from "
        "the decision boundary, predict_proba by the probability of their leaf"
        if by_distance
        else "predict_proba depends on the distance from the decision boundary, decision_function "
        "does not unless ranking='global'"
    }


# Criteria.


def check_criterion(criterion: str | Criterion, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a criterion satisfies the laws that growing a tree relies on.

    Scores are finite, do not depend on the order of branches, are no higher for an uninformative
    split than for the unsplit node, and are the same compiled and interpreted. A criterion that
    declares itself convex must not score lower when a split is refined, and splits between two
    others are bounded by the corners of the box they span. The built-in ``f_measure`` breaks the
    third law, as its authors defined it.

    Parameters
    ----------
    criterion : str or Criterion
        The criterion, or the name of a built-in one.
    n_classes : int, default 2
        Number of columns of the tables.

    Examples
    --------
    >>> check_criterion("gini", n_classes=3)
    """
    criterion = resolve_criterion(criterion)
    for table in _tables(n_classes):
        score_is_finite(criterion, table)
        branch_order_changes_nothing(criterion, table)
        useless_split_earns_nothing(criterion, table)
        refining_never_lowers_the_score(criterion, table)
        corners_are_never_beaten(criterion, table)
        compiled_score_is_the_same(criterion, table)


def score_is_finite(criterion: Criterion, table: ArrayLike) -> None:
    """The score of a table with at least one case is finite."""
    value = _score(criterion, table)
    _hold(math.isfinite(value), f"{criterion} scores {value} on {_as_lists(table)}")


def branch_order_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """The order of branches does not matter."""
    _scores_the_same(criterion, table, as_table(table)[::-1], "with branches in another order")


def class_order_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """The order of classes does not matter. Not true of criteria that treat classes differently."""
    renamed = np.roll(as_table(table), 1, axis=1)
    _scores_the_same(criterion, table, renamed, "with classes renamed")


def scale_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """Multiplying all weights does not change the score. Untrue with smoothing."""
    for factor in (0.1, 100.0):
        scaled = factor * as_table(table)
        _scores_the_same(criterion, table, scaled, f"with all weights times {factor}")


def empty_branch_changes_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """An additional branch without cases does not change the score. Untrue with smoothing."""
    padded = np.vstack([as_table(table), np.zeros(as_table(table).shape[1])])
    _scores_the_same(criterion, table, padded, "with an additional empty branch")


def useless_split_earns_nothing(criterion: Criterion, table: ArrayLike) -> None:
    """Two branches with equal counts score no higher than the node they come from."""
    half = as_table(table).sum(axis=0, keepdims=True) / 2.0
    node, useless = _score(criterion, 2.0 * half), _score(criterion, np.vstack([half, half]))
    _hold(
        _at_most(useless, node),
        f"{criterion} scores {useless} for two branches {_as_lists(half)[0]} each, "
        f"more than {node} for the node they come from",
    )


def refining_never_lowers_the_score(criterion: Criterion, table: ArrayLike) -> None:
    """A convex criterion never scores higher after two branches are joined."""
    cells = as_table(table)
    if not criterion.convex(cells.shape[1]):
        return
    score = _score(criterion, cells)
    for first, second in combinations(range(len(cells)), 2):
        joined = np.delete(cells, second, axis=0)
        joined[first] = cells[first] + cells[second]
        coarser = _score(criterion, joined)
        _hold(
            _at_most(coarser, score),
            f"{criterion} declares itself convex but scores {score} on {_as_lists(table)} "
            f"and {coarser} with branches {first} and {second} joined",
        )


def corners_are_never_beaten(criterion: Criterion, table: ArrayLike) -> None:
    """A convex criterion of two classes is maximal at a corner of any box of splits.

    The first branch goes left, all but the second go right; any part of each class of the second
    branch may go left.
    """
    cells = as_table(table)
    if cells.shape[1] != 2 or not criterion.convex(2):
        return
    always, open_, total = cells[0], cells[1], cells.sum(axis=0)

    def score(*shares: float) -> float:
        left = always + open_ * shares
        return _score(criterion, np.vstack([left, np.maximum(total - left, 0.0)]))

    best = max(score(*shares) for shares in product((0.0, 1.0), repeat=2))
    for shares in product((0.0, 0.25, 0.5, 1.0), repeat=2):
        _hold(
            _at_most(score(*shares), best),
            f"{criterion} declares itself convex but for {_as_lists(table)} scores "
            f"{score(*shares)} with shares {shares} of the second branch on the left, and at most "
            f"{best} with all or none of a class",
        )


def compiled_score_is_the_same(criterion: Criterion, table: ArrayLike) -> None:
    """The compiled scorers, of one table and of a block of splits, agree with the function."""
    cells = as_table(table)
    expected = _score(criterion, cells)
    score = compiled(table_score(criterion))(cells)
    _hold(_is_close(score, expected), f"{criterion} scores {expected}, compiled {score}")
    if len(cells) == 2:
        scores = np.empty(1)
        weights = np.ones(cells.shape[1])
        compiled(block_score(criterion, cells.shape[1]))(
            cells, 0, 1, cells.sum(axis=0), weights, scores
        )
        _hold(
            _is_close(scores[0], expected), f"{criterion} scores {expected}, in a block {scores[0]}"
        )


def _tables(n_classes: int) -> Iterator[ContingencyTable]:
    """Tables of two to five branches: extreme ones, then random counts and weights."""
    for branches in (2, 3):
        yield np.ones((branches, n_classes))
        yield np.eye(branches, n_classes)
        yield np.eye(1, branches * n_classes).reshape(branches, n_classes)
    random = np.random.default_rng(0)
    for number in range(200):
        shape = random.integers(2, 6), n_classes
        counts = random.integers(0, 2 + number, shape) * random.integers(0, 2, shape)
        counts[0, 0] += 1
        yield as_table(counts * random.random(shape) if number % 2 else counts)


def _score(criterion: Criterion, table: ArrayLike) -> float:
    try:
        with np.errstate(all="ignore"):
            return float(criterion.function(as_table(table)))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{criterion} fails on {_as_lists(table)}: {error}") from error


def _scores_the_same(
    criterion: Criterion, table: ArrayLike, other: ContingencyTable, change: str
) -> None:
    before, after = _score(criterion, table), _score(criterion, other)
    _hold(
        _is_close(before, after),
        f"{criterion} scores {before} on {_as_lists(table)}, {after} {change}",
    )


def _as_lists(table: ArrayLike) -> list[list[float]]:
    cells: list[list[float]] = as_table(table).tolist()
    return cells


# Smoothers.


def check_smoother(smoother: str | Smoother, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a smoother satisfies the laws expected of probabilities.

    The probabilities of a node lie between 0 and 1 and sum to 1. One more case of a class never
    lowers its probability. Very many cases keep their frequencies. Neither the order of classes nor
    anything but the counts and the shape of the tree matters. The built-in ``curtailment`` breaks
    the third law, as its authors defined it: a leaf that reaches the minimum no longer uses the
    node above.

    Parameters
    ----------
    smoother : str or Smoother
        The smoother, or the name of a built-in one.
    n_classes : int, default 2
        Number of classes of the trees.

    Examples
    --------
    >>> check_smoother("m_branch", n_classes=3)
    """
    smoother = resolve_smoother(smoother)
    for tree in _small_trees(n_classes):
        rows_add_up_to_one(smoother, tree)
        probabilities_lie_between_zero_and_one(smoother, tree)
        a_case_more_never_lowers_its_class(smoother, tree)
        many_cases_keep_their_frequencies(smoother, tree)
        renamed_classes_change_places_only(smoother, tree)
        only_counts_and_shape_matter(smoother, tree)


def rows_add_up_to_one(smoother: Smoother, tree: Tree) -> None:
    """The probabilities of each node, leaf or not, sum to 1."""
    sums = _smooth(smoother, tree).sum(axis=1)
    worst = int(np.abs(sums - 1.0).argmax())
    _hold(
        abs(sums[worst] - 1.0) <= _CHECK_TOLERANCE,
        f"{_name(smoother)} gives node {worst} of {_describe(tree)} probabilities that sum to "
        f"{sums[worst]}",
    )


def probabilities_lie_between_zero_and_one(smoother: Smoother, tree: Tree) -> None:
    """No probability is negative or above 1."""
    found = _smooth(smoother, tree)
    outside = ((found < 0.0) | (found > 1.0 + _CHECK_TOLERANCE)).any(axis=1)
    first = int(outside.argmax())
    _hold(
        not outside.any(),
        f"{_name(smoother)} gives node {first} of {_describe(tree)} the probabilities "
        f"{found[first].tolist()}",
    )


def a_case_more_never_lowers_its_class(smoother: Smoother, tree: Tree) -> None:
    """One more case of a class at a leaf does not lower the probability of that class there."""
    before = _smooth(smoother, tree)
    for leaf, label in product(tree.leaves.tolist(), range(tree.n_classes)):
        after = _smooth(smoother, _with_one_more_case(tree, leaf, label))[leaf, label]
        _hold(
            after >= before[leaf, label] - _CHECK_TOLERANCE,
            f"{_name(smoother)} lowers the probability of class {label} at leaf {leaf} of "
            f"{_describe(tree)} from {before[leaf, label]} to {after} for one more case of it",
        )


def many_cases_keep_their_frequencies(smoother: Smoother, tree: Tree) -> None:
    """With very many cases, probabilities approach frequencies."""
    factor, tolerance = 1e9, 1e-4
    many = replace(tree, counts=factor * tree.counts)
    reached = tree.is_leaf & (tree.weight > 0.0)
    found, expected = _smooth(smoother, many)[reached], frequencies(tree)[reached]
    _hold(
        np.allclose(found, expected, rtol=0.0, atol=tolerance),
        f"{_name(smoother)} changes the frequencies of leaves with {factor:g} times the cases of "
        f"{_describe(tree)}: {found.tolist()} instead of {expected.tolist()}",
    )


def renamed_classes_change_places_only(smoother: Smoother, tree: Tree) -> None:
    """The order of classes does not matter: permuting them permutes the probabilities."""
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    found = np.roll(_smooth(smoother, renamed), -1, axis=1)
    _hold(
        np.allclose(found, _smooth(smoother, tree), rtol=0.0, atol=_CHECK_TOLERANCE),
        f"{_name(smoother)} returns other probabilities for {_describe(tree)} with classes renamed",
    )


def only_counts_and_shape_matter(smoother: Smoother, tree: Tree) -> None:
    """The tests at the nodes do not matter, only how they divide the cases."""
    other = replace(
        tree,
        feature=np.where(tree.is_leaf, -1, tree.feature + 1).astype(np.int32),
        threshold=tree.threshold + 1.0,
        missing_branch=np.where(tree.is_leaf, -1, 0).astype(np.int16),
        gain=np.where(tree.is_leaf, 0.0, tree.gain + 1.0),
    )
    _hold(
        np.array_equal(_smooth(smoother, tree), _smooth(smoother, other)),
        f"{_name(smoother)} returns other probabilities for {_describe(tree)} with other splits",
    )


def _small_trees(n_classes: int) -> Iterator[Tree]:
    """A single leaf, then random trees of up to five splits; some leaves are empty."""
    yield Tree.single_leaf(np.arange(1.0, n_classes + 1.0))
    random = np.random.default_rng(0)
    for number in range(40):
        tree = _random_tree(random, n_splits=1 + number % 5, n_classes=n_classes)
        shape = tree.counts.shape
        cases = random.integers(0, 2 + 5 * number, shape) * random.integers(0, 2, shape)
        factor = random.random(shape) if number % 2 else 1.0
        weights = np.asarray(cases * factor, dtype=np.float64)
        weights[tree.leaves[0], 0] += 1.0
        yield _with_leaf_counts(tree, weights)


def _with_one_more_case(tree: Tree, leaf: int, label: int) -> Tree:
    counts, node = tree.counts.copy(), leaf
    while node >= 0:
        counts[node, label] += 1.0
        node = int(tree.parent[node])
    return replace(tree, counts=counts)


def _smooth(smoother: Smoother, tree: Tree) -> Floats2D:
    try:
        with np.errstate(all="ignore"):
            return probabilities(smoother, tree)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{_name(smoother)} fails on {_describe(tree)}: {error}") from error


def _name(smoother: Smoother) -> str:
    return str(getattr(smoother, "__name__", smoother))


# Pruners.


def check_pruner(pruner: str | Pruner, n_classes: int = 2) -> None:
    """Raise ``AssertionError`` unless a pruner satisfies the laws.

    The pruned tree is a part of the tree: the nodes that remain keep their counts and splits. It
    does not depend on how classes are numbered. Pruners that need held-out cases are given some;
    those that need the training data cannot be checked.

    ``pruning_again_changes_nothing`` is not included. It is true of pruners that decide bottom-up
    on what is left, or on one split at a time, and untrue of some others.

    Parameters
    ----------
    pruner : str or Pruner
        The pruner, or the name of a built-in one.
    n_classes : int, default 2
        Number of classes of the trees.

    Examples
    --------
    >>> check_pruner("minimum_error", n_classes=3)
    >>> check_pruner("reduced_error")
    """
    pruner = resolve_pruner(pruner)
    for tree in _trees(n_classes):
        other_cases = _other_cases(tree)
        pruned_tree_is_part_of_the_tree(pruner, tree, other_cases)
        if need(pruner) == "counts" or not _has_tied_majority(tree):
            class_numbers_change_no_pruning(pruner, tree, other_cases)


def pruned_tree_is_part_of_the_tree(
    pruner: Pruner, tree: Tree, other_cases: Floats2D | None = None
) -> None:
    """The remaining nodes are unchanged, except that some have become leaves.

    Parameters
    ----------
    pruner : Pruner
        The pruner.
    tree : Tree
        The tree to prune.
    other_cases : float64[nodes, classes], optional
        Class counts at the nodes of cases that did not grow the tree, for pruners that need them.
    """
    part = _pruned(pruner, tree, other_cases)
    try:
        part.validate()
    except ModelFileError as error:
        raise AssertionError(
            f"{pruner} does not return a valid tree for {_describe(tree)}: {error}"
        ) from error
    _hold(
        _is_part(part, tree),
        f"{pruner} returns {_describe(part)} for {_describe(tree)}, which is not a part of it",
    )


def pruning_again_changes_nothing(
    pruner: Pruner, tree: Tree, other_cases: Floats2D | None = None
) -> None:
    """Pruning a pruned tree changes nothing.

    Untrue of pruners that judge a node by nodes that are then cut off, such as ``pessimistic``, and
    under costs, where a new leaf may be labelled with a class other than its majority, by which it
    is judged the second time. Also untrue of "one_se", whose reference, the best remaining tree,
    may be worse than before, and of sizes selected by ``auc``, because the path of the pruned tree
    differs.
    """
    once = _pruned(pruner, tree, other_cases)
    left = None if other_cases is None else other_cases[nodes_in(tree, once)]
    twice = _pruned(pruner, once, left)
    _hold(
        once == twice,
        f"{pruner} returns {_describe(once)} for {_describe(tree)}, and {_describe(twice)} when "
        "applied again",
    )


def class_numbers_change_no_pruning(
    pruner: Pruner, tree: Tree, other_cases: Floats2D | None = None
) -> None:
    """The order of classes does not matter.

    Untrue under unequal costs, which are given in that order, and of pruners that count errors on
    held-out cases where two classes tie for the majority, because the first becomes the label.
    """
    renamed = replace(tree, counts=np.roll(tree.counts, 1, axis=1))
    others = None if other_cases is None else np.roll(other_cases, 1, axis=1)
    before, after = _pruned(pruner, tree, other_cases), _pruned(pruner, renamed, others)
    same = before == replace(after, counts=np.roll(after.counts, -1, axis=1))
    _hold(
        same,
        f"{pruner} returns {_describe(before)} for {_describe(tree)}, and {_describe(after)} with "
        "classes renamed",
    )


def equal_costs_change_nothing(pruner: Pruner, under_costs: Pruner, tree: Tree) -> None:
    """If every error costs the same, costs do not matter."""
    plain, priced = pruner(tree), under_costs(tree)
    _hold(
        plain == priced,
        f"{pruner} returns {_describe(plain)} for {_describe(tree)}, and {under_costs} "
        f"{_describe(priced)}",
    )


def _pruned(pruner: Pruner, tree: Tree, other_cases: Floats2D | None) -> Tree:
    """Call a pruner with what it needs."""
    evidence = need(pruner)
    if evidence == "held_out":
        return pruner(tree, other_cases)
    if evidence == "folds":
        return pruner(tree, [] if other_cases is None else [Fold(tree, other_cases)])
    return pruner(tree)


def _other_cases(tree: Tree) -> Floats2D:
    """Class counts of cases distributed much like those of the tree, of every class."""
    random = np.random.default_rng(tree.n_nodes)
    cells = random.poisson(tree.counts + 0.25).astype(np.float64)
    cells[-1] += 1.0  # the last node is a leaf
    return subtree_counts(tree, np.where(tree.is_leaf[:, None], cells, 0.0))


def _has_tied_majority(tree: Tree) -> bool:
    """Whether two classes tie for the majority at some node."""
    most = tree.counts.max(axis=1, keepdims=True)
    return bool(((tree.counts == most).sum(axis=1) > 1)[tree.weight > 0.0].any())


def _is_part(part: Tree, whole: Tree) -> bool:
    """Whether one tree is the other with some subtrees replaced by leaves."""
    origin, final = [0], np.ones(whole.n_nodes, dtype=np.bool_)
    for node, n_children in enumerate(part.n_children.tolist()):
        above = origin[node]
        if n_children:
            if n_children != whole.n_children[above]:
                return False
            first = int(whole.first_child[above])
            origin.extend(range(first, first + n_children))
            final[above] = False
    return part == cut(whole, final)


def _trees(n_classes: int) -> Iterator[Tree]:
    """A single leaf, then random trees with empty leaves, pure leaves and fractional weights."""
    yield Tree.single_leaf(np.ones(n_classes))
    random = np.random.default_rng(0)
    for number in range(100):
        tree = _random_tree(random, n_splits=1 + number // 4, n_classes=n_classes)
        shape = tree.counts.shape
        cells = random.integers(0, 9, shape) * random.integers(0, 2, (shape[0], 1))
        # Sums of eighths are exact.
        yield _with_leaf_counts(tree, cells * random.choice([1.0, 0.125], (shape[0], 1)))


# Helpers.


def _describe(tree: Tree) -> str:
    """Return a tree as the numbers of children of its nodes, breadth first, and their counts."""
    return f"{tree} with n_children {tree.n_children.tolist()} and counts {tree.counts.tolist()}"


def _random_tree(random: np.random.Generator, n_splits: int, n_classes: int) -> Tree:
    """Return a tree of thresholds and three-way nominal splits, all counts zero."""
    n_branches = random.choice([2, 2, 3], n_splits)
    n_nodes = 1 + int(n_branches.sum())
    inner, known = [0], 1 + int(n_branches[0])
    for branches in n_branches[1:]:
        # Split any node after the last one split, among those that exist by now.
        inner.append(int(random.integers(inner[-1] + 1, known)))
        known += int(branches)
    n_children = np.zeros(n_nodes, dtype=np.int32)
    n_children[inner] = n_branches
    nominal = n_children == 3
    return Tree(
        n_children=n_children,
        feature=np.where(n_children == 0, -1, nominal).astype(np.int32),
        threshold=np.where(n_children == 2, random.normal(size=n_nodes), np.nan),
        category_branch=np.tile(np.arange(3, dtype=np.int16), np.count_nonzero(nominal)),
        category_offsets=np.append(0, np.cumsum(3 * nominal)).astype(np.int32),
        missing_branch=np.full(n_nodes, NO_BRANCH, dtype=np.int16),
        counts=np.zeros((n_nodes, n_classes)),
        softness=np.zeros(n_nodes),
        gain=np.where(n_children > 0, random.random(n_nodes) ** 4, 0.0),
    )


def _with_leaf_counts(tree: Tree, counts: Floats2D) -> Tree:
    """Return the tree with these counts at its leaves, and their sums above."""
    summed = np.column_stack([leaf_sums(tree, column) for column in counts.T])
    return replace(tree, counts=summed).validate()


def _is_close(one: float, other: float) -> bool:
    """Whether two numbers are equal up to rounding."""
    return math.isclose(one, other, rel_tol=_CHECK_TOLERANCE, abs_tol=_CHECK_TOLERANCE)


def _at_most(low: float, high: float) -> bool:
    """Whether ``low <= high``, up to rounding."""
    return low <= high or _is_close(low, high)


def _hold(law: bool, message: str) -> None:
    if not law:
        raise AssertionError(message)
