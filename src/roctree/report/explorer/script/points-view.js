// The points of a tree with points: one small picture per attribute, all on the same scale.

import { element, fitted, help, sharpCanvas } from "./dom.js";
import { pointsAt, pointsFor, pointsRange } from "./scorecard.js";
import { grouped, percent, short, signedPoints } from "./words.js";

const FONT = "12px system-ui, sans-serif";
const HEIGHT = 132;
const EDGE = { left: 42, right: 10, top: 12, bottom: 22 };
// The attributes with the largest effect come first; the others are behind a button.
const MAX_SHOWN = 12;

/** Make the section; returns its element, `update` and `draw`. */
export function makePointsView(app) {
  const { attributes } = app.tree.points;
  const charts = attributes.map((attribute, number) => makeChart(app, attribute, number));
  const title = element("span", {});
  const note = element("p", { class: "legend" });
  const grid = element("div", { class: "points-grid" }, charts.map(({ element: box }) => box));
  const all = element("button", { type: "button", on: { click: showAll } }, `Show all ${attributes.length} attributes`);
  const section = element(
    "section",
    { class: "pane points", "aria-label": "Points" },
    element("div", { class: "head" }, element("h2", {}, title, help("points", "a point"))),
    note,
    grid,
    attributes.length > MAX_SHOWN ? all : null,
  );
  function showAll() {
    charts.forEach((chart) => (chart.element.hidden = false));
    all.hidden = true;
    draw();
  }
  charts.slice(MAX_SHOWN).forEach((chart) => (chart.element.hidden = true));
  function update() {
    const { tree, state } = app;
    const name = tree.classes[state.positive];
    title.textContent = `Points added to the leaf, for ${name} `;
    const double = Math.LN2 / tree.points.unit;
    note.textContent = `The leaf makes ${percent(tree.points.tree_share, 0)} of the differences in the score, the points below the rest. ${short(double, 2)} points more double the odds of ${name}.`;
    charts.forEach((chart) => chart.update());
  }
  function draw() {
    charts.forEach((chart) => chart.update());
  }
  return { element: section, update, draw };
}

/** The picture of one attribute, with the points of the case if there is one. */
function makeChart(app, attribute, number) {
  const { tree } = app;
  const feature = tree.features[attribute.feature];
  const surface = sharpCanvas({ role: "img" }, paint);
  const own = element("strong", { class: "own-points" });
  const box = element(
    "figure",
    { data: { attribute: String(number) } },
    element("figcaption", {}, element("span", {}, feature.measure ? `${feature.name}, ${feature.measure}` : feature.name), own, element("small", {}, percent(attribute.share, 0))),
    surface.canvas,
  );
  function update() {
    const { values, positive } = app.state;
    const points = values === null ? null : pointsFor(pointsAt(attribute, values[attribute.feature]), positive);
    own.textContent = points === null ? "" : signedPoints(tree.points, points);
    const [low, high] = pointsRange(attribute, positive);
    surface.canvas.setAttribute("aria-label", `${feature.name}: from ${signedPoints(tree.points, low)} to ${signedPoints(tree.points, high)} points`);
    if (surface.resize()) paint();
  }
  function paint() {
    const { context, size } = surface;
    const { palette, state } = app;
    const scale = scaleOf(tree.points.attributes, state.positive);
    const y = (points) => EDGE.top + ((scale.high - points) / (scale.high - scale.low)) * (HEIGHT - EDGE.top - EDGE.bottom);
    const frame = { context, palette, y, left: EDGE.left, right: size.width - EDGE.right };
    context.clearRect(0, 0, size.width, size.height);
    context.font = FONT;
    drawZero(frame, tree.points, scale);
    if (feature.categories) drawCategories(frame, app, attribute, feature);
    else drawCurve(frame, app, attribute);
  }
  return { element: box, update };
}

/** One scale for all attributes, so that their effects can be compared. */
function scaleOf(attributes, positive) {
  const ends = attributes.flatMap((each) => pointsRange(each, positive));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  return low < high ? { low, high } : { low: -1, high: 1 };
}

