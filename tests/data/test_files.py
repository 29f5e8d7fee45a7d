import bz2
import gzip
import os
import signal
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread, Timer

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from roctree import DataError, ParameterError
from roctree.data import csv_file
from roctree.data.csv_file import MISSING_VALUES, CsvFormat, detect_delimiter
from roctree.data.readers import read_batches, read_column_names, read_file
from roctree.data.streams import Source

TEXT = 'x,name,yes\n1,"a, b",true\n2.5,c,false\nNA,?,true\n'
ROWS = [
    {"x": 1.0, "name": "a, b", "yes": True},
    {"x": 2.5, "name": "c", "yes": False},
    {"x": None, "name": None, "yes": True},
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, content):
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def test_cells_are_read_as_a_person_would(here):
    assert read_file(written("a.csv", TEXT)).to_pylist() == ROWS


@pytest.mark.parametrize("word", MISSING_VALUES)
def test_missing_is_spelled_in_many_ways(word, here):
    table = read_file(written("a.csv", f"x,y,z\n1,a,b\n{word},{word}, {word}\n3,b,c\n"))
    assert table.to_pylist()[1] == {"x": None, "y": None, "z": None}
    assert pa.types.is_integer(table.schema.field("x").type)


def test_other_spellings_of_missing_can_be_given(here):
    table = read_file(written("a.csv", "x\n1\n-\n"), CsvFormat(missing_value=("-",)))
    assert table.to_pylist() == [{"x": 1}, {"x": None}]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_mark_between_cells_is_seen_from_the_first_line(mark, here):
    text = mark.join(["a", '"b,;,;,;|||"', "c"])
    assert detect_delimiter(text) == mark
    table = read_file(written("a.csv", f"{text}\n{mark.join('123')}\n"))
    assert table.column_names == ["a", "b,;,;,;|||", "c"]


def test_decimals_and_alphabets_can_be_other_than_usual(here):
    written("a.csv", "größe;x\nköln;1,5\n".encode("latin-1"))
    table = read_file("a.csv", CsvFormat(decimal=",", encoding="latin-1"))
    assert table.to_pylist() == [{"größe": "köln", "x": 1.5}]


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.csv.gz", gzip.compress), ("a.csv.bz2", bz2.compress), ("a.csv", gzip.compress)],
)
def test_packed_files_are_unpacked_whatever_their_name(name, pack, here):
    assert read_file(written(name, pack(TEXT.encode()))).to_pylist() == ROWS


def test_a_number_far_down_does_not_surprise(here):
    """The type of a column is what all cells allow, not the first ones."""
    cells = ["1"] * 300_000
    for last, kind in (("2.5", pa.float64()), ("x", pa.string())):
        table = read_file(written("a.csv", "\n".join(["x", *cells, last])))
        assert table.schema.field("x").type == kind


def test_blanks_around_cells_are_no_part_of_them(here):
    assert read_file(written("a.csv", "x,y\n 1, a \n 2, b\n")).to_pylist() == [
        {"x": 1, "y": "a"},
        {"x": 2, "y": "b"},
    ]


def test_line_ends_may_be_inside_of_quotes(here):
    assert read_file(written("a.csv", 'x\n"a\nb"\n')).to_pylist() == [{"x": "a\nb"}]


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_typed_files_are_read_by_name_and_by_their_first_bytes(form, here, monkeypatch):
    table = pa.table(
        {"x": [1.0, 2.5, None], "name": ["a, b", "c", None], "yes": [True, False, True]}
    )
    write = parquet.write_table if form == "parquet" else feather.write_feather
    write(table, f"a.{form}")
    assert read_file(f"a.{form}").to_pylist() == ROWS
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(Path(f"a.{form}").read_bytes())))
    assert read_file("-").to_pylist() == ROWS


def test_packed_text_comes_through_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(gzip.compress(TEXT.encode()))))
    assert read_file("-").to_pylist() == ROWS


