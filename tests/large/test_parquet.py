"""Which Parquet files are meant, and what is said of files that do not go together."""

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree.large.batches import (
    common_schema,
    open_pieces,
    parquet_files,
    parquet_rows,
    reading_errors,
)
from tests.large.rows import attributes, frame
from tests.tree.growing import as_bytes

ROWS = pa.table({"dose": [1.0, 2.0, 3.0, 4.0], "state": ["well", "well", "ill", "ill"]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder of files in two folders, among others that do not count."""
    for name in ("0.parquet", "more/1.pq", "_temporary/2.parquet", ".3.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(ROWS, tmp_path / name)
    (tmp_path / "readme.txt").write_text("not a table")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder, *given):
    return [str(path)[len(str(folder)) + 1 :] for path in parquet_files(given)]


@pytest.mark.parametrize(
    "given", [["."], ["0.parquet", "more"], ["*.parquet", "m*"], ["*/*.pq", "?.*et"]]
)
def test_files_folders_and_patterns_mean_the_same_files(folder, given):
    found = names(folder, *given)
    assert sorted(found) == ["0.parquet", "more/1.pq"]


def test_a_name_with_the_marks_of_a_pattern_is_a_name_if_there_is_such_a_file(folder):
    pq.write_table(ROWS, folder / "[a]*.parquet")
    assert names(folder, "[a]*.parquet") == ["[a]*.parquet"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["none.parquet"], "there is no file or folder 'none.parquet'"),
        (["no*.parquet"], r"no file matches 'no\*\.parquet'"),
        ([""], "the name of a file or folder is empty"),
        (["empty"], "the folder 'empty' has no files that end in .parquet or .pq"),
        ([".", "0.parquet"], r"0\.parquet' is named twice"),
    ],
)
def test_what_names_no_file_or_one_twice_is_refused(folder, given, words):
    with pytest.raises(DataError, match=words):
        parquet_files(given)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"dose": [1.0]}, r"b\.parquet' has no column 'state', but '.*a\.parquet' has one"),
        (
            {"dose": [1.0], "state": ["ill"], "ward": [1]},
            r"a\.parquet' has no column 'ward', but '.*b\.parquet' has one",
        ),
        (
            {"dose": ["much"], "state": ["ill"]},
            r"column 'dose' has type string in '.*b\.parquet' and type double",
        ),
        (
            {"dose": [True], "state": ["ill"]},
            r"column 'dose' has type bool in '.*b\.parquet'",
        ),
    ],
)
def test_files_that_do_not_go_together_are_named(tmp_path, other, words):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    pq.write_table(pa.table(other), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=words):
        ROCTreeClassifier(splits="binned").fit(tmp_path, "state")


def test_a_file_that_is_not_parquet_or_has_a_column_twice_is_named(tmp_path):
    (tmp_path / "a.parquet").write_text("dose,state\n1,ill\n")
    with pytest.raises(DataError, match=r"a\.parquet' cannot be read as Parquet"):
        ROCTreeClassifier(splits="binned").fit(tmp_path, "state")
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["dose", "dose"])
    pq.write_table(twice, tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet' has two columns 'dose'"):
        ROCTreeClassifier(splits="binned").fit(tmp_path, "state")


def test_numbers_of_other_types_texts_in_codes_and_columns_in_another_order_go_together(tmp_path):
    rows = frame(400)
    rows["age"] = rows["age"].astype(int)
    table = pa.Table.from_pandas(rows, preserve_index=False)
    other = table.slice(200).set_column(0, "age", table["age"].slice(200).cast(pa.float32()))
    other = other.set_column(2, "ward", other["ward"].dictionary_encode())
    pq.write_table(table.slice(0, 200), tmp_path / "a.parquet")
    pq.write_table(other.select(other.column_names[::-1]), tmp_path / "b.parquet")
    schema = common_schema(parquet_files([tmp_path]))
    assert schema.field("age").type == pa.float64()
    assert schema.field("ward").type in (pa.string(), pa.large_string())
    tree = ROCTreeClassifier(splits="binned").fit(tmp_path, "outcome", "weight")
    expected = ROCTreeClassifier(splits="binned").fit(
        attributes(rows), rows["outcome"], rows["weight"]
    )
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)


def test_a_data_set_keeps_its_filter_and_the_columns_of_its_folders(tmp_path):
    for ward in ("north", "south"):
        (tmp_path / f"ward={ward}").mkdir()
        pq.write_table(ROWS, tmp_path / f"ward={ward}" / "0.parquet")
    rows = pads.dataset(tmp_path, partitioning="hive").filter(pads.field("dose") > 1.0)
    tree = ROCTreeClassifier(splits="binned").fit(rows, "state")
    assert tree.schema_.names == ("dose", "ward")
    assert tree.training_.rows == 6
    with pytest.raises(ParameterError, match="a filtered data set"):
        open_pieces(rows, "state", None)


def test_pieces_are_row_groups_as_large_as_shards_and_say_where_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr("roctree.large.batches.SHARD_ROWS", 5)
    for number in range(2):
        pq.write_table(ROWS.slice(0, 4), tmp_path / f"{number}.parquet", row_group_size=2)
    pq.write_table(pa.concat_tables([ROWS] * 3), tmp_path / "2.parquet", row_group_size=2)
    pieces = open_pieces(tmp_path, "state", None)
    assert [piece.read(0).X.num_rows for piece in pieces] == [4, 4, 4, 4, 4]
    assert pieces[-1].source == f"'{tmp_path / '2.parquet'}' from row 8 on"
    part = pieces[-1].read(4)
    assert (part.number, part.X.column_names, part.y.to_pylist()[0]) == (4, ["dose"], "well")
    (tmp_path / "2.parquet").unlink()
    with pytest.raises(DataError, match=r"2\.parquet' from row 8 on cannot be read by a worker"):
        pieces[-1].read(4)


def test_only_files_can_be_read_by_workers():
    with pytest.raises(ParameterError, match="workers of a cluster read Parquet files"):
        open_pieces(iter([ROWS]), "state", None)


def test_numbers_beyond_what_both_types_hold_are_refused(tmp_path):
    for number, column in enumerate((pa.array([1] * 4), pa.array([2**64 - 1] * 4, pa.uint64()))):
        pq.write_table(ROWS.append_column("n", column), tmp_path / f"{number}.parquet")
    with pytest.raises(DataError, match=r"cannot be read.*Integer value 18446744073709551615"):
        ROCTreeClassifier(splits="binned").fit(tmp_path, "state")


def test_a_file_that_cannot_be_read_to_its_end_is_refused(tmp_path):
    path = tmp_path / "0.parquet"
    pq.write_table(ROWS, path, compression="zstd", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[8:60] = bytes(52)
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        ROCTreeClassifier(splits="binned").fit(tmp_path, "state")
    with pytest.raises(DataError, match="the files cannot be read"), reading_errors("the files"):
        parquet_rows(parquet_files([tmp_path])).head(2)
