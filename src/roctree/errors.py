"""Exceptions and warnings of the library.

Every exception is a ``ValueError`` whose text is one sentence: where the problem is, what is wrong
and what to do. (The fourth exception that users see, scikit-learn's ``NotFittedError``, is also a
``ValueError``.) An exception takes either a finished message or the facts, from which it writes the
sentence itself:

>>> print(ParameterError("The tree has only one class."))
The tree has only one class.
>>> error = ParameterError(parameter="max_fpr", value=2, reason="must be between 0 and 1")
>>> print(error)
max_fpr=2 must be between 0 and 1.
>>> error.parameter, error.value, error.reason
('max_fpr', 2, 'must be between 0 and 1')

**Other names for parameters.** The command line has its own names for parameters:
``--max-fpr 2``. It gets the message with these names from ``error.worded(wording)``, where
``wording`` is a :class:`Wording` that defines them. A reason can refer to *other* parameters as
well, because it is a template with fields in braces:

=========================  ================================  ==================================
field in the template      in Python                         on the command line, for example
=========================  ================================  ==================================
``{max_depth}``            ``max_depth``                     ``--max-depth``
``{X_val and y_val}``      ``X_val and y_val``               ``--validation``
``{ranking='leaf'}``       ``ranking='leaf'``                ``--ranking leaf``
``{at(...)}``              ``at(...)``                       ``roctree at``
``{at(randomise=True)}``   ``at(randomise=True)``            ``roctree at --randomise``
``{numbered_row}``         ``row 3 (counting from 0)``       ``row 4``
=========================  ================================  ==================================

A field whose name is given as a keyword argument is filled with that value instead: ``{found}``
with ``str(found)``, and ``{found!r}`` with the value as the user would type it (on the command line
``True`` is ``true``, and a strategy such as ``MinimumError(m=8)`` is ``minimum_error:m=8``). Pass
values that come from users this way, not through an f-string: they may contain braces (where that
is not possible, use ``escape_braces``). The keyword arguments are kept in ``error.details``.

>>> error = ParameterError(
...     parameter="growth",
...     value="whole_tree_auc",
...     reason="needs a limit: give {max_leaf_nodes} as well, such as {example}",
...     example=32,
... )
>>> print(error)
growth='whole_tree_auc' needs a limit: give max_leaf_nodes as well, such as 32.
>>> class Options(Wording):
...     def parameter(self, name):
...         return "--" + name.replace("_", "-")
...     def setting(self, name, value):
...         return f"{self.parameter(name)} {value}"
>>> error.worded(Options())
'--growth whole_tree_auc needs a limit: give --max-leaf-nodes as well, such as 32.'

An option of a strategy names its owner:

>>> class Laplace: ...
>>> print(ParameterError(owner=Laplace(), parameter="m", value=-1, reason="must be at least 0"))
Laplace(m=-1) must be at least 0.

:class:`DataError` works in the same way, with ``column`` and ``row`` where they are known, and so
does :class:`ParameterWarning`, for warnings that mention parameters. For these two, and for a
``ParameterError`` without ``parameter``, ``reason`` is the whole sentence.
"""

import ast
import sys
from importlib import import_module
from string import Formatter
from typing import Any

_LONGEST_VALUE = 200


class Wording:
    """Names of parameters, settings, methods and values in messages; here those of Python.

    Subclass it to use other names, and pass an instance to ``error.worded``.
    """

    def parameter(self, name: str) -> str:
        """Return what a parameter is called; ``name`` may name a pair, as in "X and y"."""
        return name

    def setting(self, name: str, value: Any) -> str:
        """Return a parameter together with its value."""
        return f"{self.parameter(name)}={self.value(value)}"

    def option(self, owner: Any, name: str, value: Any) -> str:
        """Return an option of a strategy together with its value.

        Parameters
        ----------
        owner : object
            The strategy, or its class.
        name : str
            The option.
        value : object
            Its value; ``...`` stands for any.
        """
        return f"{_class_name(owner)}({name}={self.value(value)})"

    def call(self, method: str, arguments: dict[str, Any]) -> str:
        """Return a call of a method that is recommended to the user.

        Parameters
        ----------
        method : str
            Name of the method.
        arguments : dict of str to object
            The arguments worth naming; a value of ``...`` stands for any. Empty if none is.
        """
        given = (f"{name}={self.value(value)}" for name, value in arguments.items())
        return f"{method}({', '.join(given) or '...'})"

    def row(self, row: int) -> str:
        """Return what a row is called, given its number counting from 0."""
        return f"row {row} (counting from 0)"

    def value(self, value: Any) -> str:
        """Return a value as the user would type it."""
        if value is ...:
            return "..."
        text = repr(value)
        return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


class _Worded(Exception):  # noqa: N818 - warnings are derived from it too
    """Base of errors and warnings whose message can use other names for parameters."""

    def __init__(self, message: str | None, reason: str | None, details: dict[str, Any]) -> None:
        self.reason = reason
        self.details = details
        super().__init__(message if reason is None else self.worded(Wording()))

    def worded(self, wording: Wording) -> str:
        """Return the message with the names of ``wording``; a finished message stays as it is."""
        if self.reason is None:
            return str(self)
        sentence = self._subject(wording) + _Template(wording).fill(self.reason, self.details)
        return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."

    def _subject(self, wording: Wording) -> str:
        return ""


