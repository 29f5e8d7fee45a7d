"""Size against quality, by command."""

import json
import sys
from io import StringIO

import pyarrow as pa
import pytest

import roctree as library
from roctree import frontier as tried
from roctree.cli.compare import ALL_SIZES, ALL_WAYS
from roctree.data.readers import read_file
from roctree.experiment.frontier import LEAVES, WAYS

FRONTIER = ("frontier", "data.csv", "--target", "outcome", "--folds", "2")
SMALL = (*FRONTIER, "--leaves", "4,2", "--ways", "best_first,soft")


def points(done):
    assert done.code == 0, done.err
    return json.loads(done.out)["points"]


def test_the_table_is_that_of_python(patients, roctree):
    table = read_file("data.csv")
    X, y = table.drop_columns(["outcome"]), table.column("outcome")
    expected = tried(X, y, leaves=[2, 4], ways=["best_first", "soft"], folds=2)
    found = points(roctree(*SMALL, "--json"))
    assert found == [vars(point) for point in expected.points]
    shown = roctree(*SMALL).out.splitlines()
    assert shown[0] == "Means over 2 train/test splits; cost is the error rate"
    assert [line.split() for line in shown[2:6]] == expected.cells()


def test_costs_are_given_as_to_other_commands(patients, roctree):
    by_pair = roctree(*SMALL, "--positive", "ill", "--cost-fp", "1", "--cost-fn", "5", "--json")
    matrix = '{"ill": {"well": 1}, "well": {"ill": 5}}'
    assert points(by_pair) == points(roctree(*SMALL, "--cost-matrix", matrix, "--json"))
    even = points(roctree(*SMALL, "--json"))
    assert [point["cost"] for point in points(by_pair)] != [point["cost"] for point in even]
    shown = roctree(*SMALL, "--cost-fn", "5").out
    assert shown.startswith("Means over 2 train/test splits; cost is the cost per case")


@pytest.mark.parametrize("ending", ["svg", "PNG"])
def test_a_measure_is_drawn_against_the_leaves(ending, patients, roctree):
    pytest.importorskip("matplotlib").use("Agg")
    done = roctree(*SMALL, "--plot", f"sizes.{ending}", "--measure", "log_loss")
    assert done.code == 0, done.err
    begin = (patients / f"sizes.{ending}").read_bytes()[:60]
    assert (b"<?xml" in begin) if ending == "svg" else begin.startswith(b"\x89PNG")


BAD = {
    "--plot sizes.doc has an unknown format: use a name that ends in svg, png, pdf": (
        "--plot",
        "sizes.doc",
    ),
    "there is no folder 'nowhere'": ("--plot", "nowhere/sizes.svg"),
    "--measure speed is not known": ("--plot", "sizes.svg", "--measure", "speed"),
    "--leaves 4.5 is not allowed: give integers": ("--leaves", "4.5"),
    "--leaves many is not a number": ("--leaves", "many"),
    "--leaves inf is not allowed": ("--leaves", "inf"),
    "--ways softly is not known (did you mean 'soft'?)": ("--ways", "softly"),
    "--folds 1 is not allowed": ("--folds", "1"),
    "cost_fp and --cost-fn, but not both": ("--cost-fn", "2", "--cost-matrix", "[[0, 1], [1, 0]]"),
    "--positive sick is not a class": ("--positive", "sick", "--cost-fn", "2"),
    "--cost-matrix has shape": ("--cost-matrix", "[[0, 1, 2]]"),
}


@pytest.mark.parametrize(("message", "arguments"), BAD.items(), ids=BAD)
def test_what_makes_no_sense_is_refused_before_any_tree_is_grown(
    message, arguments, patients, roctree, monkeypatch
):
    monkeypatch.setattr(library.ROCTreeClassifier, "fit", None)
    done = roctree(*SMALL, *arguments)
    assert done.code == 2
    assert message.replace("cost_fp and", "--cost-fp and") in done.err
    assert len(done.err.splitlines()) == 1
    assert not (patients / "sizes.svg").exists()


def test_costs_of_two_classes_are_refused_for_more(patients, roctree):
    pa.csv.write_csv(
        pa.table({"x": list(range(30)), "outcome": ["a", "b", "c"] * 10}), patients / "data.csv"
    )
    done = roctree(*SMALL, "--cost-fn", "2")
    assert (done.code, "there are 3: give --cost-matrix" in done.err) == (2, True)


class Terminal(StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self):
        return True


def test_a_person_who_waits_sees_how_many_trees_there_are(patients, roctree, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert roctree(*SMALL).code == 0
    assert "Growing trees" in screen.getvalue()
    assert "/8" in screen.getvalue()


def test_control_c_ends_it_without_a_picture(patients, roctree, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(library.ROCTreeClassifier, "fit", interrupted)
    done = roctree(*SMALL, "--plot", "sizes.svg")
    assert (done.code, done.err) == (130, "Stopped.\n")
    assert not (patients / "sizes.svg").exists()


def test_the_defaults_are_those_of_the_library():
    assert ",".join(map(str, LEAVES)) == ALL_SIZES
    assert ",".join(WAYS) == ALL_WAYS
