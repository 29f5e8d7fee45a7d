// Controls for costs, priors, rates, and the counts that determine the labels.

import { element, fill, help, sharpCanvas } from "./dom.js";
import { makeNumberField } from "./number-field.js";
import { goTo } from "./plot-view.js";
import { isReachable, usesMatrix } from "./point.js";
import { readNumber, short } from "./words.js";

const STEPS = 1000;

/** Make the section; returns its element and `update`. */
export function makeControls(app) {
  const parts = [whose(app)];
  if (app.tree.nClasses > 2) parts.push(howMany(app), costMatrix(app));
  parts.push(costs(app), rates(app));
  const section = element("section", { class: "controls", "aria-label": "Operating point" }, parts.map((part) => part.element));
  return { element: section, update: () => parts.forEach((part) => part.update()) };
}

function labelled(text, term, control, className = "") {
  return element("div", { class: `control ${className}` }, element("label", { for: control.id }, text), help(term, `“${text}”`), control);
}

function labelledNumber(text, term, { field, note }, className = "") {
  const whole = labelled(text, term, field, className);
  whole.append(note);
  return whole;
}

function choice(app, id, options, patch) {
  const select = element(
    "select",
    { id: `${app.id}-${id}`, on: { change: () => app.set(patch(select.value)) } },
    options.map(([value, text]) => element("option", { value: String(value) }, text)),
  );
  return select;
}

/** Class of interest, the counts that determine labels, and the cases that numbers are counted on. */
function whose(app) {
  const { tree } = app;
  const tables = ["smoothed", "training", "test"].filter((name) => name === "smoothed" || tree.counts[name]);
  const named = tables.map((name) => [name, app.tableName(name)]);
  const classes = tree.classes.map((name, i) => [i, name]);
  const positive = choice(app, "positive", classes, (value) => withInterest(app.state, tree, Number(value)));
  const by = choice(app, "by", named, (value) => ({ by: value }));
  const on = choice(app, "on", named, (value) => ({ on: value }));
  const row = element(
    "div",
    { class: "row" },
    labelled("Class of interest", "positive", positive),
    labelled("Leaves judged by", "by", by),
    labelled("Numbers counted on", "on", on),
  );
  function update() {
    positive.value = String(app.state.positive);
    by.value = app.state.by;
    on.value = app.state.on;
  }
  return { element: row, update };
}

/** Switch the class of interest; with two classes, priors and costs are kept. */
function withInterest({ cost_fp, cost_fn, prior }, { nClasses }, positive) {
  if (nClasses > 2) return { positive, prior: null };
  const others = prior === null ? null : Number((1 - prior).toPrecision(12));
  return { positive, cost_fp: cost_fn, cost_fn: cost_fp, prior: others };
}

