"""The labellings as a table: text, HTML, rich, data frames, and many leaves."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from roctree.labelling import Labellings, Leaves
from tests.labelling.tables import leaves, tables, worked_tree


@pytest.fixture
def rows():
    return worked_tree().labellings(positive=1)


def many(n_leaves=5000):
    rng = np.random.default_rng(0)
    return Labellings(leaves(rng.integers(1, 10**6, (n_leaves, 2))))


def test_it_is_a_sequence(rows):
    assert len(rows) == len(list(rows)) == 4
    assert rows[-1].tpr == 1.0
    assert rows[np.int64(1)].fpr == 0.125
    assert [row.fpr for row in rows[1:3]] == [0.125, 0.375]
    assert [row.fpr for row in rows[::-1]] == [row.fpr for row in reversed(rows)]
    with pytest.raises(IndexError, match="there are 4 labellings"):
        rows[4]
    with pytest.raises(TypeError):
        rows["first"]


def test_the_leaves_of_a_row_cannot_be_changed(rows):
    with pytest.raises(ValueError, match="read-only"):
        rows[2].positive_leaves[0] = 7


def test_text_has_a_line_for_each_labelling(rows):
    assert repr(rows).splitlines() == [
        "4 labellings, positive class 1",
        "leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +",
        "       0  0.000  0.000     0.400                         0 to 0.2  0.000 to 0.231",
        "       1  0.125  0.417     0.600                       0.2 to 0.5  0.231 to 0.429",
        "       2  0.375  0.750     0.700                      0.5 to 1.67  0.429 to 0.714",
        "       3  1.000  1.000     0.600                     1.67 or more  0.714 to 1.000",
    ]
    assert rows.to_text() == repr(rows).partition("\n")[2]


def divided():
    """Two leaves, and before the second a case that missing values divide between them."""
    counts = np.array([[1.0, 8.0], [6.0, 2.0], [1.0, 0.0]])
    shares = np.array([[1 / 9, 8 / 9], [3 / 4, 1 / 4], [0.4, 0.6]])
    return Labellings(Leaves(np.array([1, 2, -1]), counts, shares))


def test_a_labelling_that_no_costs_make_best_says_so():
    table = divided()
    assert repr(table).splitlines() == [
        "4 labellings",
        "leaves +    FPR    TPR  accuracy  cost ratio (miss : false alarm)      prior of +",
        "       0  0.000  0.000     0.444                       0 to 0.125  0.000 to 0.135",
        "       1  0.125  0.800     0.833                     0.125 to 3.5  0.135 to 0.814",
        "       1  0.250  0.800     0.778                    never optimal",
        "       2  1.000  1.000     0.556                      3.5 or more  0.814 to 1.000",
        "1 of 4 are never optimal: whatever the costs, another labelling costs no more on these "
        "cases, some of which are divided among leaves.",
    ]
    assert np.isnan(table[2].cost_ratio).all()
    assert np.isnan(table.columns()["prior_to"]).tolist() == [False, False, True, False]


@pytest.mark.parametrize("ratio", [0.01, 0.125, 0.5, 3.5, 9.0])
def test_what_is_never_best_costs_no_less_than_another_whatever_a_miss_costs(ratio):
    table = divided()
    costs = [row.fpr * 8 + ratio * (1 - row.tpr) * 10 for row in table]
    best = [row.cost_ratio[0] <= ratio <= row.cost_ratio[1] for row in table]
    assert [cost <= min(costs) + 1e-12 for cost in costs] == best


@given(tables(leaves=(1, 8)), st.randoms(use_true_random=False))
def test_in_any_order_just_the_corners_of_the_hull_are_best(table, random):
    counts = np.array(table, dtype=float)
    shares = np.array([random.random() for _ in table])
    found = Labellings(Leaves(np.full(len(table), -1), counts, np.c_[1.0 - shares, shares]))
    n_negative, n_positive = counts.sum(axis=0)
    for ratio in (0.0, 0.1, 0.7, 1.0, 3.0, 50.0):
        costs = [row.fpr * n_negative + ratio * (1.0 - row.tpr) * n_positive for row in found]
        best = [cost for cost, row in zip(costs, found, strict=True)
                if row.cost_ratio[0] <= ratio <= row.cost_ratio[1]]  # fmt: skip
        assert best
        assert max(best) == pytest.approx(min(costs), abs=1e-9)


def test_html_has_a_row_for_each_labelling_and_escapes_the_class(rows):
    page = Labellings(rows.leaves, "<b>ill</b>")._repr_html_()
    assert page.count("<tr>") == 5
    assert "<b>" not in page
    assert "&lt;b&gt;ill" in page


def test_rich_shows_what_text_shows(rows):
    console = Console(width=120, record=True, file=sys.stderr)
    console.print(rows)
    shown = console.export_text()
    for cell in ("4 labellings, positive class 1", "leaves +", "0.417", "0.5 to 1.67"):
        assert cell in shown


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_the_columns(rows, library):
    pytest.importorskip(library)
    frame = getattr(rows, f"to_{library}")()
    assert list(frame.columns) == list(rows.columns())
    assert frame["positive_leaves"].to_list() == [0, 1, 2, 3]
    assert frame["tpr"].to_list() == [row.tpr for row in rows]
    assert frame["cost_ratio_to"].to_list() == [row.cost_ratio[1] for row in rows]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_without_the_library_it_says_what_to_install(rows, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=f"pip install {library}") as raised:
        getattr(rows, f"to_{library}")()
    assert raised.value.__suppress_context__


def test_a_long_table_is_shown_by_its_ends_and_written_in_full():
    rows = many(300)
    assert len(repr(rows).splitlines()) == 23
    assert "..." in repr(rows).splitlines()[12]
    assert rows._repr_html_().count("<tr>") == 22
    assert len(rows.to_text().splitlines()) == len(rows) + 1


def test_five_thousand_leaves_are_a_table_as_well():
    rows = many()
    assert sum(len(row.positive_leaves) for row in rows) == sum(range(5001))
    assert len(repr(rows)) < 3000
    assert rows[2500].tpr > rows[2500].fpr


def test_without_positives_or_negatives_there_are_no_rates_and_no_warnings():
    for table in ([(3, 0), (1, 0)], [(0, 3), (0, 1)]):
        rows = Labellings(leaves(table))
        assert len(rows) == 2
        assert {row.accuracy for row in rows} == {0.0, 1.0}
        assert "nan" in repr(rows)


def test_a_leaf_without_cases_may_have_any_share():
    for share in (0.0, 5e-324, 1e-300, 1.0):
        rows = Labellings(leaves([(3, 1), (0, 0), (1, 2)], instead=share))
        assert rows[0].cost_ratio[0] == 0.0
        assert rows[-1].cost_ratio[1] == np.inf
