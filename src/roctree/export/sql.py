"""A tree as a query of SQL.

A first step leads each row to its leaf by one nested CASE. A row that a missing value divides has
no such leaf; for it the query says which part of it reaches each leaf, the product of its parts in
the branches above, and adds up the leaves by these parts. Products and sums are taken in the order
in which the library takes them, so that the results are the same to the last bit wherever numbers
are those of IEEE 754.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.export.exported import Exported
from roctree.tree.tree import IS_PRESENT, Tree

# Databases take expressions nested a thousand deep, some of which are the query's own.
MOST_LEVELS = 400
# Leaves that are added up in one step: a sum is nested as deep as it has terms.
MOST_TERMS = 400
# These keep the parts of rows where they are told to; others must be left to their own judgement.
KEEPS_STEPS = (None, "sqlite", "duckdb", "postgres")
DIVIDED = -1


@dataclass(frozen=True)
class Words:
    """The names of a query, quoted.

    Parameters
    ----------
    keep : columns that are handed on
    attributes : for each attribute its column
    prefix : begins the names of the query's own columns, and no other
    """

    keep: tuple[str, ...]
    attributes: dict[int, str]
    prefix: str

    def own(self, name: str, number: int | str = "") -> str:
        """Return a column or a step of the query's own."""
        return f"{self.prefix}_{name}{number}"

    @property
    def passed_on(self) -> list[str]:
        """The columns that every step hands to the next."""
        return list(dict.fromkeys([*self.keep, *self.attributes.values()]))


def to_sql(
    model: Exported, table: str = "cases", *, keep: Sequence[str] = (), dialect: str | None = None
) -> str:
    """Return a SELECT of probabilities, label and leaf of each row of a table.

    Parameters
    ----------
    model : the labelled tree
    table : where the rows are, perhaps with its schema, ``"sales.customers"``
    keep : columns to hand on, such as a key: rows of a database have no order
    dialect : as sqlglot spells it, such as "bigquery"; None for SQL that SQLite, DuckDB and
        PostgreSQL share, which needs no sqlglot
    """
    model.refuse_what_only_python_does()
    if model.tree.max_depth > MOST_LEVELS:
        raise ParameterError(
            f"The tree has {model.tree.max_depth} levels, and databases take expressions of about "
            f"{MOST_LEVELS}: limit max_depth, or prune the tree."
        )
    words = _words(model, keep)
    steps = [_placed(model, words, table)]
    if model.divides.any():
        steps += _sums(model, words)
    kept = " MATERIALIZED" if dialect in KEEPS_STEPS else ""
    named = [f"{name} AS{kept} (\n{query}\n)" for name, query in steps]
    query = "WITH " + ", ".join(named) + "\n" + _results(model, words, steps[-1][0])
    head = "".join(f"-- {line}\n" for line in model.head())
    return head + (query if dialect is None else _translated(query, dialect))


def _words(model: Exported, keep: Sequence[str]) -> Words:
    used = sorted({int(feature) for feature in model.tree.feature if feature >= 0})
    names = [*keep, *(model.schema.names[feature] for feature in used)]
    prefix = "roctree"
    while any(name.casefold().startswith(prefix) for name in names):
        prefix += "_"
    results = set(_result_names(model))
    clash = [name for name in keep if name in results]
    if clash:
        raise ParameterError(f"keep has {clash[0]!r}, which the query gives that name itself.")
    return Words(
        tuple(quoted(name) for name in keep),
        {feature: quoted(model.schema.names[feature]) for feature in used},
        prefix,
    )


