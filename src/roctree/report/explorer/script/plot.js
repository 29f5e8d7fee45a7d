// Axes on a canvas, and the strokes that all plots share.

import { fitted, wrapped } from "./dom.js";

const FONT = "12px system-ui, sans-serif";
const MARGIN = { left: 52, right: 16, top: 12, bottom: 44 };
const LINE = 15;

/**
 * A frame with axes: `x` and `y` turn values into pixels, `back` pixels into values.
 * `options` are the ranges and names of the axes, `square` for equal scales.
 */
export function makeFrame(context, size, palette, options) {
  let width = size.width - MARGIN.left - MARGIN.right;
  context.font = FONT;
  const xNames = wrapped(context, options.xName, width).map((each) => fitted(context, each, width));
  let height = size.height - MARGIN.top - MARGIN.bottom - LINE * (xNames.length - 1);
  if (options.square) width = height = Math.min(width, height);
  const left = MARGIN.left + (size.width - MARGIN.left - MARGIN.right - width) / 2;
  const [x0, x1] = options.x;
  const [y0, y1] = options.y;
  const x = (value) => left + ((value - x0) / (x1 - x0)) * width;
  const y = (value) => MARGIN.top + height - ((value - y0) / (y1 - y0)) * height;
  const back = (px, py) => ({
    x: x0 + ((px - left) / width) * (x1 - x0),
    y: y0 + ((MARGIN.top + height - py) / height) * (y1 - y0),
  });
  const frame = { context, palette, x, y, back, left, top: MARGIN.top, width, height };
  drawAxes(frame, { ...options, xNames });
  return frame;
}

function drawAxes(frame, options) {
  const { context, palette, x, y, left, top, width, height } = frame;
  context.clearRect(0, 0, context.canvas.clientWidth, context.canvas.clientHeight);
  context.lineWidth = 1;
  context.textBaseline = "middle";
  for (const value of options.yName ? ticks(...options.y) : []) {
    line(frame, [[left, y(value)], [left + width, y(value)]], palette.faint);
    context.textAlign = "right";
    words(frame, tickText(value), left - 8, y(value), palette.quiet);
  }
  for (const value of ticks(...options.x)) {
    line(frame, [[x(value), top], [x(value), top + height]], palette.faint);
    context.textAlign = "center";
    words(frame, tickText(value), x(value), top + height + 14, palette.quiet);
  }
  context.textAlign = "center";
  options.xNames.forEach((text, i) => words(frame, text, left + width / 2, top + height + 34 + LINE * i, palette.ink));
  context.save();
  context.translate(left - 40, top + height / 2);
  context.rotate(-Math.PI / 2);
  words(frame, options.yName, 0, 0, palette.ink);
  context.restore();
}

/** Round numbers inside a range, about six of them. */
export function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough * 0.999) * power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}

function tickText(value) {
  return String(Number(value.toPrecision(6)));
}

/** Draw text in a colour. */
export function words({ context }, text, x, y, colour) {
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** A line through pixels. */
export function line({ context }, pixels, colour, { width = 1, dash = [] } = {}) {
  if (pixels.length < 2) return;
  context.beginPath();
  pixels.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}

/** Many lines at once, each between two pixels. */
export function strokes({ context }, segments, colour, width) {
  context.beginPath();
  for (const [[x0, y0], [x1, y1]] of segments) {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

/** A dot with a rim, visible on any line. */
export function dot({ context, palette }, x, y, colour, radius = 6, hollow = false) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = hollow ? palette.panel : colour;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = hollow ? colour : palette.panel;
  context.stroke();
}

/** Draw only inside the frame. */
export function inside(frame, draw) {
  const { context, left, top, width, height } = frame;
  context.save();
  context.beginPath();
  context.rect(left - 1, top - 1, width + 2, height + 2);
  context.clip();
  draw();
  context.restore();
}

/** The distance of a pixel from the segment between two others. */
export function distanceToSegment(px, py, [x0, y0], [x1, y1]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const part = length > 0 ? Math.max(0, Math.min(1, ((px - x0) * dx + (py - y0) * dy) / length)) : 0;
  return Math.hypot(px - x0 - part * dx, py - y0 - part * dy);
}
