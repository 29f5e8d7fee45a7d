// The same operating point in other coordinates: costs, gains, net benefit, calibration, distances.

import { shade } from "./colour.js";
import {
  costAt,
  costCurve,
  gainCurve,
  gainsAt,
  netBenefit,
  netBenefitCurve,
  thresholdOf,
  weightOf,
  wilson,
} from "./curves.js";
import { fitted } from "./dom.js";
import { groupsAbove } from "./labelling.js";
import { dot, inside, line, makeFrame, words } from "./plot.js";
import { countsOf } from "./tree.js";

const MAX_LINES = 80;
const MAX_WHISKERS = 60;
const N_BINS = 10;

const pixels = (frame, points) => points.map(({ x, y }) => [frame.x(x), frame.y(y)]);

/** The costs in use: those of the user, or 1 for each error with a cost matrix. */
function costsOf({ state }) {
  return state.mode === "matrix" ? { fp: 1, fn: 1 } : { fp: state.cost_fp, fn: state.cost_fn };
}

/** The operating point in the coordinates of a view; null if it is outside. */
export function placeIn(view, app) {
  const { rates } = app.point;
  if (view === "cost") {
    const x = weightOf(rates, costsOf(app));
    return { x, y: costAt(rates.fpr, rates.tpr, x) };
  }
  if (view === "benefit") {
    const x = thresholdOf(costsOf(app));
    return { x, y: netBenefit(rates.fpr, rates.tpr, rates.prior, x) };
  }
  return gainsAt(rates.tp, rates.fp, rates.tp + rates.fn, rates.fp + rates.tn);
}

/** Expected cost over the weight of the positives; every labelling is a straight line. */
export function drawCost(context, size, app) {
  const { palette, point } = app;
  const { counted, rates } = point;
  const frame = makeFrame(context, size, palette, {
    x: [0, 1],
    y: [0, 0.5],
    xName: "weight of the class of interest: its share × cost of missing it",
    yName: "expected cost, from 0 to 1",
  });
  const across = (fpr, tpr) => [{ x: 0, y: fpr }, { x: 1, y: 1 - tpr }];
  inside(frame, () => {
    if (counted.tpr.length <= MAX_LINES) {
      counted.tpr.forEach((tpr, g) => line(frame, pixels(frame, across(counted.fpr[g], tpr)), palette.branch, { width: 1.25 }));
    }
    line(frame, pixels(frame, [{ x: 0, y: 0 }, { x: 0.5, y: 0.5 }, { x: 1, y: 0 }]), palette.quiet, { dash: [5, 4] });
    line(frame, pixels(frame, costCurve(counted)), palette.accent, { width: 3 });
    line(frame, pixels(frame, across(rates.fpr, rates.tpr)), palette.ink, { width: 2 });
    drawGroups(frame, app, (g) => pixels(frame, across(counted.fpr[g], counted.tpr[g])));
  });
  const { x, y } = placeIn("cost", app);
  dot(frame, frame.x(x), frame.y(Math.min(0.5, y)), palette.ink, 7);
  return frame;
}

/** The labellings before and after the highlighted leaves change. */
function drawGroups(frame, { lit, point, palette }, pixelsOf) {
  if (!lit) return;
  const groups = new Set(lit.lines.map((each) => point.order.rank[each]).filter((rank) => rank >= 0));
  for (const group of groups.size <= MAX_LINES ? groups : []) {
    line(frame, pixelsOf(group + 1), palette.accent, { width: 1.5, dash: [4, 3] });
  }
}

/** Precision gain over recall gain. */
export function drawGain(context, size, app) {
  const { palette, point } = app;
  const { counted } = point;
  const frame = makeFrame(context, size, palette, {
    x: [0, 1],
    y: [0, 1],
    xName: "recall gain",
    yName: "precision gain",
    square: true,
  });
  const curve = gainCurve(counted);
  inside(frame, () => {
    line(frame, pixels(frame, [{ x: 0, y: 1 }, { x: 1, y: 0 }]), palette.quiet, { dash: [2, 4] });
    line(frame, pixels(frame, curve), palette.accent, { width: 3 });
    drawLitPoints(frame, app, curve);
  });
  const at = placeIn("gain", app);
  if (at && at.y >= 0) dot(frame, frame.x(at.x), frame.y(at.y), palette.ink, 7);
  return frame;
}

