"""What CONTRIBUTING describes works: its code, its walks, its commands and the files it names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from roctree import checks
from roctree.criteria import Criterion

HOME = Path(__file__).parents[1]
TEXT = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?:python|js)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLACE = re.compile(
    r"^(?:#|//) (src/\S+), (new|end|(?:before|after|replace):([^\n]*))\n(.*)", re.DOTALL
)


def walk(title):
    """The snippets of a walk: file, how they are inserted, the line they refer to, and the code."""
    section = re.search(rf"^### {title}\n(.*?)(?=^##)", TEXT, re.DOTALL | re.MULTILINE)[1]
    found = [PLACE.match(block) for block in BLOCK.findall(section)]
    return [
        (each[1], each[2].split(":")[0], (each[3] or "")[1:], each[4]) for each in found if each
    ]


def follow(title, folder):
    """Insert the snippets of a walk into a copy of the sources; return the copy."""
    copy = folder / "src"
    if not copy.exists():
        shutil.copytree(HOME / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file, how, line, code in walk(title):
        path = folder / file
        if how in ("new", "end"):
            before = "" if how == "new" else path.read_text(encoding="utf-8")
            path.write_text(before + code, encoding="utf-8")
            continue
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        places = [number for number, each in enumerate(lines) if each.rstrip("\n") == line]
        assert len(places) == 1, f"{file} has {len(places)} lines {line!r}"
        start, end = places[0] + (how == "after"), places[0] + (how != "before")
        lines[start:end] = code.splitlines(keepends=True)
        path.write_text("".join(lines), encoding="utf-8")
    return copy


def run(copy, code):
    """Run code with the copy of the sources, kernels interpreted; return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def documented(copy, subject):
    """The tables of the documentation that the copy of the sources would have."""
    script = str(HOME / "docs" / "make_tables.py")
    return run(
        copy, f"import runpy; print(*runpy.run_path({script!r})['SUBJECTS'][{subject!r}].tables())"
    )


@pytest.fixture(scope="module")
def names():
    """What the first block of CONTRIBUTING defines."""
    defined = {"__name__": "contributing"}
    exec(compile(BLOCK.search(TEXT)[1], "CONTRIBUTING.md", "exec"), defined)
    return defined


