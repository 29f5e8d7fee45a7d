"""A tree as text: one line for each branch, indented below the split it belongs to."""

import html
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError
from roctree.strategy import is_integer
from roctree.text import UNDECIDED, pluralize, quote_if_needed
from roctree.tree.tree import IS_PRESENT, SCORE_DECIMALS, Tree

if TYPE_CHECKING:
    from roctree.data import Schema

BAR = "|   "
# More bars than this would fill the page, so their number is shown.
MAX_BARS = 20
MAX_LISTED_CATEGORIES = 6
MAX_LISTED_CLASSES = 3
# Significant digits by default, and those that distinguish all numbers.
DIGITS = 4
ALL_DIGITS = 17
# Trees of up to this many leaves are shown whole; HTML shows this many levels of larger ones.
WHOLE_TREE_LEAVES = 16
HTML_LEVELS = 3
# Days since 1970 beyond this are shown as numbers.
_LATEST_DAY = 1e8


class NodePredictions(NamedTuple):
    """Labels and probabilities of the nodes of a tree, for display.

    The number of a node is the probability of the positive class if there are two classes,
    otherwise that of the label. Texts, graphs and plots all show it.

    Parameters
    ----------
    labels : int64[nodes]
        Class index of each node; the number of classes if its cases are undecided.
    probabilities : float64[nodes, classes]
    positive : int
        Index of the positive class.
    letters : mapping from int to str
        Letters of the leaves, by node.
    classes : array
        Class labels.
    """

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    positive: int
    letters: Mapping[int, str]
    classes: NDArray[Any]

    def label_text(self, node: int) -> str:
        """Return the letter of a leaf and its label, such as "B malignant"."""
        label = int(self.labels[node])
        name = UNDECIDED if label == len(self.classes) else quote_if_needed(self.classes[label])
        return f"{self.letters[node]} {name}" if node in self.letters else name

    def share_text(self, node: int) -> str:
        """Return the number of a node, such as "malignant 0.94", or "0.94" of several classes."""
        shares, label = self.probabilities[node], int(self.labels[node])
        if len(self.classes) == 2:
            return self._named_share(node, self.positive)
        if label < len(self.classes):
            return share_text(float(shares[label]))
        order = np.argsort(-shares, kind="stable")[: MAX_LISTED_CLASSES + 1].tolist()
        return ", ".join(self._named_share(node, label) for label in order)

    def _named_share(self, node: int, label: int) -> str:
        share = share_text(float(self.probabilities[node, label]))
        return f"{quote_if_needed(self.classes[label])} {share}"


def to_text(
    tree: Tree,
    schema: "Schema",
    *,
    max_depth: int | None = None,
    digits: int = DIGITS,
    leaf_note: Callable[[int], str] | None = None,
    predictions: NodePredictions | None = None,
) -> str:
    """Return the tree as text.

    Thresholds are rounded, but not so far that two of the same attribute look equal. A condition
    ends in ``or missing`` if missing values go there, unless all splits on that attribute send them
    to the heaviest branch. Cases are counted by weight. After twenty bars, the number of further
    bars is given in brackets.

    Parameters
    ----------
    tree : Tree
    schema : Schema
        Names, categories and classes.
    max_depth : int, optional
        Number of levels to show; a line in place of a subtree ends in "…".
    digits : int
        Significant digits of thresholds and weights, at most 17.
    leaf_note : callable, optional
        Returns a note for each leaf, by its number.
    predictions : NodePredictions, optional
        What the nodes predict; by default the most frequent class, with its share of the cases.
    """
    check_limits(max_depth, digits)
    condition = _conditions(tree, schema, digits)
    return node_lines(
        tree,
        schema.classes,
        condition,
        max_depth=max_depth,
        digits=digits,
        leaf_note=leaf_note,
        predictions=predictions,
    )


def _conditions(tree: Tree, schema: "Schema", digits: int) -> Callable[[int], str]:
    """Return a function from nodes to the condition that leads there from the parent."""
    names = [quote_if_needed(name) for name in schema.names]
    cuts = short_thresholds(tree, schema, digits)
    states_missing = states_missing_branch(tree)

    def condition(node: int) -> str:
        parent = int(tree.parent[node])
        name, cut = names[tree.feature[parent]], cuts.get(parent)
        return branch_condition(
            tree, schema, node, name, cut, states_missing=states_missing[parent]
        )

    return condition


