"""How cases are split into training and test sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree.errors import DataError, ParameterError
from roctree.experiment import Bootstrap, CrossValidation, HoldOut

DESIGNS = [CrossValidation(3, 2), HoldOut(0.3, 4), Bootstrap(1 / 3, 4)]
LABELS = st.lists(st.integers(0, 2), min_size=30, max_size=60).map(
    lambda found: np.array([0, 1, 2] * 6 + found, np.int32)
)


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
@given(labels=LABELS)
def test_no_case_is_on_both_sides(design, labels):
    for split in design.splits(labels):
        assert not set(split.train) & set(split.test)
        assert set(labels[split.train]) == set(labels[split.test]) == {0, 1, 2}


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_splits_depend_on_the_seed(design):
    from dataclasses import replace

    labels = np.array([0, 1] * 30, np.int32)
    first, again = ([s.test.tolist() for s in design.splits(labels)] for _ in range(2))
    other = [s.test.tolist() for s in replace(design, seed=99).splits(labels)]
    assert first == again != other
    assert len(first) == len(design.places)


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_more_repeats_start_with_the_splits_of_fewer(design):
    from dataclasses import replace

    labels = np.array([0, 1, 1] * 20, np.int32)
    few = [split.test.tolist() for split in replace(design, repeats=1).splits(labels)]
    assert [split.test.tolist() for split in design.splits(labels)][: len(few)] == few
    assert replace(design, repeats=9).rule == design.rule != replace(design, seed=9).rule


@pytest.mark.parametrize("design", DESIGNS[:2], ids=repr)
def test_the_ratio_of_test_cases_is_that_of_the_splits(design):
    labels = np.array([0, 1] * 60, np.int32)
    for split in design.splits(labels):
        assert design.test_ratio == pytest.approx(len(split.test) / len(split.train))


@given(labels=LABELS)
def test_folds_cover_every_case_once_in_each_repeat(labels):
    splits = list(CrossValidation(3, 2).splits(labels))
    for repeat in (0, 1):
        tested = np.concatenate([split.test for split in splits if split.repeat == repeat])
        assert sorted(tested) == list(range(len(labels)))


def test_classes_keep_their_share():
    labels = np.repeat([0, 1], [90, 30]).astype(np.int32)
    for design in (CrossValidation(5), HoldOut(0.2, 3)):
        for split in design.splits(labels):
            assert np.mean(labels[split.test]) == pytest.approx(0.25)


def test_a_bootstrap_sample_is_as_large_as_the_data():
    labels = np.repeat([0, 1], [90, 30]).astype(np.int32)
    for split in Bootstrap(repeats=3).splits(labels):
        assert len(split.train) + len(split.test) == 120
        assert len(np.unique(split.train)) < len(split.train)


def test_rare_classes_are_allowed():
    labels = np.array([0] * 20 + [1] * 20 + [2] * 2, np.int32)
    assert len(list(CrossValidation(5).splits(labels))) == 5


def test_more_folds_than_cases_are_rejected():
    with pytest.raises(DataError, match="use fewer folds"):
        list(CrossValidation(5).splits(np.array([0, 1, 0, 1], np.int32)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: CrossValidation(1),
        lambda: CrossValidation(5, 0),
        lambda: CrossValidation(5, seed=-1),
        lambda: CrossValidation(5, repeats=2, seed=2**32 - 1),
        lambda: HoldOut(seed=2**40),
        lambda: HoldOut(0.0),
        lambda: HoldOut(1.5),
        lambda: Bootstrap(repeats=2.5),
    ],
)
def test_invalid_options_are_rejected(make):
    with pytest.raises(ParameterError, match="is not allowed"):
        make()


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_a_quick_design_is_repeated_once(design):
    assert design.quick().repeats == 1
