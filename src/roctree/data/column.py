"""Former names, until all callers use the new ones."""

from roctree.data.columns import Categories, category_text

__all__ = ["Categories", "category_text"]
