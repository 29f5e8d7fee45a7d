"""A Naive Bayes tree as text: the tree, followed by the table of each leaf."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.models.nbtree.naive_bayes import NaiveBayesTree
from roctree.table import plain
from roctree.tree.text import apart, short, to_text

Floats = NDArray[np.float64]
Line = tuple[str, list[str]]


def naive_bayes_text(
    tree: NaiveBayesTree, schema: Schema, *, max_depth: int | None, digits: int
) -> str:
    """Return the tree as text; the table of a leaf omits attributes with a single cell.

    Parameters
    ----------
    tree : the tree
    schema : names, categories and classes
    max_depth : number of levels to show, without the tables of deeper leaves; None for all
    digits : significant digits of cuts and weights, at most 17
    """

    def named(node: int) -> str:
        return f"  [NB {tree.model[node] + 1}]"

    text = to_text(tree.nodes, schema, max_depth=max_depth, digits=digits, leaf_note=named)
    shown = [node for node in tree.nodes.leaves if _is_within(tree, node, max_depth)]
    used = sorted({int(tree.model[node]) for node in shown})
    return "\n\n".join([text, *(_table(tree, model, schema, digits) for model in used)])


def _is_within(tree: NaiveBayesTree, node: int, max_depth: int | None) -> bool:
    return max_depth is None or bool(tree.nodes.depth[node] <= max_depth)


def _table(tree: NaiveBayesTree, model: int, schema: Schema, digits: int) -> str:
    """Return one model: prior of each class, and probability of each cell given the class."""
    weight = float(tree.models.class_counts[model].sum())
    cases = f"{short(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    head = f"NB {model + 1}: {cases}", [plain(label) for label in schema.classes]
    prior = "class", _shares(tree.models.prior[model])
    return _aligned([head, prior, *_attributes(tree, model, schema, digits)])


def _attributes(tree: NaiveBayesTree, model: int, schema: Schema, digits: int) -> Iterator[Line]:
    for feature, name in enumerate(schema.names):
        cells = tree.models.cells(model, feature)
        if cells.stop - cells.start < 2:
            continue
        yield plain(name), []
        words = cell_words(tree.models.cuts_of(model, feature), schema.categories[feature], digits)
        for word, likelihood in zip(words, tree.models.likelihood[cells], strict=True):
            yield f"  {word}", _shares(likelihood)


def cell_words(cuts: Floats, categories: Any, digits: int) -> list[str]:
    """Return a description of each cell of an attribute.

    Parameters
    ----------
    cuts : upper bounds of the intervals except the last
    categories : None for numbers
    digits : significant digits of cuts
    """
    if categories is not None:
        return [f"= {plain(category)}" for category in categories]
    texts = apart(cuts.tolist(), digits)
    return [f"<= {texts[cut]}" for cut in cuts.tolist()] + [f"> {texts[cuts[-1]]}"]


def _shares(shares: Floats) -> list[str]:
    return [f"{share:.3f}" for share in shares]


def _aligned(lines: list[Line]) -> str:
    width = max(len(word) for word, _ in lines)
    columns = max(len(cell) for _, cells in lines for cell in cells)
    return "\n".join(
        (word.ljust(width) + "".join(f"  {cell:>{columns}}" for cell in cells)).rstrip()
        for word, cells in lines
    )
