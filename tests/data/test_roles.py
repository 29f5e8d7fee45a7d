import re
from datetime import datetime, time

import numpy as np
import pyarrow as pa
import pytest

from roctree import DataError, ParameterError
from roctree.data import Dataset
from roctree.data.csv_file import misread_text
from roctree.data.roles import (
    ColumnOptions,
    assign_roles,
    column_types,
    find_columns,
    find_target,
    read_labels,
)

N = 60


def table(**columns):
    labels = [["no", "yes"][i % 2] for i in range(N)]
    return pa.table({**columns, "class": labels})


def roles(data, **wishes):
    found = assign_roles(data, ColumnOptions("class", **wishes)).columns
    return {fact.name: fact for fact in found if fact.name != "class"}


def test_numbers_are_numeric_and_few_texts_nominal():
    data = table(
        x=[i / 7 for i in range(N)],
        y=[f"v{i % 3}" for i in range(N)],
        z=[i % 2 == 0 for i in range(N)],
    )
    found = roles(data)
    assert [found[name].role for name in "xyz"] == ["numeric", "nominal", "nominal"]
    assert found["x"].values == "0 to 8.42857"
    assert found["y"].values == "3: v0, v1, v2"
    assert [found[name].remark for name in "xyz"] == ["", "", ""]


def test_names_with_commas_can_be_told_apart():
    data = table(x=["red, dark", "red", ""] * (N // 3))
    assert roles(data)["x"].values == "3: '', red, 'red, dark'"


def test_row_numbers_codes_and_empty_columns_are_pointed_out():
    found = roles(table(id=list(range(N)), code=[i % 4 for i in range(N)], none=[None] * N))
    assert "--ignore id" in found["id"].remark
    assert "--nominal code" in found["code"].remark
    assert found["none"].remark == "no values; --ignore none"
    assert found["none"].n_missing == N


def test_columns_of_one_value_are_pointed_out_unless_cells_are_missing():
    alike = {"one": [1] * N, "half": [0.5] * N, "red": ["red"] * N, "true": [True] * N}
    found = roles(table(**alike, gaps=[1.0] * (N - 1) + [None], late=[1] * (N - 1) + [2]))
    for name in alike:
        assert found[name].remark == f"constant, of no use to a split; --ignore {name}"
    assert [found[name].remark for name in ("gaps", "late")] == ["", ""]


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ([f"P{i}" for i in range(N)], "'x' contains a different text in every row"),
        ([time(hour=i % 24) for i in range(N)], "'x' contains times"),
        ([[i] for i in range(N)], "'x' contains list<"),
    ],
)
def test_identifiers_and_times_are_refused_until_something_is_said(column, reason):
    data = table(x=column, y=list(range(N)))
    with pytest.raises(DataError) as error:
        assign_roles(data, ColumnOptions("class"))
    assert reason in str(error.value)
    assert "Leave them out with ignore='x'" in str(error.value)
    assert assign_roles(data, ColumnOptions("class", ignore=("x",))).X.column_names == ["y"]


def test_many_texts_are_refused_unless_they_are_asked_for():
    labels = ["no", "yes"] * 1500
    data = pa.table({"x": [f"v{i % 1200}" for i in range(3000)], "class": labels})
    with pytest.raises(DataError, match="'x' contains 1200 different texts"):
        assign_roles(data, ColumnOptions("class"))
    assert assign_roles(data, ColumnOptions("class", nominal=("x",))).X.column_names == ["x"]


def test_a_target_that_is_no_class_is_refused():
    data = pa.table({"x": list(range(300)), "y": [i / 7 for i in range(300)]})
    with pytest.raises(DataError, match="the target 'y' has 300 different values"):
        assign_roles(data, ColumnOptions("y"))


def test_a_missing_label_is_named_by_its_row():
    data = pa.table({"x": [1, 2, 3], "y": ["a", None, "b"]})
    with pytest.raises(DataError, match="missing in 1 row, first in row 2"):
        assign_roles(data, ColumnOptions("y"))


