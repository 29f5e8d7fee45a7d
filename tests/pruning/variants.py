"""The pruners of the registry, some with other options: by the tree only, or by other cases."""

from roctree.pruning import (
    PRUNING,
    AUCPruning,
    CardPerClass,
    CostComplexity,
    CriticalValue,
    ErrorBased,
    MinimumError,
    Pessimistic,
    need,
)

OF_COUNTS = [pruner for pruner in PRUNING.values() if need(pruner) == "counts"]
VARIANTS = [
    *OF_COUNTS,
    ErrorBased(slack=0.0),
    ErrorBased(cf=0.01, limit="c45"),
    ErrorBased(cf=0.01, limit="weka", collapse=True),
    MinimumError(m=0),
    MinimumError(m="classes", prior="uniform"),
    CostComplexity(alpha=0.0),
    CostComplexity(alpha=0.01),
    CriticalValue(0.5),
    CardPerClass(K=4),
    CardPerClass(rule="per_class"),
]
BY_OTHER_CASES = [
    *(pruner for pruner in PRUNING.values() if need(pruner) != "counts"),
    CostComplexity(choice="best"),
    AUCPruning(choice="one_se"),
]
# They judge a node by what they then cut off below it.
FROM_ABOVE = (Pessimistic,)
PRICED = [ErrorBased(slack=0.0), ErrorBased(limit="c45", slack=0.0), MinimumError(), Pessimistic()]
