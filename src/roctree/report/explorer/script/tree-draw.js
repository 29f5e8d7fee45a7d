// Drawing the visible part of the tree on a canvas.

import { classColour, classShade, shade } from "./colour.js";
import { fitted } from "./dom.js";
import { linesOf } from "./labelling.js";
import { MIXED, UNKNOWN, usesMatrix } from "./point.js";
import { isEnd } from "./tree-layout.js";
import { pathTo, ROOT } from "./tree.js";
import { branchText, cases, grouped, leafCount, percent } from "./words.js";

const FONT = "system-ui, sans-serif";
const LEAF_WIDTH = 34;
// Names of labels are shortened to this width.
const MOST_NAME = 84;
// Rows closer than this have no room for words.
const READABLE = 13;
const CONDITIONS_READABLE = 17;
const TWO_LINES = 34;
// Narrower columns have room for conditions only; names are then drawn at the nodes.
const BOTH_READABLE = 130;
const NARROWEST = 44;
// Subtrees of less height are drawn as one block.
const SPECK = 2.5;
const WIDEST = 13;
const LINE = 13;
// Paths to more leaves than this are not highlighted.
const MOST_PATHS = 60;

/** Draw; returns the nodes on screen and where they are. */
export function drawTree(context, size, app, view, { ROW, COLUMN }) {
  const { tree, palette } = app;
  const { layout, zoom, shift } = view;
  const x = (node) => tree.depth[node] * COLUMN * zoom.x + shift.x;
  const y = (node) => layout.row[node] * ROW * zoom.y + shift.y;
  const rowHeight = ROW * zoom.y;
  const column = COLUMN * zoom.x;
  const namesAtNodes = !tree.cells && rowHeight < TWO_LINES && column < BOTH_READABLE;
  const scene = { context, size, app, view, x, y, rowHeight, column, namesAtNodes, lit: litNodes(app), next: nextNodes(app) };
  context.clearRect(0, 0, size.width, size.height);
  context.font = `12px ${FONT}`;
  context.textBaseline = "middle";
  const seen = visible(scene);
  const below = seen.nodes.filter((node) => node !== ROOT);
  for (const node of below) drawBranch(scene, node);
  for (const node of seen.blocks) drawBlock(scene, node);
  // Draw text after all branches, so that none crosses it.
  for (const node of below) drawCondition(scene, node);
  const drawn = [];
  for (const node of seen.nodes) {
    if (isEnd(tree, view.folded, node)) drawn.push(drawEnd(scene, node));
    else drawn.push(drawInner(scene, node));
  }
  context.fillStyle = palette.ink;
  return drawn;
}

/** The nodes with rows on screen, and the roots of subtrees too small to tell apart. */
function visible({ app, view, size, x, rowHeight }) {
  const { tree } = app;
  const { layout, shift } = view;
  const nodes = [];
  const blocks = [];
  const stack = [ROOT];
  while (stack.length > 0) {
    const node = stack.pop();
    const top = (layout.from[node] - 0.5) * rowHeight + shift.y;
    const bottom = (layout.to[node] + 0.5) * rowHeight + shift.y;
    // Descendants are farther right; their branch is drawn up to the edge.
    if (bottom < 0 || top > size.height || (node !== ROOT && x(tree.parent[node]) > size.width)) continue;
    const end = isEnd(tree, view.folded, node);
    if (bottom - top < SPECK && node !== ROOT) {
      blocks.push(node);
      continue;
    }
    nodes.push(node);
    if (!end) for (let i = tree.nChildren[node] - 1; i >= 0; i--) stack.push(tree.firstChild[node] + i);
  }
  return { nodes, blocks };
}

/** The nodes on the path to highlighted leaves, or on the path of the user's case. */
function litNodes(app) {
  const { tree, lit, path } = app;
  const nodes = new Set(path ? path.parts.keys() : []);
  if (lit) {
    const ends = lit.from === "tree" ? [lit.node] : lit.lines.slice(0, MOST_PATHS).map((line) => tree.lines.node[line]);
    for (const end of new Set(ends)) for (const node of pathTo(tree, end)) nodes.add(node);
  }
  return nodes;
}

/** The nodes with cases whose label changes next if a miss costs more. */
function nextNodes({ point, tree }) {
  const { nGroups, ranking } = point;
  if (nGroups === null || point.perClass || nGroups === ranking.nGroups) return new Set();
  return new Set(linesOf(ranking, nGroups).map((line) => tree.lines.node[line]));
}

