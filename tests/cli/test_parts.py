"""Parquet files read part by part, and by the workers of a cluster."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

import roctree as library
from roctree.cli import fit as fit_command
from roctree.data.readers import read_file

FIT = ("--target", "outcome", "--splits", "binned", "--max-leaves", 8)


def test_files_a_folder_a_pattern_and_memory_give_the_same_bytes(patients, roctree):
    written = []
    for number, given in enumerate((["data.csv"], ["big"], ["big/*.parquet"], big(patients))):
        done = roctree("fit", *given, *FIT, "-o", f"{number}.json")
        assert (done.code, done.err) == (0, "")
        written.append((patients / f"{number}.json").read_bytes())
    assert set(written) == {written[0]}


def big(folder):
    return sorted((folder / "big").glob("*.parquet"))


def test_the_rows_are_not_read_as_a_whole(patients, roctree, monkeypatch):
    monkeypatch.setattr("roctree.cli.data_files.read_file", None)
    monkeypatch.setattr(fit_command, "INSPECTED_ROWS", 50)
    done = roctree("fit", "big", *FIT)
    assert done.code == 0, done.err
    assert "Columns by the first 50 rows\n" in done.out
    assert "from 400 rows of 2 classes" in done.out
    facts = json.loads(roctree("fit", "big", *FIT, "--json").out)
    assert (facts["rows"], facts["rows_looked_at"]) == (400, 50)


def test_columns_mean_what_they_mean_in_memory(patients, roctree):
    options = (
        "--nominal", "ward", "--ignore", "sex,smoker", "--weight", "age",
        "--class-weight", "ill=5,well=1",
    )  # fmt: skip
    trees = []
    for given in ("data.csv", "big"):
        done = roctree("fit", given, *FIT, *options, "-o", "tree.json")
        assert done.code == 0, done.err
        trees.append((patients / "tree.json").read_bytes())
    assert trees[0] == trees[1]
    assert library.load("tree.json").schema_.categories[-1] == ("1", "2", "3", "4")


def test_workers_of_a_cluster_grow_the_same_tree(patients, roctree, scheduler):
    for given in (["big"], ["big", "--dask", scheduler]):
        done = roctree("fit", *given, *FIT, "-o", f"{len(given)}.json")
        assert (done.code, done.err) == (0, "")
    assert (patients / "1.json").read_bytes() == (patients / "3.json").read_bytes()


def test_workers_of_a_cluster_count_the_same_cases(patients, roctree, scheduler):
    assert roctree("fit", "data.csv", *FIT, "--weight", "age", "-o", "tree.json").code == 0
    judge = ("evaluate", "tree.json", "big", "--positive", "ill", "--weight", "age", "--json")
    here, there = (roctree(*judge, *more) for more in ((), ("--dask", scheduler)))
    assert (there.code, there.err) == (0, "")
    assert json.loads(there.out) == json.loads(here.out)
    refused = roctree("evaluate", "tree.json", "data.csv", "--dask", scheduler)
    assert (refused.code, "is not a Parquet file" in refused.err) == (2, True)
    assert (
        roctree("fit", "data.csv", "--target", "outcome", "--system", "nbtree", "-o", "n.json").code
        == 0
    )
    refused = roctree("evaluate", "n.json", "big", "--dask", scheduler)
    assert (refused.code, "--dask is for trees" in refused.err) == (2, True)


def odd_files(folder):
    table = read_file("data.csv")
    parquet.write_table(table.drop_columns(["ward"]), folder / "big" / "short.parquet")
    (folder / "late").mkdir()
    parquet.write_table(table, folder / "late" / "0.parquet")
    odd = table.slice(0, 2).set_column(0, "age", pa.array([1.0, float("inf")]))
    parquet.write_table(odd, folder / "late" / "1.parquet")
    (folder / "none").mkdir()
    (folder / "bare").mkdir()
    parquet.write_table(table.slice(0, 0), folder / "bare" / "0.parquet")


WRONG = {
    "There is no file 'of'; quote names that contain spaces": ("data.csv", "of", *FIT),
    "short.parquet' has no column 'ward', but": ("big", *FIT),
    "'late/1.parquet' from row 0 on: column 'age' holds inf": ("late", *FIT),
    "the folder 'none' has no files that end in": ("none", *FIT),
    "the name of a file or folder is empty": ("late", "", *FIT),
    "There are no rows in 'bare'": ("bare", *FIT),
    "no file matches 'big/*.feather'": ("big/*.feather", *FIT),
    "there is no file or folder 'gone.parquet'": ("gone.parquet", *FIT),
    "'data.csv' is not a Parquet file: several files": ("data.csv", "test.csv", *FIT),
    "'data.csv' is not a Parquet file": ("data.csv", *FIT, "--dask", "tcp://127.0.0.1:9"),
    "add --splits binned": ("late/0.parquet", "late/1.parquet", "--target", "outcome"),
    "late is a folder: folders, glob patterns": ("late", "--target", "outcome"),
    "no Dask scheduler answers at 'tcp://127.0.0.1:9'": (
        "late/0.parquet",
        *FIT,
        "--dask",
        "tcp://127.0.0.1:9",
    ),
    "no Dask scheduler answers at ''": ("late/0.parquet", *FIT, "--dask", ""),
    "is not an option of --system nbtree": ("late/0.parquet", *FIT, "--system", "nbtree"),
    "there is no column 'outcom' (did you mean 'outcome'?)": (
        "late/0.parquet",
        "--target",
        "outcom",
        "--splits",
        "binned",
    ),
    "column 'sex' does not contain only numbers": ("late/0.parquet", *FIT, "--numeric", "sex"),
    "then prune with": ("late/0.parquet", *FIT, "--pruning", "reduced_error"),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_cannot_be_read_is_one_sentence_and_exit_code_2(
    sentence, patients, roctree, monkeypatch
):
    monkeypatch.setattr("roctree.large.dask._CONNECT_TIMEOUT", 0.5)
    odd_files(patients)
    done = roctree("fit", *WRONG[sentence], "-o", "x.json")
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err.replace(f"{patients}/", "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert not (patients / "x.json").exists()
