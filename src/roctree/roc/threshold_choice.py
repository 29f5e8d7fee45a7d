"""The expected loss of a ranking, by the way in which thresholds are chosen for the costs.

Costs are unknown when a model is evaluated. Let c be the cost of a false alarm as a share of the
costs of one false alarm and one miss, and scale both to sum to 2, so that a threshold with rates
FPR and FNR loses 2 (c (1 - p) FPR + (1 - c) p FNR) per case, p being the share of positives. How
the threshold depends on c is the *threshold choice method*, and the expectation over c is the
measure (Hernández-Orallo, Flach and Ferri 2012):

================  ============================================  ===============================
method            threshold at cost c                           expected loss, c uniform
================  ============================================  ===============================
``fixed``         always the same                               error rate at that threshold
``score_driven``  c itself                                      Brier score
``rate_driven``   calls a share c of all cases negative         p (1 - p) (1 - 2 AUC) + 1/3
``optimal``       the best for c                                Brier score after calibration
================  ============================================  ===============================

Between two changes of the threshold the counts of false alarms and of misses are linear in c, so
that the loss is a polynomial and its expectation under a Beta distribution is exact.
"""

import math
from numbers import Real
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from roctree.arrays import Floats
from roctree.errors import ParameterError
from roctree.roc.inputs import check_choice, check_integer, check_two_classes
from roctree.strategy import is_finite_number

if TYPE_CHECKING:
    from roctree.roc.curve import Curve

ThresholdChoice = Literal["fixed", "score_driven", "rate_driven", "optimal"]
THRESHOLD_CHOICES: tuple[ThresholdChoice, ...] = get_args(ThresholdChoice)
# Up to this many trials a binomial tail is summed term by term.
_LARGEST_BINOMIAL = 20


class LossCurve(NamedTuple):
    """The loss at each cost, by one way to choose the threshold.

    Parameters
    ----------
    edges : float64[n + 1]
        Costs from 0 to 1 between which the loss is a polynomial.
    coefficients : float64[n, 3]
        The polynomial of each interval: the factors of 1, c and c^2.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
    >>> loss = curve.loss_curve("optimal")
    >>> round(loss.expected(), 3)
    0.195
    """

    edges: Floats
    coefficients: Floats

    @property
    def area(self) -> float:
        """Expected loss if all costs are equally likely."""
        return self.expected()

    def expected(self, alpha: float = 1.0, beta: float = 1.0) -> float:
        """Return the expected loss if costs are distributed like Beta(alpha, beta).

        Parameters
        ----------
        alpha, beta : float
            Parameters of the distribution; uniform by default.

        Returns
        -------
        float
            The expected loss per case.

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> round(curve.loss_curve("optimal").expected(alpha=2, beta=2), 3)
        0.234
        """
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not is_finite_number(value) or value <= 0.0:
                raise ParameterError(parameter=name, value=value, reason="must be a number above 0")
        total, moment = 0.0, 1.0
        for power in range(3):
            # The mean of c^power, and the part of it that each interval contributes.
            parts = np.diff(_beta_cumulative(alpha + power, beta, self.edges))
            total += float(moment * (parts @ self.coefficients[:, power]))
            moment *= (alpha + power) / (alpha + beta + power)
        return total

    def points(self, n_steps: int = 20) -> tuple[Floats, Floats]:
        """Return costs and losses to draw: the ends of each interval, and steps within curves.

        Parameters
        ----------
        n_steps : int
            Number of steps in each interval where the loss is not linear.

        Returns
        -------
        costs, losses : float64 arrays
            The points.

        Examples
        --------
        >>> from roctree.roc import Curve
        >>> curve = Curve.from_leaves([0.9, 0.6, 0.2], [8, 4, 3], [2, 4, 9])
        >>> costs, losses = curve.loss_curve("score_driven").points()
        >>> losses.max().round(3)
        np.float64(0.32)
        """
        check_integer("n_steps", n_steps, 1)
        curved = bool(self.coefficients[:, 2].any())
        steps = np.linspace(0.0, 1.0, n_steps + 1 if curved else 2)
        costs = self.edges[:-1, None] + np.diff(self.edges)[:, None] * steps
        powers = costs[:, :, None] ** np.arange(3)
        return costs.ravel(), np.einsum("nsk,nk->ns", powers, self.coefficients).ravel()


def _beta_cumulative(alpha: float, beta: float, costs: Floats) -> Floats:
    """Return the distribution function of Beta(alpha, beta) at costs from 0 to 1."""
    n = alpha + beta - 1
    if n > _LARGEST_BINOMIAL or int(alpha) != alpha or int(beta) != beta:
        from scipy.special import betainc

        return np.asarray(betainc(alpha, beta, costs))
    # For whole numbers it is a binomial tail. Importing SciPy takes longer than most commands.
    found = np.zeros_like(costs)
    for k in range(int(alpha), int(n) + 1):
        found += math.comb(int(n), k) * costs**k * (1.0 - costs) ** (n - k)
    return found


