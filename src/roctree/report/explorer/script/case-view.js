// One case: its path through the tree, its probability, and the smallest change to another label.

import { wilson } from "./curves.js";
import { element, fill, help } from "./dom.js";
import { judge, nearestLeaf, reach } from "./geometry.js";
import { linesAt } from "./lines.js";
import { makeNumberField } from "./number-field.js";
import { changeWords, percent, ruleWords, short } from "./words.js";

/** Make the section; returns its element and `update`, which also sets the highlighted path. */
export function makeCaseView(app) {
  const { tree, data } = app;
  const fields = tree.features.map((feature, number) => fieldOf(app, feature, number));
  const pick = element(
    "select",
    { id: `${app.id}-pick`, on: { change: () => choose(pick.value) } },
    element("option", { value: "" }, "none"),
    data.cases.map((each, i) => element("option", { value: String(i) }, `test row ${each.row} (${tree.classes[each.label]})`)),
  );
  const verdict = element("div", { class: "verdict", "aria-live": "polite" });
  function choose(value) {
    app.set({ values: value === "" ? null : data.cases[Number(value)].values.slice() });
    if (app.path) app.reveal(app.path.stops.at(-1).node);
  }
  const clear = element("button", { type: "button", on: { click: () => choose("") } }, "Clear");
  const section = element(
    "section",
    { class: "pane case", "aria-label": "A case" },
    element("div", { class: "head" }, element("h2", {}, "Try a case ", help("case", "this form"))),
    element(
      "div",
      { class: "row" },
      data.cases.length > 0
        ? element("div", { class: "control" }, element("label", { for: pick.id }, "Pick one"), pick)
        : null,
      fields.map(({ element: field }) => field),
      clear,
    ),
    verdict,
  );
  function update() {
    const { values } = app.state;
    fields.forEach(({ show }, i) => show(values === null ? null : values[i]));
    pick.value = pickedFor(values);
    const incomplete = tree.cells !== null && values !== null && values.includes(null);
    app.path = values === null || incomplete ? null : reach(tree, values);
    if (incomplete) fill(verdict, "Enter all values: a case with a missing value is in no cell.");
    else fill(verdict, app.path ? verdictOf(app) : []);
  }
  /** The test case with these values; if there are several, the one that was picked. */
  function pickedFor(values) {
    const isIt = (each) => values !== null && each.values.every((value, i) => value === values[i]);
    if (pick.value !== "" && isIt(data.cases[Number(pick.value)])) return pick.value;
    const found = data.cases.findIndex(isIt);
    return found < 0 ? "" : String(found);
  }
  return { element: section, update };
}

function setValue(app, number, value) {
  const values = (app.state.values ?? app.tree.features.map(() => null)).slice();
  values[number] = value;
  app.set({ values: values.every((each) => each === null) ? null : values });
}

/** A field for an attribute: a list of categories, or a number. */
function fieldOf(app, feature, number) {
  const control = feature.categories ? listOf(app, feature, number) : numberOf(app, number);
  const label = element("label", { for: control.field.id }, feature.name);
  return { element: element("div", { class: "control" }, label, control.field, control.note), show: control.show };
}

function numberOf(app, number) {
  return makeNumberField(app, `value-${number}`, {
    empty: true,
    wanted: "Enter a number such as 2500 or 2.5, or leave it empty.",
    placeholder: "not known",
    onValue: (value) => setValue(app, number, value),
  });
}

function listOf(app, feature, number) {
  const field = element(
    "select",
    { id: `${app.id}-value-${number}`, on: { change: () => setValue(app, number, field.value === "" ? null : Number(field.value)) } },
    element("option", { value: "" }, "not known"),
    feature.categories.map((name, code) => element("option", { value: String(code) }, name)),
  );
  return { field, show: (value) => (field.value = value === null ? "" : String(value)) };
}

