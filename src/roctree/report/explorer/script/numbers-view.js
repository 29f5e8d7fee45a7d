// The numbers of the operating point, the confusion matrix, and the effect of the next labelling.

import { wilson } from "./curves.js";
import { element, fill, help } from "./dom.js";
import { classWeights, linesOf } from "./labelling.js";
import { goTo } from "./plot-view.js";
import { closestCall, isReachable, usesMatrix, withGroups } from "./point.js";
import { PER, signed } from "./sentence.js";
import { grouped, leafCount, listed, percent, ruleWords, short } from "./words.js";

const PER_CASES = `${grouped(PER)} cases`;
const IN_PARTS =
  "Approximate: cases with missing values are counted in parts, leaf by leaf, but labelled as a whole.";
const BETWEEN_LEAVES =
  "Approximate: counted leaf by leaf, while cases near soft thresholds are labelled by several leaves at once.";

/** Make the section; returns its element and `update`. */
export function makeNumbersView(app) {
  const facts = element("dl", { class: "facts" });
  const matrix = element("div", { class: "confusion" });
  const next = element("div", { class: "next" });
  const section = element("section", { class: "pane numbers expert", "aria-label": "Numbers" }, facts, matrix, next);
  const remark = element("p", { class: "remark" });
  section.append(remark);
  function update() {
    remark.textContent = remarkOf(app);
    fill(facts, usesMatrix(app.tree, app.state) ? matrixFacts(app) : sideFacts(app));
    fill(matrix, usesMatrix(app.tree, app.state) ? manyConfusion(app) : twoConfusion(app));
    fill(next, usesMatrix(app.tree, app.state) ? closest(app) : neighbours(app));
  }
  return { element: section, update };
}

/** The note on approximate numbers. */
function remarkOf({ data, state, tree }) {
  if (data.in_parts.includes(state.on)) return tree.softness ? BETWEEN_LEAVES : IN_PARTS;
  if (data.rounded === null) return "";
  return `Approximate: because there are many different answers, probabilities are rounded to ${data.rounded} decimals.`;
}

function fact(term, name, value, shown, remark = "") {
  return element(
    "div",
    { class: "fact" },
    element("dt", {}, `${name} `, help(term, name)),
    element(
      "dd",
      {},
      element("output", { data: { name: term, value: String(value) } }, shown),
      remark ? element("small", {}, remark) : null,
    ),
  );
}

function intervalText(count, total) {
  const range = wilson(count, total);
  return range && `${percent(range.low)} to ${percent(range.high)}`;
}

function costFact({ point, state }) {
  const amount = `${grouped(short(point.cost * PER, 4))} ${state.unit}`.trim();
  return fact("cost", `Expected cost per ${PER_CASES}`, point.cost * PER, amount);
}

function betaFact({ point, state }, of = "") {
  const beta = short(state.beta, 3);
  const name = beta === "1" ? "F₁" : `F (β = ${beta})`;
  return fact("f_beta", `${name}${of}`, point.rates.f_beta, short(point.rates.f_beta, 3));
}

function sideFacts(app) {
  const { point, state } = app;
  const { rates } = point;
  return [
    costFact(app),
    fact("recall", "Recall", rates.tpr, percent(rates.tpr), intervalText(rates.tp, rates.tp + rates.fn + rates.leftPositive)),
    fact("fpr", "False positive rate", rates.fpr, percent(rates.fpr), intervalText(rates.fp, rates.fp + rates.tn + rates.leftNegative)),
    fact("precision", "Precision", rates.precision, percent(rates.precision), state.prior === null ? intervalText(rates.tp, rates.tp + rates.fp) : ""),
    betaFact(app),
    fact("accuracy", "Accuracy", rates.accuracy, percent(rates.accuracy)),
    ...undecidedFact(app),
  ];
}

function matrixFacts(app) {
  const { point, tree } = app;
  const { priors } = app.state;
  const weights = classWeights(point.on, priors);
  const right = tree.classes.reduce((sum, _, c) => sum + weights[c] * point.confusion[c * tree.nClasses + c], 0);
  const { rates } = point;
  const name = tree.classes[app.state.positive];
  return [
    costFact(app),
    fact("accuracy", "Accuracy", right / point.on.total, percent(right / point.on.total), priors === null ? intervalText(right, point.on.total) : ""),
    fact("recall", `Recall of ${name}`, rates.tpr, percent(rates.tpr), intervalText(rates.tp, rates.tp + rates.fn + rates.leftPositive)),
    fact("precision", `Precision of ${name}`, rates.precision, percent(rates.precision)),
    betaFact(app, ` of ${name}`),
    ...undecidedFact(app),
  ];
}

function undecidedFact({ point }) {
  return point.reject === null ? [] : [fact("undecided", "Undecided", point.undecided, percent(point.undecided))];
}

function twoConfusion(app) {
  const { point, tree, state } = app;
  const { rates } = point;
  const positive = tree.classes[state.positive];
  const negative = app.labelName(state.positive === 0 ? 1 : 0);
  const cell = (name, share, count, good) =>
    element(
      "td",
      { class: good === null ? "none" : good ? "right" : "wrong" },
      element("output", { data: { name, value: String(count) } }, grouped(Number((share * PER).toFixed(1)))),
      element("small", {}, grouped(Number(count.toFixed(1)))),
    );
  return table(
    ["", `true ${positive}`, `true ${negative}`],
    [
      [`predicted ${positive}`, cell("tp", rates.hits, rates.tp, true), cell("fp", rates.alarms, rates.fp, false)],
      [`predicted ${negative}`, cell("fn", rates.misses, rates.fn, false), cell("tn", rates.cleared, rates.tn, true)],
      ...(point.reject === null
        ? []
        : [["undecided", cell("left_positive", rates.undecidedPositives, rates.leftPositive, null), cell("left_negative", rates.undecidedNegatives, rates.leftNegative, null)]]),
    ],
    app,
  );
}

