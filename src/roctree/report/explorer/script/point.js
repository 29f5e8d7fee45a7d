// The operating point of a state: labels of the leaves, and the numbers that follow from them.

import { leafTable } from "./tree.js";
import {
  argmax,
  classWeights,
  costBounds,
  curveOf,
  expectedCosts,
  fBeta,
  groupsForBeta,
  groupsForMaxFpr,
  groupsForMinTpr,
  priorOf,
  rankLeaves,
  sideWeights,
  votesByCost,
  votesByMatrix,
  votesOfFirst,
} from "./labelling.js";

/** What is kept of a tree between two points: tables and rankings do not change with costs. */
export function makeMemory(tree) {
  const kept = new Map();
  const keep = (key, make) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  };
  const table = (name) => keep(name, () => leafTable(tree, name));
  const ranking = (by, positive) =>
    keep(`${by} ${positive}`, () => rankLeaves(table(by), positive));
  const curve = (by, positive, on) =>
    keep(`${by} ${positive} ${on}`, () => curveOf(ranking(by, positive), table(on)));
  return { table, ranking, curve };
}

/**
 * The operating point: `labels` of the leaves, `votes` that decide for cases divided among several,
 * `nGroups` positive groups of the `ranking`, and `rates` and `costs` on the table they are counted on.
 */
export function pointAt(tree, memory, state) {
  const table = memory.table(state.by);
  const on = memory.table(state.on);
  const ranking = memory.ranking(state.by, state.positive);
  const curve = memory.curve(state.by, state.positive, state.by);
  const counted = memory.curve(state.by, state.positive, state.on);
  const chosen = usesMatrix(tree, state)
    ? byMatrix(table, state)
    : bySides(tree, table, ranking, curve, state);
  const isPositive = chosen.labels.map((label) => Number(label === state.positive));
  const nGroups = countGroups(ranking, isPositive);
  const rates = ratesOf(on, isPositive, state);
  return {
    ...chosen,
    state,
    table,
    on,
    ranking,
    curve,
    counted,
    isPositive,
    nGroups,
    nodeLabels: labelsOfNodes(tree, chosen.labels),
    bounds: costBounds(ranking, curve, sideWeights(table, state.positive, sharePrior(state))),
    rates,
    confusion: confusionOf(on, chosen.labels),
    cost: expectedCost(tree, on, chosen.labels, rates, state),
  };
}

/** The label of a node whose leaves differ. */
export const MIXED = -1;

/** The label that all leaves below each node have, or MIXED. */
function labelsOfNodes(tree, labels) {
  const UNKNOWN = -2;
  const found = new Int32Array(tree.n).fill(UNKNOWN);
  for (let node = tree.n - 1; node >= 0; node--) {
    if (tree.leafOf[node] >= 0) found[node] = labels[tree.leafOf[node]];
    const parent = tree.parent[node];
    if (parent < 0) continue;
    found[parent] = found[parent] === UNKNOWN || found[parent] === found[node] ? found[node] : MIXED;
  }
  return found;
}

/** Whether leaves go by a matrix of costs rather than by a class of interest against the rest. */
export function usesMatrix(tree, state) {
  return tree.nClasses > 2 && state.mode === "matrix";
}

/** The share that the class of interest is said to have; null where nothing is said. */
export function sharePrior(state) {
  return state.mode === "matrix" ? null : state.prior;
}

function bySides(tree, table, ranking, curve, state) {
  const votes = sideVotes(table, ranking, curve, state);
  const other = state.positive === 0 ? 1 : 0;
  const otherClass = tree.nClasses === 1 ? 0 : other;
  const labels = new Int32Array(votes.length);
  for (let leaf = 0; leaf < votes.length; leaf++) {
    labels[leaf] = votes[leaf] > 0 ? state.positive : otherClass;
  }
  return { votes, labels, perClass: false };
}

function sideVotes(table, ranking, curve, state) {
  if (state.mode === "max_fpr") return votesOfFirst(ranking, groupsForMaxFpr(curve, state.max_fpr));
  if (state.mode === "min_tpr") return votesOfFirst(ranking, groupsForMinTpr(curve, state.min_tpr));
  if (state.mode === "beta") {
    return votesOfFirst(ranking, groupsForBeta(curve, state.beta, state.prior));
  }
  const weights = sideWeights(table, state.positive, state.prior);
  return votesByCost(table, state.positive, { fp: state.cost_fp, fn: state.cost_fn }, weights);
}

function byMatrix(table, state) {
  const weights = classWeights(table, state.priors);
  const votes = votesByMatrix(table, state.matrix, weights);
  const { nClasses } = table;
  const labels = new Int32Array(votes.length / nClasses);
  for (let leaf = 0; leaf < labels.length; leaf++) {
    labels[leaf] = argmax(votes.subarray(leaf * nClasses, (leaf + 1) * nClasses));
  }
  return { votes, labels, perClass: true };
}

