"""Data from any source as one matrix of numbers and category codes, with its schema.

=============  ====================================================================================
``dataset``    ``Dataset``: matrix, labels, weights and schema
``encoding``   ``Schema``, and encoding any table by it
``columns``    arrays, lists and data frames as named columns
``readers``    tables from files: ARFF, Parquet, Feather, and with ``csv_file`` CSV; ``streams``
``roles``      which columns of a file are attributes, target and weight
``lazy``       pyarrow as ``arrow`` and narwhals as ``frames``, imported on first use
=============  ====================================================================================

The names below do not need pyarrow. Those of ``readers`` and ``roles`` do, which is optional;
import them from their modules.
"""

from roctree.data.columns import (
    Categories,
    EncodedRows,
    as_one_row,
    category_text,
    take_cells,
    take_rows,
)
from roctree.data.dataset import (
    LARGEST_TOTAL_WEIGHT,
    SMALLEST_LARGEST_WEIGHT,
    Dataset,
    IdentifierWarning,
    check_rows_given,
    check_test_cases,
    check_weights,
    encode_known_labels,
    encode_labels,
    light_scale,
    remarks_on_categories,
    warn_about_many_categories,
    warn_about_single_class,
    warn_about_training_data,
)
from roctree.data.encoding import (
    CategoricalFeatures,
    Schema,
    Unseen,
    UnseenCategoriesWarning,
    encode_columns,
    learn_columns,
)

__all__ = [
    "LARGEST_TOTAL_WEIGHT",
    "SMALLEST_LARGEST_WEIGHT",
    "CategoricalFeatures",
    "Categories",
    "Dataset",
    "EncodedRows",
    "IdentifierWarning",
    "Schema",
    "Unseen",
    "UnseenCategoriesWarning",
    "as_one_row",
    "category_text",
    "check_rows_given",
    "check_test_cases",
    "check_weights",
    "encode_columns",
    "encode_known_labels",
    "encode_labels",
    "learn_columns",
    "light_scale",
    "remarks_on_categories",
    "take_cells",
    "take_rows",
    "warn_about_many_categories",
    "warn_about_single_class",
    "warn_about_training_data",
]
