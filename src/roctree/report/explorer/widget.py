"""The explorer as a widget of a notebook, by anywidget, from the source of the page."""

from importlib import import_module
from typing import Any

from roctree.errors import how_to_install
from roctree.report.explorer.page import as_json
from roctree.report.explorer.script import joined, style


def widget_of(document: dict[str, Any]) -> Any:
    """Return a widget that shows a data document."""
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise ImportError(
            f"Without a path the explorer is a widget for notebooks: {how_to_install('notebook')}, "
            'or write a page by explore("tree.html").'
        ) from None
    made = type(
        "Explorer",
        (anywidget.AnyWidget,),
        {
            "_esm": widget_script(),
            "_css": style(),
            "document": traitlets.Unicode().tag(sync=True),
        },
    )
    return made(document=as_json(document))


def widget_script() -> str:
    """Return the script of the widget as the module that anywidget loads."""
    return joined("widget") + "\nexport default { render };\n"