/** Both costs, the slider between them, and the strip of labellings. */
function costs(app) {
  const cost = (id, key, other) =>
    makeNumberField(app, id, {
      fits: (v) => v >= 0 && v + app.state[other] > 0,
      wanted: "Enter a cost such as 2500 or 2.5; one of the two must be above 0.",
      onValue: (v) => app.set({ mode: "costs", [key]: v }),
    });
  const fp = cost("cost-fp", "cost_fp", "cost_fn");
  const fn = cost("cost-fn", "cost_fn", "cost_fp");
  const unit = element("input", {
    id: `${app.id}-unit`,
    type: "text",
    size: "4",
    maxlength: "20",
    placeholder: "€",
    on: { input: () => app.set({ unit: unit.value }) },
  });
  const slider = element("input", {
    id: `${app.id}-ratio`,
    type: "range",
    min: "0",
    max: String(STEPS),
    step: "1",
    on: { input: () => slide(app, slider) },
  });
  const said = element("output", { for: slider.id, class: "said" });
  const strip = makeStrip(app);
  const less = element("button", { type: "button", "aria-label": "One labelling back", title: "One labelling back", on: { click: () => goTo(app, app.point.nGroups - 1) } }, "◀");
  const more = element("button", { type: "button", "aria-label": "One labelling further", title: "One labelling further", on: { click: () => goTo(app, app.point.nGroups + 1) } }, "▶");
  const section = element(
    "fieldset",
    { class: "costs" },
    element("legend", {}, "Costs of errors ", help("costs", "the cost of an error")),
    element(
      "div",
      { class: "row" },
      labelledNumber("A false alarm costs", "cost_fp", fp),
      labelledNumber("A missed case costs", "cost_fn", fn),
      labelled("Unit", "costs", unit, "narrow"),
    ),
    element(
      "div",
      { class: "slide" },
      element("div", { class: "slide-head" }, element("label", { for: slider.id }, "A missed case is worth "), said, help("ratio", "the cost ratio")),
      element("div", { class: "slide-row" }, less, element("div", { class: "track" }, slider, strip.canvas), more, help("strip", "this strip")),
    ),
  );
  function update() {
    section.hidden = usesMatrix(app.tree, app.state);
    fp.show(app.state.cost_fp);
    fn.show(app.state.cost_fn);
    if (app.focused() !== unit) unit.value = app.state.unit;
    const ratio = app.state.cost_fn / app.state.cost_fp;
    const { low, high } = ratioRange(app);
    slider.value = String(Math.round(STEPS * place(ratio, low, high)));
    said.textContent = `${short(ratio, 3)} false alarm${short(ratio, 3) === "1" ? "" : "s"}`;
    slider.setAttribute("aria-valuetext", said.textContent);
    const { nGroups, bounds } = app.point;
    less.disabled = nGroups === null || !isReachable(bounds, nGroups - 1);
    more.disabled = nGroups === null || !isReachable(bounds, nGroups + 1);
    strip.draw();
  }
  return { element: section, update };
}

/** The range of the slider: all ratios where labels change, and at least 1 : 100 to 100 : 1. */
export function ratioRange({ point }) {
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
  app.set({ mode: "costs", cost_fp: fp, cost_fn: Number((fp * ratio).toPrecision(3)) });
}

/** Segments of the slider's range, one per labelling. */
function makeStrip(app) {
  const surface = sharpCanvas({ class: "strip", role: "img", "aria-label": "Cost ratios for which each labelling is optimal" }, paint);
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
      context.fillRect(from, 4, to - from, size.height - 8);
      context.fillStyle = palette.panel;
      if (to - from > 3) context.fillRect(to - 0.5, 4, 1, size.height - 8);
    }
    const ratio = app.state.cost_fn / app.state.cost_fp;
    context.fillStyle = palette.ink;
    context.fillRect(x(ratio) - 1.5, 0, 3, size.height);
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

/** Other ways to choose the operating point. */
function rates(app) {
  const rate = (id, mode) =>
    makeNumberField(app, id, {
      scale: 100,
      empty: true,
      fits: (v) => v >= 0 && v <= 1,
      wanted: "Enter a rate from 0 to 100, or leave it empty.",
      onValue: (v) => app.set(v === null ? { mode: "costs" } : { mode, [mode]: v }),
    });
  const prior = makeNumberField(app, "prior", {
    scale: 100,
    empty: true,
    fits: (v) => v > 0 && v < 1,
    wanted: "Enter a percentage between 0 and 100, or leave it empty.",
    onValue: (v) => app.set({ prior: v }),
  });
  const maxFpr = rate("max-fpr", "max_fpr");
  const minTpr = rate("min-tpr", "min_tpr");
  const beta = makeNumberField(app, "beta", {
    fits: (v) => v > 0,
    wanted: "Enter a number above 0.",
    onValue: (v) => app.set({ beta: v }),
  });
  const best = element("input", {
    id: `${app.id}-best-beta`,
    type: "checkbox",
    on: { change: () => app.set({ mode: best.checked ? "beta" : "costs" }) },
  });
  const section = element(
    "fieldset",
    { class: "rates" },
    element("legend", {}, "Other criteria"),
    element(
      "div",
      { class: "row" },
      labelledNumber("Prevalence, %", "prevalence", prior),
      labelledNumber("At most this false positive rate, %", "max_fpr", maxFpr),
      labelledNumber("At least this recall, %", "min_tpr", minTpr),
      labelledNumber("Beta", "beta", beta, "narrow"),
      element("div", { class: "control check" }, best, element("label", { for: best.id }, "best F-beta")),
    ),
  );
  function update() {
    const { state } = app;
    section.hidden = usesMatrix(app.tree, state);
    // Controls that are not in use are not printed.
    section.classList.toggle("unused", state.mode === "costs" && state.prior === null);
    prior.field.placeholder = `${(100 * app.point.on.prior[state.positive]).toPrecision(3)}`;
    prior.show(state.prior);
    maxFpr.show(state.mode === "max_fpr" ? state.max_fpr : null);
    minTpr.show(state.mode === "min_tpr" ? state.min_tpr : null);
    beta.show(state.beta);
    best.checked = state.mode === "beta";
  }
  return { element: section, update };
}