def node_lines(
    tree: Tree,
    classes: NDArray[Any],
    condition: Callable[[int], str],
    *,
    max_depth: int | None,
    digits: int,
    leaf_note: Callable[[int], str] | None = None,
    predictions: NodePredictions | None = None,
) -> str:
    """Return one line per node below the root: its condition, and the outcome if it is a leaf.

    Parameters
    ----------
    tree : Tree
    classes : array
        Class labels.
    condition : callable
        Returns what leads to a node from its parent.
    max_depth, digits, leaf_note, predictions : as in ``to_text``
    """
    lines = []
    for node in depth_first(tree, max_depth):
        inside = tree.depth[node] > 0
        text = _indent(int(tree.depth[node])) + condition(node) if inside else ""
        if tree.is_leaf[node] or tree.depth[node] == max_depth:
            text += ": " * bool(inside) + _outcome(tree, node, classes, digits, predictions)
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
    if schema.date_unit(feature):
        return f"{name} = {date_text(float(value), schema.date_unit(feature))}"
    if categories is None:
        return f"{name} = {format_number(float(value), digits)}"
    return f"{name} = {quote_if_needed(categories[int(value)])}"


def branch_conditions(tree: Tree, schema: "Schema", nodes: Iterable[int]) -> dict[int, str]:
    """Return the conditions that lead to some nodes from their parents; the root has none."""
    condition = _conditions(tree, schema, DIGITS)
    return {node: condition(node) for node in nodes}


def to_html(tree: Tree, schema: "Schema", predictions: NodePredictions) -> str:
    """Return the tree as HTML, or the top levels of a large one, with the label of each node."""
    facts = f"{pluralize(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.max_depth}, classes "
    classes = ", ".join(map(str, schema.classes))
    levels = None if tree.n_leaves <= WHOLE_TREE_LEAVES else HTML_LEVELS
    text = to_text(tree, schema, max_depth=levels, predictions=predictions)
    return f"<p>{html.escape(facts + classes)}</p><pre>{html.escape(text)}</pre>"


def check_limits(max_depth: Any, digits: Any) -> None:
    """Raise ``ParameterError`` unless the numbers of levels and digits are allowed."""
    if max_depth is not None and not (is_integer(max_depth) and max_depth >= 0):
        raise ParameterError(
            f"max_depth={max_depth!r} is not allowed: give a whole number from 0 on, or None."
        )
    if not (is_integer(digits) and 1 <= digits <= ALL_DIGITS):
        raise ParameterError(
            f"digits={digits!r} is not allowed: give a whole number from 1 to {ALL_DIGITS}."
        )


def depth_first(tree: Tree, max_depth: int | None) -> Iterator[int]:
    """Yield the nodes down to ``max_depth``, each before its children, branch 0 first."""
    stack = [0]
    while stack:
        node = stack.pop()
        yield node
        if max_depth is None or tree.depth[node] < max_depth:
            first = int(tree.first_child[node])
            stack.extend(range(first + int(tree.n_children[node]) - 1, first - 1, -1))


def leaf_letters(tree: Tree, scores: NDArray[np.float64]) -> dict[int, str]:
    """Return the letters of the leaves in the order of the ranking: A to Z, then AA, AB and so on.

    Parameters
    ----------
    tree : Tree
    scores : float64[nodes]
        Probability of the class of interest; the leaf with the highest is A. Of leaves with the
        same probability, compared after rounding as in ROC curves, the first node comes first.
    """
    order = np.argsort(-np.round(scores[tree.leaves], SCORE_DECIMALS), kind="stable")
    return {int(tree.leaves[leaf]): _letters(rank) for rank, leaf in enumerate(order)}


def _letters(rank: int) -> str:
    """Return the name of a column in a spreadsheet: 0 is A, 25 is Z, 26 is AA."""
    above, last = divmod(rank, 26)
    return (_letters(above - 1) if above > 0 else "") + chr(ord("A") + last)


def _indent(depth: int) -> str:
    if depth - 1 <= MAX_BARS:
        return BAR * (depth - 1)
    return BAR * MAX_BARS + f"[{depth - 1}] "


