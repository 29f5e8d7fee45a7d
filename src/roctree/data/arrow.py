"""Lazy import of pyarrow on first use: ``from roctree.data import arrow``.

``arrow.Table`` is ``pyarrow.Table``, and ``arrow.csv`` the submodule ``pyarrow.csv``.
"""

from importlib import import_module
from typing import Any

from roctree.errors import how_to_install

_SUBMODULES = ("compute", "csv", "dataset", "feather", "ipc", "parquet")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        pyarrow = import_module("pyarrow")
        if name in _SUBMODULES:
            import_module(f"pyarrow.{name}")
    except ImportError:  # pragma: no cover
        raise ImportError(f"Reading files requires pyarrow: {how_to_install('cli')}.") from None
    value = globals()[name] = getattr(pyarrow, name)
    return value
