// Lines: groups of cases that are ranked, labelled and counted as one. For a tree of splits these are
// its leaves, followed by the training cases that missing values or soft thresholds divide among leaves,
// grouped by probability, and by such test cases one by one; for cells all nodes, because cases may stop at inner nodes; for a Naive Bayes tree its answers,
// the cases of a leaf with the same probabilities.

/**
 * The lines of a tree: `n` in all, of which the first `nDirect` have their own shares and the others
 * are averages; `node` of each, or -1; `place`, the leaf where its cases are shown; `training` and `test`
 * counts, flat; `parts`, the test counts with divided cases in parts, which determine labels; `scores`, the
 * probabilities of the first `nDirect`, null if no labels follow from them; `byScores`, the tables whose
 * labels do; `spans`, the ranges of lines for which a table has cases.
 */
export function openLines(tree, data) {
  const lines = data.lines === null ? linesOfLeaves(tree, data) : linesOfModel(tree, data.lines);
  return Object.assign(lines, { at: linesAtNodes(tree, lines) });
}

function linesOfLeaves({ leaves, nClasses, counts, probabilities }, data) {
  const { divided, whole, by_scores: byScores } = data;
  const groups = data.groups ?? { leaf: [], scores: [], training: [], whole: null };
  const nDirect = leaves.length + groups.leaf.length;
  const n = nDirect + divided.length;
  const node = new Int32Array(n).fill(-1);
  node.set(leaves);
  const parts = counts.test && atLeaves(leaves, counts.test, nClasses, nDirect);
  const test = counts.test && new Float64Array(n * nClasses);
  test?.set(parts);
  if (whole) test.set(whole);
  divided.forEach(({ label, weight }, i) => (test[(nDirect + i) * nClasses + label] = weight));
  const training = atLeaves(leaves, counts.training, nClasses, nDirect);
  if (groups.whole) training.set(groups.whole);
  training.set(groups.training, leaves.length * nClasses);
  const scores = atLeaves(leaves, probabilities, nClasses, nDirect);
  scores.set(groups.scores, leaves.length * nClasses);
  const heaviest = divided.map(({ leaves: own, parts: shares }) => leaves[own[shares.indexOf(Math.max(...shares))]]);
  return {
    n,
    nDirect,
    node,
    place: Int32Array.from([...leaves, ...groups.leaf, ...heaviest]),
    training,
    test,
    parts,
    scores: byScores.length > 0 ? scores : null,
    byScores: new Set(byScores),
    spans: { smoothed: [[0, nDirect]], training: [[0, nDirect]], test: [[0, leaves.length], [nDirect, n]] },
    divided,
  };
}

function atLeaves(leaves, atNodes, width, n) {
  const found = new Float64Array(n * width);
  leaves.forEach((node, leaf) => {
    for (let c = 0; c < width; c++) found[leaf * width + c] = atNodes[node * width + c];
  });
  return found;
}

function linesOfModel({ nClasses }, { node, scores, training, test }) {
  const n = node.length;
  const wide = (counts, begin) => {
    const all = new Float64Array(n * nClasses);
    all.set(counts, begin * nClasses);
    return all;
  };
  // Answers: those for training cases, a certain one for each class, those for test cases.
  const nTrained = training.length / nClasses;
  const judged = scores === null ? n : nTrained + nClasses;
  const tested = scores === null ? 0 : nTrained;
  return {
    n,
    nDirect: n,
    node: Int32Array.from(node),
    place: Int32Array.from(node),
    training: wide(training, 0),
    test: test && wide(test, n - test.length / nClasses),
    parts: null,
    scores: scores && Float64Array.from(scores),
    byScores: new Set(scores ? ["smoothed", "training", "test"] : []),
    spans: { smoothed: [[0, judged]], training: [[0, judged]], test: [[tested, n]] },
    divided: [],
  };
}

/**
 * The lines that a table ranks, to count the cases of another one. A leaf all of whose cases are divided is
 * not among them: its label changes no number.
 */
export function linesWithin(tree, by, on) {
  const { lines } = tree;
  const used = new Uint8Array(lines.n);
  for (const name of [by, on]) for (const [begin, end] of lines.spans[name]) used.fill(1, begin, end);
  if (tree.kind === "tree" && lines.byScores.has(by)) {
    tree.leaves.forEach((_, leaf) => (used[leaf] = Number([by, on].some((name) => weightOf(tree, name, leaf) > 0))));
  }
  return Int32Array.from(used.keys()).filter((line) => used[line]);
}

