"""Rows that missing values divide, followed into the leaves they reach: for trees of many leaves.

Each step follows them one level down: a table of shares makes of a row as many as its node has
branches, each with the part that goes there. At the end the leaves are added up by these parts. All
of it grows with the number of nodes, where an expression for each leaf, as in ``sql_sums``, grows
with leaves times levels and keeps databases busy with planning. The order of the sum is their
affair, so that of divided rows the last bits may differ.
"""

from collections.abc import Iterator

import numpy as np

from roctree.export.exported import Exported
from roctree.export.sql_words import (
    Step,
    Words,
    divided_at,
    listed,
    number,
    table_of,
)


def followed(model: Exported, words: Words, source: str, names: bool) -> Iterator[Step]:
    """The steps that make of each divided row one for each leaf it reaches, with its part.

    Parameters
    ----------
    model : the labelled tree
    words : the names of the query
    source : the step that placed all rows
    names : as in ``table_of``
    """
    row, node, part = words.own("row"), words.own("node"), words.own("part")
    carried = [*words.passed_on, words.own("leaf")]
    # Rows have no number of their own. Any order will do, since it is asked for only here.
    some = next(iter(words.attributes.values()))
    columns = [
        f"ROW_NUMBER() OVER (ORDER BY {some}) AS {row}",
        *carried,
        f"{words.own('place')} AS {node}",
        f"1.0e0 AS {part}",
    ]
    query = f"SELECT {listed(columns)}\nFROM {source}\nWHERE {words.own('place')} < 0"
    source = words.own("divided")
    yield source, query
    for level in range(model.tree.max_depth):
        yield _shares(model, words, level, names)
        moved = (
            f"SELECT {listed([row, *carried, part, _moved(model, words, level)])}\nFROM {source}"
        )
        columns = [
            row,
            *carried,
            f"COALESCE({words.own('child')}, {node}) AS {node}",
            f"{part} * COALESCE({words.own('share')}, 1.0e0) AS {part}",
        ]
        join = f"LEFT JOIN {words.own('shares', level)} ON {words.own('parent')} = {node}"
        source = words.own("followed", level)
        yield source, f"SELECT {listed(columns)}\nFROM (\n{moved}\n) AS moved\n{join}"
    yield _sums(model, words, source)


def _shares(model: Exported, words: Words, level: int, names: bool) -> Step:
    """The table of what part of a row goes from each node of a level to each of its children."""
    tree = model.tree
    columns = [words.own(name) for name in ("parent", "child", "share")]
    rows = [
        [str(divided_at(int(tree.parent[child]))), str(child), number(float(tree.share[child]))]
        for child in np.flatnonzero(tree.depth == level + 1).tolist()
    ]
    return table_of(words.own("shares", level), columns, rows, names)


def _moved(model: Exported, words: Words, level: int) -> str:
    """Where a row at a node of a level goes: to a child, or to be divided."""
    tree, node = model.tree, words.own("node")
    whens = []
    for here in np.flatnonzero((tree.depth == level) & ~tree.is_leaf).tolist():
        first, missing = int(tree.first_child[here]), int(tree.missing_branch[here])
        tests = [
            f" WHEN {test} THEN {first + branch}"
            for branch, test in words.tests(model, here).items()
            if branch != missing
        ]
        otherwise = divided_at(here) if missing < 0 else first + missing
        goes = f"CASE{''.join(tests)} ELSE {otherwise} END" if tests else str(otherwise)
        whens.append(f"\n    WHEN {here} THEN {goes}")
    return f"CASE {node}{''.join(whens)}\n    ELSE {node} END AS {node}"


def _sums(model: Exported, words: Words, source: str) -> Step:
    """What the leaves of each row say, added up by its parts."""
    tables = dict.fromkeys([*words.probabilities(model), *words.votes(model)])
    sums = [f"SUM({words.own('part')} * {name}) AS {name}" for name in tables]
    groups = [*words.keep, words.own("leaf")]
    join = f"JOIN {words.own('leaves')} ON {words.own('number')} = {words.own('node')}"
    query = (
        f"SELECT {listed([*groups, *sums])}\nFROM {source}\n{join}\n"
        f"GROUP BY {', '.join([words.own('row'), *groups])}"
    )
    return words.own("sums"), query
