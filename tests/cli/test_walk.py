"""A new user's walk: the commands on a messy table, and the mistakes on the way.

Each entry is a command line and what it says. Read the sentences of the mistakes one by one: does
each name what is wrong, and what to do?
"""

import shlex
import sys
from pathlib import Path

import pytest

from roctree import cli
from roctree.criteria import CRITERIA
from tests.cli.walk_data import FILES

# Options that make the messy table readable, and those of a small quick fit.
READ = "--ignore customer --thousands ,"
FIT = f"fit messy.csv --target outcome {READ} --cv 0"

COMMANDS = {
    f"fit messy.csv --target outcome {READ} --cv 2 -o again.json": (
        "by 2-fold cross-validation, ",
        " on the training data.\nGrown with --preset readable --max-leaves 16 --min-samples-leaf 5",
        "joined    date     2023-01-01 to 2023-12-28        0\n",
        "Wrote again.json",
    ),
    "describe tree.json": (
        "grown from 120 rows, to predict 'outcome'; classes churned, stayed;",
        "visits <= 9.5",
    ),
    "evaluate tree.json messy.csv --thousands , --positive churned": (
        "classified correctly.",
        "AUC of churned 0.",
        "95 % confidence interval",
        "Costs of the labels that are optimal on the training data",
    ),
    "predict tree.json new.csv --thousands , -o scored.csv": ("Wrote 120 rows to scored.csv",),
    "labellings tree.json --positive churned": ("Labellings, positive class churned",),
    "at tree.json --cost-fn 5 --positive churned -o careful.json": (
        "positive class churned: lowest cost if a false positive costs 1 (not given) and a false "
        "negative 5: FPR 0.",
        "Wrote careful.json",
    ),
    "prune tree.json --method minimum_error:m=8 -o small.json": ("Pruned by minimum_error from ",),
    "export tree.json --to rules": ("if visits <= ", " then B stayed  (stayed 0."),
    "explore tree.json -o tree.html": ("/tree.html: open it in a browser.",),
    f"compare messy.csv --target outcome {READ} --max-leaves 2,4 --folds 2": (
        "max_leaves=2 ",
        "max_leaves=4 ",
    ),
    f"frontier messy.csv --target outcome {READ} --leaves 2 --ways best_first --folds 2": (
        "best_first        2     2.0",
    ),
}

