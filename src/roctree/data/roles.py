"""Column roles: which columns of a file are attributes, which is the target, which the weight.

For training data (``assign_roles``) numbers are numeric, text and truth values nominal, unless the
user says otherwise by ``ColumnOptions``. Columns that hold dates, numbers as text, or text that
identifies rows are rejected until the user decides what to do with them; other unusual columns get
a remark in their ``ColumnSummary``.

For new data of a known schema, ``column_types`` and ``label_type`` tell how to read the columns,
``find_target`` finds the classes and ``read_labels`` reads them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from roctree.data.arrow import compute, pa
from roctree.data.columns import DATE_ADVICE, Categories, FloatArray, category_text
from roctree.data.csv_file import DECIMAL_POINT, has_leading_zeros, misread_text
from roctree.data.dataset import check_weights
from roctree.data.encoding import Schema
from roctree.data.readers import list_names
from roctree.errors import DataError, ParameterError, escape_braces
from roctree.text import did_you_mean, pluralize, quote_if_needed

Role = Literal["numeric", "nominal", "target", "weight", "ignored"]

# More categories than this are accepted only on request.
_MOST_CATEGORIES = 1000
# Above this number, categories that are more than half as many as the rows identify rows.
_SOME_CATEGORIES = 100
# Above this number, all different categories identify rows.
_MOST_DIFFERENT = 10
# Up to this number, different integers may be codes.
_FEW_INTEGERS = 10
_MOST_SHOWN = 4
_LONG_TEXT = 30


# Training data


@dataclass(frozen=True)
class ColumnOptions:
    """What the user says about the columns, by name.

    Parameters
    ----------
    target : str
        The class to predict.
    weight : str, optional
        The weight of each row; None for ones.
    nominal, numeric, ignore : tuple of str
        Columns to be read as such, or left out. A text with commas that is not a name stands for
        several names.
    """

    target: str
    weight: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @property
    def types(self) -> dict[str, Any]:
        """The types to read columns as; nominal codes such as 007 stay as they are written."""
        nominal, numeric = _possible_names(self.nominal), _possible_names(self.numeric)
        both = next((name for name in nominal if name in numeric), None)
        if both is not None:
            raise ParameterError(
                reason="{name!r} is listed both as nominal and as numeric: list it once",
                name=both,
            )
        kinds = dict.fromkeys(nominal, pa.string()) | dict.fromkeys(numeric, pa.float64())
        return kinds | weight_type(self.weight)


@dataclass(frozen=True)
class ColumnSummary:
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
    columns : tuple of ColumnSummary
        A summary of every column of the file.
    """

    X: Any
    y: Any
    weights: FloatArray | None
    columns: tuple[ColumnSummary, ...]


def assign_roles(table: Any, options: ColumnOptions, decimal: str = DECIMAL_POINT) -> LabelledTable:
    """Divide a table into attributes, labels and weights; reject columns that cannot be used.

    Parameters
    ----------
    table : pyarrow.Table
        The training data.
    options : ColumnOptions
        What the user says about its columns.
    decimal : str
        The decimal mark with which numbers were read.
    """
    names = table.column_names
    (target,) = find_columns([options.target], names, several=False)
    weight = find_columns([options.weight], names, several=False) if options.weight else []
    ignored = find_columns(options.ignore, names)
    if table.num_rows == 0:
        raise DataError("The file has no rows below its first line.")
    asked = {*find_columns(options.nominal, names), *find_columns(options.numeric, names)}
    summaries: list[ColumnSummary] = []
    problems: dict[str, list[str]] = {}
    for name in names:
        column = table.column(name)
        role = _role(column, name, target, weight, ignored)
        summaries.append(_summary(name, column, role))
        if role in ("numeric", "nominal") and name not in asked:
            problem = _problem(column, decimal)
            if problem is not None:
                problems.setdefault(problem, []).append(name)
    _reject_unusable(problems)
    _check_target(table.column(target), target)
    attributes = [each.name for each in summaries if each.role in ("numeric", "nominal")]
    weights = read_weights(table, weight[0]) if weight else None
    return LabelledTable(table.select(attributes), table.column(target), weights, tuple(summaries))


