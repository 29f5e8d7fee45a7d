"""Rows that missing values divide, added up over all leaves: for trees of few leaves.

Steps say which part of a row reaches each leaf, the product of its parts in the branches above, and
add up the leaves by these parts. Products and sums are taken in the order in which the library
takes them, so that the results are the same to the last bit wherever numbers are those of IEEE 754.
"""

from collections.abc import Iterator

from roctree.export.exported import Exported
from roctree.export.sql_words import Step, Words, listed, number
from roctree.tree.tree import Tree

# Databases limit how deep expressions nest, and a sum is as deep as it is long. DuckDB also takes
# long to plan a step of more than some dozens of parts.
TERMS_A_STEP = 32


def added(model: Exported, words: Words, source: str) -> Iterator[Step]:
    """The steps that add up, for divided rows, what the leaves say.

    Parameters
    ----------
    model : the labelled tree
    words : the names of the query
    source : the step that placed all rows
    """
    tree, tables = model.tree, _tables(model, words)
    passed = [*words.passed_on, words.own("leaf")]
    factors = [_factor(model, words, child) for child in range(1, tree.n_nodes)]
    before: list[str] = []
    only = f"\nWHERE {words.own('place')} < 0"
    for step, begin in enumerate(range(0, tree.n_leaves, TERMS_A_STEP)):
        leaves = tree.leaves[begin : begin + TERMS_A_STEP].tolist()
        parts = [f"{_part(tree, leaf, factors)} AS {words.own('part', leaf)}" for leaf in leaves]
        parted = words.own("parts", step)
        yield parted, f"SELECT {listed([*passed, *before, *parts])}\nFROM {source}{only}"
        sums = [_sum(words, leaves, table, name, bool(before)) for name, table in tables.items()]
        source, before, only = words.own("sums", step), list(tables), ""
        yield source, f"SELECT {listed([*passed, *sums])}\nFROM {parted}"


def _tables(model: Exported, words: Words) -> dict[str, list[float]]:
    """What is to be added up for each class: the probabilities, and the votes if they differ."""
    found = dict(zip(words.votes(model), model.votes.T.tolist(), strict=True))
    return found | dict(
        zip(words.probabilities(model), model.probabilities.T.tolist(), strict=True)
    )


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
