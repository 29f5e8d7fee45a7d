"""The only import of pyarrow, which reads and writes files."""

from roctree.errors import how_to_install

try:
    import pyarrow as pa
    from pyarrow import compute, csv, dataset, feather, ipc, parquet
except ImportError:  # pragma: no cover
    raise ImportError(f"Reading files requires pyarrow: {how_to_install('cli')}.") from None

__all__ = ["compute", "csv", "dataset", "feather", "ipc", "pa", "parquet"]
