import gzip
import json
import sys
from dataclasses import replace
from importlib import import_module
from io import BytesIO, TextIOWrapper
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import roctree as library
from roctree import ROCTreeClassifier
from roctree.cli.fit import _facts, tree_from_options, tree_options, variants
from roctree.cli.options import RENAMED, parse_strategy, registry
from roctree.data.readers import read_file
from roctree.points import Points
from roctree.pruning import MinimumError
from tests.estimator.churn import customers

NA = {"pandas": {}, "polars": {"null_values": ["NA"]}}
FIT = ("--target", "outcome", "--max-leaves", 8)


def test_fit_says_what_each_column_was_taken_for_and_how_to_say_otherwise(patients, roctree):
    done = roctree("fit", "data.csv", *FIT)
    lines = {line.split()[0]: line for line in reversed(done.out.splitlines()) if line.strip()}
    assert "numeric" in lines["age"]
    assert "nominal" in lines["sex"]
    assert "3: never, daily, former" in lines["smoker"]
    assert "codes? --nominal ward" in lines["ward"]
    assert "target" in lines["outcome"]
    assert lines["pressure"].split()[-1].isdigit()
    assert "Not saved: use -o FILE to save the tree." in done.out


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_same_run_by_command_and_by_python_gives_equal_bytes(library, grown):
    frame = import_module(library).read_csv("data.csv", **NA[library])
    X, y = frame[frame.columns[:-1]], frame["outcome"]
    ROCTreeClassifier(max_leaf_nodes=8).fit(X, y).save("python.json")
    assert (grown / "python.json").read_bytes() == (grown / "tree.json").read_bytes()


@pytest.mark.parametrize("form", ["csv.gz", "tsv", "parquet", "feather", "arff", "semicolons.csv"])
def test_every_format_gives_the_same_tree(form, patients, roctree):
    write(read_file("data.csv"), f"same.{form}")
    trees = []
    for file in ("data.csv", f"same.{form}"):
        assert roctree("fit", file, *FIT, "-o", "x.json").code == 0
        trees.append(library.load("x.json").to_text())
    assert trees[0] == trees[1]


def write(table, path):
    """Write a table without the writers that are tested elsewhere."""
    rows = [
        ["" if cell is None else str(cell) for cell in row.values()] for row in table.to_pylist()
    ]
    mark = {"tsv": "\t", "semicolons.csv": ";"}.get(path.partition(".")[2], ",")
    text = "\n".join(mark.join(row) for row in [table.column_names, *rows]) + "\n"
    if path.endswith("parquet"):
        parquet.write_table(table, path)
    elif path.endswith("feather"):
        feather.write_feather(table, path)
    elif path.endswith("gz"):
        with gzip.open(path, "wt") as file:
            file.write(text)
    else:
        with open(path, "w") as file:  # noqa: PTH123
            file.write(as_arff(table, rows) if path.endswith("arff") else text)


def as_arff(table, rows):
    kinds = ["string" if pa.types.is_string(field.type) else "numeric" for field in table.schema]
    head = [
        f"@attribute {name} {kind}" for name, kind in zip(table.column_names, kinds, strict=True)
    ]
    body = [",".join(cell or "?" for cell in row) for row in rows]
    return "\n".join(["@relation patients", *head, "@data", *body])


