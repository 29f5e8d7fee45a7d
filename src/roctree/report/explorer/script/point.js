// The operating point of a state: labels of the leaves, and the numbers that follow from them.

import { linesAt, linesWithin, lineTable, mixLines } from "./lines.js";
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
  votesWithReject,
} from "./labelling.js";

/**
 * Cache of a tree's tables, rankings and curves, which do not depend on costs. A ranking contains only
 * lines that occur in the table that determines labels, or that is counted on.
 */
export function makeMemory(tree) {
  const kept = new Map();
  const keep = (key, make) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  };
  const table = (name) => keep(name, () => lineTable(tree, name));
  const ranking = (by, positive, on = by) => {
    const lines = linesWithin(tree, by, on);
    return keep(`${by} ${positive} ${lines}`, () => rankLines(table(by), positive, lines, tree.kind === "tree" && tree.lines.byScores.has(by)));
  };
  const curve = (by, positive, on) =>
    keep(`${by} ${positive} on ${on}`, () => curveOf(ranking(by, positive, on), table(on)));
  return { table, ranking, curve };
}

/**
 * The operating point. `labels` of the lines other than divided cases, and the `votes` behind them, `width`
 * for each; `lineLabels` of all lines, the number of classes where a case is left undecided for `reject`;
 * `called` of all lines: NEGATIVE, POSITIVE or LEFT; `voter` computes the votes of any shares. `ranking` and
 * `curve` belong to the table that determines labels, with `nGroups` groups that are not negative and
 * `bounds` of the labellings; `order` and `counted` to the cases that are counted, of which `corner` groups
 * are positive.
 */
export function pointAt(tree, memory, state) {
  const table = memory.table(state.by);
  const on = memory.table(state.on);
  const ranking = memory.ranking(state.by, state.positive);
  const curve = memory.curve(state.by, state.positive, state.by);
  const order = memory.ranking(state.by, state.positive, state.on);
  const voter = voterOf(tree, table, ranking, curve, state);
  const votes = votesOf(tree, table, voter);
  const lineLabels = labelsOf(votes, tree.lines.n, state);
  const labels = lineLabels.subarray(0, tree.lines.nDirect);
  const called = calledOf(lineLabels, state);
  const isPositive = called.map((each) => Number(each === POSITIVE));
  const rates = ratesOf(on, called, state);
  const reject = rejectCost(state);
  return {
    state,
    table,
    on,
    ranking,
    curve,
    order,
    counted: memory.curve(state.by, state.positive, state.on),
    votes,
    width: votes.length / tree.lines.n,
    voter,
    reject,
    perClass: usesMatrix(tree, state),
    labels,
    lineLabels,
    nodeLabels: labelsOfNodes(tree, labels),
    called,
    isPositive,
    nPositive: positiveWeights(tree, isPositive),
    nGroups: countGroups(ranking, called),
    corner: countGroups(order, isPositive),
    bounds: costBounds(
      ranking,
      curve,
      sideWeights(table, state.positive, sharePrior(state)),
      tree.lines.byScores.has(state.by),
      reject === null ? null : reject / state.cost_fp,
    ),
    rates,
    confusion: confusionOf(on, lineLabels),
    undecided: usesMatrix(tree, state) ? undecidedShare(on, lineLabels, state) : rates.undecided,
    right: usesMatrix(tree, state) ? rightShare(tree, on, lineLabels, state) : rates.accuracy,
    cost: expectedCost(tree, on, lineLabels, rates, state),
  };
}

/** What a line is called, against the class of interest: the last if it is left undecided. */
export const NEGATIVE = 0;
export const POSITIVE = 1;
export const LEFT = 2;

function calledOf(labels, state) {
  return labels.map((label) => (label === state.positive ? POSITIVE : label === state.matrix.length ? LEFT : NEGATIVE));
}

/** The cost of leaving a case undecided; null if every case is decided, as rates and beta require. */
export function rejectCost(state) {
  return state.mode === "costs" || state.mode === "matrix" ? (state.cost_reject ?? null) : null;
}

/** The label of a node whose lines differ, and of one without any. */
export const MIXED = -1;
export const UNKNOWN = -2;

/** The label that all lines at the leaves below each node have, MIXED or UNKNOWN. */
function labelsOfNodes(tree, labels) {
  const found = new Int32Array(tree.n).fill(UNKNOWN);
  const add = (node, label) => {
    if (label === UNKNOWN) return;
    found[node] = found[node] === UNKNOWN || found[node] === label ? label : MIXED;
  };
  for (let node = tree.n - 1; node >= 0; node--) {
    if (tree.leafOf[node] >= 0) for (const line of linesAt(tree, node)) add(node, labels[line]);
    if (tree.parent[node] >= 0) add(tree.parent[node], found[node]);
  }
  return found;
}

