"""The explorer: a model and its operating points as an interactive page or a notebook widget.

A page is made of a data document (``document``), a style and a script.

The page is one file that loads nothing from the network. Names from data reach it as JSON only, in
which no character can end the script element, and the script inserts them as text, never as HTML. A
content security policy lists the style and the script by their hashes, so nothing else can run.

The script is written as ordinary JavaScript modules. They are joined here: each becomes a function
that is called once and returns what the module exports, after the modules that it imports. There is
no build step.
"""

import html
import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from roctree._version import __version__
from roctree.arrays import Floats, Ints
from roctree.data import Dataset, Schema
from roctree.errors import ParameterError, how_to_install
from roctree.files.atomic import write_whole
from roctree.fitted import FittedModel, FittedTree, Training
from roctree.geometry.metric import Spread, minmax
from roctree.pruning import Unpruned
from roctree.report.explorer.document import data_document
from roctree.smoothing import Frequencies
from roctree.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

    from roctree.classifier import FittedClassifier

# Characters that could end a script element, open a comment in it, or end a line in old scripts.
_UNSAFE = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}
# Later style sheets take precedence: those for screens and print come last.
_STYLES = ("base", "controls", "panes", "numbers", "screens")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|let) (\w+))", re.MULTILINE)


def show_or_write(
    model: FittedModel,
    path: str | PathLike[str] | None = None,
    X_test: Any = None,
    y_test: Any = None,
    **options: Any,
) -> Any:
    """Write the page of a fitted model and return its path; without a path return a widget.

    Parameters
    ----------
    model : FittedModel
    path : path-like or None
        The file to write; it is replaced once the page is complete.
    X_test, y_test : test cases
    **options
        Options of ``data_document``.
    """
    document = data_document(model, X_test, y_test, **options)
    if path is None:
        return make_widget(document)
    file = Path(path)
    write_whole(file, page_text(document).encode("utf-8"))
    return file


def page_text(document: dict[str, Any]) -> str:
    """Return the page of a data document as HTML."""
    looks = source("page.css") + style()
    script = "\n" + joined_script("page")
    return Template(source("page.html")).substitute(
        policy=_policy(looks, script),
        generator=html.escape(f"roctree {__version__}"),
        title=html.escape(str(document["title"])),
        fallback="This page draws a decision tree with JavaScript, which is switched off here.",
        style=looks,
        data=as_json(document),
        script=script,
    )


def make_widget(document: dict[str, Any]) -> Any:
    """Return a notebook widget that shows a data document."""
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise ImportError(
            f"Without a path, explore returns a notebook widget: {how_to_install('notebook')}, or "
            'write a page with explore("tree.html").'
        ) from None
    widget = type(
        "Explorer",
        (anywidget.AnyWidget,),
        {
            "_esm": widget_script(),
            "_css": style(),
            "document": traitlets.Unicode().tag(sync=True),
        },
    )
    return widget(document=as_json(document))


def widget_script() -> str:
    """Return the script of the widget as the module that anywidget loads."""
    return joined_script("widget") + "\nexport default { render };\n"


