"""Names, categories and classes as values of JSON, and back."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roctree.data import Schema
from roctree.errors import ParameterError
from roctree.files.section import Section
from roctree.files.values import NoWordError, array_of, dtype_name, plain, restored_scalar
from roctree.files.values import scalar as plain_scalar

FIELDS = ("named", "columns", "classes")


def plain_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as values of JSON."""
    columns = [
        {"name": name, "categories": _plain_categories(name, categories)}
        for name, categories in zip(schema.names, schema.categories, strict=True)
    ]
    return {"named": schema.named, "columns": columns, "classes": _plain_classes(schema.classes)}


def restored_schema(section: Section, name: str) -> Schema:
    """Return the schema from a section of a document."""
    found = section.section(name, FIELDS)
    columns = [
        Section.of(column, f"a column of {found.place}", ("name", "categories"))
        for column in found.items("columns")
    ]
    names = tuple(column.text("name") for column in columns)
    if not names or len(set(names)) < len(names):
        found.refuse("columns", "has no names, or one twice")
    categories = tuple(_categories(column) for column in columns)
    return Schema(names, categories, _classes(found), found.flag("named"))


def _plain_categories(name: str, categories: tuple[Any, ...] | None) -> list[Any] | None:
    if categories is None:
        return None
    try:
        return [plain_scalar(category) for category in categories]
    except NoWordError as error:
        raise _unwritable(f"column {name!r} has categories", categories[0]) from error


def _plain_classes(classes: NDArray[Any]) -> dict[str, Any]:
    try:
        return {"type": dtype_name(classes), "labels": plain(classes.tolist())}
    except NoWordError as error:
        raise _unwritable("The classes are", classes[0]) from error


def _unwritable(what: str, example: Any) -> ParameterError:
    return ParameterError(
        f"{what} such as {example!r}, a {type(example).__name__}, which model files do not hold: "
        "fit with text or numbers instead."
    )


def _categories(column: Section) -> tuple[Any, ...] | None:
    if not column.has("categories"):
        return None
    found = [
        restored_scalar(item, f"a category of column {column.values['name'][:40]!r}")
        for item in column.items("categories")
    ]
    if not _of_one_kind(found) or len(set(found)) < len(found):
        column.refuse("categories", "mixes text with numbers, or has one twice")
    return tuple(found)


def _classes(section: Section) -> NDArray[Any]:
    found = section.section("classes", ("type", "labels"))
    labels = [restored_scalar(item, "a class") for item in found.items("labels")]
    if not labels or not _of_one_kind(labels):
        found.refuse("labels", "has no classes, or mixes text with numbers")
    classes = array_of(labels, found.values["type"], "classes")
    kept = classes.tolist()
    if not all(before < after for before, after in pairwise(kept)):
        found.refuse("labels", "is not in increasing order")
    if classes.dtype != np.object_ and kept != labels:
        found.refuse("labels", "does not fit its type")
    return classes


def _of_one_kind(values: list[Any]) -> bool:
    """Return whether values are all text, or all numbers, of which NaN is none."""
    text = [isinstance(value, str) for value in values]
    return (all(text) or not any(text)) and all(value == value for value in values)
