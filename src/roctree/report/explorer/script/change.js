// The difference between two operating points: leaves that flip, and whether their cases suffice to be sure.

import { bootstrapMean } from "./bootstrap.js";
import { sideWeights } from "./labelling.js";
import { sharePrior } from "./point.js";

/**
 * What happens from one point to another: `nodes`, the leaves whose label changes; `hits` and `alarms` of
 * a case; `cost` of a case and its 95 % interval, paired over the cases that are counted.
 */
export function changeBetween(tree, from, to) {
  const nodes = Array.from(tree.leaves).filter((node) => from.nodeLabels[node] !== to.nodeLabels[node]);
  return {
    nodes,
    nCases: changedCases(from, to),
    hits: to.rates.hits - from.rates.hits,
    alarms: to.rates.alarms - from.rates.alarms,
    cost: pairedCost(from, to),
  };
}

function changedCases(from, to) {
  const { counts, nClasses } = to.on;
  let sum = 0;
  for (let line = 0; line < to.isPositive.length; line++) {
    if (from.isPositive[line] === to.isPositive[line]) continue;
    for (let c = 0; c < nClasses; c++) sum += counts[line * nClasses + c];
  }
  return sum;
}

/**
 * The difference in expected cost of a case, `low` to `high` with 95 % confidence, by the bootstrap of what
 * each case costs more, which is 0 for all whose label stays.
 */
export function pairedCost(from, to) {
  const { state, on } = to;
  const { counts, nClasses, total } = on;
  const weights = sideWeights(on, state.positive, sharePrior(state));
  const sides = { found: 0, lost: 0, alarms: 0, cleared: 0 };
  for (let line = 0; line < to.isPositive.length; line++) {
    const step = to.isPositive[line] - from.isPositive[line];
    if (step === 0) continue;
    for (let c = 0; c < nClasses; c++) {
      const side = c === state.positive ? (step > 0 ? "found" : "lost") : step > 0 ? "alarms" : "cleared";
      sides[side] += counts[line * nClasses + c];
    }
  }
  const [miss, alarm] = [state.cost_fn * weights.positive, state.cost_fp * weights.negative];
  const parts = [
    { value: -miss, weight: sides.found },
    { value: miss, weight: sides.lost },
    { value: alarm, weight: sides.alarms },
    { value: -alarm, weight: sides.cleared },
  ];
  return bootstrapMean(parts, total);
}

/** The expected cost of a case and its 95 % interval, by the bootstrap of the cases that are counted. */
export function costInterval({ state, on, rates }) {
  const weights = sideWeights(on, state.positive, sharePrior(state));
  const parts = [
    { value: state.cost_fn * weights.positive, weight: rates.fn },
    { value: state.cost_fp * weights.negative, weight: rates.fp },
  ];
  return bootstrapMean(parts, on.total);
}

/** The cheapest point of the ranking on the cases that are counted, as a point to compare with. */
export function cheapestCounted(point) {
  const { counted, order, state, rates, on } = point;
  let best = { corner: 0, cost: Infinity };
  for (let corner = 0; corner < counted.fpr.length; corner++) {
    const cost = (1 - rates.prior) * counted.fpr[corner] * state.cost_fp + rates.prior * (1 - counted.tpr[corner]) * state.cost_fn;
    if (cost < best.cost - 1e-12) best = { corner, cost };
  }
  const isPositive = point.isPositive.map((_, line) => Number(order.rank[line] >= 0 && order.rank[line] < best.corner));
  return { ...best, isPositive, state, on };
}

/** Whether a difference is larger than chance explains. */
export function isSure({ low, high }) {
  return low > 0 || high < 0;
}