def test_a_criterion_without_a_class_grows_a_tree(names):
    assert names["tree"].predict([[1.5], [3.5]]).tolist() == ["no", "yes"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_criterion_without_a_class_keeps_the_laws(names, n_classes):
    criterion = names["total_variation"]
    assert isinstance(criterion, Criterion)
    checks.check_criterion(criterion, n_classes)


def test_the_criterion_is_the_distance_it_claims_to_be(names):
    table = np.array([[6.0, 1.0], [2.0, 3.0]])
    shares = table / table.sum(axis=0)
    distance = np.abs(shares[:, 0] - shares[:, 1]).sum() / 2
    assert names["total_variation"](table) == pytest.approx(distance)


ROWS = "[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], list('aababb')"


def test_the_walk_of_a_criterion_registers_one_that_keeps_the_laws(tmp_path):
    copy = follow("Add a criterion", tmp_path)
    code = f"""
from roctree import ROCTreeClassifier, checks
from roctree.criteria import CRITERIA
checks.check_criterion(CRITERIA["square_root"], 2)
print(ROCTreeClassifier(criterion="square_root").fit({ROWS}).get_n_leaves())
"""
    assert run(copy, code).strip() == "4"
    assert "`square_root`" in documented(copy, "criteria")


def test_the_walk_of_a_pruner_registers_one_that_keeps_the_laws(tmp_path):
    copy = follow("Add a pruner", tmp_path)
    code = f"""
from roctree import ROCTreeClassifier, checks
from roctree.pruning import PRUNING
checks.check_pruner(PRUNING["max_depth"])
tree = ROCTreeClassifier().fit({ROWS})
print(tree.get_depth(), tree.pruned("max_depth", depth=1).get_depth())
"""
    assert run(copy, code).split() == ["3", "1"]
    assert "`max_depth`" in documented(copy, "pruning")


def test_the_walk_of_a_file_reader_reads_files(tmp_path):
    copy = follow("Add a file reader", tmp_path)
    file = tmp_path / "cases.jsonl"
    lines = [f'{{"dose": {dose}, "state": "{"ill" if dose > 2 else "well"}"}}' for dose in range(5)]
    file.write_text("\n".join(lines), encoding="utf-8")
    code = f"""
import sys
from roctree.cli import main
options = ["--target", "state", "--min-samples-leaf", "1", "--json"]
sys.argv = ["roctree", "fit", {str(file)!r}, *options]
main()
"""
    assert '"leaves": 2' in run(copy, code)


def test_the_walk_of_an_estimator_option_adds_it_to_the_command_line_too(tmp_path):
    copy = follow("Add an estimator option", tmp_path)
    code = f"""
from roctree import ROCTreeClassifier
from roctree.cli.fit import tree_options
print(ROCTreeClassifier(stump=True).fit({ROWS}).get_n_leaves(), "stump" in tree_options())
"""
    assert run(copy, code).split() == ["2", "True"]


def test_the_walk_of_a_panel_puts_it_on_the_page(tmp_path):
    copy = follow("Add a panel to the page", tmp_path)
    code = f"""
from roctree import ROCTreeClassifier
page = ROCTreeClassifier().fit({ROWS}).explore({str(tmp_path / "tree.html")!r})
print("makeShareView(app)" in page.read_text(encoding="utf-8"))
"""
    assert run(copy, code).strip() == "True"


PATH_OF_A_FIT = """
import sys
from roctree import ROCTreeClassifier

calls = []


def follow(frame, event, _):
    if event == "call" and frame.f_code.co_name == "grow_sorted" and not calls:
        while frame is not None and frame.f_code.co_name != "<module>":
            calls.append(frame.f_code.co_name)
            frame = frame.f_back


tree = ROCTreeClassifier()
sys.setprofile(follow)
tree.fit(ROWS)
sys.setprofile(None)
print(*reversed(calls))
"""


def test_a_fit_takes_the_path_that_is_described():
    steps = re.search(r"\*\*Call path of `fit`\*\*.*?\n\n(.*?)\n\n", TEXT, re.DOTALL)[1]
    described = re.findall(r"^\d\. `(?:\w+\.)?(\w+)`", steps, re.MULTILINE)
    taken = run(HOME / "src", PATH_OF_A_FIT.replace("ROWS", ROWS)).split()
    assert taken == [*described, "grow_sorted"]
    assert len(described) == 8


def test_every_command_is_a_target_of_make():
    targets = re.findall(r"^([a-z-]+):", (HOME / "Makefile").read_text(encoding="utf-8"), re.M)
    commands = re.findall(r"^make ([a-z-]+)", TEXT, re.M)
    assert len(commands) == 15
    assert set(commands) <= set(targets)


def test_the_hooks_of_pre_commit_are_the_linters_of_make():
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (HOME / "Makefile").read_text("utf-8"), re.M)[1]
    hooks = (HOME / ".pre-commit-config.yaml").read_text("utf-8")
    linters = re.findall(r"\$\(BIN\)/(ruff \w+|[\w-]+)", recipe)
    assert linters == re.findall(r"entry: \.venv/bin/(ruff \w+|[\w-]+)", hooks)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:src|tests|docs)/[\w/.-]+)`", TEXT))))
def test_the_files_named_are_there(path):
    assert (HOME / path).exists()


def test_the_diagram_names_rooms_that_are_there():
    diagram = re.search(r"```mermaid\n(.*?)```", TEXT, re.DOTALL)[1]
    rooms = set(re.findall(r"\b([a-z_]+(?:/[a-z_]*)*(?:\.py|/))", diagram))
    assert len(rooms) >= 20
    for room in rooms:
        assert (HOME / "src" / "roctree" / room).exists(), room
