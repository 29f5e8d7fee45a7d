// The bar that stays in view: the slider, what it costs and finds, and what has just changed.

import { costInterval } from "./change.js";
import { element, fill, help, sharpCanvas } from "./dom.js";
import { limitWords } from "./limits.js";
import { goTo } from "./plot-view.js";
import { isReachable, ratioWithin } from "./point.js";
import { changeWords, PER, perThousand } from "./sentence.js";
import { grouped, short } from "./words.js";

const STEPS = 1000;

/** Make the bar; `buttons` stand at its end. Returns its element and `update`. */
export function makeBar(app, buttons) {
  const slider = makeSlider(app);
  const figures = makeFigures(app);
  const news = element("p", { class: "news" });
  const bar = element(
    "section",
    { class: "bar", "aria-label": "Decision" },
    slider.element,
    figures.element,
    element("div", { class: "bar-buttons" }, buttons),
    news,
  );
  function update() {
    slider.update();
    figures.show();
    fill(news, limitWords(app) ?? changeWords(app));
  }
  return { element: bar, update };
}

/** The figures of a kind of point, made once; `show` writes the numbers of a point into them. */
function makeFigures(app) {
  const cost = figure("cost", `Cost per ${grouped(PER)}`, "bar_cost", help("cost", "the cost"));
  const sides = {
    found: figure("ours", "Found", "found"),
    missed: figure("ours", "Missed", "missed"),
    alarms: figure("theirs", "False alarms", "alarms"),
  };
  const left = figure("", "Undecided", "bar_undecided");
  const classes = { right: figure("", "Right", "right"), wrong: figure("", "Wrong", "wrong") };
  const list = element("dl", { class: "figures" }, [cost, ...Object.values(sides), ...Object.values(classes), left].map((each) => each.element));
  function show() {
    const { point, state, tree } = app;
    const isKnown = !point.perClass && Number.isFinite(point.cost);
    cost.show(point.cost * PER, `${grouped(short(point.cost * PER, 3))} ${state.unit}`.trim(), isKnown ? costRange(point) : "");
    const { all, found, missed, alarms, undecided: ofTwo } = perThousand(point);
    const right = Math.round(point.right * PER);
    const undecided = point.perClass ? Math.round(point.undecided * PER) : ofTwo;
    for (const each of Object.values(sides)) each.element.hidden = point.perClass;
    for (const each of Object.values(classes)) each.element.hidden = !point.perClass;
    sides.found.show(found, grouped(found), ` of ${grouped(all)} ${tree.classes[state.positive]}`);
    sides.missed.show(missed, grouped(missed));
    sides.alarms.show(alarms, grouped(alarms));
    classes.right.show(right, grouped(right));
    classes.wrong.show(PER - right - undecided, grouped(PER - right - undecided));
    left.element.hidden = point.reject === null;
    left.show(undecided, grouped(undecided));
  }
  return { element: list, show };
}

/** The 95 % interval of the cost, by which it would vary with other cases. */
function costRange(point) {
  const { low, high } = costInterval(point);
  return ` ${grouped(short(low * PER, 2))}–${grouped(short(high * PER, 2))}`;
}

function figure(className, title, name, question = null) {
  const output = element("output", { data: { name } });
  const remark = element("small", {});
  const box = element("div", { class: className }, element("dt", {}, title, question), element("dd", {}, output, remark));
  function show(value, text, after = "") {
    output.dataset.value = String(value);
    if (output.textContent !== text) output.textContent = text;
    if (remark.textContent !== after) remark.textContent = after;
  }
  return { element: box, show };
}

