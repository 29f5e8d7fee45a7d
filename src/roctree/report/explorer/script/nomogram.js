// The Naive Bayes model of a leaf as a nomogram: how far each value moves the odds, on one scale.

import { element, fitted, sharpCanvas } from "./dom.js";
import { cellOf, factorOf, tableOf } from "./naive-bayes.js";
import { percent, short } from "./words.js";

const FONT = "12px system-ui, sans-serif";
const ROW = { least: 40, most: 130 };
const TOP = 30;
const BOTTOM = 64;
const NAME = { least: 132, most: 0.34 };
const RIGHT = 26;
// Attributes with less effect are left to the table.
const MAX_ATTRIBUTES = 10;
const TICKS = [1 / 1000, 1 / 100, 1 / 30, 1 / 10, 1 / 3, 1, 3, 10, 30, 100, 1000];
const CHANCES = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999];

/** Make the picture; `show` draws the model of a node. */
export function makeNomogram(app) {
  let node = null;
  const surface = sharpCanvas({ class: "nomogram", role: "img" }, paint);
  const { canvas, context, size } = surface;
  const box = element("div", { class: "nomogram-box" }, canvas);
  function show(wanted) {
    node = wanted;
    const rows = rowsOf(app, node);
    box.style.minHeight = `${TOP + rows.length * ROW.least + BOTTOM}px`;
    canvas.setAttribute("aria-label", `How each value changes the odds of ${app.tree.classes[app.state.positive]}`);
    if (surface.resize()) paint();
  }
  function paint() {
    if (node !== null) draw(context, size, app, node);
  }
  return { element: box, show, paint };
}

/** The attributes with the largest effect: name, logarithms of the factors of their values, the case's own. */
function rowsOf(app, node) {
  const { tree, state, path } = app;
  const table = tableOf(tree, node);
  const isHere = path?.stops.some((stop) => stop.node === node);
  const rows = table.attributes.map((attribute) => {
    const logs = attribute.likelihood.map((shares) => Math.log(factorOf(table, shares, state.positive)));
    const own = isHere ? cellOf(attribute, state.values[attribute.feature]) : -1;
    return { name: tree.features[attribute.feature].name, words: attribute.words, logs, own, effect: Math.max(...logs) - Math.min(...logs) };
  });
  return rows.sort((a, b) => b.effect - a.effect).slice(0, MAX_ATTRIBUTES);
}

function draw(context, size, app, node) {
  const { palette, tree, state } = app;
  const rows = rowsOf(app, node);
  const table = tableOf(tree, node);
  const prior = Math.log(table.prior[state.positive] / (1 - table.prior[state.positive]));
  const high = Math.min(ROW.most, (size.height - TOP - BOTTOM) / rows.length);
  const widest = Math.max(1, ...rows.flatMap(({ logs }) => logs.map(Math.abs))) * 1.08;
  context.font = `600 ${FONT}`;
  const longest = Math.max(...rows.map(({ name }) => context.measureText(name).width)) + 16;
  const left = Math.min(Math.max(NAME.least, longest), NAME.most * size.width);
  const middle = left + (size.width - left - RIGHT) / 2;
  const x = (log) => middle + (log / widest) * ((size.width - left - RIGHT) / 2);
  context.clearRect(0, 0, size.width, size.height);
  context.font = FONT;
  context.textBaseline = "middle";
  const end = TOP + rows.length * high;
  drawScale(context, palette, { x, widest, end });
  rows.forEach((row, i) => drawRow(context, palette, row, TOP + (i + 0.5) * high, { x, left, size }));
  const bottom = end + 18;
  drawChances(context, palette, { x, left, prior, bottom, size, widest, name: tree.calibration ? "not calibrated" : "probability" });
  if (rows.some(({ own }) => own >= 0)) drawCase(context, palette, rows, prior, { x, bottom, widest });
}

/** The factors of the odds, from evidence against to evidence for. */
function drawScale(context, palette, { x, widest, end }) {
  context.textAlign = "center";
  for (const factor of TICKS) {
    const log = Math.log(factor);
    if (Math.abs(log) > widest) continue;
    context.fillStyle = factor === 1 ? palette.quiet : palette.faint;
    context.fillRect(x(log), TOP - 8, 1, end - TOP + 16);
    context.fillStyle = palette.quiet;
    context.fillText(factor < 1 ? `÷ ${short(1 / factor, 3)}` : `× ${short(factor, 3)}`, x(log), TOP - 16);
  }
}

function drawRow(context, palette, { name, words, logs, own }, y, { x, left: start, size }) {
  context.textAlign = "right";
  context.fillStyle = palette.ink;
  context.font = `600 ${FONT}`;
  context.fillText(fitted(context, name, start - 14), start - 10, y);
  context.font = FONT;
  context.fillStyle = palette.branch;
  context.fillRect(x(Math.min(...logs)), y - 1, x(Math.max(...logs)) - x(Math.min(...logs)), 2);
  const order = logs.map((_, i) => i).sort((a, b) => logs[a] - logs[b]);
  let free = -Infinity;
  for (const i of order) {
    const at = x(logs[i]);
    context.beginPath();
    context.arc(at, y, i === own ? 6 : 4, 0, 2 * Math.PI);
    context.fillStyle = i === own ? palette.case : logs[i] >= 0 ? palette.positive : palette.negative;
    context.fill();
    const wide = context.measureText(words[i]).width;
    const left = Math.min(Math.max(at - wide / 2, start), size.width - wide - 2);
    // Words that would lie on top of each other are left to the table.
    if (left < free && i !== own) continue;
    context.textAlign = "left";
    context.fillStyle = i === own ? palette.ink : palette.quiet;
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = palette.panel;
    context.strokeText(words[i], left, y + 15);
    context.fillText(words[i], left, y + 15);
    free = left + wide + 6;
  }
}

/** The probability that a sum of effects means, below the scale. */
function drawChances(context, palette, { x, left, prior, bottom, size, widest, name }) {
  context.textAlign = "right";
  context.fillStyle = palette.ink;
  context.font = `600 ${FONT}`;
  context.fillText(name, left - 10, bottom);
  context.font = FONT;
  context.fillStyle = palette.quiet;
  context.fillRect(left, bottom, size.width - left - RIGHT, 1);
  context.textAlign = "center";
  let free = -Infinity;
  for (const p of CHANCES) {
    const log = Math.log(p / (1 - p)) - prior;
    if (Math.abs(log) > widest || x(log) < free) continue;
    context.fillRect(x(log), bottom - 3, 1, 7);
    context.fillText(percent(p), x(log), bottom + 14);
    free = x(log) + 42;
  }
}

/** The sum of a case's effects. */
function drawCase(context, palette, rows, prior, { x, bottom, widest }) {
  const sum = rows.reduce((total, { logs, own }) => total + (own >= 0 ? logs[own] : 0), 0);
  const at = x(Math.max(-widest, Math.min(widest, sum)));
  context.fillStyle = palette.case;
  context.beginPath();
  context.moveTo(at, bottom - 2);
  context.lineTo(at - 7, bottom - 13);
  context.lineTo(at + 7, bottom - 13);
  context.fill();
  const p = 1 / (1 + Math.exp(-(prior + sum)));
  context.textAlign = "center";
  context.fillText(percent(p), at, bottom + 32);
}