function drawLitPoints(frame, { lit, point, palette }, curve) {
  if (!lit) return;
  const corners = new Set(lit.lines.map((line) => point.order.rank[line] + 1));
  for (const { x, y, corner } of curve) {
    if (corners.has(corner)) dot(frame, frame.x(x), frame.y(y), palette.accent, 6);
  }
}

/** Net benefit over the threshold probability, beside treating everyone and no one. */
export function drawBenefit(context, size, app) {
  const { palette, point } = app;
  const { counted, rates, bounds } = point;
  const { prior } = rates;
  const most = Math.min(0.95, Math.max(0.5, 2 * thresholdOf(costsOf(app))));
  const lowest = -0.25 * prior;
  const frame = makeFrame(context, size, palette, {
    x: [0, most],
    y: [lowest, prior * 1.05],
    xName: "threshold probability: cost of a false alarm ÷ both costs",
    yName: "net benefit per case",
  });
  const grid = Array.from({ length: 101 }, (_, i) => (most * i) / 100);
  inside(frame, () => {
    line(frame, pixels(frame, grid.map((x) => ({ x, y: netBenefit(1, 1, prior, x) }))), palette.quiet, { width: 1.5, dash: [6, 3] });
    line(frame, pixels(frame, [{ x: 0, y: 0 }, { x: most, y: 0 }]), palette.quiet, { width: 1.5 });
    const curve = netBenefitCurve(counted, bounds, prior, most, (g) => groupsAbove(point.ranking, g, point.order));
    line(frame, pixels(frame, curve), palette.accent, { width: 3 });
    drawLitPoints(frame, app, curve);
  });
  context.textAlign = "right";
  words(frame, "treat no one", frame.left + frame.width - 6, frame.y(0) - 9, palette.quiet);
  context.textAlign = "left";
  words(frame, "treat everyone", frame.x(prior * 0.55) + 8, frame.y(netBenefit(1, 1, prior, prior * 0.55)) - 8, palette.quiet);
  const { x, y } = placeIn("benefit", app);
  if (x <= most && y >= lowest) dot(frame, frame.x(x), frame.y(y), palette.ink, 7);
  return frame;
}

/** Predicted against observed probability, one dot per leaf with cases. */
export function drawCalibration(context, size, app) {
  const { palette, lit, point } = app;
  const frame = makeFrame(context, size, palette, {
    x: [0, 1],
    y: [0, 1],
    xName: "predicted probability",
    yName: `share among the ${app.tableName(app.state.on)}`,
    square: true,
  });
  const dots = calibrationDots(app);
  const largest = Math.max(...dots.slice(0, 5000).map(({ total }) => total), 1);
  inside(frame, () => {
    line(frame, [[frame.x(0), frame.y(0)], [frame.x(1), frame.y(1)]], palette.quiet, { dash: [2, 4] });
    for (const { x, count, total } of dots.length <= MAX_WHISKERS ? dots : []) {
      const { low, high } = wilson(count, total);
      line(frame, [[frame.x(x), frame.y(low)], [frame.x(x), frame.y(high)]], palette.quiet, { width: 1 });
    }
  });
  const lines = new Set(lit?.lines);
  for (const { x, y, total, lines: own } of dots) {
    const radius = 2.5 + 11 * Math.sqrt(total / largest);
    dot(frame, frame.x(x), frame.y(y), own.some((line) => lines.has(line)) ? palette.accent : shade(x, palette), radius);
    context.strokeStyle = point.isPositive[own[0]] ? palette.positive : palette.negative;
    context.stroke();
  }
  return frame;
}

