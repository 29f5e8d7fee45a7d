// A map of the cells over two attributes: boxes in the colours of their probabilities and labels.

import { boxOf, isMerged } from "./cells.js";
import { classShade, shade } from "./colour.js";
import { element, sharpCanvas } from "./dom.js";
import { linesBelow } from "./lines.js";
import { makeFrame } from "./plot.js";

const MAX_CELLS = 4000;
const LETTER_ROOM = 16;

/** Make the section; returns its element, `update` and `draw`. */
export function makeCellMap(app) {
  const { tree } = app;
  const surface = sharpCanvas({ class: "plot map", role: "img", "aria-label": "Map of the cells" }, paint);
  const { canvas, context, size } = surface;
  const axis = (number, name) =>
    element("select", { "aria-label": name, on: { change: draw } }, tree.features.map((feature, i) => element("option", { value: String(i), selected: i === number }, feature.name)));
  const across = axis(0, "Across");
  const up = axis(Math.min(1, tree.features.length - 1), "Up");
  let boxes = [];
  const section = element(
    "section",
    { class: "pane cell-map", "aria-label": "Map of the cells" },
    element("div", { class: "head" }, element("h2", {}, "Map of the cells"), tree.features.length > 2 ? element("div", { class: "tabs" }, across, up) : null),
    canvas,
  );
  function draw() {
    if (surface.resize()) paint();
  }
  function paint() {
    const [a, b] = [Number(across.value), Number(up.value)];
    const { low, high } = tree.cells;
    const { palette } = app;
    const frame = makeFrame(context, size, palette, { x: [low[a], high[a]], y: [low[b], high[b]], xName: tree.features[a].name, yName: tree.features[b].name });
    const nodes = Array.from(tree.leaves).filter((node) => !isMerged(tree, node)).slice(0, MAX_CELLS);
    context.globalAlpha = tree.features.length > 2 ? 0.45 : 1;
    boxes = nodes.map((node) => drawCell(context, app, frame, node, a, b));
    context.globalAlpha = 1;
    const { path } = app;
    if (path && app.state.values) drawCase(context, palette, frame, app.state.values[a], app.state.values[b]);
  }
  canvas.addEventListener("pointermove", (event) => {
    const at = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - at.left, event.clientY - at.top];
    const found = boxes.findLast((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
    app.light(found ? { node: found.node, lines: linesBelow(tree, found.node, 500), from: "map", place: { x, y } } : null);
  });
  canvas.addEventListener("pointerleave", () => app.light(null));
  return { element: section, canvas, update: draw, draw };
}

function drawCell(context, app, frame, node, a, b) {
  const { tree, palette, state, point, letters } = app;
  const sides = boxOf(tree, node);
  const { low, high } = tree.cells;
  const left = frame.x(sides[a].low ?? low[a]);
  const right = frame.x(sides[a].high ?? high[a]);
  const bottom = frame.y(sides[b].low ?? low[b]);
  const top = frame.y(sides[b].high ?? high[b]);
  const row = tree.probabilities.subarray(node * tree.nClasses, (node + 1) * tree.nClasses);
  context.fillStyle = point.perClass ? classShade(row, palette) : shade(row[state.positive], palette);
  context.fillRect(left, top, right - left, bottom - top);
  const isFlagged = point.nodeLabels[node] === state.positive;
  context.lineWidth = app.lit?.node === node ? 3 : isFlagged ? 2 : 0.75;
  context.strokeStyle = app.lit?.node === node ? palette.accent : isFlagged ? palette.positive : palette.negative;
  context.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
  context.font = "600 11.5px system-ui, sans-serif";
  if (right - left > context.measureText(letters.get(node)).width + 5 && bottom - top > LETTER_ROOM) {
    context.textAlign = "center";
    context.fillStyle = Math.abs(row[state.positive] - 0.5) > 0.36 ? "#fff" : palette.ink;
    context.fillText(letters.get(node), (left + right) / 2, (top + bottom) / 2);
  }
  return { node, left, right, top, bottom };
}

function drawCase(context, palette, frame, x, y) {
  context.beginPath();
  context.arc(frame.x(x), frame.y(y), 6, 0, 2 * Math.PI);
  context.fillStyle = palette.case;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = palette.panel;
  context.stroke();
}
