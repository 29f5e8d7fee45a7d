import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from roctree import ParameterError, ROCTreeClassifier, presets
from roctree.export import sql
from roctree.export.common import divides
from roctree.export.sql import literal, number, quoted
from tests import shared_data
from tests.estimator import weather
from tests.export import engines
from tests.export.engines import ENGINES, KEY, check_sql, in_sqlite
from tests.strategies import data_sets

WAYS = [
    {},
    {"missing": "category", "nominal": "multiway"},
    {"missing": "branch", "nominal": "one_vs_rest"},
    {"class_weight": "balanced", "smoothing": "none"},
    {"labels": "majority", "max_leaf_nodes": 1},
    {"threshold": "observed", "criterion": "auc"},
    {"ranking": "soft"},
    {"ranking": "soft", "width": 3.0, "missing": "branch", "labels": "majority"},
]


@pytest.mark.parametrize("parameters", WAYS, ids=repr)
def test_databases_say_what_the_tree_says(parameters):
    X, y = weather.frame(missing=0.2)
    check_sql(ROCTreeClassifier(**parameters).fit(X, y), X)


@pytest.mark.parametrize(
    "request_",
    [{"cost_fp": 1, "cost_fn": 4}, {"max_fpr": 0.1}, {"cost_reject": 0.2}],
    ids=repr,
)
def test_labels_are_those_of_the_operating_point(request_):
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(min_samples_leaf=5).fit(X, y).at(**request_)
    check_sql(tree, X)
    assert repr(tree.operating_point_)[:30] in tree.to_sql().splitlines()[3]


def test_labels_are_those_of_pruning_under_costs():
    X, y = weather.frame(missing=0.2)
    tree = ROCTreeClassifier().fit(X, y)
    check_sql(tree.pruned("minimum_error", m=2, costs={"home": 9, "play": 1}), X)


def test_unseen_categories_are_missing():
    X, y = weather.frame(missing=0.1)
    new = X.assign(sky=np.where(np.arange(len(X)) % 3 == 0, "hail", X.sky))
    for way in WAYS[:3]:
        check_sql(ROCTreeClassifier(**way).fit(X, y), new)


def test_categories_that_a_node_never_saw_are_missing_there():
    X = pd.DataFrame({"a": [0.0] * 6 + [1.0] * 6, "c": list("xxyyxy") + list("xzzzxz")})
    tree = ROCTreeClassifier(smoothing="laplace").fit(X, [0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0])
    new = pd.DataFrame({"a": [0.0, 0.0, 1.0, 1.0, None], "c": ["z", None, "y", "x", "z"]})
    check_sql(tree, new)


@given(data_sets(rows=(4, 20)), st.sampled_from(WAYS[:4] + WAYS[6:]))
@settings(max_examples=25)
def test_any_data_give_the_same_in_sqlite(data, parameters):
    names = [f"x{i}" for i in range(len(data.columns))]
    frame = pd.DataFrame(dict(zip(names, data.columns, strict=True)), dtype=object)
    for position, name in enumerate(names):
        known = [None if cell is None else f"c{cell}" for cell in data.columns[position]]
        nominal = position in data.nominal
        frame[name] = pd.Categorical(known) if nominal else frame[name].astype(float)
    tree = ROCTreeClassifier(**parameters).fit(frame, data.labels)
    check_sql(tree, frame, {"sqlite": in_sqlite})


def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.round(4), data.target_names[data.target]


@pytest.mark.parametrize("request_", [{}, {"cost_fp": 1, "cost_fn": 4}], ids=repr)
def test_rows_near_soft_thresholds_are_followed_into_both_branches(request_):
    X, y = tumours()
    tree = ROCTreeClassifier(ranking="soft", max_leaf_nodes=12).fit(X[::2], y[::2])
    tree = tree.at(**request_) if request_ else tree
    check_sql(tree, X[1:80:2].reset_index(drop=True))
    assert "thresholds are soft" in tree.to_sql()


