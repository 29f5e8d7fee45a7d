// The explorer: one state, one operating point, and views that show them.

import { makeBar } from "./bar.js";
import { makeCard, describeNode } from "./card.js";
import { makeCaseView, measureCases } from "./case-view.js";
import { makeCellMap } from "./cell-map.js";
import { paletteOf } from "./colour.js";
import { makeControls } from "./controls.js";
import { makeCopyView } from "./copy-view.js";
import { element, explainTerms } from "./dom.js";
import { dotsOf } from "./dots.js";
import { makeLeafTable } from "./leaf-table.js";
import { lettersOf } from "./letters.js";
import { makeMeeting } from "./meeting.js";
import { makeModelView } from "./model-view.js";
import { makeNumbersView } from "./numbers-view.js";
import { makePlotView } from "./plot-view.js";
import { makePointsView } from "./points-view.js";
import { makeMemory, pointAt } from "./point.js";
import { makeSentence } from "./sentence.js";
import { makeAddress, readHash } from "./state.js";
import { followTheme } from "./theme.js";
import { makeTreeView } from "./tree-view.js";
import { openTree } from "./tree.js";
import { grouped, leafCount, listed, percent, remarkOn } from "./words.js";
import { makeYardsticks } from "./yardsticks.js";

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
    before: null,
    histograms: new Map(data.histograms.map((each) => [each.node, each])),
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
  const gestures = makeGestures(app);
  app.beginGesture = gestures.begin;
  app.endGesture = gestures.end;
  app.set = (patch, { isMoving = false } = {}) => {
    const isNew = gestures.note();
    app.state = { ...app.state, ...patch };
    renew();
    address?.keep(app.state, isNew);
    update(isMoving);
  };
  app.undo = () => {
    const state = gestures.back();
    if (state) app.set(state);
  };

  /** Compute the point of the state, and what is drawn of it. */
  function renew() {
    const before = app.point;
    app.point = pointAt(tree, app.memory, app.state);
    keepLabels(before, app.point);
    const { on, by, positive, prior, priors } = app.state;
    const key = JSON.stringify([on, by, positive, app.point.perClass ? priors : prior, app.point.perClass]);
    if (app.dots?.key !== key) app.dots = { ...dotsOf(tree, app.point), key };
    if (app.letters?.positive !== positive) app.letters = Object.assign(lettersOf(tree, positive), { positive });
  }
  root.classList.add("roctree");
  const theme = followTheme(root, { around, signal, repaint });
  renew();
  app.palette = paletteOf(root);

  const announcer = element("div", { class: "unseen", "aria-live": "polite" });
  app.say = (text) => (announcer.textContent = text);
  const more = makeMore(root, () => {
    update();
    repaint();
  });
  let shownLabels = [];
  const meeting = makeMeeting(app);
  const views = {
    meeting,
    yardsticks: makeYardsticks(app),
    sentence: makeSentence(app),
    bar: makeBar(app, [more.button, meeting.button, ...historyButtons(app)]),
    controls: makeControls(app),
    tree: makeTreeView(app),
    plot: makePlotView(app),
    ...(tree.models ? { model: makeModelView(app) } : {}),
    ...(tree.points ? { points: makePointsView(app) } : {}),
    ...(tree.cells ? { map: makeCellMap(app) } : {}),
    leaves: makeLeafTable(app),
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
    const panes = { tree: views.tree, map: views.map };
    card.show(lit?.from === "table" ? null : lit, (panes[lit?.from] ?? views.plot).canvas);
    if (same) return;
    views.tree.draw();
    views.plot.draw();
    views.map?.draw();
  };

  const later = makeLater();

  /** Show the state: at once what is in view while the slider moves, the rest as soon as it rests. */
  function update(isMoving = false) {
    // The case first: the other views show its path.
    views.case.update();
    views.sentence.update();
    views.bar.update();
    const labels = [app.point.lineLabels, app.dots, app.letters, app.path, app.palette, app.state.view, root.className];
    const isSame = shownLabels.length > 0 && labels.every((each, i) => each === shownLabels[i]);
    if (!isSame) views.tree.draw();
    if (!isSame || root.classList.contains("more") || app.state.view !== "roc") views.plot.update();
    shownLabels = labels;
    later.run(rest, isMoving);
  }

  function rest() {
    for (const name of ["tree", "yardsticks", "meeting", "leaves", "model", "points", "map"]) views[name]?.update();
    if (root.classList.contains("more")) for (const name of ["controls", "numbers", "copy"]) views[name].update();
    if (app.state.view === "near") measureCases(app, views.plot.update);
    app.say(app.summary());
  }

  // A single leaf with a model has no tree worth a picture, and cells are seen best on their map.
  const isOneModel = tree.models !== null && tree.leaves.length === 1;
  const first = isOneModel ? views.model : (views.map ?? views.tree);
  root.replaceChildren(
    header(app, views.sentence.element),
    views.bar.element,
    views.controls.element,
    element("div", { class: "panes" }, first.element, element("div", { class: "side" }, views.plot.element, views.yardsticks.element)),
    ...(views.map ? [views.tree.element] : []),
    ...(views.points ? [views.points.element] : []),
    meeting.element,
    views.leaves.element,
    views.numbers.element,
    ...(views.model && !isOneModel ? [views.model.element] : []),
    views.case.element,
    views.copy.element,
    element("footer", {}, data.made_by, hash ? " Works offline, without a server." : null),
    // After everything else for the keyboard, though it stands at the top.
    theme.button,
    card.element,
    announcer,
  );
  explainTerms(root, tree.kind);

  function repaint() {
    app.palette = paletteOf(root);
    views.tree.draw();
    views.plot.update();
    views.bar.update();
    views.model?.draw();
    views.points?.draw();
    views.map?.draw();
  }
  const onHash = () => {
    app.state = readHash(location.hash, data.start, tree);
    renew();
    update();
  };
  if (hash) addEventListener("hashchange", onHash, { signal });
  root.addEventListener("keydown", (event) => event.key === "Escape" && app.light(null));
  root.addEventListener("pointerdown", (event) => event.target.tagName !== "CANVAS" && app.light(null));
  theme.whilePrinting(() => {
    app.palette = paletteOf(root);
    views.tree.drawNow();
    views.plot.drawNow();
    views.bar.update();
  });
  repaint();
  update();
  return { app, views, close: () => closing.abort() };
}

