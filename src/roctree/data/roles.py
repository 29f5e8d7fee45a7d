"""What each column of a file is taken for, as a person would, and how to say otherwise.

Numbers are numeric, texts and truth values nominal. Texts that name rows rather than groups of
them, and dates, are refused until a user says what to do with them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from roctree.data.arrow import compute, pa
from roctree.data.column import TIMES_AS_NUMBERS
from roctree.data.labels import check_weights
from roctree.data.texts import POINT, are_codes, mistaken
from roctree.errors import DataError, ParameterError
from roctree.strategy import nearest
from roctree.table import amount, plain

Role = Literal["numeric", "nominal", "target", "weight", "ignored"]

# More categories are not asked for by chance.
MOST_CATEGORIES = 1000
# Above so many, more than half as many as rows name rows; all different ones do so earlier.
SOME_CATEGORIES = 100
MOST_DIFFERENT = 10
FEW_NUMBERS = 10
SHOWN = 4
LONG_TEXT = 30
_HOLD, _HAVE = ("holds", "hold"), ("has", "have")


@dataclass(frozen=True)
class Wishes:
    """What a user says about the columns, by name.

    Parameters
    ----------
    target : the class to predict
    weight : the weight of each row, None for ones
    nominal, numeric, ignore : columns to be read as such, or left out; a text with commas that
        is no name stands for several
    """

    target: str
    weight: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @property
    def types(self) -> dict[str, Any]:
        """As what columns are to be read: codes such as 007 stay as they are written."""
        nominal, numeric = _parts(self.nominal), _parts(self.numeric)
        both = next((name for name in nominal if name in numeric), None)
        if both is not None:
            raise ParameterError(f"{both!r} cannot be both nominal and numeric: say one.")
        kinds = dict.fromkeys(nominal, pa.string()) | dict.fromkeys(numeric, pa.float64())
        return kinds | weight_type(self.weight)


@dataclass(frozen=True)
class ColumnFacts:
    """What a column was taken for, and why that might be wrong.

    Parameters
    ----------
    name : of the column
    role : what it is taken for
    values : its range, or its first categories
    n_missing : number of cells that are missing
    remark : what is odd about it, and which option says otherwise
    """

    name: str
    role: Role
    values: str
    n_missing: int
    remark: str = ""


@dataclass(frozen=True)
class Cases:
    """A table taken apart.

    Parameters
    ----------
    X : table of the attributes
    y : column of labels
    weights : float64[n], or None
    facts : of every column of the file
    """

    X: Any
    y: Any
    weights: Any
    facts: tuple[ColumnFacts, ...]


class Reason(NamedTuple):
    """Why columns are of no use as they are: a verb, for one and for several, and the rest."""

    verbs: tuple[str, str]
    what: str

    def of(self, names: Sequence[str]) -> str:
        """Return it as a sentence."""
        return f"{', '.join(names)} {self.verbs[len(names) > 1]} {self.what}"


def cases_of(table: Any, wishes: Wishes, decimal: str = POINT) -> Cases:
    """Return attributes, labels and weights; columns that nobody could want are refused.

    Parameters
    ----------
    table : of pyarrow
    wishes : what a user says about its columns
    decimal : the mark before decimals, by which texts would have been numbers
    """
    names = table.column_names
    (target,) = named([wishes.target], names, several=False)
    weight = named([wishes.weight], names, several=False) if wishes.weight else []
    ignored = named(wishes.ignore, names)
    if table.num_rows == 0:
        raise DataError("The file has no rows below its first line.")
    facts: list[ColumnFacts] = []
    refused: dict[Reason, list[str]] = {}
    asked = {*named(wishes.nominal, names), *named(wishes.numeric, names)}
    for name in names:
        column = table.column(name)
        role = _role(column, name, target, weight, ignored)
        facts.append(_facts(name, column, role))
        if role in ("numeric", "nominal") and name not in asked:
            for reason in _refusals(column, decimal):
                refused.setdefault(reason, []).append(repr(name))
    _refuse(refused)
    _refuse_target(table.column(target), target)
    attributes = [fact.name for fact in facts if fact.role in ("numeric", "nominal")]
    weights = weights_of(table, weight[0]) if weight else None
    return Cases(table.select(attributes), table.column(target), weights, tuple(facts))


def weight_type(name: str | None) -> dict[str, Any]:
    """Return as what the column of weights is to be read, if there is one."""
    return {} if name is None else {name: pa.float64()}


def weights_of(table: Any, name: str, begin: int = 0) -> Any:
    """Return a column as weights, float64[n]; refused where a row, after so many, has none."""
    column = table.column(name)
    if n_missing(column):
        row = compute.index(compute.is_null(column, nan_is_null=True), True).as_py()
        raise DataError(
            f"the weight {name!r} of row {begin + row + 1} is missing: give every row one."
        )
    return check_weights(column.to_numpy(), len(column))


def named(given: Iterable[str], names: Sequence[str], several: bool = True) -> list[str]:
    """Return the columns that are meant; a text that is no name may list some, with commas."""
    found = []
    for text in given:
        parts = [text] if text in names or not several else text.split(",")
        for part in parts:
            if part not in names:
                listed = ", ".join(map(repr, names[:12])) + ", ..." * (len(names) > 12)
                raise ParameterError(
                    f"there is no column {part!r}{nearest(part, names)}; there are {listed}."
                )
            found.append(part)
    return found


def _parts(given: Iterable[str]) -> list[str]:
    """All names that may be meant, before it is known which there are."""
    return [part for text in given for part in (text, *text.split(","))]


def n_missing(column: Any) -> int:
    """Return how many cells have no value; not a number is none."""
    nan = compute.sum(compute.is_nan(column)).as_py() if _is_float(column) else 0
    return int(column.null_count) + int(nan or 0)


def _role(column: Any, name: str, target: str, weight: list[str], ignored: list[str]) -> Role:
    if name == target:
        return "target"
    if name in weight:
        return "weight"
    # Lines that end in the mark between cells have a last column without name and values.
    if name in ignored or (name == "" and column.null_count == len(column)):
        return "ignored"
    return "numeric" if _is_number(column) else "nominal"


def _facts(name: str, column: Any, role: Role) -> ColumnFacts:
    remark, gaps = "", n_missing(column)
    if role in ("numeric", "nominal"):
        remark = "; ".join(_remarks(name, column, len(column) - gaps))
    return ColumnFacts(name, role, _values(column, role), gaps, remark)


def _values(column: Any, role: Role) -> str:
    if role == "ignored" or column.null_count == len(column):
        return ""
    if _is_number(column) and role != "target":
        ends = compute.min_max(column).as_py()
        return f"{ends['min']:.6g} to {ends['max']:.6g}"
    if not (_is_text(column) or _is_number(column) or pa.types.is_boolean(column.type)):
        return str(column.type)
    counted = compute.value_counts(column.drop_null())
    by_count = sorted(counted.to_pylist(), key=lambda pair: (-pair["counts"], str(pair["values"])))
    shown = [plain(str(pair["values"])[:LONG_TEXT], within_list=True) for pair in by_count[:SHOWN]]
    return f"{len(by_count)}: {', '.join(shown)}" + ", ..." * (len(by_count) > SHOWN)


def _remarks(name: str, column: Any, n_present: int) -> Iterator[str]:
    if n_present == 0:
        yield f"no values; --ignore {_shell(name)}"
        return
    if n_present == len(column) > 1 and _is_constant(column):
        yield f"one value only, of no use to a split; --ignore {_shell(name)}"
        return
    if _is_text(column) and are_codes(column.cast(pa.string())):
        yield f"zeros before digits: codes, not numbers; --numeric {_shell(name)}"
    if not pa.types.is_integer(column.type):
        return
    n_distinct = compute.count_distinct(column).as_py()
    if n_distinct == n_present > MOST_DIFFERENT:
        yield f"whole numbers, all different: a number of the row? --ignore {_shell(name)}"
    elif 2 < n_distinct <= FEW_NUMBERS:
        yield f"{n_distinct} whole numbers: codes? --nominal {_shell(name)}"


def _is_constant(column: Any) -> bool:
    """Whether all cells are alike; one that differs among the first ends the search."""
    few = column.slice(0, FEW_NUMBERS)
    if not (_is_number(column) or _is_text(column) or pa.types.is_boolean(column.type)):
        return False
    return all(compute.count_distinct(cells).as_py() == 1 for cells in (few, column))


def _refusals(column: Any, decimal: str) -> Iterator[Reason]:
    """Say why a column is of no use as it is."""
    if _is_time(column):
        yield Reason(_HOLD, f"dates or times, and a tree needs numbers: {TIMES_AS_NUMBERS}")
        return
    if _is_number(column) or pa.types.is_boolean(column.type):
        return
    if not _is_text(column):
        yield Reason(_HOLD, f"{column.type} values, which are neither numbers nor texts")
        return
    n_present, texts = len(column) - column.null_count, column.drop_null().unique()
    n_distinct, taken_for = len(texts), mistaken(texts.cast(pa.string()), decimal)
    if taken_for is not None:
        yield Reason(_HOLD, f"texts, of which {taken_for}")
    elif n_distinct > MOST_CATEGORIES:
        yield Reason(_HAVE, f"{n_distinct} different texts")
    elif n_distinct > max(SOME_CATEGORIES, n_present / 2):
        yield Reason(_HAVE, f"{n_distinct} different texts in {n_present} rows")
    elif n_distinct == n_present > MOST_DIFFERENT:
        yield Reason(_HAVE, "a different text in every row")


def _refuse(reasons: dict[Reason, list[str]]) -> None:
    if reasons:
        said = "; ".join(reason.of(names) for reason, names in reasons.items())
        raise DataError(
            f"Columns are no attributes as they are: {said}. Leave a column out by --ignore NAME, "
            "or keep it as it is by --nominal NAME."
        )


def _refuse_target(column: Any, name: str) -> None:
    n_distinct = compute.count_distinct(column.drop_null()).as_py()
    if n_distinct > max(SOME_CATEGORIES, len(column) / 2):
        raise DataError(
            f"the target {name!r} has {n_distinct} different values in {len(column)} rows, and is "
            "no class: name another column by --target, or cut it into intervals first."
        )
    if column.null_count:
        row = compute.index(compute.is_null(column), True).as_py()
        raise DataError(
            f"the target {name!r} is missing in "
            f"{amount(column.null_count, 'row')}, first in row {row + 1}: drop the rows without a "
            "label."
        )


def _is_number(column: Any) -> bool:
    kind = column.type
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def _is_float(column: Any) -> bool:
    return bool(pa.types.is_floating(column.type))


def _is_time(column: Any) -> bool:
    return bool(pa.types.is_temporal(column.type))


def _is_text(column: Any) -> bool:
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _shell(name: str) -> str:
    """Write a name so that a shell takes it for one word."""
    return name if name.replace("_", "").replace("-", "").isalnum() else f"'{name}'"
