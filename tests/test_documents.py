"""What the documents show is what the library does."""

import re
import runpy
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import roctree
from studies import names_matching

HOME = Path(__file__).parents[1]
PAGES = sorted([*HOME.glob("*.md"), *(HOME / "docs").rglob("*.md")])
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
TABLES = runpy.run_path(str(HOME / "docs" / "make_tables.py"))
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def python_blocks(page):
    return CODE.findall((HOME / page).read_text(encoding="utf-8"))


def run(page):
    """Run the blocks of a page one after the other, as a reader would; returns what each prints."""
    names, shown = {"__name__": "page"}, []
    with TemporaryDirectory() as folder, chdir(folder):
        for number, block in enumerate(python_blocks(page)):
            with redirect_stdout(StringIO()) as output:
                exec(compile(block, f"{page}, block {number}", "exec"), names)
            shown.append(output.getvalue())
    return shown


def test_the_readme_runs_and_shows_what_it_says():
    shown = [output for output in run("README.md") if output]
    text = (HOME / "README.md").read_text(encoding="utf-8")
    assert len(shown) == 2
    for output in shown:
        assert f"```\n{output}```" in text


RUN = sorted(
    page.stem for page in (HOME / "docs").glob("*.md") if CODE.search(page.read_text("utf-8"))
)


@pytest.mark.parametrize("name", RUN)
def test_a_page_runs_and_shows_what_it_says(name):
    text = (HOME / "docs" / f"{name}.md").read_text(encoding="utf-8")
    if "roctree.report" in text:
        pytest.importorskip("matplotlib").use("Agg")
    for output in filter(None, run(f"docs/{name}.md")):
        assert f"```\n{output}```" in text


@pytest.mark.parametrize("name", TABLES["SUBJECTS"])
def test_tables_are_those_of_the_registry(name):
    text = (HOME / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert TABLES["page"](name, text) == text, "run python docs/make_tables.py"


def test_the_page_of_reproductions_is_made_of_stored_results():
    script = runpy.run_path(str(HOME / "docs" / "make_reproduction.py"))
    text = script["PAGE"].read_text(encoding="utf-8")
    papers = ("icml02", "ecml03", "bl95", "ab05", "sc17")
    assert set(script["names"](text)) >= {each for name in papers for each in names_matching(name)}
    assert script["page"](text) == text, "run python docs/make_reproduction.py"


def test_the_picture_is_what_its_script_draws():
    pytest.importorskip("pandas")
    script = runpy.run_path(str(HOME / "examples" / "readme_picture.py"))
    assert script["PICTURE"].read_text(encoding="utf-8") == script["picture"]()


def test_the_picture_of_operating_points_can_be_drawn():
    pytest.importorskip("matplotlib")
    script = runpy.run_path(str(HOME / "examples" / "operating_points_picture.py"))
    assert len(script["picture"]().axes) == 2
    assert script["PICTURE"].exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_links_between_files_lead_somewhere(page):
    for link, _ in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_every_public_name_is_in_the_reference():
    text = (HOME / "docs" / "README.md").read_text(encoding="utf-8")
    assert [name for name in roctree.__all__ if f"`{name}`" not in text] == []


@pytest.mark.parametrize(
    "name", ["ROCTreeClassifier", "NaiveBayesTreeClassifier", "MultiscaleClassifier"]
)
def test_every_public_method_is_in_the_reference(name):
    text = (HOME / "docs" / "README.md").read_text(encoding="utf-8")
    kind = getattr(roctree, name)
    ours = [base for base in kind.__mro__ if base.__module__.startswith("roctree.")]
    # Those that begin with "set" are scikit-learn's own, those that end with "_" are attributes.
    methods = {method for base in ours for method in vars(base) if not method.endswith("_")}
    public = sorted(method for method in methods if not method.startswith(("_", "set_")))
    assert len(public) > 10
    assert [method for method in public if f"`{method}`" not in text] == []


def test_every_decision_is_in_the_index():
    text = (HOME / "docs" / "README.md").read_text(encoding="utf-8")
    decisions = (HOME / "docs" / "decisions").glob("*.md")
    missing = [page.name for page in decisions if f"decisions/{page.name}" not in text]
    assert missing == [], "add it to docs/README.md"