/** Let a point share the labels of the one before if they are the same, so that views see that nothing changed. */
function keepLabels(before, point) {
  if (!before || before.on !== point.on || before.table !== point.table || before.state.positive !== point.state.positive) return;
  if (before.perClass !== point.perClass || before.lineLabels.some((label, line) => label !== point.lineLabels[line])) return;
  const { lineLabels, labels, nodeLabels, called, isPositive } = before;
  Object.assign(point, { lineLabels, labels, nodeLabels, called, isPositive });
}

/** The name of a label: its class, "undecided", or "not" the class of interest with more than two classes. */
function labelName({ tree, state }, label) {
  if (label === tree.nClasses) return "undecided";
  if (tree.nClasses <= 2 || state.mode === "matrix" || label === state.positive) return tree.classes[label];
  return `not ${tree.classes[state.positive]}`;
}

/** What is positive, in one sentence. */
function positives({ point, tree, state }) {
  const name = tree.classes[state.positive];
  const left = point.reject === null ? "" : ` ${percent(point.rates.undecided)} of the cases are left undecided.`;
  if (tree.hasAnswers) {
    const scores = Array.from(point.ranking.order).filter((line) => point.isPositive[line]).map((line) => point.ranking.scores[line]);
    if (scores.length === 0) return `No case is labelled ${name}.${left}`;
    return `Cases with a probability of ${percent(scores.at(-1))} or more are labelled ${name}.${left}`;
  }
  const n = tree.leaves.reduce((sum, node) => sum + Number(point.nodeLabels[node] === state.positive), 0);
  return `${grouped(n)} of ${leafCount(tree, tree.leaves.length)} ${n === 1 ? "is" : "are"} labelled ${name}.${left}`;
}

/** The operating point in two sentences. */
function summary(app) {
  const { point } = app;
  if (point.perClass) return `Expected cost ${(point.cost * 1000).toPrecision(4)} per 1000 cases.`;
  return `${positives(app)} Recall ${percent(point.rates.tpr)}, false positive rate ${percent(point.rates.fpr)}.`;
}

function header({ data, tree }, sentence) {
  const sizes = [leafCount(tree, tree.leaves.length), `${grouped(Number(tree.total.toFixed(1)))} training cases`];
  if (tree.counts.test) sizes.push(`${grouped(data.n_test)} test cases`);
  const undecided = data.undecided && element("p", { class: "remark" }, data.undecided);
  const remark = remarkOn(tree) && element("p", { class: "remark expert" }, remarkOn(tree));
  return element(
    "header",
    {},
    element("div", { class: "title" }, element("h1", {}, data.title), element("p", {}, listed(sizes))),
    sentence,
    undecided,
    remark,
  );
}

/** The button that shows and hides everything that is not for first sight. */
function makeMore(root, onTurn) {
  const button = element("button", { type: "button", class: "more-button", "aria-expanded": "false", on: { click: turn } }, "More");
  function turn() {
    const open = root.classList.toggle("more");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Less" : "More";
    onTurn();
  }
  return { button };
}

function historyButtons(app) {
  return [
    element("button", { type: "button", class: "spare", on: { click: () => app.undo() } }, "Undo"),
    element("button", { type: "button", class: "spare", on: { click: () => app.set({ ...app.data.start }) } }, "Reset"),
  ];
}

const PAUSE_OF_SLIDER = 100;

/** Runs a function at once, or, while a slider moves, when it pauses. */
function makeLater() {
  let timer = null;
  return {
    run(action, isMoving) {
      clearTimeout(timer);
      if (isMoving) timer = setTimeout(action, PAUSE_OF_SLIDER);
      else action();
    },
  };
}

// Changes that follow each other faster than this belong together.
const PAUSE = 700;

/** Group changes: a drag, or keys in quick succession, are one gesture, which the page compares and undoes. */
function makeGestures(app) {
  const states = [];
  let held = false;
  let last = -Infinity;
  let undoing = false;
  /** Note a change; returns whether it begins a gesture. */
  function note() {
    const now = performance.now();
    const begins = held ? last === -Infinity : now - last > PAUSE;
    if (begins) {
      app.before = app.point;
      if (!undoing) states.push(app.state);
    }
    last = now;
    undoing = false;
    return begins;
  }
  function begin() {
    held = true;
    last = -Infinity;
  }
  function end() {
    held = false;
    last = -Infinity;
  }
  function back() {
    undoing = true;
    last = -Infinity;
    return states.pop();
  }
  return { note, begin, end, back };
}