/** Label, probability, distance and smallest change, in words. */
function verdictOf(app) {
  const { tree, point, state, path } = app;
  const { stops } = path;
  const { probabilities, label } = judge(tree, point, stops, state.values);
  const shown = point.perClass ? label : state.positive;
  return [
    element(
      "p",
      { class: "big" },
      "Called ",
      element("output", { data: { name: "case_label", value: String(label) } }, app.labelName(label)),
      ": probability of ",
      `${tree.classes[shown]} `,
      element("output", { data: { name: "case_probability", value: String(probabilities[shown]) } }, percent(probabilities[shown])),
      leafInterval(app, stops, shown),
    ),
    element("p", {}, wayWords(tree, stops, state.values)),
    tree.isHard ? element("p", {}, distanceWords(app, label)) : null,
  ];
}

/** The distance from another label, which is not defined for cells, models and soft thresholds. */
function distanceWords(app, label) {
  const { tree, point, state, data } = app;
  const change = nearestLeaf(tree, state.values, (leaf) => point.labels[leaf] !== label);
  const distance = change ? change.distance : data.extent;
  return [
    "Distance from another label ",
    help("distance", "the distance"),
    " ",
    element("output", { data: { name: "case_distance", value: String(distance) } }, short(distance, 4)),
    change ? ". Nearest change: " : ". All leaves have this label.",
    change ? nearestWords(app, change) : null,
  ];
}

function leafInterval({ tree }, stops, shown) {
  if (stops.length !== 1 || tree.models) return "";
  const { node } = stops[0];
  const range = wilson(tree.counts.training[node * tree.nClasses + shown], tree.weight[node]);
  if (!range) return "";
  return element("small", {}, ` its ${tree.cells ? "cell" : "leaf"} alone: ${percent(range.low)} to ${percent(range.high)} `, help("interval", "this interval"));
}

function wayWords(tree, stops, values) {
  const { node } = stops[0];
  if (tree.cells && tree.nChildren[node] > 0) {
    return `There are no training cases in its part of the space; the smallest cell around it: ${ruleWords(tree, node)}.`;
  }
  if (stops.length === 1) return `Its ${tree.cells ? "cell" : "leaf"}: ${ruleWords(tree, node)}.`;
  if (!tree.softness) return `A value is unknown: the case is divided among ${stops.length} leaves.`;
  const most = stops.reduce((one, other) => (other.part > one.part ? other : one));
  const why = values.includes(null) ? "A value is unknown, or others are" : "It is";
  return `${why} near soft thresholds: the mean of ${stops.length} leaves. ${percent(most.part)} of it is in: ${ruleWords(tree, most.node)}.`;
}

function nearestWords(app, change) {
  const to = app.labelName(app.point.labels[change.leaf]);
  const changes = change.changes.map((each) => changeWords(app.tree, each)).join("; ");
  return element("span", { data: { name: "case_change" } }, `${changes} makes it ${to}.`);
}

/**
 * Measure the distances of the page's cases in batches, so that the page stays responsive;
 * `show` is called after each batch.
 */
export function measureCases(app, show) {
  const { tree, point, data } = app;
  app.near = new Array(data.cases.length).fill(undefined);
  let number = 0;
  function some() {
    if (app.point !== point || app.state.view !== "near") return;
    const until = performance.now() + 12;
    while (number < data.cases.length && performance.now() < until) {
      app.near[number] = measured(app, tree, point, number);
      number++;
    }
    show();
    if (number < data.cases.length) setTimeout(some);
  }
  some();
}

function measured(app, tree, point, number) {
  const { values, label: truth } = app.data.cases[number];
  const { stops } = reach(tree, values);
  const { label } = judge(tree, point, stops, values);
  const change = nearestLeaf(tree, values, (leaf) => point.labels[leaf] !== label);
  const distance = change ? change.distance : app.data.extent;
  const positive = label === app.state.positive;
  const right = point.perClass ? label === truth : positive === (truth === app.state.positive);
  const lines = stops.flatMap(({ node }) => Array.from(linesAt(tree, node)));
  return { number, truth, right, lines, node: stops[0].node, signed: positive ? distance : -distance };
}
