// The card with the details of a node: its rule in words, counts, probability and label.

import { wilson } from "./curves.js";
import { element, fill } from "./dom.js";
import { linesAt } from "./lines.js";
import { strongest, tableOf } from "./naive-bayes.js";
import { MIXED, UNKNOWN } from "./point.js";
import { drawHistogram } from "./tree-draw.js";
import { cases, grouped, leafCount, percent, ruleWords, short, testLines } from "./words.js";

const MAX_CLASSES = 6;
// Smaller differences between counted share and probability are not worth a word.
const MIN_PULL = 0.005;
const FEW = 60;
// The pointer is not on the card.
const APART = 16;

/** Make the card; `show` fills and places it, or hides it. */
export function makeCard(app) {
  const card = element("div", { class: "card", hidden: true });
  function show(lit, pane) {
    card.hidden = !(lit?.node >= 0);
    if (card.hidden) return;
    fill(card, contents(app, lit));
    drawPicture(app, lit.node, card);
    const frame = app.root.getBoundingClientRect();
    const box = pane.getBoundingClientRect();
    const at = lit.place ?? { x: box.width / 2, y: box.height / 2 };
    const top = box.top - frame.top + at.y + APART;
    // Stay inside this pane, so that highlights in the other pane remain visible.
    const left = box.left - frame.left + Math.min(at.x + APART, box.width - card.offsetWidth);
    card.style.left = `${Math.max(8, left)}px`;
    card.style.top = `${Math.max(8, Math.min(top, frame.height - card.offsetHeight - 8))}px`;
  }
  return { element: card, show };
}

function contents(app, { node, lines, from }) {
  const { tree } = app;
  return [
    element("p", { class: "rule" }, `${letterWords(app, node)}${ruleWords(tree, node)}`),
    from === "plot" ? segmentOf(app, lines) : null,
    tree.nChildren[node] > 0 && !tree.cells ? element("p", {}, `Asks: ${questionOf(tree, node)}`) : null,
    element("p", { class: "label" }, `${labelOf(app, node)}, ${chanceOf(app, node)}`),
    element("p", { class: "trust" }, trustWords(app, node)),
    tree.models ? signsOf(app, node) : null,
    tree.cells && tree.nChildren[node] > 0 ? element("p", {}, unseenOf(app, node)) : null,
    app.histograms.has(node) && tree.nChildren[node] > 0 ? element("canvas", { "aria-hidden": "true" }) : null,
    countTable(app, node),
  ];
}

function questionOf(tree, node) {
  const { name, test } = testLines(tree, node);
  return `${name} ${test || "?"}`;
}

/** The histogram of a split, with its range and threshold in the unit of its attribute. */
function drawPicture(app, node, card) {
  const canvas = card.querySelector("canvas");
  if (canvas === null) return;
  const { palette, tree } = app;
  const ratio = Math.max(window.devicePixelRatio || 1, 1);
  const [width, height] = [250, 78];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawHistogram(context, app, node, { left: 0, top: 4, width, height: height - 24 });
  const { span } = app.histograms.get(node);
  if (span === null) return;
  const { measure } = tree.features[tree.feature[node]];
  context.font = "11.5px system-ui, sans-serif";
  context.fillStyle = palette.quiet;
  context.textBaseline = "bottom";
  context.textAlign = "left";
  context.fillText(short(span[0], 3), 0, height);
  context.textAlign = "right";
  context.fillText(`${short(span[1], 3)} ${measure}`.trim(), width, height);
  const cut = ((tree.threshold[node] - span[0]) / (span[1] - span[0])) * width;
  const text = String(tree.cut[node]);
  // Where it is far enough from the ends of the range.
  if (cut > 60 && cut < width - 60 - context.measureText(measure).width) {
    context.textAlign = "center";
    context.fillStyle = palette.ink;
    context.fillText(text, cut, height);
  }
}

/** The letter of a leaf before its rule. */
function letterWords({ letters }, node) {
  return letters.has(node) ? `${letters.get(node)}: ` : "";
}

/** Describe a segment of a curve that is not simply a leaf. */
function segmentOf({ tree, state, point }, lines) {
  const between = tree.lines.node[lines[0]] < 0;
  if (tree.hasAnswers || between) {
    const p = point.table.shares[lines[0] * tree.nClasses + state.positive];
    const weight = lines.reduce((sum, line) => sum + weightOn(point.on, line), 0);
    const where = between ? "between this leaf and others" : "here and possibly in other leaves";
    return element("p", {}, `${cases(weight)} with a probability of ${tree.classes[state.positive]} of ${percent(p)}, ${where}`);
  }
  return lines.length > 1 ? element("p", {}, `and ${leafCount(tree, lines.length - 1)} more with the same share`) : null;
}

