// The layout of a tree: root on the left, leaves below each other on the right.

import { ROOT } from "./tree.js";

/**
 * The nodes folded at the start, so that the rest has at most some rows and levels of splits: the
 * heaviest nodes unfold first.
 */
export function foldedAtFirst(tree, mostRows, mostLevels) {
  const folded = new Set();
  const closed = tree.nChildren[ROOT] > 0 ? [ROOT] : [];
  let rows = 1;
  while (closed.length > 0) {
    let heaviest = 0;
    for (let i = 1; i < closed.length; i++) {
      if (tree.weight[closed[i]] > tree.weight[closed[heaviest]]) heaviest = i;
    }
    const [node] = closed.splice(heaviest, 1);
    const fits = rows + tree.nChildren[node] - 1 <= mostRows && tree.depth[node] < mostLevels;
    if (!fits && node !== ROOT) {
      folded.add(node);
      continue;
    }
    rows += tree.nChildren[node] - 1;
    for (let i = 0; i < tree.nChildren[node]; i++) {
      const child = tree.firstChild[node] + i;
      if (tree.nChildren[child] > 0) closed.push(child);
    }
  }
  return folded;
}

/** Every inner node except the root, to fold a tree to its first split. */
export function allFolded(tree) {
  const folded = new Set();
  for (let node = 1; node < tree.n; node++) if (tree.nChildren[node] > 0) folded.add(node);
  return folded;
}

/**
 * Rows of the visible nodes: `row` of each, `from` and `to` the rows below it, `order` all visible
 * nodes, parents first, `ends` those with their own row.
 */
export function layOut(tree, folded) {
  const row = new Float64Array(tree.n).fill(-1);
  const from = new Int32Array(tree.n);
  const to = new Int32Array(tree.n);
  const order = [];
  const ends = [];
  let depth = 0;
  const stack = [ROOT];
  while (stack.length > 0) {
    const node = stack.pop();
    order.push(node);
    depth = Math.max(depth, tree.depth[node]);
    if (isEnd(tree, folded, node)) {
      row[node] = from[node] = to[node] = ends.length;
      ends.push(node);
    }
    else for (let i = tree.nChildren[node] - 1; i >= 0; i--) stack.push(tree.firstChild[node] + i);
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i];
    if (isEnd(tree, folded, node)) continue;
    const first = tree.firstChild[node];
    const last = first + tree.nChildren[node] - 1;
    row[node] = (row[first] + row[last]) / 2;
    from[node] = from[first];
    to[node] = to[last];
  }
  return { row, from, to, order, ends, depth };
}

/** Whether a node has its own row: a leaf, or folded. */
export function isEnd(tree, folded, node) {
  return tree.nChildren[node] === 0 || folded.has(node);
}