def as_json(document: dict[str, Any]) -> str:
    """Return a document as JSON that is safe inside a script element."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


@cache
def source(name: str) -> str:
    """Return the text of a file beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style sheets as one."""
    return "\n".join(source(f"style/{name}.css") for name in _STYLES)


@cache
def joined_script(entry: str) -> str:
    """Return a script module and everything that it imports as one text, without exports."""
    order: list[str] = []
    _visit(entry, order, [])
    *others, last = order
    parts = [f"const {_variable(name)} = (() => {{\n{_body(name)}{_exports(name)}}})();\n"
             for name in others]  # fmt: skip
    return "".join(parts) + _body(last)


def _visit(name: str, order: list[str], above: list[str]) -> None:
    """List the modules that a module imports, before it."""
    if name in above:
        raise ValueError(f"The modules {' -> '.join([*above, name])} import each other.")
    for _, needed in _IMPORT.findall(_text(name)):
        if needed not in order:
            _visit(needed, order, [*above, name])
    order.append(name)


def _text(name: str) -> str:
    return source(f"script/{name}.js")


def _body(name: str) -> str:
    imported = _IMPORT.sub(
        lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", _text(name)
    )
    return _EXPORT.sub(r"\1", imported)


def _exports(name: str) -> str:
    names = [found[1] for found in _EXPORT.findall(_text(name))]
    return f"return {{ {', '.join(names)} }};\n"


def _variable(name: str) -> str:
    return f"module_{name.replace('-', '_')}"


# --- The page of a tree of scikit-learn, converted to a ``FittedTree`` ---

_LEAF = -1


def explore(
    model: "FittedClassifier[Any] | DecisionTreeClassifier",
    X_test: Any = None,
    y_test: Any = None,
    path: str | PathLike[str] | None = None,
    **options: Any,
) -> Any:
    """Write an interactive page of a decision tree and its operating points.

    Parameters
    ----------
    model : classifier
        A fitted roctree classifier, or a fitted scikit-learn ``DecisionTreeClassifier``.
    X_test, y_test : table of shape (n_samples, n_features), and array of shape (n_samples,)
        Test cases to count errors on.
    path : path-like or None
        The file to write, such as "tree.html"; without it a widget for notebooks is returned.
    **options
        As for ``ROCTreeClassifier.explore``: ``positive``, ``title``, ``cases``, ``unit`` and
        ``units``.

    Returns
    -------
    path of the page, or a widget

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     explore(tree, X, y, f"{folder}/tree.html").name
    'tree.html'
    """
    return show_or_write(_fitted_model(model, X_test, y_test), path, X_test, y_test, **options)


def _fitted_model(
    model: "FittedClassifier[Any] | DecisionTreeClassifier", X_test: Any, y_test: Any
) -> FittedModel:
    fitted = getattr(model, "fitted_", None)
    if isinstance(fitted, FittedModel):
        return fitted
    if not hasattr(model, "tree_") or not hasattr(model, "classes_"):
        raise ParameterError(
            parameter="model",
            value=type(model).__name__,
            reason="must be a fitted roctree classifier or a fitted DecisionTreeClassifier of "
            "scikit-learn",
        )
    return from_sklearn(model, X_test, y_test)


def from_sklearn(
    model: "DecisionTreeClassifier", X_test: Any = None, y_test: Any = None
) -> FittedTree:
    """Return a fitted ``DecisionTreeClassifier`` as a ``FittedTree``.

    Its probabilities are the frequencies in the leaves, as in scikit-learn. Distances are measured
    by the ranges of the test cases, since scikit-learn keeps none of the training cases.

    Parameters
    ----------
    model : DecisionTreeClassifier
    X_test, y_test : test cases
    """
    if getattr(model, "n_outputs_", 1) != 1:
        raise ParameterError(
            parameter="model", value=type(model).__name__, reason="must predict one target"
        )
    schema = _schema(model)
    tree = _tree_from_nodes(model.tree_, schema.n_classes)
    spread = _spread_of_cases(schema, X_test, y_test)
    counts = tree.counts
    return FittedTree(
        schema=schema,
        training=Training(round(float(model.tree_.n_node_samples[0]))),
        tree=tree,
        node_labels=None,
        pruner=Unpruned(),
        smoother=Frequencies(),
        probabilities=counts / counts.sum(axis=1, keepdims=True),
        class_weight=np.ones(schema.n_classes),
        spread=spread,
        scale=minmax(spread),
        divides_cases=False,
    )


def _schema(model: "DecisionTreeClassifier") -> Schema:
    named = hasattr(model, "feature_names_in_")
    names = model.feature_names_in_ if named else [f"x{i}" for i in range(model.n_features_in_)]
    texts = tuple(map(str, names))
    return Schema(texts, (None,) * len(texts), np.asarray(model.classes_), named=named)


def _spread_of_cases(schema: Schema, X_test: Any, y_test: Any) -> Spread:
    if X_test is None or y_test is None:
        return Spread(np.ones(schema.n_features), np.ones(schema.n_features))
    test = Dataset.encoded(X_test, y_test, schema)
    return Spread.from_rows(np.asarray(test.values, dtype=np.float64), test.weights)


def _tree_from_nodes(nodes: Any, n_classes: int) -> Tree:
    order = _breadth_first(nodes.children_left, nodes.children_right)
    inner = nodes.children_left[order] != _LEAF
    shares = nodes.value[order, 0, :n_classes]
    weights = nodes.weighted_n_node_samples[order]
    n_nodes = len(order)
    goes_left = getattr(nodes, "missing_go_to_left", np.zeros(n_nodes, dtype=bool))[order]
    return Tree(
        n_children=np.where(inner, 2, 0).astype(np.int32),
        feature=np.where(inner, nodes.feature[order], -1).astype(np.int32),
        threshold=np.where(inner, _in_float64(nodes.threshold[order]), np.nan),
        category_branch=np.empty(0, dtype=np.int16),
        category_offsets=np.zeros(n_nodes + 1, dtype=np.int32),
        missing_branch=np.where(inner, np.where(goes_left, 0, 1), -1).astype(np.int16),
        # Frequencies since scikit-learn 1.3, weights before.
        counts=shares / shares.sum(axis=1, keepdims=True) * weights[:, None],
        softness=np.zeros(n_nodes),
        gain=np.zeros(n_nodes),
    )


def _breadth_first(left: Ints, right: Ints) -> Ints:
    order = [0]
    for node in order:
        if left[node] != _LEAF:
            order += [int(left[node]), int(right[node])]
    return np.array(order, dtype=np.int64)


def _in_float64(thresholds: Floats) -> Floats:
    """Return thresholds that separate numbers as the given ones separate their float32 roundings.

    scikit-learn rounds values to float32 before it compares them.
    """
    below = thresholds.astype(np.float32)
    below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below.astype(np.float32), np.float32(np.inf))
    return (below.astype(np.float64) + above.astype(np.float64)) / 2.0
