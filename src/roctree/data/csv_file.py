"""CSV files: their format, reading them by pyarrow, and text that should not have been text.

``CsvFormat`` has what cannot be seen from the file, or is seen wrongly. Whether a column holds
numbers is inferred from all its cells, unless its type is given.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from roctree.data.arrow import compute, csv, pa
from roctree.data.streams import Source
from roctree.errors import DataError, ParameterError, escape_braces

UTF_8 = "utf8"
MISSING_VALUES = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
DELIMITERS = ",;\t|"
DECIMAL_POINT = "."
# pyarrow reads up to thirty blocks ahead of its consumer.
BLOCK_SIZE = 1 << 22

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_QUOTED = re.compile(r'"[^"]*"')
_LINE = re.compile(r'(?:[^"\r\n]|"[^"]*")*')
_CONVERSION = re.compile(r"In CSV column #(\d+):.* conversion error to (\S+): invalid value (.*)")
_TYPE_NAMES = {"double": "numbers", "int64": "integers", "bool": "truth values"}


@dataclass(frozen=True)
class CsvFormat:
    """How a CSV file is written.

    Parameters
    ----------
    delimiter : str, optional
        The character between cells; None for the most frequent of , ; | and tab in the first line.
    decimal : str
        The decimal mark.
    encoding : str
        The character encoding, as Python calls it.
    missing_value : tuple of str
        Further words for a missing value, in addition to ``MISSING_VALUES``.
    """

    delimiter: str | None = None
    decimal: str = DECIMAL_POINT
    encoding: str = UTF_8
    missing_value: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("delimiter", "decimal"):
            mark = getattr(self, name)
            if mark is not None and len(mark) != 1:
                raise ParameterError(
                    parameter=name, value=mark, reason="is not allowed: give a single character"
                )
        try:
            "".encode(self.encoding)
        except LookupError:
            raise ParameterError(
                parameter="encoding",
                value=self.encoding,
                reason="is not known: give one such as utf8 or latin-1",
            ) from None

    @property
    def null_values(self) -> list[str]:
        """All words for a missing value, also with a blank in front, as it may follow a comma."""
        words = (*MISSING_VALUES, *self.missing_value)
        return [*words, *(f" {word}" for word in words)]


def read(source: Source, csv_format: CsvFormat, types: Mapping[str, Any]) -> Any:
    """Return the whole file as a table; types that are not given are inferred from all cells.

    Columns of digits in which some cells have leading zeros hold codes, and stay text.
    """
    names = _names(source, csv_format)
    known = _code_columns(source, csv_format, names)
    known |= {names.get(name, name): types[name] for name in types}
    options = _pyarrow_options(source, csv_format, known)
    with _conversion_errors(names, source, csv_format.decimal):
        return _trim(csv.read_csv(source.stream(), **options), names)


def batches(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any], columns: list[str]
) -> Iterator[Any]:
    """Yield some columns block by block; columns whose type is not given are text."""
    names = _names(source, csv_format)
    known = {names[name]: types.get(name, pa.string()) for name in columns}
    options = _pyarrow_options(source, csv_format, known)
    options["convert_options"].include_columns = list(known)
    with _conversion_errors(names, source, csv_format.decimal):
        reader = csv.open_csv(source.stream(), **options)
    empty = True
    with _conversion_errors(names, source, csv_format.decimal):
        for batch in reader:
            empty = False
            yield _trim(pa.Table.from_batches([batch]), names)
    if empty:
        yield _trim(reader.schema.empty_table(), names)


def column_names(source: Source, csv_format: CsvFormat) -> list[str]:
    """Return the names in the first line, without blanks around them."""
    return list(_names(source, csv_format))


def detect_delimiter(line: str) -> str:
    """Return the delimiter of a first line: the most frequent one outside of quotes."""
    bare = _QUOTED.sub("", line)
    return max(DELIMITERS, key=bare.count)


def _names(source: Source, csv_format: CsvFormat) -> dict[str, str]:
    """Return the names of the columns without blanks, if they stay distinct, -> as written."""
    line = _first_line(source, csv_format)
    if not line:
        return {}
    names: list[str] = _read_decoded(line, source, csv_format, {}).column_names
    bare = [name.strip() for name in names]
    return dict(zip(bare if len(set(bare)) == len(set(names)) else names, names, strict=True))


def _code_columns(
    source: Source, csv_format: CsvFormat, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the columns whose digits have leading zeros, as far as the first bytes show.

    Read as a number, 007 would become 7, and the order of postcodes would count.
    """
    head = source.head.decode(csv_format.encoding, "replace").rpartition("\n")[0]
    try:
        table = _read_decoded(head, source, csv_format, dict.fromkeys(names.values(), pa.string()))
    except pa.ArrowInvalid:
        # An error in the file is reported when all of it is read.
        return {}
    cells = zip(table.column_names, table.columns, strict=True)
    return {name: pa.string() for name, column in cells if has_leading_zeros(column)}


