"""Former names, until all callers use the new ones."""

from roctree.data.encoding import Unseen, UnseenCategoriesWarning

__all__ = ["Unseen", "UnseenCategoriesWarning"]
