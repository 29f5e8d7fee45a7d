"""Errors carry data, and can be worded with other names than Python's."""

import pickle
from typing import Any

import pytest

from roctree.errors import ColumnTypeError, DataError, ParameterError, ParameterWarning, Wording


class Options(Wording):
    """Names as a command line has them."""

    def parameter(self, name: str) -> str:
        return "--" + name.replace("_", "-")

    def setting(self, name: str, value: Any) -> str:
        return self.parameter(name) if value is True else f"{self.parameter(name)} {value}"

    def option(self, owner: Any, name: str, value: Any) -> str:
        return f"{type(owner).__name__.lower()}:{name}={value}"

    def call(self, method: str, arguments: dict[str, Any]) -> str:
        names = [self.parameter(name) for name in arguments]
        return " ".join([f"roctree {method}", *names])

    def value(self, value: Any) -> str:
        return str(value).lower()


def test_a_finished_message_stays_as_it_is() -> None:
    error = ParameterError("give {x} and {'y': 1}")
    assert str(error) == error.worded(Options()) == "give {x} and {'y': 1}"
    assert error.parameter is None
    assert error.reason is None


@pytest.mark.parametrize(
    ("reason", "in_python", "in_options"),
    [
        ("needs {max_leaf_nodes}", "needs max_leaf_nodes.", "needs --max-leaf-nodes."),
        ("fit with {ranking='leaf'}", "fit with ranking='leaf'.", "fit with --ranking leaf."),
        ("use {at(...)} first", "use at(...) first.", "use roctree at first."),
        ("{at(cost=...)}", "at(cost=...).", "roctree at --cost."),
        ("{at(cost=5, chance=True)}", "at(cost=5, chance=True).", "roctree at --cost --chance."),
        ("{X and y} are needed!", "X and y are needed!", "--X and y are needed!"),
        ("has {found!r}", "has None.", "has none."),
        ("of {found}", "of None.", "of None."),
        ("has {'a': 1}", "has {'a': 1}.", "has {'a': 1}."),
        ("has {", "has {.", "has {."),
        ("has {{1, 2}}", "has {1, 2}.", "has {1, 2}."),
    ],
)
def test_reasons_refer_to_parameters(reason: str, in_python: str, in_options: str) -> None:
    for kind in (ParameterError, DataError, ColumnTypeError, ParameterWarning):
        error = kind(reason=reason, found=None)
        assert str(error) == in_python
        assert error.worded(Options()) == in_options


def test_the_message_begins_with_the_parameter() -> None:
    error = ParameterError(parameter="max_fpr", value=True, reason="is too much")
    assert str(error) == "max_fpr=True is too much."
    assert error.worded(Options()) == "--max-fpr is too much."
    without_value = ParameterError(parameter="max_fpr", reason="is missing")
    assert str(without_value) == "max_fpr is missing."
    owned = ParameterError(owner=Options(), parameter="m", value=-1, reason="is too little")
    assert str(owned) == "Options(m=-1) is too little."
    assert owned.worded(Options()) == "options:m=-1 is too little."


def test_values_of_users_are_not_taken_for_templates() -> None:
    error = ParameterError(parameter="costs", value={"a": 1}, reason="has {odd!r}", odd="{b}")
    assert str(error) == "costs={'a': 1} has '{b}'."
    assert error.details == {"odd": "{b}"}


def test_long_values_are_cut() -> None:
    assert len(str(ParameterError(parameter="x", value=[0] * 10**5, reason="is long"))) < 250


def test_rows_and_columns_are_part_of_data_errors() -> None:
    error = DataError(reason="column {column!r} holds {found!r} in row {row}", column="a", row=3,
                      found=1)  # fmt: skip
    assert str(error) == "column 'a' holds 1 in row 3."
    assert (error.column, error.row) == ("a", 3)


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("finished"),
        ParameterError(parameter="a", value=1, reason="needs {b}, not {c!r}", c="{d}"),
        DataError(reason="{column!r} in {row}", column="x", row=0),
        ParameterWarning(reason="needs {b}, not {c!r}", c="{d}"),
    ],
)
def test_errors_travel_between_processes(error: Any) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.worded(Options()) == error.worded(Options())
    assert vars(again) == vars(error)
