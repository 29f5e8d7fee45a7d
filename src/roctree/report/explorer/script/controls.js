// Everything behind the button More: how the point is chosen, the context, and what is counted.

import { element, fill, help } from "./dom.js";
import { makeNumberField } from "./number-field.js";
import { usesMatrix } from "./point.js";
import { readNumber } from "./words.js";

/** Make the section; returns its element and `update`. */
export function makeControls(app) {
  const parts = [modes(app), ...(app.tree.nClasses > 2 ? [costMatrix(app)] : []), whose(app)];
  const section = element("section", { class: "controls expert", "aria-label": "Settings" }, parts.map((part) => part.element));
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

/** Class of interest, prevalence, the counts that determine labels, and the cases that are counted. */
function whose(app) {
  const { tree } = app;
  const tables = ["smoothed", "training", "test"].filter((name) => name === "smoothed" || tree.counts[name]);
  const named = tables.map((name) => [name, app.tableName(name)]);
  const classes = tree.classes.map((name, i) => [i, name]);
  const positive = choice(app, "positive", classes, (value) => withInterest(app.state, tree, Number(value)));
  const by = choice(app, "by", named, (value) => ({ by: value }));
  const on = choice(app, "on", named, (value) => ({ on: value }));
  const prior = makeNumberField(app, "prior", {
    scale: 100,
    empty: true,
    fits: (v) => v > 0 && v < 1,
    wanted: "Enter a percentage between 0 and 100, or leave it empty.",
    onValue: (v) => app.set({ prior: v }),
  });
  const prevalence = labelledNumber("Prevalence, %", "prevalence", prior);
  const row = element(
    "div",
    { class: "row" },
    labelled("Class of interest", "positive", positive),
    prevalence,
    labelled("Leaves judged by", "by", by),
    labelled("Numbers counted on", "on", on),
  );
  function update() {
    positive.value = String(app.state.positive);
    by.value = app.state.by;
    on.value = app.state.on;
    prevalence.hidden = usesMatrix(tree, app.state);
    prior.field.placeholder = (100 * app.point.on.prior[app.state.positive]).toPrecision(3);
    prior.show(app.state.prior);
  }
  return { element: row, update };
}

/** Switch the class of interest; with two classes, priors and costs are kept. */
function withInterest({ cost_fp, cost_fn, prior }, { nClasses }, positive) {
  if (nClasses > 2) return { positive, prior: null };
  const others = prior === null ? null : Number((1 - prior).toPrecision(12));
  return { positive, cost_fp: cost_fn, cost_fn: cost_fp, prior: others };
}

/** One switch for how the point is chosen; the fields of the ways that are not in use are dimmed. */
function modes(app) {
  const cost = (id, key, other) =>
    makeNumberField(app, id, {
      fits: (v) => v >= 0 && v + app.state[other] > 0,
      wanted: "Enter a cost such as 2500 or 2.5; one of the two must be above 0.",
      onValue: (v) => app.set({ mode: "costs", [key]: v }),
    });
  const rate = (id, mode) =>
    makeNumberField(app, id, {
      scale: 100,
      empty: true,
      fits: (v) => v >= 0 && v <= 1,
      wanted: "Enter a rate from 0 to 100, or leave it empty.",
      onValue: (v) => app.set(v === null ? { mode: "costs" } : { mode, [mode]: v }),
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
  const left = [leftField(app, "cost-reject"), leftField(app, "cost-reject-matrix")];
  const maxFpr = rate("max-fpr", "max_fpr");
  const minTpr = rate("min-tpr", "min_tpr");
  const beta = makeNumberField(app, "beta", {
    fits: (v) => v > 0,
    wanted: "Enter a number above 0.",
    onValue: (v) => app.set({ beta: v }),
  });
  const ways = [
    way(app, "costs", "Costs", [
      labelledNumber("A false alarm costs", "cost_fp", fp, "narrow"),
      labelledNumber("A missed case costs", "cost_fn", fn, "narrow"),
      labelledNumber("Leaving a case undecided costs", "cost_reject", left[0], "narrow"),
      labelled("Unit", "costs", unit, "narrow"),
    ]),
    way(app, "max_fpr", "At most this false-alarm rate", [labelledNumber("Of the others, %", "max_fpr", maxFpr, "narrow")]),
    way(app, "min_tpr", "At least this recall", [labelledNumber("Found, %", "min_tpr", minTpr, "narrow")]),
    way(app, "beta", "Best F", [labelledNumber("Beta", "beta", beta, "narrow")]),
    ...(app.tree.nClasses > 2 ? [way(app, "matrix", "A cost for every error", [labelledNumber("Leaving a case undecided costs", "cost_reject", left[1], "narrow")])] : []),
  ];
  const section = element(
    "fieldset",
    { class: "modes" },
    element("legend", {}, "How the point is chosen ", help("costs", "this switch")),
    ways.map((each) => each.element),
  );
  function update() {
    const { state } = app;
    ways.forEach((each) => each.update());
    fp.show(state.cost_fp);
    fn.show(state.cost_fn);
    left.forEach((each) => each.show(state.cost_reject));
    if (app.focused() !== unit) unit.value = state.unit;
    maxFpr.show(state.mode === "max_fpr" ? state.max_fpr : null);
    minTpr.show(state.mode === "min_tpr" ? state.min_tpr : null);
    beta.show(state.beta);
  }
  return { element: section, update };
}

function leftField(app, id) {
  return makeNumberField(app, id, {
    empty: true,
    fits: (v) => v >= 0,
    wanted: "Enter a cost such as 0.5, or leave it empty to decide every case.",
    onValue: (v) => app.set({ cost_reject: v }),
  });
}

/** One way to choose the point: its switch and its fields. */
function way(app, mode, name, fields) {
  const input = element("input", {
    type: "radio",
    name: `${app.id}-mode`,
    id: mode === "beta" ? `${app.id}-best-beta` : `${app.id}-mode-${mode}`,
    value: mode,
    on: { change: () => app.set({ mode }) },
  });
  const box = element(
    "div",
    { class: "way" },
    element("span", { class: "radio" }, input, element("label", { for: input.id }, name)),
    element("div", { class: "row" }, fields),
  );
  function update() {
    input.checked = app.state.mode === mode;
    box.classList.toggle("dimmed", !input.checked);
  }
  return { element: box, update };
}

/** Costs by predicted and true class, and the priors of the classes. */
function costMatrix(app) {
  const { classes } = app.tree;
  const cells = classes.map((predicted, i) =>
    classes.map((truth, j) =>
      makeNumberField(app, `cost-${i}-${j}`, {
        "aria-label": `cost of predicting ${predicted} for ${truth}`,
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
