"""The data of the studies: complete, attributed, small, and the same as at OpenML."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from roctree.experiment import BuiltIn, Folder, OpenML, UnknownDataSetError
from studies import sources
from studies.setting import published
from studies.sources import DATA, OpenMLCopies, source_named
from tests.shared_data import load, manifest

SOURCE = Folder(DATA)
MAX_BYTES = 5_000_000


def test_every_file_is_described_and_attributed():
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    files = {path.name for path in DATA.iterdir()} - {"manifest.json", "SOURCES.md"}
    assert files == {entry["file"] for entry in manifest().values()}
    for entry in manifest().values():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{entry['file']}` |")]
        _, _, title, donors, origin, licence, _, _ = map(str.strip, row.split("|"))
        assert (title, donors) == (entry["title"], entry["donors"])
        assert origin
        assert licence


def test_the_folder_is_small():
    assert sum(path.stat().st_size for path in DATA.iterdir()) < MAX_BYTES


def test_every_data_set_of_the_papers_is_in_the_repository():
    for rows in published()["data_sets"].values():
        assert {name for *_, name in rows} <= set(SOURCE.names())


@pytest.mark.parametrize("name", ["hepatitis-numeric-complete", "ecoli-4c", "abalone-over-10"])
def test_variants_are_as_the_manifest_says(name):
    assert len(SOURCE.load(name).y) > 80


@pytest.mark.parametrize("name", ["horse-colic", "vowel"])
def test_two_readers_agree(name):
    ours, theirs = SOURCE.load(name), load(name)
    assert np.array_equal(ours.rows.values, theirs.matrix, equal_nan=True)
    assert list(ours.rows.categories) == theirs.categories
    assert ours.y.tolist() == list(theirs.labels)


@pytest.mark.parametrize("name", ["tic-tac-toe", "balance-scale"])
def test_generated_data_sets_agree_with_the_files(name):
    ours, theirs = BuiltIn().load(name), SOURCE.load(name)
    assert ours.rows.categories == theirs.rows.categories

    def cases(problem):
        rows = map(tuple, problem.rows.values.tolist())
        return Counter(zip(rows, problem.y.tolist(), strict=True))

    assert cases(ours) == cases(theirs)


WEATHER = SimpleNamespace(
    feature_names=["outlook", "temperature"],
    categories={"outlook": ["sunny", "overcast", "rain"]},
    data=np.array([[0.0, 85.0], [1.0, np.nan], [2.0, 70.0], [np.nan, 65.0]]),
    target=np.array(["no", "yes", "yes", "no"]),
)
PLAYED = {
    "openml": "weather",
    "derivation": {"drop_missing_rows": ["temperature"], "merge": {"out": ["yes"], "in": ["no"]}},
    "result": {"rows": 3, "nominal": 1, "numeric": 1, "classes": {"in": 2, "out": 1}},
}


@pytest.fixture
def weather(monkeypatch):
    monkeypatch.setattr(OpenML, "fetch", lambda *_: WEATHER)
    return OpenMLCopies(OpenML())


def test_a_data_set_of_a_paper_is_derived_from_the_copy_at_openml(weather, monkeypatch):
    monkeypatch.setattr(sources, "copies", lambda: {"golf": PLAYED})
    problem = weather.load("golf")
    assert problem.rows.categories == (("rain", "sunny"), None)
    assert problem.rows.values[:, 1].tolist() == [85.0, 70.0, 65.0]
    assert problem.y.tolist() == ["in", "out", "in"]


@pytest.mark.parametrize(
    "change",
    [
        {"result": {"rows": 14}},
        {"derivation": {"drop_attributes": ["humidity"]}},
    ],
)
def test_a_copy_that_differs_is_left_out(weather, monkeypatch, change):
    monkeypatch.setattr(sources, "copies", lambda: {"golf": PLAYED | change})
    with pytest.raises(UnknownDataSetError, match="'weather' is not the data set of the papers"):
        weather.load("golf")


def test_the_expected_sizes_of_openml_copies_are_those_of_our_files():
    variants = [each for entry in manifest().values() for each in entry["variants"]]
    known = {each["id"]: each["result"] for each in variants}
    for name, copy in sources.copies().items():
        assert copy["result"].items() <= known[name].items(), name


def test_a_source_is_chosen_by_name(tmp_path):
    assert source_named(None) == SOURCE
    assert source_named("builtin") == BuiltIn()
    assert source_named("openml").names() == sorted(sources.copies())
    assert source_named(str(tmp_path)) == Folder(tmp_path)
    with pytest.raises(UnknownDataSetError, match="OpenML has no data set 'waveform'"):
        source_named("openml").load("waveform")
