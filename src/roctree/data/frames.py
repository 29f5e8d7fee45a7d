"""Lazy import of narwhals on first use: ``from roctree.data import frames``.

``frames.Series`` is ``narwhals.stable.v2.Series``. Annotations with it are strings, because they
would import narwhals otherwise.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narwhals.stable.v2 import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = globals()[name] = getattr(import_module("narwhals.stable.v2"), name)
    return value