/** How many groups are positive, if they are the first ones; else null. */
function countGroups(ranking, isPositive) {
  let most = 0;
  for (let leaf = 0; leaf < isPositive.length; leaf++) {
    if (isPositive[leaf]) most = Math.max(most, ranking.rank[leaf] + 1);
  }
  for (let leaf = 0; leaf < isPositive.length; leaf++) {
    if (!isPositive[leaf] && ranking.rank[leaf] < most) return null;
  }
  return most;
}

/** Counts of hits, false alarms, misses and rejections, and the rates at the share of positives. */
export function ratesOf(on, isPositive, state) {
  let tp = 0;
  let fp = 0;
  let fn = 0;
  let tn = 0;
  for (let leaf = 0; leaf < isPositive.length; leaf++) {
    for (let c = 0; c < on.nClasses; c++) {
      const count = on.counts[leaf * on.nClasses + c];
      if (c === state.positive) isPositive[leaf] ? (tp += count) : (fn += count);
      else isPositive[leaf] ? (fp += count) : (tn += count);
    }
  }
  return withShares({ tp, fp, fn, tn }, sharePrior(state), state.beta);
}

/** Rates of four counts, with the positives having another share than among them if one is given. */
export function withShares({ tp, fp, fn, tn }, share, beta) {
  const tpr = tp / (tp + fn);
  const fpr = fp / (fp + tn);
  const prior = share === null ? (tp + fn) / (tp + fp + fn + tn) : share;
  const hits = (tpr || 0) * prior;
  const alarms = (fpr || 0) * (1 - prior);
  return {
    tp,
    fp,
    fn,
    tn,
    tpr,
    fpr,
    prior,
    hits,
    alarms,
    misses: prior - hits,
    rejections: 1 - prior - alarms,
    precision: hits / (hits + alarms),
    accuracy: hits + (1 - prior - alarms),
    f_beta: fBeta(tpr, fpr, prior, beta),
  };
}

/** Weight of the cases by predicted and true class, flat. */
export function confusionOf(on, labels) {
  const { nClasses } = on;
  const sums = new Float64Array(nClasses * nClasses);
  for (let leaf = 0; leaf < labels.length; leaf++) {
    for (let c = 0; c < nClasses; c++) {
      sums[labels[leaf] * nClasses + c] += on.counts[leaf * nClasses + c];
    }
  }
  return sums;
}

/** The expected cost of a case. */
function expectedCost(tree, on, labels, rates, state) {
  if (!usesMatrix(tree, state)) return rates.alarms * state.cost_fp + rates.misses * state.cost_fn;
  const weights = classWeights(on, state.priors);
  const confusion = confusionOf(on, labels);
  let sum = 0;
  confusion.forEach((count, at) => {
    const said = Math.floor(at / on.nClasses);
    const truth = at % on.nClasses;
    sum += (count / on.total) * state.matrix[said][truth] * weights[truth];
  });
  return sum;
}

/** How many true positives, as a rate, are worth one false positive; null where misses are free. */
export function isocostSlope(point) {
  const { state, rates } = point;
  const miss = state.cost_fn * rates.prior;
  return miss > 0 ? (state.cost_fp * (1 - rates.prior)) / miss : null;
}

/** The same point with so many groups positive: what one labelling more or fewer would achieve. */
export function withGroups(point, nGroups) {
  const isPositive = point.ranking.rank.map((rank) => Number(rank < nGroups));
  const rates = ratesOf(point.on, isPositive, point.state);
  const cost = rates.alarms * point.state.cost_fp + rates.misses * point.state.cost_fn;
  return { nGroups, rates, cost };
}

/** Whether some finite ratio of costs above zero makes a labelling the cheapest. */
export function isReachable(bounds, nGroups) {
  return nGroups >= 0 && nGroups < bounds.length - 1 && bounds[nGroups + 1] > 0 && bounds[nGroups] < Infinity;
}

/** A ratio of costs well inside the interval where a labelling is best. */
export function ratioWithin(bounds, nGroups) {
  const [low, high] = [bounds[nGroups], bounds[nGroups + 1]];
  if (low > 0 && high < Infinity) return Math.sqrt(low * high);
  if (low > 0) return low * 2;
  return high < Infinity ? high / 2 : 1;
}

/** Of all leaves the one whose label hangs by least: the two cheapest classes cost almost the same. */
export function closestCall(tree, point) {
  const { nClasses } = tree;
  const costs = expectedCosts(point.table, point.state.matrix, classWeights(point.table, point.state.priors));
  let closest = null;
  for (let leaf = 0; leaf < point.labels.length; leaf++) {
    const row = costs.subarray(leaf * nClasses, (leaf + 1) * nClasses);
    const least = row[point.labels[leaf]];
    for (let c = 0; c < nClasses; c++) {
      if (c === point.labels[leaf]) continue;
      const margin = row[c] > 0 ? (row[c] - least) / row[c] : 0;
      if (closest === null || margin < closest.margin) closest = { leaf, to: c, margin };
    }
  }
  return closest;
}

/** What Python would be told for the shares of classes: a list, one number, or nothing. */
export function priorForPython(tree, point) {
  const { state, table } = point;
  if (usesMatrix(tree, state)) return state.priors;
  if (state.prior === null || tree.nClasses === 2) return state.prior;
  return Array.from(priorOf(table, state.positive, state.prior));
}
