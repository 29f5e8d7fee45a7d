"""Run queries in databases, and graphs in onnxruntime, and compare with the tree itself."""

import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from roctree.export.sql import FEW_LEAVES
from roctree.tree.prediction import divided_rows, mix

KEY = "row key"


def in_sqlite(query, frame):
    """The rows of a query on a table of a frame, in SQLite."""
    types = {"text": "TEXT", "number": "REAL", "bool": "INTEGER", "date": "TEXT"}
    columns = [f"{_quoted(name)} {types[_kind(frame[name])]}" for name in frame.columns]
    cells = [_iso_texts(frame[name]) or _cells(frame[name]) for name in frame.columns]
    rows = zip(range(len(frame)), *cells, strict=True)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f'CREATE TABLE cases ("{KEY}" INTEGER, {", ".join(columns)})')
        base.executemany(f"INSERT INTO cases VALUES (?{', ?' * len(columns)})", rows)
        return base.execute(query).fetchall()


def in_duckdb(query, frame):
    """The same in DuckDB."""
    duckdb, arrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    types = {"text": arrow.string(), "number": arrow.float64(), "bool": arrow.bool_()}
    types["date"] = arrow.timestamp("us")
    columns = {KEY: arrow.array(range(len(frame)))} | {
        name: arrow.array(_cells(frame[name]), types[_kind(frame[name])]) for name in frame.columns
    }
    with duckdb.connect() as base:
        base.register("given", arrow.table(columns))
        base.execute("CREATE TABLE cases AS SELECT * FROM given")
        return base.execute(query).fetchall()


ENGINES = {"sqlite": in_sqlite, "duckdb": in_duckdb}


def _kind(series):
    if series.dtype == bool:
        return "bool"
    if series.dtype.kind == "M":
        return "date"
    numeric = series.dtype.kind in "if" if isinstance(series.dtype, np.dtype) else False
    if isinstance(series.dtype, pd.CategoricalDtype):
        numeric = series.cat.categories.dtype.kind in "if"
    return "number" if numeric else "text"


def _cells(series):
    return [None if pd.isna(cell) else getattr(cell, "item", lambda cell=cell: cell)()
            for cell in series]  # fmt: skip


def _iso_texts(series):
    """Dates as text, with the time of day unless it is midnight; None for other columns."""
    if _kind(series) != "date":
        return None
    texts = (None if pd.isna(cell) else cell.isoformat(sep=" ") for cell in series)
    return [text and text.removesuffix(" 00:00:00") for text in texts]


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def check_sql(tree, frame, engines=ENGINES, **options):
    """Assert that databases say what the tree says, but for last bits where rows are followed."""
    query = tree.to_sql(keep=[KEY], **options)
    probability, label, leaf = said(tree, frame)
    follows = tree.get_n_leaves() > FEW_LEAVES or tree.tree_.softness.any()
    parted = _divided(tree, frame) & follows
    for name, run in engines.items():
        found = sorted(run(query, frame))
        assert len(found) == len(frame)
        keys, *columns = (list(column) for column in zip(*found, strict=True))
        assert keys == list(range(len(frame)))
        # SQLite 3.40 reads one of 20 000 numbers of 16 digits a bit off, DuckDB none.
        allowed = 1e-15 if name == "sqlite" else 0.0
        shares = np.array(columns[:-2]).T
        assert np.allclose(shares[~parted], probability[~parted], rtol=allowed, atol=0.0), name
        assert np.allclose(shares[parted], probability[parted], rtol=1e-13, atol=1e-15), name
        if parted.any():
            _check_labels(tree, frame, columns[-2], label)
        else:
            assert columns[-2] == label, name
        assert columns[-1] == leaf, name


def said(tree, frame):
    """Probabilities, labels and leaves of all rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of categories that training did not see
        return tree.predict_proba(frame), tree.predict(frame).tolist(), tree.apply(frame).tolist()


def check_onnx(tree, frame, dtype="float64"):
    """Assert that onnxruntime says the same, but for the last bits of divided rows."""
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    graph = tree.to_onnx(dtype=dtype).SerializeToString()
    session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    labels, probabilities, leaves = session.run(None, _feed(tree, frame, session, dtype))
    probability, label, leaf = said(tree, frame)
    assert np.allclose(probabilities, probability, rtol=1e-13, atol=1e-15)
    assert leaves.tolist() == leaf
    _check_labels(tree, frame, labels.tolist(), label)
    return probabilities


def _check_labels(tree, frame, found, wanted):
    """Assert that labels are the same; where two votes differ by rounding only, either may win."""
    sure = _margin(tree, frame) > 1e-12
    assert [x for x, ok in zip(found, sure, strict=True) if ok] == [
        x for x, ok in zip(wanted, sure, strict=True) if ok
    ]


def _margin(tree, frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        votes = np.sort(
            mix(tree.tree_, tree.fitted_.encode(frame), tree.fitted_.decision.votes), axis=1
        )
    if votes.shape[1] == 1:
        return np.ones(len(votes))
    return np.where(_divided(tree, frame), votes[:, -1] - votes[:, -2], 1.0)


def _divided(tree, frame):
    """Which rows a missing value or a soft threshold divides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return divided_rows(tree.tree_, np.asarray(tree.fitted_.encode(frame), np.float64))


def _feed(tree, frame, session, dtype):
    inputs = session.get_inputs()
    if [entry.name for entry in inputs] == ["X"] and not tree.schema_.nominal.any():
        return {"X": frame.to_numpy(dtype)}
    feed = {}
    for entry, name in zip(inputs, tree.schema_.names, strict=True):
        column = frame[name]
        if entry.type == "tensor(string)":
            cells = ["" if pd.isna(cell) else str(cell) for cell in column]
            feed[entry.name] = np.array(cells, dtype=object)[:, None]
        else:
            feed[entry.name] = column.astype(float).to_numpy(dtype)[:, None]
    return feed
