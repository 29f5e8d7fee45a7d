// The ROC curve, one segment per group of leaves; hull, line of equal cost, band and operating point.

import { classColour } from "./colour.js";
import { areaUnder, hullOf } from "./curves.js";
import { makeStamp } from "./dom.js";
import { linesOf } from "./labelling.js";
import { distanceToSegment, dot, inside, line, makeFrame, strokes } from "./plot.js";
import { countGroups, isocostSlope } from "./point.js";

// Dots along the curve: distance between them, and between the nearest and the curve.
const PITCH = 3.2;
const AWAY = 5.5;
const RADIUS = 1.4;
// Shorter segments share their dots with their neighbours.
const SHORT = 14;
const MAX_LETTERS = 40;
// A letter has this height, and may stand so much farther from its segment.
const LETTER = 14;
const STEPS = [0, 8, 16, 24, 34];
// Curves with more corners are drawn without dots, which would overlap.
const MAX_DOTS = 45;

/** Draw the curve; returns the frame. */
export function drawRoc(context, size, app) {
  const { palette, point, state } = app;
  const frame = makeFrame(context, size, palette, {
    x: [0, 1],
    y: [0, 1],
    xName: `false alarms, share of all ${negativesName(app)}`,
    yName: `found, share of all ${app.tree.classes[state.positive]}`,
    square: true,
  });
  let layers = null;
  inside(frame, () => {
    drawBand(frame, app);
    line(frame, toPixels(frame, [[0, 0], [1, 1]]), palette.quiet, { dash: [2, 4] });
    layers = drawDots(frame, app);
    if (app.root.classList.contains("more")) drawHull(frame, point.counted, palette);
    for (const name of app.root.classList.contains("more") ? otherTables(app) : []) {
      const curve = app.memory.curve(state.by, state.positive, name);
      const corner = countGroups(app.memory.ranking(state.by, state.positive, name), point.isPositive);
      line(frame, cornersOf(frame, curve), palette.quiet, { width: 1.5, dash: [6, 3] });
      if (corner !== null) {
        dot(frame, frame.x(curve.fpr[corner]), frame.y(curve.tpr[corner]), palette.quiet, 5, true);
      }
    }
    drawCurve(frame, app);
    if (app.root.classList.contains("more")) drawIsocost(frame, app);
    drawLit(frame, app);
    drawLetters(frame, app, layers);
  });
  const { fpr, tpr } = point.rates;
  if (Number.isFinite(fpr + tpr)) dot(frame, frame.x(fpr), frame.y(tpr), palette.ink, 7);
  return frame;
}

function negativesName({ tree, state }) {
  return tree.nClasses === 2 ? tree.classes[1 - state.positive] : "others";
}

/**
 * The dots of the tree below the curve, segment by segment: those of the class of interest nearest to it,
 * those that are flagged in full colour.
 */
function drawDots(frame, app) {
  const { dots, point } = app;
  const { context } = frame;
  const layers = new Float64Array(point.order.nGroups);
  const batches = new Map();
  for (const stretch of stretchesOf(frame, point)) {
    const own = stretch.dots(dots);
    const perLayer = Math.max(1, Math.floor(stretch.long / PITCH));
    own.forEach((i, place) => {
      const part = ((place % perLayer) + 0.5) / Math.min(perLayer, own.length);
      const away = AWAY + Math.floor(place / perLayer) * PITCH;
      const key = `${colourOf(app, dots.truth[i])} ${point.isPositive[dots.line[i]]}`;
      if (!batches.has(key)) batches.set(key, []);
      batches.get(key).push(stretch.at(part, away));
    });
    for (let group = stretch.from; group < stretch.to; group++) layers[group] = Math.ceil(own.length / perLayer);
  }
  for (const [key, places] of batches) {
    const [colour, flagged] = key.split(" ");
    context.globalAlpha = flagged === "1" ? 0.95 : 0.35;
    const stamp = makeStamp(context, colour, RADIUS);
    for (const [x, y] of places) stamp(x, y);
  }
  context.globalAlpha = 1;
  return layers;
}

