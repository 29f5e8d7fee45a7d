// What the cost is worth: beside flagging nobody and everybody, and the cheapest point on the counted cases.

import { cheapestCounted, costInterval, isSure, pairedCost } from "./change.js";
import { element, fill } from "./dom.js";
import { groupsAbove } from "./labelling.js";
import { goTo } from "./plot-view.js";
import { PER, signed } from "./sentence.js";
import { grouped, short } from "./words.js";

/** Make the list; returns its element and `update`. */
export function makeYardsticks(app) {
  const list = element("section", { class: "pane yardsticks", "aria-label": "Costs to compare with" });
  function update() {
    const rows = comparedCosts(app);
    const most = Math.max(...rows.map(({ cost, range }) => range?.high ?? cost), 1e-9);
    const title = `Cost per ${grouped(PER)} ${app.data.noun}, counted on ${app.tableName(app.state.on)}`;
    fill(list, element("h2", {}, title), rows.map((row) => yardstick(app, row, most)));
  }
  return { element: list, update };
}

function yardstick(app, { name, key, cost, range = null, best = null }, most) {
  const { state } = app;
  const note = best ? gainOf(app, best) : null;
  const bar = element("span", { class: `bar-of ${key}` });
  bar.style.width = `${(100 * cost) / most}%`;
  const track = element("span", { class: "yard-track" }, bar);
  if (range) {
    const whisker = element("span", { class: "whisker" });
    whisker.style.left = `${(100 * range.low) / most}%`;
    whisker.style.width = `${(100 * (range.high - range.low)) / most}%`;
    track.append(whisker);
  }
  const unit = state.unit ? ` ${state.unit}` : "";
  const value = element("output", { data: { name: `yard_${key}`, value: String(cost * PER) } }, `${amount(cost)}${unit}`);
  const between = range ? element("small", {}, ` (${amount(range.low)} to ${amount(range.high)})`) : null;
  return element("div", { class: "yard" }, element("span", { class: "yard-name" }, name), track, element("span", { class: "yard-value" }, value, between), note);
}

function amount(cost) {
  return grouped(short(cost * PER, 3));
}

/** The costs to compare with: `name`, `key`, `cost` of a case, perhaps its `range`. */
export function comparedCosts(app) {
  return app.point.perClass ? rowsOfClasses(app) : rowsOfSides(app);
}

function rowsOfSides(app) {
  const { point, state } = app;
  const { rates } = point;
  if (!Number.isFinite(point.cost)) return [];
  const best = cheapestCounted(point);
  const last =
    point.reject === null
      ? { key: "cheapest", name: "Cheapest point", cost: best.cost, best }
      : { key: "undecided", name: "Leave all undecided", cost: point.reject };
  return [
    { key: "nobody", name: "Flag nobody", cost: rates.prior * state.cost_fn },
    { key: "everybody", name: "Flag everybody", cost: (1 - rates.prior) * state.cost_fp },
    { key: "here", name: "This point", cost: point.cost, range: costInterval(point) },
    last,
  ];
}

/** How much cheaper the cheapest point is, with its paired interval, and a button that goes there. */
function gainOf(app, best) {
  const { point } = app;
  const gain = pairedCost(point, best);
  const where = `Cheapest on ${app.tableName(app.state.on)}: `;
  if (Math.abs(gain.mean) < 1e-12) return element("small", { class: "yard-note" }, `${where}this point.`);
  const go = () => goTo(app, groupsAbove(point.order, best.corner, point.ranking));
  const doubt = isSure(gain) ? "" : ", may be chance";
  return element(
    "small",
    { class: "yard-note" },
    `${where}${signed(gain.mean * PER, 2)} (${signed(gain.low * PER, 2)} to ${signed(gain.high * PER, 2)})${doubt} `,
    element("button", { type: "button", class: "small", "aria-label": "Go to the cheapest point", on: { click: go } }, "Go"),
  );
}

function rowsOfClasses({ point, tree, state }) {
  const ofClass = (predicted) => tree.classes.reduce((sum, _, truth) => sum + shareOf(point, state, truth) * state.matrix[predicted][truth], 0);
  const costs = tree.classes.map((_, predicted) => ofClass(predicted));
  const best = costs.indexOf(Math.min(...costs));
  return [
    { key: "nobody", name: `Call everything ${tree.classes[best]}`, cost: costs[best] },
    { key: "here", name: "This tree", cost: point.cost },
  ];
}

function shareOf({ on }, { priors }, c) {
  return priors === null ? on.prior[c] : priors[c];
}
