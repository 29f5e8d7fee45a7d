"""What CONTRIBUTING asks for works: its code, its commands, the files it names."""

import re
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from roctree import checks
from roctree.criteria import Criterion

HOME = Path(__file__).parents[1]
TEXT = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def names():
    """What the blocks define, run one after the other."""
    defined = {"__name__": "contributing"}
    for number, (_, block) in enumerate(BLOCK.findall(TEXT)):
        exec(compile(dedent(block), f"CONTRIBUTING.md, block {number}", "exec"), defined)
    return defined


def test_the_criterion_grows_a_tree(names):
    assert names["tree"].predict([[1.5], [3.5]]).tolist() == ["no", "yes"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_forms_of_the_criterion_keep_the_laws(names, n_classes):
    both = names["total_variation"], names["TotalVariation"]()
    for criterion in both:
        assert isinstance(criterion, Criterion)
        checks.check_criterion(criterion, n_classes)


def test_the_criterion_is_the_distance_it_claims_to_be(names):
    table = np.array([[6.0, 1.0], [2.0, 3.0]])
    shares = table / table.sum(axis=0)
    distance = np.abs(shares[:, 0] - shares[:, 1]).sum() / 2
    assert names["total_variation"](table) == pytest.approx(distance)


def test_the_code_calls_the_check():
    assert sum("check_criterion(" in block for _, block in BLOCK.findall(TEXT)) == 2


def test_every_command_is_a_target_of_make():
    targets = re.findall(r"^([a-z-]+):", (HOME / "Makefile").read_text(encoding="utf-8"), re.M)
    commands = re.findall(r"^make ([a-z-]+)", TEXT, re.M)
    assert len(commands) == 8
    assert set(commands) <= set(targets)


def test_the_hooks_of_pre_commit_are_the_linters_of_make():
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (HOME / "Makefile").read_text("utf-8"), re.M)[1]
    hooks = (HOME / ".pre-commit-config.yaml").read_text("utf-8")
    linters = re.findall(r"\$\(BIN\)/(ruff \w+|[\w-]+)", recipe)
    assert linters == re.findall(r"entry: \.venv/bin/(ruff \w+|[\w-]+)", hooks)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", TEXT))))
def test_the_files_named_are_there(path):
    assert (HOME / path).exists()


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 150
