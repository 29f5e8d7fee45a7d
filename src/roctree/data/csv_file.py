"""CSV files: their format, reading them with pyarrow, and text that should be numbers or dates.

``CsvFormat`` holds what cannot be inferred from the file, or is inferred incorrectly. Whether a
column holds numbers is inferred from all its cells, unless its type is given.
"""

import csv as csv_module
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from roctree.data.lazy import arrow
from roctree.data.streams import LONGEST_LINE, Source, is_pipe
from roctree.errors import DataError, ParameterError, escape_braces

UTF_8 = "utf8"
MISSING_VALUES = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None")
# Missing values in columns of numbers and dates; in other text they may be categories.
_MISSING_NUMBERS = ("-", "--", ".", "na", "Na", "Null", "none", "NONE", "NAN", "n.a.", "nil")
DELIMITERS = ",;\t|"
DECIMAL_POINT = "."
# pyarrow reads up to thirty blocks ahead of its consumer.
BLOCK_SIZE = 1 << 22

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_QUOTED = re.compile(r'"[^"]*"')
_LINE = re.compile(r'(?:[^"\r\n]|"[^"]*")*')
_CONVERSION = re.compile(r"In CSV column #(\d+):.* conversion error to (\S+): invalid value (.*)")
_RAGGED = re.compile(r"Expected (\d+) columns, got (\d+)")
_TYPE_NAMES = {
    "double": "numbers",
    "int64": "integers",
    "bool": "truth values",
    "timestamp": "dates",
}


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
        The character encoding, by its Python name.
    missing_value : tuple of str
        Further words for a missing value, in addition to ``MISSING_VALUES``.
    thousands : str, optional
        The mark between groups of three digits.
    dates : str, optional
        The format of dates that are not written as in ISO 8601, such as ``%d.%m.%Y``.
    """

    delimiter: str | None = None
    decimal: str = DECIMAL_POINT
    encoding: str = UTF_8
    missing_value: tuple[str, ...] = ()
    thousands: str | None = None
    dates: str | None = None

    def __post_init__(self) -> None:
        if self.thousands == self.decimal:
            raise ParameterError(
                parameter="thousands",
                value=self.thousands,
                reason="is the decimal mark too: set {decimal=','} as well",
            )
        if self.dates is not None and "%" not in self.dates:
            raise ParameterError(
                parameter="dates",
                value=self.dates,
                reason="is not a format of dates: give one such as %d.%m.%Y",
            )
        for name in ("delimiter", "decimal", "thousands"):
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
    def missing_texts(self) -> list[str]:
        """The words for a missing value in a column of text."""
        return [*MISSING_VALUES, *self.missing_value]

    @property
    def missing_numbers(self) -> list[str]:
        """The words for a missing number or date, also with a leading blank, as after a comma."""
        words = (*self.missing_texts, *_MISSING_NUMBERS)
        return [*words, *(f" {word}" for word in words)]


def read_csv(source: Source, csv_format: CsvFormat, types: Mapping[str, Any]) -> Any:
    """Return the whole file as a table; types that are not given are inferred from all cells.

    Columns of digits in which some cells have leading zeros, or more digits than a number can hold,
    are codes and stay text.
    """
    names = _written_names(source, csv_format)
    known = _code_columns(source, csv_format, names)
    known |= {names.get(name, name): types[name] for name in types}
    options = _pyarrow_options(source, csv_format, known)
    with _parse_errors(names, source, csv_format):
        table = arrow.csv.read_csv(source.stream(), **options)
    return _clean_table(table, names, source, csv_format, types)


def csv_batches(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any], columns: list[str]
) -> Iterator[Any]:
    """Yield some columns block by block; columns whose type is not given are text."""
    names = _written_names(source, csv_format)
    known = {names[name]: types.get(name, arrow.string()) for name in columns}
    # pyarrow reads all columns if none is listed; the first one gives the number of rows.
    known = known or dict.fromkeys([*names.values()][:1], arrow.string())
    options = _pyarrow_options(source, csv_format, known)
    options["convert_options"].include_columns = list(known)
    with _parse_errors(names, source, csv_format):
        reader = arrow.csv.open_csv(source.stream(), **options)
    empty = True
    with _parse_errors(names, source, csv_format):
        for batch in reader:
            empty = False
            yield _clean_table(arrow.Table.from_batches([batch]), names, source, csv_format, types)
    if empty:
        yield _clean_table(reader.schema.empty_table(), names, source, csv_format, types)


def column_names(source: Source, csv_format: CsvFormat) -> list[str]:
    """Return the names in the first line, without blanks around them."""
    return list(_written_names(source, csv_format))


def detect_delimiter(line: str) -> str:
    """Return the delimiter of a first line: the most frequent one outside of quotes."""
    bare = _QUOTED.sub("", line)
    return max(DELIMITERS, key=bare.count)


def _written_names(source: Source, csv_format: CsvFormat) -> dict[str, str]:
    """Map stripped column names, if they remain distinct, to the names as written."""
    line = _header_line(source, csv_format)
    if not line:
        return {}
    names: list[str] = _read_decoded(line, source, csv_format, {}).column_names
    bare = [name.strip() for name in names]
    return dict(zip(bare if len(set(bare)) == len(set(names)) else names, names, strict=True))


def _code_columns(
    source: Source, csv_format: CsvFormat, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the columns of digits with leading zeros, judged by the first bytes.

    Read as a number, 007 would become 7, and postcodes would be ordered.
    """
    head = source.head.decode(csv_format.encoding, "replace").rpartition("\n")[0]
    try:
        table = _read_decoded(
            head, source, csv_format, dict.fromkeys(names.values(), arrow.string())
        )
    except arrow.ArrowInvalid:
        # Errors in the file are reported when the whole file is read.
        return {}
    known = arrow.array([*csv_format.missing_texts, *_MISSING_NUMBERS])
    return {
        name: arrow.string()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if are_codes(column.filter(arrow.compute.invert(arrow.compute.is_in(column, known))))
    }


