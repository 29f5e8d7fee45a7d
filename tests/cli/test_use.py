import json
import re
import sys
from base64 import b64decode
from io import BytesIO, TextIOWrapper

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv, feather, parquet

import roctree as library
from roctree.cli.compare import SHOWN_METRICS, comparison_report
from roctree.cli.options import OPERATING
from roctree.cli.predict import RESULTS
from roctree.data import csv_file
from roctree.data.readers import read_file
from roctree.data.roles import column_types
from roctree.errors import DataError
from roctree.experiment import Results
from roctree.experiment.store import Outcome
from roctree.requests import PointArguments
from roctree.tree.prediction import divided_rows

LABEL = "label,probability"


def new_rows(tree):
    table = read_file("new.csv", types=column_types(tree.schema_))
    return table.select(list(tree.schema_.names))


def test_every_wish_of_at_is_an_option():
    wishes = {*PointArguments.__dataclass_fields__, "positive", "counts", "random_state"}
    assert set(OPERATING) == wishes


def test_predict_writes_what_python_predicts(grown, roctree):
    done = roctree(
        "predict",
        "tree.json",
        "new.csv",
        "-o",
        "scored.csv",
        "--keep",
        "patient",
        "--columns",
        "label,probability,score,leaf,rule,change",
        "--cost-fp",
        1,
        "--cost-fn",
        5,
        "--positive",
        "ill",
    )
    assert (done.code, done.out) == (0, "Wrote 20 rows to scored.csv; positive class ill\n")
    found = csv.read_csv("scored.csv").to_pydict()
    tree = library.load("tree.json").at(cost_fp=1, cost_fn=5, positive="ill")
    rows = new_rows(tree)
    assert found["patient"] == [f"P{number:03d}" for number in range(1, 21)]
    assert found["label"] == tree.predict(rows).tolist()
    assert np.array_equal(found["probability_ill"], tree.predict_proba(rows)[:, 0])
    assert np.array_equal(found["score"], tree.decision_function(rows))
    assert found["leaf"] == tree.apply(rows).tolist()
    changes = tree.nearest_change(rows)
    assert np.array_equal(found["change_distance"], changes.distance)
    words = [", ".join(change.words for change in case.changes) for case in changes]
    assert found["change"] == words
    assert any(" > " in each for each in words)
    rules = {rule.partition("; the case is divided")[0] for rule in found["rule"]}
    assert len(rules) == len(set(found["leaf"]))


def test_the_rule_of_a_divided_case_says_so(patients, roctree):
    roctree("fit", "data.csv", "--target", "outcome", "--preset", "readable", "-o", "soft.json")
    done = roctree("predict", "soft.json", "test.csv", "--columns", "rule", "-o", "rules.csv")
    assert done.code == 0, done.err
    model = library.load("soft.json").fitted_
    table = read_file("test.csv", types=column_types(model.schema))
    rows = model.encode(table.select(list(model.schema.names)))
    divided = [
        rule.endswith("; the case is divided among leaves")
        for rule in csv.read_csv("rules.csv").column("rule").to_pylist()
    ]
    assert divided == divided_rows(model.tree, rows).tolist()
    assert len(set(divided)) == 2


@pytest.mark.parametrize("name", RESULTS)
def test_a_file_without_rows_has_the_same_columns(name, grown, roctree):
    head, row, *_ = (grown / "new.csv").read_text().splitlines()
    (grown / "none.csv").write_text(head + "\n")
    (grown / "one.csv").write_text(f"{head}\n{row}\n")
    heads = [
        roctree("predict", "tree.json", file, "--columns", name).out.splitlines()
        for file in ("none.csv", "one.csv")
    ]
    assert heads[0] == heads[1][:1]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("made", ["one class", "too few rows", "pruned"])
