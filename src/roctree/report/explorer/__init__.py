"""The explorer: an interactive page, or a notebook widget, of a model and its operating points."""

from os import PathLike
from pathlib import Path
from typing import Any

from roctree.files.atomic import write_whole
from roctree.fitted import FittedModel
from roctree.report.explorer.document import data_document
from roctree.report.explorer.page import make_widget, page_text

__all__ = ["data_document", "explore", "make_widget", "page_text"]


def explore(
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