function makeSlider(app) {
  const slider = element("input", {
    id: `${app.id}-ratio`,
    type: "range",
    min: "0",
    max: String(STEPS),
    step: "1",
    on: {
      input: () => slide(app, slider),
      pointerdown: app.beginGesture,
      pointerup: app.endGesture,
      pointercancel: app.endGesture,
    },
  });
  const shownRatio = element("output", { for: slider.id, class: "ratio" });
  const strip = makeStrip(app);
  const turn = (text, name, step) =>
    element("button", { type: "button", "aria-label": name, title: name, on: { click: () => goTo(app, app.point.nGroups + step) } }, text);
  const less = turn("◀", "One step back", -1);
  const more = turn("▶", "One step further", 1);
  const label = element("label", { for: slider.id });
  const ends = element("div", { class: "ends" }, element("span", {}, "fewer false alarms"), element("span", {}, "fewer missed"));
  const block = element(
    "div",
    { class: "slide" },
    element("div", { class: "slide-head" }, label, shownRatio, help("ratio", "this slider")),
    element("div", { class: "slide-row" }, less, element("div", { class: "track" }, slider, strip.canvas, ends), more),
  );
  const instead = makeClassSliders(app);
  const whole = element("div", { class: "slide-slot" }, block, instead.element);
  function update() {
    const { point, state } = app;
    block.hidden = point.perClass;
    instead.element.hidden = !point.perClass;
    if (point.perClass) {
      instead.update();
      return;
    }
    const ratio = ratioOf(app);
    const { low, high } = ratioRange(app);
    slider.value = String(Math.round(STEPS * place(ratio, low, high)));
    label.textContent = state.mode === "costs" ? "Drag: missing one is as bad as " : "This is as if missing one were as bad as ";
    const shown = short(ratio, 2 + Number(ratio >= 100));
    shownRatio.textContent = `${shown} false alarm${shown === "1" ? "" : "s"}`;
    slider.setAttribute("aria-valuetext", shownRatio.textContent);
    const { nGroups, bounds } = point;
    less.disabled = nGroups === null || !isReachable(bounds, nGroups - 1);
    more.disabled = nGroups === null || !isReachable(bounds, nGroups + 1);
    strip.draw();
  }
  return { element: whole, update };
}

// More classes share one slider, and a list to choose among them.
const MAX_SLIDERS = 4;
const CLASS_RANGE = [0.1, 10];

/** With a cost matrix: what missing a case of each class costs, and buttons for one class against the rest. */
function makeClassSliders(app) {
  const { classes } = app.tree;
  const few = classes.length <= MAX_SLIDERS;
  const chosen = element(
    "select",
    { "aria-label": "Class of the slider", on: { change: update } },
    few ? null : classes.map((name, c) => element("option", { value: String(c) }, name)),
  );
  const sliders = (few ? classes : [null]).map((name, i) => makeClassSlider(app, i, name, () => (few ? i : Number(chosen.value))));
  const block = element(
    "div",
    { class: "slide class-slides" },
    element("p", { class: "slide-head" }, few ? "Drag: what does missing one cost?" : "Drag: what does missing one of this class cost? ", few ? null : chosen),
    element("div", { class: "class-sliders" }, sliders.map((each) => each.element)),
    element("div", { class: "one-class" }, "Or one class against the rest: ", classes.slice(0, 8).map((name, positive) => oneClass(app, name, positive))),
  );
  function update() {
    for (const each of sliders) each.update();
  }
  return { element: block, update };
}

function makeClassSlider(app, number, name, ownClass) {
  const slider = element("input", {
    id: `${app.id}-miss-${number}`,
    type: "range",
    min: "0",
    max: String(STEPS),
    step: "1",
    on: { input: slideClass, pointerdown: app.beginGesture, pointerup: app.endGesture, pointercancel: app.endGesture },
  });
  const value = element("output", { for: slider.id });
  const title = element("span", {}, name ?? "");
  const range = () => {
    const cost = missCost(app.state.matrix, ownClass());
    return cost > 0 ? [Math.min(CLASS_RANGE[0], cost), Math.max(CLASS_RANGE[1], cost)] : CLASS_RANGE;
  };
  function slideClass() {
    const [low, high] = range();
    const cost = Number((low * (high / low) ** (Number(slider.value) / STEPS)).toPrecision(2));
    app.set({ matrix: withMissCost(app.state.matrix, ownClass(), cost) }, { isMoving: true });
  }
  function update() {
    const cost = missCost(app.state.matrix, ownClass());
    slider.value = String(Math.round(STEPS * place(Math.max(cost, 1e-9), ...range())));
    title.textContent = app.tree.classes[ownClass()];
    value.textContent = short(cost, 3);
    slider.setAttribute("aria-valuetext", `missing ${title.textContent} costs ${value.textContent}`);
  }
  return { element: element("div", { class: "class-slider" }, element("label", { for: slider.id }, title, " ", value), slider), update };
}

