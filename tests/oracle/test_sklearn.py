"""The trees of scikit-learn, node by node.

Both trees are walked together. Where they part, both splits must be equally good, a tie. Cut off
below such splits, both trees have the same training impurity; what lies below is not compared node
by node, because it was grown from other cases and may well be purer in one of them. The impurity
of the whole trees is asserted to agree where they never part, and where nothing but equal cases
ends growth: whatever ties decided, the leaves then hold one class or cases that nothing tells
apart. Over all random data neither library may have an advantage.

Values are rounded to float32, as scikit-learn does.
"""

import numpy as np
import pytest

from roctree.criteria import Entropy, Gini
from roctree.data.dataset import Dataset
from roctree.tree.growth import GrowthRules, grow
from tests.shared_data import load, manifest

sklearn_tree = pytest.importorskip("sklearn.tree")

pytestmark = pytest.mark.slow

TIE = 1e-9
TOO_CLOSE = 1e-7  # scikit-learn does not cut between values that are this close
CRITERIA = {"gini": Gini(), "entropy": Entropy()}
LIMITS = [(None, 1), (3, 1), (None, 5), (8, 20)]  # depth, cases of a leaf
NAMES = [
    "balance-scale",
    "breast-wdbc",
    "climate-crashes",
    "ecoli",
    "glass",
    "haberman",
    "ionosphere",
    "iris",
    "letter",
    "liver-bupa",
    "new-thyroid",
    "optdigits",
    "page-blocks",
    "pendigits",
    "pima",
    "sat",
    "segmentation",
    "sonar",
    "spam",
    "vehicle",
    "waveform",
    "wine",
    "yeast",
]


def both(values, labels, criterion, max_depth, min_leaf, weights=None):
    """The tree of each library."""
    dataset = Dataset.from_data(values, labels, sample_weight=weights)
    classes = np.ones(dataset.schema.n_classes)
    limits = {"max_depth": max_depth, "min_leaf": min_leaf}
    ours = grow(dataset, GrowthRules(CRITERIA[criterion], classes, **limits))
    theirs = sklearn_tree.DecisionTreeClassifier(
        criterion=criterion, max_depth=max_depth, min_samples_leaf=min_leaf, random_state=0
    )
    return ours, theirs.fit(values, labels, weights).tree_


def improvement(values, labels, weights, criterion, feature, threshold):
    """What a split of these cases gains."""
    left = values[:, feature] <= threshold
    n_classes = labels.max() + 1
    sides = (left, ~left)
    table = [np.bincount(labels[s], weights[s], minlength=n_classes) for s in sides]
    return CRITERIA[criterion](table) - CRITERIA[criterion]([np.sum(table, axis=0)])


def gap(column, threshold):
    """How far apart the values beside a threshold are."""
    return column[column > threshold].min() - column[column <= threshold].max()


def n_partings(ours, theirs, values, labels, criterion, weights=None):
    """At how many nodes the trees part; that they are ties is asserted."""
    weights = np.ones(len(labels)) if weights is None else weights
    n_parted, pending = 0, [(0, 0, np.arange(len(labels)))]
    while pending:
        mine, other, rows = pending.pop()
        counts = theirs.value[other, 0] * theirs.weighted_n_node_samples[other]
        assert ours.counts[mine] == pytest.approx(counts)
        splits = [
            (int(ours.feature[mine]), ours.threshold[mine]),
            (int(theirs.feature[other]), theirs.threshold[other]),
        ]
        if ours.is_leaf[mine] or theirs.children_left[other] < 0:
            assert ours.is_leaf[mine] == (theirs.children_left[other] < 0)
        elif splits[0] == splits[1]:
            left = values[rows, splits[0][0]] <= splits[0][1]
            first = ours.first_child[mine]
            pending.append((first, theirs.children_left[other], rows[left]))
            pending.append((first + 1, theirs.children_right[other], rows[~left]))
        else:
            n_parted += 1
            cases = values[rows], labels[rows], weights[rows], criterion
            mine, other = (improvement(*cases, *split) for split in splits)
            feature, threshold = splits[0]
            invisible = gap(values[rows, feature], threshold) <= TOO_CLOSE and mine > other
            assert invisible or mine == pytest.approx(other, abs=TIE)
    return n_parted


def impurities(ours, theirs, criterion):
    """The mean impurity of the training cases in the leaves of each tree."""
    shares = theirs.weighted_n_node_samples / theirs.weighted_n_node_samples[0]
    below = theirs.children_left < 0
    return -CRITERIA[criterion](ours.counts[ours.is_leaf]), float(
        theirs.impurity[below] @ shares[below]
    )


def random_data(seed):
    """Few or many distinct values, and labels that depend on them more or less."""
    rng = np.random.default_rng(seed)
    n_rows, n_features, n_classes = rng.integers((20, 1, 2), (300, 7, 5))
    values = rng.normal(size=(n_rows, n_features)) * rng.choice([3.0, 30.0, 3000.0])
    values = np.round(values) / rng.choice([1.0, 64.0])
    noise = rng.normal(size=n_rows) * rng.choice([0.1, 1.0, 10.0]) * values.std()
    by_size = np.argsort(np.argsort(values[:, 0] + noise)) * n_classes // n_rows
    weights = None if seed % 2 else rng.integers(1, 5, n_rows).astype(float)
    return values, by_size, weights


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("max_depth", "min_leaf"), LIMITS)
def test_two_hundred_random_trees_part_at_ties_only(criterion, max_depth, min_leaf):
    n_identical, advantages = 0, []
    for seed in range(200):
        values, labels, weights = random_data(seed)
        weights = weights if min_leaf == 1 else None  # they count rows, we count weights
        ours, theirs = both(values, labels, criterion, max_depth, min_leaf, weights)
        identical = n_partings(ours, theirs, values, labels, criterion, weights) == 0
        mine, other = impurities(ours, theirs, criterion)
        if identical or (max_depth, min_leaf) == (None, 1):
            assert mine == pytest.approx(other, abs=TIE)
        n_identical += identical
        advantages.append(other - mine)
    assert n_identical > 20
    assert abs(np.mean(advantages)) < 2e-3


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", NAMES)
def test_trees_of_the_data_sets_part_at_ties_only(name, criterion):
    data = load(name)
    values = data.matrix.astype(np.float32).astype(np.float64)
    for limits in LIMITS:
        ours, theirs = both(values, data.codes, criterion, *limits)
        if n_partings(ours, theirs, values, data.codes, criterion) == 0:
            mine, other = impurities(ours, theirs, criterion)
            assert mine == pytest.approx(other, abs=TIE)


def test_every_numeric_complete_data_set_is_tried():
    assert sorted(NAMES) == sorted(n for n in manifest() if load(n).is_numeric_and_complete)
