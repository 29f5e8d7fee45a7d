"""Divided rows, followed into the leaves they reach: for soft thresholds and many leaves.

Each step follows them one level down: a table of shares makes of a row as many as its node has
branches, each with the part that goes there. At the end the leaves are added up by these parts. All
of it grows with the number of nodes, where an expression for each leaf, as in ``sql_sums``, grows
with leaves times levels and keeps databases busy with planning. The order of the sum is their
affair, so that of divided rows the last bits may differ.

Near a soft threshold the parts come from the value and not from the table, and a row of which too
small a part would go to a branch stays together.
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
from roctree.tree.visit_kernels import LEAST_PART


def followed(model: Exported, words: Words, placed: str, names: bool) -> Iterator[Step]:
    """The steps that make of each divided row one for each leaf it reaches, with its part.

    Parameters
    ----------
    model : the labelled tree
    words : the names of the query
    placed : the step that placed all rows
    names : as in ``table_of``
    """
    place, part = words.own("place"), words.own("part")
    carried = [words.own("row"), *words.passed_on, words.own("leaf")]
    # Rows have no number of their own. Any order will do, since it is asked for only here.
    some = next(iter(words.attributes.values()))
    columns = [
        f"ROW_NUMBER() OVER (ORDER BY {some}) AS {carried[0]}",
        *carried[1:],
        f"-1 - {place} AS {words.own('node')}",
        f"1.0e0 AS {part}",
    ]
    source = words.own("divided")
    yield source, f"SELECT {listed(columns)}\nFROM {placed}\nWHERE {place} < 0"
    for level in range(model.tree.max_depth):
        yield _shares(model, words, level, names)
        query = _one_level_down(model, words, level, source, carried)
        source = words.own("followed", level)
        yield source, query
    yield _sums(model, words, source)


def _one_level_down(
    model: Exported, words: Words, level: int, source: str, carried: list[str]
) -> str:
    """The query that moves the rows at the nodes of a level to their children."""
    node, part, above = words.own("node"), words.own("part"), words.own("above")
    leaning: list[str] = []
    shares = [words.own("share"), "1.0e0"]
    if (model.soft & (model.tree.depth == level)).any():
        columns = [*carried, part, node, _leaning(model, words, level)]
        source = f"(\nSELECT {listed(columns)}\nFROM {source}\n) AS leaning"
        leaning, shares = [above], [f"ABS({words.own('side')} - {above})", *shares]
    moved = [*carried, part, *leaning, _moved(model, words, level)]
    columns = [
        *carried,
        f"COALESCE({words.own('child')}, {node}) AS {node}",
        f"{part} * COALESCE({', '.join(shares)}) AS {part}",
    ]
    return (
        f"SELECT {listed(columns)}\nFROM (\nSELECT {listed(moved)}\nFROM {source}\n) AS moved\n"
        f"LEFT JOIN {words.own('shares', level)} ON {words.own('parent')} = {node}"
    )


def _shares(model: Exported, words: Words, level: int, names: bool) -> Step:
    """The table of what part of a row goes from each node of a level to each of its children.

    ``side`` is 1 below a threshold and 0 above: its distance from the part above is the part there.
    """
    tree = model.tree
    columns = [words.own(name) for name in ("parent", "child", "share", "side")]
    rows = [
        [
            str(divided_at(int(tree.parent[child]))),
            str(child),
            number(float(tree.share[child])),
            number(float(tree.branch[child] == 0)),
        ]
        for child in np.flatnonzero(tree.depth == level + 1).tolist()
    ]
    return table_of(words.own("shares", level), columns, rows, names)


def _leaning(model: Exported, words: Words, level: int) -> str:
    """The part of a row that would go above the soft threshold of its node."""
    here = np.flatnonzero(model.soft & (model.tree.depth == level)).tolist()
    whens = [f"\n    WHEN {node} THEN {words.part_above(model, node)}" for node in here]
    return f"CASE {words.own('node')}{''.join(whens)} END AS {words.own('above')}"


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
        if model.soft[here]:
            tests.insert(0, f" WHEN {_enough(words)} THEN {divided_at(here)}")
        otherwise = divided_at(here) if missing < 0 else first + missing
        goes = f"CASE{''.join(tests)} ELSE {otherwise} END" if tests else str(otherwise)
        whens.append(f"\n    WHEN {here} THEN {goes}")
    return f"CASE {node}{''.join(whens)}\n    ELSE {node} END AS {node}"


def _enough(words: Words) -> str:
    """What holds of a row of which enough goes to both branches of a soft threshold."""
    part, above, least = words.own("part"), words.own("above"), number(LEAST_PART)
    return f"{part} * {above} >= {least} AND {part} * (1.0e0 - {above}) >= {least}"


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
