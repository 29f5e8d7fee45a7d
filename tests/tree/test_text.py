import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roctree import ParameterError
from roctree.data import Schema
from roctree.tree import IS_PRESENT, Tree
from roctree.tree.text import MAX_BARS, format_number, leaf_letters, to_text
from tests.naive.descend import Node, add_counts, breadth_first
from tests.tree.trees import as_tree, chain, nested_trees

TOWNS = tuple(f"town {number}" for number in range(1, 21))
SCHEMA = Schema(
    names=("worst radius", "age", "colour", "town"),
    categories=(None, None, ("blue", "green, dark", "red", "white"), TOWNS),
    classes=np.array(["benign", "malignant"]),
)


def text(root, schema=SCHEMA, **options):
    add_counts(root)
    return to_text(as_tree(root, n_features=schema.n_features), schema, **options).splitlines()


def split(threshold, *children, feature=0, **options):
    return Node([], feature, threshold, children=list(children), **options)


def sets(branch_of, *children, feature=2, **options):
    return Node([], feature, branch_of=branch_of, children=list(children), **options)


def leaf(*counts):
    return Node([float(count) for count in counts])


def test_thresholds_and_leaves_are_written_with_their_names():
    inner = split(0.13579, leaf(323, 10), leaf(6, 11), feature=1)
    assert text(split(16.795000076, inner, leaf(0, 19))) == [
        "worst radius <= 16.8",
        "|   age <= 0.1358: benign  (0.97, 333 cases)",
        "|   age > 0.1358: malignant  (0.65, 17 cases)",
        "worst radius > 16.8: malignant  (1.00, 19 cases)",
    ]


def test_categories_are_written_in_words():
    assert text(sets([0, 1, 0, 2], leaf(3, 1), leaf(1, 0), leaf(0, 2))) == [
        "colour in {blue, red}: benign  (0.75, 4 cases)",
        "colour = 'green, dark': benign  (1.00, 1 case)",
        "colour = white: malignant  (1.00, 2 cases)",
    ]


def test_long_lists_of_categories_are_cut_short():
    branches = [0] * 7 + [1] * 6 + [-1] * 7
    assert text(sets(branches, leaf(3, 1), leaf(0, 2), feature=3)) == [
        "town in {town 1, town 2, town 3, town 4, town 5, … (2 more)}: benign  (0.75, 4 cases)",
        "town in {town 8, town 9, town 10, town 11, town 12, town 13}: malignant  (1.00, 2 cases)",
    ]


def test_missing_values_are_mentioned_where_they_take_another_way_than_the_heaviest():
    lines = text(split(0.5, leaf(9, 0), leaf(0, 2), missing=1))
    assert [line.split(":")[0] for line in lines] == [
        "worst radius <= 0.5",
        "worst radius > 0.5 or missing",
    ]


@pytest.mark.parametrize("missing", [0, -1])
def test_missing_values_that_only_follow_the_heaviest_branch_are_not_mentioned(missing):
    assert "missing" not in "".join(text(split(0.5, leaf(9, 0), leaf(0, 2), missing=missing)))


def test_missing_values_are_mentioned_at_all_splits_of_an_attribute_or_at_none():
    light = split(0.5, leaf(9, 0), leaf(0, 2), missing=1)
    lines = text(split(1.5, light, leaf(0, 1), missing=0))
    assert lines[0] == "worst radius <= 1.5 or missing"


def test_a_branch_of_missing_values_alone_says_so():
    lines = text(sets([0, 1, 0, 1], leaf(3, 1), leaf(1, 0), leaf(0, 2), missing=2))
    assert lines[2] == "colour is missing: malignant  (1.00, 2 cases)"


def test_a_branch_that_no_category_takes_says_so():
    lines = text(sets([0, 1, 0, 1], leaf(3, 1), leaf(1, 0), leaf(0, 0)))
    assert lines[2] == "colour is none of these: no cases"


def test_a_split_of_known_from_missing_values_says_so():
    assert text(split(IS_PRESENT, leaf(3, 1), leaf(0, 2), feature=1, missing=1)) == [
        "age is present: benign  (0.75, 4 cases)",
        "age is missing: malignant  (1.00, 2 cases)",
    ]


def test_a_single_leaf_is_one_line():
    assert to_text(Tree.single_leaf([3, 1]), SCHEMA) == "benign  (0.75, 4 cases)"
    assert to_text(Tree.single_leaf([0, 0]), SCHEMA) == "no cases"


def test_other_classes_are_listed_where_there_are_more_than_two():
    schema = Schema(("x",), (None,), np.arange(1, 7))
    lines = text(split(0.5, leaf(0, 5, 0, 0, 1, 0), leaf(2, 4, 3, 1, 0, 2)), schema)
    assert lines == [
        "x <= 0.5: 2  (0.83, 6 cases; 1 5)",
        "x > 0.5: 2  (0.33, 12 cases; 3 3, 2 1, 2 6, …)",
    ]


def test_a_leaf_that_is_not_pure_does_not_look_pure():
    assert to_text(Tree.single_leaf([9999, 1]), SCHEMA) == "benign  (0.9999, 10000 cases)"
    assert to_text(Tree.single_leaf([999, 1]), SCHEMA) == "benign  (0.999, 1000 cases)"


