// Drawing the visible part of the tree: each test once, in a box; branches that say yes or no; lettered
// leaves, and the lanes in which their dots lie.

import { classColour, classShade, inkOn, shade } from "./colour.js";
import { fitted } from "./dom.js";
import { linesOf } from "./labelling.js";
import { MIXED, UNKNOWN, usesMatrix } from "./point.js";
import { FONT, laneNames, leftOf, LINE } from "./tree-columns.js";
import { isEnd } from "./tree-layout.js";
import { pathTo, ROOT } from "./tree.js";
import { branchWord, percent } from "./words.js";

const BADGE = 26;
// Rows closer than this have no room for words.
const READABLE = 12;
const BRANCHES_READABLE = 19;
// Subtrees of less height are drawn as one block.
const SPECK = 2.5;
const WIDEST = 9;
// Paths to more leaves than this are not highlighted.
const MAX_PATHS = 60;
const HEADING = 12;
const FORK = 10;
// Shorter beginnings of a text say nothing.
const MIN_LETTERS = 8;

/** Draw; returns the nodes on screen and where they are. */
export function drawTree(context, size, app, view) {
  const { tree, palette } = app;
  const x = (node) => leftOf(tree, view, node);
  const y = (node) => view.layout.row[node] * view.rowHeight + view.shift.y;
  const scene = { context, size, app, view, x, y, rowHeight: view.rowHeight, columns: view.columns, lit: litNodes(app), next: nextNodes(app), found: view.found };
  context.clearRect(0, 0, size.width, size.height);
  context.textBaseline = "middle";
  const seen = visible(scene);
  drawLanes(scene);
  const inner = seen.nodes.filter((node) => !isEnd(tree, view.folded, node));
  const ends = seen.nodes.filter((node) => isEnd(tree, view.folded, node));
  context.save();
  context.beginPath();
  // Splits that are moved to the right disappear behind the leaves.
  context.rect(0, 0, scene.columns.leaves + (scene.columns.fits && view.shift.x === 0 ? size.width : -4), size.height);
  context.clip();
  const below = seen.nodes.filter((node) => node !== ROOT);
  for (const node of [...below].sort((a, b) => Number(scene.lit.has(a)) - Number(scene.lit.has(b)))) drawBranch(scene, node);
  for (const node of seen.blocks) drawBlock(scene, node);
  for (const node of below) drawWord(scene, node);
  const drawn = inner.filter((node) => x(node) < scene.columns.leaves).map((node) => drawSplit(scene, node));
  context.restore();
  for (const node of ends) drawn.push(drawEnd(scene, node));
  context.fillStyle = palette.ink;
  return drawn;
}

/** The nodes with rows on screen, and the roots of subtrees too small to tell apart. */
function visible({ app, view, size, rowHeight, x }) {
  const { tree } = app;
  const { layout, shift } = view;
  const nodes = [];
  const blocks = [];
  const stack = [ROOT];
  while (stack.length > 0) {
    const node = stack.pop();
    const top = (layout.from[node] - 0.5) * rowHeight + shift.y;
    const bottom = (layout.to[node] + 0.5) * rowHeight + shift.y;
    if (bottom < 0 || top > size.height) continue;
    const end = isEnd(tree, view.folded, node);
    // Splits farther right than the leaves are not seen, and rows too small to tell apart neither.
    const isBehind = !end && rowHeight < SPECK && x(node) > view.columns.leaves;
    if ((bottom - top < SPECK || isBehind) && node !== ROOT) {
      blocks.push(node);
      continue;
    }
    nodes.push(node);
    if (!end) for (let i = tree.nChildren[node] - 1; i >= 0; i--) stack.push(tree.firstChild[node] + i);
  }
  return { nodes, blocks };
}

/** The nodes under the pointer ("pointer") and on the path of the user's case ("case"). */
function litNodes(app) {
  const { tree, lit, path } = app;
  const nodes = new Map();
  for (const node of path ? path.parts.keys() : []) nodes.set(node, "case");
  if (lit) {
    const ends = lit.from === "tree" ? [lit.node] : lit.lines.slice(0, MAX_PATHS).map((line) => tree.lines.node[line]);
    for (const end of new Set(ends)) for (const node of pathTo(tree, end)) nodes.set(node, "pointer");
  }
  return nodes;
}

function litColour({ app, lit }, node) {
  return lit.get(node) === "case" ? app.palette.case : app.palette.accent;
}

