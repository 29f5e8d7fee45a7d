"""New cases of a kind that is known: the columns of a schema, and labels among its classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data.arrow import compute, pa
from roctree.data.column import category_text
from roctree.data.dataset import Schema
from roctree.errors import DataError


def types_of(schema: Schema) -> dict[str, Any]:
    """Return the types as which the columns of new files are to be read."""
    return {
        name: _type(categories)
        for name, categories in zip(schema.names, schema.categories, strict=True)
    }


def target_of(table: Any, schema: Schema) -> str:
    """Return the column that holds the classes: the only one that can."""
    found = [
        name
        for name in table.column_names
        if name not in schema.names and _holds_classes(table.column(name), schema.classes)
    ]
    if len(found) == 1:
        return str(found[0])
    which = ", ".join(map(repr, found)) if found else "no column"
    raise DataError(
        f"the classes {', '.join(map(repr, schema.classes.tolist()))} are in {which}: name the "
        "column by --target."
    )


def type_of_labels(name: str, classes: NDArray[Any]) -> dict[str, Any]:
    """Return as what the column of labels is to be read: texts as they are written."""
    kinds = {"b": pa.bool_(), "i": pa.float64(), "u": pa.float64(), "f": pa.float64()}
    return {name: kinds[classes.dtype.kind]} if classes.dtype.kind in kinds else {}


def labels_of_column(column: Any, classes: NDArray[Any], name: str, begin: int = 0) -> NDArray[Any]:
    """Return the labels as the classes are written: 1, 1.0 and "1" are one.

    Parameters
    ----------
    column : of a table
    classes : their labels
    name : of the column
    begin : how many rows come before it
    """
    by_text = {category_text(label): label for label in classes.tolist()}
    if column.null_count:
        row = compute.index(compute.is_null(column), True).as_py()
        raise DataError(f"the label {name!r} of row {begin + row + 1} is missing: drop such rows.")
    encoded = _encoded(column)
    values = encoded.dictionary.to_pylist()
    stranger = next((value for value in values if category_text(value) not in by_text), None)
    if stranger is not None:
        raise DataError(
            f"{name!r} has the label {stranger!r}, which is no class of the tree; the classes are "
            f"{', '.join(map(repr, classes.tolist()))}."
        )
    labels = np.array([by_text[category_text(value)] for value in values], dtype=classes.dtype)
    return np.asarray(labels[encoded.indices.to_numpy()])


def _encoded(column: Any) -> Any:
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded


def _holds_classes(column: Any, classes: NDArray[Any]) -> bool:
    known = {category_text(label) for label in classes.tolist()}
    present = column.drop_null()
    if len(present) == 0 or compute.count_distinct(present).as_py() > len(known):
        return False
    return {category_text(value) for value in present.unique().to_pylist()} <= known


def _type(categories: Sequence[Any] | None) -> Any:
    if categories is None:
        return pa.float64()
    for kind, type_ in ((bool, pa.bool_()), (int, pa.int64()), (float, pa.float64())):
        if categories and all(isinstance(category, kind) for category in categories):
            return type_
    return pa.string()
