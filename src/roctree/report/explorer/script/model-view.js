// The Naive Bayes table of a leaf: how often each value occurs in each class, and its effect on the odds.

import { element, fill, help } from "./dom.js";
import { cellOf, factorOf, tableOf } from "./naive-bayes.js";
import { makeNomogram } from "./nomogram.js";
import { cases, listed, percent, ruleWords, short } from "./words.js";

// More classes would not fit side by side: then the table shows one class against the rest.
const MAX_CLASSES = 6;

/** Make the section of a tree with models; returns its element, `update` and `choose` for a leaf. */
export function makeModelView(app) {
  const { tree } = app;
  const leaves = Array.from(tree.leaves).sort((a, b) => tree.weight[b] - tree.weight[a]);
  const pick = element(
    "select",
    { id: `${app.id}-leaf`, on: { change: () => choose(Number(pick.value)) } },
    leaves.map((node) => element("option", { value: String(node) }, `${ruleWords(tree, node)} (${cases(tree.weight[node])})`)),
  );
  const box = element("div", { class: "scroll expert", tabindex: "0", role: "group", "aria-label": "Naive Bayes table" });
  const nomogram = makeNomogram(app);
  const title = element("span", {});
  const section = element(
    "section",
    { class: "pane model", "aria-label": "Naive Bayes at a leaf" },
    element("div", { class: "head" }, element("h2", {}, title, help("model", "this table"))),
    element("div", { class: leaves.length > 1 ? "row" : "row expert" }, element("div", { class: "control wide" }, element("label", { for: pick.id }, "Leaf"), pick)),
    nomogram.element,
    box,
  );
  let shown = leaves[0];
  function choose(node) {
    if (tree.leafOf[node] < 0) return;
    shown = node;
    pick.value = String(node);
    fill(box, tableFor(app, node));
    nomogram.show(node);
  }
  function update() {
    title.textContent = `How each value changes the odds of ${tree.classes[app.state.positive]} `;
    choose(app.path ? app.path.stops[0].node : shown);
  }
  return { element: section, update, choose, draw: nomogram.paint };
}

function tableFor(app, node) {
  const { tree, state } = app;
  const table = tableOf(tree, node);
  const columns = columnsOf(app, table);
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "value"),
    columns.map(({ name }) => element("th", { scope: "col" }, name)),
    element("th", { scope: "col" }, `odds of ${tree.classes[state.positive]}`),
  );
  const prior = row("prior", columns, table.prior, "", false);
  const rows = table.attributes.flatMap((attribute) => attributeRows(app, node, attribute, columns));
  const silent = tree.features.filter((_, i) => !table.attributes.some(({ feature }) => feature === i));
  return [
    element("table", { class: "bayes" }, element("thead", {}, head), element("tbody", {}, prior, rows)),
    silent.length > 0
      ? element("p", { class: "legend" }, `No information at this leaf: ${listed(silent.map(({ name }) => name))}.`)
      : null,
  ];
}

/** The columns: the classes, or the class of interest and all others. */
function columnsOf({ tree, state }, { prior }) {
  const one = (c) => ({ name: tree.classes[c], of: (shares) => shares[c] });
  if (tree.nClasses <= MAX_CLASSES) return tree.classes.map((_, c) => one(c));
  const rest = (shares) => {
    const others = shares.reduce((sum, share, c) => sum + (c === state.positive ? 0 : share * prior[c]), 0);
    return others / (1 - prior[state.positive]);
  };
  return [one(state.positive), { name: "all others", of: rest }];
}

function attributeRows(app, node, attribute, columns) {
  const { tree, state } = app;
  const table = tableOf(tree, node);
  const isHere = app.path?.stops.some((stop) => stop.node === node);
  const { name } = tree.features[attribute.feature];
  const chosen = isHere ? cellOf(attribute, state.values[attribute.feature]) : -1;
  const title = element("tr", { class: "attribute" }, element("th", { scope: "rowgroup", colspan: String(columns.length + 2) }, name));
  const cells = attribute.words.map((word, cell) => {
    const factor = factorOf(table, attribute.likelihood[cell], state.positive);
    return row(word, columns, attribute.likelihood[cell], `× ${short(factor, 2)}`, cell === chosen);
  });
  return [title, ...cells];
}

function row(word, columns, shares, factor, chosen) {
  return element(
    "tr",
    { class: chosen ? "chosen" : null },
    element("th", { scope: "row" }, word, chosen ? " (the case)" : null),
    columns.map(({ of }) => element("td", {}, percent(of(shares)))),
    element("td", {}, factor),
  );
}
