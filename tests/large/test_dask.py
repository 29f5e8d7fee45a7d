"""Trees grown on a cluster are those of one process, whatever becomes of the workers."""

import os
import signal
import socket
from contextlib import contextmanager
from itertools import pairwise
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from roctree import DataError, ParameterError, ROCTreeClassifier
from roctree import distributed as roctree_distributed
from roctree.large import count_large_data
from roctree.points import Points
from roctree.roc import mauc
from roctree.tree.levels import Shard
from tests.large.rows import attributes, frame
from tests.test_points import additive
from tests.tree.growing import as_bytes

dask = pytest.importorskip("dask")
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


@pytest.mark.parametrize("n_workers", [1, 4])
def test_any_number_of_workers_and_any_order_of_partitions_give_the_bytes_of_memory(
    rows, n_workers, tmp_path
):
    pieces = np.array_split(np.arange(len(rows)), 7)
    expected = binned(max_depth=4).fit(attributes(rows), rows["outcome"], rows["weight"])
    with cluster(n_workers, processes=False) as client:
        for order in (range(7), [4, 0, 6, 2, 5, 1, 3]):
            parts = [rows.iloc[pieces[number]] for number in order]
            ddf = dd.from_map(lambda part: part, parts)
            tree = roctree_distributed.fit(
                binned(max_depth=4), ddf, "outcome", "weight", client=client
            )
            assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
        told = []
        written(rows, tmp_path)
        address = client.scheduler.address
        tree = roctree_distributed.fit(
            binned(max_depth=4), tmp_path, "outcome", "weight", client=address, progress=told.append
        )
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert tree.schema_ == expected.schema_
    assert tree.training_ == expected.training_
    assert told == [
        *[("reading", done, 3, "partitions") for done in range(4)],
        *[("coding", done, 3, "partitions") for done in range(4)],
        *[("growing", done, 4, "levels") for done in range(5)],
    ]


