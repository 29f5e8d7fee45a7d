// The label of each leaf: the computation of `tree.at(...)`, with the same arithmetic.

// Exact ties are common, and rounding errors would decide them.
const TIE = 1e-12;
// The vote of a tie.
const TIE_VOTE = 1e-200;
// Scores are compared after rounding to this number of decimals, as in Python.
const GRAIN = 1e12;
// Scores so far out that their mean with any share is above or below all shares.
const ABOVE_ALL = 4;
const BELOW_ALL = -4;

/**
 * Some lines of a table, sorted by their share of a class, highest first. Lines with the same share form
 * one group and change together. Other lines have rank -1. With `certain`, the probabilities 1 and 0 lie
 * above and below all groups.
 */
export function rankLines(table, positive, lines, certain = false) {
  const nLines = table.shares.length / table.nClasses;
  const scores = new Float64Array(nLines);
  for (let line = 0; line < nLines; line++) {
    scores[line] = scoreOfShare(table.shares[line * table.nClasses + positive]);
  }
  const order = Int32Array.from(lines);
  order.sort((a, b) => scores[b] - scores[a] || a - b);
  const rank = new Int32Array(nLines).fill(-1);
  const starts = [];
  order.forEach((line, place) => {
    if (place === 0 || scores[line] !== scores[order[place - 1]]) starts.push(place);
    rank[line] = starts.length - 1;
  });
  return { positive, scores, order, rank, certain, nGroups: starts.length, starts: Int32Array.from([...starts, order.length]) };
}

function scoreOfShare(share) {
  return Math.round(share * GRAIN) / GRAIN;
}

/** The lines of one group of a ranking. */
export function linesOf(ranking, group) {
  return Array.from(ranking.order.subarray(ranking.starts[group], ranking.starts[group + 1]));
}

function scoreOf(ranking, group) {
  return ranking.scores[ranking.order[ranking.starts[group]]];
}

/** A score between those of the first n groups and those of the others. */
function cutAfter(ranking, nGroups) {
  const above = nGroups > 0 ? scoreOf(ranking, nGroups - 1) : ABOVE_ALL;
  const below = nGroups < ranking.nGroups ? scoreOf(ranking, nGroups) : BELOW_ALL;
  if (ranking.certain && nGroups === 0 && below < 1) return (1 + below) / 2;
  if (ranking.certain && nGroups === ranking.nGroups && above > 0) return above / 2;
  return (above + below) / 2;
}

/** The number of groups of another ranking of the same shares above the cut after n groups. */
export function groupsAbove(ranking, nGroups, other) {
  if (other === ranking) return nGroups;
  const cut = cutAfter(ranking, nGroups);
  let [low, high] = [0, other.nGroups];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scoreOf(other, middle) > cut) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Positives and negatives of each group, and their cumulative sums from 0: a ROC curve in counts. */
export function curveOf(ranking, table) {
  const { nClasses } = table;
  const positives = new Float64Array(ranking.nGroups);
  const negatives = new Float64Array(ranking.nGroups);
  for (const line of ranking.order) {
    for (let c = 0; c < nClasses; c++) {
      const side = c === ranking.positive ? positives : negatives;
      side[ranking.rank[line]] += table.counts[line * nClasses + c];
    }
  }
  return withRates({ positives, negatives, tp: cumulated(positives), fp: cumulated(negatives) });
}

function withRates(curve) {
  const nPositive = curve.tp[curve.tp.length - 1];
  const nNegative = curve.fp[curve.fp.length - 1];
  return {
    ...curve,
    nPositive,
    nNegative,
    prior: nPositive / (nPositive + nNegative),
    tpr: curve.tp.map((count) => count / nPositive),
    fpr: curve.fp.map((count) => count / nNegative),
  };
}

function cumulated(parts) {
  const sums = new Float64Array(parts.length + 1);
  for (let i = 0; i < parts.length; i++) sums[i + 1] = sums[i] + parts[i];
  return sums;
}

/**
 * Cost ratios (miss : false alarm) at which neighbouring labellings cost the same, from 0 to Infinity.
 * Labelling g, in which the first g groups are positive, is optimal from bound g to g + 1. Computed
 * from the counts, or, with `byShares`, from the probabilities of a model. If a case can be left undecided
 * for `reject` false alarms, the first g groups are positive or undecided, whichever is cheaper for them.
 */
export function costBounds(ranking, curve, weights, byShares, reject = null) {
  const rarer = weights.negative / weights.positive;
  const between = Array.from(curve.positives, (ours, group) => {
    const score = scoreOf(ranking, group);
    const counted = ours + curve.negatives[group] > 0 && !byShares;
    const odds = counted ? curve.negatives[group] / ours : (1 - score) / score;
    const own = odds * rarer;
    // A leaf without a case of the class of interest never ceases to be negative.
    return reject === null || own === Infinity ? own : Math.min(own, reject * (1 + own));
  });
  return Float64Array.from([0, ...between, Infinity]);
}

/** The ratio of each class's prior to its share of the leaves' cases; 1 without a prior. */
export function classWeights(table, prior) {
  if (prior === null) return table.prior.map(() => 1);
  return table.prior.map((share, c) => (share > 0 ? prior[c] / share : 0));
}

/** The shares of all classes if one class has this share and the others keep their proportions. */
export function priorOf(table, positive, share) {
  if (share === null) return null;
  const others = 1 - table.prior[positive];
  return table.prior.map((part, c) => (c === positive ? share : ((1 - share) * part) / others));
}

