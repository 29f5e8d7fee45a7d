// The pane beside the tree: six views of one operating point.

import { element, fill, help, oncePerFrame, sharpCanvas } from "./dom.js";
import { groupsAbove, linesOf } from "./labelling.js";
import { calibrationDots, drawBenefit, drawCalibration, drawCost, drawGain, drawNear, pickCase, pickDot, placeIn } from "./other-views.js";
import { isReachable, missWithin } from "./point.js";
import { areas, bandOf, drawRoc, pickCorner, pickSegment } from "./roc-view.js";
import { VIEWS } from "./state.js";
import { percent, short } from "./words.js";

const NAMES = {
  roc: { tab: "ROC", title: "Found against false alarms", term: "roc", draw: drawRoc },
  cost: { tab: "Cost", title: "Cost curve", term: "cost_curve", draw: drawCost },
  gain: { tab: "Gain", title: "Precision-recall-gain", term: "gain", draw: drawGain },
  benefit: { tab: "Benefit", title: "Net benefit", term: "benefit", draw: drawBenefit },
  calibration: { tab: "Calibration", title: "Calibration of the leaves", term: "calibration", draw: drawCalibration },
  near: { tab: "Near cases", title: "Cases near the boundary", term: "near", draw: drawNear },
};

/** Make the pane; returns its element, `update` for a new state and `draw` for new highlights. */
export function makePlotView(app) {
  let frame = null;
  const draw = oncePerFrame(drawNow);
  const surface = sharpCanvas({ class: "plot", tabindex: "0", role: "application", "aria-roledescription": "curve" }, paint);
  const { canvas, context, size } = surface;
  const hasDistances = app.tree.isHard && app.data.cases.length > 0;
  const available = VIEWS.filter((name) => name !== "near" || hasDistances);
  const tabs = available.map((name) =>
    element(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${app.id}-tab-${name}`,
        "aria-controls": `${app.id}-plot`,
        on: { click: () => app.set({ view: name }), keydown: (event) => turn(event, name) },
      },
      NAMES[name].tab,
    ),
  );
  const title = element("h2", {});
  const caption = element("p", { class: "legend" });
  const panel = element("div", { role: "tabpanel", id: `${app.id}-plot` }, canvas, caption);

  function turn(event, name) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = available[(available.indexOf(name) + step + available.length) % available.length];
    app.set({ view: next });
    tabs[available.indexOf(next)].focus();
    event.preventDefault();
  }

  function drawNow() {
    if (surface.resize()) paint();
  }

  function paint() {
    frame = NAMES[app.state.view].draw(context, size, app);
  }

  function update() {
    const { view } = app.state;
    tabs.forEach((tab, i) => {
      const chosen = available[i] === view;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${app.id}-tab-${view}`);
    fill(title, view === "roc" && app.point.perClass ? `${NAMES[view].title}, ${app.tree.classes[app.state.positive]} ` : `${NAMES[view].title} `, help(NAMES[view].term, NAMES[view].title));
    fill(caption, CAPTIONS[view](app));
    canvas.setAttribute("aria-label", `${NAMES[view].title}. ${app.summary()} Arrow keys walk along the leaves, Enter labels them.`);
    draw();
  }

  const local = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  for (const name of ["pointermove", "pointerdown"]) {
    canvas.addEventListener(name, (event) => frame && app.light(pick(app, frame, ...local(event))));
  }
  // Lifting a finger also fires this event; keep what is shown until the next touch.
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && app.light(null));
  canvas.addEventListener("click", (event) => {
    if (!frame) return;
    const [x, y] = local(event);
    if (app.state.view === "roc") goToCorner(app, pickCorner(frame, app, x, y));
    if (app.state.view === "near") {
      const found = pickCase(frame, app, x, y);
      if (found) app.set({ values: app.data.cases[found.number].values });
    }
  });
  canvas.addEventListener("keydown", (event) => walk(event, app));
  canvas.addEventListener("blur", () => app.light(null));

  const pane = element(
    "section",
    { class: "pane plot-pane", "aria-label": "Curves" },
    element("div", { class: "head" }, title, element("div", { class: "tabs expert", role: "tablist", "aria-label": "Views of the operating point" }, tabs)),
    panel,
  );
  return { element: pane, canvas, draw, drawNow, update };
}

/** The leaves under the pointer, to be highlighted. */
function pick(app, frame, x, y) {
  const { view } = app.state;
  const place = { x, y };
  if (view === "near") {
    const found = pickCase(frame, app, x, y);
    return found && { from: "near", number: found.number, node: found.node, lines: found.lines, place };
  }
  if (view === "calibration") {
    const lines = pickDot(frame, app, x, y);
    return lines && { from: "plot", node: app.tree.lines.node[lines[0]], lines, place };
  }
  if (view !== "roc") return null;
  return litGroup(app, pickSegment(frame, app, x, y), place);
}

function litGroup(app, group, place) {
  if (group === null) return null;
  const { node } = app.tree.lines;
  const all = linesOf(app.point.order, group);
  const lines = all.filter((line) => node[line] >= 0);
  if (lines.length > 0) return { from: "plot", group, node: node[lines[0]], lines, place };
  // Cases between leaves are shown at the leaf that most of them is in.
  const at = app.tree.lines.place[all[0]];
  return at < 0 ? null : { from: "plot", group, node: at, lines: all, place };
}

