// The ROC curve, one segment per group of leaves; hull, line of equal cost, band and operating point.

import { areaUnder, hullOf } from "./curves.js";
import { distanceToSegment, dot, inside, line, makeFrame, strokes } from "./plot.js";
import { countGroups, isocostSlope } from "./point.js";

// Curves with more corners are drawn without dots, which would overlap.
const MOST_DOTS = 120;

/** Draw the curve; returns the frame. */
export function drawRoc(context, size, app) {
  const { palette, point, state } = app;
  const frame = makeFrame(context, size, palette, {
    x: [0, 1],
    y: [0, 1],
    xName: "false positive rate",
    yName: "true positive rate (recall)",
    square: true,
  });
  inside(frame, () => {
    drawBand(frame, app);
    line(frame, toPixels(frame, [[0, 0], [1, 1]]), palette.quiet, { dash: [2, 4] });
    drawHull(frame, point.counted, palette);
    for (const name of otherTables(app)) {
      const curve = app.memory.curve(state.by, state.positive, name);
      const corner = countGroups(app.memory.ranking(state.by, state.positive, name), point.isPositive);
      line(frame, cornersOf(frame, curve), palette.quiet, { width: 1.5, dash: [6, 3] });
      if (corner !== null) {
        dot(frame, frame.x(curve.fpr[corner]), frame.y(curve.tpr[corner]), palette.quiet, 5, true);
      }
    }
    drawCurve(frame, app);
    drawIsocost(frame, app);
    drawLit(frame, app);
  });
  const { fpr, tpr } = point.rates;
  if (Number.isFinite(fpr + tpr)) dot(frame, frame.x(fpr), frame.y(tpr), palette.ink, 7);
  return frame;
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
  const sides = point.corner === null
    ? [[corners, palette.ink]]
    : [[corners.slice(0, middle + 1), palette.positive], [corners.slice(middle), palette.negative]];
  for (const [pixels, colour] of sides) line(frame, pixels, colour, { width: 3 });
  if (corners.length > MOST_DOTS) return;
  corners.forEach(([x, y], g) => {
    dot(frame, x, y, g <= middle && point.corner !== null ? palette.positive : palette.negative, 3);
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
