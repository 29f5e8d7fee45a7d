"""Write the tables of ``docs/criteria.md`` from the registry of criteria.

Usage: ``python docs/make_tables.py``. A test fails where the page and the registry differ.
"""

import inspect
import re
from dataclasses import fields
from pathlib import Path
from textwrap import dedent
from typing import Literal, get_args, get_origin, get_type_hints

from roctree.criteria import CRITERIA

PAGE = Path(__file__).parent / "criteria.md"
BEGIN = "<!-- criteria:begin, written by docs/make_tables.py -->"
CORRECTIONS = {
    "none": "nothing",
    "log2": "log2 of the branches",
    "split_info": "split's information",
}
END = "<!-- criteria:end -->"


def main():
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text):
    """The page with its tables made anew."""
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return "".join([before, BEGIN, "\n\n", _criteria(), "\n\n", _options(), "\n\n", END, after])


def _criteria():
    rows = [
        [
            f"`{name}`",
            f"`{type(criterion).__name__}`",
            _what_it_is(criterion),
            CORRECTIONS[criterion.children_correction],
            _bounded(criterion),
        ]
        for name, criterion in CRITERIA.items()
    ]
    head = ["name", "class", "what it is", "improvement divided by", "bounds save candidates"]
    return _table(head, rows)


def _options():
    rows = []
    for criterion in CRITERIA.values():
        for field in fields(criterion):
            kind = get_type_hints(type(criterion))[field.name]
            rows.append(
                [
                    f"`{type(criterion).__name__}`",
                    f"`{field.name}`",
                    _choices(kind),
                    f"`{field.default!r}`",
                    _meaning(criterion, field.name),
                ]
            )
    return _table(["class", "option", "choices", "default", "meaning"], rows)


def _what_it_is(criterion):
    """The first paragraph of the docstring."""
    return " ".join(inspect.getdoc(type(criterion)).split("\n\n")[0].split())


def _bounded(criterion):
    two, more = criterion.convex(2), criterion.convex(3)
    return {(True, True): "yes", (True, False): "with two classes", (False, False): "no"}[two, more]


def _choices(kind):
    if get_origin(kind) is Literal:
        return ", ".join(f"`{choice!r}`" for choice in get_args(kind))
    return {bool: "`False`, `True`", float: "a number"}[kind]


def _meaning(criterion, option):
    """What the criterion's docstring says of an option, else what another's says."""
    for each in [criterion, *CRITERIA.values()]:
        found = _documented(type(each)).get(option)
        if found:
            return found
    raise LookupError(f"no criterion documents its option {option}")


def _documented(kind):
    """The entries of the docstring's section on parameters."""
    section = inspect.getdoc(kind).partition("Parameters\n----------\n")[2]
    entries = re.findall(r"^(\w+)\n((?: {4}.*\n?)+)", section, re.MULTILINE)
    return {name: " ".join(dedent(text).split()) for name, text in entries}


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(cell):
    return cell.replace("|", "\\|")


if __name__ == "__main__":
    main()
