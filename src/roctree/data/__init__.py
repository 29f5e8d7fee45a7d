"""Data of any origin as one matrix of numbers and category codes, with its schema."""

from roctree.data.dataset import (
    Dataset,
    Schema,
    warn_of_identifiers,
    warn_of_names_of_rows,
)
from roctree.data.encode import encode_columns, learn_columns
from roctree.data.labels import (
    check_rows_given,
    check_test_cases,
    check_weights,
    encode_labels,
)
from roctree.data.rows import Rows

__all__ = [
    "Dataset",
    "Rows",
    "Schema",
    "check_rows_given",
    "check_test_cases",
    "check_weights",
    "encode_columns",
    "encode_labels",
    "learn_columns",
    "warn_of_identifiers",
    "warn_of_names_of_rows",
]
