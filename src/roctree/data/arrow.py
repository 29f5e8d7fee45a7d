"""The only import of pyarrow, which reads and writes files."""

from typing import Any

from roctree.errors import how_to_install

try:
    import pyarrow as pa
    from pyarrow import compute, csv, feather, ipc, parquet
except ImportError:  # pragma: no cover
    raise ImportError(f"Reading files requires pyarrow: {how_to_install('cli')}.") from None

__all__ = ["compute", "csv", "feather", "ipc", "pa", "parquet"]  # and dataset, see below


def __getattr__(name: str) -> Any:
    if name != "dataset":
        raise AttributeError(name)
    # Imported on demand: it loads pandas, which takes longer than all the rest of pyarrow.
    from pyarrow import dataset

    return dataset
