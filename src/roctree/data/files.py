"""Former names, until all callers use the new ones."""

from roctree.data.readers import ColumnChooser as Choice
from roctree.data.readers import cast_columns as as_types
from roctree.data.readers import read_batches as file_batches
from roctree.data.readers import read_column_names as file_columns
from roctree.data.readers import read_file
from roctree.data.readers import require_columns as all_of

__all__ = ["Choice", "all_of", "as_types", "file_batches", "file_columns", "read_file"]
