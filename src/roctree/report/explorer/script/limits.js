// Limits that were typed, and whether the test cases keep them.

import { wilson } from "./curves.js";
import { element } from "./dom.js";
import { groupsAbove } from "./labelling.js";
import { goTo } from "./plot-view.js";
import { percent } from "./words.js";

/**
 * A limit that the counted cases break, in red, with buttons that keep it; null if there is no limit or
 * it is kept.
 */
export function limitWords(app) {
  const broken = brokenLimit(app);
  if (broken === null) return null;
  const text = `${limitText(app)} `;
  const buttons = [
    app.state.by === app.state.on || app.state.on === "smoothed"
      ? null
      : button(`Keep it on ${app.tableName(app.state.on)}`, () => app.set({ by: app.state.on })),
    button("Keep it with 95 % confidence", () => keepBound(app, broken)),
  ];
  return [element("span", { class: "broken", role: "alert", data: { name: "broken_limit" } }, text), ...buttons];
}

/** A broken limit in words, or null: "Found: required ≥ 90 %, test cases 82.2 % (73.6 % to 88.4 %)." */
export function limitText(app) {
  const broken = brokenLimit(app);
  if (broken === null) return null;
  const { sign, asked, rate, range, what } = broken;
  return `${what}: required ${sign} ${percent(asked)}, ${app.tableName(app.state.on)} ${percent(rate)} (${percent(range.low)} to ${percent(range.high)}).`;
}

function button(text, action) {
  return element("button", { type: "button", class: "small", on: { click: action } }, text);
}

function brokenLimit({ state, point }) {
  const { tp, fp, fn, tn } = point.rates;
  if (state.mode === "max_fpr" && point.rates.fpr > state.max_fpr + 1e-9) {
    return { sign: "≤", asked: state.max_fpr, rate: point.rates.fpr, range: wilson(fp, fp + tn), what: "False alarms" };
  }
  if (state.mode === "min_tpr" && point.rates.tpr < state.min_tpr - 1e-9) {
    return { sign: "≥", asked: state.min_tpr, rate: point.rates.tpr, range: wilson(tp, tp + fn), what: "Found" };
  }
  return null;
}

/** The point nearest to the limit whose interval, not only its rate, keeps it. */
function keepBound(app, { sign, asked }) {
  const { counted, order, ranking } = app.point;
  const keeps = (corner) => {
    if (sign === "≤") return wilson(counted.fp[corner], counted.nNegative).high <= asked;
    return wilson(counted.tp[corner], counted.nPositive).low >= asked;
  };
  const corners = Array.from(counted.fp.keys());
  const found = sign === "≤" ? corners.findLast(keeps) : corners.find(keeps);
  const last = sign === "≤" ? 0 : corners.length - 1;
  goTo(app, groupsAbove(order, found ?? last, ranking));
}
