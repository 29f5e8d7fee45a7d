import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from roctree import DataError, Dataset, Schema

X = np.array([[0.5, 1.0], [2.0, np.nan], [3.5, 4.0]])
Y = ["no", "yes", "no"]


def schema(**changes) -> Schema:
    fields = {
        "names": ("size", "colour", "open"),
        "categories": (None, ("blue", "red"), (False, True)),
        "classes": np.array(["no", "yes"]),
    }
    return Schema(**(fields | changes))


def test_a_float64_matrix_is_not_copied():
    assert Dataset.from_data(X, Y).values is X


def test_a_matrix_in_fortran_order_is_not_copied():
    columns = np.asfortranarray(X)
    assert Dataset.from_data(columns, Y).values is columns


def test_the_data_are_not_changed():
    before = X.copy()
    Dataset.from_data(X, Y, sample_weight=[1, 2, 3])
    np.testing.assert_array_equal(X, before)


def test_the_parts_have_the_promised_types():
    data = Dataset.from_data([[1, "a"], [2, "b"], [3, "a"]], Y, sample_weight=[1, 2, 0])
    assert (data.values.dtype, data.labels.dtype, data.weights.dtype) == ("f8", "i4", "f8")


def test_labels_index_the_sorted_classes():
    data = Dataset.from_data(X, Y)
    assert data.schema.classes[data.labels].tolist() == Y


def test_weights_are_ones_unless_given():
    assert Dataset.from_data(X, Y).weights.tolist() == [1.0, 1.0, 1.0]


def test_columns_without_names_are_numbered():
    found = Dataset.from_data(X, Y).schema
    assert (found.names, found.named) == (("x0", "x1"), False)


def test_names_come_from_a_data_frame():
    found = Dataset.from_data(pd.DataFrame(X, columns=["age", "pulse"]), Y).schema
    assert (found.names, found.named) == (("age", "pulse"), True)


def test_data_frame_columns_numbered_by_pandas_have_no_names():
    found = Dataset.from_data(pd.DataFrame(X), Y).schema
    assert (found.names, found.named) == (("x0", "x1"), False)


def test_a_different_number_of_rows_and_labels_is_refused():
    with pytest.raises(DataError, match="X has 3 rows and y has 2 labels"):
        Dataset.from_data(X, ["no", "yes"])


def test_a_data_set_is_frozen():
    with pytest.raises(AttributeError):
        Dataset.from_data(X, Y).values = X


def test_a_schema_knows_its_sizes():
    assert (schema().n_features, schema().n_classes) == (3, 2)


def test_a_schema_knows_which_attributes_are_nominal():
    assert schema().nominal.tolist() == [False, True, True]


def test_a_schema_counts_categories():
    counts = schema().n_categories
    assert (counts.tolist(), counts.dtype) == ([0, 2, 2], np.int32)


def test_schemas_with_equal_parts_are_equal():
    assert schema() == schema()


@pytest.mark.parametrize(
    "change",
    [
        {"names": ("size", "colour", "shut")},
        {"categories": (None, ("red", "blue"), (False, True))},
        {"classes": np.array(["no", "yes", "maybe"])},
        {"named": False},
    ],
)
def test_schemas_that_differ_in_a_part_are_not_equal(change):
    assert schema() != schema(**change)


def test_a_schema_equals_nothing_else():
    assert schema() != "a schema"


@given(st.data())
def test_the_order_of_rows_changes_nothing_but_the_order_of_rows(data):
    n_rows = data.draw(st.integers(1, 12))
    cells = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]), st.integers(0, 3))
    rows = data.draw(st.lists(st.tuples(cells, cells), min_size=n_rows, max_size=n_rows))
    labels = data.draw(st.lists(st.sampled_from("pqr"), min_size=n_rows, max_size=n_rows))
    order = data.draw(st.permutations(range(n_rows)))
    one = Dataset.from_data(rows, labels)
    other = Dataset.from_data([rows[i] for i in order], [labels[i] for i in order])
    assert one.schema == other.schema
    np.testing.assert_array_equal(one.values[order], other.values)
    np.testing.assert_array_equal(one.labels[order], other.labels)


@given(arrays(np.float64, (4, 3), elements=st.floats(allow_infinity=False)))
def test_any_finite_matrix_passes_as_it_is(matrix):
    assert Dataset.from_data(matrix, [0, 1, 0, 1]).values is matrix