def _read_decoded(
    text: str, source: Source, csv_format: CsvFormat, types: Mapping[str, Any]
) -> Any:
    """Read some lines of the file that are decoded already."""
    options = _pyarrow_options(source, csv_format, types)
    options["read_options"] = _read_options(replace(csv_format, encoding=UTF_8))
    return csv.read_csv(pa.BufferReader(f"{text}\n".encode()), **options)


def _pyarrow_options(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "read_options": _read_options(csv_format),
        "parse_options": csv.ParseOptions(
            delimiter=csv_format.delimiter or detect_delimiter(_first_line(source, csv_format)),
            newlines_in_values=True,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict(types),
            null_values=csv_format.null_values,
            strings_can_be_null=True,
            decimal_point=csv_format.decimal,
        ),
    }


def _read_options(csv_format: CsvFormat) -> Any:
    return csv.ReadOptions(block_size=BLOCK_SIZE, encoding=csv_format.encoding)


def _first_line(source: Source, csv_format: CsvFormat) -> str:
    """Return the line with the names, which may break within quotes."""
    if source.head.startswith(_UTF_16_MARKS) and csv_format.encoding == UTF_8:
        raise DataError(
            reason="{source} is encoded in UTF-16: set {encoding='utf-16'}", source=source.name
        )
    text = source.head.decode(csv_format.encoding, "replace").lstrip("\r\n")
    found = _LINE.match(text)
    return found[0] if found else ""


def _trim(table: Any, names: Mapping[str, str]) -> Any:
    """Remove blanks around text and names, which pyarrow does for numbers only."""
    bare = {written: name for name, written in names.items()}
    trimmed = [bare.get(name, name) for name in table.column_names]
    columns = []
    for name, column in zip(trimmed, table.columns, strict=True):
        if pa.types.is_binary(column.type):
            raise DataError(
                reason="column {column!r} holds text in another encoding: set its encoding, such "
                "as {encoding='latin-1'}",
                column=name,
            )
        text = pa.types.is_string(column.type)
        columns.append(compute.utf8_trim_whitespace(column) if text else column)
    return pa.Table.from_arrays(columns, trimmed)


@contextmanager
def _conversion_errors(names: Mapping[str, str], source: Source, decimal: str) -> Iterator[None]:
    """Name the column that holds an unexpected cell, which pyarrow calls by its number."""
    try:
        yield
    except pa.ArrowInvalid as error:
        found = _CONVERSION.search(str(error))
        if found is None or int(found[1]) >= len(names):
            raise
        cell = found[3]
        raise DataError(
            reason="{source}: column {column!r} does not contain only {expected}: {cell} is not "
            "allowed" + decimal_mark_hint(cell.strip("'"), decimal),
            column=list(names)[int(found[1])],
            source=source.name,
            expected=_TYPE_NAMES.get(found[2], f"{found[2]} values"),
            cell=cell,
        ) from None


# Text that a person would take for something else: numbers in another format, dates