/** The weight of the training cases at each node that are labelled positive. */
function positiveWeights(tree, isPositive) {
  const { lines, nClasses } = tree;
  const found = new Float64Array(tree.n);
  for (let line = 0; line < lines.nDirect; line++) {
    if (!isPositive[line] || lines.node[line] < 0) continue;
    // A leaf stands for its parts of divided cases too.
    if (tree.kind === "tree") found[lines.node[line]] = tree.weight[lines.node[line]];
    else for (let c = 0; c < nClasses; c++) found[lines.node[line]] += lines.training[line * nClasses + c];
  }
  for (let node = tree.n - 1; node > 0; node--) found[tree.parent[node]] += found[node];
  return found;
}

/** Whether leaves are labelled by a cost matrix rather than by one class against the rest. */
export function usesMatrix(tree, state) {
  return tree.nClasses > 2 && state.mode === "matrix";
}

/** The prior of the class of interest; null if not given. */
export function sharePrior(state) {
  return state.mode === "matrix" ? null : state.prior;
}

/**
 * Return the function that computes votes from { nClasses, shares } and the number of lines. Votes are
 * for the class of interest, or, with a cost matrix, for each class.
 */
function voterOf(tree, table, ranking, curve, state) {
  if (usesMatrix(tree, state)) {
    const weights = classWeights(table, state.priors);
    const matrix = matrixWithReject(state);
    return (lines, n) => votesByMatrix(lines, matrix, weights, n);
  }
  const first = groupsWanted(curve, state);
  if (first !== null) return (lines, n) => votesOfFirst(ranking, first, lines, n);
  const weights = sideWeights(table, state.positive, state.prior);
  const costs = { fp: state.cost_fp, fn: state.cost_fn };
  const reject = rejectCost(state);
  if (reject !== null) return (lines, n) => votesWithReject(lines, state.positive, costs, weights, reject, n);
  return (lines, n) => votesByCost(lines, state.positive, costs, weights, n);
}

/** The cost matrix, with a last row for cases that are left undecided. */
function matrixWithReject(state) {
  const reject = rejectCost(state);
  return reject === null ? state.matrix : [...state.matrix, state.matrix.map(() => reject)];
}

/** The number of positive groups for a rate or beta; null if costs decide. */
function groupsWanted(curve, state) {
  if (state.mode === "max_fpr") return groupsForMaxFpr(curve, state.max_fpr);
  if (state.mode === "min_tpr") return groupsForMinTpr(curve, state.min_tpr);
  return state.mode === "beta" ? groupsForBeta(curve, state.beta, state.prior) : null;
}

/** The votes of each line. */
function votesOf(tree, table, voter) {
  const votes = voter(table, tree.lines.nDirect);
  return withDivided(tree, votes, votes.length / tree.lines.nDirect);
}

function withDivided(tree, ofOwn, width) {
  const votes = new Float64Array(tree.lines.n * width);
  votes.set(ofOwn);
  mixLines(tree, votes, width);
  return votes;
}

/** The labels of some votes, of n lines. */
export function labelsOf(votes, n, state) {
  const labels = new Int32Array(n);
  const other = state.positive === 0 ? 1 : 0;
  const width = votes.length / n;
  for (let line = 0; line < labels.length; line++) {
    const row = votes.subarray(line * width, (line + 1) * width);
    if (width > 2) labels[line] = argmax(row);
    else if (width === 2 && row[1] > Math.max(0, row[0])) labels[line] = state.matrix.length;
    else labels[line] = row[0] > 0 ? state.positive : other;
  }
  return labels;
}

/** The number of groups that are marked if they are the first ones, else null. */
export function countGroups(ranking, isMarked) {
  let most = 0;
  for (const line of ranking.order) if (isMarked[line]) most = Math.max(most, ranking.rank[line] + 1);
  for (const line of ranking.order) {
    if (!isMarked[line] && ranking.rank[line] < most) return null;
  }
  return most;
}

/** Counts of hits, false alarms, misses and correct negatives, and the rates at the prior of the positives. */
function ratesOf(on, called, state) {
  // By what a line is called: [negative, positive, left undecided].
  const ours = [0, 0, 0];
  const theirs = [0, 0, 0];
  for (let line = 0; line < called.length; line++) {
    for (let c = 0; c < on.nClasses; c++) {
      (c === state.positive ? ours : theirs)[called[line]] += on.counts[line * on.nClasses + c];
    }
  }
  return withShares(ours, theirs, sharePrior(state), state.beta);
}

/** Rates of the counts of both sides, adjusted to the prior of the positives if one is given. */
function withShares([fn, tp, leftPositive], [tn, fp, leftNegative], share, beta) {
  const nPositive = tp + fn + leftPositive;
  const nNegative = fp + tn + leftNegative;
  const tpr = tp / nPositive;
  const fpr = fp / nNegative;
  const prior = share === null ? nPositive / (nPositive + nNegative) : share;
  const hits = (tpr || 0) * prior;
  const alarms = (fpr || 0) * (1 - prior);
  const undecidedPositives = (leftPositive / nPositive || 0) * prior;
  const undecidedNegatives = (leftNegative / nNegative || 0) * (1 - prior);
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
    leftPositive,
    leftNegative,
    undecidedPositives,
    undecidedNegatives,
    undecided: undecidedPositives + undecidedNegatives,
    misses: prior - hits - undecidedPositives,
    cleared: 1 - prior - alarms - undecidedNegatives,
    precision: hits / (hits + alarms),
    accuracy: hits + (1 - prior - alarms - undecidedNegatives),
    f_beta: fBeta(tpr, fpr, prior, beta),
  };
}

