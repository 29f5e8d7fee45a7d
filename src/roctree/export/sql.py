"""A tree as a query of SQL, in steps.

The first steps lead each row to its leaf by nested CASEs, and a table of the leaves says what they
make of it. A row that a missing value or a soft threshold divides has no such leaf: for these see
``sql_sums`` and ``sql_parts``.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from roctree.errors import ParameterError, how_to_install
from roctree.export.exported import Exported
from roctree.export.sql_parts import followed
from roctree.export.sql_sums import added
from roctree.export.sql_words import (
    Step,
    Words,
    divided_at,
    listed,
    literal,
    number,
    quoted,
    table_of,
)

# Databases limit how many CASEs may stand within each other, and how many steps there may be.
LEVELS_A_STEP, MOST_LEVELS = 8, 400
# Above, rows that are divided are no longer added up to the last bit, but without long planning.
# They need a step for each level, of which SQLite takes some 300.
FEW_LEAVES, MOST_LEVELS_FOLLOWED = 64, 250
# These keep the results of a step where they are told to; others are left to their own judgement.
KEEPS_STEPS = (None, "sqlite", "duckdb", "postgres")
# These do not take names for the columns of a list of values, and need none.
NAMELESS = (None, "sqlite")


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
    _check(model, keep)
    words, names = Words.of(model, keep), dialect not in NAMELESS
    steps = [_leaves(model, words, names), *_descent(model, words, table)]
    placed = steps[-1][0]
    queries = [_of_one_leaf(model, words, placed)]
    if model.divides.any():
        follows = _follows(model)
        steps += followed(model, words, placed, names) if follows else added(model, words, placed)
        queries.append(_of_several(model, words, steps[-1][0]))
    kept = " MATERIALIZED" if dialect in KEEPS_STEPS else ""
    named = [f"{name} AS{kept} (\n{query}\n)" for name, query in steps]
    query = "WITH " + ", ".join(named) + "\n" + "\nUNION ALL\n".join(queries)
    head = "".join(f"-- {line}\n" for line in model.origin)
    return head + (query if dialect is None else _translated(query, dialect))


def _check(model: Exported, keep: Sequence[str]) -> None:
    most = MOST_LEVELS_FOLLOWED if _follows(model) else MOST_LEVELS
    if model.tree.max_depth > most:
        raise ParameterError(
            f"The tree has {model.tree.max_depth} levels, and databases take at most some {most}: "
            "limit max_depth, or prune the tree."
        )
    for name in keep:
        if name in _result_names(model):
            raise ParameterError(f"keep has {name!r}, which is the name of a result.")


def _follows(model: Exported) -> bool:
    """Whether divided rows are followed from level to level, and not added up leaf by leaf.

    What goes down a soft branch depends on how much of the row has come to it.
    """
    many = model.tree.n_leaves > FEW_LEAVES and model.divides.any()
    return bool(many or model.soft.any())


def _descent(model: Exported, words: Words, table: str) -> Iterator[Step]:
    """The steps that lead rows to their leaves, some levels at a time.

    ``place`` becomes the leaf, or says where the row is divided; ``leaf`` is that on the heaviest
    path.
    """
    tree = model.tree
    nested = {words.own("place"): _nested(model, words)}
    if model.divides.any():
        nested[words.own("leaf")] = _nested(model.undivided, words)
    source = ".".join(quoted(part) for part in table.split("."))
    for step, level in enumerate(range(0, max(tree.max_depth, 1), LEVELS_A_STEP)):
        columns = list(words.passed_on)
        for name, texts in nested.items():
            here = [node for node in texts if tree.depth[node] == level]
            moved = "".join(f"\n  WHEN {node} THEN {texts[node]}" for node in here)
            found = f"CASE {name}{moved}\n  ELSE {name} END" if level else texts[0]
            columns.append(f"{found} AS {name}")
        yield words.own("placed", step), f"SELECT {listed(columns)}\nFROM {source}"
        source = words.own("placed", step)


def _nested(model: Exported, words: Words) -> dict[int, str]:
    """Return the CASE that leads from the root, and from nodes where a step begins, to the next.

    It says the number of a leaf, of a node where the next step begins, or where the row is divided.
    """
    tree = model.tree
    begins = ~tree.is_leaf & (tree.depth % LEVELS_A_STEP == 0)
    begins[0] = True
    texts = {int(leaf): str(leaf) for leaf in tree.leaves}
    found = {0: texts[0]} if tree.n_nodes == 1 else {}
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        text = _case(model, words, node, texts)
        if begins[node]:
            found[node], text = text, str(node)
        texts[node] = text
    return found


def _case(model: Exported, words: Words, node: int, texts: dict[int, str]) -> str:
    """Return the CASE of a node, around the texts of its children, which are used up."""
    tree, missing = model.tree, int(model.tree.missing_branch[node])
    first, n_children = int(tree.first_child[node]), int(tree.n_children[node])
    below = [texts.pop(child) for child in range(first, first + n_children)]
    indent = "\n" + "  " * (int(tree.depth[node]) % LEVELS_A_STEP + 2)
    whens = [
        f"{indent}WHEN {test} THEN {below[branch]}"
        for branch, test in words.tests(model, node).items()
        if branch != missing
    ]
    if model.soft[node]:
        whens.insert(0, f"{indent}WHEN {words.near(model, node)} THEN {divided_at(node)}")
    otherwise = str(divided_at(node)) if missing < 0 else below[missing]
    return f"CASE{''.join(whens)}{indent}ELSE {otherwise} END" if whens else otherwise


def _leaves(model: Exported, words: Words, names: bool) -> Step:
    """The table of the leaves: number, label, probabilities, and votes if they differ."""
    classes = model.schema.classes.tolist()
    columns = [words.own("number"), words.own("label"), *words.probabilities(model)]
    tables = [model.probabilities]
    if not model.follows_probabilities:
        columns += words.votes(model)
        tables.append(model.votes)
    rows = []
    for leaf in model.tree.leaves.tolist():
        shares = [number(share) for table in tables for share in table[leaf].tolist()]
        rows.append([str(leaf), literal(classes[model.labels[leaf]]), *shares])
    return table_of(words.own("leaves"), columns, rows, names)


def _of_one_leaf(model: Exported, words: Words, source: str) -> str:
    """The results of rows that reach one leaf, under the names of the classes."""
    leaf = words.own("leaf" if model.divides.any() else "place")
    found = [*words.probabilities(model), words.own("label"), leaf]
    named = zip(found, map(quoted, _result_names(model)), strict=True)
    columns = [*words.keep, *(f"{column} AS {name}" for column, name in named)]
    join = f"JOIN {words.own('leaves')} ON {words.own('number')} = {words.own('place')}"
    return f"SELECT {listed(columns)}\nFROM {source}\n{join}"


def _of_several(model: Exported, words: Words, source: str) -> str:
    """The results of divided rows: of several leaves the first label with the most votes."""
    labels = [literal(label) for label in model.schema.classes.tolist()]
    votes = words.votes(model)
    whens = []
    for label, vote in enumerate(votes[:-1]):
        test = " AND ".join(f"{vote} >= {other}" for other in votes[label + 1 :])
        whens.append(f"\n    WHEN {test} THEN {labels[label]}")
    chosen = f"CASE{''.join(whens)}\n    ELSE {labels[-1]} END" if whens else labels[-1]
    found = [*words.probabilities(model), chosen, words.own("leaf")]
    named = zip(found, map(quoted, _result_names(model)), strict=True)
    columns = [*words.keep, *(f"{column} AS {name}" for column, name in named)]
    return f"SELECT {listed(columns)}\nFROM {source}"


def _result_names(model: Exported) -> list[str]:
    labels = model.schema.classes.tolist()
    return [*(f"probability_{label}" for label in labels), "label", "leaf"]


def _translated(query: str, dialect: str) -> str:
    """Return the query in another dialect."""
    try:
        import sqlglot
    except ImportError:
        raise ImportError(
            f"Dialects of SQL are written by sqlglot: {how_to_install('sql')}."
        ) from None
    try:
        return str(sqlglot.transpile(query, write=dialect, pretty=True)[0])
    except ValueError as error:
        raise ParameterError(f"dialect={dialect!r} is not known to sqlglot: {error}") from None
