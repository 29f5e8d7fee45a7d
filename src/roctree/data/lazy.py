"""Optional and slow modules, imported on first use: ``arrow`` is pyarrow, ``frames`` narwhals.

``arrow.Table`` is ``pyarrow.Table``, ``arrow.csv`` the submodule ``pyarrow.csv``, and
``frames.Series`` is ``narwhals.stable.v2.Series``. Annotations with ``frames`` are strings, because
they would import narwhals otherwise.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from roctree.errors import how_to_install

if TYPE_CHECKING:
    import narwhals.stable.v2 as frames

__all__ = ["arrow", "frames"]

_SUBMODULES = ("compute", "csv", "dataset", "feather", "ipc", "parquet")


class _LazyModule:
    """A module whose names are looked up, and kept, when they are first used."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = self._find(name)
        return value


def _from_pyarrow(name: str) -> Any:
    try:
        pyarrow = import_module("pyarrow")
        if name in _SUBMODULES:
            import_module(f"pyarrow.{name}")
    except ImportError:  # pragma: no cover
        raise ImportError(f"Reading files requires pyarrow: {how_to_install('cli')}.") from None
    return getattr(pyarrow, name)


arrow: Any = _LazyModule(_from_pyarrow)
if not TYPE_CHECKING:
    frames = _LazyModule(lambda name: getattr(import_module("narwhals.stable.v2"), name))