function drawZero({ context, palette, y, left, right }, card, { low, high }) {
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const points of [low, 0, high]) {
    if (points !== 0 && Math.abs(y(points) - y(0)) < 13) continue;
    context.fillStyle = points === 0 ? palette.quiet : palette.faint;
    context.fillRect(left, y(points), right - left, 1);
    context.fillStyle = palette.quiet;
    context.fillText(signedPoints(card, points), left - 5, y(points));
  }
}

/** The corners of the curve of a number: two where it jumps. */
function cornersOf({ starts, high, values, slopes }, positive) {
  return starts.flatMap((start, i) => {
    const end = starts[i + 1] ?? high;
    const at = (value) => values[i].map((points, k) => points + slopes[i][k] * (value - start));
    return [start, end].map((value) => [value, pointsFor(at(value), positive)]);
  });
}

function drawCurve(frame, app, attribute) {
  const { context, palette, y, left, right } = frame;
  const { tree, state } = app;
  const { starts, high } = attribute;
  const x = (value) => left + ((value - starts[0]) / (high - starts[0] || 1)) * (right - left);
  const corners = cornersOf(attribute, state.positive).map(([value, points]) => [x(value), y(points)]);
  // Above zero in the colour of the class, below in that of the others.
  for (const [colour, top, bottom] of [[palette.positive, 0, y(0)], [palette.negative, y(0), HEIGHT]]) {
    context.save();
    context.beginPath();
    context.rect(0, top, right + EDGE.right, bottom - top);
    context.clip();
    context.beginPath();
    context.moveTo(corners[0][0], y(0));
    corners.forEach((corner) => context.lineTo(...corner));
    context.lineTo(corners.at(-1)[0], y(0));
    context.globalAlpha = 0.18;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    corners.forEach((corner) => context.lineTo(...corner));
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.stroke();
    context.restore();
  }
  context.fillStyle = palette.quiet;
  context.textBaseline = "bottom";
  context.textAlign = "left";
  context.fillText(grouped(short(starts[0], 3)), left, HEIGHT);
  context.textAlign = "right";
  context.fillText(grouped(short(high, 3)), right, HEIGHT);
  const value = state.values?.[attribute.feature] ?? null;
  if (value === null) return;
  const within = Math.min(Math.max(value, starts[0]), high);
  drawOwn(frame, x(within), y(pointsFor(pointsAt(attribute, value), state.positive)));
  const text = grouped(short(value, 4));
  const wide = context.measureText(text).width / 2;
  // Where it is far enough from the ends of the range.
  if (x(within) - wide > left + 40 && x(within) + wide < right - 40) {
    context.textAlign = "center";
    context.fillStyle = palette.ink;
    context.fillText(text, x(within), HEIGHT);
  }
}

function drawCategories(frame, app, attribute, { categories }) {
  const { context, palette, y, left, right } = frame;
  const { state } = app;
  const width = (right - left) / categories.length;
  const own = state.values?.[attribute.feature] ?? null;
  categories.forEach((name, code) => {
    const points = pointsFor(attribute.values[Math.min(code, attribute.values.length - 1)], state.positive);
    const middle = left + (code + 0.5) * width;
    context.fillStyle = points >= 0 ? palette.positive : palette.negative;
    const bar = Math.min(26, width * 0.6);
    context.fillRect(middle - bar / 2, Math.min(y(points), y(0)), bar, Math.max(1, Math.abs(y(points) - y(0))));
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillStyle = code === own ? palette.ink : palette.quiet;
    context.fillText(fitted(context, name, width - 4), middle, HEIGHT);
    if (code === own) drawOwn(frame, middle, y(points));
  });
}

function drawOwn({ context, palette }, x, y) {
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fillStyle = palette.case;
  context.fill();
  context.strokeStyle = palette.panel;
  context.lineWidth = 1.5;
  context.stroke();
}
