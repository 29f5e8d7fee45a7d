import errno
import json
import re
import shutil
import sys
from io import BytesIO, TextIOWrapper

import numpy as np
import pytest

from roctree import cli
from roctree.cli import output
from roctree.cli.evaluate import _confusion_styles
from roctree.cli.output import Report, ReportTable

WRONG = {
    "there is no file 'nothing.csv'": ("fit", "nothing.csv", "--target", "outcome"),
    "there is no command 'grow'": ("grow", "data.csv"),
    "Missing option '--target'": ("fit", "data.csv"),
    "there is no column 'outcom' (did you mean 'outcome'?)": (
        "fit",
        "data.csv",
        "--target",
        "outcom",
    ),
    "--criterion aux is not known (did you mean 'auc'?)": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--criterion",
        "aux",
    ),
    "minimum_error:n=3 has an unknown option": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--pruning",
        "minimum_error:n=3",
    ),
    "--max-depth deep is not allowed: give an integer of at least 0, or none": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--max-depth",
        "deep",
    ),
    "--positive sick is not a class; the classes are ill, well": (
        "predict",
        "tree.json",
        "new.csv",
        "--positive",
        "sick",
        "--cost-fn",
        "5",
    ),
    "no column 'outcome'": ("predict", "tree.json", "new.csv", "--keep", "outcome"),
    "--cost-fn much is not a number": ("predict", "tree.json", "new.csv", "--cost-fn", "much"),
    "--cost-matrix is not valid JSON": ("predict", "tree.json", "new.csv", "--cost-matrix", "[["),
    "choose from label, probability": ("predict", "tree.json", "new.csv", "--columns", "odds"),
    "use a name that ends in": ("predict", "tree.json", "new.csv", "-o", "scored.xls"),
    "--keep contains 'leaf', which is the name of a result": (
        "predict",
        "tree.json",
        "leaf.csv",
        "--columns",
        "leaf",
        "--keep",
        "leaf",
    ),
    "--plot x.xyz has an unknown format: use a name that ends in svg, png, pdf": (
        "frontier",
        "data.csv",
        "--target",
        "outcome",
        "--plot",
        "x.xyz",
    ),
    "add the labels, or name their column by --target": ("evaluate", "tree.json", "new.csv"),
    "--dialect is only for --to sql: leave it out": (
        "export",
        "tree.json",
        "--to",
        "dot",
        "--dialect",
        "duckdb",
    ),
    "--to pmml is not known": ("export", "tree.json", "--to", "pmml"),
    "Give an operating point": ("at", "tree.json", "-o", "x.json"),
    "listed both as nominal and as numeric": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--nominal",
        "age",
        "--numeric",
        "age",
    ),
    "is a folder": ("fit", ".", "--target", "outcome"),
    "the weight 'pressure' of row": (
        "evaluate",
        "tree.json",
        "test.csv",
        "--weight",
        "pressure",
    ),
    "column 'sex' does not contain only numbers: '": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--weight",
        "sex",
    ),
    "there are 3 classes: give --positive, the class to separate from the rest": (
        "at",
        "three.json",
        "--cost-fn",
        5,
    ),
    "reduced_error needs cases that did not grow the tree: give --validation": (
        "prune",
        "tree.json",
        "--method",
        "reduced_error",
        "-o",
        "x.json",
    ),
    "minimum_error:m=-1 is not allowed": (
        "prune",
        "tree.json",
        "--method",
        "minimum_error:m=-1",
        "-o",
        "x.json",
    ),
    "--nominal-splits both is not allowed": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--nominal-splits",
        "both",
    ),
    "--encoding klingon is not known": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "--encoding",
        "klingon",
    ),
    "--cost-matrix lacks what it costs to predict 'well'": (
        "at",
        "tree.json",
        "--cost-matrix",
        '{"ill": {"well": 1}}',
    ),
    "--cost-matrix lacks what it costs to predict 'well' for 'ill'": (
        "at",
        "tree.json",
        "--cost-matrix",
        '{"ill": {"well": 1}, "well": {}}',
    ),
    "there is no column 'patients' (did you mean 'patient'?)": (
        "predict",
        "tree.json",
        "new.csv",
        "--keep",
        "age,patients",
    ),
    "-o - is not possible here: give the name of a file": (
        "fit",
        "data.csv",
        "--target",
        "outcome",
        "-o",
        "-",
    ),
    "--weight needs data: give the file that has this column": (
        "labellings",
        "tree.json",
        "--weight",
        "age",
    ),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2_and_leaves_nothing(
    sentence, grown, three_file, roctree
):
    shutil.copy(three_file, grown / "three.json")
    (grown / "leaf.csv").write_text((grown / "new.csv").read_text().replace("patient", "leaf", 1))
    before = sorted(path.name for path in grown.iterdir())
    done = roctree(*WRONG[sentence])
    assert (done.code, done.out) == (2, "")
    assert sentence.lower() in done.err.lower()
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in grown.iterdir()) == before


