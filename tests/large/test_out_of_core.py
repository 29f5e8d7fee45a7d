"""Files and batches give the tree of the same rows in memory, and leave nothing behind."""

import errno
import signal
import tempfile
from io import StringIO
from types import SimpleNamespace
from unittest import mock

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from sklearn.tree import DecisionTreeClassifier

from roctree import DataError, ParameterError, ROCTreeClassifier, large
from roctree.distributed import Progress, fit
from roctree.large import batches, open_large_data
from roctree.large.parts import Part, Summary, summarise_part
from roctree.smoothing import MBranch
from tests.large.rows import attributes, frame
from tests.tree.growing import as_bytes, numeric_dataset


def binned(**options):
    return ROCTreeClassifier(splits="binned", min_samples_leaf=5, max_bins=40, **options)


def of_memory(rows, **options):
    return binned(**options).fit(attributes(rows), rows["outcome"], rows["weight"])


@pytest.fixture(scope="module")
def rows():
    return frame()


@pytest.fixture
def table(rows):
    return pa.Table.from_pandas(rows, preserve_index=False)


@pytest.fixture(autouse=True)
def nothing_left(tmp_path, monkeypatch):
    """Let temporary files be made in a folder of their own, which must be empty at the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with mock.patch.object(batches, "BATCH_ROWS", 700):
        yield
    assert list(folder.iterdir()) == []


def written(table, folder, n_files=3):
    folder.mkdir()
    for number in range(n_files):
        begin = number * len(table) // n_files
        end = (number + 1) * len(table) // n_files
        pq.write_table(table.slice(begin, end - begin), folder / f"part-{number}.parquet")
    return folder


def sources(table, folder):
    """The ways to hand over the same rows."""
    files = written(table, folder)
    yield "folder", files
    yield "text", str(files)
    yield "files", sorted(files.glob("*.parquet"))
    yield "one file", next(files.glob("part-0.parquet"))
    yield "data set", pads.dataset(files)
    yield "lazy frame", pl.scan_parquet(files)
    yield "generator", (batch for batch in table.to_batches(max_chunksize=400))
    yield "reader", pa.RecordBatchReader.from_batches(table.schema, table.to_batches(300))
    yield "batches", table.to_batches(max_chunksize=500)
    yield "tables", [table.slice(0, 100), table.slice(100)]


def test_whatever_they_come_as_rows_give_the_tree_of_memory(rows, table, tmp_path):
    expected = of_memory(rows)
    for name, source in sources(table, tmp_path / "files"):
        tree = binned().fit(source, "outcome", "weight")
        if name == "one file":
            expected_here = of_memory(rows.iloc[: len(rows) // 3])
            assert as_bytes(tree.tree_) == as_bytes(expected_here.tree_)
            continue
        assert as_bytes(tree.tree_) == as_bytes(expected.tree_), name
        assert tree.schema_ == expected.schema_, name
        assert tree.training_ == expected.training_, name
        np.testing.assert_array_equal(
            tree.predict_proba(attributes(rows)), expected.predict_proba(attributes(rows))
        )


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "branch", "nominal": "multiway", "criterion": "gain_ratio"},
        {"missing": "category", "threshold": "observed", "pruning": "pessimistic"},
        {"max_leaf_nodes": 7, "class_weight": "balanced", "n_jobs": 2},
    ],
)
def test_parameters_mean_what_they_mean_in_memory(rows, table, tmp_path, options):
    files = written(table.drop(["weight"]), tmp_path / "files")
    tree = binned(**options).fit(files, "outcome")
    expected = binned(**options).fit(attributes(rows), rows["outcome"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)
    np.testing.assert_allclose(tree.spread_.ranges, expected.spread_.ranges)
    np.testing.assert_allclose(tree.spread_.deviations, expected.spread_.deviations)


def test_batches_without_rows_one_class_or_known_values_are_welcome(rows, table):
    ordered = table.drop(["weight"]).sort_by("outcome")
    empty_ward = ordered.slice(0, 50).set_column(2, "ward", pa.nulls(50, pa.string()))
    parts = [part.cast(ordered.schema) for part in (ordered[:0], empty_ward, ordered[50:])]
    given = (batch for part in parts for batch in part.combine_chunks().to_batches())
    tree = binned().fit(given, "outcome")
    whole = pa.concat_tables(parts).to_pandas()
    expected = binned().fit(whole.drop(columns="outcome"), whole["outcome"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)


def test_the_largest_weight_may_be_in_any_part():
    light, heavy = (
        Summary.from_dataset(numeric_dataset([[1.0], [2.0]], [0, 1], [1.0, weight]), number)
        for number, weight in enumerate([0.5, 3.0])
    )
    assert light.merged(heavy).largest == heavy.merged(light).largest == 3.0


def test_python_may_end_while_a_scheduler_is_waited_for(monkeypatch):
    module, thread = pytest.importorskip("roctree.large.dask"), mock.Mock()
    monkeypatch.setattr(module, "Thread", thread)
    monkeypatch.setattr(module, "_CONNECT_TIMEOUT", 0.01)
    with pytest.raises(ParameterError, match="no Dask scheduler answers"):
        module._client_of("tcp://127.0.0.1:9")
    assert thread.call_args.kwargs["daemon"]


def test_a_method_of_the_same_name_does_not_make_data_large():
    table = SimpleNamespace(map_parts=lambda function: None)
    assert open_large_data(table, None, None) is None


def test_cases_on_disk_are_evaluated_exactly(rows, table, tmp_path):
    tree, X, y = of_memory(rows), attributes(rows), rows["outcome"]
    files = written(table.drop(["weight"]), tmp_path / "files")
    assert tree.roc(files, "outcome").auc == tree.roc(X, y).auc
    assert tree.score(files, "outcome") == tree.score(X, y)
    assert repr(tree.labellings(counts=(files, "outcome"))) == repr(tree.labellings(counts=(X, y)))
    curve = tree.cost_pruning_curve(None, files, "outcome")
    assert curve.points == tree.cost_pruning_curve(None, X, y).points
    by_chance = tree.at(max_fpr=0.123, randomise=True)
    expected = by_chance.confusion(X, y)
    assert by_chance.score(files, "outcome") == expected.trace() / expected.sum()


def test_progress_is_told_to_a_function_step_by_step(rows, table, tmp_path):
    told = []
    files = written(table, tmp_path / "files")
    tree = fit(binned(max_depth=3), files, "outcome", "weight", progress=told.append)
    assert told == [
        *[Progress(step, done, 3000, "rows") for step in ("reading", "coding")
          for done in (0, 700, 1000, 1700, 2000, 2700, 3000)],
        *[Progress("growing", done, 3, "levels") for done in range(4)],
    ]  # fmt: skip
    assert as_bytes(tree.tree_) == as_bytes(of_memory(rows, max_depth=3).tree_)


def test_a_bar_is_shown_on_a_terminal_only_and_goes_away(table, tmp_path, monkeypatch):
    files = written(table, tmp_path / "files")
    for is_terminal in (False, True):
        screen = StringIO()
        screen.isatty = lambda is_terminal=is_terminal: is_terminal
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        fit(binned(max_depth=3), files, "outcome", progress=True)
        if not is_terminal:
            assert screen.getvalue() == ""
    shown = screen.getvalue()
    assert "of 3 levels" in shown
    # The last thing done is to clear the line.
    assert shown.endswith("\x1b[2K")


def test_data_in_memory_are_left_to_the_estimator(rows):
    with pytest.raises(ParameterError, match="X is a DataFrame in memory"):
        fit(binned(), attributes(rows), rows["outcome"])


def test_without_dask_it_is_said_how_to_get_it(table, tmp_path):
    files = written(table, tmp_path / "files")
    for name, error in (("dask", ParameterError), ("numpy", ModuleNotFoundError)):
        missing = ModuleNotFoundError(f'pip install "roctree[dask]": {name}', name=name)
        with (
            mock.patch("roctree.large.import_module", side_effect=missing),
            pytest.raises(error, match=r'pip install "roctree\[dask\]"'),
        ):
            fit(binned(), files, "outcome", client="tcp://127.0.0.1:9")


def test_an_error_in_a_batch_names_it_and_leaves_no_file(table, tmp_path):
    wrong = table.slice(0, 1500).to_pandas()
    wrong.loc[1450, "dose"] = np.inf
    files = written(pa.Table.from_pandas(wrong, preserve_index=False), tmp_path / "files", 1)
    with pytest.raises(DataError, match=r"part 2 of the data.*'dose' holds inf in row 50"):
        binned().fit(files, "outcome")
    with pytest.raises(DataError, match=r"part-0\.parquet' from row 1400 on: .*'dose'"):
        binned().fit(files, "outcome")


def test_an_interrupt_leaves_no_file(table, tmp_path):
    files = written(table, tmp_path / "files")
    with (
        mock.patch.object(large.LocalShards, "count", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        binned().fit(files, "outcome")


@pytest.mark.parametrize("step", ["reading", "coding", "growing"])
def test_the_signal_of_ctrl_c_ends_every_step_and_leaves_no_file(table, step):
    def interrupt(now):
        if now.step == step and now.done > 0:
            signal.raise_signal(signal.SIGINT)

    # Shells let what runs in the background ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            fit(binned(), iter(table.to_batches(700)), "outcome", progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_disk_too_small_is_told_before_any_row_is_read(table, tmp_path):
    files = written(table, tmp_path / "files")
    with (
        mock.patch.object(batches.shutil, "disk_usage", return_value=mock.Mock(free=10_000)),
        mock.patch.object(large, "summarise_part", side_effect=AssertionError),
        pytest.raises(DataError, match=r"need 0\.0 GB.*TMPDIR"),
    ):
        binned().fit(files, "outcome")


def test_a_disk_that_becomes_full_is_told(table, tmp_path):
    def filling(code):
        yield from table.slice(0, 10).to_batches()
        raise OSError(code, "no room")

    for code in (errno.ENOSPC, errno.EDQUOT):
        with pytest.raises(DataError, match=r"has no space left .*TMPDIR"):
            binned().fit(filling(code), "outcome")
    with pytest.raises(OSError, match="no room"):
        binned().fit(filling(errno.EIO), "outcome")
    files = written(table, tmp_path / "files")
    full = OSError(errno.ENOSPC, "no room")
    with (
        mock.patch.object(batches.os, "posix_fallocate", side_effect=full, create=True),
        pytest.raises(DataError, match=r"has no space left .*TMPDIR"),
    ):
        binned().fit(files, "outcome")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"splits": "exact"}, "use splits='binned'"),
        ({"ranking": "soft"}, "ranking='soft' needs the rows in memory"),
        ({"smoothing": MBranch(M="auto")}, "needs the rows in memory: give a number"),
        ({"pruning": "reduced_error"}, "then prune with"),
        ({"geometric_probability": True}, "geometric_probability needs the rows"),
    ],
)
def test_what_needs_the_rows_in_memory_is_refused(table, tmp_path, options, words):
    files = written(table, tmp_path / "files")
    with pytest.raises(ParameterError, match=words):
        ROCTreeClassifier(**({"splits": "binned"} | options)).fit(files, "outcome")


def test_sources_that_cannot_be_read_say_why(table, tmp_path):
    files = written(table, tmp_path / "files")
    with pytest.raises(DataError, match="no file or folder 'nowhere'"):
        binned().fit("nowhere", "outcome")
    with pytest.raises(DataError, match="y names the column 'result', but the data have age"):
        binned().fit(files, "result")
    with pytest.raises(ParameterError, match="y must be the name of a column"):
        binned().fit(files, [1, 2, 3])
    with pytest.raises(DataError, match="of X is a list"):
        binned().fit(iter([[1, 2]]), "outcome")
    with pytest.raises(DataError, match="without batches"):
        binned().fit(iter([]), "outcome")


def test_sources_that_fail_midway_say_why_and_leave_no_file(table, tmp_path):
    def breaking():
        yield from table.slice(0, 10).to_batches()
        raise LookupError("the sensor was lost")

    with pytest.raises(LookupError, match="the sensor was lost"):
        binned().fit(breaking(), "outcome")
    with pytest.raises(DataError, match=r"batch 1 .* of X is a dict"):
        binned().fit(iter([table, {"age": 1}]), "outcome")
    rows = pl.LazyFrame({"dose": ["1", "much"], "state": ["well", "ill"]})
    with pytest.raises(DataError, match=r"the lazy query fails \(conversion from `str`"):
        binned().fit(rows.with_columns(pl.col("dose").cast(pl.Float64)), "state")
    pq.write_table(table, tmp_path / "a.parquet")
    filtered = pads.dataset(tmp_path / "a.parquet").filter(pads.field("ages") > 1)
    with pytest.raises(DataError, match=r"the data cannot be read \(No match for"):
        binned().fit(filtered, "outcome")


def test_every_batch_may_have_a_dictionary_of_its_own(rows, table):
    place = table.column_names.index("ward")

    def coded(part):
        return part.set_column(place, "ward", part["ward"].dictionary_encode())

    parts = [coded(table.sort_by("ward").slice(begin, 1000)) for begin in (2000, 0, 1000)]
    tree = binned().fit(
        (batch for part in parts for batch in part.to_batches()), "outcome", "weight"
    )
    assert as_bytes(tree.tree_) == as_bytes(of_memory(rows).tree_)
    assert tree.schema_ == of_memory(rows).schema_


def test_texts_that_are_all_missing_are_passed_over(rows, table):
    blank = table.append_column("note", pa.nulls(len(table), pa.string()))
    tree = binned(max_depth=3).fit(blank.to_batches(), "outcome", "weight")
    given = attributes(rows).assign(note=pa.nulls(len(rows), pa.string()).to_pandas())
    expected = binned(max_depth=3).fit(given, rows["outcome"], rows["weight"])
    assert as_bytes(tree.tree_) == as_bytes(expected.tree_)


def test_a_column_that_names_rows_is_told_and_one_of_too_many_names_refused(table):
    names = pa.array([f"row {number}" for number in range(len(table))])
    with pytest.warns(UserWarning, match=r"identify rows .* 'name' \(3000 in 3000 rows\)"):
        binned(max_depth=1).fit(table.append_column("name", names).to_batches(), "outcome")
    parts = []
    for number, begin in enumerate((0, 40_000)):
        names = pa.table({"name": list(map(str, range(begin, begin + 40_000)))})
        parts.append(summarise_part(Part(number, names, ["ill", "well"] * 20_000), "from_dtype"))
    with pytest.raises(DataError, match="'name' has more than 65534 categories"):
        parts[0].merged(parts[1])


def test_rows_too_light_to_count_are_counted_in_a_warning(table):
    weights = np.r_[1e-30, np.ones(len(table) - 1)]
    light = table.set_column(table.column_names.index("weight"), "weight", pa.array(weights))
    with pytest.warns(UserWarning, match="1 of 3000 rows have no effect on the fit"):
        binned(max_depth=2).fit(light.to_batches(), "outcome", "weight")


def test_a_fit_that_fails_leaves_the_one_before(rows, table):
    tree = of_memory(rows, max_depth=2)
    before = dict(tree.__dict__)
    tree.metric = {"size": 1.0}
    with pytest.raises(ParameterError, match="'size', which is not an attribute"):
        tree.fit(table.slice(0, 500).to_batches(), "outcome")
    assert {name: value for name, value in tree.__dict__.items() if name != "metric"} == {
        name: value for name, value in before.items() if name != "metric"
    }


def test_kinds_that_differ_between_batches_name_the_column(table):
    numbers = pa.table({"x": [1.0, 2.0], "y": ["a", "b"]})
    texts = pa.table({"x": ["one", "two"], "y": ["a", "b"]})
    with pytest.raises(DataError, match=r"batch 1 .* does not have the columns"):
        binned().fit(iter([numbers, texts]), "y")
    more = numbers.append_column("z", numbers["x"])
    for batches_, column in (([numbers, more], "z"), ([more, numbers], "z")):
        with pytest.raises(DataError, match=rf"batch 1 .* does not have the columns .*{column}"):
            binned().fit(iter(batches_), "y")


def test_weights_that_are_text_and_models_that_grow_in_memory_are_refused(table):
    place = table.column_names.index("weight")
    texts = table.set_column(place, "weight", table["weight"].cast(pa.string()))
    with pytest.raises(DataError, match=r"part 0 .* sample_weight must contain only numbers"):
        binned().fit(texts.to_batches(), "outcome", "weight")
    with pytest.raises(ParameterError, match="DecisionTreeClassifier is fitted in memory only"):
        fit(DecisionTreeClassifier(), table.to_batches(), "outcome")


def _queries(table, folder):
    path = folder / "rows.parquet"
    pq.write_table(table, path)
    return {
        "a LazyFrame": lambda: pl.scan_parquet(path),
        "a DuckDB relation": lambda: duckdb.sql(f"SELECT * FROM '{path}'"),
        "a path": lambda: path,
        "a data set": lambda: pads.dataset(path),
        "record batches": lambda: iter(table.to_batches(max_chunksize=100)),
    }


@pytest.mark.parametrize(
    "kind", ["a LazyFrame", "a DuckDB relation", "a path", "a data set", "record batches"]
)
def test_what_fit_accepts_predictions_accept_too(kind, tmp_path):
    random = np.random.default_rng(0)
    values = random.normal(size=(450, 2))
    labels = np.where(values[:, 0] + random.normal(size=450) > 0, "yes", "no")
    columns = {"a": values[:, 0], "b": values[:, 1]}
    table = pa.table({**columns, "answer": labels, "other": np.arange(450)})
    make = _queries(table.drop(["other"]), tmp_path)[kind]
    tree = ROCTreeClassifier(splits="binned", max_depth=3).fit(make(), "answer")
    assert tree.schema_.names == ("a", "b")
    rows = pa.table(columns)
    make = _queries(table, tmp_path)[kind]  # further columns are not read
    for method in ("predict_proba", "predict", "predict_log_proba", "decision_function", "apply"):
        found = getattr(tree, method)(make())
        assert np.array_equal(found, getattr(tree, method)(rows)), method
    drawn = tree.at(max_fpr=0.1, randomise=True)
    assert np.array_equal(drawn.predict(make()), drawn.predict(rows))
    make = _queries(table.drop(["a"]), tmp_path)[kind]
    with pytest.raises(DataError, match="a"):
        tree.predict(make())
    make = _queries(table.slice(0, 0), tmp_path)[kind]
    with pytest.raises(DataError, match="no rows"):
        tree.predict(make())


@pytest.mark.parametrize("pruning", ["none", "pessimistic"])
def test_weights_that_add_up_to_one_give_the_tree_and_probabilities_of_memory(rows, pruning):
    light = rows.assign(weight=rows["weight"] / rows["weight"].sum())
    found = binned(pruning=pruning).fit(
        pa.Table.from_pandas(light, preserve_index=False).to_batches(), "outcome", "weight"
    )
    expected = of_memory(light, pruning=pruning)
    assert as_bytes(found.tree_) == as_bytes(expected.tree_)
    assert np.array_equal(found.fitted_.probabilities, expected.fitted_.probabilities)
    assert found.get_n_leaves() > 1


def test_missing_values_of_parts_are_counted_by_column():
    columns = {"a": [1.0, None, 3.0], "b": [None, None, 1.0], "c": ["x", "y", None], "d": [1, 2, 3]}
    one = summarise_part(Part(0, pa.table(columns), ["ill", "well", "ill"]), "from_dtype")
    assert [column.n_missing for column in one.columns] == [1, 2, 1, 0]
    both = one.merged(summarise_part(Part(1, pa.table(columns), ["ill"] * 3), "from_dtype"))
    assert [column.n_missing for column in both.columns] == [2, 4, 2, 0]
    weights = [0.0, 1.0, 1.0]
    part = summarise_part(Part(0, pa.table(columns), ["ill"] * 3, weights), "from_dtype")
    assert [column.n_missing for column in part.columns] == [1, 1, 1, 0]
