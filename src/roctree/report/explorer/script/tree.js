// The parsed data document: nodes as typed arrays, and the class counts that determine labels.
// Everything here and in lines.js, labelling.js, curves.js, geometry.js, cells.js and naive-bayes.js
// is a pure function.

import { openCells } from "./cells.js";
import { openLines } from "./lines.js";

/** A threshold that every known value passes: the test is whether the value is known. */
export const IS_PRESENT = Number.MAX_VALUE;
export const ROOT = 0;

/** Return the tree of a data document; its nodes are in breadth-first order. */
export function openTree(data) {
  const nodes = data.tree;
  const nClasses = data.classes.length;
  const n = nodes.n_children.length;
  const nChildren = Int32Array.from(nodes.n_children);
  const links = linksOf(nChildren);
  const training = Float64Array.from(data.training);
  const weight = rowSums(training, nClasses);
  const leaves = [];
  const leafOf = new Int32Array(n).fill(-1);
  for (let node = 0; node < n; node++) {
    if (nChildren[node] === 0) {
      leafOf[node] = leaves.length;
      leaves.push(node);
    }
  }
  const tree = {
    ...links,
    kind: data.kind,
    n,
    nClasses,
    nChildren,
    classes: data.classes,
    features: data.features,
    feature: nodes.feature,
    threshold: nodes.threshold,
    cut: nodes.cut,
    softness: nodes.softness,
    // Whether each case is on one side of every threshold: only then do labels have a boundary.
    isHard: data.kind === "tree" && !nodes.softness,
    categoryBranch: nodes.category_branch,
    categoryOffsets: nodes.category_offsets,
    missingBranch: nodes.missing_branch,
    probabilities: Float64Array.from(data.probabilities),
    counts: { training, test: data.test && Float64Array.from(data.test) },
    weight,
    total: weight[ROOT],
    share: sharesOfSiblings(links, nChildren, weight),
    leaves: Int32Array.from(leaves),
    leafOf,
    nLeaves: leafCounts(links, nChildren),
    heaviest: heaviestBranches(links, nChildren, weight),
    cells: data.cells && openCells(data.cells, n),
    models: data.models,
    points: data.points,
    calibration: data.calibration,
    // Whether cases of one leaf get different probabilities: then lines are answers, not leaves.
    hasAnswers: data.models !== null || data.points !== null,
  };
  return Object.assign(tree, { lines: openLines(tree, data) });
}

function linksOf(nChildren) {
  const n = nChildren.length;
  const parent = new Int32Array(n).fill(-1);
  const depth = new Int32Array(n);
  const firstChild = new Int32Array(n);
  let next = 1;
  for (let node = 0; node < n; node++) {
    firstChild[node] = next;
    for (let i = 0; i < nChildren[node]; i++, next++) {
      parent[next] = node;
      depth[next] = depth[node] + 1;
    }
  }
  return { parent, depth, firstChild };
}

function rowSums(values, width) {
  const sums = new Float64Array(values.length / width);
  for (let i = 0; i < values.length; i++) sums[Math.floor(i / width)] += values[i];
  return sums;
}

/** The share of each node in the total weight of its siblings and itself; equal if all are empty. */
function sharesOfSiblings({ parent, firstChild }, nChildren, weight) {
  const share = new Float64Array(weight.length).fill(1);
  for (let node = 0; node < weight.length; node++) {
    const end = firstChild[node] + nChildren[node];
    let total = 0;
    for (let child = firstChild[node]; child < end; child++) total += weight[child];
    for (let child = firstChild[node]; child < end; child++) {
      share[child] = total > 0 ? weight[child] / total : 1 / nChildren[parent[child]];
    }
  }
  return share;
}

/** The number of leaves below each node. */
function leafCounts({ parent }, nChildren) {
  const counts = Int32Array.from(nChildren, (n) => Number(n === 0));
  for (let node = counts.length - 1; node > 0; node--) counts[parent[node]] += counts[node];
  return counts;
}

function heaviestBranches({ firstChild }, nChildren, weight) {
  const heaviest = new Int32Array(weight.length).fill(-1);
  for (let node = 0; node < weight.length; node++) {
    for (let branch = 0; branch < nChildren[node]; branch++) {
      const best = heaviest[node];
      if (best < 0 || weight[firstChild[node] + branch] > weight[firstChild[node] + best]) {
        heaviest[node] = branch;
      }
    }
  }
  return heaviest;
}

/** The index of a node among its parent's branches. */
export function branchOf(tree, node) {
  return node - tree.firstChild[tree.parent[node]];
}

/** The nodes from the root to a node. */
export function pathTo(tree, node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** The class counts of all nodes for the cases that numbers are counted on. */
export function countsOf(tree, name) {
  if (name !== "smoothed") return tree.counts[name];
  if (!tree.counts.smoothed) {
    const { probabilities, weight, nClasses } = tree;
    tree.counts.smoothed = probabilities.map((p, i) => p * weight[Math.floor(i / nClasses)]);
  }
  return tree.counts.smoothed;
}
