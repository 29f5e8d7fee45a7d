import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import roctree
from roctree import ParameterError, _jit, checks
from roctree._jit.store import digest
from roctree.criteria import (
    Criterion,
    CustomCriterion,
    Gini,
    Impurity,
    criterion,
    resolve_criterion,
)


@criterion
def gap(table):
    """The difference between the first two branches' shares of the first class."""
    shares = 0.0
    for branch in range(table.shape[0]):
        weight = 0.0
        for label in range(table.shape[1]):
            weight += table[branch, label]
        if weight > 0.0:
            shares = abs(shares - table[branch, 0] / weight)
    return shares


@criterion(convex=True, children_correction="log2")
def correct(table):
    total = 0.0
    for branch in range(table.shape[0]):
        largest = 0.0
        for label in range(table.shape[1]):
            largest = max(largest, table[branch, label])
        total += largest
    return total


def plain(table):
    return table[0, 0]


undecorated = criterion(plain)


def test_a_decorated_function_is_a_criterion():
    assert isinstance(gap, Criterion)
    assert resolve_criterion(gap) is gap
    assert gap.name == "gap"


def test_the_grower_is_not_compiled_again_for_a_criterion_of_ones_own():
    X, y = np.arange(40.0).reshape(-1, 2), np.arange(20) % 3
    roctree.ROCTreeClassifier(criterion="f_measure").fit(X, y)
    before = dict(_jit._COMPILED)
    roctree.ROCTreeClassifier(criterion=gap).fit(X, y)
    new = {kernel.__name__ for kernel in _jit._COMPILED if kernel not in before}
    assert new <= {"_score_table", "_score_block"}


def test_a_decorated_function_can_still_be_called():
    assert gap([[3, 1], [1, 3]]) == 0.5


def test_a_bare_decorator_promises_nothing():
    assert not gap.convex(2)
    assert gap.children_correction == "none"


def test_an_impurity_of_ones_own_promises_nothing_either():
    class Mine(Impurity):
        """One that says nothing about being concave."""

    assert not Mine().convex(2)
    assert Gini().convex(2)


def test_options_of_the_decorator_are_kept():
    assert correct.convex(5)
    assert correct.children_correction == "log2"


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_a_sound_criterion_passes_the_check(n_classes):
    checks.check_criterion(correct, n_classes)


@pytest.mark.parametrize("mine", [gap, correct, undecorated], ids=lambda mine: mine.name)
def test_a_criterion_of_ones_own_is_pickled_by_reference(mine):
    again = pickle.loads(pickle.dumps(mine))
    assert again == mine
    assert again.function is mine.function
    assert pickle.loads(pickle.dumps(again)) == mine


def test_a_criterion_written_in_a_script_can_be_pickled():
    script = """
        import pickle
        from roctree.criteria import criterion

        @criterion
        def first_cell(table):
            return table[0, 0]

        again = pickle.loads(pickle.dumps(first_cell))
        assert again == first_cell and again([[4, 1]]) == 4.0
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


def test_a_criterion_written_in_a_notebook_reaches_worker_processes():
    script = """
        from joblib import Parallel, delayed
        from roctree.criteria import criterion

        @criterion
        def first_cell(table):
            return table[0, 0]

        both = Parallel(n_jobs=2)(delayed(first_cell)([[n, 1]]) for n in (4, 5))
        assert both == [4.0, 5.0]
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


@pytest.mark.slow
def test_a_criterion_written_anywhere_serves_a_grid_search_in_processes():
    script = """
        import numpy as np, roctree
        from sklearn.model_selection import GridSearchCV

        @roctree.criterion
        def in_the_notebook(table):
            return abs(table[0, 0] - table[0, 1])

        def made():
            scale = 2.0

            @roctree.criterion
            def inside(table):
                return scale * abs(table[0, 0] - table[0, 1])

            return inside

        X = np.random.default_rng(0).random((60, 2))
        for chosen in (in_the_notebook, made(), roctree.criterion(lambda table: table[0, 0])):
            tree = roctree.ROCTreeClassifier(criterion=chosen)
            search = GridSearchCV(tree, {"max_depth": [1, 2]}, n_jobs=2, cv=2, error_score="raise")
            search.fit(X, X[:, 0] > 0.5).predict(X)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


@pytest.mark.parametrize(
    "function", [lambda: 0.0, lambda table, other: 0.0, len, 3, lambda *, table: 0.0]
)
def test_a_criterion_must_be_a_function_of_one_argument(function):
    with pytest.raises(ParameterError, match="must be a function of one argument"):
        criterion(function)


def test_further_arguments_may_have_defaults():
    assert criterion(lambda table, power=2: table[0, 0] ** power)([[3, 1]]) == 9.0


def test_an_unknown_correction_is_refused():
    with pytest.raises(ParameterError, match="children_correction='size'"):
        criterion(children_correction="size")(plain)


def test_a_function_compiled_by_the_user_is_taken_as_it_was_written():
    compiled = type("Compiled", (), {"py_func": staticmethod(plain)})()
    assert criterion(compiled) == CustomCriterion("plain", plain)


def test_the_decorator_is_public():
    assert roctree.criterion is criterion


def test_arrays_that_differ_in_a_cell_that_is_not_printed_make_another_criterion():
    def with_constants(constants):
        def score(table):
            return table[0, 0] * constants[1000]

        return score

    first, second, third = np.zeros(2000), np.zeros(2000), np.zeros(2000)
    first[1000], second[1000], third[1000] = 0.0, 5.0, 5.000000001
    digests = {digest(with_constants(each)) for each in (first, second, third)}
    assert len(digests) == 3