def test_a_part_below_a_thousandth_stays_together_in_a_database_too():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0]})
    tree = ROCTreeClassifier(ranking="soft").fit(X, ["no", "no", "yes", "yes"])
    # Soft from 0.5 to 4.5: at 0.5039 less than a thousandth would go above, at 0.5041 more.
    new = pd.DataFrame({"x": [0.4, 0.5039, 0.5041, 2.0, 2.5, 4.4959, 4.4961, 5.0, None]})
    check_sql(tree, new)
    found = {row[0]: row[1] for row in in_sqlite(tree.to_sql(keep=[KEY]), new)}
    assert found[0] == found[1] != found[2]


ODD = [
    "'",
    '"',
    "a;b--",
    "🌳 é",
    "); DROP TABLE cases; --",
    "roctree_place",
    "x\ny",
    "\\",
    "%s ? :a",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_names_and_categories_are_nothing_but_names(engine):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(ODD, 60) for name in ODD})
    X.insert(0, "number'\"", rng.normal(size=60))
    y = np.where((X["'"] > "a") ^ (X["\\"] > "a") ^ (X["x\ny"] < "b"), "\"yes'; --", "no\n🌳")
    check_sql(ROCTreeClassifier().fit(X, y), X, {engine: ENGINES[engine]})


def test_the_query_s_own_names_give_way_to_columns():
    query = ROCTreeClassifier().fit(pd.DataFrame({"RocTree": [1.0, 2.0]}), [0, 1]).to_sql()
    assert "roctree__place" in query
    assert "roctree_place" not in query


@pytest.mark.parametrize(
    "labels", [[0, 1, 2, 1], [True, False, True, True], [0.0, 1.0, 0.0, 1.0]], ids=repr
)
def test_labels_keep_their_type(labels):
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "b": [True, False, False, True]})
    check_sql(ROCTreeClassifier().fit(X, labels), X)


DECLARED = [
    ("sqlite", "BOOLEAN"),
    ("sqlite", "INTEGER"),
    ("duckdb", "BOOLEAN"),
    ("duckdb", "INTEGER"),
]