def test_a_file_that_is_no_model_is_refused(patients, roctree):
    done = roctree("describe", "data.csv")
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


def test_debug_shows_where_an_error_comes_from(patients, roctree):
    done = roctree("fit", "nothing.csv", "--target", "outcome", "--debug")
    assert done.code == 2
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("Error: ")


def test_a_row_that_cannot_be_read_after_some_were_written_leaves_no_file(
    grown, roctree, monkeypatch
):
    monkeypatch.setattr("roctree.data.csv_file.BLOCK_SIZE", 1000)
    text = (grown / "test.csv").read_text()
    (grown / "odd.csv").write_text(text + "old,male,never,120,5.0,1,ill\n")
    (grown / "scored.csv").write_text("what was there")
    done = roctree("predict", "tree.json", "odd.csv", "-o", "scored.csv")
    assert done.code == 2
    assert (
        "odd.csv, line 202: column 'age' does not contain only numbers: 'old' is not allowed: "
        "correct it, or list it in --missing-value" in done.err
    )
    assert (grown / "scored.csv").read_text() == "what was there"
    assert not list(grown.glob(".scored*"))


def test_control_c_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), output.open_output(str(path)) as file:  # noqa: PT012
        file.write(b"new")
        raise KeyboardInterrupt
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("file.csv", "old")]


@pytest.mark.filterwarnings("default")
def test_warnings_are_sentences_too(grown, roctree):
    text = (grown / "new.csv").read_text().replace("former", "unknown")
    (grown / "odd.csv").write_text(text)
    done = roctree("predict", "tree.json", "odd.csv", "-o", "scored.csv")
    assert done.code == 0
    assert done.err.startswith("Warning: Categories not seen in training are treated as missing:")
    assert done.err.count("\n") == 1


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_what_many_blocks_have_unseen_is_told_once_with_all_rows(
    command, grown, roctree, monkeypatch
):
    monkeypatch.setattr("roctree.data.csv_file.BLOCK_SIZE", 1000)
    text = (grown / "test.csv").read_text()
    (grown / "odd.csv").write_text(text.replace("former", "unknown"))
    done = roctree(command, "tree.json", "odd.csv")
    assert done.code == 0
    n_rows = text.count("former")
    assert f"treated as missing: 'smoker' in {n_rows} rows (such as 'unknown').\n" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.filterwarnings("default")
def test_a_rate_that_no_leaf_keeps_is_pointed_out(grown, roctree):
    line = ("fit", "data.csv", "--target", "outcome", "--max-leaves", 2, "-o", "two.json")
    assert roctree(*line).code == 0
    done = roctree("at", "two.json", "--max-fpr", "0.001", "-o", "x.json")
    assert done.code == 0
    assert done.err.startswith("Warning: --max-fpr 0.001 leaves no case positive")
    assert "at random with --randomise" in done.err


def test_a_reader_that_has_seen_enough_is_no_error(grown, roctree, monkeypatch):
    def gone(*_):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("roctree.cli.output.Report.print", gone)
    assert roctree("labellings", "tree.json")[::2] == (1, "")


def test_tables_in_a_pipe_are_plain():
    table = ReportTable(("name", "count"), [("a", "1"), ("long name", "10")], "Title")
    assert table.as_text() == "Title\nname       count\na              1\nlong name     10\n"


