// The explorer: one state, one operating point, and views that show them.

import { makeCard, describeNode } from "./card.js";
import { makeCaseView, measureCases } from "./case-view.js";
import { paletteOf } from "./colour.js";
import { makeControls } from "./controls.js";
import { makeCopyView } from "./copy-view.js";
import { element, explainTerms } from "./dom.js";
import { makeModelView } from "./model-view.js";
import { makeNumbersView } from "./numbers-view.js";
import { makePlotView } from "./plot-view.js";
import { makeMemory, pointAt } from "./point.js";
import { readHash, writeHash } from "./state.js";
import { makeTreeView } from "./tree-view.js";
import { openTree } from "./tree.js";
import { grouped, leafCount, listed, percent, remarkOn } from "./words.js";

const TABLES = { smoothed: "tree's probabilities", training: "training cases", test: "test cases" };
let nMounted = 0;

/** Show a data document inside an element; with `hash` the state lives in the page's address. */
export function mount(root, data, { hash = false } = {}) {
  const tree = openTree(data);
  const app = {
    id: `roctree-${nMounted++}`,
    root,
    data,
    tree,
    memory: makeMemory(tree),
    lit: null,
    path: null,
    near: [],
    state: hash ? readHash(location.hash, data.start, tree) : { ...data.start },
    tableName: (name) => TABLES[name],
    link: hash ? () => location.href : null,
  };
  app.labelName = (label) => labelName(app, label);
  app.describe = (node) => describeNode(app, node);
  app.summary = () => summary(app);
  app.positives = () => positives(app);
  app.set = (patch) => {
    app.state = { ...app.state, ...patch };
    app.point = pointAt(tree, app.memory, app.state);
    if (hash) keepAddress(app.state, data.start);
    update();
  };
  root.classList.add("roctree");
  app.point = pointAt(tree, app.memory, app.state);
  app.palette = paletteOf(root);

  const announcer = element("div", { class: "unseen", "aria-live": "polite" });
  app.say = (text) => (announcer.textContent = text);
  const views = {
    controls: makeControls(app),
    tree: makeTreeView(app),
    plot: makePlotView(app),
    ...(tree.models ? { model: makeModelView(app) } : {}),
    numbers: makeNumbersView(app),
    case: makeCaseView(app),
    copy: makeCopyView(app),
  };
  app.reveal = (node) => views.tree.reveal(node);
  app.select = (node) => views.model?.choose(node);
  const card = makeCard(app);
  app.light = (lit) => {
    if (lit === null && app.lit === null) return;
    const same = lit !== null && app.lit !== null && lit.node === app.lit.node && lit.from === app.lit.from;
    app.lit = lit;
    card.show(lit, lit?.from === "tree" ? views.tree.canvas : views.plot.canvas);
    if (same) return;
    views.tree.draw();
    views.plot.draw();
  };

  function update() {
    // The case first: others show its way.
    views.case.update();
    for (const view of Object.values(views)) if (view !== views.case) view.update?.();
    views.tree.draw();
    if (app.state.view === "near") measureCases(app, views.plot.update);
    app.say(app.summary());
  }

  root.replaceChildren(
    header(app, repaint),
    views.controls.element,
    element("div", { class: "panes" }, views.tree.element, views.plot.element),
    views.numbers.element,
    ...(views.model ? [views.model.element] : []),
    views.case.element,
    views.copy.element,
    footer(data),
    card.element,
    announcer,
  );
  explainTerms(root, tree.kind);

  function repaint() {
    app.palette = paletteOf(root);
    views.tree.draw();
    views.plot.update();
    views.controls.update();
  }
  // A notebook puts the explorer into its page later: only then are the colours of the style known.
  new ResizeObserver(() => {
    if (paletteOf(root).ink !== app.palette.ink) repaint();
  }).observe(root);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", repaint);
  const onHash = () => {
    app.state = readHash(location.hash, data.start, tree);
    app.set({});
  };
  if (hash) addEventListener("hashchange", onHash);
  printInLight(root, () => {
    app.palette = paletteOf(root);
    views.tree.drawNow();
    views.plot.drawNow();
    views.controls.update();
  });
  repaint();
  update();
  return { app, views };
}

/** Paper is white: draw in the light theme while the page is printed. */
function printInLight(root, drawNow) {
  let theme;
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    drawNow();
  });
  addEventListener("afterprint", () => {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    drawNow();
  });
}

/** What a label is called: its class, or "not" the class of interest among more than two. */
function labelName({ tree, state }, label) {
  if (tree.nClasses <= 2 || state.mode === "matrix" || label === state.positive) return tree.classes[label];
  return `not ${tree.classes[state.positive]}`;
}

function keepAddress(state, start) {
  const text = writeHash(state, start);
  // Without anything to say the address is the page's own.
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

/** What is positive, in one sentence. */
function positives({ point, tree, state }) {
  const name = tree.classes[state.positive];
  if (tree.models) {
    const scores = Array.from(point.ranking.order).filter((line) => point.isPositive[line]).map((line) => point.ranking.scores[line]);
    if (scores.length === 0) return `No case is labelled ${name}.`;
    return `Cases with a probability of ${percent(scores.at(-1))} or more are labelled ${name}.`;
  }
  const n = tree.leaves.reduce((sum, node) => sum + Number(point.nodeLabels[node] === state.positive), 0);
  return `${n} of ${leafCount(tree, tree.leaves.length)} ${n === 1 ? "is" : "are"} labelled ${name}.`;
}

/** Where the tree stands, in two sentences. */
function summary(app) {
  const { point } = app;
  if (point.perClass) return `Expected cost ${(point.cost * 1000).toPrecision(4)} per 1000 cases.`;
  return `${positives(app)} Recall ${percent(point.rates.tpr)}, false positive rate ${percent(point.rates.fpr)}.`;
}

function header(app, repaint) {
  const { data, tree } = app;
  const sizes = [leafCount(tree, tree.leaves.length), `${grouped(Number(tree.total.toFixed(1)))} training cases`];
  if (tree.counts.test) sizes.push(`${grouped(data.n_test)} test cases`);
  const themes = ["auto", "light", "dark"];
  const names = { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };
  let theme = "auto";
  const button = element("button", { type: "button", class: "theme", on: { click: turn } }, names[theme]);
  function turn() {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    app.root.dataset.theme = theme;
    button.textContent = names[theme];
    repaint();
  }
  return element(
    "header",
    {},
    element("div", {}, element("h1", {}, data.title), element("p", {}, listed(sizes)), remarkOn(tree) ? element("p", { class: "remark" }, remarkOn(tree)) : null),
    button,
  );
}

function footer(data) {
  return element("footer", {}, data.made_by);
}
