"""The modules of the page's script, joined into one that needs no other file; and its style.

Each becomes a function that is called once and returns what the module exports; modules that it
imports come before it. So they can be written, read and tested as ordinary modules, and there is
nothing to build.
"""

import re
from functools import cache
from importlib.resources import files

# Later ones win: what screens and paper change comes last.
_STYLES = ("base", "controls", "panes", "numbers", "screens")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|let) (\w+))", re.MULTILINE)


@cache
def source(name: str) -> str:
    """Return the text of a file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style of the explorer."""
    return "\n".join(source(f"style/{name}.css") for name in _STYLES)


@cache
def joined(entry: str) -> str:
    """Return a module and all that it imports as one text, without its exports."""
    order: list[str] = []
    _visit(entry, order, [])
    *others, last = order
    parts = [f"const {_variable(name)} = (() => {{\n{_body(name)}{_exports(name)}}})();\n"
             for name in others]  # fmt: skip
    return "".join(parts) + _body(last)


def _visit(name: str, order: list[str], above: list[str]) -> None:
    """List the modules that one imports before it."""
    if name in above:
        raise ValueError(f"The modules {' -> '.join([*above, name])} import each other.")
    for _, needed in _IMPORT.findall(_text(name)):
        if needed not in order:
            _visit(needed, order, [*above, name])
    order.append(name)


def _text(name: str) -> str:
    return source(f"script/{name}.js")


def _body(name: str) -> str:
    imported = _IMPORT.sub(
        lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", _text(name)
    )
    return _EXPORT.sub(r"\1", imported)


def _exports(name: str) -> str:
    names = [found[1] for found in _EXPORT.findall(_text(name))]
    return f"return {{ {', '.join(names)} }};\n"


def _variable(name: str) -> str:
    return f"module_{name.replace('-', '_')}"