def test_standard_input_is_a_file_too(patients, roctree, monkeypatch):
    content = TextIOWrapper(BytesIO((patients / "data.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", content)
    assert roctree("fit", "-", *FIT, "-o", "piped.json").code == 0
    roctree("fit", "data.csv", *FIT, "-o", "tree.json")
    assert (patients / "piped.json").read_bytes() == (patients / "tree.json").read_bytes()


def test_columns_can_be_nominal_numeric_ignored_and_weights(patients, roctree):
    done = roctree(
        "fit",
        "data.csv",
        *FIT,
        "--nominal",
        "ward",
        "--ignore",
        "sex,smoker",
        "--weight",
        "age",
        "--json",
    )
    roles = {fact["name"]: fact["role"] for fact in json.loads(done.out)["columns"]}
    assert roles == {
        "age": "weight",
        "sex": "ignored",
        "smoker": "ignored",
        "pressure": "numeric",
        "glucose": "numeric",
        "ward": "nominal",
        "outcome": "target",
    }


def test_every_parameter_of_the_estimator_is_an_option():
    named = set(ROCTreeClassifier().get_params(deep=False)) - {"categorical_features"}
    assert set(tree_options()) - {"preset"} == {RENAMED.get(name, name) for name in named}


def test_help_lists_the_choices_of_the_registries(roctree):
    text = " ".join(roctree("fit", "--help").out.split())
    for choices in (
        library.criteria.CRITERIA,
        library.smoothing.SMOOTHING,
        library.pruning.PRUNING,
    ):
        assert ", ".join(choices) in text


def test_options_become_what_python_would_be_given():
    given = {
        "pruning": "minimum_error:m=2:prior=uniform",
        "max_depth": "3",
        "nominal_splits": "multiway",
        "min_gain": "0.01",
        "class_weight": "ill=5,well=1",
        "collapse": True,
        "max_leaves": "none",
    }
    found = tree_from_options(given, ["ill", "well"]).get_params()
    wanted = {
        "pruning": MinimumError(m=2, prior="uniform"),
        "max_depth": 3,
        "nominal": "multiway",
        "min_gain": 0.01,
        "class_weight": {"ill": 5, "well": 1},
        "collapse": True,
        "max_leaf_nodes": None,
    }
    assert {name: found[name] for name in wanted} == wanted


def test_every_preset_that_is_offered_can_be_had():
    for name in tree_options()["preset"].choices:
        assert isinstance(tree_from_options({"preset": name}), ROCTreeClassifier)


def test_a_preset_begins_and_options_override_it():
    tree = tree_from_options({"preset": "c45", "min_samples_leaf": "5"})
    assert (tree.nominal, tree.min_samples_leaf) == ("multiway", 5)


def test_lists_of_strategies_are_combined():
    found = variants({"criterion": "auc,msee", "smoothing": "none,laplace", "max_depth": "3"})
    assert list(found) == ["auc none", "auc laplace", "msee none", "msee laplace"]
    assert found["auc laplace"] == {"criterion": "auc", "smoothing": "laplace", "max_depth": "3"}


def test_a_column_with_many_categories_gets_a_remark(roctree, tmp_path):
    rows, left = customers()
    rows.assign(left=left).to_csv(tmp_path / "customers.csv", index=False)
    model = str(tmp_path / "tree.json")
    done = roctree("fit", str(tmp_path / "customers.csv"), "--target", "left", "-o", model)
    remark = "300 categories, about 12 rows each: splits on it may not hold for new rows"
    assert f"{remark}; --ignore city" in done.out
    done = roctree("explore", model, "-o", str(tmp_path / "tree.html"))
    assert f"city has {remark}." in done.out


def test_points_are_an_option_by_their_number_of_attributes(patients, roctree):
    done = roctree("fit", "data.csv", "--target", "outcome", "--points", 2, "-o", "card.json")
    assert done.code == 0
    card = library.load("card.json")
    assert card.points == Points(shape="curves", max_attributes=2)
    assert (card.max_leaf_nodes, card.ranking) == (16, "soft")
    assert repr(card.points_) in done.out
    assert "on held-out scores" in done.out or card.points_.scorecard.attributes == ()
    for arguments in (("evaluate", "card.json", "test.csv"), ("predict", "card.json", "new.csv")):
        assert roctree(*arguments).code == 0
    refused = roctree("fit", "data.csv", "--target", "outcome", "--points", "round")
    assert refused.err.startswith("Error: --points round is not known; choose from linear, curves")


@pytest.mark.parametrize("name", ["criterion", "smoothing", "pruning", "points"])
def test_every_choice_of_an_option_can_be_written_on_the_command_line(name):
    for word, strategy in registry(name).items():
        for option, hint in get_type_hints(type(strategy)).items():
            choices = get_args(hint) if get_origin(hint) is Literal else ()
            for choice in choices:
                wanted = replace(strategy, **{option: choice})
                assert parse_strategy(name, f"{word}:{option}={choice}") == wanted


def test_the_deviation_over_folds_is_that_of_a_sample():
    model = ROCTreeClassifier().fit([[1.0], [2.0]], ["ill", "well"]).fitted_
    facts = _facts(model, 2, "ill", np.array([0.5, 0.7, 0.9]))
    assert facts["cross_validated_auc"] == pytest.approx(0.7)
    assert facts["cross_validated_auc_deviation"] == pytest.approx(0.2)