/** More than two classes: one of them against the rest, or a cost matrix. */
function howMany(app) {
  const id = `${app.id}-kind`;
  const radio = (value, text) => {
    const input = element("input", { type: "radio", name: id, id: `${id}-${value}`, value, on: { change: () => app.set({ mode: value }) } });
    return { input, element: element("span", { class: "radio" }, input, element("label", { for: input.id }, text)) };
  };
  const matrix = radio("matrix", "a cost for every error");
  const sides = radio("costs", "the class of interest against the rest");
  const section = element("fieldset", { class: "kind" }, element("legend", {}, "Label leaves by"), element("div", { class: "row" }, matrix.element, sides.element));
  function update() {
    const byMatrix = usesMatrix(app.tree, app.state);
    matrix.input.checked = byMatrix;
    sides.input.checked = !byMatrix;
  }
  return { element: section, update };
}

/** Costs by predicted and true class, and the priors of the classes. */
function costMatrix(app) {
  const { classes } = app.tree;
  const cells = classes.map((said, i) =>
    classes.map((truth, j) =>
      makeNumberField(app, `cost-${i}-${j}`, {
        "aria-label": `cost of predicting ${said} for ${truth}`,
        wanted: "Enter a number.",
        onValue: (value) => {
          const matrix = app.state.matrix.map((row) => row.slice());
          matrix[i][j] = value;
          app.set({ matrix });
        },
      }),
    ),
  );
  const shares = classes.map((name, j) =>
    makeNumberField(app, `share-${j}`, {
      "aria-label": `prior of ${name}, %`,
      scale: 100,
      empty: true,
      fits: (v) => v >= 0 && v <= 1,
      wanted: "Enter a percentage from 0 to 100.",
      onValue: readShares,
    }),
  );
  const warning = element("p", { class: "warning", role: "status" });
  function readShares() {
    const typedIn = shares.map(({ field }) => field.value.trim());
    const priors = typedIn.map((text) => readNumber(text) / 100);
    const total = priors.reduce((sum, part) => sum + part, 0);
    if (typedIn.every((text) => text === "")) app.set({ priors: null });
    else if (typedIn.includes("") || Math.abs(total - 1) > 1e-6) {
      fill(warning, "Percentages take effect once all are entered and add up to 100 %.");
      return;
    } else app.set({ priors });
    fill(warning);
  }
  const row = (name, fields) => element("tr", {}, element("th", { scope: "row" }, name), fields.map(({ field, note }) => element("td", {}, field, note)));
  const section = element(
    "fieldset",
    { class: "matrix" },
    element("legend", {}, "Costs of errors ", help("matrix", "the cost matrix")),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Cost matrix" },
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, element("td", {}), classes.map((name) => element("th", { scope: "col" }, `true ${name}`)))),
        element("tbody", {}, cells.map((fields, i) => row(`predicted ${classes[i]}`, fields)), row("prior, %", shares)),
      ),
    ),
    warning,
  );
  function update() {
    section.hidden = !usesMatrix(app.tree, app.state);
    cells.forEach((fields, i) => fields.forEach((field, j) => field.show(app.state.matrix[i][j])));
    if (!section.contains(app.focused())) {
      shares.forEach((share, j) => share.show(app.state.priors === null ? null : app.state.priors[j]));
    }
    shares.forEach(({ field }, j) => (field.placeholder = (100 * app.point.on.prior[j]).toPrecision(3)));
  }
  return { element: section, update };
}