class ParameterError(_Worded, ValueError):
    """A parameter has a value that is not allowed, alone or together with others.

    Parameters
    ----------
    message : str, optional
        The finished message. Give either this or ``reason``.
    parameter : str, optional
        Name of the parameter, with which the message begins.
    value : object, optional
        Its value; ``...`` if the message does not state it.
    reason : str, optional
        What is wrong and what to do, as a template (see the top of this module). It continues the
        sentence that begins with the parameter; without ``parameter`` it is the whole sentence.
    owner : object, optional
        The strategy whose option the parameter is, or its class.
    **details : object
        Values for the fields of the template.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> ROCTreeClassifier(max_depth=-1).fit([[1.0], [2.0]], ["no", "yes"])
    Traceback (most recent call last):
        ...
    roctree.errors.ParameterError: max_depth=-1 is not allowed: give an integer of at least 0...
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        parameter: str | None = None,
        value: Any = ...,
        reason: str | None = None,
        owner: Any = None,
        **details: Any,
    ) -> None:
        self.parameter = parameter
        self.value = value
        self.owner = owner
        super().__init__(message, reason, details)

    def _subject(self, wording: Wording) -> str:
        if self.parameter is None:
            return ""
        if self.owner is not None:
            return f"{wording.option(self.owner, self.parameter, self.value)} "
        if self.value is ...:
            return f"{wording.parameter(self.parameter)} "
        return f"{wording.setting(self.parameter, self.value)} "


class DataError(_Worded, ValueError):
    """The data cannot be used as they are.

    Parameters
    ----------
    message : str, optional
        The finished message. Give either this or ``reason``.
    reason : str, optional
        The message as a template (see the top of this module), which may use ``{column!r}``,
        ``{row}`` and ``{numbered_row}``.
    column : str, optional
        The column concerned.
    row : int, optional
        The row concerned, counting from 0.
    **details : object
        Values for the fields of the template.

    Examples
    --------
    >>> from roctree import ROCTreeClassifier
    >>> ROCTreeClassifier().fit([[1.0], [2.0]], ["no"])
    Traceback (most recent call last):
        ...
    roctree.errors.DataError: X has 2 rows and y has 1 labels: give one label for each row.
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        reason: str | None = None,
        column: str | None = None,
        row: int | None = None,
        **details: Any,
    ) -> None:
        self.column = column
        self.row = row
        super().__init__(message, reason, {"column": column, "row": row, **details})


class ColumnTypeError(DataError, TypeError):
    """A cell is neither a number nor a string."""


class ModelFileError(ValueError):
    """A file is not a model that this release can read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from roctree import load
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tree.json")
    ...     _ = path.write_text("not a model")
    ...     load(path)
    Traceback (most recent call last):
        ...
    roctree.errors.ModelFileError: ...
    """


class ParameterWarning(_Worded, UserWarning):
    """A warning that mentions parameters.

    Parameters
    ----------
    message : str, optional
        The finished message. Give either this or ``reason``.
    reason : str, optional
        The message as a template (see the top of this module).
    **details : object
        Values for the fields of the template.
    """

    def __init__(
        self, message: str | None = None, *, reason: str | None = None, **details: Any
    ) -> None:
        super().__init__(message, reason, details)


def stacklevel_outside_package() -> int:
    """Return the stack level, for a warning of the caller, of the first frame outside roctree."""
    frame, level = sys._getframe(1), 1
    package = __name__.partition(".")[0]
    while (
        frame.f_back is not None
        and str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ):
        frame, level = frame.f_back, level + 1
    return level


def escape_braces(text: str) -> str:
    """Return text that stands for itself in a template.

    >>> escape_braces("{'a': 1}")
    "{{'a': 1}}"
    """
    return text.replace("{", "{{").replace("}", "}}")


def how_to_install(extra: str) -> str:
    """Return the command that installs an optional dependency.

    >>> how_to_install("plot")
    'pip install "roctree[plot]"'
    """
    return f'pip install "roctree[{extra}]"'


def require_rich(what: str) -> None:
    """Raise ``ImportError`` unless rich is installed, which draws progress bars and tables."""
    try:
        import_module("rich")
    except ImportError:
        raise ImportError(f"{what} needs rich: {how_to_install('cli')}.") from None


class _Template(Formatter):
    """Fills the fields of a template: values that are given, and references to parameters."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording

    def fill(self, template: str, details: dict[str, Any]) -> str:
        """Return the text; a template with stray braces is returned as it is."""
        try:
            return self.vformat(template, (), details)
        except (ValueError, LookupError, SyntaxError):
            return template

    def get_field(self, field: str, _: Any, details: Any) -> tuple[Any, str]:
        if field == "numbered_row":
            return self._wording.row(details["row"]), field
        return (details[field] if field in details else self._reference(field)), field

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return self._wording.value(value) if conversion == "r" else value

    def _reference(self, field: str) -> str:
        if field.endswith(")"):
            method, _, arguments = field[:-1].partition("(")
            return self._wording.call(method, _arguments(arguments))
        if "=" in field:
            return ", ".join(self._wording.setting(*pair) for pair in _arguments(field).items())
        return self._wording.parameter(field)


def _arguments(text: str) -> dict[str, Any]:
    """Return the keyword arguments in a text such as ``"ranking='leaf'"``."""
    if text == "...":
        return {}
    call = ast.parse(f"_({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}


def _class_name(owner: Any) -> str:
    return str(getattr(owner, "__name__", type(owner).__name__))