def test_a_tree_of_one_leaf_predicts_every_row(made, form, grown, roctree):
    lines = (grown / "data.csv").read_text().splitlines()
    if made == "one class":
        lines = [line.replace("ill", "well") for line in lines]
    (grown / "few.csv").write_text("\n".join([*lines[: 10 if made == "too few rows" else 60], ""]))
    assert roctree("fit", "few.csv", "--target", "outcome", "-o", "leaf.json").code == 0
    if made == "pruned":
        method = ("--method", "cost_complexity:alpha=1")
        assert roctree("prune", "leaf.json", *method, "-o", "leaf.json").out.count("to 1;")
    rows = read_file("few.csv")
    parquet.write_table(rows, "few.parquet")
    parquet.write_table(rows.slice(0, 0), "none.parquet")
    (grown / "none.csv").write_text(lines[0] + "\n")
    assert roctree("predict", "leaf.json", f"few.{form}", "-o", "labels.csv").code == 0
    label = library.load("leaf.json").predict(rows.drop_columns(["outcome"]))[0]
    assert read_file("labels.csv").column("label").to_pylist() == [label] * len(rows)
    assert roctree("evaluate", "leaf.json", f"few.{form}").code == 0
    shown = roctree("predict", "leaf.json", f"none.{form}")
    assert (shown.code, len(shown.out.splitlines())) == (0, 1)


def test_rows_that_come_in_blocks_are_predicted_as_those_that_come_at_once(
    grown, roctree, monkeypatch
):
    whole = roctree("predict", "tree.json", "test.csv").out
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 1000)
    assert roctree("predict", "tree.json", "test.csv").out == whole
    assert len(whole.splitlines()) == 201


def test_labels_by_chance_are_those_of_python(grown, roctree, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 1000)
    options = ("--max-fpr", 0.3, "--randomise", "--random-state", 3, "--columns", "label")
    shown = roctree("predict", "tree.json", "test.csv", *options).out.split()[1:]
    tree = library.load("tree.json").at(max_fpr=0.3, randomise=True, random_state=3)
    rows = read_file("test.csv", types=column_types(tree.schema_)).select(list(tree.schema_.names))
    assert shown == tree.predict(rows).tolist()


def test_predict_reads_and_writes_pipes_and_answers_in_json(grown, roctree, monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO((grown / "new.csv").read_bytes())))
    rows = [
        json.loads(line)
        for line in roctree("predict", "tree.json", "-", "--json").out.split("\n")[:-1]
    ]
    assert len(rows) == 20
    assert list(rows[0]) == ["label", "probability_ill", "probability_well"]


@pytest.mark.parametrize(
    ("ending", "read"), [("parquet", parquet.read_table), ("feather", feather.read_table)]
)
def test_predict_writes_other_formats(ending, read, grown, roctree):
    roctree("predict", "tree.json", "new.csv", "-o", f"scored.{ending}")
    roctree("predict", "tree.json", "new.csv", "-o", "scored.csv")
    assert read(f"scored.{ending}").equals(csv.read_csv("scored.csv"))


def test_evaluate_shows_area_hull_labellings_and_costs(grown, roctree):
    shown = roctree("evaluate", "tree.json", "test.csv", "--positive", "ill").out
    for word in (
        "AUC of ill 0.",
        "95 % confidence",
        "Convex hull",
        "Labellings",
        "lowest possible",
    ):
        assert word in shown
    facts = json.loads(
        roctree("evaluate", "tree.json", "test.csv", "--positive", "ill", "--json").out
    )
    tree = library.load("tree.json")
    table = read_file("test.csv", types=column_types(tree.schema_))
    curve = tree.roc(table.drop(["outcome"]), table["outcome"], positive="ill")
    assert facts["auc"] == curve.auc
    assert facts["auc_interval"] == list(curve.auc_interval())
    assert facts["rows"] == 200
    assert sum(map(sum, facts["confusion"])) == 200
    for costs in facts["costs"]:
        assert costs["cost"] >= costs["least_cost"] - 1e-12
    assert facts["expected_loss"]["score_driven"][0] == pytest.approx(curve.brier_curve().area)
    assert facts["h_measure"] == curve.h_measure()
    assert "Expected loss if costs are unknown" in shown