def find_columns(given: Iterable[str], names: Sequence[str], several: bool = True) -> list[str]:
    """Return the columns that are meant; a text that is not a name may list some, with commas."""
    found = []
    for text in given:
        parts = [text] if text in names or not several else text.split(",")
        for part in parts:
            if part not in names:
                raise ParameterError(
                    f"there is no column {part!r}{did_you_mean(part, names)}; the columns are "
                    f"{list_names(list(names))}."
                )
            found.append(part)
    return found


def weight_type(name: str | None) -> dict[str, Any]:
    """Return the type to read the column of weights as, if there is one."""
    return {} if name is None else {name: pa.float64()}


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
        row = begin + compute.index(compute.is_null(column, nan_is_null=True), True).as_py()
        raise DataError(
            reason="the weight {column!r} of row {number} is missing: every row needs a weight",
            column=name,
            row=row,
            number=row + 1,
        )
    return check_weights(column.to_numpy(), len(column))


def _possible_names(given: Iterable[str]) -> list[str]:
    """Return all names that may be meant, before the columns are known."""
    return [part for text in given for part in (text, *text.split(","))]


def _role(column: Any, name: str, target: str, weight: list[str], ignored: list[str]) -> Role:
    if name == target:
        return "target"
    if name in weight:
        return "weight"
    # Lines that end in the delimiter have a last column without name and values.
    if name in ignored or (name == "" and column.null_count == len(column)):
        return "ignored"
    return "numeric" if _is_numeric(column) else "nominal"


def _summary(name: str, column: Any, role: Role) -> ColumnSummary:
    remark, n_missing = "", _n_missing(column)
    if role in ("numeric", "nominal"):
        remark = "; ".join(_remarks(name, column, len(column) - n_missing))
    return ColumnSummary(name, role, _values(column, role), n_missing, remark)


def _values(column: Any, role: Role) -> str:
    if role == "ignored" or column.null_count == len(column):
        return ""
    if _is_numeric(column) and role != "target":
        ends = compute.min_max(column).as_py()
        return f"{ends['min']:.6g} to {ends['max']:.6g}"
    if not _is_usable(column):
        return str(column.type)
    counted = compute.value_counts(column.drop_null())
    by_count = sorted(counted.to_pylist(), key=lambda pair: (-pair["counts"], str(pair["values"])))
    shown = [
        quote_if_needed(str(pair["values"])[:_LONG_TEXT], within_list=True)
        for pair in by_count[:_MOST_SHOWN]
    ]
    return f"{len(by_count)}: {', '.join(shown)}" + ", ..." * (len(by_count) > _MOST_SHOWN)


def _remarks(name: str, column: Any, n_present: int) -> Iterator[str]:
    # So that a shell takes the name for one word.
    word = name if name.replace("_", "").replace("-", "").isalnum() else f"'{name}'"
    if n_present == 0:
        yield f"no values; --ignore {word}"
        return
    if n_present == len(column) > 1 and _is_constant(column):
        yield f"constant, of no use to a split; --ignore {word}"
        return
    if _is_text(column) and has_leading_zeros(column.cast(pa.string())):
        yield f"leading zeros: codes, not numbers; --numeric {word}"
    if not pa.types.is_integer(column.type):
        return
    n_distinct = compute.count_distinct(column).as_py()
    if n_distinct == n_present > _MOST_DIFFERENT:
        yield f"integers, all different: a row number? --ignore {word}"
    elif 2 < n_distinct <= _FEW_INTEGERS:
        yield f"{n_distinct} different integers: codes? --nominal {word}"


def _is_constant(column: Any) -> bool:
    """Return whether all cells are equal; a difference among the first ends the search."""
    first = column.slice(0, _FEW_INTEGERS)
    return _is_usable(column) and all(
        compute.count_distinct(cells).as_py() == 1 for cells in (first, column)
    )


def _problem(column: Any, decimal: str) -> str | None:
    """Return why a column cannot be used as it is, as a template; None if it can."""
    if pa.types.is_temporal(column.type):
        return f"dates or times: {DATE_ADVICE}"
    if _is_numeric(column) or pa.types.is_boolean(column.type):
        return None
    if not _is_text(column):
        return escape_braces(f"{column.type} values, which are neither numbers nor text")
    n_present, texts = len(column) - column.null_count, column.drop_null().unique()
    n_distinct, misread = len(texts), misread_text(texts.cast(pa.string()), decimal)
    if misread is not None:
        return f"text, of which {misread}"
    if n_distinct > _MOST_CATEGORIES:
        return f"{n_distinct} different texts"
    if n_distinct > max(_SOME_CATEGORIES, n_present / 2):
        return f"{n_distinct} different texts in {n_present} rows"
    if n_distinct == n_present > _MOST_DIFFERENT:
        return "a different text in every row"
    return None