def _read_decoded(
    text: str, source: Source, csv_format: CsvFormat, types: Mapping[str, Any]
) -> Any:
    """Read some decoded lines of the file."""
    options = _pyarrow_options(source, csv_format, types)
    options["read_options"] = _read_options(replace(csv_format, encoding=UTF_8))
    return arrow.csv.read_csv(arrow.BufferReader(f"{text}\n".encode()), **options)


def _pyarrow_options(
    source: Source, csv_format: CsvFormat, types: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "read_options": _read_options(csv_format),
        "parse_options": arrow.csv.ParseOptions(
            delimiter=csv_format.delimiter or detect_delimiter(_header_line(source, csv_format)),
            newlines_in_values=True,
        ),
        "convert_options": arrow.csv.ConvertOptions(
            column_types=_types_to_read(types, csv_format),
            null_values=csv_format.missing_numbers,
            strings_can_be_null=False,
            decimal_point=csv_format.decimal,
            timestamp_parsers=[
                arrow.csv.ISO8601,
                *([csv_format.dates] if csv_format.dates else []),
            ],
        ),
    }


def _read_options(csv_format: CsvFormat) -> Any:
    return arrow.csv.ReadOptions(block_size=BLOCK_SIZE, encoding=csv_format.encoding)


def _header_line(source: Source, csv_format: CsvFormat) -> str:
    """Return the header line, which may contain line breaks within quotes."""
    if source.head.startswith(_UTF_16_MARKS) and csv_format.encoding == UTF_8:
        raise DataError(
            reason="{source} is encoded in UTF-16: set {encoding='utf-16'}", source=source.name
        )
    text = source.head.decode(csv_format.encoding, "replace").lstrip("\r\n")
    found = _LINE.match(text)
    line = found[0] if found else ""
    if len(line) == len(text) and len(source.head) >= LONGEST_LINE:
        raise DataError(
            f"{source.name} does not end its first line within {LONGEST_LINE >> 20} MB: give a "
            "file with the names of the columns in its first line, and a line for each case below."
        )
    if "\ufffd" in line and line.encode(csv_format.encoding, "replace") not in source.head:
        source.head.decode(csv_format.encoding)  # raises the error that was replaced
    return line


