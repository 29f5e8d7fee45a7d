"""The explorer: one page, or one widget, to move the costs and watch the leaves relabel."""

from os import PathLike
from pathlib import Path
from typing import Any

from roctree.report.explorer.document import data_document
from roctree.report.explorer.page import make_widget, page_text

__all__ = ["data_document", "explore", "make_widget", "page_text"]


def explore(
    estimator: Any,
    path: str | PathLike[str] | None = None,
    X_test: Any = None,
    y_test: Any = None,
    **options: Any,
) -> Any:
    """Write the page of a fitted model and return its path; without a path return a widget.

    Parameters
    ----------
    estimator : the fitted model
    path : the file to write
    X_test, y_test : cases that did not grow the tree
    options : of ``data_document``
    """
    document = data_document(estimator, X_test, y_test, **options)
    if path is None:
        return make_widget(document)
    file = Path(path)
    file.write_text(page_text(document), encoding="utf-8")
    return file
