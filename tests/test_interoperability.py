"""The snippets of the page on interoperability run, each by itself, and print what it shows."""

import re
import runpy
import warnings
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PAGE = (HOME / "docs" / "howto" / "interoperability.md").read_text(encoding="utf-8")
FOLLOW = runpy.run_path(str(HOME / "docs" / "follow.py"))
SETUP = FOLLOW["CODE"].search(PAGE)[0]
PARTS = dict(re.findall(r"^### ([^\n]*)\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
LIBRARY = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


def test_the_page_covers_what_people_use():
    data = {"MLflow", "skops", "joblib", "DuckDB", "ONNX Runtime", "Dask", "polars"}
    trees = {"SHAP", "plot_tree", "dtreeviz", "supertree", "treelite"}
    tools = {"Pipelines and searches", "Calibration", "Tuned thresholds", "AdaBoost"}
    assert data | trees | tools | {"Permutation importance"} <= set(PARTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_a_snippet_runs(name):
    for library in set(LIBRARY.findall(PARTS[name])):
        pytest.importorskip(library)
    with warnings.catch_warnings():
        # What other libraries warn about among themselves is not our subject.
        warnings.simplefilter("ignore")
        shown = FOLLOW["outputs"](SETUP + "\n\n" + PARTS[name], name)
    for output in filter(None, shown):
        assert f"```\n{output}```" in PARTS[name]