def weighted_and_repeated(folder, name):
    """Write complete cases that weigh 1 or 2, and the same cases that often."""
    head, *rows = (folder / name).read_text().splitlines()
    rows = [row for row in rows if "NA" not in row]
    often = [1 + place % 2 for place in range(len(rows))]
    weighted = [f"{row},{times}" for row, times in zip(rows, often, strict=True)]
    repeated = [row for row, times in zip(rows, often, strict=True) for _ in range(times)]
    (folder / "weighted.csv").write_text("\n".join([f"{head},often", *weighted, ""]))
    (folder / "repeated.csv").write_text("\n".join([head, *repeated, ""]))


WEIGHED = {
    "two classes": ("evaluate", "tree.json"),
    "three classes": ("evaluate", "three.json", "--target", "smoker"),
    "Naive Bayes": ("evaluate", "nbtree.json"),
    "labellings": ("labellings", "tree.json"),
}
OTHERS = {
    "three classes": ("--target", "smoker", "-o", "three.json"),
    "Naive Bayes": ("--target", "outcome", "--system", "nbtree", "-o", "nbtree.json"),
}


@pytest.mark.parametrize("what", WEIGHED)
def test_a_case_of_weight_k_is_judged_as_k_cases(what, grown, roctree):
    weighted_and_repeated(grown, "test.csv")
    if what in OTHERS:
        assert roctree("fit", "data.csv", *OTHERS[what]).code == 0
    repeated = json.loads(roctree(*WEIGHED[what], "repeated.csv", "--json").out)
    weighted = json.loads(
        roctree(*WEIGHED[what], "weighted.csv", "--weight", "often", "--json").out
    )
    if "rows" in repeated:
        assert weighted.pop("rows") < repeated.pop("rows") == weighted["weight"]
    assert flat(weighted) == pytest.approx(flat(repeated), nan_ok=True)