function colourOf({ point, palette, state }, truth) {
  if (point.perClass) return classColour(truth);
  return truth === state.positive ? palette.positive : palette.negative;
}

/** Stretches of the curve long enough for a dot: groups `from` to `to`, the dots in them, and places along. */
function stretchesOf(frame, point) {
  const { counted, order } = point;
  const corner = (g) => [frame.x(counted.fpr[g]), frame.y(counted.tpr[g])];
  const found = [];
  let from = 0;
  for (let to = 1; to <= order.nGroups; to++) {
    const [[x0, y0], [x1, y1]] = [corner(from), corner(to)];
    const long = Math.hypot(x1 - x0, y1 - y0);
    if (long < SHORT && to < order.nGroups) continue;
    const [first, last] = [from, to];
    const at = (part, away) => [x0 + (x1 - x0) * part - ((y1 - y0) / (long || 1)) * away, y0 + (y1 - y0) * part + ((x1 - x0) / (long || 1)) * away];
    found.push({ from: first, to: last, long, at, dots: (dots) => dotsBetween(dots, point, first, last) });
    from = to;
  }
  return found;
}

/** The dots of some groups, the class of interest first. */
function dotsBetween(dots, { order, state }, from, to) {
  const own = [];
  // Dots are sorted by the ranking.
  let i = 0;
  while (i < dots.n && order.rank[dots.line[i]] < from) i++;
  for (; i < dots.n && order.rank[dots.line[i]] < to; i++) own.push(i);
  return own.sort((a, b) => Number(dots.truth[b] === state.positive) - Number(dots.truth[a] === state.positive));
}

/** The letters of the leaves, beside their segments. */
function drawLetters(frame, app, layers) {
  const { tree, point, palette, letters } = app;
  const { counted, order } = point;
  if (tree.hasAnswers || order.nGroups > MAX_LETTERS) return;
  const { context } = frame;
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "center";
  const { fpr, tpr } = point.rates;
  const taken = [{ x: frame.x(fpr), y: frame.y(tpr), wide: 16 }];
  for (let group = 0; group < order.nGroups; group++) {
    const names = linesOf(order, group).map((line) => letters.get(tree.lines.node[line])).filter(Boolean);
    if (names.length === 0 || counted.positives[group] + counted.negatives[group] === 0) continue;
    const text = names.length > 2 ? `${names[0]}…` : names.join("");
    const wide = context.measureText(text).width;
    // Letters of short segments would lie on top of each other: these stand farther away, or not at all.
    const away = AWAY + layers[group] * PITCH + 8;
    const places = STEPS.map((step) => besideSegment(frame, counted, group, away + step));
    const place = places.find(([x, y]) => taken.every((each) => Math.abs(x - each.x) > (wide + each.wide) / 2 + 3 || Math.abs(y - each.y) > LETTER));
    if (place === undefined) continue;
    const [x, y] = place;
    taken.push({ x, y, wide });
    context.lineWidth = 4;
    context.strokeStyle = palette.panel;
    context.strokeText(text, x, y);
    context.fillStyle = palette.ink;
    context.fillText(text, x, y);
  }
}

/** A place at the middle of a group's segment, so many pixels below and to the right of it. */
function besideSegment(frame, counted, group, away) {
  const [x0, y0] = [frame.x(counted.fpr[group]), frame.y(counted.tpr[group])];
  const [x1, y1] = [frame.x(counted.fpr[group + 1]), frame.y(counted.tpr[group + 1])];
  const long = Math.hypot(x1 - x0, y1 - y0) || 1;
  return [(x0 + x1) / 2 - ((y1 - y0) / long) * away, (y0 + y1) / 2 + ((x1 - x0) / long) * away];
}

/** The other set of cases, if there are two. */
function otherTables({ tree, state }) {
  return ["training", "test"].filter((name) => name !== state.on && tree.counts[name]);
}

function toPixels(frame, points) {
  return points.map(([x, y]) => [frame.x(x), frame.y(y)]);
}

