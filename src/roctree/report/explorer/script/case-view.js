// One case: its path through the tree, its probability, and the smallest change to another label.

import { wilson } from "./curves.js";
import { element, fill, help } from "./dom.js";
import { judge, nearestLeaf, reach, sharesOf } from "./geometry.js";
import { linesAt } from "./lines.js";
import { makeNumberField } from "./number-field.js";
import { calibrated, pointsFor, probabilitiesOf, stepsOf } from "./scorecard.js";
import { IS_PRESENT, pathTo } from "./tree.js";
import { changeWords, percent, ruleWords, short, signedPoints, stepWords } from "./words.js";

/** Make the section; returns its element and `update`, which also sets the highlighted path. */
export function makeCaseView(app) {
  const { tree, data } = app;
  app.locked = new Set();
  const ranges = rangesOf(tree, data.cases);
  const fields = tree.features.map((feature, number) => fieldOf(app, feature, number, ranges[number]));
  const pick = element("select", {
    id: `${app.id}-pick`,
    on: { change: () => choose(pick.value), focus: sortCases, pointerdown: sortCases },
  });
  sortCases();
  const verdict = element("div", { class: "verdict", "aria-live": "polite" });
  /** List the cases with errors first, as they are at the current point. */
  function sortCases() {
    const chosen = pick.value;
    const option = (i) => element("option", { value: String(i) }, `test row ${data.cases[i].row} (${tree.classes[data.cases[i].label]})`);
    const wrong = [];
    const right = [];
    data.cases.forEach((each, i) => (isRight(app, each) ? right : wrong).push(i));
    const group = (name, numbers) => (numbers.length > 0 ? element("optgroup", { label: `${name} (${numbers.length})` }, numbers.map(option)) : null);
    fill(pick, element("option", { value: "" }, "none"), group("Errors here", wrong), group("Right here", right));
    pick.value = chosen;
  }
  function choose(value) {
    app.set({ values: value === "" ? null : data.cases[Number(value)].values.slice() });
    if (app.path) app.reveal(app.path.stops.at(-1).node);
  }
  const clear = element("button", { type: "button", on: { click: () => choose("") } }, "Clear");
  const section = element(
    "section",
    { class: "pane case", "aria-label": "A case" },
    element(
      "div",
      { class: "head" },
      element("h2", {}, "Try a case ", help("case", "this form")),
      element("div", { class: "picker" }, data.cases.length > 0 ? [element("label", { for: pick.id }, "Pick one"), pick] : null, clear),
    ),
    verdict,
    element("div", { class: "attributes" }, fields.map(({ element: field }) => field)),
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

function isRight({ tree, point, state }, { values, label: truth }) {
  const { label } = judge(tree, point, reach(tree, values).stops, values);
  return point.perClass ? label === truth : (label === state.positive) === (truth === state.positive);
}

function setValue(app, number, value) {
  const values = (app.state.values ?? app.tree.features.map(() => null)).slice();
  values[number] = value;
  app.set({ values: values.every((each) => each === null) ? null : values });
}

/** The range of each numeric attribute, over cases and thresholds, and its thresholds. */
function rangesOf(tree, known) {
  return tree.features.map(({ categories }, number) => {
    if (categories) return null;
    const cuts = [];
    for (let node = 0; node < tree.n; node++) {
      const isOwn = tree.nChildren[node] > 0 && tree.feature[node] === number && tree.threshold[node] !== null;
      if (isOwn && tree.threshold[node] < IS_PRESENT) cuts.push(tree.threshold[node]);
    }
    const values = [...cuts, ...known.map((each) => each.values[number]).filter((value) => value !== null)];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low < high ? { low, high, cuts } : null;
  });
}

/** A field for an attribute: a list of categories, or a number with a slider; and its lock. */
function fieldOf(app, feature, number, range) {
  const control = feature.categories ? listOf(app, feature, number) : numberOf(app, number);
  const name = feature.measure ? `${feature.name}, ${feature.measure}` : feature.name;
  const label = element("label", { for: control.field.id }, name);
  const slider = range ? sliderOf(app, feature, number, range) : null;
  const lock = app.tree.isHard ? lockOf(app, feature, number) : null;
  const show = (value) => {
    control.show(value);
    slider?.show(value);
  };
  return { element: element("div", { class: "control" }, label, lock, control.field, control.note ?? null, slider?.element ?? null), show };
}

/** A lock: the nearest change leaves this attribute as it is. */
function lockOf(app, feature, number) {
  const button = element("button", { type: "button", class: "lock", "aria-pressed": "false", "aria-label": `Lock ${feature.name}`, title: "Lock: the nearest change leaves it as it is", on: { click: turn } }, "lock");
  function turn() {
    if (!app.locked.delete(number)) app.locked.add(number);
    const locked = app.locked.has(number);
    button.setAttribute("aria-pressed", String(locked));
    button.textContent = locked ? "locked" : "lock";
    app.set({});
  }
  return button;
}

/** A slider over the range of an attribute, with a tick at each threshold. */
function sliderOf(app, feature, number, { low, high, cuts }) {
  const slider = element("input", {
    type: "range",
    class: "value-slider",
    min: String(low),
    max: String(high),
    step: "any",
    "aria-label": `${feature.name}, slider`,
    on: { input: () => setValue(app, number, Number(Number(slider.value).toPrecision(5))), pointerdown: app.beginGesture, pointerup: app.endGesture },
  });
  const ticks = cuts.map((cut) => {
    const tick = element("i", {});
    tick.style.left = `${(100 * (cut - low)) / (high - low)}%`;
    return tick;
  });
  const show = (value) => {
    slider.classList.toggle("unknown", value === null);
    slider.value = String(value === null ? (low + high) / 2 : value);
  };
  return { element: element("div", { class: "value-track" }, slider, element("span", { class: "ticks", "aria-hidden": "true" }, ticks)), show };
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

/** The probability after each step of the path to the leaf with most of the case: a waterfall. */
function waterfall(app) {
  const { tree, state, path } = app;
  if (tree.cells && tree.nChildren[path.stops[0].node] > 0) return null;
  const most = path.stops.reduce((one, other) => (other.part > one.part ? other : one));
  const nodes = pathTo(tree, most.node);
  if (nodes.length < 2 && !tree.points) return null;
  const p = (node) => tree.probabilities[node * tree.nClasses + state.positive];
  return element(
    "ol",
    { class: "waterfall", "aria-label": `Probability of ${tree.classes[state.positive]} after each step` },
    nodes.map((node, i) => stepOf(i === 0 ? "all cases" : stepWords(tree, node), i === 0 ? 0 : p(nodes[i - 1]), p(node), i === nodes.length - 1 ? app.letters.get(node) : "")),
    tree.points ? pointSteps(app, p(most.node)) : null,
  );
}

/** The probability after the points of each attribute, from that of the leaf on. */
function pointSteps({ tree, state, path }, leaf) {
  const { points: card, calibration } = tree;
  const steps = stepsOf(card, sharesOf(tree, path.stops, state.values), state.values);
  const after = steps.map((_, i) => probabilitiesOf(card, steps.slice(0, i + 1))[state.positive]);
  const found = steps.map(({ attribute, points }, i) => {
    const own = signedPoints(card, pointsFor(points, state.positive));
    const words = attribute < 0 ? (path.stops.length > 1 ? "the mean of its leaves, and the points of every case" : "the points of every case") : `${wordOf(tree, card.attributes[attribute].feature, state.values)}: ${own} points`;
    return stepOf(words, i === 0 ? leaf : after[i - 1], after[i]);
  });
  if (calibration === null) return found;
  const last = calibrated(calibration, probabilitiesOf(card, steps))[state.positive];
  return [...found, stepOf("calibrated", after.at(-1), last)];
}

/** A value of a case in words. */
function wordOf(tree, number, values) {
  const { name, categories, measure } = tree.features[number];
  const value = values[number];
  if (value === null) return `${name} not known`;
  return categories ? `${name} ${categories[value] ?? "unknown"}` : `${name} ${short(value, 5)}${measure ? ` ${measure}` : ""}`;
}

function stepOf(words, from, to, letter = "") {
  const bar = element("i", { class: to >= from ? "up" : "down" });
  bar.style.left = `${100 * Math.min(from, to)}%`;
  bar.style.width = `${100 * Math.max(Math.abs(to - from), 0.004)}%`;
  return element("li", {}, element("span", {}, words), element("span", { class: "fall" }, bar), element("strong", {}, percent(to, 0)), element("span", { class: "letter" }, letter));
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
    waterfall(app),
    element("p", {}, wayWords(tree, stops, state.values)),
    tree.isHard ? element("p", {}, distanceWords(app, label)) : null,
  ];
}

/** The distance from another label, which is not defined for cells, models and soft thresholds. */
function distanceWords(app, label) {
  const { tree, point, state, data } = app;
  const change = nearestLeaf(tree, state.values, (leaf) => point.labels[leaf] !== label, app.locked);
  const distance = change ? change.distance : data.extent;
  const none = app.locked.size > 0 ? "No change of the attributes that are not locked changes its label." : "All leaves have this label.";
  return [
    change ? ["Nearest change: ", nearestWords(app, change)] : none,
    " Distance ",
    element("output", { data: { name: "case_distance", value: String(distance) } }, short(distance, 3)),
    " ",
    help("distance", "the distance"),
  ].flat();
}

function leafInterval({ tree }, stops, shown) {
  if (stops.length !== 1 || tree.hasAnswers) return "";
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
