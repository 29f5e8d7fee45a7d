"""Models as files: one JSON document each, safe to load from a stranger.

``docs/file-format.md`` says what is in it, ``schema.json`` beside this file says it to programs.
Reading goes from bytes to plain values (``document``), from plain values to checked ones
(``section``, ``values`` and the modules named after what they hold), and from these to a model;
nothing is ever executed. One line of ``KINDS`` adds a kind of model.
"""

import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from roctree.errors import ModelFileError, ParameterError
from roctree.files.atomic import write_whole
from roctree.files.document import HEAD_SIZE, check_version, decode, encode
from roctree.files.section import Section

__all__ = ["KINDS", "Kind", "as_bytes", "from_bytes", "load", "save"]


class Kind(NamedTuple):
    """Where to find the class of a model, and how it becomes a document.

    Parameters
    ----------
    home : module of the class
    codec : module with ``SECTIONS``, the names of its sections, ``plain(model, forgotten)``, which
        returns them and adds to ``forgotten`` what a file cannot hold, and
        ``restored(cls, section)``, which is the way back
    """

    home: str
    codec: str


# By name, because the classes are above this package and most of them are not needed.
KINDS: dict[str, Kind] = {
    "ROCTreeClassifier": Kind("roctree.estimator", "roctree.files.roc_tree"),
    "NaiveBayesTreeClassifier": Kind(
        "roctree.models.nbtree.estimator", "roctree.models.nbtree.file"
    ),
    "MultiscaleClassifier": Kind(
        "roctree.models.multiscale.estimator", "roctree.models.multiscale.file"
    ),
}


def save(model: Any, path: str | os.PathLike[str], *, stacklevel: int = 1) -> None:
    """Write a fitted model to a file, which is there whole or as it was before."""
    forgotten: list[str] = []
    data = as_bytes(model, forgotten)
    write_whole(Path(path), data)
    if forgotten:
        warnings.warn(
            f"{', '.join(forgotten)}: code of your own, or a value that JSON has no words for, "
            "which a model file does not hold. The loaded model predicts the same; give it anew "
            "before you fit, smooth or prune by it.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that ``save`` has written, in this release or an earlier one.

    The file may come from a stranger: it is checked from end to end, and never executed.

    Parameters
    ----------
    path : the file

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
    try:
        with Path(path).open("rb") as file:
            # What is no model may have no end.
            head = file.read(HEAD_SIZE)
            check_version(head)
            data = head + file.read()
        return from_bytes(data)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


def as_bytes(model: Any, forgotten: list[str] | None = None) -> bytes:
    """Return the content of a model's file.

    Parameters
    ----------
    model : a fitted model
    forgotten : receives the words for what a file cannot hold
    """
    name = type(model).__name__
    kind = KINDS.get(name)
    if kind is None or type(model).__module__ != kind.home:
        raise ParameterError(f"A {name} cannot be saved; models of {', '.join(KINDS)} can.")
    codec = import_module(kind.codec)
    words = [] if forgotten is None else forgotten
    return encode({"estimator": name, **codec.plain(model, words)})


def from_bytes(data: bytes) -> Any:
    """Return the model of a file's content, or say in a ``ModelFileError`` why it is none."""
    document = decode(data)
    name = document.get("estimator")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ModelFileError("The file holds a kind of model that this release does not know.")
    codec = import_module(kind.codec)
    section = Section.of(document, "the file", ("estimator", *codec.SECTIONS))
    return codec.restored(getattr(import_module(kind.home), str(name)), section)