function cornersOf(frame, curve) {
  return Array.from(curve.fpr, (fpr, g) => [frame.x(fpr), frame.y(curve.tpr[g])]);
}

function drawBand(frame, { data, palette, state }) {
  const band = bandOf(data, state);
  if (!band) return;
  const { context } = frame;
  const grid = (i) => frame.x(i / (band.low.length - 1));
  context.beginPath();
  band.high.forEach((high, i) => context.lineTo(grid(i), frame.y(high)));
  for (let i = band.low.length - 1; i >= 0; i--) context.lineTo(grid(i), frame.y(band.low[i]));
  context.closePath();
  context.fillStyle = palette.band;
  context.fill();
}

/** The band, shown only for the curve sorted by probability and counted on the same cases. */
export function bandOf(data, state) {
  if (!data.band || data.band.on !== state.on || state.by !== "smoothed") return null;
  return data.band.classes[state.positive];
}

function drawHull(frame, curve, palette) {
  const corners = hullOf(curve).map((i) => [curve.fpr[i], curve.tpr[i]]);
  line(frame, toPixels(frame, corners), palette.accent, { width: 1.25, dash: [1.5, 3] });
}

/** Segments of positive leaves in one colour, those of negative leaves in the other. */
function drawCurve(frame, { palette, point }) {
  const corners = cornersOf(frame, point.counted);
  const middle = point.corner ?? 0;
  const sides = point.corner === null || point.perClass
    ? [[corners, palette.ink]]
    : [[corners.slice(0, middle + 1), palette.positive], [corners.slice(middle), palette.negative]];
  for (const [pixels, colour] of sides) line(frame, pixels, colour, { width: 3 });
  if (corners.length > MAX_DOTS) return;
  corners.forEach(([x, y], g) => {
    dot(frame, x, y, point.perClass ? palette.ink : g <= middle && point.corner !== null ? palette.positive : palette.negative, 3);
  });
}

function drawIsocost(frame, app) {
  const { palette, point } = app;
  const slope = app.state.mode === "costs" ? isocostSlope(point) : null;
  const { fpr, tpr } = point.rates;
  if (slope === null || !Number.isFinite(fpr + tpr)) return;
  const ends = [[fpr - 1, tpr - slope], [fpr + 1, tpr + slope]];
  line(frame, toPixels(frame, ends), palette.ink, { width: 1.25, dash: [8, 4] });
}

function drawLit(frame, { palette, point, lit }) {
  if (!lit) return;
  const groups = new Set(lit.lines.map((each) => point.order.rank[each]).filter((rank) => rank >= 0));
  const corners = cornersOf(frame, point.counted);
  const segments = Array.from(groups, (group) => [corners[group], corners[group + 1]]);
  strokes(frame, segments, palette.panel, 10);
  strokes(frame, segments, palette.accent, 7);
}

/** The group whose segment is nearest to a pixel, if it is near. */
export function pickSegment(frame, { point }, px, py, reach = 14) {
  const { fpr, tpr } = point.counted;
  let best = { group: null, away: reach };
  for (let group = 0; group < fpr.length - 1; group++) {
    const from = [frame.x(fpr[group]), frame.y(tpr[group])];
    const to = [frame.x(fpr[group + 1]), frame.y(tpr[group + 1])];
    const away = distanceToSegment(px, py, from, to);
    if (away < best.away) best = { group, away };
  }
  return best.group;
}

/** The number of positive groups at the corner nearest to a pixel. */
export function pickCorner(frame, { point }, px, py) {
  const { fpr, tpr } = point.counted;
  let best = { corner: null, away: Infinity };
  for (let corner = 0; corner < fpr.length; corner++) {
    const away = Math.hypot(frame.x(fpr[corner]) - px, frame.y(tpr[corner]) - py);
    if (away < best.away) best = { corner, away };
  }
  return best.corner;
}

/** The areas of the curves, for the caption. */
export function areas(app) {
  const { state, tree, memory } = app;
  return ["test", "training"]
    .filter((name) => tree.counts[name])
    .map((name) => ({ name, auc: areaUnder(memory.curve(state.by, state.positive, name)) }));
}
