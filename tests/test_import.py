import subprocess
import sys

import pytest

import roctree


def modules_loaded_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("library", ["numba", "sklearn", "pandas", "polars", "numpy", "scipy"])
def test_import_roctree_does_not_load(library):
    assert library not in modules_loaded_by("import roctree")


# Each time the package is imported anew; what it needs of others is loaded once.
FOUND = """
import sys

for statement in {statements}:
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "roctree"]:
        del sys.modules[loaded]
    exec(statement, {{}})
    assert "roctree.{name}" in sys.modules, statement
"""


@pytest.mark.parametrize("name", ["checks", "criteria", "presets", "pruning", "roc", "smoothing"])
def test_a_public_module_is_found_however_it_is_asked_for(name):
    by_attribute = f"import roctree; roctree.{name}"
    by_path = f"import roctree.{name}; roctree.{name}"
    statements = by_attribute, by_path, f"from roctree import {name}"
    script = FOUND.format(name=name, statements=statements)
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("library", ["numba", "sklearn", "pandas", "polars"])
def test_import_of_roc_does_not_load(library):
    assert library not in modules_loaded_by("from roctree import roc")


def test_every_public_name_is_listed_by_dir():
    assert set(roctree.__all__) <= set(dir(roctree))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'forest'"):
        roctree.forest  # noqa: B018


def test_the_errors_are_value_errors():
    for error in (roctree.DataError, roctree.ParameterError, roctree.ModelFileError):
        assert issubclass(error, ValueError)


def test_not_fitted_error_is_that_of_scikit_learn():
    from sklearn.exceptions import NotFittedError

    assert roctree.NotFittedError is NotFittedError
