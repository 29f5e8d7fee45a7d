"""How leaves are labelled once the costs are known: labellers by name; one line here adds one.

A labeller is a function from the leaves of a tree to a class for each, see
``roctree.labelling.leaves``.
"""

from roctree.labelling.f_beta import FBeta
from roctree.labelling.labellings import LabellingRow, Labellings
from roctree.labelling.least_cost import (
    LeastCost,
    as_numbers,
    check_errors_cost,
    checked_matrix,
    votes_by_cost,
)
from roctree.labelling.leaves import Labeller, Labelling, Leaves
from roctree.labelling.majority import Majority
from roctree.labelling.operating_point import OperatingPoint, operating_point
from roctree.labelling.rates import MaxFPR, MinTPR
from roctree.labelling.threshold import Threshold

LABELLING: dict[str, type[Labeller]] = {
    "majority": Majority,
    "least_cost": LeastCost,
    "max_fpr": MaxFPR,
    "min_tpr": MinTPR,
    "f_beta": FBeta,
    "threshold": Threshold,
}

__all__ = [
    "LABELLING",
    "FBeta",
    "Labeller",
    "Labelling",
    "LabellingRow",
    "Labellings",
    "LeastCost",
    "Leaves",
    "Majority",
    "MaxFPR",
    "MinTPR",
    "OperatingPoint",
    "Threshold",
    "as_numbers",
    "check_errors_cost",
    "checked_matrix",
    "operating_point",
    "votes_by_cost",
]