def test_confusion_matrices_on_a_terminal_are_coloured(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    styles = _confusion_styles(np.array([[72, 22], [0, 67], [3, 0]]))
    assert styles == {(0, 1): "bold green", (0, 2): "red", (1, 2): "bold green", (2, 1): "yellow"}
    rows = [("ill", "72", "22"), ("well", "0", "67"), ("undecided", "3", "0")]
    table = ReportTable(("predicted", "true ill", "true well"), rows, styles=styles)
    Report({}, [table]).print(as_json=False)
    said = capsys.readouterr().out
    assert re.search("\x1b\\[31m *22", said)
    assert re.search("\x1b\\[1;32m *72", said)


def test_tables_on_a_terminal_are_drawn(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    Report({}, ["A [sentence].", ReportTable(("a", "b"), [("[x]", "1")])]).print(as_json=False)
    shown = capsys.readouterr().out
    assert "A [sentence]." in shown
    assert "[x]" in shown


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_letters_that_a_terminal_lacks_are_escaped(options, patients, roctree, monkeypatch):
    rows = "".join(f"{i},{'wéll' if i % 2 else 'ill'}\n" for i in range(20))
    (patients / "odd.csv").write_text("x,y\n" + rows, encoding="utf-8")
    assert roctree("fit", "odd.csv", "--target", "y", "-o", "odd.json").code == 0
    terminal = TextIOWrapper(BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "argv", ["roctree", "labellings", "odd.json", *options])
    monkeypatch.setattr(sys, "stdout", terminal)
    with pytest.raises(SystemExit):
        cli.main()
    terminal.flush()
    said = terminal.buffer.getvalue()
    if options:
        assert json.loads(said)["positive"] == "wéll"
    else:
        assert said.startswith(b"Labellings, positive class w\\xe9ll\n")


def test_the_shell_is_told_how_to_complete(monkeypatch, roctree):
    monkeypatch.setenv("_ROCTREE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "roctree fit --criterion ga")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert roctree().out.split() == ["gain_ratio"]


OVERWRITING = [
    ("fit", "data.csv", "--target", "outcome", "-o", "data.csv"),
    ("predict", "tree.json", "new.csv", "-o", "./new.csv"),
    ("explore", "tree.json", "test.csv", "-o", "test.csv"),
    ("prune", "tree.json", "--validation", "test.csv", "-o", "test.csv"),
    ("export", "tree.json", "--to", "sql", "-o", "tree.json"),
]


@pytest.mark.parametrize("line", OVERWRITING, ids=lambda line: line[0])
def test_what_is_read_is_never_overwritten(line, grown, roctree):
    before = {path: path.read_bytes() for path in grown.iterdir() if path.is_file()}
    done = roctree(*line)
    assert (done.code, "is an input of this command" in done.err) == (2, True)
    assert {path: path.read_bytes() for path in before} == before


def test_a_tree_may_be_relabelled_in_its_own_file(grown, roctree):
    done = roctree("at", "tree.json", "--cost-fp", 1, "--cost-fn", 5, "-o", "tree.json")
    assert (done.code, done.out.startswith("positive class well: ")) == (0, True)
    scored = roctree("predict", "tree.json", "new.csv", "--positive", "ill", "--max-fpr", 0.3,
                     "-o", "scored.csv")  # fmt: skip
    assert "positive class ill" in scored.out


def test_a_folder_that_is_not_there_is_named(grown, roctree):
    done = roctree("fit", "data.csv", "--target", "outcome", "-o", "nowhere/tree.json")
    assert (done.code, "there is no folder 'nowhere'" in done.err) == (2, True)


def test_labels_by_the_costs_of_pruning_are_said_to_be_so(grown, roctree):
    costs = ("--method", "minimum_error", "--costs", "ill=1,well=5")
    assert roctree("prune", "tree.json", *costs, "-o", "small.json").code == 0
    assert "labels: by the costs of pruning." in roctree("describe", "small.json").out


def test_labels_by_the_majority_are_said_to_be_so(grown, roctree):
    fit = ("fit", "data.csv", "--target", "outcome", "--preset", "j48", "-o", "j48.json")
    assert roctree(*fit).code == 0
    said = roctree("describe", "j48.json").out
    assert "labels: the majority of the training cases." in said
