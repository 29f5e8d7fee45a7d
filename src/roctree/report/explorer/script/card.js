// The card that says everything about a node: its rule in words, counts, probability, label.

import { wilson } from "./curves.js";
import { element, fill } from "./dom.js";
import { MIXED } from "./point.js";
import { cases, grouped, percent, ruleWords } from "./words.js";

const MOST_CLASSES = 6;

/** Make the card; `show` fills and places it, or hides it. */
export function makeCard(app) {
  const card = element("div", { class: "card", hidden: true });
  function show(lit, pane) {
    card.hidden = !lit || lit.node === undefined;
    if (card.hidden) return;
    fill(card, contents(app, lit));
    const frame = app.root.getBoundingClientRect();
    const box = pane.getBoundingClientRect();
    const at = lit.place ?? { x: box.width / 2, y: box.height / 2 };
    const left = box.left - frame.left + at.x + 16;
    const top = box.top - frame.top + at.y + 16;
    card.style.left = `${Math.max(8, Math.min(left, frame.width - card.offsetWidth - 8))}px`;
    card.style.top = `${Math.max(8, Math.min(top, frame.height - card.offsetHeight - 8))}px`;
  }
  return { element: card, show };
}

function contents(app, { node, leaves, from }) {
  const { tree } = app;
  const several = from === "plot" && leaves.length > 1;
  return [
    element("p", { class: "rule" }, ruleWords(tree, node)),
    several ? element("p", {}, `and ${leaves.length - 1} more leaves with the same share`) : null,
    element("p", { class: "label" }, `${labelOf(app, node)}, ${chanceOf(app, node)}`),
    countTable(app, node),
  ];
}

function labelOf({ tree, point, labelName }, node) {
  const label = point.nodeLabels[node];
  if (label !== MIXED) return `labelled ${labelName(label)}`;
  const below = tree.nLeaves[node];
  return `${below} leaves with different labels`;
}

function chanceOf({ tree, state }, node) {
  const at = node * tree.nClasses + state.positive;
  const range = wilson(tree.counts.training[at], tree.weight[node]);
  const interval = range ? ` (cases alone ${percent(range.low)} to ${percent(range.high)})` : "";
  return `probability of ${tree.classes[state.positive]} ${percent(tree.probabilities[at])}${interval}`;
}

function countTable({ tree, tableName }, node) {
  const names = ["training", "test"].filter((name) => tree.counts[name]);
  const order = tree.classes.map((_, c) => c);
  order.sort((a, b) => tree.counts.training[node * tree.nClasses + b] - tree.counts.training[node * tree.nClasses + a]);
  const shown = tree.nClasses > MOST_CLASSES ? order.slice(0, MOST_CLASSES) : tree.classes.map((_, c) => c);
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

/** The same in one sentence, for those who listen. */
export function describeNode(app, node) {
  const { tree } = app;
  const kind = tree.nChildren[node] === 0 ? "Leaf" : `Node with ${tree.nChildren[node]} branches`;
  return `${kind}: ${ruleWords(tree, node)}; ${labelOf(app, node)}; ${chanceOf(app, node)}; ${cases(tree.weight[node])}.`;
}