function weightOf({ lines, nClasses }, name, line) {
  return sumOf(name === "test" ? lines.test : lines.training, line * nClasses, nClasses);
}

/** The lines of each node, in a flat list from `starts[node]`. */
function linesAtNodes(tree, { n, node }) {
  const starts = new Int32Array(tree.n + 1);
  for (let line = 0; line < n; line++) if (node[line] >= 0) starts[node[line] + 1]++;
  for (let at = 0; at < tree.n; at++) starts[at + 1] += starts[at];
  const list = new Int32Array(starts[tree.n]);
  const next = starts.slice();
  for (let line = 0; line < n; line++) if (node[line] >= 0) list[next[node[line]]++] = line;
  return { starts, list };
}

/** The lines of a node itself. */
export function linesAt({ lines }, node) {
  return lines.at.list.subarray(lines.at.starts[node], lines.at.starts[node + 1]);
}

/** The lines of a node and of its descendants, about `most` at most. */
export function linesBelow(tree, node, most = Infinity) {
  const found = [];
  const stack = [node];
  while (stack.length > 0 && found.length < most) {
    const at = stack.pop();
    found.push(...linesAt(tree, at));
    for (let i = tree.nChildren[at] - 1; i >= 0; i--) stack.push(tree.firstChild[at] + i);
  }
  return found;
}

/**
 * The table that determines labels, or that numbers are counted on: counts and shares of each class,
 * flat, and the overall share of each class. A divided case has the mean shares of its leaves.
 */
export function lineTable(tree, name) {
  const { nClasses, lines } = tree;
  const counts = countsOfLines(tree, name);
  const judged = name === "test" && lines.parts ? lines.parts : counts;
  const shares = new Float64Array(lines.n * nClasses);
  for (let line = 0; line < lines.nDirect; line++) {
    const start = line * nClasses;
    const total = sumOf(judged, start, nClasses);
    for (let c = 0; c < nClasses; c++) {
      if (lines.byScores.has(name)) shares[start + c] = lines.scores[start + c];
      // Groups of divided training cases do not count in other tables.
      else if (lines.node[line] >= 0) shares[start + c] = total > 0 ? judged[start + c] / total : shareInstead(tree, name, lines.node[line], c);
    }
  }
  mixLines(tree, shares, nClasses);
  const prior = new Float64Array(nClasses);
  counts.forEach((count, at) => (prior[at % nClasses] += count));
  const total = sumOf(prior, 0, nClasses);
  return { name, nClasses, counts, shares, prior: prior.map((part) => part / total), total };
}

function countsOfLines({ nClasses, lines, probabilities }, name) {
  const counts = new Float64Array(lines.n * nClasses);
  counts.set(name === "test" ? lines.test : lines.training);
  if (name !== "smoothed") return counts;
  // Class frequencies according to the model.
  for (let line = 0; line < lines.nDirect; line++) {
    const total = sumOf(counts, line * nClasses, nClasses);
    const ofModel = lines.scores ?? probabilities;
    const at = (lines.scores ? line : lines.node[line]) * nClasses;
    for (let c = 0; c < nClasses; c++) counts[line * nClasses + c] = total * ofModel[at + c];
  }
  return counts;
}

function sumOf(values, start, width) {
  let sum = 0;
  for (let i = start; i < start + width; i++) sum += values[i];
  return sum;
}

/** Fill the lines of divided cases with the means over their leaves. */
export function mixLines({ lines }, values, width) {
  lines.divided.forEach(({ leaves, parts }, i) => {
    const start = (lines.nDirect + i) * width;
    leaves.forEach((leaf, j) => {
      for (let c = 0; c < width; c++) values[start + c] += parts[j] * values[leaf * width + c];
    });
  });
}

/** The share of a class in a node without cases: the training share of the nearest node with cases. */
function shareInstead(tree, name, node, c) {
  if (name === "smoothed") return tree.probabilities[node * tree.nClasses + c];
  let at = node;
  while (tree.weight[at] === 0 && tree.parent[at] >= 0) at = tree.parent[at];
  return tree.counts.training[at * tree.nClasses + c] / tree.weight[at];
}
