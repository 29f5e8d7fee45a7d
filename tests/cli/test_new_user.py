"""What someone meets who comes with a table of their own."""

import json
import re
import shlex
import signal
import subprocess
import sys

import pytest

import roctree as library
from roctree import cli
from roctree.cli.options import OptionWording

HEAD = "height in cm,weight,colour,kind"


def things(n_rows=40):
    """Rows whose kind is told by their height alone."""
    return [
        f"{place},{place % 7},{('red', 'blue')[place % 2]},{'big' if place >= 25 else 'small'}"
        for place in sorted(range(n_rows), key=lambda place: 7 * place % n_rows)
    ]


@pytest.fixture
def table(patients):
    """The working folder, with things.csv."""
    (patients / "things.csv").write_text("\n".join([HEAD, *things(), ""]))
    return patients


@pytest.fixture
def grown_things(table, roctree):
    """The working folder, with a tree that looks at the height only."""
    done = roctree("fit", "things.csv", "--target", "kind", "--max-leaves", 2, "-o", "things.json")
    assert done.code == 0, done.err
    return table


def columns_of(folder, name, places):
    lines = (folder / "things.csv").read_text().splitlines()
    cut = [",".join(line.split(",")[place] for place in places) for line in lines]
    (folder / name).write_text("\n".join([*cut, ""]))


OPTIONS = ["max_depth", "nominal", "nominal_splits", "max_fpr", "randomise", "validation", "weight"]
WORDED = {
    "--max-depth deep is not allowed: give a number, or none.": {
        "parameter": "max_depth",
        "value": "deep",
        "reason": "is not allowed: give a number, or {nothing!r}",
        "nothing": None,
    },
    "--nominal-splits x is not allowed.": {
        "parameter": "nominal",
        "value": "x",
        "reason": "is not allowed",
    },
    "there is no column 'my {max_fpr}'.": {
        "reason": "there is no column {name!r}",
        "name": "my {max_fpr}",
    },
    "Use roctree at --cost-matrix, without --randomise.": {
        "reason": "Use {at(cost_matrix=...)}, without {randomise=True}",
    },
    "Use --max-fpr 0.5, or roctree at.": {"reason": "Use {at(max_fpr=0.5)}, or {at(...)}"},
    "minimum_error:m=-1 is not allowed; give --validation.": {
        "owner": library.pruning.MinimumError(),
        "parameter": "m",
        "value": -1,
        "reason": "is not allowed; give {X_val and y_val}",
    },
    "roctree at --prior ill=0.5,well=0.7 must add up to 1.": {
        "parameter": "prior",
        "value": {"ill": 0.5, "well": 0.7},
        "reason": "must add up to 1",
    },
    "minimum_error:m=2 is a pruner, other=3 is not.": {
        "reason": "{pruner!r} is a pruner, {other=3} is not",
        "pruner": library.pruning.MinimumError(m=2),
    },
}


@pytest.mark.parametrize("message", WORDED)
def test_errors_are_worded_with_options(message):
    error = library.ParameterError(**WORDED[message])
    assert error.worded(OptionWording(OPTIONS)) == message


@pytest.mark.filterwarnings("default")
def test_columns_at_which_no_split_looks_may_be_absent(grown_things, roctree):
    columns_of(grown_things, "few.csv", [0, 3])
    for command in (("predict", "--columns", "label,leaf,change"), ("evaluate",)):
        name, *options = command
        whole = roctree(name, "things.json", "things.csv", *options)
        found = roctree(name, "things.json", "few.csv", *options)
        assert found.out == whole.out
        assert found.err == (
            "Warning: few.csv has no column 'weight', 'colour', which the tree does not use.\n"
        )


def test_columns_at_which_a_split_looks_must_be_there(grown_things, roctree):
    columns_of(grown_things, "lacking.csv", [1, 2])
    done = roctree("predict", "things.json", "lacking.csv")
    assert done.code == 2
    assert (
        "lacking.csv has no column 'height in cm': add it, or rename a column; it has 'weight', "
        "'colour'." in done.err
    )


