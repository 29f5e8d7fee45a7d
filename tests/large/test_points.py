"""Points of data larger than memory: learned from a sample of rows, evaluated by parts."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from roctree import ROCTreeClassifier
from roctree.points import Points
from tests.test_points import additive


def binned(**parameters):
    return ROCTreeClassifier(
        splits="binned", max_leaf_nodes=4, points=Points(max_attributes=4), **parameters
    )


@pytest.fixture
def folder(tmp_path):
    X, y = additive(400)
    table = pa.Table.from_pandas(X.assign(outcome=y), preserve_index=False)
    for part in range(4):
        pq.write_table(table.slice(100 * part, 100), tmp_path / f"{part}.parquet")
    return tmp_path


def test_points_of_files_are_those_of_rows_in_memory(folder):
    X, y = additive(400)
    large, here = binned().fit(folder, "outcome"), binned().fit(X, y)
    assert repr(large.points_) == repr(here.points_)
    assert np.array_equal(large.predict_proba(X), here.predict_proba(X))


def test_cases_in_files_are_evaluated_by_their_scores(folder):
    X, y = additive(400)
    tree = binned().fit(X, y)
    assert tree.roc(folder, "outcome").auc == pytest.approx(tree.roc(X, y).auc, abs=1e-12)
    assert np.array_equal(tree.confusion(folder, "outcome"), tree.confusion(X, y))
    assert tree.score(folder, "outcome") == pytest.approx(tree.score(X, y))
    ours = tree.at(max_fpr=0.2, counts=(folder, "outcome")).operating_point_
    theirs = tree.at(max_fpr=0.2, counts=(X, y)).operating_point_
    assert (ours.fpr, ours.tpr) == pytest.approx((theirs.fpr, theirs.tpr))


def test_many_distinct_rows_are_sampled_by_their_content(monkeypatch):
    monkeypatch.setattr("roctree.fitting.MAX_CASES", 150)
    X, y = additive(400)
    tree = binned().fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    again = binned().fit(X.iloc[order], y[order])
    assert tree.points_.scorecard.n_cases == 150
    assert repr(tree.points_) == repr(again.points_)
