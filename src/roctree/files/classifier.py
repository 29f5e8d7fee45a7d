"""What files hold of any classifier: its parameters, and the columns and classes it knows."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from roctree.data import Schema
from roctree.errors import ModelFileError, ParameterError
from roctree.files import values
from roctree.files.section import Section


def plain_parameters(model: Any, forgotten: list[str]) -> dict[str, Any]:
    """Return the parameters as values of JSON.

    Parameters
    ----------
    model : the classifier
    forgotten : receives the words for what a file cannot hold
    """
    parameters = {
        name: values.plain_or_name(value) for name, value in model.get_params(deep=False).items()
    }
    forgotten += [
        f"{name}={value['not_kept']}"
        for name, value in parameters.items()
        if values.is_forgotten(value)
    ]
    return parameters


def unfitted(cls: Any, section: Section, check: Callable[[Any], None]) -> Any:
    """Return a classifier that is not fitted; parameters that are younger than the file default.

    Parameters
    ----------
    cls : its class
    section : the document
    check : refuses, by a ``ParameterError``, a classifier whose parameters make no sense
    """
    given = section.values["parameters"]
    known = cls._get_param_names()
    if not isinstance(given, dict) or not set(given) <= set(known):
        section.refuse("parameters", "has one that this release does not know")
    model = cls(**{name: values.restored(given[name], f"parameter {name!r}") for name in given})
    try:
        check(model)
    except ParameterError as error:
        raise ModelFileError(f"'parameters' of the file make no sense: {error}") from None
    return model


def fitted(model: Any, schema: Schema, attributes: Mapping[str, Any]) -> Any:
    """Return the classifier with what ``fit`` has set: of the schema, and these attributes."""
    of_schema = {
        "schema_": schema,
        "classes_": schema.classes,
        "n_classes_": schema.n_classes,
        "n_features_in_": schema.n_features,
    }
    if schema.named:
        of_schema["feature_names_in_"] = np.array(schema.names, dtype=object)
    for name, value in {**of_schema, **attributes}.items():
        setattr(model, name, value)
    return model
