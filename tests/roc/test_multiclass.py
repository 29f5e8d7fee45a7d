import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError
from roctree.roc import Curve, mauc, one_vs_rest, pairwise
from tests.naive import roc as naive
from tests.roc.leaves import some
from tests.strategies import COUNTS

PAIRS = st.sampled_from(["hand_till", "renormalised"])
# Eighths, and so few that ties are common; a leaf without any score for two classes too.
PARTS = st.integers(0, 4).map(lambda n: n / 8)


@st.composite
def leaf_tables(draw):
    """Scores and counts of each class in each leaf; two classes at least have cases."""
    n_classes, n_leaves = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    rows = lambda cell: st.lists(  # noqa: E731 - a strategy for lists of lists
        st.lists(cell, min_size=n_classes, max_size=n_classes),
        min_size=n_leaves,
        max_size=n_leaves,
    )
    scores, counts = draw(rows(PARTS)), draw(rows(COUNTS))
    counts[0][0] += 1
    counts[-1][1] += 1
    return scores, counts


@some
@given(leaf_tables(), PAIRS)
def test_the_area_of_each_pair_is_the_share_of_their_cases_in_order(table, pairs):
    scores, counts = table
    found = pairwise(scores, counts, pairs=pairs)
    for i in range(len(found)):
        for j in range(len(found)):
            expected = None
            if i != j:
                expected = naive.pairs_area(scores, counts, i, j, pairs == "renormalised")
            assert found[i, j] == pytest.approx(
                np.nan if expected is None else float(expected), nan_ok=True
            )


@some
@given(leaf_tables(), PAIRS)
def test_mauc_is_the_mean_over_pairs_that_have_cases(table, pairs):
    expected = naive.mauc(*table, renormalised=pairs == "renormalised")
    assert mauc(*table, pairs=pairs) == pytest.approx(float(expected))


@some
@given(leaf_tables())
def test_the_renormalised_area_of_a_pair_is_the_same_either_way_round(table):
    found = pairwise(*table, pairs="renormalised")
    assert found == pytest.approx(found.T, nan_ok=True)


@some
@given(leaf_tables(), PAIRS)
def test_labels_of_single_cases_count_as_the_leaves_they_make(table, pairs):
    scores, counts = np.array(table[0]), np.array(table[1])
    leaf, label = np.nonzero(counts)
    found = mauc(
        scores[leaf],
        label,
        classes=range(counts.shape[1]),
        sample_weight=counts[leaf, label],
        pairs=pairs,
    )
    assert found == pytest.approx(mauc(scores, counts, pairs=pairs))


@some
@given(leaf_tables())
def test_one_class_against_the_rest_is_a_curve_of_two_classes(table):
    scores, counts = np.array(table[0]), np.array(table[1])
    for i, curve in enumerate(one_vs_rest(*table)):
        theirs = np.delete(counts, i, axis=1).sum(axis=1)
        expected = Curve.from_leaves(scores[:, i], counts[:, i], theirs)
        assert curve.auc == pytest.approx(expected.auc, nan_ok=True)


@pytest.mark.parametrize("pairs", ["hand_till", "renormalised"])
def test_of_two_classes_both_forms_are_the_area_under_the_curve(pairs):
    share, ours, theirs = np.array([0.9, 0.6, 0.3]), [5, 4, 3], [1, 2, 5]
    found = mauc(np.column_stack([share, 1 - share]), np.column_stack([ours, theirs]), pairs=pairs)
    assert found == Curve.from_leaves(share, ours, theirs).auc


def test_mauc_of_one_class_is_not_a_number():
    assert np.isnan(mauc([[0.5, 0.5]], [[3, 0]]))


def test_scores_equal_to_twelve_decimals_are_ties_unless_exact():
    scores = [[0.1 + 0.2, 0.7], [0.3, 0.7]]
    assert mauc(scores, [[1, 0], [0, 1]]) == 0.5
    assert mauc(scores, [[1, 0], [0, 1]], exact=True) == 0.75


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.1, 0.2], [0, 1]), "scores has shape"),
        (([[0.1], [0.2]], [0, 1]), "scores has shape"),
        (([[0.1, np.nan], [0.2, 0.3]], [0, 1]), "scores has a missing or infinite value in row 0"),
        (([["a", "b"]], [0]), "scores must contain only numbers"),
        (([[0.1, 0.9]], [0, 1]), "2 labels for 1 rows"),
        (([[0.1, 0.9], [0.2, 0.8]], [1, 1]), "1 classes for 2 columns"),
        (([[0.1, 0.9]], [[1, 2], [3, 4]]), "counts have shape"),
        (([[0.1, 0.9]], [[1, -2]]), "negative number in row 0"),
        (([[0.1, 0.9], [0.2, 0.8]], ["a", None]), "label of row 1"),
    ],
)
def test_what_cannot_be_ranked_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        mauc(*arguments)


def test_a_label_that_is_no_class_is_refused():
    with pytest.raises(ValueError, match="label 'c'"):
        mauc([[0.1, 0.9], [0.2, 0.8]], ["a", "c"], classes=["a", "b"])


def test_two_columns_of_one_class_are_refused():
    with pytest.raises(DataError, match="classes contains 'a' twice: each column needs its own"):
        mauc([[0.1, 0.9], [0.2, 0.8]], ["a", "a"], classes=["a", "a"])


def test_a_form_of_pairs_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="must be one of 'hand_till', 'renormalised'"):
        mauc([[0.1, 0.9]], [[1, 1]], pairs="both")
