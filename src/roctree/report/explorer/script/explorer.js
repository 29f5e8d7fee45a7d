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
import { makeAddress, readHash } from "./state.js";
import { followTheme } from "./theme.js";
import { makeTreeView } from "./tree-view.js";
import { openTree } from "./tree.js";
import { grouped, leafCount, listed, percent, remarkOn } from "./words.js";

const TABLES = { smoothed: "tree's probabilities", training: "training cases", test: "test cases" };
// Notebooks load the script once per widget, so the counter of widgets is kept in the window.
const COUNTER = Symbol.for("roctree explorers");

/**
 * Show a data document inside an element. With `hash` the state is kept in the page's address; with
 * `around` the theme follows the surrounding page. The result has `close`, to be called on removal.
 */
export function mount(root, data, { hash = false, around = false } = {}) {
  const tree = openTree(data);
  const address = hash ? makeAddress(data.start) : null;
  const closing = new AbortController();
  const { signal } = closing;
  window[COUNTER] = (window[COUNTER] ?? -1) + 1;
  const app = {
    id: `roctree-${window[COUNTER]}`,
    root,
    data,
    tree,
    memory: makeMemory(tree),
    lit: null,
    path: null,
    near: [],
    state: hash ? readHash(location.hash, data.start, tree) : { ...data.start },
    tableName: (name) => TABLES[name],
    link: hash ? () => address.of(app.state) : null,
    // Inside a shadow tree, document.activeElement is only the host.
    focused: () => root.getRootNode().activeElement,
  };
  app.labelName = (label) => labelName(app, label);
  app.describe = (node) => describeNode(app, node);
  app.summary = () => summary(app);
  app.positives = () => positives(app);
  app.set = (patch) => {
    app.state = { ...app.state, ...patch };
    app.point = pointAt(tree, app.memory, app.state);
    address?.keep(app.state);
    update();
  };
  root.classList.add("roctree");
  const theme = followTheme(root, { around, signal, repaint });
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
    // The case first: the other views show its path.
    views.case.update();
    for (const view of Object.values(views)) if (view !== views.case) view.update?.();
    views.tree.draw();
    if (app.state.view === "near") measureCases(app, views.plot.update);
    app.say(app.summary());
  }

  root.replaceChildren(
    header(app, theme.button),
    views.controls.element,
    element("div", { class: "panes" }, views.tree.element, views.plot.element),
    views.numbers.element,
    ...(views.model ? [views.model.element] : []),
    views.case.element,
    views.copy.element,
    element("footer", {}, data.made_by, hash ? " Works offline, without a server." : null),
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
  const onHash = () => {
    app.state = readHash(location.hash, data.start, tree);
    app.set({});
  };
  if (hash) addEventListener("hashchange", onHash, { signal });
  root.addEventListener("keydown", (event) => event.key === "Escape" && app.light(null));
  root.addEventListener("pointerdown", (event) => event.target.tagName !== "CANVAS" && app.light(null));
  theme.whilePrinting(() => {
    app.palette = paletteOf(root);
    views.tree.drawNow();
    views.plot.drawNow();
    views.controls.update();
  });
  repaint();
  update();
  return { app, views, close: () => closing.abort() };
}

/** The name of a label: its class, or "not" the class of interest with more than two classes. */
function labelName({ tree, state }, label) {
  if (tree.nClasses <= 2 || state.mode === "matrix" || label === state.positive) return tree.classes[label];
  return `not ${tree.classes[state.positive]}`;
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
  return `${grouped(n)} of ${leafCount(tree, tree.leaves.length)} ${n === 1 ? "is" : "are"} labelled ${name}.`;
}

/** The operating point in two sentences. */
function summary(app) {
  const { point } = app;
  if (point.perClass) return `Expected cost ${(point.cost * 1000).toPrecision(4)} per 1000 cases.`;
  return `${positives(app)} Recall ${percent(point.rates.tpr)}, false positive rate ${percent(point.rates.fpr)}.`;
}

function header({ data, tree }, themeButton) {
  const sizes = [leafCount(tree, tree.leaves.length), `${grouped(Number(tree.total.toFixed(1)))} training cases`];
  if (tree.counts.test) sizes.push(`${grouped(data.n_test)} test cases`);
  const remark = remarkOn(tree) && element("p", { class: "remark" }, remarkOn(tree));
  return element(
    "header",
    {},
    element("div", {}, element("h1", {}, data.title), element("p", {}, listed(sizes)), remark),
    themeButton,
  );
}
