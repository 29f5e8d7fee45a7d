"""Files as people have them, read as a person would or refused in a sentence."""

import gzip
import re

import pandas as pd
import pyarrow as pa
import pytest

from roctree import DataError
from roctree.data.csv_file import CsvFormat, misread_text
from roctree.data.readers import read_batches, read_column_names, read_file
from roctree.data.roles import ColumnOptions, assign_roles

ROWS = [(f"{i / 8:.3f}", "red" if i % 3 else "blue", "yes" if i % 2 else "no") for i in range(40)]


def text(*names, cell=lambda row: row[0], mark=","):
    """A file of one odd column, a colour and a class."""
    rows = [mark.join([cell(row), *row[1:]]) for row in ROWS]
    return "\n".join([mark.join(names or ("x", "c", "y")), *rows, ""])


READ = {
    "marks at the beginning": ("\ufeff" + text(), {}),
    "line ends of Windows": (text().replace("\n", "\r\n"), {}),
    "line ends of old": (text().replace("\n", "\r"), {}),
    "blank lines": ("\n\n" + text().replace("\n", "\n\n"), {}),
    "blanks around names and cells": (text("x ", " c ", " y", mark=" , "), {}),
    "numbers in quotes": (text(cell=lambda row: f'"{row[0]}"'), {}),
    "decimal commas": (
        text(cell=lambda row: row[0].replace(".", ","), mark=";"),
        {"decimal": ","},
    ),
    "UTF-16": (text().encode("utf-16"), {"encoding": "utf-16"}),
    "a comma at the end of lines": (text().replace("\n", ",\n"), {}),
    "gzip under another name": (gzip.compress(text().encode()), {}),
}


@pytest.mark.parametrize("what", READ)
def test_a_file_is_read_whatever_it_has(what, tmp_path):
    content, spelled = READ[what]
    path = tmp_path / "odd.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    cases = assign_roles(read_file(str(path), CsvFormat(**spelled)), ColumnOptions("y"))
    assert cases.X.column_names == ["x", "c"]
    assert cases.X["x"].to_pylist() == [float(row[0]) for row in ROWS]
    assert cases.y.to_pylist() == [row[2] for row in ROWS]
    batches = list(read_batches(str(path), ["y", "x"], CsvFormat(**spelled)))
    assert [cell for batch in batches for cell in batch["y"].to_pylist()] == cases.y.to_pylist()