function weightOn({ counts, nClasses }, line) {
  return counts.subarray(line * nClasses, (line + 1) * nClasses).reduce((sum, count) => sum + count, 0);
}

function labelOf({ tree, point, state, labelName }, node) {
  const label = point.nodeLabels[node];
  if (label === UNKNOWN) return "labels depend on the case";
  if (label === tree.nClasses) return "left undecided";
  if (label !== MIXED) return `called ${labelName(label)}`;
  if (tree.hasAnswers && !point.perClass) {
    const called = grouped(Number(point.nPositive[node].toFixed(1)));
    return `${called} of ${cases(tree.weight[node])} labelled ${tree.classes[state.positive]}`;
  }
  if (tree.hasAnswers) return "cases with different labels";
  return `${leafCount(tree, tree.nLeaves[node])} with different labels`;
}

function chanceOf({ tree, state }, node) {
  const at = node * tree.nClasses + state.positive;
  const what = tree.models ? "share" : "probability";
  const alone = tree.points ? " before points" : "";
  return `${what} of ${tree.classes[state.positive]} ${percent(tree.probabilities[at])}${alone}`;
}

/** Why a probability is not the share that was counted: "0 of 6 counted; pulled to 27 % because few cases". */
export function trustWords({ tree, state }, node) {
  const at = node * tree.nClasses + state.positive;
  const [count, total] = [tree.counts.training[at], tree.weight[node]];
  const range = wilson(count, total);
  if (range === null) return "no training cases counted";
  const shown = (number) => grouped(Number(number.toFixed(1)));
  const counted = `${shown(count)} of ${shown(total)} counted (${percent(range.low)} to ${percent(range.high)})`;
  const p = tree.probabilities[at];
  if (tree.models || Math.abs(p - count / total) < MIN_PULL) return counted;
  return `${counted}; ${total < FEW ? `pulled to ${percent(p)} because few cases` : `smoothed to ${percent(p)}`}`;
}

/** The strongest evidence for and against the class of interest at a leaf with a model. */
function signsOf({ tree, state }, node) {
  const table = tableOf(tree, node);
  if (table === null) return null;
  const signs = strongest(table, state.positive);
  if (signs.length === 0) return element("p", {}, "All its cases get the same answer.");
  const [most, least] = signs.map(({ feature, word, factor }) => `${tree.features[feature].name} ${word} (odds × ${short(factor, 2)})`);
  return element("p", {}, `Strongest evidence for it: ${most}; against it: ${least}. Click to show the table.`);
}

/** The label of cases in parts of a cell without training cases. */
function unseenOf({ tree, point, labelName }, node) {
  const [line] = linesAt(tree, node);
  return `Cases in a part of it without training cases are labelled ${labelName(point.labels[line])}.`;
}

/** The classes of a table: all of them, or the class of interest and the most frequent others. */
function classesShown({ tree, state }, node) {
  const all = tree.classes.map((_, c) => c);
  if (tree.nClasses <= MAX_CLASSES) return all;
  const weight = (c) => (c === state.positive ? Infinity : tree.counts.training[node * tree.nClasses + c]);
  return all.sort((a, b) => weight(b) - weight(a)).slice(0, MAX_CLASSES);
}

function countTable(app, node) {
  const { tree, tableName } = app;
  const names = ["training", "test"].filter((name) => tree.counts[name]);
  const shown = classesShown(app, node);
  const count = (name, c) => tree.counts[name][node * tree.nClasses + c];
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, element("td", {}), names.map((name) => element("th", {}, tableName(name))))),
    element(
      "tbody",
      {},
      shown.map((c) =>
        element(
          "tr",
          {},
          element("th", {}, tree.classes[c]),
          names.map((name) => element("td", {}, grouped(Number(count(name, c).toFixed(1))))),
        ),
      ),
    ),
  );
}

/** The same in one sentence, for screen readers. */
export function describeNode(app, node) {
  const { tree } = app;
  const kind = tree.nChildren[node] === 0 ? `Leaf ${app.letters.get(node)}` : `Node with ${tree.nChildren[node]} branches`;
  return `${kind}: ${ruleWords(tree, node)}; ${labelOf(app, node)}; ${chanceOf(app, node)}; ${trustWords(app, node)}; ${cases(tree.weight[node])}.`;
}
