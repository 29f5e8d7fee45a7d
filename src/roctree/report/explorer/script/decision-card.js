// The decision on one page: the point in words and as a thousand dots, the rule, costs with intervals, and what
// was counted. It is a list of shapes, drawn as SVG or on a canvas.

import { costInterval } from "./change.js";
import { wilson } from "./curves.js";
import { wrapped } from "./dom.js";
import { limitText } from "./limits.js";
import { escaped, tag } from "./markup.js";
import { PER, perThousand } from "./sentence.js";
import { grouped, percent, plain, ruleWords, short } from "./words.js";
import { comparedCosts } from "./yardsticks.js";

const WIDTH = 1200;
const MARGIN = 56;
const RIGHT = { left: 724, width: 420 };
const MAX_RULES = 9;
const INK = "#1b1f24";
const QUIET = "#57606a";
const FAINT = "#d3d9df";
const ALERT = "#b3261e";
const OURS = "#c04a00";
const THEIRS = "#0b62a4";
const FONT = "Helvetica, Arial, sans-serif";
// Fonts of other machines may be wider.
const SLACK = 0.93;
const DOTS = { columns: 50, step: 8.4, radius: 3.2 };

/** The card of the current point: { width, height, shapes }. */
export function decisionCard(app, date) {
  const sheet = makeSheet();
  sheet.text(app.data.title, 22, { weight: 600, colour: QUIET });
  sheet.space(8);
  sheet.text(openingWords(app), 34, { weight: 700 });
  const limit = limitText(app);
  if (limit) sheet.text(limit, 19, { weight: 600, colour: ALERT });
  sheet.space(20);
  figures(app, sheet);
  sheet.space(16);
  const top = sheet.at();
  const left = { left: MARGIN, width: RIGHT.left - MARGIN - 48 };
  sheet.text(howWords(app), 19, left);
  sheet.space(12);
  rule(app, sheet, left);
  const bottom = sheet.at();
  sheet.go(top);
  if (!app.point.perClass) dots(app, sheet);
  bars(app, sheet);
  sheet.go(Math.max(bottom, sheet.at()) + 24);
  pinned(app, sheet);
  sheet.text(countsWords(app), 16, { colour: QUIET });
  sheet.text(`${date}. ${app.data.made_by}`, 16, { colour: QUIET });
  return sheet.done();
}

function makeSheet() {
  const shapes = [];
  const ruler = document.createElement("canvas").getContext("2d");
  let y = MARGIN;
  function text(words, size, { weight = 400, colour = INK, left = MARGIN, width = WIDTH - 2 * MARGIN, hang = 0 } = {}) {
    ruler.font = `${weight} ${size}px ${FONT}`;
    wrapped(ruler, plain(words), SLACK * (width - hang)).forEach((line, i) => {
      y += size * 1.28;
      shapes.push({ kind: "text", text: line, x: left + (i > 0 ? hang : 0), y: y - size * 0.28, size, weight, colour });
    });
  }
  return {
    text,
    space: (high) => (y += high),
    at: () => y,
    go: (to) => (y = to),
    add: (shape) => shapes.push(shape),
    done: () => ({ width: WIDTH, height: Math.ceil(y + MARGIN), shapes }),
  };
}

function openingWords({ point, data, tree, state }) {
  if (point.perClass) {
    const right = Math.round(point.right * PER);
    return `Of ${grouped(PER)} ${data.noun} like these, ${right} are classified correctly and ${PER - right} wrongly.`;
  }
  const { all, found, missed, alarms } = perThousand(point);
  return `Of ${grouped(PER)} ${data.noun} like these, ${all} are “${tree.classes[state.positive]}”: ${found} found, ${missed} missed, ${alarms} false alarms.`;
}

