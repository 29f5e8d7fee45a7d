"""Models as files: one JSON document each, safe for untrusted input.

``docs/reference/file-format.md`` describes the format, and ``schema.json`` beside this file is its
JSON Schema. A file is read from bytes to JSON (``document``), from JSON to checked values
(``parts``), and from these to a fitted model (``fitted_tree`` and the modules in ``KINDS``);
nothing in it is executed. ``load_fitted`` returns the model and does not need scikit-learn;
``load`` returns an estimator around it.

To add a kind of model: write its ``SECTIONS``, ``write`` and ``read`` in a module, and add a line
to ``KINDS``.
"""

import os
import warnings
from collections.abc import Collection
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from roctree.errors import ModelFileError, ParameterError
from roctree.files.atomic import write_whole
from roctree.files.document import HEAD_SIZE, VERSION, Section, check_version, decode, encode
from roctree.files.parts import read_calibration, write_calibration
from roctree.fitted import FittedModel, FittedNodes, FittedScores

__all__ = [
    "KINDS",
    "ModelKind",
    "as_bytes",
    "as_estimator",
    "check_can_be_saved",
    "from_bytes",
    "load",
    "load_fitted",
    "save",
]


class ModelKind(NamedTuple):
    """The modules of a kind of model.

    Parameters
    ----------
    estimator : str
        Module of the estimator.
    codec : str
        Module with ``SECTIONS``, the names of its sections; ``write(model, omitted)``, which
        returns them and appends to ``omitted`` the parameters that a file cannot hold; and
        ``read(section)``, which returns the fitted model.
    """

    estimator: str
    codec: str


# By the name of the estimator; as strings, because the modules are above this package and most of
# them are not needed.
KINDS: dict[str, ModelKind] = {
    "ROCTreeClassifier": ModelKind("roctree.estimator", "roctree.files.fitted_tree"),
    "NaiveBayesTreeClassifier": ModelKind("roctree.models.nbtree", "roctree.models.naive_bayes"),
    "MultiscaleClassifier": ModelKind("roctree.models.multiscale", "roctree.models.cells"),
}


def save(model: FittedModel, path: str | os.PathLike[str], *, stacklevel: int = 1) -> None:
    """Write a fitted model to a file; an existing file is replaced once the new one is complete."""
    omitted: list[str] = []
    data = as_bytes(model, omitted)
    write_whole(Path(path), data)
    if omitted:
        warnings.warn(
            f"{', '.join(omitted)}: model files do not store custom code or values that JSON "
            "cannot represent. The loaded model predicts the same; set the parameter again before "
            "you fit, smooth or prune with it.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that ``save`` has written, in this release or an earlier one.

    Untrusted files are safe: every value is checked, and nothing is executed.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    ROCTreeClassifier, NaiveBayesTreeClassifier or MultiscaleClassifier

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import roctree
    >>> tree = roctree.ROCTreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
    >>> with TemporaryDirectory() as folder:
    ...     tree.save(Path(folder) / "tree.json")
    ...     again = roctree.load(Path(folder) / "tree.json")
    >>> again.predict([[2.6]])
    array(['yes'], dtype='<U3')
    """
    return as_estimator(load_fitted(path))


def load_fitted(path: str | os.PathLike[str]) -> FittedModel:
    """Read a fitted model from a file, without its estimator and without scikit-learn."""
    try:
        with Path(path).open("rb") as file:
            # A file that is not a model may be endless.
            head = file.read(HEAD_SIZE)
            check_version(head)
            data = head + file.read()
        return from_bytes(data)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


def as_estimator(model: FittedModel) -> Any:
    """Return the scikit-learn estimator of a fitted model."""
    name = model.estimator_name
    estimator = getattr(import_module(KINDS[name].estimator), name)(**model.parameters)
    estimator.fitted_ = model
    return estimator


def check_can_be_saved(estimator: type) -> None:
    """Reject a class of estimators, such as a subclass, that files cannot restore."""
    name = estimator.__name__
    if name not in KINDS or estimator.__module__ != KINDS[name].estimator:
        raise ParameterError(f"A {name} cannot be saved; only {', '.join(KINDS)} can.")


def as_bytes(model: FittedModel, omitted: list[str] | None = None) -> bytes:
    """Return the content of a model's file.

    Parameters
    ----------
    model : FittedModel
        The model.
    omitted : list of str, optional
        Receives the parameters whose value a file cannot hold.
    """
    name = model.estimator_name
    codec = import_module(KINDS[name].codec)
    sections = {"estimator": name, **codec.write(model, [] if omitted is None else omitted)}
    if model.calibration is not None:
        sections["calibration"] = write_calibration(model.calibration)
    return encode(sections, _first_version(sections, codec))


def _first_version(sections: Collection[str], codec: Any) -> int:
    """Return the first version of the format that has these sections."""
    return VERSION if any(name in sections for name in _later_sections(codec)) else 1


def _later_sections(codec: Any) -> tuple[str, ...]:
    """Return the sections of a kind of model that version 1 of the format did not have."""
    return getattr(codec, "LATER_SECTIONS", ())


def from_bytes(data: bytes) -> FittedModel:
    """Return the model of a file's content; raise ``ModelFileError`` if it is not one."""
    version, document = decode(data)
    name = document.get("estimator")
    if not isinstance(name, str) or name not in KINDS:
        raise ModelFileError("The file has a kind of model that this release does not know.")
    codec = import_module(KINDS[name].codec)
    if version != _first_version(document, codec):
        raise ModelFileError(
            f"The file has version {version} of the format, but not the sections of that version."
        )
    required = ("estimator", *codec.SECTIONS)
    optional = ("calibration", *_later_sections(codec))
    section = Section.from_value(document, "the file", required, optional)
    model: FittedModel = codec.read(section)
    if "calibration" not in document:
        return model
    calibration = read_calibration(section, model.schema.n_classes)
    nodes = None
    if isinstance(model, FittedNodes) and not isinstance(model, FittedScores):
        nodes = model.probabilities.shape
    if (None if calibration.scores is None else calibration.scores.shape) != nodes:
        section.reject("calibration", "is not that of the nodes")
    return replace(model, calibration=calibration)
