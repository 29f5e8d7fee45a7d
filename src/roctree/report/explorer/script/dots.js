// A thousand dots that stand for the cases: each belongs to a line of the ranking and to a class.

import { classWeights } from "./labelling.js";
import { sharePrior, usesMatrix } from "./point.js";
import { ROOT } from "./tree.js";

export const N_DOTS = 1000;

/**
 * The dots of a point: `line`, `truth` (a class), `node` and `side` (its colour) of each, sorted by the
 * ranking; `bySide` lists them colour by colour. For every class, the dots of the first lines are the
 * rounded number of cases in them, so that any prefix adds up.
 */
export function dotsOf(tree, point) {
  const { on, order, state } = point;
  const { nClasses } = tree;
  const weights = weightsOf(tree, point);
  const line = new Int32Array(N_DOTS);
  const truth = new Int32Array(N_DOTS);
  const totals = wholeNumbers(Array.from(on.prior, (share, c) => share * weights[c] * N_DOTS));
  const sums = new Float64Array(nClasses);
  const placed = new Int32Array(nClasses);
  let n = 0;
  order.order.forEach((at, place) => {
    for (let c = 0; c < nClasses; c++) {
      sums[c] += (on.counts[at * nClasses + c] * weights[c] * N_DOTS) / on.total;
      const last = place === order.order.length - 1;
      const until = last ? totals[c] : Math.min(totals[c], Math.round(sums[c]));
      for (; placed[c] < until && n < N_DOTS; placed[c]++, n++) {
        line[n] = at;
        truth[n] = c;
      }
    }
  });
  const side = sidesOf(tree, truth, state);
  const bySide = Array.from({ length: n }, (_, i) => i).sort((a, b) => side[b] - side[a] || a - b);
  return { n, line, truth, node: Int32Array.from(line, (at) => nodeOf(tree, at)), side, bySide };
}

/** The weight of each class relative to its share among the cases that are counted. */
function weightsOf(tree, { on, state }) {
  if (usesMatrix(tree, state)) return classWeights(on, state.priors);
  const prior = sharePrior(state);
  if (prior === null) return on.prior.map(() => 1);
  const own = on.prior[state.positive];
  return on.prior.map((share, c) => (c === state.positive ? prior / (own || 1) : (1 - prior) / (1 - own || 1)));
}

/** Whole numbers that add up to the number of dots: rounded down, then the largest remainders up. */
function wholeNumbers(parts) {
  const found = parts.map(Math.floor);
  const byRemainder = parts.map((part, i) => [part - found[i], i]).sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const missing = Math.round(parts.reduce((sum, part) => sum + part, 0)) - found.reduce((sum, part) => sum + part, 0);
  for (const [, i] of byRemainder.slice(0, Math.max(0, missing))) found[i]++;
  return found;
}

/** 1 for the class of interest, else 0; the class itself if every class has its colour. */
function sidesOf(tree, truth, state) {
  if (usesMatrix(tree, state)) return truth;
  return truth.map((c) => Number(c === state.positive));
}

/** The leaf where the dots of a line lie: its place, or the heaviest below a node. */
function nodeOf(tree, line) {
  let node = Math.max(ROOT, tree.lines.place[line]);
  while (tree.nChildren[node] > 0) node = tree.firstChild[node] + tree.heaviest[node];
  return node;
}