/** The mean cost of calling a case of a class something else. */
function missCost(matrix, truth) {
  const costs = matrix.map((row) => row[truth]).filter((_, predicted) => predicted !== truth);
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

/** The costs with another mean cost of missing a class: in proportion, or equal if all were nothing. */
function withMissCost(matrix, truth, cost) {
  const before = missCost(matrix, truth);
  const scaled = (old) => Number((before > 0 ? (old * cost) / before : cost).toPrecision(4));
  return matrix.map((row, predicted) => row.map((old, column) => (column === truth && predicted !== truth ? scaled(old) : old)));
}

/** A button that turns to one class against the rest. */
function oneClass(app, name, positive) {
  return element("button", { type: "button", class: "small", on: { click: () => app.set({ mode: "costs", positive, prior: null }) } }, name);
}

/** The cost ratio of the point: that of the costs, or one that leads to the same leaves. */
function ratioOf({ state, point }) {
  if (state.mode === "costs" || point.nGroups === null) return state.cost_fn / state.cost_fp;
  return ratioWithin(point.bounds, point.nGroups);
}

/** The range of the slider: all ratios where labels change, and at least 1 : 100 to 100 : 1. */
function ratioRange({ point }) {
  let [low, high] = [0.01, 100];
  for (const bound of point.bounds) {
    if (bound > 0 && bound < Infinity) {
      low = Math.min(low, bound / 2);
      high = Math.max(high, bound * 2);
    }
  }
  return { low: Math.max(low, 1e-4), high: Math.min(high, 1e4) };
}

function place(ratio, low, high) {
  return Math.min(1, Math.max(0, Math.log(ratio / low) / Math.log(high / low)));
}

function slide(app, slider) {
  const { low, high } = ratioRange(app);
  const ratio = low * (high / low) ** (Number(slider.value) / STEPS);
  const fp = app.state.cost_fp > 0 ? app.state.cost_fp : 1;
  app.set({ mode: "costs", cost_fp: fp, cost_fn: Number((fp * ratio).toPrecision(3)) }, { isMoving: true });
}

/** Segments of the slider's range, one per labelling. */
function makeStrip(app) {
  const surface = sharpCanvas({ class: "strip", role: "img", "aria-label": "Where leaves flip along the slider" }, paint);
  const { canvas, context, size } = surface;
  const bounds = () => app.point.bounds;
  function paint() {
    const { palette, point } = app;
    const { low, high } = ratioRange(app);
    const x = (ratio) => place(ratio, low, high) * size.width;
    context.clearRect(0, 0, size.width, size.height);
    for (let g = 0; g < bounds().length - 1; g++) {
      const [from, to] = [x(bounds()[g]), x(bounds()[g + 1])];
      if (to - from < 0.3) continue;
      context.fillStyle = g === point.nGroups ? palette.accent : g % 2 === 0 ? palette.branch : palette.faint;
      context.fillRect(from, 1, to - from, size.height - 2);
      context.fillStyle = palette.panel;
      if (to - from > 3) context.fillRect(to - 0.5, 1, 1, size.height - 2);
    }
  }
  canvas.addEventListener("click", (event) => {
    const { low, high } = ratioRange(app);
    const part = (event.clientX - canvas.getBoundingClientRect().left) / size.width;
    const ratio = low * (high / low) ** part;
    let nGroups = bounds().findIndex((bound, g) => g > 0 && bound >= ratio) - 1;
    if (nGroups < 0) nGroups = bounds().length - 2;
    goTo(app, nGroups);
  });
  return { canvas, draw: () => surface.resize() && paint() };
}