function figures(app, sheet) {
  const { point, state } = app;
  const unit = state.unit ? ` ${state.unit}` : "";
  const cost = (value) => `${grouped(short(value * PER, 3))}${unit}`;
  const items = [["Cost per 1 000", cost(point.cost), "", INK]];
  if (!point.perClass) {
    const { low, high } = costInterval(point);
    items[0][2] = `${cost(low)} to ${cost(high)}`;
    const { rates } = point;
    const between = (count, total) => {
      const range = wilson(count, total);
      return range ? `${percent(range.low)} to ${percent(range.high)}` : "";
    };
    items.push(["Found", percent(rates.tpr), between(rates.tp, rates.tp + rates.fn + rates.leftPositive), OURS]);
    items.push(["False alarms", percent(rates.fpr), between(rates.fp, rates.fp + rates.tn + rates.leftNegative), THEIRS]);
    items.push(["Alarms that are right", percent(rates.precision), state.prior === null ? between(rates.tp, rates.tp + rates.fp) : "", INK]);
  }
  const column = (WIDTH - 2 * MARGIN) / 4;
  const top = sheet.at();
  items.forEach(([name, value, range, colour], i) => {
    const x = MARGIN + i * column;
    const add = (text, y, size, weight, tone) => sheet.add({ kind: "text", text: plain(text), x, y: top + y, size, weight, colour: tone });
    add(name, 20, 16, 400, QUIET);
    add(value, 64, 40, 700, colour);
    add(range, 90, 16, 400, QUIET);
  });
  sheet.space(96);
}

/** A thousand dots: found, missed, false alarms, and cleared. */
function dots(app, sheet) {
  const { found, missed, alarms, undecided } = perThousand(app.point);
  const left = app.point.reject === null ? [] : [["undecided", undecided, { fill: "#ffffff", stroke: QUIET }]];
  const kinds = [
    ["found", found, { fill: OURS }],
    ["missed", missed, { fill: "#ffffff", stroke: OURS }],
    ["false alarms", alarms, { fill: THEIRS }],
    ["cleared", PER - found - missed - alarms - undecided, { fill: FAINT }],
    ...left,
  ];
  const top = sheet.at() + 10;
  let at = 0;
  for (const [, number, paint] of kinds) {
    for (let i = 0; i < number; i++, at++) {
      const x = RIGHT.left + DOTS.radius + (at % DOTS.columns) * DOTS.step;
      sheet.add({ kind: "dot", x, y: top + Math.floor(at / DOTS.columns) * DOTS.step, radius: DOTS.radius, ...paint });
    }
  }
  sheet.go(top + (PER / DOTS.columns) * DOTS.step + 8);
  // Two by two: "116 false alarms" is longer than a quarter of the width.
  kinds.forEach(([name, number, paint], i) => {
    const [x, y] = [RIGHT.left + (i % 2) * (RIGHT.width / 2), sheet.at() + 5 + Math.floor(i / 2) * 22];
    sheet.add({ kind: "dot", x: x + 5, y, radius: 4.5, ...paint });
    sheet.add({ kind: "text", text: `${plain(grouped(number))} ${name}`, x: x + 16, y: y + 5, size: 15, weight: 400, colour: QUIET });
  });
  sheet.space(58 + 22 * left.length);
}

/** What the cost is worth, as bars. */
function bars(app, sheet) {
  const rows = comparedCosts(app);
  const most = Math.max(...rows.map(({ cost, range }) => range?.high ?? cost), 1e-9);
  sheet.text(`Cost per ${grouped(PER)} ${app.data.noun}`, 16, { ...RIGHT, weight: 600 });
  for (const { name, key, cost } of rows) {
    const y = sheet.at() + 22;
    const add = (text, x) => sheet.add({ kind: "text", text: plain(text), x, y, size: 15, weight: 400, colour: INK });
    add(name, RIGHT.left);
    const [left, room] = [RIGHT.left + 150, RIGHT.width - 150 - 80];
    sheet.add({ kind: "bar", x: left, y: y - 11, width: Math.max(2, (room * cost) / most), height: 12, fill: key === "here" ? "#6f42c1" : FAINT });
    add(grouped(short(cost * PER, 3)), left + room + 12);
    sheet.space(24);
  }
}

/** The points that are pinned, a line each. */
function pinned(app, sheet) {
  for (const { name, point } of app.pinnedPoints()) {
    if (point.perClass) continue;
    const { found, missed, alarms, undecided } = perThousand(point);
    const left = point.reject === null ? "" : `, ${undecided} undecided`;
    sheet.text(`${name}: ${found} found, ${missed} missed, ${alarms} false alarms${left}`, 17);
  }
  if (app.state.pins.length > 0) sheet.space(14);
}

