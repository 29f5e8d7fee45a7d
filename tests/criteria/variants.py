"""Every criterion with every option, beside its naive twin."""

from functools import partial
from itertools import product

from roctree.criteria import (
    AUC,
    DKM,
    MSEE,
    Entropy,
    Error,
    FMeasure,
    GainRatio,
    Gini,
    Hellinger,
)
from tests.naive import criteria as naive

SMOOTHINGS = ("none", "laplace", "m_estimate")

TWINS = {
    Gini: naive.gini,
    Entropy: naive.entropy,
    GainRatio: naive.entropy,
    Error: naive.error,
    MSEE: naive.msee,
}


def variants():
    """Pairs of a criterion and its naive twin, the defaults of the registry first."""
    for criterion, smoothing in product(TWINS, SMOOTHINGS):
        yield criterion(smoothing), partial(TWINS[criterion], smoothing=smoothing)
    for form, smoothing in product(("pairwise", "one_vs_rest", "largest"), SMOOTHINGS):
        yield DKM(form, smoothing), partial(naive.dkm, multiclass=form, smoothing=smoothing)
    for pairs, smoothing in product(("hand_till", "renormalised"), SMOOTHINGS):
        yield AUC(pairs, smoothing), partial(naive.auc, pairs=pairs, smoothing=smoothing)
    for beta in (1, 2, 0.5):
        yield FMeasure(beta), partial(naive.f_measure, beta=beta)
    for smoothing in SMOOTHINGS:
        yield Hellinger(smoothing), partial(naive.hellinger, smoothing=smoothing)


NAIVE = dict(variants())
ALL = list(NAIVE)
UNSMOOTHED = [c for c in ALL if getattr(c, "split_smoothing", "none") == "none"]
EMPTY_BRANCH_COUNTS = [c for c in ALL if isinstance(c, AUC | Hellinger) and c not in UNSMOOTHED]

# Options that lead the compiler elsewhere than the defaults of the registry do.
OTHER_LOOPS = [
    Gini("laplace"),
    Gini("m_estimate"),
    DKM("one_vs_rest"),
    DKM("largest"),
    AUC("renormalised"),
    AUC(split_smoothing="laplace"),
    Hellinger("laplace"),
    FMeasure(2),
]
