"""Results as frames and tables."""

import csv
import io

import numpy as np
import pytest

from roctree.errors import DataError, ParameterError
from roctree.experiment import Results, Table
from roctree.experiment.store import Outcome

RANDOM = np.random.default_rng(0)
NAMES = ("old", "new")


def made(gain=0.1, n=20):
    """Results of two configurations on two problems, the second better by a given amount."""
    outcomes = []
    for problem in ("easy", "hard"):
        for name in NAMES:
            for fold in range(n):
                area = 0.7 + gain * (name == "new") + 0.01 * RANDOM.normal()
                measures = {"auc": area, "log_loss": 1.0 - area}
                outcomes.append(Outcome(problem, name, 0, fold, measures, 0.5))
    return Results(outcomes, ("easy", "hard"), NAMES, 0.25)


def test_a_clear_difference_is_a_win_and_none_is_a_tie():
    assert made().win_tie_loss("auc", "new", "old") == {"win": 2, "tie": 0, "loss": 0}
    assert made(0.0).win_tie_loss("auc", "new", "old")["tie"] == 2


def test_smaller_losses_are_better():
    results = made()
    assert results.win_tie_loss("log_loss", "new", "old")["win"] == 2
    assert results.ranks("log_loss").mean_ranks.tolist() == [2.0, 1.0]
    assert results.ranks("auc").mean_ranks.tolist() == [2.0, 1.0]


def test_the_table_marks_significant_differences():
    text = made().table("auc", against="old").markdown()
    easy = next(line for line in text.splitlines() if line.startswith("| easy"))
    assert easy.rstrip(" |").endswith("+")
    assert "| win/tie/loss |  | 2/0/0 |" in text
    worse = made().table("auc", against="new").markdown()
    assert "0/0/2" in worse


def failing_on_the_hard_problem():
    """Results of which the new configuration failed on one of two problems."""
    outcomes = [
        each._replace(measures={}, error="ValueError: no")
        if (each.problem, each.configuration) == ("hard", "new")
        else each
        for each in made().outcomes
    ]
    return Results(outcomes, ("easy", "hard"), NAMES, 0.25)


def test_a_table_shows_failures_and_all_other_results():
    table = failing_on_the_hard_problem().table("auc", against="old")
    easy, hard, mean, score = table.cells
    assert easy[2].endswith("+")
    assert hard[2] == "failed"
    # A mean over fewer problems would be compared with one over all.
    assert mean[2] == "–" != mean[1]
    assert score[2] == "1/0/0"


def test_verdicts_need_two_common_results():
    results = failing_on_the_hard_problem()
    assert results.verdict("auc", "easy", "new", "old") == "win"
    assert results.verdict("auc", "hard", "new", "old") is None
    once = made(n=1)
    assert once.win_tie_loss("auc", "new", "old") == {"win": 0, "tie": 0, "loss": 0}
    assert "±" not in once.table("auc", against="old").markdown()


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_the_frame_has_a_row_for_each_outcome(library):
    pytest.importorskip(library)
    frame = made().frame(library)
    assert frame.shape == (80, 8)
    assert list(frame.columns)[:6] == [
        *("problem", "configuration", "repeat", "fold"),
        *("auc", "log_loss"),
    ]


def test_the_csv_text_of_results_has_no_times():
    rows = list(csv.reader(io.StringIO(made().csv())))
    assert rows[0] == ["problem", "configuration", "repeat", "fold", "auc", "log_loss", "error"]
    assert len(rows) == 81


def test_unknown_measures_and_impossible_comparisons_are_rejected():
    results = made()
    with pytest.raises(ParameterError, match="did you mean 'auc'"):
        results.mean("au", "easy", "old")
    with pytest.raises(ParameterError, match="'polars' or 'pandas'"):
        results.frame("arrow")
    with pytest.raises(DataError, match="fewer than two common results"):
        made(n=1).compare("auc", "easy", "old", "new")


def test_an_unknown_name_is_rejected_and_not_a_tie():
    results = made()
    with pytest.raises(ParameterError, match=r"'odl' is not a configuration .*did you mean 'old'"):
        results.table("auc", against="odl")
    with pytest.raises(ParameterError, match="'hardest' is not a problem of this experiment"):
        results.compare("auc", "hardest", "old", "new")
    with pytest.raises(ParameterError, match="choose from old, new"):
        results.wilcoxon("auc", "new", "other")
    with pytest.raises(ParameterError, match="alpha=5 is not allowed"):
        results.table("auc", against="old", alpha=5)


def test_times_are_a_measure_too():
    assert made().mean("seconds", "easy", "old") == 0.5


TABLE = Table(("name", "a_b"), (("x|y & z", 0.1234), ("<b>", None), ("n", float("nan"))), "A & B")


def test_every_format_escapes_special_characters():
    assert "| x\\|y & z | 0.123 |" in TABLE.markdown()
    assert "<td>&lt;b&gt;</td><td></td>" in TABLE.html()
    assert r"x|y \& z & 0.123 \\" in TABLE.latex()
    assert r"a\_b" in TABLE.latex()
    assert Table(("x", "λ ≥ 2"), (("y", None),)).latex().isascii()
    assert TABLE.csv().splitlines()[1] == "x|y & z,0.1234"
    assert [column.header for column in TABLE.rich().columns] == ["name", "a_b"]
    assert TABLE.cells[2][1] == "–"


def test_names_are_not_parsed_as_rich_markup():
    from rich.console import Console

    console = Console(width=80, file=io.StringIO())
    console.print(Table(("set", "auc [M=4]"), (("iris [/]", 0.5),), title="[b]").rich())
    shown = console.file.getvalue()
    assert all(name in shown for name in ("auc [M=4]", "iris [/]", "[b]"))


def test_formats_are_chosen_by_name():
    for form in ("rich", "markdown", "html", "latex", "csv"):
        assert TABLE.to(form) is not None
    with pytest.raises(ParameterError, match="did you mean 'latex'"):
        TABLE.to("latx")


def test_digits_may_differ_by_column():
    assert Table(("a", "b", "c"), ((0.5, 0.25, 0.125),), digits=(1, 2, 3)).cells == [
        ["0.5", "0.25", "0.125"]
    ]