function drawBranch({ context, app, x, y, rowHeight, lit }, node) {
  const { tree, palette } = app;
  const parent = tree.parent[node];
  const [x0, y0, x1, y1] = [x(parent), y(parent), x(node), y(node)];
  const bend = (x1 - x0) * 0.55;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  const wide = (tree.weight[node] / tree.total) * WIDEST;
  context.lineWidth = Math.max(1, Math.min(wide, rowHeight * 0.8));
  context.strokeStyle = lit.has(node) ? palette.accent : palette.branch;
  context.stroke();
}

/** Whether there is room for the conditions of branches. */
function hasConditions({ rowHeight, column }) {
  return rowHeight >= CONDITIONS_READABLE && column >= NARROWEST;
}

/** The condition of a branch, at its end, as far as it fits. */
function conditionOf({ context, app, column, namesAtNodes }, node) {
  return fitted(context, branchText(app.tree, node), column - (namesAtNodes ? 12 : 22));
}

function drawCondition(scene, node) {
  if (!hasConditions(scene)) return;
  const { context, app, x, y, rowHeight, column, namesAtNodes, lit, view } = scene;
  const { tree, palette } = app;
  const right = x(node) - (isEnd(tree, view.folded, node) ? 6 : 10);
  const room = column - (namesAtNodes ? 12 : 22);
  const colour = lit.has(node) ? palette.ink : palette.quiet;
  const name = tree.cells || namesAtNodes ? "" : tree.features[tree.feature[tree.parent[node]]].name;
  const condition = conditionOf(scene, node);
  context.textAlign = "right";
  if (rowHeight >= TWO_LINES) {
    halo(context, palette, fitted(context, name, room), right, y(node) - 9, colour);
    halo(context, palette, condition, right, y(node) + 10, palette.ink);
    return;
  }
  // With room for one line only, show the condition and not the name.
  const rest = room - context.measureText(`${condition} `).width;
  const short = name && rest > 24 ? `${fitted(context, name, rest)} ${condition}` : condition;
  halo(context, palette, short, right, y(node) - 8, colour);
}

/** The attribute tested at a node, beside it, as far as the conditions of its branches leave room. */
function drawName(scene, node) {
  const { context, app, x, y, column, lit } = scene;
  const { tree, palette } = app;
  const middle = y(node) - 13;
  let room = column - 10;
  for (let child = tree.firstChild[node]; child < tree.firstChild[node] + tree.nChildren[node]; child++) {
    if (Math.abs(y(child) - 8 - middle) >= LINE) continue;
    room = Math.min(room, column - 20 - context.measureText(conditionOf(scene, child)).width);
  }
  const name = fitted(context, tree.features[tree.feature[node]].name, room);
  context.textAlign = "left";
  halo(context, palette, name, x(node) + 4, middle, lit.has(node) ? palette.ink : palette.quiet);
}

/** Text with a rim, legible on a branch. */
function halo(context, palette, text, x, y, colour) {
  context.lineWidth = 5;
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
  if (usesMatrix(tree, state)) return classColour(label);
  return label === state.positive ? palette.positive : palette.negative;
}

function drawInner(scene, node) {
  const { context, app, x, y, rowHeight, lit, view } = scene;
  const { palette } = app;
  const radius = Math.min(5.5, Math.max(1.5, rowHeight * 0.3));
  context.beginPath();
  context.arc(x(node), y(node), radius, 0, 2 * Math.PI);
  context.fillStyle = fillOf(app, node);
  context.fill();
  context.lineWidth = lit.has(node) ? 2.5 : 1.25;
  context.strokeStyle = lit.has(node) ? palette.accent : palette.quiet;
  context.stroke();
  if (view.focus === node && app.focused() === context.canvas) focusRing(context, palette, x(node) - 9, y(node) - 9, 18, 18);
  if (scene.namesAtNodes && hasConditions(scene)) drawName(scene, node);
  return { node, left: x(node) - 12, right: x(node) + 12, y: y(node), reach: Math.max(8, radius) };
}

function focusRing(context, palette, left, top, width, height) {
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.setLineDash([3, 3]);
  context.strokeRect(left, top, width, height);
  context.setLineDash([]);
}