@pytest.mark.parametrize(("engine", "declared"), DECLARED)
def test_truth_values_may_be_booleans_or_ones_and_zeros(engine, declared):
    X = pd.DataFrame({"smokes": [True, False] * 8, "x": np.arange(16.0) * 7 % 16})
    tree = ROCTreeClassifier().fit(X, np.where(X.smokes, "ill", "well"))
    module = pytest.importorskip("duckdb" if engine == "duckdb" else "sqlite3")
    with closing(module.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE cases (smokes {declared}, x REAL)")
        base.execute("INSERT INTO cases VALUES (TRUE, 1), (FALSE, 2), (NULL, 3)")
        found = sorted(base.execute(tree.to_sql(keep=["x"])).fetchall())
    new = pd.DataFrame({"smokes": [True, False, None], "x": [1.0, 2.0, 3.0]})
    assert [row[-2] for row in found] == tree.predict(new).tolist()
    assert np.allclose([row[1:3] for row in found], tree.predict_proba(new))


def test_categories_that_are_numbers_are_compared_as_numbers():
    X = pd.DataFrame({"x": pd.Categorical([1, 2, 3, 1, 2, 3]), "z": pd.Categorical([0.5, 1.5] * 3)})
    check_sql(ROCTreeClassifier().fit(X, [0, 1, 0, 0, 1, 1]), X)


def test_a_tree_of_several_leaves_is_added_up_in_steps(monkeypatch):
    monkeypatch.setattr(sql, "TERMS_PER_STEP", 7)
    X, y = weather.frame(missing=0.3)
    tree = ROCTreeClassifier(max_leaf_nodes=30).fit(X, y)
    assert tree.get_n_leaves() > 20
    assert "roctree_sums2" in tree.to_sql()
    check_sql(tree, X)


@pytest.mark.parametrize("parameters", WAYS[:4], ids=repr)
def test_in_a_tree_of_many_leaves_divided_rows_are_followed(parameters, monkeypatch):
    monkeypatch.setattr(sql, "FEW_LEAVES", 0)
    monkeypatch.setattr(engines, "FEW_LEAVES", 0)
    X, y = weather.frame(missing=0.3)
    check_sql(ROCTreeClassifier(**parameters).fit(X, y), X)
    check_sql(ROCTreeClassifier(labels="majority", **parameters).fit(X, y), X)


def test_equal_rows_that_are_divided_stay_as_many(monkeypatch):
    monkeypatch.setattr(sql, "FEW_LEAVES", 0)
    X, y = weather.frame(missing=0.4)
    tree = ROCTreeClassifier().fit(X, y)
    for run in ENGINES.values():
        twice = pd.concat([X, X], ignore_index=True)
        assert len(run(tree.to_sql(), twice)) == len(twice)


def test_a_query_grows_with_the_nodes_and_not_with_leaves_times_levels():
    sizes = []
    for n in (120, 240):
        chain = np.arange(float(n))[:, None]
        tree = ROCTreeClassifier(criterion="error").fit(chain, np.arange(n) % 2)
        sizes.append(len(tree.to_sql()) / tree.tree_.n_nodes)
    assert sizes[1] < 1.2 * sizes[0]


def test_a_tree_of_one_leaf_is_a_query_too():
    X = pd.DataFrame({"x": [1.0, None, 3.0]})
    check_sql(ROCTreeClassifier().fit(X, ["a", "a", "a"]), X)


SMALL = ["iris", "hepatitis", "house-votes", "autos", "tae"]


@pytest.mark.parametrize("name", SMALL)
def test_databases_say_the_same_on(name):
    data = shared_data.load(name)
    for tree in (ROCTreeClassifier(), presets.c45()):
        check_sql(tree.fit(data.frame, list(data.labels)), data.frame)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_dialect_of_sqlglot_says_the_same(dialect):
    pytest.importorskip("sqlglot")
    X, y = weather.frame(missing=0.2)
    tree = ROCTreeClassifier(max_leaf_nodes=8).fit(X, y)
    check_sql(tree, X, {dialect: ENGINES[dialect]}, dialect=dialect)


@pytest.mark.parametrize("dialect", ["postgres", "bigquery", "mysql", "snowflake", "tsql"])
def test_other_dialects_are_written_in_their_own_words(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    X, y = weather.frame()
    X.columns = ["war`mth", 's"ky', "wind"]
    query = ROCTreeClassifier(max_leaf_nodes=6).fit(X, y).to_sql(dialect=dialect)
    assert query.startswith("-- ROCTreeClassifier(max_leaf_nodes=6), by roctree")
    (parsed,) = sqlglot.parse(query, read=dialect)
    names = {column.name for column in parsed.find_all(sqlglot.exp.Column)}
    assert {"war`mth", 's"ky'} <= names


def test_soft_thresholds_are_written_in_other_words_too(caplog):
    sqlglot = pytest.importorskip("sqlglot")
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_leaf_nodes=3, ranking="soft").fit(X, y)
    for dialect in ("postgres", "bigquery", "mysql", "snowflake", "tsql"):
        (parsed,) = sqlglot.parse(tree.to_sql(dialect=dialect), read=dialect)
        assert parsed.find(sqlglot.exp.Cast) is not None
    # sqlglot has nothing to point out, such as names of columns that BigQuery does not take.
    assert caplog.messages == []


def test_a_dialect_that_is_not_known_is_refused():
    pytest.importorskip("sqlglot")
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match="dialect='nonsense' is not known"):
        tree.to_sql(dialect="nonsense")


def test_without_sqlglot_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ImportError, match=r'pip install "roctree\[sql\]"'):
        tree.to_sql(dialect="mysql")
    assert "SELECT" in tree.to_sql()


