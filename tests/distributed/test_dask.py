"""Trees grown on a cluster are those of one process, whatever becomes of the workers."""

import os
import signal
from contextlib import contextmanager
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree import distributed as roctree_distributed
from tests.distributed.large import attributes, frame
from tests.tree.growing import as_bytes

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def binned(**options):
    return ROCTreeClassifier(splits="binned", min_samples_leaf=5, max_bins=40, **options)


@contextmanager
def cluster(n_workers, **options):
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **options
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster(3, processes=False) as client:
        yield client


@pytest.fixture(scope="module")
def rows():
    return frame()


def partitions(rows, sizes):
    """The rows in partitions with shares like these."""
    ends = np.round(np.cumsum([0, *sizes]) / sum(sizes) * len(rows)).astype(int)
    parts = [rows.iloc[begin:end] for begin, end in pairwise(ends)]
    return dd.from_map(lambda part: part, parts)


@pytest.mark.parametrize("sizes", [[1], [3, 1], [1, 0, 2, 5, 1, 1, 3], list(range(1, 17))])
def test_partitions_of_any_number_and_size_give_the_bytes_of_memory(client, rows, sizes):
    shuffled = rows.sample(frac=1.0, random_state=len(sizes))
    tree = roctree_distributed.fit(
        binned(), partitions(shuffled, sizes), "outcome", "weight", client=client
    )
    expected = binned().fit(attributes(rows), rows["outcome"], rows["weight"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert tree.schema_.categories == expected.schema_.categories
    assert tree.training_ == expected.training_


def test_arrays_are_fitted_predicted_and_evaluated_where_they_are(client):
    random = np.random.default_rng(1)
    X = random.normal(size=(2000, 4))
    X[random.random(X.shape) < 0.05] = np.nan
    y = (np.nansum(X, axis=1) + random.normal(size=2000) > 0).astype(int)
    X_parts, y_parts = da.from_array(X, chunks=(300, 2)), da.from_array(y, chunks=300)
    tree = binned().fit(X_parts, y_parts)
    expected = binned().fit(X, y)
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        lazy = getattr(tree, method)(X_parts)
        assert isinstance(lazy, da.Array)
        np.testing.assert_array_equal(lazy.compute(), getattr(expected, method)(X))
    assert tree.roc(X_parts, y_parts).auc == expected.roc(X, y).auc
    ours = tree.at(max_fpr=0.1, counts=(X_parts, y_parts)).operating_point_
    assert ours.tpr == expected.at(max_fpr=0.1, counts=(X, y)).operating_point_.tpr


def test_categories_that_only_some_partitions_have_are_all_known(client, rows):
    ordered = rows.sort_values("ward").reset_index(drop=True)
    tree = binned().fit(partitions(ordered, [1] * 5), "outcome", "weight")
    expected = binned().fit(attributes(rows), rows["outcome"], rows["weight"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert tree.predict(partitions(attributes(ordered), [1, 2])).compute().shape == (len(rows),)


def test_a_partition_that_cannot_be_read_is_named(client, rows):
    wrong = rows.copy()
    wrong.loc[wrong.index[-1], "dose"] = np.inf
    with pytest.raises(DataError, match=r"part 2 of the data .*'dose' holds inf"):
        binned().fit(partitions(wrong, [1, 1, 1]), "outcome")
    with pytest.raises(DataError, match="no column 'result'"):
        binned().fit(partitions(rows, [1]), "result")
    with pytest.raises(DataError, match="X has 2 partitions and y or sample_weight 1"):
        binned().fit(partitions(rows, [1, 1]), dd.from_pandas(rows["outcome"], npartitions=1))


def test_without_a_client_nothing_is_started(rows):
    with (
        mock.patch.object(distributed, "default_client", side_effect=ValueError),
        pytest.raises(ParameterError, match="there is no Dask client"),
    ):
        roctree_distributed.fit(binned(), partitions(rows, [1]), "outcome")


def test_a_worker_killed_in_the_middle_does_not_change_the_tree(rows, monkeypatch):
    from roctree.distributed.dask import DaskShards

    expected = binned().fit(attributes(rows), rows["outcome"])
    divide, count = DaskShards.divide, DaskShards.count
    counted, killed = [], []
    with cluster(2, processes=True) as client:
        victims = [worker.pid for worker in client.cluster.workers.values()]

        def kill_one(shards, splits):
            divide(shards, splits)
            if len(counted) == 3:
                os.kill(victims[0], signal.SIGKILL)
                killed.append(victims[0])

        def note(shards, segments, n_tables):
            counted.append(segments.size)
            return count(shards, segments, n_tables)

        monkeypatch.setattr(DaskShards, "divide", kill_one)
        monkeypatch.setattr(DaskShards, "count", note)
        ddf = dd.from_pandas(rows.drop(columns="weight"), npartitions=4)
        tree = roctree_distributed.fit(binned(), ddf, "outcome", client=client)
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert killed == victims[:1]
    # One count for each level, the last of which is not split: none is counted a second time.
    assert len(counted) == expected.tree_.max_depth + 1
