"""Former names of :mod:`roctree.text`, until all callers use the new ones."""

from roctree.text import Alignment as Side
from roctree.text import data_frame as as_frame
from roctree.text import escape_unprintable as on_one_line
from roctree.text import html_table as as_html
from roctree.text import pluralize as amount
from roctree.text import quote_if_needed as plain
from roctree.text import rich_table as as_rich
from roctree.text import text_table as as_text

__all__ = ["Side", "amount", "as_frame", "as_html", "as_rich", "as_text", "on_one_line", "plain"]
