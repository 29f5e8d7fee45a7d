// The operating point of a state: labels of the leaves, and the numbers that follow from them.

import { lineTable, mixLines } from "./tree.js";
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
  rankLines,
  sideWeights,
  votesByCost,
  votesByMatrix,
  votesOfFirst,
} from "./labelling.js";

/**
 * What is kept of a tree between two points: tables, rankings and curves do not change with costs.
 * Cases that missing values divide have a place in a ranking only where test cases are concerned.
 */
export function makeMemory(tree) {
  const kept = new Map();
  const keep = (key, make) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  };
  const table = (name) => keep(name, () => lineTable(tree, name));
  const ranking = (by, positive, on = by) => {
    const wide = by === "test" || on === "test";
    const nLines = wide ? tree.nLines : tree.leaves.length;
    return keep(`${by} ${positive} ${nLines}`, () => rankLines(table(by), positive, nLines));
  };
  const curve = (by, positive, on) =>
    keep(`${by} ${positive} on ${on}`, () => curveOf(ranking(by, positive, on), table(on)));
  return { table, ranking, curve };
}

/**
 * The operating point. `labels` of the leaves and `votes` that decide for cases divided among
 * several; `lineLabels` of all lines. `ranking` and `curve` are what leaves are judged by, with
 * `nGroups` positive groups and `bounds` of the labellings; `order` and `counted` those of the
 * cases that are counted, of which `corner` groups are positive.
 */
export function pointAt(tree, memory, state) {
  const table = memory.table(state.by);
  const on = memory.table(state.on);
  const ranking = memory.ranking(state.by, state.positive);
  const curve = memory.curve(state.by, state.positive, state.by);
  const order = memory.ranking(state.by, state.positive, state.on);
  const votes = votesOf(tree, table, ranking, curve, state);
  const lineLabels = labelsOf(tree, votes, state);
  const labels = lineLabels.subarray(0, tree.leaves.length);
  const isPositive = lineLabels.map((label) => Number(label === state.positive));
  const rates = ratesOf(on, isPositive, state);
  return {
    state,
    table,
    on,
    ranking,
    curve,
    order,
    counted: memory.curve(state.by, state.positive, state.on),
    votes,
    perClass: usesMatrix(tree, state),
    labels,
    lineLabels,
    nodeLabels: labelsOfNodes(tree, labels),
    isPositive,
    nGroups: countGroups(ranking, isPositive),
    corner: countGroups(order, isPositive),
    bounds: costBounds(ranking, curve, sideWeights(table, state.positive, sharePrior(state))),
    rates,
    confusion: confusionOf(on, lineLabels),
    cost: expectedCost(tree, on, lineLabels, rates, state),
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

/** What each line says: for the class of interest, or, with a matrix of costs, for each class. */
function votesOf(tree, table, ranking, curve, state) {
  const matrix = usesMatrix(tree, state);
  const n = tree.leaves.length;
  const ofLeaves = matrix
    ? votesByMatrix(table, state.matrix, classWeights(table, state.priors), n)
    : sideVotes(table, ranking, curve, state, n);
  return withDivided(tree, ofLeaves, matrix ? tree.nClasses : 1);
}

function withDivided(tree, ofLeaves, width) {
  const votes = new Float64Array(tree.nLines * width);
  votes.set(ofLeaves);
  mixLines(tree, votes, width);
  return votes;
}

function sideVotes(table, ranking, curve, state, n) {
  if (state.mode === "max_fpr") return votesOfFirst(ranking, groupsForMaxFpr(curve, state.max_fpr), n);
  if (state.mode === "min_tpr") return votesOfFirst(ranking, groupsForMinTpr(curve, state.min_tpr), n);
  if (state.mode === "beta") {
    return votesOfFirst(ranking, groupsForBeta(curve, state.beta, state.prior), n);
  }
  const weights = sideWeights(table, state.positive, state.prior);
  return votesByCost(table, state.positive, { fp: state.cost_fp, fn: state.cost_fn }, weights, n);
}

function labelsOf(tree, votes, state) {
  const labels = new Int32Array(tree.nLines);
  const other = state.positive === 0 ? 1 : 0;
  const width = votes.length / tree.nLines;
  for (let line = 0; line < labels.length; line++) {
    const row = votes.subarray(line * width, (line + 1) * width);
    if (width > 1) labels[line] = argmax(row);
    else labels[line] = row[0] > 0 ? state.positive : other;
  }
  return labels;
}

/** How many groups are positive, if they are the first ones; else null. */
export function countGroups(ranking, isPositive) {
  let most = 0;
  for (let line = 0; line < ranking.rank.length; line++) {
    if (isPositive[line]) most = Math.max(most, ranking.rank[line] + 1);
  }
  for (let line = 0; line < ranking.rank.length; line++) {
    if (!isPositive[line] && ranking.rank[line] < most) return null;
  }
  return most;
}

/** Counts of hits, false alarms, misses and rejections, and the rates at the share of positives. */
export function ratesOf(on, isPositive, state) {
  let tp = 0;
  let fp = 0;
  let fn = 0;
  let tn = 0;
  for (let line = 0; line < isPositive.length; line++) {
    for (let c = 0; c < on.nClasses; c++) {
      const count = on.counts[line * on.nClasses + c];
      if (c === state.positive) isPositive[line] ? (tp += count) : (fn += count);
      else isPositive[line] ? (fp += count) : (tn += count);
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
  for (let line = 0; line < labels.length; line++) {
    for (let c = 0; c < nClasses; c++) {
      sums[labels[line] * nClasses + c] += on.counts[line * nClasses + c];
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
export function withGroups(tree, point, nGroups) {
  const votes = votesOfFirst(point.ranking, nGroups, tree.leaves.length);
  const isPositive = withDivided(tree, votes, 1).map((vote) => Number(vote > 0));
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
  const costs = expectedCosts(
    point.table,
    point.state.matrix,
    classWeights(point.table, point.state.priors),
    tree.leaves.length,
  );
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