def _types_to_read(types: Mapping[str, Any], csv_format: CsvFormat) -> dict[str, Any]:
    """Return types for pyarrow, which cannot read numbers with thousands separators."""
    if csv_format.thousands is None:
        return dict(types)
    return {
        name: arrow.string() if arrow.types.is_floating(kind) else kind
        for name, kind in types.items()
    }


def _clean_table(
    table: Any,
    names: Mapping[str, str],
    source: Source,
    csv_format: CsvFormat,
    types: Mapping[str, Any],
) -> Any:
    """Return a table with stripped names and text, and with missing values and numbers parsed.

    pyarrow strips numbers only. Text may be a missing value, or a number with thousands separators.
    """
    bare = {written: name for name, written in names.items()}
    trimmed = [bare.get(name, name) for name in table.column_names]
    columns = []
    for name, column in zip(trimmed, table.columns, strict=True):
        if arrow.types.is_binary(column.type):
            raise DataError(
                reason="column {column!r} holds text in another encoding: set its encoding, such "
                "as {encoding='cp1252'}",
                column=name,
            )
        if arrow.types.is_string(column.type):
            column = _clean_text(column, csv_format)
            declared = types.get(name)
            if csv_format.thousands and (declared is None or arrow.types.is_floating(declared)):
                column, wrong = _parse_thousands(column, csv_format)
                if wrong is not None and declared is not None:
                    raise _unexpected_cell(names, source, csv_format, name, wrong, "numbers")
        columns.append(column)
    return arrow.Table.from_arrays(columns, trimmed)


def _clean_text(column: Any, csv_format: CsvFormat) -> Any:
    trimmed = arrow.compute.utf8_trim_whitespace(column)
    words = arrow.array(csv_format.missing_texts)
    return arrow.compute.if_else(
        arrow.compute.is_in(trimmed, words), arrow.scalar(None, arrow.string()), trimmed
    )


def _parse_thousands(column: Any, csv_format: CsvFormat) -> tuple[Any, str | None]:
    """Return numbers if all text is numbers, some in groups of three digits.

    Otherwise return the text as it is, and the first cell that is not a number.
    """
    compute = arrow.compute
    mark, decimal = _mark_class(csv_format.thousands or ""), re.escape(csv_format.decimal)
    number = rf"^[-+]?(\d{{1,3}}({mark}\d{{3}})+|\d+)({decimal}\d*)?$"
    words = arrow.array(_MISSING_NUMBERS)
    nothing = arrow.scalar(None, arrow.string())
    known = compute.if_else(compute.is_in(column, words), nothing, column)
    wrong = known.filter(compute.invert(compute.match_substring_regex(known, number)))
    if len(wrong):
        return column, wrong[0].as_py()
    bare = compute.replace_substring_regex(known, mark, "")
    plain = compute.replace_substring(bare, csv_format.decimal, DECIMAL_POINT)
    return plain.cast(arrow.float64()), None


