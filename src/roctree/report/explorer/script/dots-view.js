// The dots in the lanes beside the leaves. A dot moves to another lane when its leaf flips.

import { classColour } from "./colour.js";
import { makeStamp, oncePerFrame, sharpCanvas } from "./dom.js";
import { LEFT } from "./point.js";
import { laneNames } from "./tree-columns.js";
import { isEnd } from "./tree-layout.js";
import { pathTo } from "./tree.js";

const FLIP = 300;
const FLOW = 1100;
// Rows closer than this have no room for dots.
const MIN_ROW = 9;
const PITCH = { least: 1.2, most: 7.5 };
const HIGHEST = 96;
const TOP = 24;

/** Make the layer of dots above the tree; `place` puts them where the view says, `flow` lets them run in. */
export function makeDotsView(app, view, pane, still) {
  const surface = sharpCanvas({ class: "dots", "aria-hidden": "true" }, paint);
  const { canvas, context, size } = surface;
  const state = { n: 0, x: [], y: [], fromX: [], fromY: [], radius: 0, began: 0, lasts: 0, delay: null, route: null };
  const draw = oncePerFrame(drawNow);

  /** Put dots in their lanes; with `move` those that change place travel there. */
  function place(dots, move) {
    const { x, y, radius } = targetsOf(app, view, dots, pane);
    const known = state.n === dots.n && state.x.length === x.length;
    const travels = move && known && !still();
    if (travels) [state.fromX, state.fromY] = positionsNow();
    Object.assign(state, { n: dots.n, x, y, radius, dots, route: null, delay: null });
    state.began = performance.now();
    state.lasts = travels ? FLIP : 0;
    draw();
  }

  /** Let the dots run from the root through the tree into their leaves. */
  function flow(routeOf) {
    if (still() || state.n === 0) return;
    Object.assign(state, { began: performance.now(), lasts: FLOW, route: routeOf, delay: Float32Array.from(state.x, (_, i) => ((i * 7919) % 1000) / 1000) });
    draw();
  }

  function positionsNow() {
    const part = progress();
    if (state.lasts === 0 || part >= 1 || state.route) return [state.x, state.y];
    const eased = ease(part);
    const between = (from, to) => Float32Array.from(to, (end, i) => from[i] + (end - from[i]) * eased);
    return [between(state.fromX, state.x), between(state.fromY, state.y)];
  }

  function progress() {
    return state.lasts === 0 ? 1 : Math.min(1, (performance.now() - state.began) / state.lasts);
  }

  function drawNow() {
    if (!surface.resize()) return;
    paint();
    if (progress() < 1) draw();
  }

  function paint() {
    context.clearRect(0, 0, size.width, size.height);
    if (state.n === 0 || !state.dots) return;
    const [x, y] = state.route && progress() < 1 ? onTheWay() : positionsNow();
    for (const [side, colour] of coloursOf(app)) {
      const stamp = makeStamp(context, colour, state.radius);
      for (let i = 0; i < state.n; i++) if (state.dots.side[i] === side && y[i] > TOP - 6) stamp(x[i], y[i]);
    }
  }

  function onTheWay() {
    const part = progress();
    const x = new Float32Array(state.n);
    const y = new Float32Array(state.n);
    for (let i = 0; i < state.n; i++) {
      // Dots start one after the other, and each needs half of the time.
      const own = ease(Math.min(1, Math.max(0, part * 2 - state.delay[i])));
      [x[i], y[i]] = alongRoute([...state.route(state.dots.node[i]), [state.x[i], state.y[i]]], own);
    }
    return [x, y];
  }

  return { canvas, place, flow, draw, paint, state, positionsNow };
}

function ease(part) {
  return part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2;
}

function alongRoute(points, part) {
  const at = part * (points.length - 1);
  const i = Math.min(points.length - 2, Math.floor(at));
  const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]];
  return [x0 + (x1 - x0) * (at - i), y0 + (y1 - y0) * (at - i)];
}

function coloursOf({ tree, point, palette }) {
  if (point.perClass) return tree.classes.map((_, c) => [c, classColour(c)]);
  return [[0, palette.negative], [1, palette.positive]];
}

/** The lane of each dot: cleared or flagged, or right or wrong if every class has its label; or undecided. */
function laneOf({ point }, dots, i) {
  const line = dots.line[i];
  if (point.called[line] === LEFT) return 1;
  const isLast = point.perClass ? point.lineLabels[line] !== dots.truth[i] : point.isPositive[line];
  return isLast ? laneNames(point).length - 1 : 0;
}

/** Where each dot belongs: in columns from the left of its lane, in the row of its leaf. */
function targetsOf(app, view, dots, pane) {
  const { tree } = app;
  const { columns, rowHeight, layout, shift, folded } = view;
  const x = new Float32Array(dots.n).fill(-100);
  const y = new Float32Array(dots.n).fill(-100);
  if (rowHeight < MIN_ROW || !columns) return { x, y, radius: 0 };
  const rowOf = endsOf(tree, folded, dots);
  const high = Math.min(rowHeight - 4, HIGHEST);
  // The same for all rows, so that areas can be compared; a full row of one lane must fit.
  const most = Math.max(1, ...countsBy(dots, rowOf).values());
  const pitch = pitchFor(most, high, columns.lane);
  const perColumn = Math.max(1, Math.floor(high / pitch));
  const next = new Map();
  // Within a row, dots of one class lie together.
  for (const i of dots.bySide) {
    const lane = laneOf(app, dots, i);
    const key = rowOf[i] * columns.lanes.length + lane;
    const place = next.get(key) ?? 0;
    next.set(key, place + 1);
    const middle = layout.row[rowOf[i]] * rowHeight + shift.y;
    x[i] = columns.lanes[lane] + (Math.floor(place / perColumn) + 0.5) * pitch;
    y[i] = middle - (perColumn * pitch) / 2 + ((place % perColumn) + 0.5) * pitch;
    if (y[i] > pane.height + 50) y[i] = -100;
  }
  return { x, y, radius: pitch * 0.42 };
}

function endsOf(tree, folded, dots) {
  const known = new Map();
  return Array.from(dots.node, (node) => {
    if (!known.has(node)) known.set(node, pathTo(tree, node).find((at) => isEnd(tree, folded, at)));
    return known.get(node);
  });
}

function countsBy(dots, rowOf) {
  const counts = new Map();
  for (let i = 0; i < dots.n; i++) counts.set(rowOf[i], (counts.get(rowOf[i]) ?? 0) + 1);
  return counts;
}

/** The largest distance between dots at which so many fit into a box. */
function pitchFor(n, high, wide) {
  let pitch = PITCH.most;
  while (pitch > PITCH.least && Math.ceil(n / Math.max(1, Math.floor(high / pitch))) * pitch > wide) pitch -= 0.1;
  return pitch;
}