_NUMBER = r"^[-+]?(\d+{0}?\d*|{0}\d+)([eE][-+]?\d+)?$"  # of the decimal mark
# Fewer numbers among text may be names, as in a book of codes.
_MANY_NUMBERS = 10
# What all text of a column looks like, and what to do about it; the first match is reported.
_LOOKS_LIKE = {
    r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$|^[-+]?\d{1,3}$": (
        "numbers with thousands separators: remove the separators"
    ),
    r"^[-+]?\d*,\d+$|^[-+]?\d+$": "numbers with a decimal comma: set {decimal=','}",
    r"^\d{1,4}([./-])\d{1,2}[./-]\d{1,4}([T ].*)?$": (
        "dates: convert them to numbers, such as days since a fixed date"
    ),
    r"^[-+]?[$€£¥]? ?[-+]?\d[\d.,]* ?[%$€£¥]?$": "numbers with units: remove the units",
}


def misread_text(texts: Any, decimal: str = DECIMAL_POINT) -> str | None:
    """Return why a column should not be text, and what to do; None if it may be text.

    Parameters
    ----------
    texts : pyarrow array
        The distinct texts of the column.
    decimal : str
        The decimal mark of the file.

    Returns
    -------
    str or None
        A template of :mod:`roctree.errors` that continues "holds text:".

    Examples
    --------
    >>> from roctree.data.arrow import pa
    >>> misread_text(pa.array(["0,5", "1,25"]))
    "all are numbers with a decimal comma: set {decimal=','}"
    >>> misread_text(pa.array(["red", "green"]))
    >>> misread_text(pa.array(["007", "012"]))
    """
    numbers = _are_numbers(texts, decimal)
    n_numbers = compute.sum(numbers).as_py() or 0
    if n_numbers == len(texts):
        may_be_text = n_numbers <= _MANY_NUMBERS or has_leading_zeros(texts)
        return None if may_be_text else "all are numbers: list the column in {numeric}"
    if decimal != DECIMAL_POINT and compute.all(_are_numbers(texts, DECIMAL_POINT)).as_py():
        mark = escape_braces(repr(decimal))
        return f"all are numbers with a decimal point, not {mark}: use one decimal mark"
    for pattern, what in _LOOKS_LIKE.items():
        if compute.all(compute.match_substring_regex(texts, pattern)).as_py():
            return f"all are {what}"
    if n_numbers <= max(_MANY_NUMBERS, len(texts) / 2):
        return None
    odd = escape_braces(repr(texts.filter(compute.invert(numbers))[0].as_py()))
    return f"most are numbers, but {odd} is not: list it in {{missing_value}} if it means missing"


def decimal_mark_hint(text: str, decimal: str) -> str:
    """Return a hint, as a template, if text is a number with another decimal mark; else nothing.

    >>> decimal_mark_hint("0,5", "."), decimal_mark_hint("half", ".")
    ("; for a decimal comma set {decimal=','}", '')
    """
    if decimal == DECIMAL_POINT and re.fullmatch(_NUMBER.format(","), text):
        return "; for a decimal comma set {decimal=','}"
    if decimal != DECIMAL_POINT and re.fullmatch(_NUMBER.format(re.escape(DECIMAL_POINT)), text):
        return f"; the decimal mark is set to {escape_braces(repr(decimal))}"
    return ""


def has_leading_zeros(texts: Any) -> bool:
    """Return whether texts are digits and some begin with zeros, as in postcodes.

    Parameters
    ----------
    texts : pyarrow array
        Some may be missing.

    Examples
    --------
    >>> from roctree.data.arrow import pa
    >>> has_leading_zeros(pa.array(["007", "12", None])), has_leading_zeros(pa.array(["0", "7"]))
    (True, False)
    """
    digits = compute.match_substring_regex(texts, r"^\s*\d+\s*$")
    padded = compute.match_substring_regex(texts, r"^\s*0\d")
    return bool(compute.all(digits).as_py() and compute.any(padded).as_py())


def _are_numbers(texts: Any, decimal: str) -> Any:
    return compute.match_substring_regex(texts, _NUMBER.format(re.escape(decimal)))
