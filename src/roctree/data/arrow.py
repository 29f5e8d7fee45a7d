"""The only import of pyarrow, which reads and writes files."""

try:
    import pyarrow as pa
    from pyarrow import compute, csv, dataset, feather, ipc, parquet
except ImportError:  # pragma: no cover
    raise ImportError(
        "Files are read and written by pyarrow: pip install 'roctree[cli]'."
    ) from None

__all__ = ["compute", "csv", "dataset", "feather", "ipc", "pa", "parquet"]