def branch_condition(
    tree: Tree, schema: "Schema", node: int, name: str, cut: str | None, *, states_missing: bool
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
    return condition + " or missing" * (takes_missing and states_missing)


def category_set(codes: NDArray[np.int64], categories: Any) -> str:
    """Return a set of categories as text; if there are many, only the first ones."""
    words = [quote_if_needed(categories[code], within_list=True) for code in codes]
    if len(words) == 1:
        return f"= {words[0]}"
    if len(words) > MAX_LISTED_CATEGORIES:
        n_shown = MAX_LISTED_CATEGORIES - 1
        words[n_shown:] = [f"… ({len(words) - n_shown} more)"]
    return f"in {{{', '.join(words)}}}"


def _outcome(
    tree: Tree, node: int, classes: NDArray[Any], digits: int, predictions: NodePredictions | None
) -> str:
    """Return the label of a node, its number, and its cases."""
    counts, weight = tree.counts[node], float(tree.weight[node])
    if weight == 0.0:
        return "no cases"
    cases = f"{format_number(weight, digits)} {'case' if weight == 1.0 else 'cases'}"
    winner = int(counts.argmax() if predictions is None else predictions.labels[node])
    others = _others(counts, winner, classes, digits) if len(classes) > 2 else ""
    if predictions is None:
        name, share = quote_if_needed(classes[winner]), share_text(counts[winner] / weight)
    else:
        name, share = predictions.label_text(node), predictions.share_text(node)
    return f"{name}  ({share}, {cases}{others})"


def _others(counts: NDArray[np.float64], winner: int, classes: NDArray[Any], digits: int) -> str:
    """Return the other classes and their counts, the most frequent first."""
    order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0.0 and i != winner]
    listed = [
        f"{format_number(float(counts[i]), digits)} {quote_if_needed(classes[i])}" for i in order
    ]
    listed[MAX_LISTED_CLASSES:] = ["…"] * (len(listed) > MAX_LISTED_CLASSES)
    return "; " + ", ".join(listed) if listed else ""


def share_text(part: float) -> str:
    """Return a share with two decimals, or more if it would look like none or all.

    >>> share_text(0.25), share_text(0.9999), share_text(0.0004), share_text(0.0)
    ('0.25', '0.9999', '0.0004', '0.00')
    """
    n_decimals = 2
    while (
        0.0 < part < 1.0 and n_decimals < ALL_DIGITS and float(f"{part:.{n_decimals}f}") in (0, 1)
    ):
        n_decimals += 1
    return f"{part:.{n_decimals}f}"


def states_missing_branch(tree: Tree) -> list[bool]:
    """Return whether each split is on an attribute whose missing branch must be stated.

    It need not be stated if all splits on the attribute send missing values to the heaviest branch.
    """
    differs = (tree.missing_branch >= 0) & (tree.missing_branch != tree.heaviest_branch)
    return [bool(flag) for flag in np.isin(tree.feature, tree.feature[differs])]


def short_thresholds(tree: Tree, schema: "Schema", digits: int = DIGITS) -> dict[int, str]:
    """Return the text of the threshold of each numeric node: a number, or a date."""
    numeric = np.flatnonzero(~np.isnan(tree.threshold))
    texts: dict[tuple[int, float], str] = {}
    for feature in np.unique(tree.feature[numeric]):
        thresholds = tree.threshold[numeric[tree.feature[numeric] == feature]]
        unit, found = schema.date_unit(int(feature)), sorted(set(thresholds.tolist()))
        shown = (
            {each: date_text(each, unit) for each in found}
            if unit
            else distinct_texts(found, digits)
        )
        for threshold, text in shown.items():
            texts[int(feature), threshold] = text
    return {int(i): texts[int(tree.feature[i]), float(tree.threshold[i])] for i in numeric}


def date_text(days: float, unit: str) -> str:
    """Return a date that is given as days since 1970-01-01.

    A threshold between two whole days is the first of them, which is on its lower side.

    >>> date_text(19723.5, "days"), date_text(19723.25, "times"), date_text(19723.0, "times")
    ('2024-01-01', '2024-01-01 06:00:00', '2024-01-01')
    """
    if not np.isfinite(days) or abs(days) > _LATEST_DAY:
        return format_number(days, DIGITS)
    if unit == "days" or days == int(days):
        return str(np.datetime64(int(np.floor(days)), "D"))
    return str(np.datetime64(round(days * 86_400), "s")).replace("T", " ")


def distinct_texts(thresholds: list[float], digits: int) -> dict[float, str]:
    """Round ascending numbers to ``digits``, or to more where they would look equal."""
    texts = {}
    crowded = thresholds
    while crowded and digits <= ALL_DIGITS:
        texts.update({threshold: format_number(threshold, digits) for threshold in crowded})
        seen = [texts[threshold] for threshold in thresholds]
        repeated = {after for before, after in pairwise(seen) if before == after}
        crowded = [threshold for threshold in thresholds if texts[threshold] in repeated]
        digits += 1
    return texts


def format_number(number: float, digits: int) -> str:
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
