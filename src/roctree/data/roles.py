"""Column roles: which columns of a file are attributes, which is the target, which the weight.

In training data (``assign_roles``) numbers are numeric, text and booleans nominal, unless
``ColumnOptions`` specify otherwise; dates are numbers of days. Columns that hold numbers as text,
or text that identifies rows, are rejected until the user decides what to do with them; other
unusual columns get a remark in their ``ColumnReport``.

For new data of a known schema, ``column_types`` and ``label_type`` give the types of the columns to
read, ``find_target`` finds the classes and ``read_labels`` reads them.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree.data.columns import DATE_ADVICE, Categories, FloatArray, category_text
from roctree.data.csv_file import DECIMAL_POINT, are_numbers, misread_text, why_codes
from roctree.data.dataset import (
    FEW_CATEGORIES,
    FEW_ROWS,
    MANY_CATEGORIES,
    check_weights,
    describe_categories,
)
from roctree.data.encoding import Schema
from roctree.data.lazy import arrow
from roctree.data.readers import list_names
from roctree.errors import DataError, ParameterError, escape_braces
from roctree.text import did_you_mean, pluralize, quote_if_needed

Role = Literal["numeric", "date", "nominal", "target", "weight", "ignored"]
_ATTRIBUTES = ("numeric", "date", "nominal")

# More categories than this are accepted only on request.
_MAX_ACCEPTED_CATEGORIES = 1000
# Up to this number, different integers may be codes.
_FEW_INTEGERS = 10
# Cells that are compared first to find out whether a column is constant.
_FIRST_CELLS = 10
# Names of columns in a list may contain this many commas themselves.
_MAX_COMMAS = 3
_MAX_SHOWN = 4
_LONG_TEXT = 30


# Training data


@dataclass(frozen=True)
class ColumnOptions:
    """The user's options for columns, by name.

    Parameters
    ----------
    target : str
        The class to predict.
    weight : str, optional
        The weight of each row; None for ones.
    nominal, numeric, ignore : tuple of str
        Columns to read as nominal or numeric, or to leave out. A text with commas that is not a
        name stands for several names.
    """

    target: str
    weight: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @property
    def types(self) -> dict[str, Any]:
        """The types of columns to read; nominal codes such as 007 are kept as text."""
        nominal, numeric = _possible_names(self.nominal), _possible_names(self.numeric)
        both = next((name for name in nominal if name in numeric), None)
        if both is not None:
            raise ParameterError(
                reason="{name!r} is listed both as nominal and as numeric: list it once",
                name=both,
            )
        kinds = dict.fromkeys(nominal, arrow.string()) | dict.fromkeys(numeric, arrow.float64())
        return kinds | weight_type(self.weight)


@dataclass(frozen=True)
class ColumnReport:
    """The role of a column, and why that might be wrong.

    Parameters
    ----------
    name : str
        Name of the column.
    role : Role
        Its role.
    values : str
        Its range, or its most frequent categories.
    n_missing : int
        Number of missing cells.
    remark : str
        What is unusual, and the option of the command line that changes the role.
    """

    name: str
    role: Role
    values: str
    n_missing: int
    remark: str = ""


@dataclass(frozen=True)
class LabelledTable:
    """A table divided into attributes, labels and weights.

    Parameters
    ----------
    X : pyarrow.Table
        The attributes.
    y : pyarrow.ChunkedArray
        The labels.
    weights : float64[n] or None
        The weights.
    columns : tuple of ColumnReport
        A summary of every column of the file.
    """

    X: Any
    y: Any
    weights: FloatArray | None
    columns: tuple[ColumnReport, ...]


def assign_roles(table: Any, options: ColumnOptions, decimal: str = DECIMAL_POINT) -> LabelledTable:
    """Divide a table into attributes, labels and weights; reject columns that cannot be used.

    Parameters
    ----------
    table : pyarrow.Table
        The training data.
    options : ColumnOptions
        The user's options for its columns.
    decimal : str
        The decimal mark with which numbers were read.
    """
    names = table.column_names
    (target,) = find_columns([options.target], names, several=False)
    weight = find_columns([options.weight], names, several=False) if options.weight else []
    ignored = find_columns(options.ignore, names)
    if table.num_rows == 0:
        raise DataError(
            "The file has no rows below its first line, which names the columns: add the cases."
        )
    requested = {*find_columns(options.nominal, names), *find_columns(options.numeric, names)}
    summaries: list[ColumnReport] = []
    problems: dict[str, list[str]] = {}
    for name in names:
        column = table.column(name)
        role = _role(column, name, target, weight, ignored)
        summaries.append(_column_report(name, column, role, requested=name in requested))
        if role in _ATTRIBUTES and name not in requested:
            problem = _problem(column, decimal)
            if problem is not None:
                problems.setdefault(problem, []).append(name)
    _check_target(table.column(target), target)
    _reject_unusable(problems)
    attributes = [each.name for each in summaries if each.role in _ATTRIBUTES]
    weights = read_weights(table, weight[0]) if weight else None
    return LabelledTable(table.select(attributes), table.column(target), weights, tuple(summaries))


def find_columns(given: Iterable[str], names: Sequence[str], several: bool = True) -> list[str]:
    """Return the requested columns; a text that is not a name may list some, with commas.

    >>> find_columns(["id,income, gross,city"], ["city", "income, gross", "id"])
    ['id', 'income, gross', 'city']
    """
    found, known = [], set(names)
    for text in given:
        parts = text.split(",") if several and text not in known else [text]
        while parts:
            runs = (n for n in range(_MAX_COMMAS + 1, 0, -1) if ",".join(parts[:n]) in known)
            n_parts = next(runs, 0)
            if n_parts == 0:
                raise ParameterError(
                    f"there is no column {parts[0]!r}{did_you_mean(parts[0], names)}; the columns "
                    f"are {list_names(list(names))}."
                )
            found.append(",".join(parts[:n_parts]))
            del parts[:n_parts]
    return found


def weight_type(name: str | None) -> dict[str, Any]:
    """Return the type to read the column of weights as, if there is one."""
    return {} if name is None else {name: arrow.float64()}


def read_weights(table: Any, name: str, begin: int = 0) -> FloatArray:
    """Return a column as weights.

    Parameters
    ----------
    table : pyarrow.Table
        A part of the data.
    name : str
        The column of weights, in which no cell may be missing.
    begin : int
        Number of rows before this part.
    """
    column = table.column(name)
    if _n_missing(column):
        row = (
            begin
            + arrow.compute.index(arrow.compute.is_null(column, nan_is_null=True), True).as_py()
        )
        raise DataError(
            reason="the weight {column!r} of row {number} is missing: every row needs a weight",
            column=name,
            row=row,
            number=row + 1,
        )
    return check_weights(column.to_numpy(), len(column))


def _possible_names(given: Iterable[str]) -> list[str]:
    """Return all names that a list may stand for, before the columns are known."""
    found = set()
    for text in given:
        parts = text.split(",")
        for begin in range(len(parts)):
            found |= {",".join(parts[begin : begin + n + 1]) for n in range(_MAX_COMMAS + 1)}
        found.add(text)
    return sorted(found)


def _role(column: Any, name: str, target: str, weight: list[str], ignored: list[str]) -> Role:
    if name == target:
        return "target"
    if name in weight:
        return "weight"
    # Lines that end in the delimiter have a last column without name and values.
    if name in ignored or (name == "" and column.null_count == len(column)):
        return "ignored"
    if _is_date(column):
        return "date"
    return "numeric" if _is_numeric(column) else "nominal"


def _column_report(name: str, column: Any, role: Role, *, requested: bool) -> ColumnReport:
    remark, n_missing = "", _n_missing(column)
    if role in _ATTRIBUTES:
        remark = "; ".join(_remarks(name, column, len(column) - n_missing, requested))
    return ColumnReport(name, role, _values(column, role), n_missing, remark)


def _values(column: Any, role: Role) -> str:
    if role == "ignored" or column.null_count == len(column):
        return ""
    if role == "date":
        ends = arrow.compute.min_max(column.cast(arrow.timestamp("s"), safe=False)).as_py()
        return " to ".join(str(ends[end]).removesuffix(" 00:00:00") for end in ("min", "max"))
    if _is_numeric(column) and role != "target":
        ends = arrow.compute.min_max(column).as_py()
        return f"{ends['min']:.6g} to {ends['max']:.6g}"
    if not _is_usable(column):
        return str(column.type)
    counted = arrow.compute.value_counts(column.drop_null())
    by_count = sorted(counted.to_pylist(), key=lambda pair: (-pair["counts"], str(pair["values"])))
    shown = [
        quote_if_needed(str(pair["values"])[:_LONG_TEXT], within_list=True)
        for pair in by_count[:_MAX_SHOWN]
    ]
    return f"{len(by_count)}: {', '.join(shown)}" + ", ..." * (len(by_count) > _MAX_SHOWN)


def _remarks(name: str, column: Any, n_present: int, requested: bool) -> Iterator[str]:
    word = shlex.quote(name)
    if n_present == 0:
        yield f"no values; --ignore {word}"
        return
    if n_present == len(column) > 1 and _is_constant(column):
        yield f"constant, of no use to a split; --ignore {word}"
        return
    if _is_text(column):
        reason = why_codes(column.cast(arrow.string()))
        if reason is not None:
            yield f"{reason}: codes, not numbers; --numeric {word}"
        elif not requested and are_numbers(column.cast(arrow.string()).drop_null()):
            yield f"numbers as text: codes? --numeric {word}"
        n_categories = len(column.drop_null().unique())
        if n_categories > MANY_CATEGORIES:
            yield f"{describe_categories(n_categories, n_present)}; --ignore {word}"
    if not arrow.types.is_integer(column.type):
        return
    n_distinct = arrow.compute.count_distinct(column).as_py()
    if n_distinct == n_present > FEW_ROWS:
        yield f"integers, all different: a row number? --ignore {word}"
    elif 2 < n_distinct <= _FEW_INTEGERS:
        yield f"{n_distinct} different integers: codes? --nominal {word}"


def _is_constant(column: Any) -> bool:
    """Return whether all cells are equal; a difference among the first ends the search."""
    first = column.slice(0, _FIRST_CELLS)
    return _is_usable(column) and all(
        arrow.compute.count_distinct(cells).as_py() == 1 for cells in (first, column)
    )


def _problem(column: Any, decimal: str) -> str | None:
    """Return why a column cannot be used as it is, as a template; None if it can."""
    if _is_date(column):
        return None
    if arrow.types.is_temporal(column.type):
        return f"times: {DATE_ADVICE}"
    if _is_numeric(column) or arrow.types.is_boolean(column.type):
        return None
    if not _is_text(column):
        return escape_braces(f"{column.type} values, which are neither numbers nor text")
    n_present, texts = len(column) - column.null_count, column.drop_null().unique()
    n_distinct, misread = len(texts), misread_text(texts.cast(arrow.string()), decimal)
    if misread is not None:
        return f"text, of which {misread}"
    if n_distinct > _MAX_ACCEPTED_CATEGORIES:
        return f"{n_distinct} different texts"
    if n_distinct > max(FEW_CATEGORIES, n_present / 2):
        return f"{n_distinct} different texts in {n_present} rows"
    if n_distinct == n_present > FEW_ROWS:
        return "a different text in every row"
    return None


def _reject_unusable(problems: dict[str, list[str]]) -> None:
    if problems:
        listed = "; ".join(
            f"{escape_braces(', '.join(map(repr, names)))} "
            f"{'contains' if len(names) == 1 else 'contain'} {problem}"
            for problem, names in problems.items()
        )
        names = ",".join(name for each in problems.values() for name in each)
        raise DataError(
            reason=f"Some columns cannot be used as they are: {listed}. Leave them out with "
            f"{{ignore={escape_braces(names)!r}}}, or list a column in {{categorical_features}} to "
            "keep it as it is"
        )


def _check_target(column: Any, name: str) -> None:
    n_distinct = arrow.compute.count_distinct(column.drop_null()).as_py()
    if n_distinct > max(FEW_CATEGORIES, len(column) / 2):
        advice = ", or cut it into intervals first" if _is_numeric(column) else ""
        raise DataError(
            reason="the target {column!r} has {n_distinct} different values in {n_rows} rows and "
            "is not a class: choose another {target}" + advice,
            column=name,
            n_distinct=n_distinct,
            n_rows=len(column),
        )
    if column.null_count:
        row = arrow.compute.index(arrow.compute.is_null(column), True).as_py()
        raise DataError(
            reason="the target {column!r} is missing in {rows}, first in row {number}: drop rows "
            "without a label",
            column=name,
            row=row,
            rows=pluralize(column.null_count, "row"),
            number=row + 1,
        )


def _n_missing(column: Any) -> int:
    """Return the number of cells without a value; NaN is not a value."""
    is_float = arrow.types.is_floating(column.type)
    nan = arrow.compute.sum(arrow.compute.is_nan(column)).as_py() if is_float else 0
    return int(column.null_count) + int(nan or 0)


def _is_usable(column: Any) -> bool:
    is_boolean = bool(arrow.types.is_boolean(column.type))
    return _is_numeric(column) or _is_text(column) or is_boolean or _is_date(column)


def _is_numeric(column: Any) -> bool:
    kind = column.type
    return bool(
        arrow.types.is_integer(kind)
        or arrow.types.is_floating(kind)
        or arrow.types.is_decimal(kind)
        or arrow.types.is_null(kind)
    )


def _is_date(column: Any) -> bool:
    return bool(arrow.types.is_date(column.type) or arrow.types.is_timestamp(column.type))


def _is_text(column: Any) -> bool:
    kind = column.type
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        arrow.types.is_string(kind)
        or arrow.types.is_large_string(kind)
        or arrow.types.is_string_view(kind)
    )


# New data of a known schema


def column_types(schema: Schema) -> dict[str, Any]:
    """Return the types to read the columns of new files as."""
    return {
        name: arrow.timestamp("us") if schema.date_unit(feature) else _column_type(categories)
        for feature, (name, categories) in enumerate(
            zip(schema.names, schema.categories, strict=True)
        )
    }


def label_type(name: str, classes: NDArray[Any]) -> dict[str, Any]:
    """Return the type to read the column of labels as; text needs none."""
    kinds = {"b": arrow.bool_(), "i": arrow.float64(), "u": arrow.float64(), "f": arrow.float64()}
    return {name: kinds[classes.dtype.kind]} if classes.dtype.kind in kinds else {}


def find_target(
    table: Any, schema: Schema, source: str = "The file", trained: str | None = None
) -> str:
    """Return the column that holds the classes: the only one that can.

    Parameters
    ----------
    table : pyarrow.Table
    schema : Schema
        Of the model.
    source : str
        Name of the file.
    trained : str or None
        Name of the target in training, which the table lacks.
    """
    found = [
        name
        for name in table.column_names
        if name not in schema.names and _holds_classes(table.column(name), schema.classes)
    ]
    if len(found) == 1:
        return str(found[0])
    lacking = "" if trained is None else f"has no column {trained!r}, the target in training, "
    raise DataError(
        reason="{source} {lacking}has the classes {classes} in {columns}: choose the column by "
        "{target}"
        if found
        else "{source} {lacking}has the classes {classes} in no other column: add the labels, or "
        "name their column by {target}",
        source=source,
        lacking=lacking and lacking + ("but " if found else "and "),
        classes=", ".join(map(repr, schema.classes.tolist())),
        columns=", ".join(map(repr, found)),
    )


def read_labels(column: Any, classes: NDArray[Any], name: str, begin: int = 0) -> NDArray[Any]:
    """Return labels as the classes are written: 1, 1.0 and "1" are the same label.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The column of labels.
    classes : array
        The known classes.
    name : str
        Name of the column.
    begin : int
        Number of rows before this part of the data.
    """
    by_text = {category_text(label): label for label in classes.tolist()}
    if column.null_count:
        row = begin + arrow.compute.index(arrow.compute.is_null(column), True).as_py()
        raise DataError(
            reason="the label {column!r} of row {number} is missing: drop such rows",
            column=name,
            row=row,
            number=row + 1,
        )
    encoded = column if arrow.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, arrow.ChunkedArray) else encoded
    values = encoded.dictionary.to_pylist()
    unknown = next((value for value in values if category_text(value) not in by_text), None)
    if unknown is not None:
        raise DataError(
            reason="{column!r} has the label {label!r}, which is not a class of the tree: rename "
            "it, or leave such rows out; the classes are {classes}",
            column=name,
            label=unknown,
            classes=", ".join(map(repr, classes.tolist())),
        )
    labels = np.array([by_text[category_text(value)] for value in values], dtype=classes.dtype)
    return np.asarray(labels[encoded.indices.to_numpy()])


def _holds_classes(column: Any, classes: NDArray[Any]) -> bool:
    known = {category_text(label) for label in classes.tolist()}
    present = column.drop_null()
    if len(present) == 0 or arrow.compute.count_distinct(present).as_py() > len(known):
        return False
    return {category_text(value) for value in present.unique().to_pylist()} <= known


def _column_type(categories: Categories | None) -> Any:
    if categories is None:
        return arrow.float64()
    for kind, type_ in ((bool, arrow.bool_()), (int, arrow.int64()), (float, arrow.float64())):
        if categories and all(isinstance(category, kind) for category in categories):
            return type_
    return arrow.string()
