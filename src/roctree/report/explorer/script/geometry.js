// One case: the leaves it reaches, its distance from another label, and the smallest change to it.
// Values are numbers, category codes, or null where missing.

import { nodesAround } from "./cells.js";
import { linesAt } from "./lines.js";
import { posterior, tableOf } from "./naive-bayes.js";
import { labelsOf } from "./point.js";
import { calibrated, probabilitiesOf, stepsOf } from "./scorecard.js";
import { IS_PRESENT, ROOT } from "./tree.js";

// The effect of a category or a missing value on the path to a leaf.
const LEADS = 0;
const DIVIDED = 1;
const ELSEWHERE = 2;
// A soft threshold does not divide a case if a branch would receive less than this.
const MIN_PART = 0.001;
const NONE = new Set();

/** The branch that a value takes at a node; -1 where a missing value divides the case. */
function branchTaken(tree, node, value) {
  const missing = tree.missingBranch[node];
  if (value === null) return missing;
  if (tree.threshold[node] === null) {
    const start = tree.categoryOffsets[node];
    const known = value < tree.categoryOffsets[node + 1] - start;
    const branch = known ? tree.categoryBranch[start + value] : -1;
    return branch >= 0 ? branch : missing;
  }
  return value <= tree.threshold[node] ? 0 : 1;
}

/** The path of a case: the part that each node receives, and the nodes where it stops. */
export function reach(tree, values) {
  if (tree.cells) {
    const nodes = nodesAround(tree, values);
    return { parts: new Map(nodes.map((node) => [node, 1])), stops: [{ node: nodes.at(-1), part: 1 }] };
  }
  const parts = descend(tree, values);
  const stops = [...parts].filter(([node]) => tree.leafOf[node] >= 0);
  return { parts, stops: stops.map(([node, part]) => ({ node, part })) };
}

/** The nodes that a case reaches through splits, and the part that each receives. */
function descend(tree, values) {
  const parts = new Map([[ROOT, 1]]);
  for (const [node, part] of parts) {
    const first = tree.firstChild[node];
    const nChildren = tree.nChildren[node];
    if (nChildren === 0) continue;
    const value = values[tree.feature[node]];
    const branch = branchTaken(tree, node, value);
    const above = partAbove(tree, node, value, part);
    for (let i = 0; i < nChildren; i++) {
      let share = branch < 0 ? tree.share[first + i] : Number(i === branch);
      if (above !== null) share = i === 0 ? 1 - above : above;
      if (share > 0) parts.set(first + i, part * share);
    }
  }
  return parts;
}

/** The part of a case that goes above a soft threshold; null if one branch receives all of it. */
function partAbove(tree, node, value, part) {
  const softness = tree.softness ? tree.softness[node] : 0;
  if (value === null || tree.threshold[node] === null || softness === 0) return null;
  const above = 0.5 + (value - tree.threshold[node]) * (0.5 / softness);
  return part * Math.min(above, 1 - above) >= MIN_PART ? above : null;
}

/** Probabilities and label of a case: averaged over the nodes where it stops, by its parts. */
export function judge(tree, point, stops, values) {
  const { nClasses } = tree;
  const shares = sharesOf(tree, stops, values);
  if (tree.hasAnswers) {
    const summed = tree.points ? probabilitiesOf(tree.points, stepsOf(tree.points, shares, values)) : shares;
    const probabilities = Float64Array.from(calibrated(tree.calibration, summed));
    const votes = point.voter({ nClasses, shares: probabilities }, 1);
    return { probabilities, label: labelsOf(votes, 1, point.state)[0] };
  }
  const votes = new Float64Array(point.width);
  for (const { node, part } of stops) {
    const [line] = linesAt(tree, node);
    for (let i = 0; i < votes.length; i++) votes[i] += part * point.votes[line * votes.length + i];
  }
  return { probabilities: shares, label: labelsOf(votes, 1, point.state)[0] };
}

/** The probabilities of the nodes where a case stops, averaged by its parts. */
export function sharesOf(tree, stops, values) {
  const { nClasses } = tree;
  const shares = new Float64Array(nClasses);
  for (const { node, part } of stops) {
    const ofNode = tree.models
      ? posterior(tableOf(tree, node), values)
      : tree.probabilities.subarray(node * nClasses, (node + 1) * nClasses);
    for (let c = 0; c < nClasses; c++) shares[c] += part * ofNode[c];
  }
  return shares;
}

/**
 * The nearest leaf with a wanted label, and the values that lead there. The search descends into
 * nearer branches first and skips those farther away than the best leaf found.
 *
 * Returns null if no leaf has the label, else { leaf, distance, changes }, each change
 * { feature, now, above, upTo, categories }: the required values. Attributes in `locked` do not change.
 */
