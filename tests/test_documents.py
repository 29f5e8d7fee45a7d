"""What the documents show is what the library does."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import roctree
from roctree.data.csv_file import MISSING_VALUES, CsvFormat
from studies import names_matching

HOME = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in [*HOME.glob("*.md"), *(HOME / "docs").rglob("*.md")]
    if not {"_build", "gallery", "generated"} & set(page.relative_to(HOME).parts)
)
FOLLOW = runpy.run_path(str(HOME / "docs" / "follow.py"))
TABLES = runpy.run_path(str(HOME / "docs" / "make_tables.py"))
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def run(page):
    """Run the blocks of a page one after the other, as a reader would; returns what each prints."""
    return FOLLOW["outputs"]((HOME / page).read_text(encoding="utf-8"), page)


def test_the_readme_runs_and_shows_what_it_says():
    shown = [output for output in run("README.md") if output]
    text = (HOME / "README.md").read_text(encoding="utf-8")
    assert len(shown) == 1
    for output in shown:
        assert f"```\n{output}```" in text


def test_the_numbers_of_the_readme_are_those_of_the_results():
    script = runpy.run_path(str(HOME / "docs" / "make_readme.py"))
    text = (HOME / "README.md").read_text(encoding="utf-8")
    assert script["page"](text) == text, "run python docs/make_readme.py"


def test_the_readme_is_short():
    text = (HOME / "README.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```|^\|.*?$|<!--.*?-->", "", text, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 650


def test_users_of_scikit_learn_find_every_parameter():
    text = (HOME / "docs" / "start" / "from-scikit-learn.md").read_text(encoding="utf-8")
    parameters = text.partition("## Parameters")[2].partition("## Methods")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", parameters, re.MULTILINE)
    theirs, ours = (
        set(re.findall(r"`(\w+)", " ".join(cells))) for cells in zip(*rows, strict=True)
    )
    assert set(DecisionTreeClassifier().get_params()) <= theirs
    # Those that scikit-learn lacks are in the first column of the second table.
    parameters = roctree.ROCTreeClassifier().get_params(deep=False)
    assert set(parameters) <= theirs | ours
    assert ours & set(parameters) >= {"criterion", "splits", "min_gain", "ccp_alpha"}


RUN = [
    str(page.relative_to(HOME))
    for room in ("start", "howto", "reference", "explanation")
    for page in sorted((HOME / "docs" / room).glob("*.md"))
    if FOLLOW["CODE"].search(page.read_text("utf-8")) and page.stem != "interoperability"
]


@pytest.mark.parametrize("page", RUN)
def test_a_page_runs_and_shows_what_it_says(page):
    text = (HOME / page).read_text(encoding="utf-8")
    if "Display" in text or "matplotlib" in text:
        pytest.importorskip("matplotlib").use("Agg")
    for output in filter(None, run(page)):
        assert f"```\n{output}```" in text


PAPERS = sorted({page.stem for page in (HOME / "docs" / "papers").glob("*.md")} - {"index"})


def names_of_papers(paper):
    """What the calls on the pages of papers refer to."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.3, "ill", "well")
    tree = roctree.ROCTreeClassifier(max_leaf_nodes=8).fit(X, y)
    cells = roctree.MultiscaleClassifier(bounds="training", max_level=3).fit(X, y)
    pruned = tree.cost_pruning_curve(None, X, y)
    curve = pruned if paper == "bl95" else tree.roc(X, y)
    scores, outcomes = [[0.6, 0.4], [0.2, 0.8]], [[4, 1], [1, 3]]
    homes = (roctree.criteria, roctree.presets, roctree.pruning, roctree.smoothing)
    strategies = {name: value for home in homes for name, value in vars(home).items()}
    public = {name: getattr(roctree, name) for name in roctree.__all__}
    data = {"X": X, "y": y, "X_test": X, "y_test": y, "x": 0.5, "share": 0.5, "C": [[0, 1], [5, 0]]}
    models = {"roctree": roctree, "tree": tree, "cells": cells, "curve": curve, "point": pruned[0]}
    return strategies | public | data | models | {"scores": scores, "outcomes": outcomes}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_calls_on_the_page_of_a_paper_can_be_made(paper):
    pytest.importorskip("matplotlib").use("Agg")
    text = (HOME / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    names, made = names_of_papers(paper), 0
    for code in re.findall(r"`(\w+[.(][^`\n]*)`", text):
        code = code.replace("costs=...", "costs={'ill': 1, 'well': 5}")
        if re.split(r"\W", code)[0] in names and "..." not in code:
            eval(code, dict(names))
            made += 1
    assert made >= 4


@pytest.mark.parametrize("name", TABLES["SUBJECTS"])
def test_tables_are_those_of_the_registry(name):
    text = (TABLES["PAGES"] / f"{name}.md").read_text(encoding="utf-8")
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


def anchors(page):
    """The anchors of the headings of a page, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title.lower()).strip() for title in titles]
    return {f"#{title.replace(' ', '-')}" for title in plain}


def test_links_between_files_lead_somewhere():
    for page in PAGES:
        for link, anchor in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in link and "gallery/" not in link:  # made by Sphinx
                target = page.parent / link
                assert target.exists(), (page, link)
                assert not anchor or anchor in anchors(target), (page, link + anchor)


def test_every_example_is_named_by_a_guide():
    guides = [*(HOME / "docs" / "howto").glob("*.md"), *(HOME / "docs" / "reference").glob("*.md")]
    text = "\n".join(guide.read_text(encoding="utf-8") for guide in guides)
    order = (HOME / "docs" / "conf.py").read_text(encoding="utf-8")
    examples = sorted((HOME / "examples" / "gallery").glob("*.py"))
    assert len(examples) >= 14
    assert [each.stem for each in examples if f"../gallery/{each.stem}.rst" not in text] == []
    assert [each.stem for each in examples if f'"{each.stem}"' not in order] == []


def test_every_public_name_is_in_the_reference():
    text = (HOME / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in roctree.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == [], "add it to docs/reference/api.md"


@pytest.mark.parametrize(
    "name", ["ROCTreeClassifier", "NaiveBayesTreeClassifier", "MultiscaleClassifier"]
)
def test_every_public_method_is_in_the_reference(name):
    text = (HOME / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    kind = getattr(roctree, name)
    ours = [base for base in kind.__mro__ if base.__module__.startswith("roctree.")]
    # Those that begin with "set" are scikit-learn's own, those that end with "_" are attributes.
    methods = {method for base in ours for method in vars(base) if not method.endswith("_")}
    public = sorted(method for method in methods if not method.startswith(("_", "set_")))
    assert len(public) > 10
    assert [method for method in public if f"`{method}`" not in text] == []


def test_every_spelling_of_a_missing_value_is_in_the_guide():
    text = (HOME / "docs" / "howto" / "command-line.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:any|numbers and dates, in addition) \| (.*) \|$", text, re.MULTILINE)
    in_text, in_numbers = (set(re.findall("`(.+?)`", row)) for row in rows)
    assert in_text == set(MISSING_VALUES) - {""}
    everywhere = {word.strip() for word in CsvFormat().missing_numbers}
    assert in_numbers == everywhere - set(MISSING_VALUES)


def test_every_decision_is_in_the_index():
    text = (HOME / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
    decisions = (HOME / "docs" / "decisions").glob("0*.md")
    missing = [page.name for page in decisions if f"({page.name})" not in text]
    assert missing == [], "add it to docs/decisions/index.md"