def loss_curve(
    curve: "Curve", choice: ThresholdChoice = "optimal", *, threshold: float = 0.5
) -> LossCurve:
    """Return the loss at each cost, by one way to choose the threshold.

    Parameters
    ----------
    curve : Curve
        The curve.
    choice : {"fixed", "score_driven", "rate_driven", "optimal"}
        The threshold at cost c: ``threshold`` at all costs; c itself, which needs probabilities;
        the one that calls a share c of the cases negative, ties being divided; or the best one.
    threshold : float, default 0.5
        Lowest score that is predicted positive, for "fixed".

    Returns
    -------
    LossCurve
        The loss as a function of the cost.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([0.8, 0.2], positives=[4, 1], negatives=[1, 4])
    >>> costs, losses = curve.loss_curve("score_driven").points()
    >>> losses.round(2)
    array([0. , 0.2, 0.2, 0.2, 0.2, 0. ])
    """
    check_choice("choice", choice, THRESHOLD_CHOICES)
    check_two_classes(curve, "an expected loss")
    total = curve.n_positive + curve.n_negative
    if choice == "fixed":
        if not isinstance(threshold, Real) or math.isnan(threshold):
            raise ParameterError(parameter="threshold", value=threshold, reason="must be a number")
        place = int(np.count_nonzero(curve.scores >= threshold))
        edges, alarms, hits = np.array([0.0, 1.0]), curve.fp[[place]], curve.tp[[place]]
    elif choice == "score_driven":
        if curve.scores[0] > 1.0 or curve.scores[-1] < 0.0:
            raise ParameterError(
                "Score-driven thresholds need probabilities: scores must be from 0 to 1."
            )
        # From the highest cost down: nothing is positive above the highest score.
        edges = np.concatenate([[0.0], curve.scores[::-1], [1.0]])
        alarms, hits = curve.fp[::-1], curve.tp[::-1]
    elif choice == "rate_driven":
        return _rate_driven(curve)
    else:
        hull = curve.hull()
        rise = np.diff(hull.tpr * curve.n_positive)
        run = np.diff(hull.fpr * curve.n_negative)
        edges = np.concatenate([[0.0], (rise / (rise + run))[::-1], [1.0]])
        alarms = (hull.fpr * curve.n_negative)[::-1]
        hits = (hull.tpr * curve.n_positive)[::-1]
    misses = curve.n_positive - hits
    # 2 (c alarms + (1 - c) misses) / total
    coefficients = np.column_stack([misses, alarms - misses, np.zeros(len(misses))])
    return LossCurve(np.asarray(edges), 2.0 * coefficients / total)


def _rate_driven(curve: "Curve") -> LossCurve:
    """Return the loss if a share c of all cases is called negative."""
    total = curve.n_positive + curve.n_negative
    # Leaves that no case reaches change nothing.
    kept = np.concatenate([[True], curve.positives + curve.negatives > 0.0])
    fp, tp = curve.fp[kept], curve.tp[kept]
    cost = (1.0 - (fp + tp) / total)[::-1]
    cost[0], cost[-1] = 0.0, 1.0
    alarms, misses = fp[::-1], (curve.n_positive - tp)[::-1]
    width = np.diff(cost)
    # Both counts are linear between adjacent scores: start + slope c.
    slope_a, slope_m = np.diff(alarms) / width, np.diff(misses) / width
    start_a, start_m = alarms[:-1] - slope_a * cost[:-1], misses[:-1] - slope_m * cost[:-1]
    coefficients = [start_m, start_a + slope_m - start_m, slope_a - slope_m]
    return LossCurve(cost, 2.0 * np.column_stack(coefficients) / total)


def expected_loss(
    curve: "Curve",
    choice: ThresholdChoice = "optimal",
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    threshold: float = 0.5,
) -> float:
    """Return the expected loss over costs that are distributed like Beta(alpha, beta).

    Parameters
    ----------
    curve : Curve
        The curve.
    choice : {"fixed", "score_driven", "rate_driven", "optimal"}
        How the threshold depends on the costs; see ``loss_curve``.
    alpha, beta : float, default 1.0
        Distribution of the cost of a false alarm, as a share of the costs of one false alarm and
        one miss; uniform by default.
    threshold : float, default 0.5
        Lowest score that is predicted positive, for "fixed".

    Returns
    -------
    float
        The expected loss per case, from 0 to 2.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], positives=[5, 4, 3], negatives=[1, 2, 5])
    >>> [round(curve.expected_loss(each), 4) for each in ("fixed", "score_driven", "rate_driven")]
    [0.3, 0.2021, 0.2283]
    """
    return loss_curve(curve, choice, threshold=threshold).expected(alpha, beta)


def h_measure(curve: "Curve", alpha: float = 2.0, beta: float = 2.0) -> float:
    """Return Hand's H-measure: 1 for a perfect ranking, 0 for one that is of no use at any cost.

    The expected loss of optimal thresholds, relative to that of calling all cases positive or all
    negative, whichever is cheaper (Hand 2009). Unlike AUC it weights costs alike for all models.

    Parameters
    ----------
    curve : Curve
        The curve.
    alpha, beta : float, default 2.0
        Distribution of the costs; see ``expected_loss``.

    Returns
    -------
    float
        The H-measure.

    Examples
    --------
    >>> from roctree.roc import Curve
    >>> curve = Curve.from_leaves([5 / 6, 2 / 3, 3 / 8], positives=[5, 4, 3], negatives=[1, 2, 5])
    >>> round(curve.h_measure(), 4)
    0.1779
    """
    check_two_classes(curve, "an H-measure")
    share = curve.n_positive / (curve.n_positive + curve.n_negative)
    # At cost c all positive loses 2 c (1 - share), all negative 2 (1 - c) share.
    edges = np.array([0.0, share, 1.0])
    trivial = np.array([[0.0, 2.0 * (1.0 - share), 0.0], [2.0 * share, -2.0 * share, 0.0]])
    worst = LossCurve(edges, trivial).expected(alpha, beta)
    return 1.0 - expected_loss(curve, alpha=alpha, beta=beta) / worst
