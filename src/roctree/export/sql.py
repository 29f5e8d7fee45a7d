"""A tree as an SQL query, built from named steps (common table expressions).

1. ``placed`` steps lead each row to its leaf by nested CASE expressions, a few levels per step.
2. A ``leaves`` table holds label, probabilities and votes of each leaf; rows are joined to it.
3. A row that a missing value or a soft threshold divides among several leaves has no single leaf.
   Its results are averages over its leaves, computed in one of two ways:

   - *Added up leaf by leaf*, for small trees with hard thresholds. The share of a row in a leaf is
     the product of its shares in the branches above. Products and sums are taken in the same order
     as in this library, so results are identical to the last bit under IEEE 754 arithmetic. The
     query grows with leaves times levels, which keeps databases busy planning large trees.
   - *Followed level by level*, for soft thresholds and large trees. Each step turns a row at a node
     into one row per branch, with the share that goes there, by a join with a table of shares; at
     the end, leaves are summed by these shares. The query grows with the number of nodes. The order
     of the sum is up to the database, so the last bits may differ.

Columns of dates are first converted to days since 1970-01-01, the numbers of the tree, from their
ISO 8601 text and in whole microseconds, which databases share and which loses no bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roctree.errors import ParameterError, how_to_install
from roctree.export.common import (
    check_portable,
    divides,
    steepness,
    tested_features,
    undivided,
    used_features,
)
from roctree.fitted import FittedTree
from roctree.points import MIN_PROBABILITY, AttributePoints
from roctree.scorecard import FittedScorecard
from roctree.text import escape_unprintable
from roctree.tree import MIN_PART
from roctree.tree.tree import IS_PRESENT, Tree

# Databases limit how deeply CASE expressions nest, and how many steps a query has.
LEVELS_PER_STEP, MAX_LEVELS = 8, 400
# Trees of more leaves follow divided rows level by level, with one step per level; SQLite takes
# about 300 steps.
FEW_LEAVES, MAX_LEVELS_FOLLOWED = 64, 250
# Databases limit the depth of expressions, and a sum is as deep as it is long. DuckDB also plans a
# step of more than a few dozen terms slowly.
TERMS_PER_STEP = 32
_LETTERS_PER_LINE = 6
# Dialects that compute a step once if it is marked MATERIALIZED; others decide for themselves.
MATERIALIZING_DIALECTS = (None, "sqlite", "duckdb", "postgres")
# Dialects that do not accept column names for a list of values, and do not need them.
UNNAMED_VALUES_DIALECTS = (None, "sqlite")


class Step(NamedTuple):
    """A common table expression: its name, perhaps with column names, and its query."""

    name: str
    query: str


def to_sql(
    model: FittedTree,
    table: str = "cases",
    *,
    keep: Sequence[str] = (),
    dialect: str | None = None,
) -> str:
    """Return a SELECT of the probabilities, label and leaf of each row of a table.

    Parameters
    ----------
    model : FittedTree
    table : str
        Table with the rows, optionally with its schema, such as ``"sales.customers"``.
    keep : sequence of str
        Columns to pass through, such as a key: rows of a database have no order.
    dialect : str or None
        Dialect in sqlglot's spelling, such as "bigquery". None for SQL that SQLite, DuckDB and
        PostgreSQL share, which does not need sqlglot.
    """
    check_portable(model)
    lines = [*model.describe(), *_letter_lines(model), *[_NO_KEY] * (not keep)]
    head = "".join(f"-- {line}\n" for line in lines)
    dates = [each for each in used_features(model) if model.schema.date_unit(each)]
    if dates:
        text = _with_days(model, dates, table, keep, dialect)
    else:
        text = _query(model, table, keep, dialect)
    return head + (text if dialect is None else _translate(text, dialect))


_NO_KEY = "results have neither a key nor an order: keep a column that identifies rows"


def _query(model: FittedTree, table: str, keep: Sequence[str], dialect: str | None) -> str:
    """Return the query of a tree, with or without points; it begins with WITH."""
    if isinstance(model, FittedScorecard):
        return _with_points(model, table, keep, dialect)
    return _tree_query(model, table, keep, dialect)


# Columns of dates

_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
# Where the parts of "2024-05-31 23:59:59.999999" begin and end.
_DATE_PARTS = {"year": (1, 4), "month": (6, 2), "day": (9, 2)}
_TIME_PARTS = {"hour": (12, 2), "minute": (15, 2), "second": (18, 2), "fraction": (21, 6)}
_MIDNIGHT = " 00:00:00.000000"


def _with_days(
    model: FittedTree, dates: Sequence[int], table: str, keep: Sequence[str], dialect: str | None
) -> str:
    """Return the query of a tree, preceded by steps that count some columns of dates in days."""
    names = list(model.schema.names)
    used = [names[feature] for feature in used_features(model)]
    columns = [quoted(name) for name in dict.fromkeys([*keep, *used])]
    own = "roctree_date"
    texts, parts, days = list(columns), list(columns), list(columns)
    for place, feature in enumerate(dates):
        name = names[feature]
        text = f"CAST({quoted(name)} AS TEXT)"
        midnight = f"SUBSTR({literal(_MIDNIGHT)}, LENGTH({text}) - 9)"
        texts.append(f"{text} || {midnight} AS {own}_text{place}")
        parts += [
            f"CAST(SUBSTR({own}_text{place}, {begin}, {length}) AS INTEGER) AS {own}_{part}{place}"
            for part, (begin, length) in (_DATE_PARTS | _TIME_PARTS).items()
        ]
        while names[feature] in (*keep, *model.schema.names):
            names[feature] = f"days of {names[feature]}"
        days.append(f"{_days(own, place)} AS {quoted(names[feature])}")
    source = ".".join(quoted(part) for part in table.split("."))
    steps = [
        f"{own}s{number} AS (\nSELECT {_column_lines(listed)}\nFROM {before}\n)"
        for number, (listed, before) in enumerate(
            zip((texts, parts, days), (source, f"{own}s0", f"{own}s1"), strict=True)
        )
    ]
    counted = replace(model, schema=replace(model.schema, names=tuple(names), dates=()))
    rest = _query(counted, f"{own}s2", keep, dialect).removeprefix("WITH ")
    return f"WITH {', '.join(steps)}, {rest}"


def _days(own: str, place: int) -> str:
    """Return the days from 1970-01-01 to a date, given its parts as integers."""
    parts = {part: f"{own}_{part}{place}" for part in _DATE_PARTS | _TIME_PARTS}
    year, month = parts["year"], parts["month"]
    before = f"({year} - 1)"
    # Differences are multiples, so that a division is exact whatever its type. Until 1970 there
    # were 477 leap days.
    leaps = " ".join(
        f"{sign} ({before} - {before} % {years}) / {years}"
        for sign, years in (("+", 4), ("-", 100), ("+", 400))
    )
    months = " ".join(f"WHEN {n} THEN {days}" for n, days in enumerate(_DAYS_BEFORE_MONTH, 1))
    is_leap = f"({year} % 4 = 0 AND {year} % 100 <> 0 OR {year} % 400 = 0)"
    days = (
        f"365 * ({year} - 1970) {leaps} - 477 + CASE {month} {months} END "
        f"+ CASE WHEN {month} > 2 AND {is_leap} THEN 1 ELSE 0 END + {parts['day']} - 1"
    )
    seconds = f"{parts['hour']} * 3600 + {parts['minute']} * 60 + {parts['second']}"
    return (
        f"(({days}) * 86400000000.0e0 + ({seconds}) * 1000000.0e0 + {parts['fraction']}) "
        "/ 86400000000.0e0"
    )


# Trees


def _tree_query(model: FittedTree, table: str, keep: Sequence[str], dialect: str | None) -> str:
    """Return the query of a tree without points."""
    query = Query.from_tree(model, keep, names_values=dialect not in UNNAMED_VALUES_DIALECTS)
    query.check()
    steps = [_leaf_table(query), *_descent(query, table)]
    placed = steps[-1].name
    selects = [_select_single_leaf(query, placed)]
    if query.divides:
        divided = _follow_levels if query.follows_levels else _add_up_leaves
        steps += divided(query, placed)
        selects.append(_select_divided(query, steps[-1].name))
    materialized = " MATERIALIZED" if dialect in MATERIALIZING_DIALECTS else ""
    named = [f"{step.name} AS{materialized} (\n{step.query}\n)" for step in steps]
    return "WITH " + ", ".join(named) + "\n" + "\nUNION ALL\n".join(selects)


# Scores beyond this would overflow; probabilities are 0 and 1 long before.
_LARGEST_SCORE = 300.0


def _with_points(
    model: FittedScorecard, table: str, keep: Sequence[str], dialect: str | None
) -> str:
    """Return the query of a tree with points: that of the tree, then scores, then probabilities."""
    card, schema = model.points, model.schema
    names = [schema.names[feature] for feature in card.features]
    passed = list(dict.fromkeys([*keep, *names]))
    query = Query.from_tree(model, passed, names_values=False)
    kept, columns = [quoted(name) for name in keep], range(card.n_columns)
    results, own = query.results, query.own
    shares, leaf = results[: schema.n_classes], results[-1]
    floor = number(MIN_PROBABILITY)
    logs = [f"LN(CASE WHEN {share} < {floor} THEN {floor} ELSE {share} END)" for share in shares]
    mean = f"({' + '.join(logs)}) / {len(logs)}.0e0"
    by_tree = (
        [f"{logs[1]} - {logs[0]}"] if len(columns) == 1 else [f"{log} - {mean}" for log in logs]
    )
    scores = []
    for column in columns:
        first = f"({by_tree[column]}) * {number(card.tree_weight / card.unit)}"
        first = f"ROUND({first})" if card.whole else first
        terms = [first, number(float(card.intercept[column]))]
        terms += [_points_case(model, each, column) for each in card.attributes]
        total = "\n    + ".join(terms)
        scores.append(f"({total}) * {number(card.unit)} AS {own('score', column)}")
    most = number(_LARGEST_SCORE)
    powers = [
        f"EXP(CASE WHEN {score} > {most} THEN {most} WHEN {score} < -{most} THEN -{most} "
        f"ELSE {score} END)"
        for score in (own("score", column) for column in columns)
    ]
    powers = ["1.0e0", *powers] if len(columns) == 1 else powers
    named = [own("power", place) for place in range(schema.n_classes)]
    total = " + ".join(named)
    as_powers = [f"{power} AS {name}" for power, name in zip(powers, named, strict=True)]
    as_shares = [
        f"{name} / ({total}) AS {share}" for name, share in zip(named, shares, strict=True)
    ]

    def step(name: str, columns: list[str], source: str) -> Step:
        return Step(
            own(name), f"SELECT {_column_lines([*kept, *columns, leaf])}\nFROM {own(source)}"
        )

    steps = [
        Step(own("tree"), _tree_query(model.without_points(), table, passed, dialect)),
        step("scores", scores, "tree"),
        step("powers", as_powers, "scores"),
        step("probabilities", as_shares, "powers"),
    ]
    chosen = _label_of_votes(model.share_votes[0], shares, query.labels)
    found = [*kept, *shares, f"{chosen} AS {results[-2]}", leaf]
    text = ", ".join(f"{step.name} AS (\n{step.query}\n)" for step in steps)
    return f"WITH {text}\nSELECT {_column_lines(found)}\nFROM {own('probabilities')}"


def _points_case(model: FittedScorecard, each: AttributePoints, column: int) -> str:
    """Return the points of an attribute in one column, as a CASE."""
    schema, points = model.schema, each.values[:, column].tolist()
    name, missing = quoted(schema.names[each.feature]), number(float(each.missing[column]))
    categories = schema.categories[each.feature]
    if categories is not None:
        whens = [
            f"WHEN {literal(category)} THEN {number(own)}"
            for category, own in zip(categories, points, strict=True)
        ]
        return f"CASE {name} {' '.join(whens)} ELSE {missing} END"
    value = f"CAST({name} AS DOUBLE PRECISION)"
    starts, slopes = each.starts.tolist(), each.slopes[:, column].tolist()
    ends = [*starts[1:], each.high]
    whens = [f"WHEN {value} IS NULL THEN {missing}"]
    whens.append(f"WHEN {value} < {number(starts[0])} THEN {number(points[0])}")
    for start, end, own, slope in zip(starts, ends, points, slopes, strict=True):
        change = f" + {number(slope)} * ({value} - {number(start)})" if slope else ""
        whens.append(f"WHEN {value} < {number(end)} THEN {number(own)}{change}")
    last = points[-1] + slopes[-1] * (each.high - starts[-1])
    return f"CASE {' '.join(whens)} ELSE {number(last)} END"


def _label_of_votes(votes: NDArray[np.float64], shares: list[str], labels: list[str]) -> str:
    """Return the first label with the most votes, which are linear in the probabilities."""
    sums = [
        "("
        + " + ".join(f"{share} * {number(vote)}" for share, vote in zip(shares, own, strict=True))
        + ")"
        for own in votes.T.tolist()
    ]
    whens = [
        f"WHEN {' AND '.join(f'{own} >= {other}' for other in sums[place + 1 :])} "
        f"THEN {labels[place]}"
        for place, own in enumerate(sums[:-1])
    ]
    return f"CASE {' '.join(whens)} ELSE {labels[-1]} END" if whens else labels[-1]


def _letter_lines(model: FittedTree) -> Iterator[str]:
    """Yield the letters of the leaves beside their numbers in the query."""
    predictions = model.node_predictions
    named = [
        f"{letter} {node} ({predictions.share_text(node)})"
        for node, letter in predictions.letters.items()
    ]
    for begin in range(0, len(named), _LETTERS_PER_LINE):
        yield escape_unprintable("leaves: " + ", ".join(named[begin : begin + _LETTERS_PER_LINE]))


def _translate(query: str, dialect: str) -> str:
    try:
        import sqlglot
    except ImportError:
        raise ImportError(f"SQL dialects need sqlglot: {how_to_install('sql')}.") from None
    try:
        return str(sqlglot.transpile(query, write=dialect, pretty=True)[0])
    except ValueError as error:
        raise ParameterError(
            parameter="dialect",
            value=dialect,
            reason="is not known to sqlglot: {error}",
            error=error,
        ) from None


@dataclass(frozen=True, eq=False)
class Query:
    """A tree with the quoted names and the conditions of its query.

    Parameters
    ----------
    model : FittedTree
    tree : Tree
        The tree that rows descend: that of the model, or the same undivided.
    keep : tuple of str
        Columns that are passed through.
    attributes : dict
        Column of each attribute that the tree tests, by feature number.
    prefix : str
        Prefix of the query's own columns and steps; no other name begins with it.
    names_values : bool
        Whether lists of values name their columns themselves.
    """

    model: FittedTree
    tree: Tree
    keep: tuple[str, ...]
    attributes: dict[int, str]
    prefix: str
    names_values: bool

    @classmethod
    def from_tree(cls, model: FittedTree, keep: Sequence[str], names_values: bool) -> "Query":
        """Choose the names of a query."""
        used = tested_features(model.tree)
        names = [*keep, *(model.schema.names[feature] for feature in used)]
        prefix = "roctree"
        while any(name.casefold().startswith(prefix) for name in names):
            prefix += "_"
        return cls(
            model,
            model.tree,
            tuple(quoted(name) for name in keep),
            {feature: quoted(model.schema.names[feature]) for feature in used},
            prefix,
            names_values,
        )

    @cached_property
    def divides(self) -> bool:
        """Whether some node divides rows among its branches."""
        return divides(self.tree)

    @cached_property
    def steepness(self) -> NDArray[np.float64]:
        """Slope of the share above each soft threshold, 0 for other nodes."""
        return steepness(self.tree)

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Which nodes have a soft threshold."""
        return self.steepness > 0.0

    @cached_property
    def votes_are_probabilities(self) -> bool:
        """Whether the votes of the leaves need no columns of their own."""
        return np.array_equal(self.model.decision.votes, self.model.probabilities)

    @property
    def follows_levels(self) -> bool:
        """Whether divided rows are followed level by level instead of added up leaf by leaf."""
        # What goes down a soft branch depends on how much of the row has reached it.
        many = self.tree.n_leaves > FEW_LEAVES and self.divides
        return bool(many or self.soft.any())

    @property
    def results(self) -> list[str]:
        """Names of the result columns, quoted."""
        labels = self.model.schema.classes.tolist()
        names = [*(f"probability_{label}" for label in labels), "label", "leaf"]
        return [quoted(name) for name in names]

    def check(self) -> None:
        """Raise ``ParameterError`` for trees that are too deep, and for duplicate columns."""
        depth = self.tree.max_depth
        most = MAX_LEVELS_FOLLOWED if self.follows_levels else MAX_LEVELS
        if depth > most:
            raise ParameterError(
                reason="The tree has {depth} levels, and databases support about {most}: limit "
                "{max_depth}, or prune the tree.",
                depth=depth,
                most=most,
            )
        for column in self.keep:
            if column in self.results:
                raise ParameterError(
                    parameter="keep",
                    reason="contains {column}, which is the name of a result",
                    column=column,
                )

    def own(self, name: str, number: int | str = "") -> str:
        """Return the name of a column or step of the query itself."""
        return f"{self.prefix}_{name}{number}"

    @property
    def probabilities(self) -> list[str]:
        """Columns with the probability of each class."""
        return [self.own("probability", label) for label in range(self.tree.n_classes)]

    @property
    def votes(self) -> list[str]:
        """Columns with the votes for each class, which may be its probabilities."""
        if self.votes_are_probabilities:
            return self.probabilities
        return [self.own("vote", label) for label in range(len(self.labels))]

    @cached_property
    def labels(self) -> list[str]:
        """The labels that the query gives, as literals; NULL for undecided among numbers."""
        labels = self.model.possible_labels.tolist()
        return ["NULL" if label is None else literal(label) for label in labels]

    @property
    def passed_on(self) -> list[str]:
        """Columns that every step passes to the next."""
        return list(dict.fromkeys([*self.keep, *self.attributes.values()]))

    def conditions(self, node: int) -> dict[int, str]:
        """Return the condition of each branch of a node; branches of missing values have none."""
        tree = self.tree
        column = self.attributes[int(tree.feature[node])]
        threshold = float(tree.threshold[node])
        if threshold == IS_PRESENT and tree.missing_branch[node] == 1:
            return {0: f"{column} IS NOT NULL"}
        if not np.isnan(threshold):
            return {0: f"{column} <= {number(threshold)}", 1: f"{column} > {number(threshold)}"}
        categories = self.model.schema.categories[tree.feature[node]] or ()
        begin, end = tree.category_offsets[node : node + 2]
        lists: dict[int, list[str]] = {}
        for code, branch in enumerate(tree.category_branch[begin:end].tolist()):
            if branch >= 0:
                lists.setdefault(branch, []).append(literal(categories[code]))
        return {branch: f"{column} IN ({', '.join(lists[branch])})" for branch in sorted(lists)}

    def is_near(self, node: int) -> str:
        """Return the condition of values within the width of a soft threshold."""
        tree, most = self.tree, np.finfo(np.float64).max
        threshold, softness = float(tree.threshold[node]), float(tree.softness[node])
        low, high = max(threshold - softness, -most), min(threshold + softness, most)
        column = self.attributes[int(tree.feature[node])]
        return f"{column} BETWEEN {number(float(low))} AND {number(float(high))}"

    def share_above(self, node: int) -> str:
        """Return the share of a row that goes above a soft threshold."""
        tree = self.tree
        value = f"CAST({self.attributes[int(tree.feature[node])]} AS DOUBLE PRECISION)"
        threshold, steepness = float(tree.threshold[node]), float(self.steepness[node])
        return f"0.5e0 + ({value} - {number(threshold)}) * {number(steepness)}"

    def values(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Step:
        """Return a list of values as a step."""
        head = ", ".join(columns)
        values = ",\n  ".join(f"({', '.join(row)})" for row in rows)
        # BigQuery, which does not name the columns of a step, takes the names from a list.
        shown, alias = (head, f"listed({head})") if self.names_values else ("*", "listed")
        return Step(f"{name}({head})", f"SELECT {shown} FROM (VALUES\n  {values}\n) AS {alias}")


# Rows that reach a single leaf


def _leaf_table(query: Query) -> Step:
    """Return the table of the leaves: number, label, probabilities, and votes if they differ."""
    model, labels = query.model, query.labels
    columns = [query.own("number"), query.own("label"), *query.probabilities]
    tables = [model.probabilities]
    if not query.votes_are_probabilities:
        columns += query.votes
        tables.append(model.decision.votes)
    rows = []
    for leaf in query.tree.leaves.tolist():
        shares = [number(share) for table in tables for share in table[leaf].tolist()]
        rows.append([str(leaf), labels[model.decision.labels[leaf]], *shares])
    return query.values(query.own("leaves"), columns, rows)


def _descent(query: Query, table: str) -> Iterator[Step]:
    """Yield the steps that lead rows to their leaves.

    ``place`` becomes the leaf, or the node that divides the row; ``leaf`` is the leaf at the end
    of the heaviest path.
    """
    tree = query.tree
    nested = {query.own("place"): _nested_cases(query)}
    if query.divides:
        nested[query.own("leaf")] = _nested_cases(replace(query, tree=undivided(query.tree)))
    source = ".".join(quoted(part) for part in table.split("."))
    for step, level in enumerate(range(0, max(tree.max_depth, 1), LEVELS_PER_STEP)):
        columns = list(query.passed_on)
        for name, texts in nested.items():
            here = [node for node in texts if tree.depth[node] == level]
            moved = "".join(f"\n  WHEN {node} THEN {texts[node]}" for node in here)
            found = f"CASE {name}{moved}\n  ELSE {name} END" if level else texts[0]
            columns.append(f"{found} AS {name}")
        yield Step(query.own("placed", step), f"SELECT {_column_lines(columns)}\nFROM {source}")
        source = query.own("placed", step)


def _nested_cases(query: Query) -> dict[int, str]:
    """Return a CASE for the root and for each inner node where a step begins.

    Its value is a leaf, the node where the next step begins, or ``_divided_at`` a node.
    """
    tree = query.tree
    begins = ~tree.is_leaf & (tree.depth % LEVELS_PER_STEP == 0)
    begins[0] = True
    texts = {int(leaf): str(leaf) for leaf in tree.leaves}
    found = {0: texts[0]} if tree.n_nodes == 1 else {}
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        text = _case(query, node, texts)
        if begins[node]:
            found[node], text = text, str(node)
        texts[node] = text
    return found


def _case(query: Query, node: int, texts: dict[int, str]) -> str:
    """Return the CASE of a node around the texts of its children, which are removed."""
    tree, missing = query.tree, int(query.tree.missing_branch[node])
    first, n_children = int(tree.first_child[node]), int(tree.n_children[node])
    below = [texts.pop(child) for child in range(first, first + n_children)]
    indent = "\n" + "  " * (int(tree.depth[node]) % LEVELS_PER_STEP + 2)
    whens = [
        f"{indent}WHEN {condition} THEN {below[branch]}"
        for branch, condition in query.conditions(node).items()
        if branch != missing
    ]
    if query.soft[node]:
        whens.insert(0, f"{indent}WHEN {query.is_near(node)} THEN {_divided_at(node)}")
    otherwise = str(_divided_at(node)) if missing < 0 else below[missing]
    return f"CASE{''.join(whens)}{indent}ELSE {otherwise} END" if whens else otherwise


def _divided_at(node: int) -> int:
    """Return the negative number that marks a row as divided at a node."""
    return -1 - node


def _select_single_leaf(query: Query, source: str) -> str:
    """Return the results of rows that reach a single leaf."""
    leaf = query.own("leaf" if query.divides else "place")
    found = [*query.probabilities, query.own("label"), leaf]
    join = f"JOIN {query.own('leaves')} ON {query.own('number')} = {query.own('place')}"
    return f"{_select_results(query, found)}\nFROM {source}\n{join}"


def _select_divided(query: Query, source: str) -> str:
    """Return the results of divided rows: the label is the first class with the most votes."""
    labels, whens = query.labels, []
    for label, vote in enumerate(query.votes[:-1]):
        most = " AND ".join(f"{vote} >= {other}" for other in query.votes[label + 1 :])
        whens.append(f"\n    WHEN {most} THEN {labels[label]}")
    chosen = f"CASE{''.join(whens)}\n    ELSE {labels[-1]} END" if whens else labels[-1]
    found = [*query.probabilities, chosen, query.own("leaf")]
    return f"{_select_results(query, found)}\nFROM {source}"


def _select_results(query: Query, found: list[str]) -> str:
    named = zip(found, query.results, strict=True)
    return (
        f"SELECT {_column_lines([*query.keep, *(f'{column} AS {name}' for column, name in named)])}"
    )


# Divided rows, added up leaf by leaf


def _add_up_leaves(query: Query, source: str) -> Iterator[Step]:
    """Yield the steps that average divided rows over all leaves, some leaves per step."""
    model, tree = query.model, query.tree
    tables = dict(zip(query.votes, model.decision.votes.T.tolist(), strict=True))
    tables |= dict(zip(query.probabilities, model.probabilities.T.tolist(), strict=True))
    passed = [*query.passed_on, query.own("leaf")]
    factors = [_branch_share(query, child) for child in range(1, tree.n_nodes)]
    before: list[str] = []
    only = f"\nWHERE {query.own('place')} < 0"
    for step, begin in enumerate(range(0, tree.n_leaves, TERMS_PER_STEP)):
        leaves = tree.leaves[begin : begin + TERMS_PER_STEP].tolist()
        parts = [f"{_leaf_share(query, leaf, factors)} AS {query.own('part', leaf)}"
                 for leaf in leaves]  # fmt: skip
        parted = query.own("parts", step)
        yield Step(
            parted, f"SELECT {_column_lines([*passed, *before, *parts])}\nFROM {source}{only}"
        )
        sums = []
        for name, table in tables.items():
            terms = [f"{query.own('part', leaf)} * {number(table[leaf])}" for leaf in leaves]
            sums.append(f"{' + '.join([name] * bool(before) + terms)} AS {name}")
        source, before, only = query.own("sums", step), list(tables), ""
        yield Step(source, f"SELECT {_column_lines([*passed, *sums])}\nFROM {parted}")


def _branch_share(query: Query, child: int) -> str:
    """Return the share of a row at a node that goes to one of its children."""
    tree = query.tree
    parent, branch = int(tree.parent[child]), int(tree.branch[child])
    missing = int(tree.missing_branch[parent])
    whens = [
        f" WHEN {condition} THEN {number(float(other == branch))}"
        for other, condition in query.conditions(parent).items()
        if other != missing
    ]
    share = number(float(tree.share[child]) if missing < 0 else float(missing == branch))
    return f"CASE{''.join(whens)} ELSE {share} END" if whens else share


def _leaf_share(query: Query, leaf: int, factors: list[str]) -> str:
    """Return the share of a row that reaches a leaf, multiplied from the root downwards."""
    found, node = [], leaf
    while node > 0:
        found.append(factors[node - 1])
        node = int(query.tree.parent[node])
    return " * ".join(reversed(found))


# Divided rows, followed level by level


def _follow_levels(query: Query, placed: str) -> Iterator[Step]:
    """Yield the steps that turn each divided row into one row per leaf, with its share."""
    place, part = query.own("place"), query.own("part")
    carried = [query.own("row"), *query.passed_on, query.own("leaf")]
    # Rows have no number of their own. Any order will do: the number is used only here.
    some = next(iter(query.attributes.values()))
    columns = [
        f"ROW_NUMBER() OVER (ORDER BY {some}) AS {carried[0]}",
        *carried[1:],
        f"-1 - {place} AS {query.own('node')}",
        f"1.0e0 AS {part}",
    ]
    source = query.own("divided")
    yield Step(source, f"SELECT {_column_lines(columns)}\nFROM {placed}\nWHERE {place} < 0")
    for level in range(query.tree.max_depth):
        yield _share_table(query, level)
        moved = _one_level_down(query, level, source, carried)
        source = query.own("followed", level)
        yield Step(source, moved)
    yield _sum_leaves(query, source)


def _share_table(query: Query, level: int) -> Step:
    """Return the table of the share that goes from each node of a level to each of its children.

    ``side`` is 1 below a threshold and 0 above it: its distance from the share above a soft
    threshold is the share of that branch.
    """
    tree = query.tree
    columns = [query.own(name) for name in ("parent", "child", "share", "side")]
    rows = [
        [
            str(_divided_at(int(tree.parent[child]))),
            str(child),
            number(float(tree.share[child])),
            number(float(tree.branch[child] == 0)),
        ]
        for child in np.flatnonzero(tree.depth == level + 1).tolist()
    ]
    return query.values(query.own("shares", level), columns, rows)


def _one_level_down(query: Query, level: int, source: str, carried: list[str]) -> str:
    """Return the query that moves rows from the nodes of a level to their children."""
    node, part, above = query.own("node"), query.own("part"), query.own("above")
    soft = np.flatnonzero(query.soft & (query.tree.depth == level)).tolist()
    extra: list[str] = []
    shares = [query.own("share"), "1.0e0"]
    if soft:
        whens = "".join(f"\n    WHEN {each} THEN {query.share_above(each)}" for each in soft)
        columns = [*carried, part, node, f"CASE {node}{whens} END AS {above}"]
        source = f"(\nSELECT {_column_lines(columns)}\nFROM {source}\n) AS leaning"
        extra, shares = [above], [f"ABS({query.own('side')} - {above})", *shares]
    moved = [*carried, part, *extra, _next_node(query, level)]
    columns = [
        *carried,
        f"COALESCE({query.own('child')}, {node}) AS {node}",
        f"{part} * COALESCE({', '.join(shares)}) AS {part}",
    ]
    return (
        f"SELECT {_column_lines(columns)}\nFROM (\nSELECT {_column_lines(moved)}\n"
        f"FROM {source}\n) AS moved\n"
        f"LEFT JOIN {query.own('shares', level)} ON {query.own('parent')} = {node}"
    )


def _next_node(query: Query, level: int) -> str:
    """Return where a row at a node of a level goes: to a child, or ``_divided_at`` the node."""
    tree, node = query.tree, query.own("node")
    part, above, least = query.own("part"), query.own("above"), number(MIN_PART)
    # Less than the least share does not split off at a soft threshold.
    enough = f"{part} * {above} >= {least} AND {part} * (1.0e0 - {above}) >= {least}"
    whens = []
    for here in np.flatnonzero((tree.depth == level) & ~tree.is_leaf).tolist():
        first, missing = int(tree.first_child[here]), int(tree.missing_branch[here])
        branches = [
            f" WHEN {condition} THEN {first + branch}"
            for branch, condition in query.conditions(here).items()
            if branch != missing
        ]
        if query.soft[here]:
            branches.insert(0, f" WHEN {enough} THEN {_divided_at(here)}")
        otherwise = _divided_at(here) if missing < 0 else first + missing
        goes = f"CASE{''.join(branches)} ELSE {otherwise} END" if branches else str(otherwise)
        whens.append(f"\n    WHEN {here} THEN {goes}")
    return f"CASE {node}{''.join(whens)}\n    ELSE {node} END AS {node}"


def _sum_leaves(query: Query, source: str) -> Step:
    """Return the sums over the leaves of each row, weighted by its shares."""
    tables = dict.fromkeys([*query.probabilities, *query.votes])
    sums = [f"SUM({query.own('part')} * {name}) AS {name}" for name in tables]
    groups = [*query.keep, query.own("leaf")]
    join = f"JOIN {query.own('leaves')} ON {query.own('number')} = {query.own('node')}"
    text = (
        f"SELECT {_column_lines([*groups, *sums])}\nFROM {source}\n{join}\n"
        f"GROUP BY {', '.join([query.own('row'), *groups])}"
    )
    return Step(query.own("sums"), text)


# Names and values


def quoted(name: str) -> str:
    """Return a quoted identifier, which cannot be read as anything else."""
    if "\0" in name or not name:
        raise ParameterError(f"{name!r} cannot be the name of a column in SQL: rename it.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a class label or category as an SQL literal."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        if "\0" in value:
            raise ParameterError(f"{value!r} cannot be written in SQL: rename it.")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else number(float(value))


def number(value: float) -> str:
    """Return a number with an exponent, which makes it a double and not a decimal."""
    text = repr(value)
    return text if "e" in text else text + "e0"


def _column_lines(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)
