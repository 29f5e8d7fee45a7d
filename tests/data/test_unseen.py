"""The warning of unseen categories."""

import copy
import pickle

from roctree.data import Unseen, UnseenCategoriesWarning

WARNING = UnseenCategoriesWarning({"sky": Unseen(2, "hail"), "wind": Unseen(1, 7)})


def test_a_copy_of_the_warning_says_the_same_in_another_process_too():
    for again in (copy.copy(WARNING), pickle.loads(pickle.dumps(WARNING))):
        assert again.columns == WARNING.columns
        assert str(again) == str(WARNING)


def test_examples_of_different_types_are_no_obstacle_to_one_warning_for_all():
    other = UnseenCategoriesWarning({"sky": Unseen(3, 5)})
    assert UnseenCategoriesWarning.merged([WARNING, other]).columns["sky"] == Unseen(5, "hail")
