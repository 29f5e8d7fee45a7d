"""What help and documents tell users to type does what they say."""

import json
import re
import shlex
from pathlib import Path

import pytest

from roctree.cli import COMMANDS, demo

HOME = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^\s*(?:\$ )?roctree (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```(?:console|sh)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
SESSION = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
NEEDS = {"sql": "sqlglot", "onnx": "onnx", "--plot": "matplotlib"}


@pytest.fixture
def quick(monkeypatch):
    """Make what takes long take less."""
    monkeypatch.setattr(demo, "CRITERIA_SHOWN", ("msee",))
    monkeypatch.setattr(demo, "FOLDS", 2)
    monkeypatch.setattr(demo, "compile_kernels", lambda: None)


def arguments_of(line):
    return shlex.split(line, comments=True)


def examples_of(text):
    return [arguments_of(line) for line in EXAMPLE.findall(text)]


def at_hand(arguments, request):
    """What a shell would make of patterns; and a scheduler that there is, for one that is named."""
    found = []
    for word in arguments:
        if word.startswith("tcp://"):
            word = request.getfixturevalue("scheduler")
        found += sorted(map(str, Path().glob(word))) if "*" in word else [word]
    return found


def runnable(arguments):
    return arguments[0] in COMMANDS


def needed(arguments):
    for form, library in NEEDS.items():
        if form in arguments:
            pytest.importorskip(library)
    return arguments


@pytest.fixture(params=COMMANDS)
def examples(request, grown, roctree):
    """The examples in the help of each command that there is."""
    shown = roctree(request.param, "--help").out
    found = examples_of(shown.partition("Example:")[2].partition("Options:")[0])
    assert {arguments[0] for arguments in found} == {request.param}
    return [at_hand(needed(arguments), request) for arguments in found]


def test_the_examples_in_the_help_of_a_command_run_and_are_plain_in_a_pipe(
    examples, roctree, quick
):
    for example in examples:
        done = roctree(*example)
        assert done.code == 0, done.err
        assert done.err == ""
        assert all(line.isprintable() for line in done.out.splitlines())
        assert done.out.endswith("\n")


def test_every_command_answers_in_json(examples, roctree, quick):
    for example in examples:
        done = roctree(*example, "--json")
        assert done.code == 0, done.err
        assert strict(done.out)


def strict(text):
    """What JSON says, without the words that Python takes and other readers do not."""

    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("page", ["docs/howto/command-line.md"])
def test_the_commands_of_a_page_run_one_after_the_other(page, patients, roctree, quick, request):
    text = (HOME / page).read_text(encoding="utf-8")
    lines = [arguments for block in BLOCK.findall(text) for arguments in examples_of(block)]
    assert lines
    for arguments in map(needed, filter(runnable, lines)):
        done = roctree(*at_hand(arguments, request))
        assert done.code == 0, (arguments, done.err)


def test_sessions_show_what_the_commands_say(patients, roctree):
    text = (HOME / "docs" / "howto" / "command-line.md").read_text(encoding="utf-8")
    sessions = [pair for block in BLOCK.findall(text) for pair in SESSION.findall(block)]
    assert sessions
    for line, shown in sessions:
        program, *arguments = arguments_of(line)
        assert program == "roctree"
        assert plain(roctree(*arguments).out) == plain(shown), line


def plain(text):
    """The lines without blanks at their ends, and without empty ones."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