def test_a_pipe_that_gives_little_at_a_time_is_read_to_its_end(monkeypatch):
    class Slow(BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 3) if size >= 0 else 3)

    monkeypatch.setattr(sys, "stdin", TextIOWrapper(Slow(TEXT.encode())))
    source = Source("-")
    assert source.head == TEXT.encode()
    assert csv_file.read_csv(source, CsvFormat(), {}).to_pylist() == ROWS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_pipe_with_a_name_is_read_once(form, here):
    content = TEXT.encode()
    if form == "parquet":
        parquet.write_table(pa.Table.from_pylist(ROWS), "a.parquet")
        content = Path("a.parquet").read_bytes()
    os.mkfifo("pipe")
    writer = Thread(target=Path("pipe").write_bytes, args=(content,))
    writer.start()
    assert read_file("pipe").to_pylist() == ROWS
    writer.join()


@pytest.mark.parametrize("form", ["csv", "parquet", "feather", "arff"])
def test_blocks_make_up_the_whole(form, here, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 100)
    monkeypatch.setattr("roctree.data.readers.ARFF_BATCH_ROWS", 10)
    monkeypatch.setattr("roctree.data.readers.PARQUET_BATCH_ROWS", 10)
    table = pa.table({"x": [float(i) for i in range(95)], "y": [f"v{i % 3}" for i in range(95)]})
    if form == "parquet":
        parquet.write_table(table, "a.parquet", row_group_size=20)
    elif form == "feather":
        feather.write_feather(table, "a.feather", chunksize=10)
    else:
        head = (
            "x,y\n"
            if form == "csv"
            else "@relation r\n@attribute x real\n@attribute y string\n@data\n"
        )
        written(f"a.{form}", head + "".join(f"{i},v{i % 3}\n" for i in range(95)))
    types = {"x": pa.float64()}
    blocks = list(read_batches(f"a.{form}", ["y", "x"], types=types))
    assert len(blocks) > 3
    assert pa.concat_tables(blocks).to_pylist() == table.select(["y", "x"]).to_pylist()
    # Without columns, the number of rows remains.
    assert sum(block.num_rows for block in read_batches(f"a.{form}", [], types=types)) == 95


@pytest.mark.parametrize("form", ["csv", "parquet", "feather", "arff"])
def test_a_file_without_rows_is_one_empty_block(form, here):
    table = pa.table({"x": pa.array([], pa.float64())})
    if form == "parquet":
        parquet.write_table(table, "a.parquet")
    elif form == "feather":
        feather.write_feather(table, "a.feather")
    else:
        written(f"a.{form}", "x\n" if form == "csv" else "@relation r\n@attribute x real\n@data\n")
    (block,) = read_batches(f"a.{form}", ["x"], types={"x": pa.float64()})
    assert (block.num_rows, block.column_names) == (0, ["x"])