function drawEnd(scene, node) {
  const { context, app, view, x, y, rowHeight, lit } = scene;
  const { tree, palette } = app;
  const height = Math.min(18, Math.max(1.5, rowHeight * 0.68));
  const [left, top] = [x(node), y(node) - height / 2];
  const label = app.point.nodeLabels[node];
  const mixed = label === MIXED || label === UNKNOWN;
  if (tree.nChildren[node] > 0) drawStack(context, palette, left, top, height);
  context.beginPath();
  context.roundRect(left, top, LEAF_WIDTH, height, Math.min(5, height / 2));
  context.fillStyle = fillOf(app, node);
  context.fill();
  const frame = Math.min(3.5, Math.max(0.75, height / 4));
  context.lineWidth = label === app.state.positive || app.point.perClass ? frame : Math.max(0.75, frame * 0.6);
  context.strokeStyle = mixed ? palette.quiet : frameOf(app, label);
  if (mixed) context.setLineDash([4, 3]);
  context.stroke();
  context.setLineDash([]);
  if (tree.leafOf[node] >= 0 && scene.next.has(node)) drawNext(context, palette, left, top, height);
  if (lit.has(node)) {
    context.lineWidth = 2;
    context.strokeStyle = palette.accent;
    context.strokeRect(left - 4, top - 4, LEAF_WIDTH + 8, height + 8);
  }
  if (view.focus === node && app.focused() === context.canvas) {
    focusRing(context, palette, left - 5, top - 5, LEAF_WIDTH + 10, height + 10);
  }
  if (rowHeight >= READABLE) drawFacts(scene, node, left + LEAF_WIDTH + 8);
  return { node, left: left - 4, right: left + LEAF_WIDTH + 150, y: y(node), reach: Math.max(rowHeight / 2, 3) };
}

/** The width of a leaf including the text beside it. */
export function widthOfEnd(context, app, node) {
  const { name, facts } = wordsOf(app, node);
  context.font = `600 12px ${FONT}`;
  const wide = LEAF_WIDTH + 15 + Math.min(MOST_NAME, context.measureText(name).width);
  context.font = `12px ${FONT}`;
  return wide + context.measureText(facts).width;
}

/** A folded node looks like a stack of leaves. */
function drawStack(context, palette, left, top, height) {
  context.fillStyle = palette.branch;
  context.beginPath();
  context.roundRect(left + 5, top + 3, LEAF_WIDTH, height, 5);
  context.fill();
}

function drawNext(context, palette, left, top, height) {
  context.lineWidth = 1.5;
  context.strokeStyle = palette.ink;
  context.setLineDash([2, 2.5]);
  context.beginPath();
  context.roundRect(left - 4, top - 4, LEAF_WIDTH + 8, height + 8, 6);
  context.stroke();
  context.setLineDash([]);
}

function drawFacts({ context, app, y }, node, left) {
  const { palette } = app;
  const { name, facts } = wordsOf(app, node);
  context.textAlign = "left";
  context.font = `600 12px ${FONT}`;
  const word = fitted(context, name, MOST_NAME);
  halo(context, palette, word, left, y(node), palette.ink);
  const after = left + context.measureText(word).width + 7;
  context.font = `12px ${FONT}`;
  halo(context, palette, facts, after, y(node), palette.quiet);
}

/** The text beside a leaf or a folded node: the name of its label, probability and cases. */
function wordsOf(app, node) {
  const { tree, state, point } = app;
  const folded = tree.nChildren[node] > 0;
  const label = point.nodeLabels[node];
  const mixed = label === MIXED || label === UNKNOWN;
  const shown = usesMatrix(tree, state) && !mixed ? label : state.positive;
  const p = tree.probabilities[node * tree.nClasses + shown];
  const number = cases(tree.weight[node]).replace(/ cases?$/, "");
  const name = mixed ? "mixed" : app.labelName(label);
  // If cases of one leaf have different labels, show how many are positive instead of the share.
  if (mixed && tree.models && !folded && !usesMatrix(tree, state)) {
    const called = grouped(Number(point.nPositive[node].toFixed(1)));
    return { name, facts: `${called} of ${number} ${tree.classes[state.positive]}` };
  }
  return { name, facts: `${percent(p, 0)} · ${folded ? leafCount(tree, tree.nLeaves[node]) : number}` };
}

/** A subtree too small to resolve: a line in the colour of its probability. */
function drawBlock({ context, app, view, x, y, rowHeight, column }, node) {
  const { tree } = app;
  const { layout } = view;
  const height = Math.max(1, (layout.to[node] - layout.from[node] + 1) * rowHeight);
  const parent = tree.parent[node];
  context.fillStyle = fillOf(app, node);
  context.fillRect(x(parent), y(node) - height / 2, column * 0.9, height);
  const label = app.point.nodeLabels[node];
  context.fillStyle = label < 0 ? app.palette.quiet : frameOf(app, label);
  context.fillRect(x(parent) + column * 0.9, y(node) - height / 2, 4, height);
}
