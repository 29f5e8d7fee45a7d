// Cells of the Multiscale Classifier: boxes whose sides were all halved equally often.

// The largest number below one: a value at the upper bound belongs to the last cell.
const BELOW_ONE = 1 - 2 ** -53;
const WHOLE = 0;

/** The cells of a document: the node of each cell, and the first cell and number of cells of each node. */
export function openCells({ low, high, n_children, level, place, node }, nNodes) {
  const firstChild = [];
  let next = 1;
  for (const n of n_children) {
    firstChild.push(next);
    next += n;
  }
  const cellOf = new Int32Array(nNodes);
  const nCells = new Int32Array(nNodes);
  for (let cell = node.length - 1; cell >= 0; cell--) {
    cellOf[node[cell]] = cell;
    nCells[node[cell]]++;
  }
  return { low, high, nChildren: n_children, firstChild, level, place, node, cellOf, nCells, width: low.length };
}

/** The sides of a node's box: at least `low` and below `high`, null where unbounded. */
export function boxOf({ cells }, node) {
  const cell = cells.cellOf[node];
  const nParts = 2 ** cells.level[cell];
  return Array.from({ length: cells.width }, (_, feature) => {
    const at = cells.place[cell * cells.width + feature];
    return {
      feature,
      low: at > 0 ? valueAt(cells, feature, at / nParts) : null,
      high: at + 1 < nParts ? valueAt(cells, feature, (at + 1) / nParts) : null,
    };
  });
}

/** The position of a cell in its parent: the number of parts per side, and its index, from 0. */
export function partOf(tree, node) {
  const { cells } = tree;
  const cell = cells.cellOf[node];
  const above = cells.cellOf[tree.parent[node]];
  const nParts = 2 ** (cells.level[cell] - cells.level[above]);
  const places = Array.from({ length: cells.width }, (_, i) => cells.place[cell * cells.width + i] % nParts);
  return { nParts, places };
}

function valueAt({ low, high }, feature, share) {
  return low[feature] * (1 - share) + high[feature] * share;
}

/** Whether pruning has merged several cells into a node, which then has no box. */
export function isMerged({ cells }, node) {
  return cells.nCells[node] > 1;
}

/** The nodes of the cells that contain a case, largest first; the case stops at the last. */
export function nodesAround({ cells }, values) {
  const shares = values.map((value, feature) => shareOf(cells, feature, value));
  const found = [cells.node[WHOLE]];
  for (let cell = childAround(cells, WHOLE, shares); cell >= 0; cell = childAround(cells, cell, shares)) {
    if (cells.node[cell] !== found.at(-1)) found.push(cells.node[cell]);
  }
  return found;
}

/** The position of a value in the range of an attribute, from 0 to 1; same arithmetic as in Python. */
function shareOf({ low, high }, feature, value) {
  const share = (0.5 * value - 0.5 * low[feature]) / (0.5 * high[feature] - 0.5 * low[feature]);
  return Math.min(Math.max(share, 0), BELOW_ONE);
}

function childAround(cells, cell, shares) {
  const end = cells.firstChild[cell] + cells.nChildren[cell];
  for (let child = cells.firstChild[cell]; child < end; child++) {
    const nParts = 2 ** cells.level[child];
    if (shares.every((share, i) => Math.floor(share * nParts) === cells.place[child * cells.width + i])) return child;
  }
  return -1;
}
