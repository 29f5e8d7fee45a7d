"""What can go wrong, as one sentence that names the place and what to do about it.

All are ``ValueError``; the fourth exception of the library is scikit-learn's
``NotFittedError``, which is a ``ValueError`` too.
"""


class DataError(ValueError):
    """The data cannot be used as they are; the message names the row and the column."""


class ColumnTypeError(DataError, TypeError):
    """A cell is neither a number nor a string."""


class ParameterError(ValueError):
    """A parameter has a value that makes no sense; the message names it and its choices."""


class ModelFileError(ValueError):
    """A file is not a model that this release can read."""


def how_to_install(extra: str) -> str:
    """Return what to type, and where, for a part of the library that needs others.

    >>> how_to_install("plot")
    "pip install '.[plot]' in the checkout of roctree"
    """
    return f"pip install '.[{extra}]' in the checkout of roctree"