/** The same for the two sides, the class of interest and all others. */
export function sideWeights(table, positive, share) {
  if (share === null) return { positive: 1, negative: 1 };
  const own = table.prior[positive];
  return { positive: own > 0 ? share / own : 0, negative: own < 1 ? (1 - share) / (1 - own) : 0 };
}

/** Votes of n lines for the positive class: the cost of misses minus that of false alarms. */
export function votesByCost({ nClasses, shares }, positive, costs, weights, n) {
  const votes = new Float64Array(n);
  // With two classes a tie is positive; with more it goes to the first class, as for cost matrices.
  const tiesArePositive = nClasses === 2 || positive === 0;
  for (let leaf = 0; leaf < n; leaf++) {
    const share = shares[leaf * nClasses + positive];
    const rest = nClasses === 2 ? shares[leaf * 2 + 1 - positive] : 1 - share;
    const alarm = costs.fp * weights.negative * rest;
    const miss = costs.fn * weights.positive * share;
    const tied = Math.abs(alarm - miss) <= TIE * Math.max(alarm, miss);
    votes[leaf] = tied ? (tiesArePositive ? TIE_VOTE : -TIE_VOTE) : miss - alarm;
  }
  return votes;
}

/**
 * Two votes of each of n lines: that for the positive class, and that for leaving it undecided at a cost,
 * both compared with the negative class. A case is decided if that costs no more.
 */
export function votesWithReject(table, positive, costs, weights, reject, n) {
  const { nClasses, shares } = table;
  const ofPositive = votesByCost(table, positive, costs, weights, n);
  const votes = new Float64Array(2 * n);
  for (let leaf = 0; leaf < n; leaf++) {
    const share = shares[leaf * nClasses + positive];
    const rest = nClasses === 2 ? shares[leaf * 2 + 1 - positive] : 1 - share;
    const miss = costs.fn * weights.positive * share;
    const least = Math.min(miss, costs.fp * weights.negative * rest);
    const left = reject * (weights.positive * share + weights.negative * rest);
    votes[2 * leaf] = ofPositive[leaf];
    votes[2 * leaf + 1] = Math.abs(left - least) <= TIE * Math.max(left, miss) ? Math.max(0, ofPositive[leaf]) : miss - left;
  }
  return votes;
}

/** Votes of n lines that make the first groups of a ranking positive. */
export function votesOfFirst(ranking, nGroups, { nClasses, shares }, n) {
  const cut = cutAfter(ranking, nGroups);
  return Float64Array.from({ length: n }, (_, i) => scoreOfShare(shares[i * nClasses + ranking.positive]) - cut);
}

/** The number of positive groups with the most hits at a maximal false positive rate. */
export function groupsForMaxFpr(curve, rate) {
  let corner = 0;
  for (let g = 0; g < curve.fpr.length; g++) if (curve.fpr[g] <= rate + TIE) corner = g;
  // Among corners with equally many hits, the last one with the fewest false alarms.
  let first = corner;
  while (first > 0 && curve.tp[first - 1] === curve.tp[corner]) first--;
  let best = first;
  for (let g = first; g <= corner; g++) if (curve.fp[g] === curve.fp[first]) best = g;
  return best;
}

/** The number of positive groups needed for a recall. */
export function groupsForMinTpr(curve, rate) {
  const found = curve.tpr.findIndex((tpr) => tpr >= rate - TIE);
  return found < 0 ? curve.tpr.length - 1 : found;
}

/** The number of positive groups with the best F-beta, the smallest if several tie. */
export function groupsForBeta(curve, beta, share) {
  const prior = share === null ? curve.prior : share;
  const scores = Array.from(curve.tpr, (tpr, g) => fBeta(tpr, curve.fpr[g], prior, beta));
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return scores.findIndex((score) => score >= best - TIE);
}

/** The weighted harmonic mean of precision and recall; 0 without hits. */
export function fBeta(tpr, fpr, prior, beta) {
  const hits = (tpr || 0) * prior;
  const alarms = (fpr || 0) * (1 - prior);
  const weight = beta / (beta + 1 / beta);
  const below = weight * prior + (1 - weight) * (hits + alarms);
  return below > 0 ? hits / below : 0;
}

/** The cost of each row of a matrix in each of n leaves, minus that of correct labels; flat, [leaf][row]. */
export function expectedCosts(table, matrix, weights, n) {
  const { nClasses, shares } = table;
  const expected = new Float64Array(n * matrix.length);
  for (let leaf = 0; leaf < n; leaf++) {
    for (let predicted = 0; predicted < matrix.length; predicted++) {
      let sum = 0;
      for (let c = 0; c < nClasses; c++) {
        sum += (matrix[predicted][c] - matrix[c][c]) * weights[c] * shares[leaf * nClasses + c];
      }
      expected[leaf * matrix.length + predicted] = sum;
    }
  }
  return expected;
}

/** Votes of n leaves for every row of a matrix: the negative cost; ties go to the first. */
export function votesByMatrix(table, matrix, weights, n) {
  const width = matrix.length;
  const votes = expectedCosts(table, matrix, weights, n);
  for (let start = 0; start < votes.length; start += width) {
    const row = votes.subarray(start, start + width);
    const least = Math.min(...row);
    const slack = TIE * Math.max(...row.map(Math.abs));
    for (let c = 0; c < width; c++) row[c] = -(row[c] <= least + slack ? least : row[c]);
  }
  return votes;
}

/** The index of the highest of some numbers, the first if several tie. */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