def test_weights_that_are_not_whole_are_rounded():
    assert to_text(Tree.single_leaf([12.3456, 1]), SCHEMA) == "benign  (0.93, 13.35 cases)"


def test_subtrees_below_the_greatest_depth_are_one_line():
    tree = split(1.5, split(0.5, leaf(1, 2), leaf(3, 0)), leaf(0, 1))
    assert text(tree, max_depth=1) == [
        "worst radius <= 1.5: benign  (0.67, 6 cases) …",
        "worst radius > 1.5: malignant  (1.00, 1 case)",
    ]
    assert text(tree, max_depth=0) == ["benign  (0.57, 7 cases) …"]


def test_names_that_could_mislead_are_in_quotes():
    schema = Schema(("", "two\nlines"), (None, ("a}", " b", "c")), np.array(["", "y"]))
    nominal = sets([0, 0, 1], leaf(1, 0), leaf(1, 0), feature=1)
    assert text(split(0.5, nominal, leaf(2, 0)), schema) == [
        "'' <= 0.5",
        "|   'two\\nlines' in {'a}', ' b'}: ''  (1.00, 1 case)",
        "|   'two\\nlines' = c: ''  (1.00, 1 case)",
        "'' > 0.5: ''  (1.00, 2 cases)",
    ]


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.0, "0"),
        (2.4499999284744263, "2.45"),
        (-0.000123456, "-0.0001235"),
        (12345.5, "12345.5"),
        (12345.678, "12345.7"),
        (1234567.0, "1234567"),
        (1.5e-7, "1.5e-07"),
        (1e300, "1e+300"),
        (-3.0, "-3"),
    ],
)
def test_numbers_are_written_short(number, written):
    assert format_number(number, 4) == written


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sets(FINITE | st.floats(16.0, 16.001), min_size=1, max_size=6))
def test_different_thresholds_of_an_attribute_look_different(thresholds):
    thresholds = sorted(thresholds - {IS_PRESENT})
    root = leaf(1, 0)
    for threshold in thresholds:
        root = split(threshold, root, leaf(0, 1))
    written = {line.lstrip("| ").split(":")[0] for line in text(root) if "<=" in line}
    assert len(written) == len(thresholds)


@given(nested_trees())
def test_every_branch_has_a_line_below_the_line_of_its_split(root):
    schema = Schema(("x", "y", "z"), (None, None, tuple("abcd")), np.arange(len(root.counts)))
    lines = to_text(as_tree(root), schema).splitlines()
    nodes = breadth_first(root)
    assert len(lines) == max(len(nodes) - 1, 1)
    paths = sorted(path for path, _ in nodes if path)
    assert [line.count("|   ") for line in lines] == [len(path) - 1 for path in paths] or not paths
    n_leaves = sum(not node.children for _, node in nodes)
    assert sum("case" in line for line in lines) == n_leaves


def test_deep_levels_are_numbered_instead_of_indented():
    schema = Schema(("x",), (None,), np.array(["a", "b"]))
    lines = to_text(chain(MAX_BARS + 2), schema).splitlines()
    assert lines[2 * MAX_BARS] == "|   " * MAX_BARS + "x <= 20.5: a  (1.00, 1 case)"
    assert lines[-1] == "|   " * MAX_BARS + "[21] x > 21.5: b  (1.00, 1 case)"


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_levels_is_written():
    schema = Schema(("x",), (None,), np.array(["a", "b"]))
    assert to_text(chain(100_000), schema).count("\n") == 199_999


@pytest.mark.parametrize(
    ("option", "wish"),
    [
        ({"max_depth": -1}, "max_depth=-1 is not allowed: give a whole number from 0 on, or None"),
        ({"max_depth": 1.5}, "max_depth=1.5 is not allowed"),
        ({"max_depth": True}, "max_depth=True is not allowed"),
        ({"digits": 0}, "digits=0 is not allowed: give a whole number from 1 to 17"),
        ({"digits": 18}, "digits=18 is not allowed"),
        ({"digits": None}, "digits=None is not allowed"),
    ],
    ids=str,
)
def test_limits_that_make_no_sense_are_refused(option, wish):
    with pytest.raises(ParameterError, match=wish):
        text(split(0.5, leaf(1, 0), leaf(0, 1)), **option)


@pytest.mark.parametrize("digits", [1, 17, np.int64(3)])
def test_any_number_of_digits_that_a_float_has_is_allowed(digits):
    assert len(text(split(0.1, leaf(1, 0), leaf(0, 1)), digits=digits)) == 2


def test_leaves_have_letters_in_the_order_of_their_scores():
    tree = chain(29)
    leaves = tree.leaves
    scores = np.zeros(tree.n_nodes)
    scores[leaves] = np.linspace(0.0, 1.0, len(leaves))
    letters = leaf_letters(tree, scores)
    ranked = [letters[node] for node in leaves[::-1].tolist()]
    assert ranked[:2] + ranked[24:29] == ["A", "B", "Y", "Z", "AA", "AB", "AC"]
    assert list(leaf_letters(tree, scores * 0.0)) == leaves.tolist()