function manyConfusion(app) {
  const { point, tree } = app;
  const labels = point.reject === null ? tree.classes : [...tree.classes, null];
  const rows = labels.map((name, predicted) => [
    name === null ? "undecided" : `predicted ${name}`,
    ...tree.classes.map((_, truth) => {
      const count = point.confusion[predicted * tree.nClasses + truth];
      return element(
        "td",
        { class: count === 0 || name === null ? "none" : predicted === truth ? "right" : "wrong" },
        element("output", { data: { name: `confusion_${predicted}_${truth}`, value: String(count) } }, grouped(Number(count.toFixed(1)))),
      );
    }),
  ]);
  return table(["", ...tree.classes.map((name) => `true ${name}`)], rows, app);
}

function table(head, rows, app) {
  const per = usesMatrix(app.tree, app.state) ? app.tableName(app.state.on) : PER_CASES;
  return element(
    "table",
    {},
    element("caption", {}, `Of ${per} `, help("confusion", "the confusion matrix")),
    element("thead", {}, element("tr", {}, head.map((text) => (text ? element("th", { scope: "col" }, text) : element("td", {}))))),
    element("tbody", {}, rows.map(([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), cells))),
  );
}

/** The labellings one step back and one step further. */
function neighbours(app) {
  const { point } = app;
  if (point.nGroups === null) return [];
  const { bounds, nGroups } = point;
  const range = `${short(bounds[nGroups], 3)} to ${short(bounds[nGroups + 1], 3)}`;
  return [
    element(
      "p",
      {},
      `${app.positives()} Optimal while a miss costs `,
      element("output", { data: { name: "cost_ratio", value: `${bounds[nGroups]} ${bounds[nGroups + 1]}` } }, range),
      " false alarms ",
      help("next", "the next labelling"),
    ),
    step(app, nGroups + 1, "One labelling further", `beyond ${short(bounds[nGroups + 1], 3)}`),
    step(app, nGroups - 1, "One labelling back", `below ${short(bounds[nGroups], 3)}`),
  ];
}

function step(app, nGroups, name, when) {
  const { point, state } = app;
  if (!isReachable(point.bounds, nGroups)) return null;
  const there = withGroups(app.tree, point, nGroups);
  const group = Math.min(nGroups, point.nGroups);
  const lines = linesOf(point.ranking, group);
  const other = state.positive === 0 ? 1 : 0;
  const label = app.labelName([other, state.positive, app.tree.nClasses][there.called[lines[0]]]);
  const hits = (there.rates.hits - point.rates.hits) * PER;
  const alarms = (there.rates.alarms - point.rates.alarms) * PER;
  const text = `${whichWords(app, lines)} ${label}: ${change(hits, "hit")} and ${change(alarms, "false alarm")} per ${PER_CASES}, expected cost ${signed((there.cost - point.cost) * PER)} ${state.unit}`.trim();
  return element(
    "p",
    { class: "step" },
    element("button", { type: "button", on: { click: () => goTo(app, nGroups) }, data: { go: String(nGroups) } }, name),
    ` (${when}): ${text}.`,
  );
}

function whichWords({ tree, point, state, letters }, lines) {
  if (tree.hasAnswers) return `cases with a probability of ${percent(point.table.shares[lines[0] * tree.nClasses + state.positive])} become`;
  const nodes = lines.map((line) => tree.lines.node[line]).filter((node) => node >= 0);
  if (nodes.length === 1 && tree.nChildren[nodes[0]] > 0) {
    return `cases in parts of “${ruleWords(tree, nodes[0])}” without training cases become`;
  }
  if (nodes.length === 1) return `${letters.get(nodes[0])} becomes`;
  if (nodes.length > 0) return `${leafCount(tree, nodes.length)} become`;
  return tree.softness ? "cases near thresholds become" : "cases with missing values become";
}

function change(number, thing) {
  const shown = signed(number);
  return `${shown} ${thing}${Math.abs(Number(number.toFixed(1))) === 1 ? "" : "s"}`;
}

/** With a cost matrix there is no slider: show the leaf whose label is the closest call. */
function closest(app) {
  const found = closestCall(app.tree, app.point);
  if (found === null) return [];
  const { tree, point } = app;
  const from = app.labelName(point.labels[found.line]);
  const letter = app.letters.get(tree.lines.node[found.line]);
  const which = tree.hasAnswers ? `an answer of leaf ${letter}` : `${tree.cells ? "cell" : "leaf"} ${letter}`;
  return [
    tree.hasAnswers ? null : element("p", {}, leavesByLabel(app)),
    element(
      "p",
      {},
      `Closest call: ${which} is ${from}, and ${app.labelName(found.to)} would cost ${percent(found.margin)} more.`,
    ),
  ];
}

function leavesByLabel({ tree, point, labelName }) {
  const counts = new Map();
  for (const node of tree.leaves) {
    const label = point.nodeLabels[node];
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const parts = [...counts].map(([label, n]) => `${grouped(n)} labelled ${labelName(label)}`);
  return `${tree.cells ? "Cells" : "Leaves"}: ${listed(parts)}.`;
}
