// The minimap: the whole tree beside its pane, when only a part of it is in view.

import { shade } from "./colour.js";
import { element } from "./dom.js";

const WIDTH = 46;
const MARGIN = 34;
// More rows than this are drawn several at once.
const MAX_BARS = 400;

/** Make the map; `moveTo` is called with the shift that brings the clicked row into the middle. */
export function makeMinimap(app, view, size, moveTo) {
  const canvas = element("canvas", { class: "minimap", "aria-hidden": "true", hidden: true });
  const go = (event) => {
    if (event.buttons === 0 && event.type !== "click") return;
    const box = canvas.getBoundingClientRect();
    const row = ((event.clientY - box.top) / box.height) * view.layout.ends.length;
    moveTo(size.height / 2 - row * view.rowHeight);
  };
  canvas.addEventListener("click", go);
  canvas.addEventListener("pointermove", go);
  return { canvas };
}

/** Draw the rows as bars in the colours of their probabilities, and the part in view. */
export function drawMinimap({ canvas }, app, view, size) {
  const { layout, rowHeight, shift } = view;
  const rows = layout.ends.length;
  const whole = rows * rowHeight;
  canvas.hidden = whole <= size.height - MARGIN + 1;
  if (canvas.hidden) return;
  const ratio = Math.max(window.devicePixelRatio || 1, 1);
  const high = Math.min(160, size.height - 60);
  canvas.width = WIDTH * ratio;
  canvas.height = high * ratio;
  canvas.style.width = `${WIDTH}px`;
  canvas.style.height = `${high}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = app.palette.panel;
  context.fillRect(0, 0, WIDTH, high);
  const { tree, state, palette } = app;
  const step = Math.max(1, Math.ceil(rows / MAX_BARS));
  for (let row = 0; row < rows; row += step) {
    const node = layout.ends[row];
    const left = 2 + Math.min(24, tree.depth[node] * 3);
    context.fillStyle = shade(tree.probabilities[node * tree.nClasses + state.positive], palette);
    context.fillRect(left, (row / rows) * high, WIDTH - left - 2, Math.max(1, (step / rows) * high - 0.3));
  }
  const top = ((-shift.y + rowHeight / 2) / whole) * high;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(1, Math.max(1, top), WIDTH - 2, Math.min(high - 2, (size.height / whole) * high));
}
