"""A tree as a query of SQL, in steps.

The first steps lead each row to its leaf by nested CASEs. A row that a missing value divides has no
such leaf; for it further steps say which part of it reaches each leaf, the product of its parts in
the branches above, and add up the leaves by these parts. Products and sums are taken in the order
in which the library takes them, so that the results are the same to the last bit wherever numbers
are those of IEEE 754.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.export.exported import Exported
from roctree.export.sql_words import Words, literal, number, quoted
from roctree.tree.tree import Tree

# Databases limit how deep expressions nest: how many CASEs within each other, how many terms of a
# sum (which is as deep as it is long), and how many factors. DuckDB also takes long to plan a step
# of more than some dozens of parts.
LEVELS_A_STEP, TERMS_A_STEP, MOST_LEVELS = 8, 32, 400
# These keep the results of a step where they are told to; others are left to their own judgement.
KEEPS_STEPS = (None, "sqlite", "duckdb", "postgres")
DIVIDED = -1

Step = tuple[str, str]


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
    words = Words.of(model, keep)
    steps = [*_descent(model, words, table)]
    if model.divides.any():
        steps += _sums(model, words, steps[-1][0])
    kept = " MATERIALIZED" if dialect in KEEPS_STEPS else ""
    named = [f"{name} AS{kept} (\n{query}\n)" for name, query in steps]
    query = "WITH " + ", ".join(named) + "\n" + _results(model, words, steps[-1][0])
    head = "".join(f"-- {line}\n" for line in model.head())
    return head + (query if dialect is None else _translated(query, dialect))


def _check(model: Exported, keep: Sequence[str]) -> None:
    if model.tree.max_depth > MOST_LEVELS:
        raise ParameterError(
            f"The tree has {model.tree.max_depth} levels, and databases take at most some "
            f"{MOST_LEVELS}: limit max_depth, or prune the tree."
        )
    for name in keep:
        if name in _result_names(model):
            raise ParameterError(f"keep has {name!r}, which is the name of a result.")


def _descent(model: Exported, words: Words, table: str) -> Iterator[Step]:
    """The steps that lead rows to their leaves, some levels at a time.

    ``place`` becomes the leaf, or says that the row is divided; ``leaf`` is that on the heaviest
    path.
    """
    tree = model.tree
    ways = {words.own("place"): tree.missing_branch}
    if model.divides.any():
        single = np.where(tree.missing_branch < 0, tree.heaviest_branch, tree.missing_branch)
        ways[words.own("leaf")] = single
    nested = {name: _nested(model, words, missing) for name, missing in ways.items()}
    source = ".".join(quoted(part) for part in table.split("."))
    for step, level in enumerate(range(0, max(tree.max_depth, 1), LEVELS_A_STEP)):
        columns = list(words.passed_on)
        for name, texts in nested.items():
            here = [node for node in texts if tree.depth[node] == level]
            moved = "".join(f"\n  WHEN {node} THEN {texts[node]}" for node in here)
            found = f"CASE {name}{moved}\n  ELSE {name} END" if level else texts[0]
            columns.append(f"{found} AS {name}")
        yield words.own("placed", step), f"SELECT {_listed(columns)}\nFROM {source}"
        source = words.own("placed", step)


def _nested(model: Exported, words: Words, missing_branch: NDArray[np.int16]) -> dict[int, str]:
    """Return the CASE that leads from the root, and from nodes where a step begins, to the next.

    It says the number of a leaf, of a node where the next step begins, or that the row is divided.
    """
    tree = model.tree
    begins = ~tree.is_leaf & (tree.depth % LEVELS_A_STEP == 0)
    begins[0] = True
    texts = {int(leaf): str(leaf) for leaf in tree.leaves}
    found = {0: texts[0]} if tree.n_nodes == 1 else {}
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        text = _case(model, words, node, int(missing_branch[node]), texts)
        if begins[node]:
            found[node], text = text, str(node)
        texts[node] = text
    return found


def _case(model: Exported, words: Words, node: int, missing: int, texts: dict[int, str]) -> str:
    """Return the CASE of a node, around the texts of its children, which are used up."""
    tree = model.tree
    first, n_children = int(tree.first_child[node]), int(tree.n_children[node])
    below = [texts.pop(child) for child in range(first, first + n_children)]
    indent = "\n" + "  " * (int(tree.depth[node]) % LEVELS_A_STEP + 2)
    whens = [
        f"{indent}WHEN {test} THEN {below[branch]}"
        for branch, test in words.tests(model, node).items()
        if branch != missing
    ]
    otherwise = str(DIVIDED) if missing < 0 else below[missing]
    return f"CASE{''.join(whens)}{indent}ELSE {otherwise} END" if whens else otherwise


def _sums(model: Exported, words: Words, source: str) -> Iterator[Step]:
    """The steps that add up, for divided rows, what the leaves say."""
    tree, tables = model.tree, _tables(model, words)
    passed = [*words.passed_on, words.own("place"), words.own("leaf")]
    factors = [_factor(model, words, child) for child in range(1, tree.n_nodes)]
    before: list[str] = []
    for step, begin in enumerate(range(0, tree.n_leaves, TERMS_A_STEP)):
        leaves = tree.leaves[begin : begin + TERMS_A_STEP].tolist()
        parts = [
            f"CASE WHEN {words.own('place')} = {DIVIDED} THEN {_part(tree, leaf, factors)} END "
            f"AS {words.own('part', leaf)}"
            for leaf in leaves
        ]
        parted = words.own("parts", step)
        yield parted, f"SELECT {_listed([*passed, *before, *parts])}\nFROM {source}"
        sums = [_sum(words, leaves, table, name, bool(before)) for name, table in tables.items()]
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


def _sum(words: Words, leaves: list[int], table: list[float], name: str, goes_on: bool) -> str:
    terms = [f"{words.own('part', leaf)} * {number(table[leaf])}" for leaf in leaves]
    return f"{' + '.join([name] * goes_on + terms)} AS {name}"


def _factor(model: Exported, words: Words, child: int) -> str:
    """The part of a row at a node that goes to one of its children."""
    tree = model.tree
    parent, branch = int(tree.parent[child]), int(tree.branch[child])
    missing = int(tree.missing_branch[parent])
    whens = [
        f" WHEN {test} THEN {number(float(other == branch))}"
        for other, test in words.tests(model, parent).items()
        if other != missing
    ]
    share = number(float(tree.share[child]) if missing < 0 else float(missing == branch))
    return f"CASE{''.join(whens)} ELSE {share} END" if whens else share


def _part(tree: Tree, leaf: int, factors: list[str]) -> str:
    """The part of a row that reaches a leaf, multiplied from the root on."""
    found, node = [], leaf
    while node > 0:
        found.append(factors[node - 1])
        node = int(tree.parent[node])
    return " * ".join(reversed(found))


def _results(model: Exported, words: Words, source: str) -> str:
    """The last step: what is asked for, under the names of the classes."""
    place = words.own("leaf" if model.divides.any() else "place")
    found = [_probability(model, words, label) for label in range(model.tree.n_classes)]
    found += [_label(model, words), place]
    named = zip(found, map(quoted, _result_names(model)), strict=True)
    columns = [*words.keep, *(f"{column} AS {name}" for column, name in named)]
    return f"SELECT {_listed(columns)}\nFROM {source}"


def _result_names(model: Exported) -> list[str]:
    labels = model.schema.classes.tolist()
    return [*(f"probability_{label}" for label in labels), "label", "leaf"]


def _probability(model: Exported, words: Words, label: int) -> str:
    """The probability of a class: of the leaf, or added up."""
    leaves: dict[float, list[int]] = {}
    for leaf in model.tree.leaves.tolist():
        leaves.setdefault(float(model.probabilities[leaf, label]), []).append(leaf)
    whens = [_when(words, mine, number(share)) for share, mine in leaves.items()]
    added = f"\n    ELSE {words.own('probability', label)}" if model.divides.any() else ""
    return f"CASE{''.join(whens)}{added} END"


def _label(model: Exported, words: Words) -> str:
    """The class of the leaf; of several leaves the first with the largest sum of votes."""
    labels = [literal(label) for label in model.schema.classes.tolist()]
    leaves: dict[int, list[int]] = {}
    for leaf in model.tree.leaves.tolist():
        leaves.setdefault(int(model.labels[leaf]), []).append(leaf)
    whens = [_when(words, mine, labels[label]) for label, mine in sorted(leaves.items())]
    if model.divides.any():
        name = "probability" if model.follows_probabilities else "vote"
        votes = [words.own(name, label) for label in range(len(labels))]
        for label, vote in enumerate(votes[:-1]):
            test = " AND ".join(f"{vote} >= {other}" for other in votes[label + 1 :])
            whens.append(f"\n    WHEN {test} THEN {labels[label]}")
        whens.append(f"\n    ELSE {labels[-1]}")
    return f"CASE{''.join(whens)} END"


def _when(words: Words, leaves: list[int], result: str) -> str:
    places = ", ".join(map(str, leaves))
    return f"\n    WHEN {words.own('place')} IN ({places}) THEN {result}"


def _listed(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)


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
