"""A tree as text: one line for each branch, indented below the split it belongs to."""

import html
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.text import pluralize, quote_if_needed
from roctree.tree.tree import IS_PRESENT, Tree

if TYPE_CHECKING:
    from roctree.data import Schema

BAR = "|   "
# More bars than this would fill the page; a number takes their place.
MAX_BARS = 20
MAX_CATEGORIES = 6
MAX_CLASSES = 3
ALL_DIGITS = 17
DIGITS = 4
HTML_LEVELS = 3


def to_text(
    tree: Tree,
    schema: "Schema",
    *,
    max_depth: int | None = None,
    digits: int = DIGITS,
    leaf_note: Callable[[int], str] | None = None,
    labels: NDArray[np.int64] | None = None,
) -> str:
    """Return the tree as text.

    Thresholds are rounded, but not so far that two of the same attribute look equal. A branch says
    ``or missing`` if missing values go there, unless all splits on that attribute send them to the
    heaviest branch. Cases are counted by weight. After twenty bars, the number of further bars is
    given in brackets.

    Parameters
    ----------
    tree : Tree
    schema : Schema
        Names, categories and classes.
    max_depth : int, optional
        Number of levels to show; a line that stands for a subtree ends in "…".
    digits : int
        Significant digits of thresholds and weights, at most 17.
    leaf_note : callable, optional
        Returns a note for each leaf, by its number.
    labels : int64[nodes], optional
        Class of each node, by default the most frequent.
    """
    check_limits(max_depth, digits)
    condition = _conditions(tree, schema, digits)
    return in_lines(
        tree,
        schema.classes,
        condition,
        max_depth=max_depth,
        digits=digits,
        leaf_note=leaf_note,
        labels=labels,
    )


def _conditions(tree: Tree, schema: "Schema", digits: int) -> Callable[[int], str]:
    """Return a function that says which values lead to a node from its parent."""
    names = [quote_if_needed(name) for name in schema.names]
    cuts = short_thresholds(tree, digits)
    says_missing = says_missing_of(tree)

    def condition(node: int) -> str:
        parent = int(tree.parent[node])
        name, cut = names[tree.feature[parent]], cuts.get(parent)
        return branch_condition(tree, schema, node, name, cut, says_missing=says_missing[parent])

    return condition


def in_lines(
    tree: Tree,
    classes: NDArray[Any],
    condition: Callable[[int], str],
    *,
    max_depth: int | None,
    digits: int,
    leaf_note: Callable[[int], str] | None = None,
    labels: NDArray[np.int64] | None = None,
) -> str:
    """Return one line per node below the root: its condition, and the outcome if it is a leaf.

    Parameters
    ----------
    tree : Tree
    classes : array
        Class labels.
    condition : callable
        Returns what leads to a node from its parent.
    max_depth, digits, leaf_note, labels : as in ``to_text``
    """
    named = tree.counts.argmax(axis=1) if labels is None else labels
    lines = []
    for node in depth_first(tree, max_depth):
        inside = tree.depth[node] > 0
        text = _indent(int(tree.depth[node])) + condition(node) if inside else ""
        if tree.is_leaf[node] or tree.depth[node] == max_depth:
            text += ": " * bool(inside) + _outcome(
                tree.counts[node], int(named[node]), classes, digits
            )
            if not tree.is_leaf[node]:
                text += " …"
            elif leaf_note is not None:
                text += leaf_note(node)
        if text:
            lines.append(text)
    return "\n".join(lines)


def value_text(value: float, schema: "Schema", feature: int, digits: int = 4) -> str:
    """Return the value of an attribute as text, such as "age = 30" or "age is missing"."""
    name, categories = quote_if_needed(schema.names[feature]), schema.categories[feature]
    if np.isnan(value):
        return f"{name} is missing"
    if categories is None:
        return f"{name} = {short(float(value), digits)}"
    return f"{name} = {quote_if_needed(categories[int(value)])}"


def branch_conditions(tree: Tree, schema: "Schema", nodes: Iterable[int]) -> dict[int, str]:
    """Return the conditions that lead to some nodes from their parents; the root has none."""
    condition = _conditions(tree, schema, DIGITS)
    return {node: condition(node) for node in nodes}


def to_html(tree: Tree, schema: "Schema", labels: NDArray[np.int64]) -> str:
    """Return the size of the tree and its top levels as HTML, with the class of each node."""
    facts = f"{pluralize(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.max_depth}, classes "
    classes = ", ".join(map(str, schema.classes))
    text = to_text(tree, schema, max_depth=HTML_LEVELS, labels=labels)
    return f"<p>{html.escape(facts + classes)}</p><pre>{html.escape(text)}</pre>"


def check_limits(max_depth: Any, digits: Any) -> None:
    """Raise ``ParameterError`` unless the numbers of levels and digits are allowed."""
    if max_depth is not None and not (_whole(max_depth) and max_depth >= 0):
        raise ParameterError(
            f"max_depth={max_depth!r} is not allowed: give a whole number from 0 on, or None."
        )
    if not (_whole(digits) and 1 <= digits <= ALL_DIGITS):
        raise ParameterError(
            f"digits={digits!r} is not allowed: give a whole number from 1 to {ALL_DIGITS}."
        )