def test_names_with_commas_and_lists_of_names_are_told_apart():
    data = table(**{"a,b": list(range(N)), "a": list(range(N)), "b": list(range(N))})
    assert assign_roles(data, ColumnOptions("class", ignore=("a,b",))).X.column_names == ["a", "b"]
    assert (
        assign_roles(data.drop(["a,b"]), ColumnOptions("class", ignore=("a,b",))).X.column_names
        == []
    )


def test_columns_that_are_not_there_are_named():
    with pytest.raises(ParameterError, match=r"no column 'clas' \(did you mean 'class'\?\)"):
        assign_roles(table(x=[1] * N), ColumnOptions("clas"))


def schema_of(X, y):
    return Dataset.from_data(X, y).schema


def test_new_files_are_read_as_what_the_tree_knows():
    frame = pa.table({"a": [1.5, 2.0], "b": ["x", "y"], "c": [True, False]})
    schema = schema_of(frame, ["no", "yes"])
    assert column_types(schema) == {"a": pa.float64(), "b": pa.string(), "c": pa.bool_()}


def test_the_target_is_the_only_column_that_holds_the_classes():
    schema = schema_of(pa.table({"a": [1.5, 2.0]}), [0, 1])
    data = pa.table({"a": [1.0, 0.0], "other": [5, 6], "kind": ["1", "0"]})
    assert find_target(data, schema) == "kind"
    with pytest.raises(
        DataError, match="has the classes 0, 1 in 'kind', 'b': choose the column by target"
    ):
        find_target(data.append_column("b", pa.array([0, 1])), schema)


def test_labels_are_classes_however_they_are_written():
    classes = np.array([0, 1])
    for column in (["1", "0", "1"], [1, 0, 1], [1.0, 0.0, 1.0]):
        found = read_labels(pa.chunked_array([column]), classes, "y")
        assert found.tolist() == [1, 0, 1]
    with pytest.raises(DataError, match="'y' has the label '2', which is not a class of the tree"):
        read_labels(pa.chunked_array([["2"]]), classes, "y")
    with pytest.raises(DataError, match="of row 2 is missing"):
        read_labels(pa.chunked_array([[1, None]]), classes, "y")


def test_a_list_of_columns_may_name_some_that_contain_commas():
    names = ["id", "income, gross", "city", "a,b,c"]
    assert find_columns(["id,income, gross", "a,b,c,city"], names) == [
        "id", "income, gross", "a,b,c", "city",
    ]  # fmt: skip
    with pytest.raises(ParameterError, match=r"no column 'income' \(did you mean 'income, gross'"):
        find_columns(["id,income,city"], names)


def test_what_a_message_advises_to_ignore_can_be_pasted():
    texts = [f"k{i}" for i in range(30)]
    data = pa.table({"key, old": texts, "key": texts, "x": range(30), "y": ["a", "b"] * 15})
    with pytest.raises(DataError) as error:
        assign_roles(data, ColumnOptions(target="y"))
    ignored = re.search(r"ignore='([^']*)'", str(error.value))[1]
    found = assign_roles(data, ColumnOptions(target="y", ignore=(ignored,)))
    assert found.X.column_names == ["x"]


@pytest.mark.parametrize(
    ("texts", "format_"),
    [
        (["1.12.2024", "31.1.2024"], "%d.%m.%Y"),
        (["12/1/2024", "1/31/2024"], "%m/%d/%Y"),
        (["2024/12/01"], "%Y/%m/%d"),
        (["01-12-24 10:30"], "%d-%m-%y %H:%M"),
    ],
)
def test_the_format_of_dates_that_is_proposed_reads_them(texts, format_):
    assert misread_text(pa.array(texts)).endswith(f"such as {{dates={format_!r}}}")
    for text in texts:
        datetime.strptime(text, format_)


def test_numbers_as_text_are_pointed_out_unless_they_were_asked_for():
    data = table(x=[str(i % 5) for i in range(N)], y=[f"v{i % 5}" for i in range(N)])
    assert roles(data)["x"].remark == "numbers as text: codes? --numeric x"
    assert roles(data)["y"].remark == ""
    assert roles(data, nominal=("x",))["x"].remark == ""