def test_what_a_query_cannot_say_is_refused():
    X, y = weather.frame()
    tree = ROCTreeClassifier(min_samples_leaf=9).fit(X, y)
    with pytest.raises(ParameterError, match="Randomised labels cannot"):
        tree.at(max_fpr=0.123, randomise=True).to_sql()
    with pytest.raises(ParameterError, match="Geometric probabilities cannot"):
        ROCTreeClassifier(geometric_probability=True).fit(X, y).to_sql()
    with pytest.raises(ParameterError, match='keep contains "label"'):
        tree.to_sql(keep=["label"])
    chain = np.arange(1200.0)[:, None]
    deep = ROCTreeClassifier(criterion="error").fit(chain, np.arange(1200) % 2)
    if deep.get_depth() > sql.MAX_LEVELS:
        with pytest.raises(ParameterError, match="levels, and databases support"):
            deep.to_sql()


def dated(times, seed=0):
    """Dates before and after 1970, with or without the time of day, some missing."""
    rng = np.random.default_rng(seed)
    when = pd.Timestamp("1990-02-28") + pd.to_timedelta(rng.integers(-60_000, 60_000, 300), "D")
    if times:
        when += pd.to_timedelta(rng.integers(0, 86_400_000_000, 300), "us")
    frame = pd.DataFrame({"days of when": rng.normal(size=300), "when": when})
    frame.loc[rng.random(300) < 0.1, "when"] = pd.NaT
    is_odd = (frame.when.dt.year // 20) % 2 == 1
    return frame, np.where(is_odd ^ (frame["days of when"] > 1.2), "a", "b")


@pytest.mark.parametrize("times", [False, True])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"threshold": "observed", "missing": "branch"}, {"ranking": "soft", "max_leaf_nodes": 9}],
    ids=repr,
)
def test_dates_are_days_since_1970(times, parameters):
    X, y = dated(times)
    tree = ROCTreeClassifier(min_samples_leaf=3, **parameters).fit(X, y)
    assert tree.schema_.date_unit(1) == ("times" if times else "days")
    check_sql(tree, X)
    check_sql(tree, dated(times, seed=1)[0])


def test_a_column_of_dates_may_be_kept_beside_its_days():
    X, y = dated(times=False)
    tree = ROCTreeClassifier(min_samples_leaf=30).fit(X, y)
    found = in_sqlite(tree.to_sql(keep=["when", KEY]), X)
    texts = {row[1]: row[0] for row in found}
    assert [texts[i] for i in range(300)] == [
        None if pd.isna(cell) else cell.date().isoformat() for cell in X.when
    ]
    assert "SELECT" in tree.to_sql(dialect="postgres")


def test_a_query_without_a_key_says_so():
    tree = ROCTreeClassifier(max_depth=1).fit(*weather.complete())
    remark = "-- results have neither a key nor an order: keep a column that identifies rows\n"
    assert remark in tree.to_sql()
    assert remark not in tree.to_sql(keep=["id"])


def test_names_and_values_are_written_as_sql_wants_them():
    assert quoted('a"b') == '"a""b"'
    assert [literal(v) for v in ("it's", True, 3, 0.5)] == ["'it''s'", "TRUE", "3", "0.5e0"]
    assert [number(v) for v in (2.45, 1e-300, -3.0)] == ["2.45e0", "1e-300", "-3.0e0"]
    for name in ("", "a\0b"):
        with pytest.raises(ParameterError, match="cannot be the name of a column"):
            quoted(name)


def test_a_table_may_be_named_with_its_schema():
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    assert 'FROM "main"."my cases"\n' in tree.to_sql("main.my cases")
    assert KEY not in tree.to_sql()


def test_only_missing_values_without_a_branch_and_soft_thresholds_divide_rows():
    X, y = weather.frame(missing=0.2)
    tree = ROCTreeClassifier(missing="branch").fit(X, y).tree_
    inner = ~tree.is_leaf
    for branch, divided in ((0, False), (1, False), (-1, True)):
        sent = np.where(inner, branch, tree.missing_branch)
        assert divides(replace(tree, missing_branch=sent)) is divided
    assert divides(ROCTreeClassifier(missing="branch", ranking="soft").fit(X, y).tree_)
