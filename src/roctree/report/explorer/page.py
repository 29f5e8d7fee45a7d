"""The page and the widget of the explorer: a data document, a style and a script.

The page is one file that loads nothing from the network. Names from data reach it as JSON only, in
which no character can end the script element, and the script inserts them as text, never as HTML. A
content security policy lists the style and the script by their hashes, so nothing else can run.

The script is written as ordinary JavaScript modules. They are joined here: each becomes a function
that is called once and returns what the module exports, after the modules that it imports. There is
no build step.
"""

import html
import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from roctree._version import __version__
from roctree.errors import how_to_install
from roctree.files.atomic import write_whole
from roctree.fitted import FittedModel
from roctree.report.explorer.document import data_document

# Characters that could end a script element, open a comment in it, or end a line in old scripts.
_UNSAFE = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}
# Later style sheets take precedence: those for screens and print come last.
_STYLES = ("base", "controls", "panes", "numbers", "screens")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|let) (\w+))", re.MULTILINE)


def show_or_write(
    model: FittedModel,
    path: str | PathLike[str] | None = None,
    X_test: Any = None,
    y_test: Any = None,
    **options: Any,
) -> Any:
    """Write the page of a fitted model and return its path; without a path return a widget.

    Parameters
    ----------
    model : FittedModel
    path : path-like or None
        The file to write; it is replaced once the page is complete.
    X_test, y_test : test cases
    **options
        Options of ``data_document``.
    """
    document = data_document(model, X_test, y_test, **options)
    if path is None:
        return make_widget(document)
    file = Path(path)
    write_whole(file, page_text(document).encode("utf-8"))
    return file


def page_text(document: dict[str, Any]) -> str:
    """Return the page of a data document as HTML."""
    looks = source("page.css") + style()
    script = "\n" + joined_script("page")
    return Template(source("page.html")).substitute(
        policy=_policy(looks, script),
        generator=html.escape(f"roctree {__version__}"),
        title=html.escape(str(document["title"])),
        fallback="This page draws a decision tree with JavaScript, which is switched off here.",
        style=looks,
        data=as_json(document),
        script=script,
    )


def make_widget(document: dict[str, Any]) -> Any:
    """Return a notebook widget that shows a data document."""
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise ImportError(
            f"Without a path, explore returns a notebook widget: {how_to_install('notebook')}, or "
            'write a page with explore("tree.html").'
        ) from None
    widget = type(
        "Explorer",
        (anywidget.AnyWidget,),
        {
            "_esm": widget_script(),
            "_css": style(),
            "document": traitlets.Unicode().tag(sync=True),
        },
    )
    return widget(document=as_json(document))


def widget_script() -> str:
    """Return the script of the widget as the module that anywidget loads."""
    return joined_script("widget") + "\nexport default { render };\n"


def as_json(document: dict[str, Any]) -> str:
    """Return a document as JSON that is safe inside a script element."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


@cache
def source(name: str) -> str:
    """Return the text of a file beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style sheets as one."""
    return "\n".join(source(f"style/{name}.css") for name in _STYLES)


@cache
def joined_script(entry: str) -> str:
    """Return a script module and everything that it imports as one text, without exports."""
    order: list[str] = []
    _visit(entry, order, [])
    *others, last = order
    parts = [f"const {_variable(name)} = (() => {{\n{_body(name)}{_exports(name)}}})();\n"
             for name in others]  # fmt: skip
    return "".join(parts) + _body(last)


def _visit(name: str, order: list[str], above: list[str]) -> None:
    """List the modules that a module imports, before it."""
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
