import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from roctree import (
    DataError,
    ModelFileError,
    NotFittedError,
    ParameterError,
    ROCTreeClassifier,
    __version__,
    cli,
)
from roctree.cli import demo
from roctree.cli.output import shown_tree


def invoked(*arguments):
    return CliRunner().invoke(cli.app, list(arguments))


def modules_loaded_by(*arguments):
    """Return the packages and modules that a command has loaded when it ends."""
    script = "import atexit, sys, roctree.cli as c\natexit.register(lambda: print(*sys.modules))"
    command = [sys.executable, "-c", f"{script}\nc.script()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_help_lists_the_commands():
    help_text = invoked("--help").output
    for name in cli.COMMANDS:
        assert name in help_text


def test_the_module_is_the_command():
    command = [sys.executable, "-m", "roctree", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["roctree", __version__]


@pytest.mark.parametrize("library", ["numba", "numpy", "sklearn", "rich.console", "pyarrow"])
def test_help_does_not_load(library):
    assert library not in modules_loaded_by("--help")


MODEL_COMMANDS = {
    "describe": (),
    "predict": ("new.csv", "-o", "scored.csv"),
    "evaluate": ("test.csv",),
    "labellings": (),
    "at": ("--cost-fn", "5"),
    "export": ("--to", "sql", "-o", "tree.sql"),
    "explore": ("test.csv", "-o", "tree.html"),
}


# They take longer to load than these commands take otherwise.
SLOW_TO_LOAD = {"sklearn", "scipy", "pandas", "matplotlib", "dask", "numba"}


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_models_are_used_without_libraries_that_load_slowly(command, grown):
    loaded = modules_loaded_by(command, "tree.json", *MODEL_COMMANDS[command])
    assert not loaded & SLOW_TO_LOAD


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_the_help_of_a_command_needs_no_library_of_data(command):
    loaded = modules_loaded_by(command, "--help")
    assert not loaded & {*SLOW_TO_LOAD, "narwhals", "pyarrow", "rich", "joblib"}


def test_no_command_shows_the_help():
    result = invoked()
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_version_is_that_of_the_package():
    assert invoked("--version").output == f"roctree {__version__}\n"


@pytest.mark.slow
def test_warm_up_says_how_long_it_took():
    result = invoked("warm-up")
    assert result.exit_code == 0
    assert "The kernels are compiled; this took " in result.output


def test_the_demo_compares_criteria_and_shows_a_tree(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "CRITERIA_SHOWN", ("msee", "auc"))
    monkeypatch.setattr(demo, "FOLDS", 2)
    result = invoked("demo")
    assert result.exit_code == 0
    for word in ("AUC", "accuracy", "leaves", "msee", "auc", "±", "worst ", "malignant"):
        assert word in result.output
    assert "open roctree-demo.html" in result.output
    assert "worst area" in (tmp_path / "roctree-demo.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("error", [DataError, ParameterError, ModelFileError, NotFittedError])
def test_an_error_of_the_library_is_one_sentence_and_exit_code_2(error, monkeypatch, capsys):
    def fail(**_):
        raise error("The column is odd.")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    assert capsys.readouterr() == ("", "Error: The column is odd.\n")


def test_any_other_error_keeps_its_traceback(monkeypatch):
    def fail(**_):
        raise ValueError("a mistake of ours")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(ValueError, match="a mistake of ours"):
        cli.main()


def test_control_c_stops_politely(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_small_tree", interrupt)
    monkeypatch.setattr(sys, "argv", ["roctree", "demo"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_the_page_of_the_demo_is_about_the_half_of_the_cases_that_did_not_grow_the_tree(
    monkeypatch, tmp_path
):
    seen = []

    def explore(tree, path, X, y, title, unit):
        seen.append((tree.training_.rows, len(X), len(y), title, unit))
        return path

    monkeypatch.setattr(ROCTreeClassifier, "explore", explore)
    assert demo.write_demo_page(tmp_path / "page.html") == tmp_path / "page.html"
    assert seen == [(284, 285, 285, "Breast cancer: benign or malignant?", "tumours")]


def test_a_tree_of_sixteen_leaves_is_shown_whole_and_a_larger_one_to_a_depth():
    rows = np.arange(400.0)[:, None]
    for n_leaves, is_whole in ((16, True), (17, False)):
        model = ROCTreeClassifier(max_leaf_nodes=n_leaves).fit(rows, rows[:, 0] // 10 % 2)
        assert model.get_n_leaves() == n_leaves
        shown = shown_tree(model.fitted_)
        assert (shown == model.to_text()) == is_whole
        assert (shown == model.to_text(max_depth=3)) == (not is_whole)


def test_warming_up_says_how_long_it_took(roctree, monkeypatch):
    monkeypatch.setattr("roctree.cli.demo.compile_kernels", lambda: None)
    assert 0.0 <= json.loads(roctree("warm-up", "--json").out)["seconds"] < 60.0