def written(rows, folder):
    """Write three files, each of two row groups."""
    for number, part in enumerate(np.array_split(np.arange(len(rows)), 3)):
        table = pa.Table.from_pandas(rows.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=len(part) // 2)


def test_partitions_are_spread_over_the_workers_and_each_sends_the_sum_of_its_tables(
    client, rows, tmp_path, monkeypatch
):
    from roctree.large import dask as module

    by_worker, found, summed = module._by_worker, [], []
    monkeypatch.setattr(
        module, "_by_worker", lambda *known: found.append(by_worker(*known)) or found[-1]
    )
    added = module.DaskShards._tree_sum
    monkeypatch.setattr(
        module.DaskShards,
        "_tree_sum",
        lambda shards, packed: summed.append(len(packed)) or added(shards, packed),
    )
    written(rows, tmp_path)
    roctree_distributed.fit(binned(max_depth=1), tmp_path, "outcome", client=client)
    sizes = [len(group) for group in found[0]]
    assert sum(sizes) == 3
    assert len(sizes) > 1
    assert summed == [*sizes, len(sizes)]


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


def test_evaluation_is_exact_from_the_leaf_tables_of_partitions(client, rows):
    tree, other = binned(max_depth=4).fit(attributes(rows), rows["outcome"]), frame(2000, seed=3)
    other.loc[other.index[1700:1800], "ward"] = "a ward that training did not see"
    held_out = partitions(other, [1, 0, 4, 2])
    X, y, weights = attributes(other), other["outcome"], other["weight"]
    for known, given in (
        ((held_out.drop(columns="weight"), "outcome"), (X, y)),
        ((held_out, "outcome", "weight"), (X, y, weights)),
        ((held_out[list(X)], held_out["outcome"]), (X, y)),
    ):
        ours, theirs = tree.labellings(counts=known), tree.labellings(counts=given)
        assert repr(ours) == repr(theirs)
        curve, expected = (
            tree.roc(*known[:2], sample_weight=(*known, None)[2]),
            tree.roc(*given[:2], sample_weight=(*given, None)[2]),
        )
        assert (curve.auc, curve.auc_interval()) == (expected.auc, expected.auc_interval())
        for mine, own in zip(curve.hull().points(), expected.hull().points(), strict=True):
            np.testing.assert_array_equal(mine, own)
        assert tree.at(cost_fp=1, cost_fn=5).score(*known) == tree.at(cost_fp=1, cost_fn=5).score(
            *given
        )
    ours = tree.cost_pruning_curve([1, 5], held_out.drop(columns="weight"), "outcome")
    assert repr(ours) == repr(tree.cost_pruning_curve([1, 5], X, y))


def test_cases_in_files_are_counted_by_the_workers(client, rows, tmp_path):
    tree = binned(max_depth=4).fit(attributes(rows), rows["outcome"])
    written(rows, tmp_path)
    known = tree.fitted_, tmp_path, "outcome", "weight"
    ours, theirs = count_large_data(*known, client=client), count_large_data(*known)
    assert sorted(map(tuple, ours.counts)) == sorted(map(tuple, theirs.counts))
    # Parts of divided cases are fractions, whose sums are rounded.
    np.testing.assert_allclose(ours.parts, theirs.parts, rtol=1e-14)


def test_categories_that_only_some_partitions_have_are_all_known(client, rows):
    ordered = rows.sort_values("ward").reset_index(drop=True)
    tree = binned().fit(partitions(ordered, [1] * 5), "outcome", "weight")
    expected = binned().fit(attributes(rows), rows["outcome"], rows["weight"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert tree.predict(partitions(attributes(ordered), [1, 2])).compute().shape == (len(rows),)


def faulty(rows, number, **columns):
    """Three partitions, one of them with other columns."""
    parts = [rows.iloc[part] for part in np.array_split(np.arange(len(rows)), 3)]
    parts[number] = parts[number].assign(**columns)
    return dd.from_map(lambda part: part, parts, meta=rows.iloc[:0], enforce_metadata=False)


def test_partitions_of_one_class_no_weight_no_known_value_or_another_number_type_work(client, rows):
    ordered = rows.sort_values("outcome").drop(columns="weight").reset_index(drop=True)
    n_first = len(np.array_split(np.arange(len(rows)), 3)[0])
    ages = ordered["age"][:n_first].astype(np.int16)
    gaps = [None] * n_first
    weights = np.r_[np.ones(n_first), np.zeros(len(rows) - 2 * n_first), np.ones(n_first)]
    changed = ordered.assign(weight=weights)
    changed.loc[: n_first - 1, "ward"] = None
    tree = binned(max_depth=4).fit(faulty(changed, 0, age=ages, ward=gaps), "outcome", "weight")
    expected = binned(max_depth=4).fit(attributes(changed), changed["outcome"], weights)
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert tree.schema_ == expected.schema_


def test_what_only_rows_without_weight_have_is_forgotten_as_in_memory(client, rows):
    wards = ["west", "south", "north", "east", "none"]
    declared = rows.assign(ward=pd.Categorical(rows["ward"], wards), weight=1.0)
    declared.loc[declared.index[:200], ["ward", "weight"]] = ["east", 0.0]
    declared.loc[declared.index[1000:2000], "weight"] = 0.0
    declared.loc[declared.index[1500], "outcome"] = "unknown"
    in_south = declared.index[:600][declared["ward"][:600] == "south"]
    declared.loc[in_south, "weight"] = 0.0
    tree = binned(max_depth=4).fit(partitions(declared, [1] * 6), "outcome", "weight")
    expected = binned(max_depth=4).fit(
        attributes(declared), declared["outcome"], declared["weight"]
    )
    assert tree.schema_ == expected.schema_
    assert tree.schema_.categories[2] == ("west", "south", "north", "none")
    assert tree.classes_.tolist() == ["ill", "unknown", "well"]
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)


def test_more_than_two_classes_are_ranked_exactly(client, rows):
    y = np.where(rows["age"] > 60, "old", rows["outcome"])
    given = attributes(rows).assign(state=y)
    tree = binned(max_depth=4).fit(attributes(rows), y)
    parts = partitions(given, [2, 0, 1, 4])
    for ours, theirs in zip(
        tree.leaf_table(parts, "state"), tree.leaf_table(attributes(rows), y), strict=True
    ):
        assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))
    of_rows = mauc(tree.predict_proba(attributes(rows)), y, classes=tree.classes_)
    assert mauc(*tree.leaf_table(parts, "state")) == pytest.approx(of_rows, abs=1e-12)
    ours = tree.roc(parts, "state", positive="old")
    assert ours.auc == tree.roc(attributes(rows), y, positive="old").auc


