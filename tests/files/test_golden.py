import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import roctree
from roctree.files import KINDS
from tests.files.models import as_bytes
from tests.golden.write import HOME, expected

GOLDEN = sorted(HOME.glob("*-*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_file_of_an_earlier_release_says_what_it_said_then(path):
    then = json.loads(path.with_suffix(".expected").read_text(encoding="utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the rows are lists, without names
        now = json.loads(json.dumps(expected(roctree.load(path), then["rows"])))
    # Distances are roots of sums, which other processors may round otherwise.
    assert np.allclose(now.pop("score"), then.pop("score"), rtol=1e-12, atol=1e-12)
    assert np.allclose(now.pop("probability"), then.pop("probability"), rtol=1e-12, atol=0)
    assert now == then


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_file_is_saved_as_it_was_but_for_younger_parameters(path):
    then, now = json.loads(path.read_bytes()), json.loads(as_bytes(roctree.load(path)))
    now["parameters"] = {name: now["parameters"][name] for name in then["parameters"]}
    assert then | {"checksum": ""} == now | {"checksum": ""}


def test_there_are_golden_files_of_every_version():
    assert {Path(path).stem.split("-")[1] for path in GOLDEN} == {"1", "2"}
    assert len(GOLDEN) == 9


def test_there_are_golden_files_of_every_kind():
    assert {type(roctree.load(path)).__name__ for path in GOLDEN} == set(KINDS)


WITHOUT_SCIKIT_LEARN = """
import sys
sys.modules["sklearn"] = None
from roctree.files import load_fitted, as_bytes
for path in sys.argv[1:]:
    model = load_fitted(path)
    model.to_text()
    assert as_bytes(model) == as_bytes(load_fitted(path))
"""


def test_fitted_models_are_loaded_without_scikit_learn():
    command = [sys.executable, "-c", WITHOUT_SCIKIT_LEARN, *map(str, GOLDEN)]
    subprocess.run(command, check=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
