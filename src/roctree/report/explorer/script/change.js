// The difference between two operating points: leaves that flip, and whether their cases suffice to be sure.

import { bootstrapMean } from "./bootstrap.js";
import { sideWeights } from "./labelling.js";
import { LEFT, NEGATIVE, POSITIVE, sharePrior } from "./point.js";

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
  for (let line = 0; line < to.called.length; line++) {
    if (from.called[line] === to.called[line]) continue;
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
  const steps = new Map();
  for (let line = 0; line < to.called.length; line++) {
    if (to.called[line] === from.called[line]) continue;
    for (let c = 0; c < nClasses; c++) {
      const key = [Number(c === state.positive), from.called[line], to.called[line]].join(" ");
      steps.set(key, (steps.get(key) ?? 0) + counts[line * nClasses + c]);
    }
  }
  const reject = to.reject ?? from.reject ?? 0;
  const parts = STEPS.map(([isOurs, before, after]) => ({
    value: costOf(state, weights, isOurs, after, reject) - costOf(state, weights, isOurs, before, reject),
    weight: steps.get([isOurs, before, after].join(" ")) ?? 0,
  }));
  return bootstrapMean(parts.filter(({ weight }, i) => i < 4 || weight > 0), total);
}

// Changes of what cases are called, each with 1 for the class of interest and 0 for the others.
const STEPS = [
  [1, NEGATIVE, POSITIVE],
  [1, POSITIVE, NEGATIVE],
  [0, NEGATIVE, POSITIVE],
  [0, POSITIVE, NEGATIVE],
  ...[1, 0].flatMap((isOurs) => [NEGATIVE, POSITIVE].flatMap((each) => [[isOurs, each, LEFT], [isOurs, LEFT, each]])),
];

/** The cost of a case of one side by what it is called. */
function costOf(state, weights, isOurs, called, reject) {
  const weight = isOurs ? weights.positive : weights.negative;
  if (called === LEFT) return weight * reject;
  if (isOurs) return called === POSITIVE ? 0 : weight * state.cost_fn;
  return called === POSITIVE ? weight * state.cost_fp : 0;
}

/** The expected cost of a case and its 95 % interval, by the bootstrap of the cases that are counted. */
export function costInterval({ state, on, rates, reject }) {
  const weights = sideWeights(on, state.positive, sharePrior(state));
  const parts = [
    { value: state.cost_fn * weights.positive, weight: rates.fn },
    { value: state.cost_fp * weights.negative, weight: rates.fp },
  ];
  if (reject !== null) {
    parts.push({ value: reject * weights.positive, weight: rates.leftPositive }, { value: reject * weights.negative, weight: rates.leftNegative });
  }
  return bootstrapMean(parts, on.total);
}

/** The cheapest point of the ranking that decides every case, on the cases that are counted, as a point to compare with. */
export function cheapestCounted(point) {
  const { counted, order, state, rates, on } = point;
  let best = { corner: 0, cost: Infinity };
  for (let corner = 0; corner < counted.fpr.length; corner++) {
    const cost = (1 - rates.prior) * counted.fpr[corner] * state.cost_fp + rates.prior * (1 - counted.tpr[corner]) * state.cost_fn;
    if (cost < best.cost - 1e-12) best = { corner, cost };
  }
  const called = point.isPositive.map((_, line) => Number(order.rank[line] >= 0 && order.rank[line] < best.corner));
  return { ...best, called, state, on, reject: null };
}

/** Whether a difference is larger than chance explains. */
export function isSure({ low, high }) {
  return low > 0 || high < 0;
}