@contextmanager
def _parse_errors(
    names: Mapping[str, str], source: Source, csv_format: CsvFormat
) -> Iterator[None]:
    """Turn errors about cells and rows into a ``DataError`` that names the line and the column.

    pyarrow reports column numbers only, and does not know the line numbers of blocks.
    """
    try:
        yield
    except arrow.ArrowInvalid as error:
        ragged = _RAGGED.search(str(error))
        if ragged is not None:
            expected, found = int(ragged[1]), int(ragged[2])
            line = _find_line(source, csv_format, lambda cells: len(cells) == found)
            raise DataError(
                reason="{place} has {found} cells, but the line of names has {expected}: quote "
                "cells that contain the delimiter, or set {delimiter}",
                place=f"{source.name}, line {line}," if line else f"A row of {source.name}",
                found=found,
                expected=expected,
            ) from None
        wrong = _CONVERSION.search(str(error))
        if wrong is None or int(wrong[1]) >= len(names):
            raise
        name, text = list(names)[int(wrong[1])], wrong[3].strip("'")
        kind = _TYPE_NAMES.get(wrong[2].partition("[")[0], f"{wrong[2]} values")
        raise _unexpected_cell(names, source, csv_format, name, text, kind) from None


def _unexpected_cell(
    names: Mapping[str, str],
    source: Source,
    csv_format: CsvFormat,
    name: str,
    text: str,
    expected: str,
) -> DataError:
    place = list(names).index(name)
    line = _find_line(
        source,
        csv_format,
        lambda cells: len(cells) > place and cells[place].strip() == text.strip(),
    )
    return DataError(
        reason="{source}: column {column!r} does not contain only {expected}: {cell!r} is not "
        "allowed" + cell_hint(text, expected, csv_format.decimal),
        column=name,
        source=f"{source.name}, line {line}" if line else source.name,
        expected=expected,
        cell=text,
    )


def _find_line(
    source: Source, csv_format: CsvFormat, matches: Callable[[list[str]], bool]
) -> int | None:
    """Return the number of the first line with these cells; None if it is not found.

    The file is read again, which is slow but happens only after an error.
    """
    if is_pipe(source.path):
        return None
    delimiter = csv_format.delimiter or detect_delimiter(_header_line(source, csv_format))
    with Source(source.path) as again, suppress(csv_module.Error, ValueError, OSError):
        text = io.TextIOWrapper(again.stream(), csv_format.encoding, "replace", newline="")
        rows = csv_module.reader(text, delimiter=delimiter)
        next(rows, None)
        for cells in rows:
            if matches(cells):
                return rows.line_num
    return None


# Text that is probably something else: numbers in another format, dates

_NUMBER_PATTERN = r"^[-+]?(\d+{0}?\d*|{0}\d+)([eE][-+]?\d+)?$"  # of the decimal mark
# Fewer numbers among text may be names, as in a code book.
_MANY_NUMBERS = 10
_CODES = {
    r"^\s*0\d": "leading zeros",
    # Integers of 64 bits have at most 19.
    r"^\s*\d{20}": "more than 19 digits",
}
_DATE_PATTERN = r"^\d{1,4}([./-])\d{1,2}[./-]\d{1,4}([T ].*)?$"
# Patterns that match all text of a column, with advice; the first match is reported.
_THOUSANDS_MARKS = (",", ".", " ", "'")
_LOOKS_LIKE = {
    r"^[-+]?\d*,\d+$|^[-+]?\d+$": "numbers with a decimal comma: set {decimal=','}",
    r"^[-+]?[$€£¥]? ?[-+]?\d[\d.,]* ?[%$€£¥]?$": "numbers with units: remove the units",
}
# A number and a unit such as kg, mg/dl or °C; 007b is a code.
_WITH_UNIT = re.compile(r"[-+]?(?!0\d)\d[\d.,]*\s?(%|°|°?[^\W\d_]{1,4}(?:/[^\W\d_]{1,4})?)")


