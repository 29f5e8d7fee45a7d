"""Former names, until all callers use the new ones."""

from roctree.data.streams import is_pipe

__all__ = ["is_pipe"]
