// The leaves as a table that can be sorted: letter, label, probability, counted shares with intervals, rule.

import { wilson } from "./curves.js";
import { element, fill } from "./dom.js";
import { linesBelow } from "./lines.js";
import { UNKNOWN, MIXED } from "./point.js";
import { grouped, percent, ruleWords } from "./words.js";

// Longer tables would slow down the page; the rest is one click away.
const MAX_ROWS = 40;

/** Make the section; returns its element and `update`. */
export function makeLeafTable(app) {
  const columns = columnsOf(app);
  const sorting = { by: "leaf", down: false };
  let shown = MAX_ROWS;
  const body = element("tbody", {});
  const heads = columns.map(({ key, name }) =>
    element("th", { scope: "col" }, element("button", { type: "button", class: "sort", on: { click: () => sort(key) }, data: { sort: key } }, name)),
  );
  const more = element("button", { type: "button", on: { click: () => { shown = Infinity; update(); } } });
  const section = element(
    "section",
    { class: "pane leaves", "aria-label": "Leaves" },
    element("div", { class: "head" }, element("h2", {}, app.tree.cells ? "Cells" : "Leaves")),
    element("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": "Table of the leaves" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), body)),
    more,
  );
  function sort(key) {
    sorting.down = sorting.by === key ? !sorting.down : key !== "leaf" && key !== "rule";
    sorting.by = key;
    update();
  }
  let drawn = "";
  function update() {
    const wanted = [app.state.positive, sorting.by, sorting.down, shown, sorting.by === "label" ? app.point.nodeLabels.join() : ""].join(" ");
    if (wanted !== drawn) build();
    drawn = wanted;
    for (const row of body.children) showLabel(columns, row);
  }
  function build() {
    const column = columns.find(({ key }) => key === sorting.by);
    const nodes = Array.from(app.letters.keys());
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    if (sorting.by !== "leaf") nodes.sort((a, b) => order(column.value(a), column.value(b)));
    if (sorting.down) nodes.reverse();
    heads.forEach((head, i) => {
      const active = columns[i].key === sorting.by;
      head.setAttribute("aria-sort", !active ? "none" : sorting.down ? "descending" : "ascending");
      if (columns[i].key === "probability") head.firstChild.textContent = `Probability of ${app.tree.classes[app.state.positive]}`;
    });
    more.hidden = nodes.length <= shown;
    more.textContent = `Show all ${grouped(nodes.length)}`;
    fill(body, nodes.slice(0, shown).map((node) => rowOf(app, columns, node)));
  }
  return { element: section, update };
}

/** The only cell of a row that depends on the point. */
function showLabel(columns, row) {
  const cell = row.querySelector(".label");
  const text = columns.find(({ key }) => key === "label").text(Number(row.dataset.node));
  if (cell.textContent !== text) cell.textContent = text;
}

function rowOf(app, columns, node) {
  const light = () => app.light({ node, lines: linesBelow(app.tree, node, 500), from: "table", place: null });
  return element(
    "tr",
    { data: { node: String(node) }, on: { pointerenter: light, pointerleave: () => app.light(null) } },
    columns.map(({ key, text }) => (key === "leaf" ? element("th", { scope: "row" }, text(node)) : element("td", { class: key }, text(node)))),
  );
}

function columnsOf(app) {
  const { tree } = app;
  const at = (node) => node * tree.nClasses + app.state.positive;
  const counted = app.tree.counts.test ? ["training", "test"] : ["training"];
  const totalOf = (name, node) => {
    let sum = 0;
    for (let c = 0; c < tree.nClasses; c++) sum += tree.counts[name][node * tree.nClasses + c];
    return sum;
  };
  const label = (node) => {
    const found = app.point.nodeLabels[node];
    return found === UNKNOWN ? "–" : found === MIXED ? "mixed" : app.labelName(found);
  };
  return [
    { key: "leaf", name: tree.cells ? "Cell" : "Leaf", value: (node) => node, text: (node) => app.letters.get(node) },
    { key: "label", name: "Called", value: label, text: label },
    { key: "probability", name: "Probability", value: (node) => tree.probabilities[at(node)], text: (node) => percent(tree.probabilities[at(node)], 0) },
    ...counted.map((name) => ({
      key: name,
      name: `Counted, ${name}`,
      value: (node) => tree.counts[name][at(node)] / (totalOf(name, node) || 1),
      text: (node) => countedWords(tree.counts[name][at(node)], totalOf(name, node)),
    })),
    { key: "rule", name: "Rule", value: (node) => ruleWords(tree, node), text: (node) => ruleWords(tree, node) },
  ];
}

/** A counted share and its interval: "3 of 9 (12 to 65 %)". */
export function countedWords(count, total) {
  const range = wilson(count, total);
  const shown = (number) => grouped(Number(number.toFixed(1)));
  if (range === null) return "none";
  return `${shown(count)} of ${shown(total)} (${percent(range.low, 0)} to ${percent(range.high, 0)})`;
}
