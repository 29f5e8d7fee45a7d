from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import DataError
from roctree.data.readers import read_file, split_cells, unquote

HEAD = """% A comment
@RELATION 'weather today'

@attribute 'the outlook' {sunny, 'over, cast', "rain \\"y\\"", ?}
@attribute temperature{1,2}
@ATTRIBUTE humidity REAL
@attribute wind integer
@attribute note string
@attribute day date "yyyy-MM-dd"
@data
"""


@pytest.fixture
def read(tmp_path):
    def from_text(rows, head=HEAD):
        path = tmp_path / "a.arff"
        path.write_text(head + rows, encoding="utf-8")
        return [list(row.values()) for row in read_file(str(path)).to_pylist()]

    return from_text


def test_quotes_missing_values_and_comments_are_understood(read):
    rows = read(
        "sunny, 1, 85.5, 3, 'it\\'s fine', 2020-01-01\n"
        "% between\n"
        "'over, cast',?,?,?,?,?\n"
        '"rain \\"y\\"",2,-1e3,0,"a, b",\'2020-01-02\'\n'
    )
    assert rows == [
        ["sunny", "1", 85.5, 3.0, "it's fine", "2020-01-01"],
        ["over, cast", None, None, None, None, None],
        ['rain "y"', "2", -1000.0, 0.0, "a, b", "2020-01-02"],
    ]


def test_a_question_mark_in_quotes_is_a_value(read):
    assert read("'?',1,1,1,'?',?\n")[0] == ["?", "1", 1.0, 1.0, "?", None]


def test_sparse_rows_have_zeros_and_first_categories(read):
    assert read("{2 7.5, 4 'a b', 0 'over, cast'}\n{}\n{1 ?}\n") == [
        ["over, cast", "1", 7.5, 0.0, "a b", "0"],
        ["sunny", "1", 0.0, 0.0, "0", "0"],
        ["sunny", None, 0.0, 0.0, "0", "0"],
    ]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("sunny,1,2\n", "line 11: 3 values for 6 attributes"),
        ("foggy,1,1,1,x,y\n", "line 11: 'foggy' is not a category of 'the outlook'"),
        ("sunny,1,wet,1,x,y\n", "line 11: 'wet' is not a number, but 'humidity' is numeric"),
        ("{9 x}\n", "line 11: '9 x' is not the number of an attribute and a value"),
        ("'sunny,1,1,1,x,y\n", "line 11: \"'sunny\" is not a category of 'the outlook'"),
    ],
)
def test_a_row_that_makes_no_sense_is_named_by_its_line(rows, sentence, read):
    with pytest.raises(DataError) as error:
        read(rows)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        ("@relation x\n@attribute a relational\n@data\n", "'relational' is not known"),
        ("@relation x\n@attribute a\n@data\n", "give @attribute a name and a type"),
        ("@relation x\n@nonsense\n", "'@nonsense' is not known before @data"),
        ("@relation x\n@data\n1\n", "no attributes before @data"),
    ],
)
def test_a_head_that_makes_no_sense_is_refused(head, sentence, read):
    with pytest.raises(DataError) as error:
        read("", head)
    assert sentence in str(error.value)


@given(st.lists(st.text(st.characters(codec="ascii", min_codepoint=32), max_size=5), min_size=1))
def test_whatever_is_quoted_comes_back(values):
    quoted = ["'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'" for value in values]
    assert [unquote(cell) for cell in split_cells(" , ".join(quoted))] == values


def test_a_file_of_weka_becomes_the_table_that_it_is(tmp_path):
    path = Path(tmp_path / "weather.arff")
    path.write_text(
        "@relation weather\n@attribute outlook {sunny, overcast, rainy}\n"
        "@attribute humidity numeric\n@attribute play {yes, no}\n@data\nsunny,85,no\nrainy,?,yes\n"
    )
    table = read_file(str(path))
    assert table.to_pylist() == [
        {"outlook": "sunny", "humidity": 85.0, "play": "no"},
        {"outlook": "rainy", "humidity": None, "play": "yes"},
    ]