def test_columns_to_keep_are_listed_with_commas(grown_things, roctree):
    shown = roctree("predict", "things.json", "things.csv", "--keep", "kind,weight").out
    assert shown.splitlines()[0].startswith("kind,weight,label,")


@pytest.mark.filterwarnings("default")
def test_a_target_of_one_class_is_pointed_out(table, roctree):
    text = (table / "things.csv").read_text().replace("small", "big")
    (table / "one.csv").write_text(text)
    done = roctree("fit", "one.csv", "--target", "kind")
    assert done.code == 0
    assert done.err.startswith("Warning: The target is 'big' in all rows, and so is every")
    assert "1 leaf, depth 0, from 40 rows of 1 class." in done.out


def test_marks_before_decimals_are_advised_without_a_circle(table, roctree):
    rows = [f"0,{place};0.{place};{'pq'[place % 2]}" for place in range(10, 40)]
    (table / "marks.csv").write_text("\n".join(["a;b;kind", *rows, ""]))
    fit = ("fit", "marks.csv", "--target", "kind")
    assert "set --decimal ','" in roctree(*fit).err
    assert "--decimal ','" in roctree(*fit, "--numeric", "a").err
    assert "numbers with a decimal point, not ','" in roctree(*fit, "--decimal", ",").err
    last = roctree(*fit, "--decimal", ",", "--numeric", "b").err
    assert "'0.10' is not allowed; the decimal mark is set to ','" in last


@pytest.mark.filterwarnings("default")
def test_spellings_of_missing_values_are_listed_with_commas(table, roctree):
    cells = [["k.A.", "unknown"], ["~", "blue"], ['"x,y"', "red"]] * 4
    rows = [f"{place},{a},{b},{'pq'[place % 2]}" for place, (a, b) in enumerate(cells)]
    (table / "odd.csv").write_text("\n".join(["n,a,b,kind", *rows, ""]))
    fit = ("fit", "odd.csv", "--target", "kind", "--json")

    def missing(*spellings):
        given = (word for text in spellings for word in ("--missing-value", text))
        done = roctree(*fit, *given)
        assert done.code == 0, done.err
        columns = json.loads(done.out)["columns"]
        return [each["n_missing"] for each in columns[1:3]], done.err

    assert missing("k.A.,unknown") == ([4, 4], "")
    assert missing("k.A.", " unknown, ~") == ([8, 4], "")
    assert missing('k.A.,"x,y"') == ([8, 0], "")
    assert missing("x,y,NA") == (
        [0, 0],
        "Warning: --missing-value lists 'x', 'y', which no cell of odd.csv is.\n",
    )