/** The nodes with cases whose label changes next if a miss costs more. */
function nextNodes({ point, tree }) {
  const { nGroups, ranking } = point;
  if (nGroups === null || point.perClass || nGroups === ranking.nGroups) return new Set();
  return new Set(linesOf(ranking, nGroups).map((line) => tree.lines.node[line]));
}

/** The headings of the lanes, and their ground. */
function drawLanes({ context, app, size, columns }) {
  const { palette } = app;
  const words = laneNames(app.point);
  const colours = { flagged: palette.positive, cleared: palette.negative };
  context.font = `600 ${columns.lane < (words.length > 2 ? 76 : 56) ? 11 : 12.5}px ${FONT}`;
  context.textAlign = "left";
  columns.lanes.forEach((left, lane) => {
    context.fillStyle = palette.lane;
    context.beginPath();
    context.roundRect(left - 4, HEADING + 10, columns.lane + 6, size.height - HEADING - 12, 6);
    context.fill();
    context.fillStyle = colours[words[lane]] ?? palette.ink;
    const isTooLong = context.measureText(words[lane]).width > columns.lane + 4;
    const word = isTooLong && words[lane] === "undecided" ? "open" : words[lane];
    context.fillText(fitted(context, word, columns.lane + 4), left - 2, HEADING);
  });
}

function drawBranch(scene, node) {
  const { context, app, x, y, rowHeight, lit, view } = scene;
  const { tree, palette } = app;
  const parent = tree.parent[node];
  const fork = x(parent) + view.columns.boxes.get(parent).width + FORK;
  const [y0, x1, y1] = [y(parent), x(node), y(node)];
  const bend = Math.min(8, Math.abs(y1 - y0));
  context.beginPath();
  context.moveTo(fork - FORK, y0);
  context.lineTo(fork, y0);
  context.lineTo(fork, y1 - Math.sign(y1 - y0) * bend);
  context.quadraticCurveTo(fork, y1, fork + bend, y1);
  context.lineTo(x1, y1);
  const wide = (tree.weight[node] / tree.total) * WIDEST;
  context.lineWidth = Math.max(lit.has(node) ? 2.5 : 1.25, Math.min(wide, rowHeight * 0.5));
  context.strokeStyle = lit.has(node) ? litColour(scene, node) : palette.branch;
  context.stroke();
}

/** The answer that leads along a branch: yes or no, categories, or the part of a cell. */
function drawWord(scene, node) {
  const { context, app, x, y, rowHeight, view, lit } = scene;
  const { tree, palette } = app;
  const parent = tree.parent[node];
  const box = view.columns.boxes.get(parent);
  if (rowHeight < BRANCHES_READABLE || box.lines.length === 0) return;
  const left = x(parent) + box.width + FORK + 5;
  // The text may run as far as the next column, or up to the leaf.
  const next = view.columns.x[tree.depth[node]];
  const room = (next === undefined ? view.columns.leaves : next + view.shift.x) - left - 4;
  context.font = `11.5px ${FONT}`;
  context.textAlign = "left";
  const above = y(node) <= y(parent);
  // Between rows that are close together there is room for one word only.
  if (Math.abs(y(node) - y(parent)) < LINE && !above && rowHeight < 2 * LINE) return;
  const whole = branchWord(tree, node);
  const text = fitted(context, whole, Math.max(room, 24));
  // The parts of cells all begin alike: cut short they say nothing.
  if (text !== whole && (tree.cells || text.length < MIN_LETTERS)) return;
  halo(context, palette, text, left, y(node) + (above ? -8 : 9), lit.has(node) ? palette.ink : palette.quiet);
}

