import re

import numpy as np
import pandas as pd
import pytest

from roctree import (
    MultiscaleClassifier,
    NaiveBayesTreeClassifier,
    ParameterError,
    ROCTreeClassifier,
)
from roctree.export.text import dot_string
from tests.estimator import weather

TOKEN = re.compile(r'\s+|//[^\n]*|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+|->|[{}\[\];=,]')


def golf():
    X = pd.DataFrame(
        {
            "sky": ["sun", "sun", "fog", "rain", "rain", "fog", None, "rain"],
            "wind": [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 2.0, 5.0],
        }
    )
    y = ["play", "play", "home", "home", "play", "home", "play", "home"]
    return ROCTreeClassifier(smoothing="laplace", nominal="multiway", missing="branch").fit(X, y)


def rules(tree):
    return [line for line in tree.to_rules().splitlines() if not line.startswith("#")]


def test_a_rule_says_what_leads_to_a_leaf_its_label_probabilities_and_cases():
    assert rules(golf()) == GOLF


GOLF = [
    "if sky = fog then C home  (home 0.75, play 0.25; 2 cases, leaf 1)",
    "if sky = rain and (wind <= 5.5 or missing) "
    "then D home  (home 0.75, play 0.25; 2 cases, leaf 4)",
    "if sky = rain and wind > 5.5 then B play  (play 0.67, home 0.33; 1 case, leaf 5)",
    "if (sky = sun or missing) then A play  (play 0.80, home 0.20; 3 cases, leaf 3)",
]


def test_rules_are_labelled_by_the_operating_point():
    tree = golf().at(cost_fp=0, cost_fn=1)
    assert all(re.search(r" then [A-D] play ", rule) for rule in rules(tree))
    assert "LeastCost(cost_fp=0, cost_fn=1" in tree.to_rules()


def test_tests_of_one_attribute_are_joined():
    X = np.arange(8.0)[:, None]
    tree = ROCTreeClassifier(smoothing="none").fit(X, [0, 0, 1, 1, 0, 0, 1, 1])
    assert [rule.split(" then ")[0] for rule in rules(tree)] == [
        "if x0 <= 1.5", "if 1.5 < x0 <= 3.5", "if 3.5 < x0 <= 5.5", "if x0 > 5.5",
    ]  # fmt: skip


def test_a_tree_of_one_leaf_has_one_rule():
    tree = ROCTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert rules(tree) == ["if true then A a  (a 1.00; 2 cases, leaf 0)"]


def test_there_is_a_rule_for_every_leaf():
    tree = ROCTreeClassifier().fit(*weather.frame())
    assert len(rules(tree)) == tree.get_n_leaves()


def test_every_export_says_where_it_came_from():
    X, y = weather.frame()
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(X, pd.Series(y, name="plan")).at(max_fpr=0.2)
    for text in (tree.to_rules(), tree.to_dot(), tree.to_sql(), tree.to_text(head=True)):
        head = "\n".join(text.splitlines()[:4])
        assert "ROCTreeClassifier(max_leaf_nodes=4), by roctree" in head
        assert "grown from 120 rows, to predict 'plan', 3 columns, classes 'home', 'play'" in head
        assert "7 nodes, 4 leaves, depth " in head
        assert "MaxFPR(rate=0.2" in head


def test_the_text_of_other_systems_says_where_it_came_from_too():
    X, y = np.arange(40.0)[:, None], pd.Series(["a", "b"] * 20, name="plan")
    for kind in (NaiveBayesTreeClassifier, MultiscaleClassifier):
        model = kind().fit(X, y).at(cost_fp=1, cost_fn=3)
        *head, text = model.to_text(head=True).split("\n", 4)
        assert head[0].startswith(f"# {kind.__name__}(), by roctree")
        assert head[1].startswith("# grown from 40 rows, to predict 'plan', 1 column, classes 'a'")
        assert "LeastCost(cost_fp=1, cost_fn=3" in head[3]
        assert text == model.to_text()


def test_the_text_has_the_labels_that_predict_gives():
    tree = golf()
    assert "sky = fog: C home  (play 0.25, 2 cases)" in tree.to_text()
    always = tree.at(cost_fp=0, cost_fn=1)
    leaves = [line for line in always.to_text().splitlines() if ": " in line]
    assert len(leaves) == 4
    assert all(re.search(r": [A-D] play  \(", line) for line in leaves)
    assert "sky = fog: C play  (play 0.25, 2 cases)" in always.to_text()
    cells = MultiscaleClassifier().fit([[0.0], [0.2], [0.7], [1.0]], ["a", "a", "b", "b"])
    text = cells.at(cost_fp=0, cost_fn=1).to_text()
    assert re.findall(r": [A-D] (\w)  \(", text) == ["b", "b"]


def tokens(dot):
    """The words of a graph; an error where some text is none."""
    found, place = [], 0
    while place < len(dot):
        match = TOKEN.match(dot, place)
        assert match, dot[place : place + 40]
        found.append(match[0])
        place = match.end()
    return [word for word in found if word.strip() and not word.startswith("//")]


def test_a_graph_has_all_nodes_and_edges():
    tree = ROCTreeClassifier().fit(*weather.frame())
    words = tokens(tree.to_dot())
    assert words[:3] == ["digraph", "tree", "{"]
    assert words[-1] == "}"
    assert words.count("->") == tree.tree_.n_nodes - 1
    assert words.count("box") == tree.get_n_leaves()


def test_a_graph_can_show_the_top_of_a_tree():
    tree = ROCTreeClassifier().fit(*weather.frame())
    assert tokens(tree.to_dot(max_depth=1)).count("->") == 2
    assert "…" in tree.to_dot(max_depth=1)
    with pytest.raises(ParameterError, match="max_depth=-1 is not allowed"):
        tree.to_dot(max_depth=-1)


def test_names_in_a_graph_are_nothing_but_names():
    odd = ['"]; a -> b; //', "\\N\\", "x\ny", "<b>&lt;</b>", "🌳\u2028"]
    X = pd.DataFrame({name: np.tile(odd, 4) for name in odd})
    tree = ROCTreeClassifier().fit(X, np.arange(20) % 5 % 2)
    words = tokens(tree.to_dot())
    assert words.count("->") == tree.tree_.n_nodes - 1
    assert "\n" not in "".join(word for word in words if word.startswith('"'))
    assert "\u2028" not in tree.to_dot()
    assert dot_string('&lt;\\N"') == '"&amp;lt;\\\\N\\""'


def test_half_a_letter_is_for_python_alone():
    tree = ROCTreeClassifier().fit([["\ud800"], ["b"]] * 5, ["no", "yes"] * 5)
    assert "'\\ud800'" in tree.to_rules()
    for export in (tree.to_sql, tree.to_onnx):
        with pytest.raises(ParameterError, match="contains a lone surrogate"):
            export()


def test_no_name_breaks_out_of_a_comment():
    y = pd.Series(["a\n}DROP", "b\r\n;"] * 2, name="t\nDROP\u2028*/")
    tree = ROCTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], y)
    for text, mark in ((tree.to_dot(), "//"), (tree.to_sql(), "--"), (tree.to_rules(), "#")):
        # Exports in SQL also list the letters of the leaves, and remark that there is no key.
        n_comments = 6 if mark == "--" else 4
        lines = re.split("[\n\r\u2028]", text)
        assert all(line.startswith(mark) for line in lines[:n_comments])
        assert not lines[n_comments].startswith(("DROP", mark))