def test_bytes_are_not_poured_into_a_terminal(grown_things, roctree, monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.setattr("roctree.cli.models.sys.stdout.isatty", lambda: True, raising=False)
    done = roctree("export", "things.json", "--to", "onnx")
    assert (done.code, done.out) == (2, "")
    assert "use -o FILE" in done.err


def test_an_operating_point_is_looked_at_before_it_is_kept(grown_things, roctree):
    before = sorted(grown_things.iterdir())
    done = roctree("at", "things.json", "--max-fpr", 0.1, "--positive", "big")
    assert done.out.startswith(
        "positive class big: highest true positive rate with a false positive rate of at most 0.1: "
        "FPR 0.0000"
    )
    assert "Not saved: use -o FILE" in done.out
    assert sorted(grown_things.iterdir()) == before


def test_descriptions_for_machines_are_values_of_json(grown_things, roctree):
    roctree("prune", "things.json", "--method", "minimum_error:m=3", "-o", "small.json")
    roctree("at", "small.json", "--cost-fn", 5, "--positive", "small", "-o", "small.json")
    facts = json.loads(roctree("describe", "small.json", "--json").out)
    assert facts["parameters"] == {"max_leaf_nodes": 2, "pruning": "minimum_error:m=3"}
    point = facts["operating_point"]
    assert (point["labeller"], point["asked"]) == ("LeastCost", {"cost_fn": 5})
    assert (point["positive"], point["fpr"], facts["soft_thresholds"]) == ("small", 0.0, False)


def test_soft_thresholds_are_described(table, roctree):
    fit = ("fit", "things.csv", "--target", "kind", "--ranking", "soft", "--max-leaves", 2)
    roctree(*fit, "-o", "soft.json")
    assert "thresholds are soft" in roctree("describe", "soft.json").out
    refused = roctree("predict", "soft.json", "things.csv", "--columns", "label,change")
    assert refused.err.startswith("Error: --columns contains 'change', but soft thresholds have no")
    assert "roctree fit --ranking leaf" in refused.err


def test_pruning_says_by_what(grown_things, roctree):
    done = roctree("prune", "things.json", "--method", "cost_complexity:alpha=1", "-o", "s.json")
    assert done.out == "Pruned by cost_complexity:alpha=1 from 2 leaves to 1; wrote s.json\n"
    refused = roctree("prune", "things.json", "--method", "card_per_class:cases=9", "-o", "s.json")
    assert "card_per_class:cases=9 has an unknown option; the options are K, rule." in refused.err


def test_a_page_opens_at_the_costs_of_pruning(grown_things, roctree):
    costs = ("--method", "minimum_error", "--costs", "big=2,small=7")
    assert roctree("prune", "things.json", *costs, "-o", "costly.json").code == 0
    assert roctree("explore", "costly.json", "--positive", "big", "-o", "tree.html").code == 0
    page = (grown_things / "tree.html").read_text(encoding="utf-8")
    assert '"cost_fp":2.0,"cost_fn":7.0' in page.replace(" ", "")


def test_labellings_that_are_never_best_are_counted_only(grown, roctree):
    facts = json.loads(roctree("labellings", "tree.json", "test.csv", "--json").out)["labellings"]
    never = [row for row in facts if row["prior_from"] is None]
    shown = roctree("labellings", "tree.json", "test.csv").out
    assert never
    assert f"{len(never)} of {len(facts)} are never optimal" in shown
    assert len(shown.splitlines()) == len(facts) - len(never) + 5


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_begins_with_what_is_typed(name, roctree):
    usage, *_ = roctree(name, "--help").out.splitlines()
    assert "..." not in usage.replace("]...", "").replace("}...", "")
    assert "[[" not in usage


IDLE = """
import os, signal, sys, threading, time
from roctree import cli

read, write = os.pipe()
os.dup2(read, 0)

def feed():
    os.write(write, b"x,kind\\n" + b"1,a\\n2,b\\n" * 20000)
    # So much is taken only when the first bytes have been looked at, and pyarrow waits for more.
    time.sleep(0.2)
    os.kill(os.getpid(), signal.{signal})

threading.Thread(target=feed).start()
sys.argv = ["roctree", "fit", "-", "--target", "kind"]
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes there cannot be waited for")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_the_waiting_for_a_pipe(name, code):
    done = subprocess.run(
        [sys.executable, "-c", IDLE.format(signal=name)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "Stopped.\n")


def test_a_scheduler_that_ends_a_command_ends_it_politely(monkeypatch, capsys):
    def end(**_):
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("it goes on")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(cli, "app", end)
    try:
        with pytest.raises(SystemExit) as left:
            cli.main()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (left.value.code, capsys.readouterr().err) == (143, "Stopped.\n")


def test_a_teacher_of_other_columns_is_refused_in_a_sentence():
    pandas = pytest.importorskip("pandas")
    from sklearn.naive_bayes import GaussianNB

    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "z": [0.0, 1.0, 0.0, 1.0]})
    teacher = GaussianNB().fit(frame, list("aabb"))
    with pytest.raises(library.ParameterError, match="fit it to the same columns") as error:
        library.distill(teacher, frame.rename(columns={"z": "other"}), list("aabb"))
    assert "\n" not in str(error.value)


def test_numbers_of_rows_count_from_one_as_in_a_file(table, roctree):
    lines = (table / "things.csv").read_text().splitlines()
    lines[3] = "inf" + lines[3][lines[3].index(",") :]
    (table / "odd.csv").write_text("\n".join([*lines, ""]))
    done = roctree("fit", "odd.csv", "--target", "kind")
    assert "column 'height in cm' holds inf in row 3: replace infinity" in done.err


def test_what_is_ready_to_paste_is_quoted_for_the_shell(table, roctree):
    rows = [f"{line},it {number}" for number, line in enumerate(things())]
    (table / "odd.csv").write_text("\n".join([f"{HEAD},it's a name", *rows, ""]))
    done = roctree("fit", "odd.csv", "--target", "kind")
    (option,) = re.findall(r"Leave them out with (--ignore .*), or list", done.err)
    assert shlex.split(option) == ["--ignore", "it's a name"]
    assert roctree("fit", "odd.csv", "--target", "kind", *shlex.split(option)).code == 0


@pytest.mark.filterwarnings("default")
def test_integers_beyond_what_numbers_hold_are_named_with_the_options_that_help(table, roctree):
    rows = [f"{line},{2**60 + number % 5}" for number, line in enumerate(things())]
    (table / "odd.csv").write_text("\n".join([f"{HEAD},id", *rows, ""]))
    done = roctree("fit", "odd.csv", "--target", "kind", "--cv", 0)
    assert done.err == (
        "Warning: Integers beyond 2**53 are rounded, and some become equal, in 'id': leave the "
        "column out, or list it in --nominal if its numbers are names.\n"
    )
    assert roctree("fit", "odd.csv", "--target", "kind", "--cv", 0, "--nominal", "id").err == ""


@pytest.mark.parametrize("listed", ["2,x", "2,0"])
def test_a_value_that_is_not_allowed_ends_a_comparison_before_it_begins(listed, table, roctree):
    done = roctree("compare", "things.csv", "--target", "kind", "--max-leaves", listed)
    assert done.code == 2
    assert done.err == (
        f"Error: --max-leaves {listed[-1]} is not allowed: give an integer of at least 1, or "
        "none.\n"
    )


def test_a_description_says_which_columns_are_dates(table, roctree):
    rows = [f"2024-01-{1 + number % 28:02},{line}" for number, line in enumerate(things())]
    (table / "dated.csv").write_text("\n".join([f"when,{HEAD}", *rows, ""]))
    assert roctree("fit", "dated.csv", "--target", "kind", "--cv", 0, "-o", "dated.json").code == 0
    assert re.search(r"^when +dates ", roctree("describe", "dated.json").out, re.MULTILINE)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by ulimit")
def test_a_command_that_has_too_little_memory_to_start_says_so(table):
    script = f"ulimit -v 700000; {sys.executable} -m roctree fit things.csv --target kind --cv 0"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "Error: there is not enough memory: this process is limited to 683 MB, but needs at least "
        "1024 MB; raise the limit (ulimit -v).\n"
    )


def test_approximate_counts_of_divided_cases_come_with_advice(patients, roctree):
    assert roctree("fit", "data.csv", "--target", "outcome", "-o", "fitted.json").code == 0
    assert "Approximate" not in roctree("labellings", "fitted.json").out
    assert "Predictions may" not in roctree("at", "fitted.json", "--cost-fn", 5).out
    # The probabilities of the training cases in the smaller tree are unknown.
    roctree("prune", "fitted.json", "--method", "pessimistic", "-o", "soft.json")
    listed = roctree("labellings", "soft.json").out
    assert "Approximate: cases divided among leaves count fractionally; give test data" in listed
    assert "Approximate" not in roctree("labellings", "soft.json", "test.csv").out
    shown = roctree("at", "soft.json", "--cost-fn", 5, "-o", "careful.json").out
    assert "Predictions may have other rates, because a divided case gets one label" in shown
