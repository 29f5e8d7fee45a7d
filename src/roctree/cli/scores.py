"""The columns that ``roctree predict`` can write, by name; one function and one line add one."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from roctree.cli.cases import with_all
from roctree.cli.methods import method_of
from roctree.cli.output import told_of_one_block
from roctree.data.arrow import pa
from roctree.data.roles import named
from roctree.errors import ParameterError
from roctree.strategy import nearest

Columns = Iterator[tuple[str, Any]]


def score_columns(tree: Any, table: Any, wanted: str, keep: list[str]) -> Any:
    """Return the columns asked for as a table.

    Parameters
    ----------
    tree : the fitted tree
    table : rows with at least the attributes that the tree looks at
    wanted : names of ``SCORES``, with commas between
    keep : columns of the rows that come first; a text that is no name may list some
    """
    if table.num_rows == 0:
        # Nothing can be predicted, but the columns must be the same as those of other blocks.
        return score_columns(tree, _one_row(table), wanted, keep).slice(0, 0)
    rows = with_all(table, tree.schema_)
    keep = named(keep, table.column_names)
    found = {name: table.column(name) for name in keep}
    with told_of_one_block():
        for column, values in _asked_for(tree, rows, wanted):
            if column in keep:
                raise ParameterError(f"--keep has {column!r}, which is the name of a result.")
            found[column] = values
    return pa.table(found)


def _asked_for(tree: Any, rows: Any, wanted: str) -> Columns:
    for name in wanted.split(","):
        if name not in SCORES:
            raise ParameterError(
                f"--columns has {name!r}{nearest(name, SCORES)}; choose from {', '.join(SCORES)}."
            )
        yield from SCORES[name](tree, rows)


def _label(tree: Any, rows: Any) -> Columns:
    yield "label", pa.array(tree.predict(rows))


def _probability(tree: Any, rows: Any) -> Columns:
    shares = tree.predict_proba(rows)
    for place, label in enumerate(tree.classes_.tolist()):
        yield f"probability_{label}", pa.array(shares[:, place])


def _score(tree: Any, rows: Any) -> Columns:
    scores = tree.decision_function(rows)
    if scores.ndim == 1:
        yield "score", pa.array(scores)
        return
    for place, label in enumerate(tree.classes_.tolist()):
        yield f"score_{label}", pa.array(scores[:, place])


def _leaf(tree: Any, rows: Any) -> Columns:
    yield "leaf", pa.array(method_of(tree, "apply")(rows))


def _rule(tree: Any, rows: Any) -> Columns:
    text = method_of(tree, "to_rules")()
    leaves, places = np.unique(tree.apply(rows), return_inverse=True)
    rules = [line for line in text.splitlines() if not line.startswith("#")]
    by_leaf = {int(line.rpartition("leaf ")[2].rstrip(")")): line for line in rules}
    texts = pa.array([by_leaf[leaf] for leaf in leaves.tolist()])
    yield "rule", texts.take(pa.array(places))


def _change(tree: Any, rows: Any) -> Columns:
    """The least change that gives another label, its label and how far it is."""
    cases = list(method_of(tree, "nearest_change")(rows))
    texts = [", ".join(change.words for change in case.changes) for case in cases]
    yield "change", pa.array(texts, pa.string())
    yield "change_to", pa.array([None if case.to is None else str(case.to) for case in cases],
                                pa.string())  # fmt: skip
    yield "change_distance", pa.array([case.distance for case in cases], pa.float64())


def _one_row(table: Any) -> Any:
    """Return a row that any model takes: numbers are there, and all else is missing."""
    return pa.table({field.name: _one_value(field.type) for field in table.schema})


def _one_value(kind: Any) -> Any:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return pa.array([0], pa.int64()).cast(kind) if is_number else pa.nulls(1, kind)


SCORES: dict[str, Callable[[Any, Any], Columns]] = {
    "label": _label,
    "probability": _probability,
    "score": _score,
    "leaf": _leaf,
    "rule": _rule,
    "change": _change,
}
