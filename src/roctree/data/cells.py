"""Former names, until all callers use the new ones."""

from roctree.data.columns import take_cells, take_rows

__all__ = ["take_cells", "take_rows"]