def quoted(name: str) -> str:
    """Return a name that is nothing but a name, whatever it holds."""
    if "\0" in name or not name:
        raise ParameterError(f"{name!r} cannot be the name of a column in SQL: rename it.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a label or a category as SQL writes it."""
    if isinstance(value, str):
        if "\0" in value:
            raise ParameterError(f"{value!r} cannot be written in SQL: rename it.")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else number(float(value))


def number(value: float) -> str:
    """Return a number with an exponent, lest it be a decimal fraction that is rounded twice."""
    text = repr(value)
    return text if "e" in text else text + "e0"


def _placed(model: Exported, words: Words, table: str) -> tuple[str, str]:
    """The step that leads rows to their leaves."""
    tree = model.tree
    place = _nested(model, words, tree.missing_branch)
    columns = [*words.passed_on, f"{place} AS {words.own('place')}"]
    if model.divides.any():
        single = np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)
        columns.append(f"{_nested(model, words, single)} AS {words.own('leaf')}")
    source = ".".join(quoted(part) for part in table.split("."))
    return words.own("placed"), f"SELECT {_listed(columns)}\nFROM {source}"


def _nested(model: Exported, words: Words, missing_branch: NDArray[Any]) -> str:
    """One CASE within the other, down to the numbers of the leaves."""
    tree = model.tree
    text = [str(node) for node in range(tree.n_nodes)]
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        missing, first = int(missing_branch[node]), int(tree.first_child[node])
        indent = "  " * min(int(tree.depth[node]) + 1, 20)
        whens = [
            f"\n{indent}WHEN {test} THEN {text[first + branch]}"
            for branch, test in _tests(model, words, int(node)).items()
            if branch != missing
        ]
        otherwise = str(DIVIDED) if missing < 0 else text[first + missing]
        if whens:
            otherwise = f"CASE{''.join(whens)}\n{indent}ELSE {otherwise} END"
        text[node] = otherwise
        text[first : first + int(tree.n_children[node])] = [""] * int(tree.n_children[node])
    return text[0]


def _tests(model: Exported, words: Words, node: int) -> dict[int, str]:
    """What leads to each branch of a node; branches to which only missing values go have none."""
    tree = model.tree
    column = words.attributes[int(tree.feature[node])]
    threshold = float(tree.threshold[node])
    if threshold == IS_PRESENT and tree.missing_branch[node] == 1:
        return {0: f"{column} IS NOT NULL"}
    if not np.isnan(threshold):
        return {0: f"{column} <= {number(threshold)}", 1: f"{column} > {number(threshold)}"}
    categories = model.schema.categories[tree.feature[node]] or ()
    branches = tree.category_branch[tree.category_offsets[node] : tree.category_offsets[node + 1]]
    tests = {}
    for branch in range(int(tree.n_children[node])):
        mine = [literal(_python(categories[code])) for code in np.flatnonzero(branches == branch)]
        if mine:
            tests[branch] = f"{column} IN ({', '.join(mine)})"
    return tests


def _sums(model: Exported, words: Words) -> Iterator[tuple[str, str]]:
    """The steps that add up, for divided rows, what the leaves say."""
    tree, tables = model.tree, _tables(model, words)
    passed = [*words.passed_on, words.own("place"), words.own("leaf")]
    factors = [_factor(model, words, child) for child in range(1, tree.n_nodes)]
    source, before = words.own("placed"), list[str]()
    for step, begin in enumerate(range(0, tree.n_leaves, MOST_TERMS)):
        leaves = [int(leaf) for leaf in tree.leaves[begin : begin + MOST_TERMS]]
        parts = [
            f"CASE WHEN {words.own('place')} = {DIVIDED} THEN {_part(tree, leaf, factors)} END "
            f"AS {words.own('part', leaf)}"
            for leaf in leaves
        ]
        parted = words.own("parts", step)
        yield parted, f"SELECT {_listed([*passed, *before, *parts])}\nFROM {source}"
        sums = [
            " + ".join(
                [name] * bool(before)
                + [f"{words.own('part', leaf)} * {number(table[leaf])}" for leaf in leaves]
            )
            + f" AS {name}"
            for name, table in tables.items()
        ]
        source, before = words.own("sums", step), list(tables)
        yield source, f"SELECT {_listed([*passed, *sums])}\nFROM {parted}"