def test_categories_that_are_numbers_of_two_types_do_not_depend_on_the_order(client, rows):
    codes = rows.assign(ward=rows["age"] // 30).drop(columns=["weight", "village"])
    trees = []
    for number in (0, 2):
        ddf = faulty(codes, number, ward=lambda part: part["ward"].astype(int))
        trees.append(binned(categorical_features=["ward"], max_depth=4).fit(ddf, "outcome"))
    assert trees[0].schema_.categories[2] == (0.0, 1.0, 2.0)
    assert [type(category) for category in trees[1].schema_.categories[2]] == [float] * 3
    assert as_bytes(trees[0].tree_) == as_bytes(trees[1].tree_)
    flags = codes.assign(ward=rows["smokes"].astype(int))
    for number in (0, 2):
        ddf = faulty(flags, number, ward=lambda part: part["ward"].astype(bool))
        tree = binned(categorical_features=["ward"], max_depth=1).fit(
            ddf[["ward", "outcome"]], "outcome"
        )
        assert [type(category) for category in tree.schema_.categories[0]] == [int] * 2


def test_a_partition_that_cannot_be_read_is_named(client, rows):
    wrong = rows.copy()
    wrong.loc[wrong.index[-1], "dose"] = np.inf
    with pytest.raises(DataError, match=r"part 2 of the data .*'dose' holds inf"):
        binned().fit(partitions(wrong, [1, 1, 1]), "outcome")
    with pytest.raises(DataError, match=r"'dose' has numbers in part 0 .* categories in part 2"):
        binned().fit(faulty(rows, 2, dose="much"), "outcome")
    with pytest.raises(DataError, match=r"text .* numbers .* of parts 0 and 1 of the data"):
        binned(categorical_features=["ward", "village"]).fit(faulty(rows, 1, ward=1.5), "outcome")
    with pytest.raises(DataError, match=r"part 0 .* age, dose, .* but part 1 has .* more"):
        binned().fit(faulty(rows, 1, more=1.5), "outcome")
    with pytest.raises(DataError, match=r"labels of parts \d and \d .* y mixes text"):
        binned().fit(faulty(rows, 1, outcome=1), "outcome")


def test_a_partition_that_cannot_be_predicted_or_evaluated_is_named(client, rows):
    tree = binned(max_depth=2).fit(attributes(rows), rows["outcome"])
    wrong = faulty(rows.drop(columns="weight"), 1, dose="much")
    with pytest.raises(DataError, match=r"part 1 of the data .*'dose' was numeric in training"):
        tree.predict(wrong.drop(columns="outcome")).compute()
    with pytest.raises(DataError, match=r"part 1 of the data .*'dose' was numeric in training"):
        tree.roc(wrong, "outcome")
    strange = faulty(rows.drop(columns="weight"), 2, outcome="dead")
    with pytest.raises(DataError, match=r"part 2 of the data .*y has the label 'dead'"):
        tree.score(strange, "outcome")


def test_collections_that_do_not_go_together_are_refused(client, rows):
    with pytest.raises(DataError, match="'result', which is not a column"):
        binned().fit(partitions(rows, [1]), "result")
    with pytest.raises(DataError, match="X has 2 partitions, but y or sample_weight has 1"):
        binned().fit(partitions(rows, [1, 1]), dd.from_pandas(rows["outcome"], npartitions=1))
    with pytest.raises(DataError, match="y or sample_weight is a Series in memory"):
        binned().fit(partitions(rows, [1, 1]), rows["outcome"])
    with pytest.raises(DataError, match="X is a Dask DelayedLeaf"):
        binned().fit(dask.delayed(rows), "outcome")


def test_without_a_client_nothing_is_started(rows):
    with (
        mock.patch.object(distributed, "default_client", side_effect=ValueError),
        pytest.raises(ParameterError, match="there is no active Dask client"),
    ):
        roctree_distributed.fit(binned(), partitions(rows, [1]), "outcome")


def test_what_is_no_client_or_none_that_can_be_waited_for_is_refused(rows):
    ddf = partitions(rows, [1])
    with pytest.raises(ParameterError, match="client=8786 must be a dask"):
        roctree_distributed.fit(binned(), ddf, "outcome", client=8786)
    for unusable in ({"asynchronous": True, "status": "running"}, {"status": "closed"}):
        other = mock.Mock(spec=distributed.Client, **unusable)
        with pytest.raises(ParameterError, match="connected and not asynchronous"):
            roctree_distributed.fit(binned(), ddf, "outcome", client=other)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
def test_a_worker_killed_in_the_middle_does_not_change_the_tree(rows, monkeypatch):
    from roctree.large.dask import DaskShards

    expected = binned().fit(attributes(rows), rows["outcome"])
    divide, count = DaskShards.divide, DaskShards.count
    counted, killed = [], []
    whole_log = {"distributed.admin.low-level-log-length": 100_000}
    with dask.config.set(whole_log), cluster(2, processes=True) as client:
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
        finished = client.run_on_scheduler(tasks_finished)
        found = tree.predict_proba(ddf.drop(columns="outcome")).compute()
        area = tree.roc(ddf, "outcome").auc
    np.testing.assert_array_equal(found, expected.predict_proba(attributes(rows)))
    assert area == expected.roc(attributes(rows), rows["outcome"]).auc
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    assert killed == victims[:1]
    # One count for each level that may be split: none is counted a second time.
    assert expected.tree_.max_depth <= len(counted) <= expected.tree_.max_depth + 1
    n_tasks = 4 * np.count_nonzero(counted)
    assert len(finished["_count"]) == len(set(finished["_count"])) == n_tasks
    # But what the dead worker had coded was coded again.
    assert len(finished["code_part"]) > len(set(finished["code_part"])) == 4


def tasks_finished(dask_scheduler):
    """The tasks that were done, by function, as often as they were."""
    found = {"_count": [], "code_part": []}
    for key, _, end, *_ in dask_scheduler.transition_log:
        name = str(key).partition("-")[0]
        if end == "memory" and name in found:
            found[name].append(key)
    return found


def test_dask_knows_how_large_rows_are_before_it_moves_them():
    from dask.sizeof import sizeof

    from roctree.large.dask import CodedPart, PackedTables

    rows = Shard(np.zeros((100, 4), np.uint8), np.zeros(100, np.uint32), np.empty(0))
    assert sizeof(CodedPart(rows, None)) > 800
    assert sizeof(rows.start()) > 400
    tables = np.ones((2, 50, 3))
    assert sizeof(PackedTables.from_tables(tables)) > tables.nbytes


def test_a_scheduler_that_does_not_answer_or_has_no_workers_is_told(rows, monkeypatch, tmp_path):
    monkeypatch.setattr("roctree.large.dask._CONNECT_TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address in ("tcp://127.0.0.1:9", "nonsense://x", " ", f"tcp://127.0.0.1:{port}"):
            with pytest.raises(ParameterError, match="no Dask scheduler answers at"):
                roctree_distributed.fit(binned(), partitions(rows, [1]), "outcome", client=address)
    with cluster(1, processes=False) as client:
        monkeypatch.setattr("roctree.large.dask.import_module", not_installed)
        with pytest.raises(ParameterError, match=r"roctree is not installed on the workers"):
            roctree_distributed.fit(
                binned(), partitions(rows, [1]), "outcome", client=client.scheduler.address
            )
    with cluster(0, processes=False) as client:
        written(rows, tmp_path)
        address = client.scheduler.address
        with (
            mock.patch("roctree.large.dask.DaskRows.summary", side_effect=RuntimeError),
            pytest.warns(UserWarning, match="has no workers yet"),
            pytest.raises(RuntimeError),
        ):
            roctree_distributed.fit(binned(), tmp_path, "outcome", client=address)


def not_installed(name):
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (distributed.KilledWorker("code-1", None, 3), "died on the same partition"),
        (distributed.CancelledError(), "scheduler was lost"),
    ],
)
def test_failures_of_the_cluster_are_said_to_be_its_own(client, rows, failure, words):
    with (
        mock.patch("roctree.large.dask.DaskRows.summary", side_effect=failure),
        pytest.raises(DataError, match=words),
    ):
        binned().fit(partitions(rows, [1]), "outcome")


@pytest.mark.parametrize(
    "points", [Points(max_attributes=4), Points("curves", tree_weight="free"), Points(integer=True)]
)
def test_points_of_partitions_are_those_of_rows_in_memory(client, points):
    X, y = additive(600)
    ddf = dd.from_pandas(X.assign(outcome=y), npartitions=3)
    ours, theirs = binned(max_leaf_nodes=4, points=points), binned(max_leaf_nodes=4, points=points)
    ours.fit(ddf, "outcome")
    theirs.fit(X, y)
    assert ours.points_.scorecard.attributes
    assert repr(ours.points_) == repr(theirs.points_)
    expected = theirs.predict_proba(X)
    assert np.array_equal(ours.predict_proba(ddf.drop(columns="outcome")).compute(), expected)
    assert ours.roc(ddf, "outcome").auc == pytest.approx(theirs.roc(X, y).auc, abs=1e-12)
    point = ours.at(max_fpr=0.2, counts=(ddf, "outcome")).operating_point_
    same = theirs.at(max_fpr=0.2, counts=(X, y)).operating_point_
    assert (point.fpr, point.tpr) == pytest.approx((same.fpr, same.tpr))
