// The pane beside the tree: six views of one operating point.

import { element, fill, help, sharpCanvas } from "./dom.js";
import { groupsAbove, linesOf } from "./labelling.js";
import { drawBenefit, drawCalibration, drawCost, drawGain, drawNear, pickCase, pickDot } from "./other-views.js";
import { isReachable, ratioWithin } from "./point.js";
import { areas, bandOf, drawRoc, pickCorner, pickSegment } from "./roc-view.js";
import { VIEWS } from "./state.js";

const NAMES = {
  roc: { tab: "ROC", title: "ROC curve", term: "roc", draw: drawRoc },
  cost: { tab: "Cost", title: "Cost curve", term: "cost_curve", draw: drawCost },
  gain: { tab: "Gain", title: "Precision-recall-gain", term: "gain", draw: drawGain },
  benefit: { tab: "Benefit", title: "Net benefit", term: "benefit", draw: drawBenefit },
  calibration: { tab: "Calibration", title: "Calibration of the leaves", term: "calibration", draw: drawCalibration },
  near: { tab: "Near cases", title: "Cases near the boundary", term: "near", draw: drawNear },
};

/** Make the pane; returns its element, `update` for a new state and `draw` for new light. */
export function makePlotView(app) {
  let frame = null;
  let asked = false;
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

  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawNow();
    });
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
    fill(title, `${NAMES[view].title} `, help(NAMES[view].term, NAMES[view].title));
    fill(caption, captionOf(app));
    canvas.setAttribute("aria-label", `${NAMES[view].title}. ${app.summary()} Arrow keys walk along the leaves, Enter labels them.`);
    draw();
  }

  const local = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointermove", (event) => {
    if (frame) app.light(pick(app, frame, ...local(event)));
  });
  canvas.addEventListener("pointerleave", () => app.light(null));
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
    element("div", { class: "head" }, title, element("div", { class: "tabs", role: "tablist", "aria-label": "Views of the operating point" }, tabs)),
    panel,
  );
  return { element: pane, canvas, draw, drawNow, update };
}

/** What is under the pointer, as leaves to be lit. */
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
  const lines = linesOf(app.point.order, group).filter((line) => node[line] >= 0);
  return lines.length === 0 ? null : { from: "plot", group, node: node[lines[0]], lines, place };
}

/** Arrows walk along the segments, Enter takes the labelling that ends there. */
function walk(event, app) {
  const { nGroups } = app.point.order;
  const here = app.lit?.group ?? (app.point.corner ?? 0) - 1;
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (step) {
    // Groups that no node has, as of cases that missing values divide, are passed over.
    let group = here + step;
    while (group > 0 && group < nGroups - 1 && litGroup(app, group, null) === null) group += step;
    app.light(litGroup(app, Math.min(nGroups - 1, Math.max(0, group)), null) ?? app.lit);
    if (app.lit) app.say(app.describe(app.lit.node));
  } else if (event.key === "Enter" && app.lit) goToCorner(app, here + 1);
  else return;
  event.preventDefault();
}

/** Go to the labelling of a corner of the curve that is shown. */
function goToCorner(app, corner) {
  goTo(app, groupsAbove(app.point.order, corner, app.point.ranking));
}

/** Make so many groups positive, by a ratio of costs for which that is best. */
export function goTo(app, wanted) {
  const { bounds } = app.point;
  const nGroups = nearestReachable(bounds, wanted);
  const ratio = ratioWithin(bounds, nGroups);
  const fp = app.state.cost_fp > 0 ? app.state.cost_fp : 1;
  // Rounded as far as the labelling allows.
  const round = Number((fp * ratio).toPrecision(3));
  const fits = round / fp > bounds[nGroups] && round / fp < bounds[nGroups + 1];
  app.set({ mode: "costs", cost_fp: fp, cost_fn: fits ? round : fp * ratio });
}

/** Pure leaves are not worth a miss at any cost: the nearest labelling that some costs make best. */
function nearestReachable(bounds, wanted) {
  let found = wanted;
  while (!isReachable(bounds, found) && bounds[found + 1] === 0) found++;
  while (!isReachable(bounds, found) && bounds[found] === Infinity) found--;
  return found;
}

function captionOf(app) {
  const { state, data } = app;
  const key = (name, text, term) =>
    element("span", { class: "key" }, element("i", { class: name }), text, term ? help(term, text) : null);
  if (state.view === "near") {
    const done = app.near.filter((each) => each !== undefined).length;
    return `${done} of ${app.data.cases.length} cases measured. Hollow dots are errors; click one to follow it through the tree.`;
  }
  if (state.view !== "roc") return "";
  const found = areas(app).map(({ name, auc }) =>
    element(
      "span",
      { class: "key" },
      `AUC ${app.tableName(name)} `,
      element("output", { data: { name: `auc_${name}`, value: String(auc) } }, Number.isFinite(auc) ? auc.toFixed(3) : "–"),
    ),
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