/** Arrow keys move along the segments, Enter selects the labelling that ends there. */
function walk(event, app) {
  const { nGroups } = app.point.order;
  const here = app.lit?.group ?? (app.point.corner ?? 0) - 1;
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (step) {
    // Skip groups without a node, such as cases divided by missing values.
    let group = here + step;
    while (group > 0 && group < nGroups - 1 && litGroup(app, group, null) === null) group += step;
    app.light(litGroup(app, Math.min(nGroups - 1, Math.max(0, group)), null) ?? app.lit);
    if (app.lit) app.say(app.describe(app.lit.node));
  } else if (event.key === "Enter" && app.lit) goToCorner(app, here + 1);
  else return;
  event.preventDefault();
}

/** Go to the labelling of a corner of the displayed curve. */
function goToCorner(app, corner) {
  goTo(app, groupsAbove(app.point.order, corner, app.point.ranking));
}

/** Make a number of groups positive, by a cost ratio for which that is optimal. */
export function goTo(app, wanted) {
  const { bounds } = app.point;
  const nGroups = nearestReachable(bounds, wanted);
  const fp = app.state.cost_fp > 0 ? app.state.cost_fp : 1;
  app.set({ mode: "costs", cost_fp: fp, cost_fn: missWithin(bounds, nGroups, fp) });
}

/** Labels of pure leaves do not depend on costs: the nearest labelling that is optimal for some costs. */
function nearestReachable(bounds, wanted) {
  let found = wanted;
  while (!isReachable(bounds, found) && bounds[found + 1] === 0) found++;
  while (!isReachable(bounds, found) && bounds[found] === Infinity) found--;
  return found;
}

/** An entry of the legend. */
function key(name, text, term) {
  return element("span", { class: "key" }, element("i", { class: name }), text, term ? help(term, text) : null);
}

/** A number of the operating point. */
function figure(text, name, value, shown) {
  return element("span", { class: "key" }, `${text} `, element("output", { data: { name, value: String(value) } }, shown));
}

const CAPTIONS = { roc: rocCaption, cost: costCaption, gain: gainCaption, benefit: benefitCaption, calibration: calibrationCaption, near: nearCaption };

function rocCaption(app) {
  const { state, data } = app;
  if (!app.root.classList.contains("more")) {
    const part = app.tree.hasAnswers ? "answer" : app.tree.cells ? "cell" : app.tree.lines.scores ? "probability" : "leaf";
    return `A segment per ${part}: click to go there.${bandOf(data, state) ? " Shaded: 95\u00a0% band." : ""}`;
  }
  const found = areas(app).map(({ name, auc }) =>
    figure(`AUC ${app.tableName(name)}`, `auc_${name}`, auc, Number.isFinite(auc) ? auc.toFixed(3) : "–"),
  );
  return [
    ...found,
    help("auc", "AUC"),
    key("hull", "hull", "hull"),
    state.mode === "costs" ? key("isocost", "equal cost", "isocost") : null,
    bandOf(data, state) ? key("band", "95 % band", "band") : null,
    app.tree.counts.test
      ? key("other", state.on === "test" ? "training cases" : "test cases")
      : null,
  ];
}

function costCaption(app) {
  const { y } = placeIn("cost", app);
  return [
    figure("cost here", "normalised_cost", y, short(y, 3)),
    key("now", "this labelling"),
    key("best", "the optimal one for each weight"),
    key("each", "all others"),
    key("other", "everything or nothing positive"),
  ];
}

function gainCaption(app) {
  const place = placeIn("gain", app);
  if (place === null) return "The operating point lies outside: its recall is below the share of the class.";
  return [
    figure("recall gain here", "recall_gain", place.x, short(place.x, 3)),
    figure("precision gain", "precision_gain", place.y, short(place.y, 3)),
    key("best", "all labellings"),
    key("equal", "no better than calling everything positive"),
  ];
}

function benefitCaption(app) {
  const { x, y } = placeIn("benefit", app);
  return [
    figure("threshold here", "threshold", x, percent(x)),
    figure("net benefit", "net_benefit", y, short(y, 3)),
    key("best", "using the tree"),
    key("other", "treating everyone"),
  ];
}

function calibrationCaption(app) {
  const what = app.tree.hasAnswers ? "a tenth of the cases" : app.tree.cells ? "a cell" : "a leaf";
  const dots = calibrationDots(app);
  const all = dots.reduce((sum, { total }) => sum + total, 0);
  const expected = dots.reduce((sum, { x, total }) => sum + x * total, 0) / all;
  const found = dots.reduce((sum, { count }) => sum + count, 0) / all;
  return [
    figure("mean prediction", "mean_probability", expected, percent(expected)),
    figure("happened", "mean_share", found, percent(found)),
    `Each dot is ${what}, larger for more cases; lines are 95\u00a0% intervals.`,
  ];
}

function nearCaption({ near, data }) {
  const done = near.filter((each) => each !== undefined).length;
  return `${done} of ${data.cases.length} cases measured. Hollow dots are errors; click one to follow it through the tree.`;
}
