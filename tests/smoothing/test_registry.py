import pickle

import pytest

from roctree import ParameterError
from roctree.smoothing import (
    SMOOTHING,
    Curtailment,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
    Smoother,
    choices,
    resolve_smoother,
)
from roctree.tree.tree import Tree
from tests.smoothing.variants import ALL

NAMES = ["none", "laplace", "m_estimate", "m_branch", "hierarchical_shrinkage", "curtailment"]
AUTOMATIC = [MEstimate("auto"), MBranch("auto"), HierarchicalShrinkage("auto")]


def test_the_names_that_users_know_are_registered():
    assert set(NAMES) <= set(SMOOTHING)


@pytest.mark.parametrize("name", SMOOTHING)
def test_a_name_stands_for_the_smoother_with_its_default_options(name):
    assert resolve_smoother(name) == type(resolve_smoother(name))()


def test_a_smoother_is_taken_as_it_is():
    for smoother in ALL:
        assert isinstance(smoother, Smoother)
        assert resolve_smoother(smoother) is smoother
        assert choices(smoother) == [smoother]


def test_a_smoother_can_be_pickled():
    for smoother in [*ALL, *AUTOMATIC]:
        assert pickle.loads(pickle.dumps(smoother)) == smoother


def test_options_are_set_by_name():
    assert resolve_smoother("m_branch", M=2) == MBranch(M=2)
    assert resolve_smoother(MEstimate(m=7), prior="training") == MEstimate(7, "training")


def test_the_defaults_are_those_of_the_papers():
    assert resolve_smoother("m_branch") == MBranch(M=4)
    assert resolve_smoother("m_estimate") == MEstimate(m=4, prior="uniform")
    assert resolve_smoother("hierarchical_shrinkage") == HierarchicalShrinkage(strength=10)
    assert resolve_smoother("curtailment") == Curtailment(minimum=20)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(ParameterError, match=r"'laplas' is not known \(did you mean 'laplace'\?\)"):
        resolve_smoother("laplas")
    with pytest.raises(ParameterError, match=r"choose from none, laplace, .*, curtailment"):
        resolve_smoother("kernel")


@pytest.mark.parametrize("wrong", [Laplace, None, 3, ["laplace"]])
def test_what_is_no_smoother_is_refused(wrong):
    with pytest.raises(ParameterError, match="neither a name nor a smoothing"):
        resolve_smoother(wrong)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: resolve_smoother("m_branch", m=2),
            r"MBranch\(m=2\) has an unknown option.*; the options are M\.$",
        ),
        (lambda: resolve_smoother("m_estimate", prio="training"), r"did you mean 'prior'\?"),
        (
            lambda: resolve_smoother("laplace", m=2),
            r"Laplace\(m=2\) has an unknown option; .*no options\.$",
        ),
        (lambda: MEstimate(prior="root"), r"prior='root'.*'uniform', 'training'"),
        (lambda: MEstimate(-1), "m=-1.*zero or more"),
        (lambda: MEstimate("automatic"), "m='automatic'.*a finite number, or 'auto'"),
        (lambda: MBranch(None), "M=None.*a finite number, or 'auto'"),
        (lambda: MBranch(float("nan")), "M=nan.*a finite number, or 'auto'"),
        (lambda: MBranch(True), "M=True.*a finite number, or 'auto'"),
        (lambda: HierarchicalShrinkage(-0.5), "strength=-0.5.*zero or more"),
        (lambda: Curtailment("auto"), "minimum='auto'.*finite number"),
        (lambda: Curtailment(-1), "minimum=-1.*zero or more"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_by_name(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("smoother", AUTOMATIC, ids=repr)
def test_an_automatic_option_stands_for_a_grid_of_numbers(smoother):
    (option,) = smoother.grid
    tried = [getattr(choice, option) for choice in choices(smoother)]
    assert tuple(tried) == smoother.grid[option]
    assert tried == sorted(tried)
    assert len(tried) > 5


def test_a_grid_keeps_the_other_options():
    assert {choice.prior for choice in choices(MEstimate("auto", "training"))} == {"training"}


@pytest.mark.parametrize("smoother", AUTOMATIC, ids=repr)
def test_an_automatic_smoother_by_itself_says_that_fit_must_choose(smoother):
    with pytest.raises(
        ParameterError, match=r"='auto'\) is selected by cross-validation: use it with fit"
    ):
        smoother(Tree.single_leaf([1.0, 2.0]))