def _tables(model: Exported, words: Words) -> dict[str, list[float]]:
    """What is to be added up for each class: the probabilities, and the votes if they differ."""
    found = {"probability": model.probabilities}
    if not model.follows_probabilities:
        found["vote"] = model.votes
    return {
        words.own(name, label): table[:, label].tolist()
        for name, table in found.items()
        for label in range(model.tree.n_classes)
    }


def _factor(model: Exported, words: Words, child: int) -> str:
    """The part of a row at a node that goes to one of its children."""
    tree = model.tree
    parent, branch = int(tree.parent[child]), int(tree.branch[child])
    missing = int(tree.missing_branch[parent])
    tests = _tests(model, words, parent)
    whens = [
        f" WHEN {test} THEN {number(float(other == branch))}"
        for other, test in tests.items()
        if other != missing
    ]
    share = float(tree.share[child]) if missing < 0 else float(missing == branch)
    return f"CASE{''.join(whens)} ELSE {number(share)} END" if whens else number(share)


def _part(tree: Tree, leaf: int, factors: list[str]) -> str:
    """The part of a row that reaches a leaf, multiplied from the root on."""
    found, node = [], leaf
    while node > 0:
        found.append(factors[node - 1])
        node = int(tree.parent[node])
    return " * ".join(reversed(found))


def _results(model: Exported, words: Words, source: str) -> str:
    """The last step: what is asked for, under the names of the classes."""
    names = [quoted(name) for name in _result_names(model)]
    *probabilities, label, leaf = names
    columns = list(words.keep)
    for number_, name in enumerate(probabilities):
        columns.append(f"{_probability(model, words, number_)} AS {name}")
    columns.append(f"{_label(model, words)} AS {label}")
    place = words.own("leaf" if model.divides.any() else "place")
    columns.append(f"{place} AS {leaf}")
    return f"SELECT {_listed(columns)}\nFROM {source}"


def _result_names(model: Exported) -> list[str]:
    labels = model.schema.classes.tolist()
    return [*(f"probability_{label}" for label in labels), "label", "leaf"]


def _probability(model: Exported, words: Words, label: int) -> str:
    """The probability of a class: of the leaf, or added up."""
    shares: dict[float, list[str]] = {}
    for leaf in model.tree.leaves:
        shares.setdefault(float(model.probabilities[leaf, label]), []).append(str(leaf))
    place = words.own("place")
    whens = [_when(place, leaves, number(share)) for share, leaves in shares.items()]
    added = [f" ELSE {words.own('probability', label)}"] * bool(model.divides.any())
    return f"CASE{''.join(whens + added)} END"


def _label(model: Exported, words: Words) -> str:
    """The class of the leaf; of several leaves the first with the largest sum of votes."""
    labels = [literal(_python(label)) for label in model.schema.classes.tolist()]
    leaves: dict[int, list[str]] = {}
    for leaf in model.tree.leaves:
        leaves.setdefault(int(model.labels[leaf]), []).append(str(leaf))
    place = words.own("place")
    whens = [_when(place, mine, labels[label]) for label, mine in sorted(leaves.items())]
    if model.divides.any():
        name = "probability" if model.follows_probabilities else "vote"
        votes = [words.own(name, label) for label in range(len(labels))]
        for label, vote in enumerate(votes[:-1]):
            test = " AND ".join(f"{vote} >= {other}" for other in votes[label + 1 :])
            whens.append(f" WHEN {test} THEN {labels[label]}")
        whens.append(f" ELSE {labels[-1]}")
    return f"CASE{''.join(whens)} END"


def _when(column: str, values: list[str], result: str) -> str:
    return f"\n    WHEN {column} IN ({', '.join(values)}) THEN {result}"


def _listed(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)


def _python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _translated(query: str, dialect: str) -> str:
    """Return the query in another dialect."""
    try:
        import sqlglot
    except ImportError:
        raise ImportError(
            "Dialects of SQL are written by sqlglot: pip install roctree[sql]."
        ) from None
    try:
        return str(sqlglot.transpile(query, write=dialect, pretty=True)[0])
    except ValueError as error:
        raise ParameterError(f"dialect={dialect!r} is not known to sqlglot: {error}") from None