/** Text with a rim, legible on a branch. */
function halo(context, palette, text, x, y, colour) {
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = palette.panel;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** The colour of a node's probability. */
function fillOf(app, node) {
  const { tree, palette, state } = app;
  const row = tree.probabilities.subarray(node * tree.nClasses, (node + 1) * tree.nClasses);
  return usesMatrix(tree, state) ? classShade(row, palette) : shade(row[state.positive], palette);
}

/** The colour of a label. */
function frameOf(app, label) {
  const { tree, palette, state } = app;
  if (label === tree.nClasses) return palette.ink;
  if (usesMatrix(tree, state)) return classColour(label);
  return label === state.positive ? palette.positive : palette.negative;
}

/** A split: its attribute and condition in a box, with the histogram of the test cases if it fits. */
function drawSplit(scene, node) {
  const { context, app, x, y, lit, view, found } = scene;
  const { palette } = app;
  const box = view.columns.boxes.get(node);
  const [left, top] = [x(node), y(node) - box.height / 2];
  const marked = lit.has(node) || found.has(node);
  context.beginPath();
  context.roundRect(left, top, box.width, box.height, Math.min(6, box.height / 2));
  context.fillStyle = palette.panel;
  context.fill();
  context.lineWidth = marked ? 2.5 : 1.25;
  context.strokeStyle = found.has(node) ? palette.case : lit.has(node) ? litColour(scene, node) : palette.quiet;
  context.stroke();
  context.textAlign = "left";
  box.lines.forEach(({ text, bold }, i) => {
    context.font = `${bold ? "600 " : ""}12px ${FONT}`;
    context.fillStyle = palette.ink;
    const middle = box.lines.length === 1 && !box.pad ? y(node) + 0.5 : top + box.pad.y + LINE * (i + 0.5);
    context.fillText(fitted(context, text, box.width - 12), left + 8, middle);
  });
  if (box.histogram) {
    const area = { left: left + box.pad.x, top: top + box.height - box.histogramHeight - 5, width: box.width - 2 * box.pad.x, height: box.histogramHeight };
    drawHistogram(context, app, node, area);
  }
  if (view.focus === node && app.focused() === context.canvas) focusRing(context, palette, left - 3, top - 3, box.width + 6, box.height + 6);
  return { node, left, right: left + box.width, y: y(node), reach: Math.max(8, box.height / 2) };
}

/** The classes above and below a line, and the threshold between them. */
export function drawHistogram(context, app, node, { left, top, width, height }) {
  const { palette, tree } = app;
  const { span, counts } = app.histograms.get(node);
  const nBins = counts.length / tree.nClasses;
  const parts = Array.from({ length: nBins }, (_, bin) => partsOf(app, counts, bin));
  const most = (side) => Math.max(...parts.map((each) => sum(each[side])));
  const scale = (height - 1) / Math.max(most("up") + most("down"), 1e-9);
  const line = top + most("up") * scale;
  const step = width / nBins;
  parts.forEach(({ up, down }, bin) => {
    let [high, low] = [line, line + 1];
    for (const { colour, count } of up) {
      context.fillStyle = colour;
      context.fillRect(left + bin * step, high - count * scale, Math.max(step - 0.6, 0.6), count * scale);
      high -= count * scale;
    }
    for (const { colour, count } of down) {
      context.fillStyle = colour;
      context.fillRect(left + bin * step, low, Math.max(step - 0.6, 0.6), count * scale);
      low += count * scale;
    }
  });
  context.fillStyle = palette.branch;
  context.fillRect(left, line, width, 1);
  if (span === null || !(span[1] > span[0])) return;
  const cut = left + ((tree.threshold[node] - span[0]) / (span[1] - span[0])) * width;
  const soft = tree.softness ? (tree.softness[node] / (span[1] - span[0])) * width : 0;
  if (soft > 1) {
    // A case within a soft threshold follows both branches.
    context.fillStyle = palette.band;
    context.fillRect(Math.max(left, cut - soft), top - 2, Math.min(left + width, cut + soft) - Math.max(left, cut - soft), height + 4);
  }
  context.fillStyle = palette.ink;
  context.fillRect(cut - 0.75, top - 2, 1.5, height + 4);
}

function sum(parts) {
  return parts.reduce((total, { count }) => total + count, 0);
}

/** The bars of a bin: the class of interest up and the others down, or every class up in its colour. */
function partsOf({ palette, tree, state, point }, counts, bin) {
  const all = tree.classes.map((_, c) => ({ c, count: counts[bin * tree.nClasses + c] }));
  if (point.perClass) return { up: all.map(({ c, count }) => ({ colour: classColour(c), count })), down: [] };
  const others = all.reduce((total, { c, count }) => total + (c === state.positive ? 0 : count), 0);
  return { up: [{ colour: palette.positive, count: all[state.positive].count }], down: [{ colour: palette.negative, count: others }] };
}

function focusRing(context, palette, left, top, width, height) {
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.setLineDash([3, 3]);
  context.strokeRect(left, top, width, height);
  context.setLineDash([]);
}

/** A leaf or a folded node: its letter on the colour of its label, and its number. */
function drawEnd(scene, node) {
  const { context, app, view, x, y, rowHeight, lit, columns } = scene;
  const { tree, palette } = app;
  const height = Math.min(20, Math.max(1.5, rowHeight * 0.8));
  const [left, top] = [x(node), y(node) - height / 2];
  const isFolded = tree.nChildren[node] > 0;
  if (isFolded) drawStack(context, palette, left, top, height);
  context.beginPath();
  context.roundRect(left, top, BADGE, height, Math.min(6, height / 2));
  context.fillStyle = badgeFill(scene, node, left);
  context.fill();
  if (tree.leafOf[node] >= 0 && scene.next.has(node)) drawNext(context, palette, left, top, height);
  if (lit.has(node) || scene.found.has(node)) {
    context.lineWidth = 2;
    context.strokeStyle = scene.found.has(node) ? palette.case : litColour(scene, node);
    context.strokeRect(left - 4, top - 3, BADGE + 8, height + 6);
  }
  if (view.focus === node && app.focused() === context.canvas) focusRing(context, palette, left - 5, top - 4, BADGE + 10, height + 8);
  if (rowHeight >= READABLE) {
    drawLetter(scene, node, left + BADGE / 2, isFolded);
    context.textAlign = "left";
    context.font = `${app.point.perClass ? "600 " : ""}12.5px ${FONT}`;
    halo(context, palette, fitted(context, numberOf(app, node), columns.textWidth), columns.text, y(node) + 0.5, palette.ink);
  }
  return { node, left: left - 4, right: columns.lanes.at(-1) + columns.lane, y: y(node), reach: Math.max(rowHeight / 2, 3) };
}

/** The colour of a label; of a node with both labels, both colours by their shares of its cases. */
function badgeFill({ context, app }, node, left) {
  const { tree, palette, point } = app;
  const label = point.nodeLabels[node];
  if (label === tree.nClasses) return palette.quiet;
  if (label >= 0) return frameOf(app, label);
  // A widget is drawn before it has its style.
  if (label === UNKNOWN || point.perClass || !(tree.weight[node] > 0) || !palette.negative) return palette.branch;
  const cleared = Math.min(0.8, Math.max(0.2, 1 - point.nPositive[node] / tree.weight[node]));
  const parts = context.createLinearGradient(left, 0, left + BADGE, 0);
  parts.addColorStop(cleared, palette.negative);
  parts.addColorStop(cleared, palette.positive);
  return parts;
}

function drawLetter({ context, app, y }, node, middle, isFolded) {
  const { palette, tree, point } = app;
  const text = isFolded ? `+${tree.nLeaves[node]}` : app.letters.get(node);
  const label = point.nodeLabels[node];
  context.font = `700 ${text.length > 2 ? 10.5 : 12}px ${FONT}`;
  context.textAlign = "center";
  if (point.perClass && label < tree.nClasses) context.fillStyle = label >= 0 ? inkOn(classColour(label)) : palette.ink;
  else context.fillStyle = label === UNKNOWN ? palette.ink : palette.panel;
  context.fillText(text, middle, y(node) + 0.5);
}

/** A folded node looks like a stack of leaves. */
function drawStack(context, palette, left, top, height) {
  context.fillStyle = palette.branch;
  context.beginPath();
  context.roundRect(left + 4, top + 3, BADGE, height, 5);
  context.fill();
}

function drawNext(context, palette, left, top, height) {
  context.lineWidth = 1.5;
  context.strokeStyle = palette.ink;
  context.setLineDash([2, 2.5]);
  context.beginPath();
  context.roundRect(left - 4, top - 4, BADGE + 8, height + 8, 8);
  context.stroke();
  context.setLineDash([]);
}

/** The one number of a leaf, the probability of the class of interest; its label where classes have costs. */
function numberOf(app, node) {
  const { tree, state, point } = app;
  const label = point.nodeLabels[node];
  if (usesMatrix(tree, state)) return label < 0 ? "mixed" : app.labelName(label);
  return percent(tree.probabilities[node * tree.nClasses + state.positive], 0);
}

/** A subtree too small to resolve: a line in the colour of its probability. */
function drawBlock({ context, app, view, x, y, rowHeight, columns }, node) {
  const { tree } = app;
  const { layout } = view;
  const height = Math.max(1, (layout.to[node] - layout.from[node] + 1) * rowHeight);
  const from = x(tree.parent[node]) + FORK;
  context.fillStyle = fillOf(app, node);
  context.fillRect(from, y(node) - height / 2, Math.max(columns.leaves - from, 8), height);
  const label = app.point.nodeLabels[node];
  context.fillStyle = label < 0 ? app.palette.quiet : frameOf(app, label);
  context.fillRect(columns.leaves, y(node) - height / 2, 6, height);
}