def misread_text(texts: Any, decimal: str = DECIMAL_POINT) -> str | None:
    """Return why a column should not be text, with advice; None if it may be text.

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
    >>> from roctree.data.lazy import arrow
    >>> misread_text(arrow.array(["0,5", "1,25"]))
    "all are numbers with a decimal comma: set {decimal=','}"
    >>> misread_text(arrow.array(["red", "green"]))
    >>> misread_text(arrow.array(["007", "012"]))
    """
    numbers = _are_numbers(texts, decimal)
    n_numbers = arrow.compute.sum(numbers).as_py() or 0
    if n_numbers == len(texts):
        may_be_text = n_numbers <= _MANY_NUMBERS or are_codes(texts)
        return None if may_be_text else "all are numbers: list the column in {numeric}"
    marks = _marks(texts.to_pylist(), decimal)
    if marks is not None:
        return "all are numbers with {}: set {}".format(*marks)
    if decimal != DECIMAL_POINT and arrow.compute.all(_are_numbers(texts, DECIMAL_POINT)).as_py():
        mark = escape_braces(repr(decimal))
        return f"all are numbers with a decimal point, not {mark}: use one decimal mark"
    if arrow.compute.all(arrow.compute.match_substring_regex(texts, _DATE_PATTERN)).as_py():
        example = escape_braces(repr(_date_format(texts.to_pylist())))
        return f"all are dates: give their format, such as {{dates={example}}}"
    for pattern, what in _LOOKS_LIKE.items():
        if arrow.compute.all(arrow.compute.match_substring_regex(texts, pattern)).as_py():
            return f"all are {what}"
    others = _without_unit(texts.to_pylist())
    if others == []:
        return "all are numbers with units: remove the units"
    if others is not None:
        odd = escape_braces(repr(others[0]))
        return (
            f"most are numbers with units, but {odd} is not: remove the units, and list {odd} in "
            "{missing_value} if it means missing"
        )
    if n_numbers <= max(_MANY_NUMBERS, len(texts) / 2):
        return None
    odd = escape_braces(repr(texts.filter(arrow.compute.invert(numbers))[0].as_py()))
    return f"most are numbers, but {odd} is not: list it in {{missing_value}} if it means missing"


def _without_unit(texts: Sequence[str]) -> list[str] | None:
    """Return the texts other than numbers with a unit; None if most are not, or have other units.

    Up to ten integers with a unit of letters may be names.

    >>> _without_unit(["85.5 kg", "83.0 kg"]), _without_unit(["2 door", "4 door"])
    ([], None)
    """
    found = [(text, _WITH_UNIT.fullmatch(text)) for text in texts]
    counts = Counter(match[1] for _, match in found if match)
    if not counts:
        return None
    (unit, n_numbers), *_ = counts.most_common(1)
    others = [text for text, match in found if match is None or match[1] != unit]
    has_decimals = any(re.search(r"\d[.,]\d", text) for text in texts)
    fewest = 0 if has_decimals and not others else max(_MANY_NUMBERS, len(texts) / 2)
    return others if n_numbers > fewest else None


def _date_format(texts: list[str]) -> str:
    """Return the format of dates; where day and month are ambiguous, the day comes first.

    >>> _date_format(["1/2/2024", "1/31/2024"]), _date_format(["1.2.24"])
    ('%m/%d/%Y', '%d.%m.%y')
    """
    rows = [re.findall(r"\d+", text) for text in texts]
    if len(rows[0][0]) == 4:
        order = ["%Y", "%m", "%d"]
    else:
        order = ["%d", "%m"] if all(int(row[1]) <= 12 for row in rows) else ["%m", "%d"]
        order.append("%Y" if len(rows[0][2]) == 4 else "%y")
    date, *time = re.split("([T ])", texts[0], maxsplit=1)
    mark = re.sub(r"\d", "", date)[0]
    clock = ["%H", "%M", "%S"][: 1 + time[1].count(":")] if time else []
    return mark.join(order) + "".join(time[:1]) + ":".join(clock)


