"""The explorer: an interactive page, or a notebook widget, of a model and its operating points."""

from roctree.report.explorer.document import data_document
from roctree.report.explorer.page import explore, make_widget, page_text, show_or_write

__all__ = ["data_document", "explore", "make_widget", "page_text", "show_or_write"]