COLUMNS = "the columns are 'customer', 'age', 'city', 'visits', 'joined', 'income', 'outcome'."
KNOWN_CRITERIA = f"{', '.join(CRITERIA)}."
MISTAKES = {
    # The command itself
    "fitt messy.csv": "there is no command 'fitt' (did you mean 'fit'?); the commands are demo,",
    "fit": "Missing argument 'DATA': file with the data in CSV, TSV, Parquet, Feather or ARFF,",
    "fit messy.csv": "Missing option '--target': column with the classes to predict.",
    f"{FIT} --max-leafs 8": "No such option: --max-leafs (Possible options: ",
    f"{FIT} --max-leaves many": "--max-leaves many is not allowed: give an integer of at least 1,",
    f"{FIT} --max-leaves 0": "--max-leaves 0 is not allowed: give an integer of at least 1,",
    f"{FIT} --min-samples-leaf -1": "--min-samples-leaf -1 is not allowed: give a number above 0",
    f"{FIT} --criterion ginny": (
        f"--criterion ginny is not known (did you mean 'gini'?); choose from {KNOWN_CRITERIA}"
    ),
    f"{FIT} --preset readible": "--preset readible is not known (did you mean 'readable'?);",
    f"{FIT} --pruning minimum_error:mm=2": (
        "minimum_error:mm=2 has an unknown option (did you mean 'm'?); the options are m, prior,"
    ),
    f"{FIT} --positive CHURNED": (
        "--positive CHURNED is not a class (did you mean 'churned'?); the classes are churned, "
        "stayed."
    ),
    # The file
    "fit mesy.csv --target outcome": "there is no file 'mesy.csv' (did you mean 'messy.csv'?).",
    "fit empty.csv --target outcome": (
        "empty.csv is empty: give a file with the names of the columns in its first line, and a "
        "row for each case below."
    ),
    "fit header.csv --target outcome": (
        "header.csv has no rows below its first line, which names the columns: add the cases."
    ),
    "fit ragged.csv --target outcome": (
        "ragged.csv, line 11, has 8 cells, but the line of names has 7: quote cells that contain "
        "the delimiter, or set --delimiter."
    ),
    "fit . --target outcome": ". is a folder: folders, glob patterns, several files and --dask",
    "fit messy.csv --target outcome --delimiter ;;": (
        "--delimiter ';;' is not allowed: give a single character."
    ),
    "fit messy.csv --target outcome --encoding utf9": (
        "--encoding utf9 is not known: give one such as utf8 or latin-1."
    ),
    "fit messy.csv --target outcome --thousands .": (
        "--thousands '.' is the decimal mark too: set --decimal ',' as well."
    ),
    f"fit german.csv --target outcome {READ}": (
        "'joined' contains text, of which all are dates: give their format, such as --dates "
        "'%d.%m.%Y'. Leave them out with --ignore joined, or list a column in --nominal to keep "
        "it as it is."
    ),
    f"fit german.csv --target outcome {READ} --dates dd.mm.yyyy": (
        "--dates dd.mm.yyyy is not a format of dates: give one such as %d.%m.%Y."
    ),
    # The columns
    "fit messy.csv --target outcom": (
        f"there is no column 'outcom' (did you mean 'outcome'?); {COLUMNS}"
    ),
    "fit messy.csv --target outcome --ignore custmer": (
        f"there is no column 'custmer' (did you mean 'customer'?); {COLUMNS}"
    ),
    "fit messy.csv --target outcome": (
        "Some columns cannot be used as they are: 'customer' contains 120 different texts in 120 "
        "rows; 'income' contains text, of which all are numbers with thousands separators: set "
        "--thousands ','. Leave them out with --ignore customer,income, or list a column in "
        "--nominal to keep it as it is."
    ),
    "fit messy.csv --target customer": (
        "the target 'customer' has 120 different values in 120 rows and is not a class: choose "
        "another --target."
    ),
    f"fit untold.csv --target outcome {READ}": (
        "the target 'outcome' is missing in 1 row, first in row 10: drop rows without a label."
    ),
    # The output
    "fit messy.csv --target outcome -o messy.csv": (
        "'messy.csv' is an input of this command: write to another file."
    ),
    "fit messy.csv --target outcome -o missing/tree.json": (
        "-o missing/tree.json: there is no folder 'missing': create it."
    ),
    "explore tree.json -o missing/tree.html": (
        "-o missing/tree.html: there is no folder 'missing': create it."
    ),
    # Predicting
    "predict tree.json nwe.csv": "there is no file 'nwe.csv' (did you mean 'new.csv'?).",
    "predict new.csv tree.json": (
        "new.csv holds data, not a model: give the file that roctree fit has written first, then "
        "the data."
    ),
    "predict tree.json narrow.csv": (
        "narrow.csv has no column 'visits': add it, or rename a column; it has 'customer', 'age', "
        "'city'."
    ),
    "predict tree.json wordy.csv": (
        "wordy.csv, line 11: column 'visits' does not contain only numbers: 'many' is not allowed: "
        "correct it, or list it in --missing-value if it means missing."
    ),
    "predict tree.json new.csv -o scored.xlsx": (
        "-o scored.xlsx has an unknown format: use a name that ends in .csv, .tsv, .parquet, "
        ".feather, .jsonl."
    ),
    "predict tree.json new.csv --columns probabilty": (
        "--columns contains 'probabilty' (did you mean 'probability'?); choose from label,"
    ),
    "predict tree.json new.csv --keep custmer": (
        "there is no column 'custmer' (did you mean 'customer'?); the columns are 'customer',"
    ),
    # Evaluating
    "evaluate tree.json new.csv": (
        "new.csv has no column 'outcome', the target in training, and has the classes 'churned', "
        "'stayed' in no other column: add the labels, or name their column by --target."
    ),
    "evaluate tree.json other.csv": (
        "'outcome' has the label 'left', which is not a class of the tree: rename it, or leave "
        "such rows out; the classes are 'churned', 'stayed'."
    ),
    "evaluate tree.json messy.csv --positive Churn": (
        "--positive Churn is not a class (did you mean 'churned'?); the classes are churned, "
        "stayed."
    ),
    # Operating points
    "at tree.json": "Give an operating point, such as --cost-fp 1 --cost-fn 5.",
    "at tree.json --max-fpr 10": "--max-fpr 10 must be a number from 0 to 1.",
    "at tree.json --cost-fn -5": "--cost-fn -5 must be a finite, nonnegative number.",
    "at tree.json --cost-fn five": "--cost-fn five is not a number.",
    "at tree.json --max-fpr 0.1 --cost-fn 5": (
        "costs and --max-fpr ask for two labellings: give one."
    ),
    # Other commands
    "describe messy.csv": "messy.csv: The file is not a roctree model: it does not begin with",
    "prune tree.json": "Give --output FILE to save the pruned tree.",
    "prune tree.json --method reduced_error -o small.json": (
        "reduced_error needs cases that did not grow the tree: give --validation."
    ),
    "export tree.json": "Missing option '--to': text, rules, sql, dot, onnx.",
    "export tree.json --to python": (
        "--to python is not known; choose from text, rules, sql, dot, onnx."
    ),
    f"compare messy.csv --target outcome {READ} --criterion auc,ginny": (
        f"--criterion ginny is not known (did you mean 'gini'?); choose from {KNOWN_CRITERIA}"
    ),
    f"compare messy.csv --target outcome {READ} --folds 1": (
        "--folds 1 is not allowed: give an integer of at least 2."
    ),
    f"frontier messy.csv --target outcome {READ} --ways bestfirst": (
        "--ways bestfirst is not known (did you mean 'best_first'?): choose from best_first,"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the walk, and a tree of two leaves that looks at the visits."""
    place = tmp_path_factory.mktemp("walk")
    for name, content in FILES.items():
        (place / name).write_text(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr(sys, "argv", shlex.split(f"roctree {FIT} --max-leaves 2 -o tree.json"))
        with pytest.raises(SystemExit) as end:
            cli.main()
    assert end.value.code == 0
    return place


@pytest.fixture
def walk(folder, monkeypatch, roctree):
    """Run a command line in the folder."""
    monkeypatch.chdir(folder)
    return lambda line: roctree(*shlex.split(line))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_says_what_a_new_user_wants_to_know(walk, line):
    done = walk(line)
    assert done.code == 0, done.err
    for sentence in COMMANDS[line]:
        assert sentence in done.out
    assert done.err == ""


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_gets_one_sentence_that_says_what_to_do(walk, line):
    before = sorted(Path.cwd().iterdir())
    done = walk(line)
    assert done.code == 2
    assert done.out == ""
    assert MISTAKES[line] in done.err
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1, "one line"
    assert sorted(Path.cwd().iterdir()) == before


def test_there_are_eleven_commands_and_forty_mistakes():
    assert len(COMMANDS) == 11
    assert len(MISTAKES) >= 40
    assert {line.split()[0] for line in COMMANDS} == set(cli.COMMANDS) - {"demo", "warm-up"}