def _whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def depth_first(tree: Tree, max_depth: int | None) -> Iterator[int]:
    """Yield the nodes down to ``max_depth``, each before its children, branch 0 first."""
    stack = [0]
    while stack:
        node = stack.pop()
        yield node
        if max_depth is None or tree.depth[node] < max_depth:
            first = int(tree.first_child[node])
            stack.extend(range(first + int(tree.n_children[node]) - 1, first - 1, -1))


def _indent(depth: int) -> str:
    if depth - 1 <= MAX_BARS:
        return BAR * (depth - 1)
    return BAR * MAX_BARS + f"[{depth - 1}] "


def branch_condition(
    tree: Tree, schema: "Schema", node: int, name: str, cut: str | None, *, says_missing: bool
) -> str:
    """Return the condition that leads to a node from its parent."""
    parent, branch = tree.parent[node], tree.branch[node]
    takes_missing = bool(tree.missing_branch[parent] == branch)
    if tree.threshold[parent] == IS_PRESENT and tree.missing_branch[parent] == 1:
        return f"{name} is {'missing' if branch == 1 else 'present'}"
    if cut is not None:
        condition = f"{name} {'<=' if branch == 0 else '>'} {cut}"
    else:
        codes = slice(tree.category_offsets[parent], tree.category_offsets[parent + 1])
        among = np.flatnonzero(tree.category_branch[codes] == branch)
        if among.size == 0:
            return f"{name} is missing" if takes_missing else f"{name} is none of these"
        condition = f"{name} {category_set(among, schema.categories[tree.feature[parent]])}"
    return condition + " or missing" * (takes_missing and says_missing)


def category_set(codes: NDArray[np.int64], categories: Any) -> str:
    """Return a set of categories as text; of many, the first ones."""
    words = [quote_if_needed(categories[code], within_list=True) for code in codes]
    if len(words) == 1:
        return f"= {words[0]}"
    if len(words) > MAX_CATEGORIES:
        n_shown = MAX_CATEGORIES - 1
        words[n_shown:] = [f"… ({len(words) - n_shown} more)"]
    return f"in {{{', '.join(words)}}}"


def _outcome(counts: NDArray[np.float64], winner: int, classes: NDArray[Any], digits: int) -> str:
    """Return the class of a leaf, its frequency, and the number of cases."""
    weight = float(counts.sum())
    if weight == 0.0:
        return "no cases"
    cases = f"{short(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    others = _others(counts, winner, classes, digits) if len(classes) > 2 else ""
    name, share = quote_if_needed(classes[winner]), share_text(counts[winner] / weight)
    return f"{name}  ({share}, {cases}{others})"


def _others(counts: NDArray[np.float64], winner: int, classes: NDArray[Any], digits: int) -> str:
    """Return the other classes and their counts, the most frequent first."""
    order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0.0 and i != winner]
    listed = [f"{short(float(counts[i]), digits)} {quote_if_needed(classes[i])}" for i in order]
    listed[MAX_CLASSES:] = ["…"] * (len(listed) > MAX_CLASSES)
    return "; " + ", ".join(listed) if listed else ""


def share_text(part: float) -> str:
    """Return a share with two decimals, or more if an impure leaf would look pure."""
    n_decimals = 2
    while part < 1.0 and n_decimals < ALL_DIGITS and float(f"{part:.{n_decimals}f}") == 1.0:
        n_decimals += 1
    return f"{part:.{n_decimals}f}"


def says_missing_of(tree: Tree) -> list[bool]:
    """Return whether each split is on an attribute whose missing branch must be stated."""
    own_way = (tree.missing_branch >= 0) & (tree.missing_branch != tree.heaviest_branch)
    return [bool(flag) for flag in np.isin(tree.feature, tree.feature[own_way])]


def short_thresholds(tree: Tree, digits: int = DIGITS) -> dict[int, str]:
    """Return the text of the threshold of each numeric node."""
    numeric = np.flatnonzero(~np.isnan(tree.threshold))
    texts: dict[tuple[int, float], str] = {}
    for feature in np.unique(tree.feature[numeric]):
        thresholds = tree.threshold[numeric[tree.feature[numeric] == feature]]
        for threshold, text in apart(sorted(set(thresholds.tolist())), digits).items():
            texts[int(feature), threshold] = text
    return {int(i): texts[int(tree.feature[i]), float(tree.threshold[i])] for i in numeric}


def apart(thresholds: list[float], digits: int) -> dict[float, str]:
    """Round ascending numbers to ``digits``, or to more where they would look equal."""
    texts = {}
    crowded = thresholds
    while crowded and digits <= ALL_DIGITS:
        texts.update({threshold: short(threshold, digits) for threshold in crowded})
        seen = [texts[threshold] for threshold in thresholds]
        repeated = {after for before, after in pairwise(seen) if before == after}
        crowded = [threshold for threshold in thresholds if texts[threshold] in repeated]
        digits += 1
    return texts


def short(number: float, digits: int) -> str:
    """Return a number rounded to ``digits`` significant digits; integer parts are not rounded."""
    if not 1e-5 <= abs(number) < 1e15:
        return f"{number:.{digits}g}"
    if number == int(number):
        return str(int(number))
    n_whole = len(str(int(abs(number))))
    precision = max(digits, n_whole + (n_whole >= digits))
    return np.format_float_positional(
        number, precision=precision, unique=True, fractional=False, trim="-"
    )
