"""Generate the tables of the pages on criteria, smoothing, pruning and presets from the registries.

Usage: ``python docs/make_tables.py``. A test fails if a page and its registry differ.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from textwrap import dedent
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from roctree import ROCTreeClassifier
from roctree.criteria import CRITERIA
from roctree.presets import PRESETS
from roctree.pruning import PRUNING, need
from roctree.smoothing import SMOOTHING

PAGES = Path(__file__).parent / "reference"
CORRECTIONS = {
    "none": "nothing",
    "log2": "log2 of the number of branches",
    "split_info": "split information",
}
EVIDENCE = {
    "counts": "counts",
    "training": "training data",
    "held_out": "held-out cases",
    "folds": "cross-validation, or held-out cases",
}


@dataclass(frozen=True)
class Subject:
    """A registry, and the columns of its table besides name, class and description."""

    registry: dict[str, Any]
    columns: dict[str, Any]  # head of the column -> function of the strategy

    def tables(self):
        return [_strategies(self), _options(self.registry)]


@dataclass(frozen=True)
class Presets:
    """Functions that return estimators, and the parameters that each sets."""

    registry: dict[str, Any]

    def tables(self):
        return [_systems(self.registry), _settings(self.registry)]


def main():
    for name in SUBJECTS:
        path = PAGES / f"{name}.md"
        path.write_text(page(name, path.read_text(encoding="utf-8")), encoding="utf-8")


def page(name, text):
    """Return the page with its tables generated again."""
    begin = f"<!-- {name}:begin, written by docs/make_tables.py -->"
    end = f"<!-- {name}:end -->"
    before, after = text.split(begin)[0], text.split(end)[1]
    return before + "\n\n".join([begin, *SUBJECTS[name].tables(), end]) + after


def _strategies(subject):
    rows = [
        [
            f"`{name}`",
            f"`{type(strategy).__name__}`",
            _what_it_is(strategy),
            *[cell(strategy) for cell in subject.columns.values()],
        ]
        for name, strategy in subject.registry.items()
    ]
    return _table(["name", "class", "description", *subject.columns], rows)


def _options(registry):
    rows = []
    for strategy in registry.values():
        for field in fields(strategy):
            kind = get_type_hints(type(strategy))[field.name]
            rows.append(
                [
                    f"`{type(strategy).__name__}`",
                    f"`{field.name}`",
                    _choices(kind),
                    f"`{field.default!r}`",
                    _meaning(strategy, field.name),
                ]
            )
    return _table(["class", "option", "choices", "default", "meaning"], rows)


def _systems(registry):
    rows = []
    for name, preset in registry.items():
        system, settings, *_ = inspect.getdoc(preset).split("\n\n")
        rows.append([f"`{name}`", system.rstrip("."), " ".join(settings.split())])
    return _table(["preset", "system", "settings"], rows)


def _settings(registry):
    """A row for each parameter that some preset sets to other than its default."""
    usual = ROCTreeClassifier().get_params(deep=False)
    chosen = {name: preset().get_params(deep=False) for name, preset in registry.items()}
    rows = [
        [f"`{parameter}`", f"`{default!r}`"]
        + [_unless_usual(found[parameter], default) for found in chosen.values()]
        for parameter, default in usual.items()
        if any(found[parameter] != default for found in chosen.values())
    ]
    return _table(["parameter", "default", *(f"`{name}`" for name in registry)], rows)


def _unless_usual(value, default):
    if value == default:
        return ""
    if not hasattr(value, "__dataclass_fields__"):
        return f"`{value!r}`"
    given = [
        f"{field.name}={getattr(value, field.name)!r}"
        for field in fields(value)
        if getattr(value, field.name) != field.default
    ]
    return f"`{type(value).__name__}({', '.join(given)})`"


def _what_it_is(strategy):
    """The first paragraph of the docstring."""
    return " ".join(inspect.getdoc(type(strategy)).split("\n\n")[0].split())


def _correction(criterion):
    return CORRECTIONS[criterion.children_correction]


def _bounded(criterion):
    two, more = criterion.convex(2), criterion.convex(3)
    return {(True, True): "yes", (True, False): "with two classes", (False, False): "no"}[two, more]


def _grid(smoother):
    grid = getattr(smoother, "grid", {})
    return "; ".join(f"`{option}` of {_numbers(tried)}" for option, tried in grid.items()) or "—"


def _evidence(pruner):
    return EVIDENCE[need(pruner)] + "; costs" * hasattr(pruner, "costs")


def _numbers(values):
    return ", ".join(f"{value:g}" for value in values)


def _choices(kind):
    if get_origin(kind) in (Union, UnionType):
        return ", ".join(map(_choices, get_args(kind)))
    if get_origin(kind) is Literal:
        return ", ".join(f"`{choice!r}`" for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return "matrix" if get_origin(get_args(kind)[0]) is tuple else "a number per class"
    names = {float: "a number", int: "an integer", NoneType: "`None`", Mapping: "dict"}
    names |= {bool: "`False`, `True`"}
    return names[get_origin(kind) or kind]


def _meaning(strategy, option):
    """Return the docstring's entry for an option, from the class or one of its bases."""
    for kind in type(strategy).__mro__[:-1]:
        found = _documented(kind).get(option)
        if found:
            return found
    raise LookupError(f"{type(strategy).__name__} does not document its option {option}")


def _documented(kind):
    """Return the entries of the docstring's section on parameters."""
    section = inspect.getdoc(kind).partition("Parameters\n----------\n")[2]
    entries = re.findall(r"^(\w+)(?: : .*)?\n((?: {4}.*\n?)+)", section, re.MULTILINE)
    return {name: " ".join(dedent(text).split()) for name, text in entries}


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(cell):
    return cell.replace("|", "\\|")


SUBJECTS = {
    "criteria": Subject(CRITERIA, {"gain divided by": _correction, "convex": _bounded}),
    "smoothing": Subject(SMOOTHING, {'`"auto"` tries': _grid}),
    "pruning": Subject(PRUNING, {"evidence": _evidence}),
    "presets": Presets(PRESETS),
}

if __name__ == "__main__":
    main()