def test_a_name_may_have_two_lines(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(text('"two\nlines"', "c", "y"))
    assert read_file(str(path)).column_names == ["two\nlines", "c", "y"]
    (batch,) = read_batches(str(path), ["two\nlines"])
    assert batch.num_rows == len(ROWS)


def test_names_that_differ_by_blanks_keep_them(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(text("x", "x ", "y"))
    assert read_file(str(path)).column_names == ["x", "x ", "y"]
    (batch,) = read_batches(str(path), ["x "])
    assert batch.column_names == ["x "]


TEXTS = {
    "numbers with a decimal comma: set decimal=','": lambda row: row[0].replace(".", ","),
    "numbers with thousands separators": lambda row: f"1,{row[0].replace('.', '')[:3]:0>3}",
    "numbers with units": lambda row: f"{row[0]}%",
    "all are numbers with units: remove the units": lambda row: f"{row[0]} kg",
    "most are numbers with units, but 'k.A.' is not: remove the units, and list 'k.A.' in "
    "missing_value if it means missing": lambda row: (
        "k.A." if row[0].endswith("5") else f"{row[0]}mg/dl"
    ),
    "dates: give their format, such as dates='%d.%m.%Y'": lambda row: (
        f"{int(float(row[0]) * 8) % 28 + 1}.1.2024"
    ),
    "most are numbers, but 'much' is not: list it in missing_value": lambda row: (
        "much" if row[0].endswith("5") else row[0]
    ),
}


@pytest.mark.parametrize("reason", TEXTS)
def test_texts_that_a_person_would_take_for_something_else_are_refused(reason, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(text(cell=TEXTS[reason], mark=";"))
    with pytest.raises(DataError) as error:
        assign_roles(read_file(str(path)), ColumnOptions("y"))
    assert reason in str(error.value)
    assert assign_roles(read_file(str(path)), ColumnOptions("y", nominal=("x",))).X.num_columns == 2


def test_a_reason_that_columns_share_is_said_once(tmp_path):
    path = tmp_path / "odd.csv"
    rows = [f"{x.replace('.', ',')};{x.replace('.', ',')};{i}.1.2024;{y}"
            for i, (x, _, y) in enumerate(ROWS)]  # fmt: skip
    path.write_text("\n".join(["price;size;day;y", *rows, ""]))
    with pytest.raises(DataError) as error:
        assign_roles(read_file(str(path)), ColumnOptions("y"))
    said = str(error.value)
    assert "'price', 'size' contain text, of which all are numbers with a decimal comma" in said
    assert said.count("decimal=") == 1
    assert "'day' contains text, of which all are dates" in said


def test_codes_with_zeros_before_them_are_nominal_and_pointed_out(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text(text(cell=lambda row: f"{int(float(row[0]) * 8) % 12:03d}"))
    fact = assign_roles(read_file(str(path)), ColumnOptions("y")).columns[0]
    assert fact.role == "nominal"
    assert fact.values == "12: 000, 001, 002, 003, ..."
    assert fact.remark == "leading zeros: codes, not numbers; --numeric x"
    numbers = assign_roles(
        read_file(str(path), types=ColumnOptions("y", numeric=("x",)).types), ColumnOptions("y")
    )
    assert numbers.columns[0].role == "numeric"


def test_numbers_that_are_stored_as_texts_are_refused_unless_they_are_few():
    digits = pa.array([str(i) for i in range(40)])
    with pytest.raises(DataError, match="'x' contains text, of which all are numbers: list"):
        assign_roles(pa.table({"x": digits, "y": ["no", "yes"] * 20}), ColumnOptions("y"))
    few = pa.table({"x": ["1", "2"] * 20, "y": ["no", "yes"] * 20})
    assert assign_roles(few, ColumnOptions("y")).columns[0].role == "nominal"


def test_a_few_numbers_among_texts_are_codes(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text(text(cell=lambda row: {"0": "other"}.get(row[0][-1], row[0][-1])))
    assert assign_roles(read_file(str(path)), ColumnOptions("y")).columns[0].role == "nominal"


@pytest.mark.parametrize("texts", [["2 door", "4 door"], ["12a", "12b", "13"], ["007b"] * 12])
def test_texts_that_begin_with_numbers_may_be_names(texts):
    assert misread_text(pa.array(texts)) is None


@pytest.mark.parametrize("unit", ["kg", " kg", " °C", "°", " mmHg", " km/h", "\u00a0m²", " µg"])
def test_numbers_are_recognised_by_the_unit_that_all_have(unit):
    texts = [f"{place}{unit}" for place in range(12)]
    assert misread_text(pa.array(texts)) == "all are numbers with units: remove the units"
    assert misread_text(pa.array([f"0.5{unit}"])) == misread_text(pa.array(texts))
    mixed = [*texts[:6], *(f"{place} other" for place in range(6))]
    assert misread_text(pa.array(mixed)) is None


REFUSED = {
    "odd.csv is encoded in UTF-16: set encoding='utf-16'.": text().encode("utf-16"),
    "odd.csv has text in another encoding: set its encoding, such as encoding='cp1252'.": text(
        "é", "c", "y"
    ).encode("latin-1"),
    "odd.csv is empty: give a file with the names of the columns in its first line": b"\r\n\n",
    "odd.csv has no rows below its first line, which names the columns: add the cases.": b"x,y",
    "odd.csv has two columns without a name: name them in its first line.": b",x,\n1,2,3\n",
    "odd.csv does not end its first line within 4 MB: give a file with": b"abcdefgh," * (1 << 19),
    "odd.csv cannot be decompressed: ": gzip.compress(text().encode() * 99)[:90],
    "odd.csv, line 2, has 2 cells, but the line of names has 1": b"\x00\n\x01,\x02\n",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(reason, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(REFUSED[reason])
    with pytest.raises(DataError) as error:
        read_file(str(path))
    assert reason in str(error.value)
    assert str(error.value).isprintable()


def test_a_first_line_may_be_longer_than_what_is_read_first(tmp_path):
    names = [f"column number {number}" for number in range(8000)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(names), ",".join(["1"] * 8000), ""]))
    assert read_column_names(str(path)) == names
    (batch,) = read_batches(str(path), [names[-1]], types={names[-1]: pa.float64()})
    assert batch.to_pydict() == {names[-1]: [1.0]}


THOUSANDS = {
    ",": ["1,250", "12,345.5", "999"],
    ".": ["1.250", "12.345,5", "999"],
    " ": ["1 250", "12\u00a0345.5", "1\u202f000\u202f000"],
    "'": ["1'250", "12'345.5", "7"],
}


@pytest.mark.parametrize("mark", THOUSANDS)
def test_numbers_in_groups_of_three_digits_are_recognised_and_read(mark, tmp_path):
    decimal = "," if mark == "." else "."
    rows = [f"{cell};{label}" for cell in THOUSANDS[mark] for label in ("no", "yes")]
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["x;y", *rows, ""]))
    with pytest.raises(DataError) as error:
        assign_roles(read_file(str(path), CsvFormat(decimal=decimal)), ColumnOptions("y"), decimal)
    assert f"numbers with thousands separators: set thousands={mark!r}" in str(error.value)
    table = read_file(str(path), CsvFormat(decimal=decimal, thousands=mark))
    plain = [re.sub(r"[ ,.'\u00a0\u202f](?=\d{3})", "", cell) for cell in THOUSANDS[mark]]
    wanted = [float(cell.replace(",", ".")) for cell in plain]
    assert table["x"].to_pylist()[::2] == wanted


def test_german_amounts_are_recognised_by_both_marks(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("x;y\n1.107,51;no\n999;yes\n12,5;no\n1.250.000,00;yes\n")
    with pytest.raises(DataError) as error:
        assign_roles(read_file(str(path)), ColumnOptions("y"))
    assert (
        "all are numbers with thousands separators and a decimal comma: set decimal=',' and "
        "thousands='.'." in str(error.value)
    )
    table = read_file(str(path), CsvFormat(decimal=",", thousands="."))
    assert table["x"].to_pylist() == [1107.51, 999.0, 12.5, 1250000.0]


HINTS = {
    "; for thousands separators and a decimal comma set decimal=',' and thousands='.'.": (
        "1.250,5",
        pa.float64(),
        ".",
    ),
    "; for thousands separators set thousands='.'.": ("1.250", pa.float64(), ","),
    "; for thousands separators set thousands=' '.": ("1 250", pa.float64(), "."),
    "; for a decimal comma set decimal=','.": ("0,25", pa.float64(), "."),
    "; for dates in this format set dates='%d.%m.%Y'.": ("31.12.2024", pa.timestamp("us"), "."),
    ": correct it, or list it in missing_value if it means missing.": ("x", pa.float64(), "."),
}


@pytest.mark.parametrize("hint", HINTS)
def test_a_cell_of_another_kind_than_in_training_comes_with_a_hint(hint, tmp_path):
    cell, kind, decimal = HINTS[hint]
    path = tmp_path / "odd.csv"
    path.write_text(f"x;y\n{cell};a\n")
    with pytest.raises(DataError) as error:
        read_file(str(path), CsvFormat(delimiter=";", decimal=decimal), {"x": kind})
    assert str(error.value).endswith(f"{cell!r} is not allowed{hint}")


def test_digits_that_no_number_can_hold_are_codes(tmp_path):
    path = tmp_path / "parcels.csv"
    path.write_text("\n".join(["x,y", *(f"{10**21 + n % 3},{'ab'[n % 2]}" for n in range(40)), ""]))
    cases = assign_roles(read_file(str(path)), ColumnOptions("y"))
    assert cases.columns[0].role == "nominal"
    assert cases.columns[0].remark == "more than 19 digits: codes, not numbers; --numeric x"
    assert len(cases.X["x"].unique()) == 3


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_integers_that_are_categories_in_pandas_are_nominal_but_labels_stay(suffix, tmp_path):
    kinds = pd.Categorical([n % 4 for n in range(40)])
    labels = pd.Categorical([n % 2 for n in range(40)])
    path = tmp_path / f"kinds.{suffix}"
    frame = pd.DataFrame({"kind": kinds, "age": range(40), "y": labels})
    (frame.to_parquet if suffix == "parquet" else frame.to_feather)(path)
    cases = assign_roles(read_file(str(path), keep_integers=["y"]), ColumnOptions("y"))
    assert [column.role for column in cases.columns] == ["nominal", "numeric", "target"]
    assert cases.X["kind"].unique().to_pylist() == ["0", "1", "2", "3"]
    assert cases.y.unique().to_pylist() == [0, 1]
    table = read_file(str(path), types={"kind": pa.float64()})
    assert table["kind"].to_pylist()[:3] == [0.0, 1.0, 2.0]