def cell_hint(text: str, expected: str, decimal: str = DECIMAL_POINT) -> str:
    """Return what to do about a cell that is not as expected, as a template.

    >>> cell_hint("0,5", "numbers"), cell_hint("1,250", "numbers")
    ("; for a decimal comma set {decimal=','}", "; for thousands separators set {thousands=','}")
    >>> cell_hint("31.12.2024", "dates")
    "; for dates in this format set {dates='%d.%m.%Y'}"
    >>> cell_hint("many", "numbers")
    ': correct it, or list it in {missing_value} if it means missing'
    """
    if expected == "dates" and re.match(_DATE_PATTERN, text):
        example = escape_braces(repr(_date_format([text])))
        return f"; for dates in this format set {{dates={example}}}"
    marks = _marks([text], decimal)
    if marks is not None:
        return "; for {} set {}".format(*marks)
    if decimal == DECIMAL_POINT and re.fullmatch(_NUMBER_PATTERN.format(","), text):
        return "; for a decimal comma set {decimal=','}"
    if decimal != DECIMAL_POINT and re.fullmatch(
        _NUMBER_PATTERN.format(re.escape(DECIMAL_POINT)), text
    ):
        return f"; the decimal mark is set to {escape_braces(repr(decimal))}"
    return ": correct it, or list it in {missing_value} if it means missing"


def _marks(texts: Sequence[str], decimal: str) -> tuple[str, str] | None:
    """Return which marks numbers in groups of three digits have, and what to set; None if not all.

    >>> _marks(["1.107,51", "999"], ".")
    ('thousands separators and a decimal comma', "{decimal=','} and {thousands='.'}")
    """
    mark = _thousands_mark(texts, decimal)
    if mark is not None:
        return "thousands separators", f"{{thousands={mark!r}}}"
    mark = _thousands_mark(texts, ",") if decimal == DECIMAL_POINT else None
    if mark is None:
        return None
    return "thousands separators and a decimal comma", f"{{decimal=','}} and {{thousands={mark!r}}}"


def _thousands_mark(texts: Any, decimal: str) -> str | None:
    """Return the mark between groups of three digits if all texts are numbers, some with it.

    >>> _thousands_mark(["1 250", "12 345,5", "999"], ","), _thousands_mark(["1.250"], ".")
    (' ', None)
    """
    for mark in _THOUSANDS_MARKS:
        if mark == decimal:
            continue
        number = re.compile(_grouped_number(mark, decimal))
        if all(number.match(text) for text in texts) and any(
            len(re.findall(_mark_class(mark), text)) > 0 for text in texts
        ):
            return mark
    return None


def _grouped_number(mark: str, decimal: str) -> str:
    """Return the pattern of numbers in groups of three digits, or of at most three."""
    return (
        rf"^[-+]?([1-9]\d{{0,2}}({_mark_class(mark)}\d{{3}})+|\d{{1,3}})({re.escape(decimal)}\d+)?$"
    )


def _mark_class(mark: str) -> str:
    """Return the pattern of a mark; a blank also stands for non-breaking blanks."""
    return "[ \u00a0\u202f]" if mark == " " else re.escape(mark)


def are_codes(texts: Any) -> bool:
    """Return whether texts are digits that a number would change: see ``why_codes``."""
    return why_codes(texts) is not None


def why_codes(texts: Any) -> str | None:
    """Return why texts of digits are codes: leading zeros, as in postcodes, or too many digits.

    Parameters
    ----------
    texts : pyarrow array
        Some may be missing.

    Examples
    --------
    >>> from roctree.data.lazy import arrow
    >>> [why_codes(arrow.array(each)) for each in (["007", "12", None], ["0", "7"], ["7" * 22])]
    ['leading zeros', None, 'more than 19 digits']
    """
    compute = arrow.compute
    if not compute.all(compute.match_substring_regex(texts, r"^\s*\d+\s*$")).as_py():
        return None
    for pattern, reason in _CODES.items():
        if compute.any(compute.match_substring_regex(texts, pattern)).as_py():
            return reason
    return None


def are_numbers(texts: Any) -> bool:
    """Return whether all texts are numbers with a decimal point."""
    return bool(arrow.compute.all(_are_numbers(texts, DECIMAL_POINT)).as_py())


def _are_numbers(texts: Any, decimal: str) -> Any:
    return arrow.compute.match_substring_regex(texts, _NUMBER_PATTERN.format(re.escape(decimal)))