/** Weight of the cases by predicted and true class, flat; a last row for cases left undecided. */
export function confusionOf(on, labels) {
  const { nClasses } = on;
  const sums = new Float64Array((nClasses + 1) * nClasses);
  for (let line = 0; line < labels.length; line++) {
    for (let c = 0; c < nClasses; c++) {
      sums[labels[line] * nClasses + c] += on.counts[line * nClasses + c];
    }
  }
  return sums;
}

/** The share of the cases whose label is their class. */
function rightShare(tree, on, labels, state) {
  const weights = classWeights(on, state.priors);
  const confusion = confusionOf(on, labels);
  return weights.reduce((sum, weight, c) => sum + (weight * confusion[c * on.nClasses + c]) / on.total, 0);
}

/** The share of the cases that are left undecided. */
function undecidedShare(on, labels, state) {
  const weights = classWeights(on, state.priors);
  const confusion = confusionOf(on, labels).subarray(on.nClasses * on.nClasses);
  return weights.reduce((sum, weight, c) => sum + (weight * confusion[c]) / on.total, 0);
}

/** The expected cost of a case. */
function expectedCost(tree, on, labels, rates, state) {
  if (!usesMatrix(tree, state)) return costOfRates(rates, state);
  const weights = classWeights(on, state.priors);
  const confusion = confusionOf(on, labels);
  let sum = 0;
  matrixWithReject(state).forEach((row, predicted) => {
    row.forEach((cost, truth) => {
      sum += (confusion[predicted * on.nClasses + truth] / on.total) * cost * weights[truth];
    });
  });
  return sum;
}

/** The expected cost of a case by the rates of one class against the rest. */
export function costOfRates(rates, state) {
  return rates.alarms * state.cost_fp + rates.misses * state.cost_fn + rates.undecided * (rejectCost(state) ?? 0);
}

/** The slope of lines of equal cost in ROC space; null if misses are free. */
export function isocostSlope(point) {
  const { state, rates } = point;
  const miss = state.cost_fn * rates.prior;
  return miss > 0 ? (state.cost_fp * (1 - rates.prior)) / miss : null;
}

/** The same point with another number of groups that are not negative, to compare neighbouring labellings. */
export function withGroups(tree, point, nGroups) {
  const { state, table, ranking } = point;
  const there = { ...state, cost_fn: missWithin(point.bounds, nGroups, state.cost_fp) };
  const voter =
    point.reject === null
      ? (lines, n) => votesOfFirst(ranking, nGroups, lines, n)
      : voterOf(tree, table, ranking, point.curve, there);
  const called = calledOf(labelsOf(votesOf(tree, table, voter), tree.lines.n, state), state);
  const rates = ratesOf(point.on, called, state);
  return { nGroups, rates, called, cost: costOfRates(rates, state) };
}

/** Whether a labelling is the cheapest for some finite cost ratio above zero. */
export function isReachable(bounds, nGroups) {
  return nGroups >= 0 && nGroups < bounds.length - 1 && bounds[nGroups + 1] > 0 && bounds[nGroups] < Infinity;
}

/** A cost ratio well inside the interval where a labelling is optimal. */
export function ratioWithin(bounds, nGroups) {
  const [low, high] = [bounds[nGroups], bounds[nGroups + 1]];
  if (low > 0 && high < Infinity) return Math.sqrt(low * high);
  if (low > 0) return low * 2;
  return high < Infinity ? high / 2 : 1;
}

/** A cost of a miss for which a labelling is optimal, given that of a false alarm, as round as possible. */
export function missWithin(bounds, nGroups, fp) {
  const miss = fp * ratioWithin(bounds, nGroups);
  const round = Number(miss.toPrecision(3));
  return round / fp > bounds[nGroups] && round / fp < bounds[nGroups + 1] ? round : miss;
}

/** The line with the smallest difference in cost between its two cheapest classes. */
export function closestCall(tree, point) {
  const matrix = matrixWithReject(point.state);
  const width = matrix.length;
  const costs = expectedCosts(
    point.table,
    matrix,
    classWeights(point.table, point.state.priors),
    tree.lines.nDirect,
  );
  let closest = null;
  for (const line of point.ranking.order) {
    const row = costs.subarray(line * width, (line + 1) * width);
    if (tree.lines.node[line] < 0) continue;
    const least = row[point.labels[line]];
    for (let c = 0; c < width; c++) {
      if (c === point.labels[line]) continue;
      const margin = row[c] > 0 ? (row[c] - least) / row[c] : 0;
      if (closest === null || margin < closest.margin) closest = { line, to: c, margin };
    }
  }
  return closest;
}

/** The argument `prior` in Python: a list, one number, or nothing. */
export function priorForPython(tree, point) {
  const { state, table } = point;
  if (usesMatrix(tree, state)) return state.priors;
  if (state.prior === null || tree.nClasses === 2) return state.prior;
  return Array.from(priorOf(table, state.positive, state.prior));
}