export function nearestLeaf(tree, values, wanted, locked = NONE) {
  const box = { values, locked, sides: new Map(), costs: new Map() };
  let best = null;
  const stack = [{ node: ROOT, cost: 0 }];
  while (stack.length > 0) {
    const { node, cost, undo } = stack.pop();
    if (undo) {
      undo();
      continue;
    }
    if (best !== null && cost > best.cost) continue;
    const back = node === ROOT ? null : narrow(tree, box, node);
    if (back !== null) stack.push({ undo: back });
    const here = totalCost(box);
    if (!(here < Infinity) || (best !== null && here > best.cost)) continue;
    const leaf = tree.leafOf[node];
    if (leaf >= 0) {
      const better = best === null || here < best.cost || node < tree.leaves[best.leaf];
      if (wanted(leaf) && better) best = { leaf, cost: here, changes: changesOf(tree, box) };
      continue;
    }
    stack.push(...branchesByDistance(tree, node, values, here));
  }
  return best && { leaf: best.leaf, distance: Math.sqrt(best.cost), changes: best.changes };
}

/** The children of a node; the branch of the case comes last, so that it is visited first. */
function branchesByDistance(tree, node, values, cost) {
  const own = branchTaken(tree, node, values[tree.feature[node]]);
  const children = Array.from({ length: tree.nChildren[node] }, (_, i) => i);
  children.sort((a, b) => Number(a === own) - Number(b === own));
  return children.map((i) => ({ node: tree.firstChild[node] + i, cost }));
}

function totalCost(box) {
  let sum = 0;
  for (const cost of box.costs.values()) sum += cost * cost;
  return sum;
}

/** Add the test above a node to the box; returns a function that undoes it. */
function narrow(tree, box, node) {
  const parent = tree.parent[node];
  const feature = tree.feature[parent];
  const before = box.sides.get(feature);
  const costBefore = box.costs.get(feature);
  const numeric = tree.threshold[parent] !== null;
  const side = numeric
    ? narrowNumber(tree, before, parent, node)
    : narrowCategories(tree, before, parent, node);
  box.sides.set(feature, side);
  const unit = tree.features[feature].unit;
  const value = box.values[feature];
  const cost = numeric ? costOfNumber(side, value, unit) : costOfCategory(side, value, unit);
  box.costs.set(feature, box.locked.has(feature) && !staysIn(side, value) ? Infinity : cost);
  return () => {
    if (before === undefined) {
      box.sides.delete(feature);
      box.costs.delete(feature);
    } else {
      box.sides.set(feature, before);
      box.costs.set(feature, costBefore);
    }
  };
}

function narrowNumber(tree, before, parent, node) {
  const side = before ? { ...before } : { low: -Infinity, high: Infinity, gap: LEADS, cuts: {} };
  const cut = tree.threshold[parent];
  const branch = node - tree.firstChild[parent];
  if (branch === 0 && cut < side.high) {
    side.high = cut;
    side.cuts = { ...side.cuts, high: tree.cut[parent] };
  }
  if (branch === 1 && cut > side.low) {
    side.low = cut;
    side.cuts = { ...side.cuts, low: tree.cut[parent] };
  }
  if (tree.missingBranch[parent] !== branch) side.gap = DIVIDED;
  return side;
}

function costOfNumber(side, value, unit) {
  if (value === null && side.gap === LEADS) return 0;
  if (value !== null && side.low < value && value <= side.high) return 0;
  // The interval (lower, upper] is empty only if both bounds are equal.
  if (!(side.low < side.high) || side.low >= IS_PRESENT) return Infinity;
  if (value === null) return 0;
  return Math.abs(Math.min(Math.max(value, side.low), side.high) - value) * unit;
}

function narrowCategories(tree, before, parent, node) {
  const feature = tree.feature[parent];
  const nCodes = tree.features[feature].categories.length;
  const effects = before ? before.effects.slice() : new Uint8Array(nCodes + 1);
  const start = tree.categoryOffsets[parent];
  const branch = node - tree.firstChild[parent];
  for (let code = 0; code <= nCodes; code++) {
    const seen = code < nCodes && code < tree.categoryOffsets[parent + 1] - start;
    let taken = seen ? tree.categoryBranch[start + code] : -1;
    if (taken < 0) taken = tree.missingBranch[parent];
    const effect = taken < 0 ? DIVIDED : taken === branch ? LEADS : ELSEWHERE;
    effects[code] = Math.max(effects[code], effect);
  }
  return { effects };
}

function costOfCategory(side, value, unit) {
  const nCodes = side.effects.length - 1;
  const effect = side.effects[value === null ? nCodes : value];
  if (effect === LEADS) return 0;
  if (!side.effects.subarray(0, nCodes).includes(LEADS)) return Infinity;
  return effect === ELSEWHERE ? unit : 0;
}

/** Whether a value already leads where the constraints of its attribute ask. */
function staysIn(side, value) {
  if (side.effects) return side.effects[value === null ? side.effects.length - 1 : value] === LEADS;
  return value === null ? side.gap === LEADS : side.low < value && value <= side.high;
}

/** The attributes whose values do not lead to the leaf, and the values that would. */
function changesOf(tree, box) {
  const changes = [];
  for (const [feature, side] of box.sides) {
    const now = box.values[feature];
    if (staysIn(side, now)) continue;
    if (side.effects) {
      const nCodes = side.effects.length - 1;
      const codes = Array.from(side.effects.keys()).slice(0, nCodes);
      changes.push({ feature, now, categories: codes.filter((code) => side.effects[code] === LEADS) });
    } else changes.push({ feature, now, low: side.low, high: side.high, cuts: side.cuts });
  }
  return changes.sort((a, b) => a.feature - b.feature);
}