/** How the point was chosen. */
function howWords({ state, tree, point }) {
  const unit = state.unit ? ` ${state.unit}` : "";
  const words = {
    costs: `A false alarm costs ${short(state.cost_fp)}${unit}, a missed one ${short(state.cost_fn)}${unit}.`,
    max_fpr: `At most ${percent(state.max_fpr)} false alarms, as many found as possible.`,
    min_tpr: `At least ${percent(state.min_tpr)} found, as few false alarms as possible.`,
    beta: `The best F with beta ${short(state.beta)}.`,
    matrix: `Every error of ${tree.nClasses} classes has its own cost.`,
  };
  const prior = point.perClass || state.prior === null ? "" : ` Prevalence ${percent(state.prior)}.`;
  const left = point.reject === null ? "" : ` Leaving one undecided costs ${short(point.reject)}${unit}.`;
  return words[state.mode] + left + prior;
}

/** The leaves that are flagged, with their rules. */
function rule(app, sheet, place) {
  const { tree, point, state, letters } = app;
  if (tree.hasAnswers) return sheet.text(app.positives(), 19, place);
  const flagged = Array.from(letters.keys()).filter((node) => point.nodeLabels[node] === state.positive);
  const name = tree.classes[state.positive];
  sheet.text(flagged.length === 0 ? `Nothing is called ${name}.` : `Called ${name}:`, 19, { weight: 600, ...place });
  for (const node of flagged.slice(0, MAX_RULES)) {
    const p = tree.probabilities[node * tree.nClasses + state.positive];
    sheet.text(`${letters.get(node)} (${percent(p, 0)}): ${ruleWords(tree, node)}`, 16, { ...place, hang: 20 });
    sheet.space(3);
  }
  if (flagged.length > MAX_RULES) sheet.text(`and ${flagged.length - MAX_RULES} more leaves`, 16, place);
  return null;
}

function countsWords({ tree, data, state, tableName }) {
  const test = tree.counts.test ? ` and ${grouped(data.n_test)} test cases` : "";
  return `Counted on ${tableName(state.on)}; ${grouped(Number(tree.total.toFixed(1)))} training cases${test}. Ranges are 95 % intervals.`;
}

/** The card as SVG. */
export function cardAsSvg({ width, height, shapes }) {
  const paper = tag("rect", { width: "100%", height: "100%", fill: "white" }, "");
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT }, paper + shapes.map(svgOf).join(""));
}

function svgOf({ kind, x, y, ...rest }) {
  const at = (number) => Number(number.toFixed(1));
  if (kind === "dot") {
    return tag("circle", { cx: at(x), cy: at(y), r: rest.radius, fill: rest.fill, ...(rest.stroke ? { stroke: rest.stroke, "stroke-width": 1.4 } : {}) }, "");
  }
  if (kind === "bar") return tag("rect", { x: at(x), y: at(y), width: at(rest.width), height: rest.height, rx: 2, fill: rest.fill }, "");
  return tag("text", { x: at(x), y: at(y), "font-size": rest.size, "font-weight": rest.weight, fill: rest.colour }, escaped(rest.text));
}

/** The card on a canvas, at twice its size. */
export function cardOnCanvas({ width, height, shapes }) {
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) paint(context, shape);
  return canvas;
}

function paint(context, { kind, x, y, ...rest }) {
  context.fillStyle = rest.fill ?? rest.colour;
  if (kind === "bar") context.fillRect(x, y, rest.width, rest.height);
  else if (kind === "text") {
    context.font = `${rest.weight} ${rest.size}px ${FONT}`;
    context.fillText(rest.text, x, y);
  } else {
    context.beginPath();
    context.arc(x, y, rest.radius, 0, 2 * Math.PI);
    context.fill();
    context.lineWidth = 1.4;
    context.strokeStyle = rest.stroke ?? rest.fill;
    if (rest.stroke) context.stroke();
  }
}
