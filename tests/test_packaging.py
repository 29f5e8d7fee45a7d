"""What is published says the same in every place."""

import ast
import importlib.metadata
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import roctree

HOME = Path(__file__).parents[1]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = roctree.__version__


def test_the_version_is_the_same_everywhere():
    assert importlib.metadata.version("roctree") == VERSION
    changelog = (HOME / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[([\d.]+)\]", changelog, re.MULTILINE)[1] == VERSION
    citation = (HOME / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {VERSION}\n" in citation
    recipe = (HOME / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{VERSION}"' in recipe


def test_the_changelog_of_a_release_is_short():
    changelog = (HOME / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    assert max(len(release.splitlines()) for release in releases) <= 60


def test_the_conda_recipe_has_our_dependencies():
    recipe = (HOME / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    section = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    run = [line.strip(" -") for line in section.splitlines() if line.strip()]
    # Packages of conda have no extras: this one has the command line.
    project = PROJECT["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["cli"]]
    declared = sorted(each.replace(">=", " >=") for each in needed)
    assert run == ["python >=${{ python_min }}", *declared]


def test_everything_that_is_imported_is_declared():
    """Of the modules that the library imports, all are its own, Python's or declared."""
    project = PROJECT["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {re.match(r"[\w-]+", each)[0] for group in groups for each in group}
    named = {"sklearn": "scikit-learn"}
    # Loaded to say something about objects of these libraries, which the caller has.
    given = {"pandas", "polars", "IPython"}
    imported = set()
    for file in (HOME / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.partition(".")[0])
    others = imported - sys.stdlib_module_names - {"roctree"} - given
    assert {named.get(name, name) for name in others} <= declared


def test_extras_are_for_users_only():
    extras = PROJECT["project"]["optional-dependencies"]
    assert {"test", "lint", "docs", "bench", "fuzz"} <= set(PROJECT["dependency-groups"])
    assert not set(extras) & set(PROJECT["dependency-groups"])


def test_the_lowest_versions_are_those_declared():
    done = subprocess.run(
        [sys.executable, HOME / ".ci" / "lowest.py"], capture_output=True, text=True, check=True
    )
    declared = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["test-core"]]
    assert done.stdout.split() == [each.replace(">=", "==") for each in declared]


def published_readme():
    """The README with the substitutions that are made for PyPI."""
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = (HOME / "README.md").read_text(encoding="utf-8")
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    return text


def test_links_of_the_published_readme_are_absolute():
    links = re.findall(r"\]\(([^)\s]+)\)", published_readme())
    assert links
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_every_supported_python_is_tested():
    classifiers = PROJECT["project"]["classifiers"]
    supported = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    workflow = (HOME / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    matrix = re.search(r"python: \[(.*)\]", workflow)[1]
    assert re.findall(r"3\.\d+", matrix) == supported


@pytest.mark.parametrize(("markup", "broken"), [("#there", 0), ("#nowhere", 1), ("gone.html", 1)])
def test_broken_links_of_the_site_are_found(tmp_path, markup, broken):
    (tmp_path / "index.html").write_text(f'<p id="there"><a href="{markup}">x</a></p>')
    script = runpy.run_path(str(HOME / "docs" / "check_links.py"))
    assert len(list(script["broken"](tmp_path.resolve()))) == broken