def _reject_unusable(problems: dict[str, list[str]]) -> None:
    if problems:
        listed = "; ".join(
            f"{escape_braces(', '.join(map(repr, names)))} "
            f"{'contains' if len(names) == 1 else 'contain'} {problem}"
            for problem, names in problems.items()
        )
        raise DataError(
            reason=f"Some columns cannot be used as they are: {listed}. List a column in {{ignore}}"
            " to leave it out, or in {categorical_features} to keep it as it is"
        )


def _check_target(column: Any, name: str) -> None:
    n_distinct = compute.count_distinct(column.drop_null()).as_py()
    if n_distinct > max(_SOME_CATEGORIES, len(column) / 2):
        raise DataError(
            reason="the target {column!r} has {n_distinct} different values in {n_rows} rows and "
            "is not a class: choose another {target}, or cut it into intervals first",
            column=name,
            n_distinct=n_distinct,
            n_rows=len(column),
        )
    if column.null_count:
        row = compute.index(compute.is_null(column), True).as_py()
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
    is_float = pa.types.is_floating(column.type)
    nan = compute.sum(compute.is_nan(column)).as_py() if is_float else 0
    return int(column.null_count) + int(nan or 0)


def _is_usable(column: Any) -> bool:
    return _is_numeric(column) or _is_text(column) or bool(pa.types.is_boolean(column.type))


def _is_numeric(column: Any) -> bool:
    kind = column.type
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def _is_text(column: Any) -> bool:
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


# New data of a known schema


def column_types(schema: Schema) -> dict[str, Any]:
    """Return the types to read the columns of new files as."""
    return {
        name: _column_type(categories)
        for name, categories in zip(schema.names, schema.categories, strict=True)
    }


def label_type(name: str, classes: NDArray[Any]) -> dict[str, Any]:
    """Return the type to read the column of labels as; text needs none."""
    kinds = {"b": pa.bool_(), "i": pa.float64(), "u": pa.float64(), "f": pa.float64()}
    return {name: kinds[classes.dtype.kind]} if classes.dtype.kind in kinds else {}


def find_target(table: Any, schema: Schema) -> str:
    """Return the column that holds the classes: the only one that can."""
    found = [
        name
        for name in table.column_names
        if name not in schema.names and _holds_classes(table.column(name), schema.classes)
    ]
    if len(found) == 1:
        return str(found[0])
    raise DataError(
        reason="the classes {classes} are in {columns}: choose the column by {target}",
        classes=", ".join(map(repr, schema.classes.tolist())),
        columns=", ".join(map(repr, found)) if found else "no column",
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
        row = begin + compute.index(compute.is_null(column), True).as_py()
        raise DataError(
            reason="the label {column!r} of row {number} is missing: drop such rows",
            column=name,
            row=row,
            number=row + 1,
        )
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.dictionary.to_pylist()
    unknown = next((value for value in values if category_text(value) not in by_text), None)
    if unknown is not None:
        raise DataError(
            reason="{column!r} has the label {label!r}, which is not a class of the tree; the "
            "classes are {classes}",
            column=name,
            label=unknown,
            classes=", ".join(map(repr, classes.tolist())),
        )
    labels = np.array([by_text[category_text(value)] for value in values], dtype=classes.dtype)
    return np.asarray(labels[encoded.indices.to_numpy()])


def _holds_classes(column: Any, classes: NDArray[Any]) -> bool:
    known = {category_text(label) for label in classes.tolist()}
    present = column.drop_null()
    if len(present) == 0 or compute.count_distinct(present).as_py() > len(known):
        return False
    return {category_text(value) for value in present.unique().to_pylist()} <= known


def _column_type(categories: Categories | None) -> Any:
    if categories is None:
        return pa.float64()
    for kind, type_ in ((bool, pa.bool_()), (int, pa.int64()), (float, pa.float64())):
        if categories and all(isinstance(category, kind) for category in categories):
            return type_
    return pa.string()
