"""Former names, until all callers use the new ones."""

from roctree.data.columns import as_one_row

__all__ = ["as_one_row"]
