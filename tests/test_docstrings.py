"""The docstrings of the reference follow numpydoc: parameters, returned values, an example."""

import inspect
import re
from pathlib import Path

import pytest

import roctree

validation = pytest.importorskip("numpydoc.validate")

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "api.md"
BLOCK = re.compile(r"\.\. autosummary::\n((?: {3}:.*\n)+)\n((?: {3}\S+\n)+)")
# Conventions of this project that differ from numpydoc's, and rules of other linters.
IGNORED = {
    "ES01",  # a summary may be all there is to say
    "GL01",  # the summary begins in the first line
    "GL02",
    "GL03",
    "GL08",  # ruff requires docstrings
    "PR06",  # types are described in words: "array of shape (n,)"
    "PR08",  # descriptions may begin with the name of an option
    "PR09",
    "RT02",  # the returned value may be named
    "RT03",
    "RT04",
    "RT05",
    "SA01",  # links are in the pages
    "SS03",
    "SS05",
    "SS06",
    "YD01",
}


def listed():
    """Names in the reference; of classes shown with their members, these too."""
    for options, names in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for name in names.split():
            yield f"roctree.{name}"
            if "class.rst" in options:
                yield from members(f"roctree.{name}")


def members(path):
    kind = roctree
    for part in path.split(".")[1:]:
        kind = getattr(kind, part)
    for name, member in inspect.getmembers_static(kind):
        function = inspect.unwrap(getattr(member, "__func__", member))
        ours = inspect.isfunction(function) and function.__module__.startswith("roctree")
        if ours and not name.startswith("_"):
            yield f"{path}.{name}"


def test_every_docstring_follows_numpydoc_and_has_an_example():
    names = sorted(set(listed()))
    assert len(names) > 150
    errors = []
    for name in names:
        found = validation.validate(name)
        place = f"{found['file']}:{found['file_line']}"
        errors += [(place, *error) for error in found["errors"] if error[0] not in IGNORED]
    assert errors == []