/** One dot per leaf or cell with cases; for answers, one per group of consecutive cases. */
export function calibrationDots(app) {
  const { tree, state, point } = app;
  const { nClasses, lines } = tree;
  // In a tree of splits, divided cases count in parts.
  const parts = tree.kind === "tree" ? countsOf(tree, state.on) : null;
  const dots = [];
  for (let line = 0; line < (parts ? tree.leaves.length : lines.nDirect); line++) {
    const start = (parts ? lines.node[line] : line) * nClasses;
    const counts = (parts ?? point.on.counts).subarray(start, start + nClasses);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const row = lines.scores ? line : lines.node[line];
    const x = (lines.scores ?? tree.probabilities)[row * nClasses + state.positive];
    const count = counts[state.positive];
    if (total > 0) dots.push({ lines: [line], x, y: count / total, count, total });
  }
  return (tree.hasAnswers ? inBins(dots) : dots).sort((a, b) => b.total - a.total);
}

/** Dots of about equal weight, each for cases with consecutive probabilities. */
function inBins(dots) {
  const all = dots.reduce((sum, { total }) => sum + total, 0);
  const bins = [];
  let before = 0;
  for (const each of dots.slice().sort((a, b) => a.x - b.x)) {
    const number = Math.min(N_BINS - 1, Math.floor((N_BINS * before) / all));
    before += each.total;
    const bin = (bins[number] ??= { lines: [], sum: 0, count: 0, total: 0 });
    bin.lines.push(...each.lines);
    bin.sum += each.x * each.total;
    bin.count += each.count;
    bin.total += each.total;
  }
  return bins.filter(Boolean).map(({ sum, ...bin }) => ({ ...bin, x: sum / bin.total, y: bin.count / bin.total }));
}

/** The lines whose dot is nearest to a pixel; null if none is near. */
export function pickDot(frame, app, px, py) {
  let best = { lines: null, away: 16 };
  for (const { lines, x, y } of calibrationDots(app)) {
    const away = Math.hypot(frame.x(x) - px, frame.y(y) - py);
    if (away < best.away) best = { lines, away };
  }
  return best.lines;
}

/** Cases by distance from another label, one lane per true class. */
export function drawNear(context, size, app) {
  const { palette, near } = app;
  const known = near.filter((each) => each !== undefined);
  const farthest = Math.max(...known.map(({ signed }) => Math.abs(signed)), 1e-9) * 1.05;
  const frame = makeFrame(context, size, palette, {
    x: [-farthest, farthest],
    y: [0, 1],
    xName: `← labelled otherwise · distance from the boundary · labelled ${app.labelName(app.state.positive)} →`,
    yName: "",
  });
  line(frame, [[frame.x(0), frame.top], [frame.x(0), frame.top + frame.height]], palette.ink, { width: 1.5 });
  known.forEach(({ signed, truth, number, right }) => {
    const positive = truth === app.state.positive;
    const y = (positive ? 0.6 : 0.1) + 0.3 * scatter(number);
    const lit = app.lit?.from === "near" && app.lit.number === number;
    dot(frame, frame.x(signed), frame.y(y), lit ? palette.accent : positive ? palette.positive : palette.negative, lit ? 7 : 4.5, !right && !lit);
  });
  context.textAlign = "left";
  const truly = fitted(context, `true class ${app.labelName(app.state.positive)}`, frame.width - 12);
  words(frame, truly, frame.left + 6, frame.y(0.95), palette.ink);
  words(frame, "other true class", frame.left + 6, frame.y(0.45), palette.ink);
  return frame;
}

/** A reproducible number between 0 and 1 that spreads dots vertically. */
function scatter(number) {
  return (number * 0.6180339887498949) % 1;
}

/** The case whose dot is nearest to a pixel. */
export function pickCase(frame, app, px, py) {
  let best = { found: null, away: 12 };
  for (const each of app.near) {
    if (each === undefined) continue;
    const y = (each.truth === app.state.positive ? 0.6 : 0.1) + 0.3 * scatter(each.number);
    const away = Math.hypot(frame.x(each.signed) - px, frame.y(y) - py);
    if (away < best.away) best = { found: each, away };
  }
  return best.found;
}