WRONG = {
    "a.csv, line 3, has 3 cells, but the line of names has 2: quote cells": "x,y\n1,2\n1,2,3\n",
    "a.csv is empty: give a file with the names of the columns in its first line": "",
    "has two columns 'x': rename one": "x,x\n1,2\n",
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_cannot_be_read_is_refused(sentence, here):
    with pytest.raises(DataError) as error:
        read_file(written("a.csv", WRONG[sentence]))
    assert sentence in str(error.value)


def test_a_text_among_numbers_is_named(here):
    written("a.csv", "x\n1\nmuch\n")
    sentence = (
        "a.csv, line 3: column 'x' does not contain only numbers: 'much' is not allowed: correct "
        "it, or list it in missing_value if it means missing."
    )
    with pytest.raises(DataError) as error:
        read_file("a.csv", types={"x": pa.float64()})
    assert str(error.value) == sentence
    with pytest.raises(DataError) as error:
        list(read_batches("a.csv", ["x"], types={"x": pa.float64()}))
    assert str(error.value) == sentence
    parquet.write_table(pa.table({"x": ["1", "much"]}), "a.parquet")
    with pytest.raises(DataError, match=r"column 'x' does not contain only numbers: .*much"):
        read_file("a.parquet", types={"x": pa.float64()})


def test_a_column_is_named_as_the_file_names_it_wherever_it_stands(here):
    written("a.csv", "first, second name ,third\n1,2,yes\n3,maybe,no\n")
    for name, word in {"second name": "numbers", "third": "truth values"}.items():
        kind = pa.float64() if word == "numbers" else pa.bool_()
        with pytest.raises(DataError, match=f"column '{name}' does not contain only {word}"):
            list(read_batches("a.csv", ["third", "second name"], types={name: kind}))


def test_the_columns_of_a_file_are_known_without_reading_it(here):
    written("a.csv", "x, y\n1,2\n")
    parquet.write_table(pa.table({"x": [1], "y": [2]}), "a.parquet")
    feather.write_feather(pa.table({"x": [1], "y": [2]}), "a.feather")
    for ending in ("csv", "parquet", "feather"):
        assert read_column_names(f"a.{ending}") == ["x", "y"]


def test_digits_with_zeros_before_them_are_codes_and_stay_as_they_are(here):
    written("a.csv", "code,n,share,zip\n007,0,0.5, 01234\n012,10,00.5,99999\nNA,20,1,\n")
    table = read_file("a.csv")
    assert table["code"].to_pylist() == ["007", "012", None]
    assert table["zip"].to_pylist() == ["01234", "99999", None]
    assert [str(table[name].type) for name in ("n", "share")] == ["int64", "double"]
    assert read_file("a.csv", types={"code": pa.float64()})["code"].to_pylist() == [7.0, 12.0, None]


def test_a_column_that_is_not_there_is_named_with_those_that_are(here):
    written("a.csv", "x,y\n1,2\n")
    with pytest.raises(DataError, match=r"a\.csv has no column 'z': add it.*; it has 'x', 'y'"):
        list(read_batches("a.csv", ["x", "z"]))


def test_texts_of_another_alphabet_are_refused(here):
    written("a.csv", "name\nköln\n".encode("latin-1"))
    with pytest.raises(DataError, match="encoding"):
        read_file("a.csv")


def test_a_first_line_in_another_alphabet_is_refused_before_columns_are_chosen(here):
    written("a.csv", "größe,y\n1,2\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"a\.csv has text in another encoding.*'cp1252'"):
        list(read_batches("a.csv", ["größe"]))
    with pytest.raises(DataError, match="encoding"):
        read_column_names("a.csv")
    # The replacement character itself may be part of a name.
    for encoding in ("utf8", "utf-16"):
        written("a.csv", "gr\ufffdße,y\n1,2\n".encode(encoding))
        assert read_column_names("a.csv", CsvFormat(encoding=encoding)) == ["gr\ufffdße", "y"]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_said_to_be_empty_before_columns_are_chosen(text, here):
    written("a.csv", text)
    with pytest.raises(DataError, match=r"a\.csv is empty: give a file"):
        list(read_batches("a.csv", ["x"]))
    with pytest.raises(DataError, match=r"a\.csv is empty"):
        read_column_names("a.csv")


def test_spellings_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="give a single character"):
        CsvFormat(delimiter="::")
    with pytest.raises(ParameterError, match="encoding='martian' is not known"):
        CsvFormat(encoding="martian")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_can_be_read_outside_the_main_thread_where_signals_cannot_be_caught(here):
    os.mkfifo("pipe")
    writer = Thread(target=Path("pipe").write_text, args=(TEXT,))
    found = []
    reader = Thread(target=lambda: found.append(read_file("pipe").to_pylist()))
    writer.start()
    reader.start()
    for thread in (writer, reader):
        thread.join(60.0)
    assert found == [ROWS]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_that_sends_nothing_can_be_interrupted(here):
    os.mkfifo("pipe")
    opened = os.open("pipe", os.O_RDWR)  # both ends are open, and nothing comes
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    later = Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        later.start()
        with pytest.raises(KeyboardInterrupt):
            read_file("pipe")
    finally:
        later.cancel()
        signal.signal(signal.SIGINT, previous)
        os.close(opened)
