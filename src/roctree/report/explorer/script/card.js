// The card with the details of a node: its rule in words, counts, probability and label.

import { wilson } from "./curves.js";
import { element, fill } from "./dom.js";
import { linesAt } from "./lines.js";
import { strongest, tableOf } from "./naive-bayes.js";
import { MIXED, UNKNOWN } from "./point.js";
import { cases, grouped, leafCount, percent, ruleWords, short } from "./words.js";

const MOST_CLASSES = 6;
// The pointer is not on the card.
const APART = 16;

/** Make the card; `show` fills and places it, or hides it. */
export function makeCard(app) {
  const card = element("div", { class: "card", hidden: true });
  function show(lit, pane) {
    card.hidden = !(lit?.node >= 0);
    if (card.hidden) return;
    fill(card, contents(app, lit));
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
    element("p", { class: "rule" }, ruleWords(tree, node)),
    from === "plot" ? segmentOf(app, lines) : null,
    element("p", { class: "label" }, `${labelOf(app, node)}, ${chanceOf(app, node)}`),
    tree.models ? signsOf(app, node) : null,
    tree.cells && tree.nChildren[node] > 0 ? element("p", {}, unseenOf(app, node)) : null,
    countTable(app, node),
  ];
}

/** Describe a segment of a curve that is not simply a leaf. */
function segmentOf({ tree, state, point }, lines) {
  if (tree.models) {
    const p = tree.lines.scores[lines[0] * tree.nClasses + state.positive];
    const weight = lines.reduce((sum, line) => sum + weightOn(point.on, line), 0);
    return element("p", {}, `${cases(weight)} with a probability of ${tree.classes[state.positive]} of ${percent(p)}, here and possibly in other leaves`);
  }
  return lines.length > 1 ? element("p", {}, `and ${leafCount(tree, lines.length - 1)} more with the same share`) : null;
}

function weightOn({ counts, nClasses }, line) {
  return counts.subarray(line * nClasses, (line + 1) * nClasses).reduce((sum, count) => sum + count, 0);
}

function labelOf({ tree, point, state, labelName }, node) {
  const label = point.nodeLabels[node];
  if (label === UNKNOWN) return "labels depend on the case";
  if (label !== MIXED) return `labelled ${labelName(label)}`;
  if (tree.models && !point.perClass) {
    const called = grouped(Number(point.nPositive[node].toFixed(1)));
    return `${called} of ${cases(tree.weight[node])} labelled ${tree.classes[state.positive]}`;
  }
  if (tree.models) return "cases with different labels";
  return `${leafCount(tree, tree.nLeaves[node])} with different labels`;
}

function chanceOf({ tree, state }, node) {
  const at = node * tree.nClasses + state.positive;
  const range = wilson(tree.counts.training[at], tree.weight[node]);
  const interval = range ? ` (cases alone ${percent(range.low)} to ${percent(range.high)})` : "";
  const what = tree.models ? "share" : "probability";
  return `${what} of ${tree.classes[state.positive]} ${percent(tree.probabilities[at])}${interval}`;
}

/** The strongest evidence for and against the class of interest at a leaf with a model. */
function signsOf({ tree, state }, node) {
  const table = tableOf(tree, node);
  if (table === null) return null;
  const signs = strongest(table, state.positive);
  if (signs.length === 0) return element("p", {}, "All its cases get the same answer.");
  const [most, least] = signs.map(({ feature, word, factor }) => `${tree.features[feature].name} ${word} (odds × ${short(factor, 2)})`);
  return element("p", {}, `Speaks most for it: ${most}; most against it: ${least}. Click to show the table.`);
}

/** The label of cases in parts of a cell without training cases. */
function unseenOf({ tree, point, labelName }, node) {
  const [line] = linesAt(tree, node);
  return `Cases in a part of it without training cases are labelled ${labelName(point.labels[line])}.`;
}

/** The classes of a table: all of them, or the class of interest and the most frequent others. */
function classesShown({ tree, state }, node) {
  const all = tree.classes.map((_, c) => c);
  if (tree.nClasses <= MOST_CLASSES) return all;
  const weight = (c) => (c === state.positive ? Infinity : tree.counts.training[node * tree.nClasses + c]);
  return all.sort((a, b) => weight(b) - weight(a)).slice(0, MOST_CLASSES);
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
  const kind = tree.nChildren[node] === 0 ? "Leaf" : `Node with ${tree.nChildren[node]} branches`;
  return `${kind}: ${ruleWords(tree, node)}; ${labelOf(app, node)}; ${chanceOf(app, node)}; ${cases(tree.weight[node])}.`;
}
