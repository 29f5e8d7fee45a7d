"""Laws that criteria, smoothers and pruners must satisfy, for our own tests and for yours.

``check_criterion``, ``check_smoother`` and ``check_pruner`` try the laws of their kind on many
tables or trees. Each law is a function as well, of a strategy and one table or tree; where it is
broken it raises ``AssertionError`` with a sentence that says what happened.
"""

from roctree.checks.criteria import (
    branch_order_changes_nothing,
    check_criterion,
    class_order_changes_nothing,
    compiled_score_is_the_same,
    corners_are_never_beaten,
    empty_branch_changes_nothing,
    refining_never_lowers_the_score,
    scale_changes_nothing,
    score_is_finite,
    useless_split_earns_nothing,
)
from roctree.checks.pruners import (
    check_pruner,
    class_numbers_change_no_pruning,
    equal_costs_change_nothing,
    pruned_tree_is_part_of_the_tree,
    pruning_again_changes_nothing,
)
from roctree.checks.smoothers import (
    a_case_more_never_lowers_its_class,
    check_smoother,
    many_cases_keep_their_frequencies,
    only_counts_and_shape_matter,
    probabilities_lie_between_zero_and_one,
    renamed_classes_change_places_only,
    rows_add_up_to_one,
)

__all__ = [
    "a_case_more_never_lowers_its_class",
    "branch_order_changes_nothing",
    "check_criterion",
    "check_pruner",
    "check_smoother",
    "class_numbers_change_no_pruning",
    "class_order_changes_nothing",
    "compiled_score_is_the_same",
    "corners_are_never_beaten",
    "empty_branch_changes_nothing",
    "equal_costs_change_nothing",
    "many_cases_keep_their_frequencies",
    "only_counts_and_shape_matter",
    "probabilities_lie_between_zero_and_one",
    "pruned_tree_is_part_of_the_tree",
    "pruning_again_changes_nothing",
    "refining_never_lowers_the_score",
    "renamed_classes_change_places_only",
    "rows_add_up_to_one",
    "scale_changes_nothing",
    "score_is_finite",
    "useless_split_earns_nothing",
]