def flat(value):
    """All numbers and words of an answer, in order."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return [leaf for item in value for leaf in flat(item)]
    return [float("nan") if value is None else value]


def in_parts(folder, name):
    """Write a file as three of Parquet, and as two of text."""
    table = read_file(name)
    (folder / "held").mkdir()
    for number, begin in enumerate(range(0, len(table), 70)):
        parquet.write_table(table.slice(begin, 70), f"held/{number}.parquet")
    head, *lines = (folder / name).read_text().splitlines()
    for number in range(2):
        (folder / f"half{number}.csv").write_text("\n".join([head, *lines[number::2], ""]))


PARTS = {
    "a folder": ("held",),
    "a pattern": ("held/*.parquet",),
    "files": ("held/0.parquet", "held/1.parquet", "held/2.parquet"),
    "texts": ("half0.csv", "half1.csv"),
}


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("command", ["evaluate", "labellings"])
def test_several_files_are_judged_as_one(command, parts, grown, roctree, monkeypatch):
    in_parts(grown, "test.csv")
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 1000)
    monkeypatch.setattr("roctree.data.readers.PARQUET_BATCH_ROWS", 50)
    whole = json.loads(roctree(command, "tree.json", "test.csv", "--json").out)
    found = roctree(command, "tree.json", *PARTS[parts], "--json")
    assert found.code == 0, found.err
    assert flat(json.loads(found.out)) == pytest.approx(flat(whole), nan_ok=True)


def test_several_files_are_judged_by_models_that_score_each_row(grown, roctree):
    in_parts(grown, "test.csv")
    assert roctree("fit", "data.csv", *OTHERS["Naive Bayes"]).code == 0
    whole = json.loads(roctree("evaluate", "nbtree.json", "test.csv", "--json").out)
    found = json.loads(roctree("evaluate", "nbtree.json", "half0.csv", "half1.csv", "--json").out)
    assert flat(found) == pytest.approx(flat(whole), nan_ok=True)


@pytest.mark.parametrize("classes", [(0, 1), (1.0, 2.0), ("false", "true"), ("007", "008")])
def test_classes_are_known_again_block_by_block(classes, patients, roctree, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 50)
    rows = "".join(f"{i},{classes[i // 20]}\n" for i in range(40))
    (patients / "kinds.csv").write_text("x,kind\n" + rows)
    assert roctree("fit", "kinds.csv", "--target", "kind", "-o", "kinds.json").code == 0
    facts = json.loads(roctree("evaluate", "kinds.json", "kinds.csv", "--json").out)
    assert (facts["rows"], facts["accuracy"], facts["auc"]) == (40, 1.0, 1.0)


def test_a_row_far_down_that_cannot_be_judged_is_named(grown, roctree, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 1000)
    text = (grown / "test.csv").read_text()
    (grown / "odd.csv").write_text(text + text.splitlines()[1].rpartition(",")[0] + ",\n")
    done = roctree("evaluate", "tree.json", "odd.csv")
    assert (done.code, done.out) == (2, "")
    assert "the label 'outcome' of row 201 is missing" in done.err


def test_blocks_of_rows_without_weight_leave_no_trace(grown, roctree, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK_SIZE", 1000)
    head, *rows = (grown / "test.csv").read_text().splitlines()
    for name, kept in {"all.csv": rows, "some.csv": rows[100:]}.items():
        lines = [f"{row},{int(row in rows[100:])}" for row in kept]
        (grown / name).write_text("\n".join([f"{head},often", *lines, ""]))
    found = [roctree("evaluate", "tree.json", name, "--weight", "often", "--json").out
             for name in ("all.csv", "some.csv")]  # fmt: skip
    ours, theirs = map(json.loads, found)
    assert ours.pop("rows") >= theirs.pop("rows")
    assert ours == theirs


def test_a_file_that_is_named_twice_is_refused(grown, roctree):
    done = roctree("evaluate", "tree.json", "test.csv", "./test.csv")
    assert done.code == 2
    assert "is given twice" in done.err


def test_evaluate_ends_with_one_recommendation_and_shows_no_infinity(grown, roctree):
    said = roctree("evaluate", "tree.json", "test.csv").out
    last = said.strip().splitlines()[-1]
    assert last.startswith("Recommendation: ")
    assert last.endswith(".")
    assert last.count(". ") == 0
    assert not re.search(r"\binf\b", said)
    facts = json.loads(roctree("evaluate", "tree.json", "test.csv", "--json").out)
    assert facts["recommendation"] == last
    paying = [each for each in facts["costs"] if each["cost"] < each["one_label_cost"]]
    first, end = paying[0]["cost_ratio"], paying[-1]["cost_ratio"]
    assert f"this pays at cost ratios of {first:g} to {end:g}, " in last


def test_evaluate_takes_more_than_two_classes(patients, roctree):
    (patients / "three.csv").write_text(
        "x,kind\n" + "\n".join(f"{i},{'abc'[i // 4]}" for i in range(12)) + "\n"
    )
    roctree("fit", "three.csv", "--target", "kind", "--min-samples-leaf", 1, "-o", "three.json")
    shown = roctree("evaluate", "three.json", "three.csv").out
    assert "Mean AUC over all pairs of classes 1.0000." in shown
    (patients / "a.csv").write_text("x,kind\n0,a\n1,a\n2,a\n")
    shown = roctree("evaluate", "three.json", "a.csv").out
    assert shown.endswith(
        "Recommendation: none, because every case is a; cases of several classes are needed.\n"
    )


def test_the_target_is_found_by_its_classes(grown, roctree):
    text = (grown / "test.csv").read_text().replace("outcome", "what_came_out")
    (grown / "renamed.csv").write_text(text)
    by_name = roctree("evaluate", "tree.json", "test.csv", "--target", "outcome").out
    assert roctree("evaluate", "tree.json", "renamed.csv").out == by_name


def test_labellings_are_those_of_the_tree(grown, roctree):
    facts = json.loads(roctree("labellings", "tree.json", "--json").out)
    found = library.load("tree.json").labellings()
    assert [row["tpr"] for row in facts["labellings"]] == [row.tpr for row in found]
    table, note = roctree("labellings", "tree.json").out.rstrip("\n").split("\n\n")
    leaves = {len(row.positive_leaves) for row in found}
    assert len(table.splitlines()) == 2 + len(leaves)
    assert note == (
        f"{len(found) - len(leaves)} others differ only in cases that are divided among leaves."
    )


def test_prune_writes_the_smaller_tree(grown, roctree):
    roctree(
        "prune",
        "tree.json",
        "--method",
        "minimum_error:m=20",
        "--costs",
        "ill=5,well=1",
        "-o",
        "small.json",
    )
    tree = library.load("tree.json")
    wanted = tree.pruned("minimum_error", m=20, costs={"ill": 5, "well": 1})
    wanted.save("python.json")
    assert (grown / "small.json").read_bytes() == (grown / "python.json").read_bytes()


def test_prune_sweeps_costs(grown, roctree):
    done = roctree("prune", "tree.json", "--sweep", "0.5,1,2", "--validation", "test.csv")
    assert done.code == 0, done.err
    tree = library.load("tree.json")
    data = read_file("test.csv", types=column_types(tree.schema_))
    cases = data.select(list(tree.schema_.names)), data["outcome"].to_numpy()
    assert str(tree.cost_pruning_curve([0.5, 1, 2], *cases)) in done.out
    done = roctree("prune", "tree.json", "--sweep", "1:2,1,2:1", "--validation", "test.csv")
    assert str(tree.cost_pruning_curve([(1, 2), 1, (2, 1)], *cases)) in done.out
    done = roctree("prune", "tree.json", "--sweep", "all", "--json")
    assert json.loads(done.out)["breakpoints"] == list(tree.cost_pruning_curve("all").breakpoints)
    line = ("prune", "tree.json", "--sweep", "all", "--max-fpr", "0.3", "-o", "small.json")
    assert roctree(*line).code == 0
    point = tree.cost_pruning_curve("all").for_fpr(0.3)
    assert library.load("small.json").tree_ == tree.pruned(point.pruner).tree_


def test_prune_says_what_a_sweep_needs(grown, roctree):
    assert (
        "give --output and one of" in roctree("prune", "tree.json", "--sweep", "all", "-o", "x").err
    )
    assert "are for --sweep" in roctree("prune", "tree.json", "--max-fpr", "0.1", "-o", "x").err
    assert "--output FILE" in roctree("prune", "tree.json").err


def test_prune_names_the_methods_that_take_costs(grown, roctree):
    costs = ("--costs", "ill=1,well=5", "-o", "small.json")
    done = roctree("prune", "tree.json", "--method", "cost_complexity", *costs)
    assert done.code == 2
    assert done.err == (
        "Error: --method cost_complexity does not take --costs; the methods that do are "
        "pessimistic, error_based, minimum_error.\n"
    )
    for name in ("pessimistic", "error_based", "minimum_error"):
        assert roctree("prune", "tree.json", "--method", name, *costs).code == 0


def test_prune_decides_by_other_cases(grown, roctree):
    done = roctree(
        "prune",
        "tree.json",
        "--method",
        "reduced_error",
        "--validation",
        "test.csv",
        "-o",
        "small.json",
    )
    assert done.code == 0, done.err
    assert library.load("small.json").get_n_leaves() <= library.load("tree.json").get_n_leaves()


def test_at_keeps_the_operating_point_in_the_file(grown, roctree):
    roctree("at", "tree.json", "--cost-fn", 5, "--positive", "ill", "-o", "careful.json")
    shown = roctree("describe", "careful.json").out
    assert "positive class ill: lowest cost" in shown
    predicted = roctree("predict", "careful.json", "new.csv").out
    options = ("--cost-fn", 5, "--positive", "ill")
    assert predicted == roctree("predict", "tree.json", "new.csv", *options).out


def test_costs_and_priors_may_name_the_classes(grown, roctree):
    plain = roctree("predict", "tree.json", "new.csv", "--cost-fn", 5, "--positive", "ill").out
    matrix = '{"ill": {"well": 1}, "well": {"ill": 5}}'
    assert roctree("predict", "tree.json", "new.csv", "--cost-matrix", matrix).out == plain
    shares = roctree("at", "tree.json", "--prior", "ill=0.2,well=0.8", "-o", "x.json", "--json").out
    share = roctree(
        "at", "tree.json", "--prior", 0.2, "--positive", "ill", "-o", "x.json", "--json"
    )
    assert json.loads(share.out)["fpr"] == pytest.approx(1.0 - json.loads(shares)["tpr"])


def test_describe_shows_tree_columns_and_operating_point(grown, roctree):
    shown = roctree("describe", "tree.json").out
    for word in ("8 leaves", "classes ill, well", "never", "numbers", "importance", "cases)"):
        assert word in shown
    facts = json.loads(roctree("describe", "tree.json", "--json").out)
    assert facts["parameters"] == {"max_leaf_nodes": 8}
    assert facts["columns"]["sex"] == ["female", "male"]
    assert facts["training"]["date"] == "1970-01-01T00:00:00Z"
    assert (facts["training"]["rows"], facts["training"]["target"]) == (400, "outcome")


@pytest.mark.parametrize("form", ["text", "rules", "sql", "dot"])
def test_export_writes_what_the_tree_says(form, grown, roctree):
    tree = library.load("tree.json")
    done = roctree("export", "tree.json", "--to", form, "-o", "file")
    assert done.code == 0, done.err
    options = {"head": True} if form == "text" else {}
    assert (grown / "file").read_text() == getattr(tree, f"to_{form}")(**options) + "\n"
    assert roctree("export", "tree.json", "--to", form).out == (grown / "file").read_text()


def test_an_export_in_json_is_what_would_be_written(grown, roctree):
    said = json.loads(roctree("export", "tree.json", "--to", "rules", "--json").out)
    assert said == {"form": "rules", "text": library.load("tree.json").to_rules()}
    pytest.importorskip("onnx")
    said = json.loads(roctree("export", "tree.json", "--to", "onnx", "--json").out)
    roctree("export", "tree.json", "--to", "onnx", "-o", "tree.onnx")
    assert b64decode(said["base64"]) == (grown / "tree.onnx").read_bytes()


def test_compare_shows_means_deviations_and_wins(patients, roctree):
    options = ("--target", "outcome", "--folds", 3, "--repeats", 2, "--max-leaves", 6)
    shown = roctree("compare", "data.csv", *options, "--criterion", "auc,msee").out
    assert "over 6 train/test splits" in shown
    assert "wins/ties/losses" in shown
    facts = json.loads(
        roctree("compare", "data.csv", *options, "--smoothing", "none,laplace", "--json").out
    )
    assert list(facts["configurations"]) == ["none", "laplace"]
    wins = [row["auc_against_others"]["win"] for row in facts["configurations"].values()]
    losses = [row["auc_against_others"]["loss"] for row in facts["configurations"].values()]
    assert wins == losses[::-1]


def test_compare_runs_in_as_many_processes_as_asked(patients, roctree, monkeypatch):
    seen = []

    def run(plan, path, **options):
        seen.append(options)
        raise library.DataError("That is all.")

    monkeypatch.setattr(library.experiment, "run", run)
    options = ("--target", "outcome", "--changed", "again", "--n-jobs")
    assert roctree("compare", "data.csv", *options, 3).code == 2
    assert seen == [{"n_jobs": 3, "changed": "again", "progress": False}]


def test_comparisons_without_options_grow_the_tree_of_fit_and_say_so(patients, roctree):
    options = ["data.csv", "--target", "outcome", "--folds", 2]
    grown = "Grown with --preset readable --max-leaves 16 --min-samples-leaf 5"
    assert grown in roctree("compare", *options).out
    assert grown not in roctree("compare", *options, "--criterion", "auc").out


def test_compare_goes_on_from_its_store_and_names_changed_data(patients, roctree):
    options = ("--target", "outcome", "--folds", 3, "--max-leaves", 4, "--store", "kept.sqlite")
    roctree("compare", "data.csv", *options)
    shown = roctree("compare", "data.csv", *options, "--repeats", 2).out
    assert "over 6 train/test splits" in shown
    lines = (patients / "data.csv").read_text().splitlines(keepends=True)
    (patients / "data.csv").write_text("".join(lines[:-20]))
    refused = roctree("compare", "data.csv", *options)
    assert refused.code == 2
    assert "before a change: data of data.csv" in refused.err
    assert roctree("compare", "data.csv", *options, "--changed", "again").code == 0


def outcomes_of_which_some_failed(names):
    """Three divisions of a problem; a configuration that is called bad fails."""
    measures = dict.fromkeys(SHOWN_METRICS, 0.5)
    return [
        Outcome("p", name, 0, fold, {}, 0.0, "ValueError: no")
        if name == "bad"
        else Outcome("p", name, 0, fold, measures | {"auc": 0.5 + 0.1 * fold}, 1.0)
        for name in names
        for fold in range(3)
    ]


def test_compare_shows_what_failed_beside_the_rest():
    names = ("bad", "good")
    report = comparison_report(Results(outcomes_of_which_some_failed(names), ("p",), names, 0.5))
    table, failed, _ = report.shown
    assert table.rows[0] == ("bad", "–", "–", "–", "–", "0/0/0")
    assert table.rows[1][1] == "0.6 ± 0.1"
    assert failed == "bad failed in 3 of 3 splits: ValueError: no"
    assert report.facts["configurations"]["bad"]["error"] == "ValueError: no"
    assert report.facts["configurations"]["good"]["error"] is None
    with pytest.raises(DataError, match="'bad' failed: ValueError: no"):
        comparison_report(Results(outcomes_of_which_some_failed(["bad"]), ("p",), ("bad",), 0.5))


def test_evaluate_names_the_rarer_class_and_takes_one_of_several(roctree, tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(200, 2)), columns=["a", "b"])
    level = table["a"] + 0.5 * random.normal(size=200)
    table["two"] = np.where(level > 0.9, "churned", "stays")
    table["many"] = np.array(["mild", "none", "severe"])[np.digitize(level, [-0.4, 0.8])]
    for target in ("two", "many"):
        table[["a", "b", target]].to_csv(tmp_path / f"{target}.csv", index=False)
        fitted = library.ROCTreeClassifier(max_depth=3).fit(table[["a", "b"]], table[target])
        fitted.save(tmp_path / f"{target}.json")

    def run(*arguments):
        done = roctree(*arguments, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    two, many = tmp_path / "two.json", tmp_path / "many.json"
    assert run("evaluate", two, tmp_path / "two.csv")["positive"] == "churned"
    assert run("labellings", two)["positive"] == "churned"
    found = run("evaluate", many, tmp_path / "many.csv", "--positive", "severe")
    assert found["positive"] == "severe"
    assert found["costs"][0]["tpr"] <= found["costs"][-1]["tpr"]
    assert len(found["labellings"]) > 2
    assert run("labellings", many, "--positive", "severe")["positive"] == "severe"
    done = roctree("evaluate", two, tmp_path / "two.csv", "--positive", "Churned")
    assert "did you mean 'churned'?" in done.err


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("system", ["tree", "nbtree", "multiscale"])
def test_evaluate_estimates_the_shares_of_unlabelled_cases_and_warns_of_a_shift(
    roctree, tmp_path, system, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)

    def cases(share, name, *, labelled=True):
        ill = random.random(1500) < share
        table = pd.DataFrame(random.normal(size=(1500, 2)).round(1), columns=["a", "b"])
        table["a"] += 1.5 * ill
        if labelled:
            table["outcome"] = np.where(ill, "ill", "well")
        table.to_csv(name, index=False)

    cases(0.4, "train.csv")
    cases(0.4, "test.csv")
    cases(0.4, "same.csv", labelled=False)
    cases(0.1, "new.csv", labelled=False)
    roctree("fit", "train.csv", "--target", "outcome", "--system", system, "-o", "model.json")
    same = roctree("evaluate", "model.json", "test.csv", "--unlabelled", "same.csv")
    assert same.code == 0, same.err
    assert "no sign of a shift" in same.out
    assert "are distributed differently over the leaves" not in same.err
    new = roctree("evaluate", "model.json", "test.csv", "--unlabelled", "new.csv", "--json")
    assert "new.csv: The new cases are distributed differently over the leaves" in " ".join(
        new.err.split()
    )
    facts = json.loads(new.out)["unlabelled"]
    assert facts["rows"] == 1500
    assert facts["has_shifted"]
    assert facts["is_explained"]
    low, high = facts["intervals"]["ill"]
    assert low <= 0.12
    assert 0.08 <= high < 0.3


def test_undecided_cases_are_an_option(grown, roctree):
    options = ("--cost-fp", 1, "--cost-fn", 2, "--cost-reject", 0.3, "--positive", "ill")
    shown = roctree("evaluate", "tree.json", "test.csv", *options).out
    assert "% undecided." in shown
    assert "\nundecided" in shown
    done = roctree("predict", "tree.json", "new.csv", "-o", "scored.csv", *options)
    assert done.code == 0
    tree = library.load("tree.json").at(cost_fp=1, cost_fn=2, cost_reject=0.3, positive="ill")
    assert csv.read_csv("scored.csv")["label"].to_pylist() == tree.predict(new_rows(tree)).tolist()
    table = roctree("labellings", "tree.json", "--positive", "ill", "--cost-reject", 0.3).out
    assert "undecided" in table
    assert "rejected" in table


@pytest.mark.parametrize(
    ("options", "price"),
    [
        (("--cost-fp", 1, "--cost-fn", 2, "--cost-reject", 0.3), [[0, 1], [2, 0], [0.3, 0.3]]),
        (("--cost-fp", 1, "--cost-fn", 2), [[0, 1], [2, 0]]),
        (("--prior", 0.1), [[0, 1], [1, 0]]),
    ],
)
def test_labels_chosen_by_costs_are_evaluated_by_these_costs(grown, roctree, options, price):
    done = roctree("evaluate", "tree.json", "test.csv", *options, "--positive", "ill", "--json")
    facts = json.loads(done.out)
    confusion = np.array(facts["confusion"], float)
    shares = confusion.sum(axis=0) / confusion.sum()
    target = np.array([0.1, 0.9]) if "--prior" in options else shares
    # Costs by predicted and true class, ill and well, at the class shares of the population.
    costs = np.array(price) * (target / shares)
    assert facts["cost_per_case"] == pytest.approx((confusion * costs).sum() / confusion.sum())
    of_one = (np.array(price) * target).sum(axis=1).min()
    assert facts["cost_of_one_label"] == pytest.approx(of_one)
    shown = roctree("evaluate", "tree.json", "test.csv", *options, "--positive", "ill").out
    assert f"Cost per case {facts['cost_per_case']:.4g}, at the costs for which" in shown
    assert f"; {of_one:.4g} with one label for all cases." in shown


def test_labels_without_costs_are_not_evaluated_by_costs(grown, roctree):
    shown = roctree("evaluate", "tree.json", "test.csv", "--json").out
    assert "cost_per_case" not in json.loads(shown)
    by_rate = roctree("evaluate", "tree.json", "test.csv", "--max-fpr", 0.1, "--json").out
    assert "cost_per_case" not in json.loads(by_rate)


def test_columns_that_only_points_use_are_read(patients, roctree):
    done = roctree(
        "fit", "data.csv", "--target", "outcome", "--preset", "scorecard", "-o", "q.json"
    )
    assert done.code == 0, done.err
    card = library.load(patients / "q.json")
    tested = set(card.tree_.feature[card.tree_.feature >= 0].tolist())
    assert not tested >= {each.feature for each in card.points_.scorecard.attributes}
    table = read_file("test.csv", types=column_types(card.schema_))
    rows = table.select(list(card.schema_.names))
    done = roctree(
        "predict", "q.json", "test.csv", "--columns", "probability,rule", "-o", "scored.csv"
    )
    assert done.code == 0, done.err
    said, shares = csv.read_csv("scored.csv").to_pydict(), card.predict_proba(rows)
    for position, label in enumerate(card.classes_):
        np.testing.assert_allclose(said[f"probability_{label}"], shares[:, position], rtol=1e-12)
    assert all(rule.startswith("if ") for rule in said["rule"])
    measured = json.loads(roctree("evaluate", "q.json", "test.csv", "--json").out)
    assert measured["auc"] == pytest.approx(card.roc(rows, table.column("outcome")).auc)
