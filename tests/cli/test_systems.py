"""The other systems by command: grown, described, tried, used, and refused what they cannot do."""

import json
import re

import pytest

import roctree as library
from roctree.cli.fit import SYSTEMS, system_from_options, system_options
from roctree.cli.options import RENAMED

# Cells take neither categories nor missing values.
NUMBERS = ("--ignore", "sex,smoker,pressure,glucose")
FIT = {
    "nbtree": ("--system", "nbtree", "--min-samples-split", 50),
    "multiscale": ("--system", "multiscale", "--max-level", 4, "--bounds", "0,100", *NUMBERS),
}
KINDS = {"nbtree": "NaiveBayesTreeClassifier", "multiscale": "MultiscaleClassifier"}


@pytest.fixture(params=FIT)
def system(request, patients, roctree):
    """The name of a system whose model is in model.json of the working folder."""
    done = roctree(
        "fit", "data.csv", "--target", "outcome", *FIT[request.param], "-o", "model.json"
    )
    assert done.code == 0, done.err
    assert re.search(
        r"\d+ lea(f|ves), depth \d+, from 400 rows of 2 classes\. AUC 0\.\d+", done.out
    )
    return request.param


def test_a_model_of_a_system_is_described_tried_used_and_relabelled(system, roctree):
    model = library.load("model.json")
    assert (type(model).__name__, model.training_.target) == (KINDS[system], "outcome")
    described = json.loads(roctree("describe", "model.json", "--json").out)
    assert (described["leaves"], described["training_cases"]) == (model.get_n_leaves(), 400.0)
    assert "most probable class" in roctree("describe", "model.json").out
    tried = json.loads(roctree("evaluate", "model.json", "test.csv", "--json").out)
    assert tried["rows"] == 200
    assert len(tried["costs"]) == 7
    done = roctree("at", "model.json", "--cost-fp", 1, "--cost-fn", 5, "-o", "careful.json")
    assert done.code == 0, done.err
    used = roctree("predict", "careful.json", "test.csv", "--columns", "label,score", "--json").out
    labels = [json.loads(line)["label"] for line in used.splitlines()]
    frame = pytest.importorskip("pandas").read_csv("test.csv")
    asked = model.at(cost_fp=1, cost_fn=5).predict(frame[list(model.schema_.names)])
    assert labels == asked.tolist()


def test_a_file_without_rows_is_scored_too(system, patients, roctree):
    head = (patients / "test.csv").read_text().splitlines()[0]
    (patients / "empty.csv").write_text(head + "\n")
    done = roctree("predict", "model.json", "empty.csv")
    assert (done.code, done.out.strip()) == (0, "label,probability_ill,probability_well")


def test_a_model_of_a_system_is_explored_and_its_labellings_are_listed(system, patients, roctree):
    assert roctree("explore", "model.json", "test.csv", "-o", "model.html").code == 0
    assert '"n_test":200' in (patients / "model.html").read_text(encoding="utf-8")
    listed = json.loads(roctree("labellings", "model.json", "--json").out)
    assert len(listed["labellings"]) == len(library.load("model.json").labellings())


IMPOSSIBLE = {
    "--to sql": ("export", "model.json", "--to", "sql"),
    "--columns rule": ("predict", "model.json", "test.csv", "--columns", "rule"),
    "--columns change": ("predict", "model.json", "test.csv", "--columns", "change"),
}


def test_what_a_system_cannot_do_is_one_sentence(system, roctree):
    asked = dict(IMPOSSIBLE)
    if system == "nbtree":
        asked["pruning"] = ("prune", "model.json", "-o", "small.json")
        asked["--columns leaf"] = ("predict", "model.json", "test.csv", "--columns", "leaf")
    for feature, line in asked.items():
        done = roctree(*line)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"Error: A {KINDS[system]} does not support {feature};")
        assert done.err.count("\n") == 1


def test_cells_are_pruned_and_written_as_text(patients, roctree):
    line = ("fit", "data.csv", "--target", "outcome", *FIT["multiscale"], "-o", "cells.json")
    assert roctree(*line).code == 0
    done = roctree("prune", "cells.json", "--method", "minimum_error", "-o", "small.json")
    assert done.code == 0, done.err
    small = library.load("small.json")
    assert small.get_n_leaves() < library.load("cells.json").get_n_leaves()
    shown = roctree("export", "small.json", "--to", "text").out
    assert shown == small.to_text(head=True) + "\n"
    assert shown.startswith("# MultiscaleClassifier(")


WRONG = {
    "--system nbtre is not known (did you mean 'nbtree'?); choose from tree, nbtree, multiscale.": (
        *("--system", "nbtre"),
    ),
    "--criterion is not an option of --system nbtree, which has --min-samples-split, "
    "--min-error-reduction, --folds.": ("--system", "nbtree", "--criterion", "auc"),
    "--preset is not an option of --system multiscale": (
        "--system",
        "multiscale",
        "--preset",
        "c45",
    ),
    "--max-level is not an option of --system tree": ("--max-level", "3"),
    "only numbers can be halved": ("--system", "multiscale"),
    "--bounds wide is not allowed": ("--system", "multiscale", "--bounds", "wide", *NUMBERS),
    "--folds odd is not allowed": ("--system", "nbtree", "--folds", "odd"),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_system_is_not_fitted_with_what_it_does_not_know(sentence, patients, roctree):
    done = roctree("fit", "data.csv", "--target", "outcome", *WRONG[sentence])
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_every_parameter_of_every_system_is_an_option():
    known = {option: parameter for parameter, option in RENAMED.items()}
    named = {known.get(option, option) for option in system_options()}
    for system in SYSTEMS.values():
        parameters = getattr(library, system)().get_params(deep=False)
        assert set(parameters) - {"categorical_features", "keep_cases"} <= named


def test_options_of_a_system_become_what_python_would_be_given():
    given = {"system": "multiscale", "bounds": "[0,1],[-2,2.5]", "merge_leaves": True}
    found = system_from_options(given)
    assert type(found) is library.MultiscaleClassifier
    assert (found.bounds, found.merge_leaves) == ([[0, 1], [-2, 2.5]], True)
    assert system_from_options({"system": "multiscale", "bounds": "training"}).bounds == "training"


def test_the_same_system_by_command_and_by_python_gives_equal_bytes(patients, roctree):
    line = ("fit", "data.csv", "--target", "outcome", "--system", "nbtree", "-o", "command.json")
    assert roctree(*line).code == 0
    frame = pytest.importorskip("pandas").read_csv("data.csv")
    model = library.NaiveBayesTreeClassifier().fit(frame[frame.columns[:-1]], frame["outcome"])
    model.save("python.json")
    assert (patients / "python.json").read_bytes() == (patients / "command.json").read_bytes()


def _no_room_for_a_library():
    try:
        raise ImportError("libllvmlite.so: failed to map segment from shared object")
    except ImportError:
        raise OSError("Could not find/load shared object file") from None


def _no_room_for_rows():
    raise MemoryError


def _no_room_to_import():
    raise SystemError("error return without exception set")


@pytest.mark.parametrize("fail", [_no_room_for_a_library, _no_room_for_rows, _no_room_to_import])
def test_a_lack_of_memory_is_one_sentence_wherever_it_shows(fail, roctree, monkeypatch):
    monkeypatch.setattr("roctree.cli.app", lambda **_: fail())
    done = roctree("describe", "tree.json")
    assert done.code == 2
    assert done.err.startswith("Error: there is not enough memory: leave out columns with --ignore")
    assert done.err.count("\n") == 1
