// The tree: zoom, pan, fold; only what is visible is drawn.

import { classColour } from "./colour.js";
import { element, fill, help, sharpCanvas } from "./dom.js";
import { usesMatrix } from "./point.js";
import { drawTree, widthOfEnd } from "./tree-draw.js";
import { allFolded, foldedAtFirst, isEnd, layOut } from "./tree-layout.js";
import { linesBelow } from "./lines.js";
import { pathTo, ROOT } from "./tree.js";
import { leafCount } from "./words.js";

const ROW = 30;
const COLUMN = 178;
const MARGIN = { left: 26, right: 10, top: 22, bottom: 18 };
// With more rows than this, text is illegible when the whole tree is shown.
const MOST_MEASURED = 60;
const SMALL = 420;
const READABLE = { row: 34, column: 104 };
const LEAST_ZOOM = 0.0005;
const MOST_ZOOM = 3;
// The approximate maximal number of highlighted lines.
const MOST_LIT = 5000;

/** Make the pane of the tree; returns its element, and `draw` and `refit` for changes elsewhere. */
export function makeTreeView(app) {
  const { tree } = app;
  const view = { folded: foldedAtFirst(tree), zoom: { x: 1, y: 1 }, shift: { x: 0, y: 0 }, focus: ROOT };
  view.layout = layOut(tree, view.folded);
  view.drawn = [];
  // The tree is fitted to its pane until the user moves it.
  view.moved = false;
  let asked = false;
  const surface = sharpCanvas(
    {
      class: "tree",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "decision tree",
      "aria-label": `Tree of ${leafCount(tree, tree.leaves.length)}. Arrow keys move from node to node, Enter folds or unfolds, plus and minus zoom, 0 shows all.`,
    },
    () => {
      if (!view.moved) {
        fit();
        if (size.width < SMALL) makeReadable();
      }
      paint();
    },
  );
  const { canvas, context, size } = surface;

  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawNow();
    });
  }

  function drawNow() {
    if (surface.resize()) paint();
  }

  function paint() {
    view.drawn = drawTree(context, size, app, view, { ROW, COLUMN });
  }

  /** Show everything, at most at natural size. */
  function fit() {
    const high = size.height - MARGIN.top - MARGIN.bottom;
    const rows = Math.max(view.layout.ends.length - 1, 1);
    view.zoom.x = Math.min(1.25, Math.max(0.06, widestColumn() / COLUMN));
    view.zoom.y = Math.max(LEAST_ZOOM, Math.min(1.6, high / (rows * ROW)));
    view.moved = false;
    view.shift.x = MARGIN.left;
    view.shift.y = MARGIN.top + Math.max(0, (high - rows * ROW * view.zoom.y) / 2);
  }

  /** The column width at which all leaves and the text beside them are visible. */
  function widestColumn() {
    const wide = size.width - MARGIN.left - MARGIN.right;
    const { ends, depth } = view.layout;
    if (ends.length > MOST_MEASURED) return wide / (depth + 1);
    const room = (node) => (wide - widthOfEnd(context, app, node)) / Math.max(tree.depth[node], 1);
    return Math.min(...ends.map(room));
  }

  /** On a small screen, start with a legible part of the tree rather than all of it. */
  function makeReadable() {
    view.zoom.x = Math.max(view.zoom.x, READABLE.column / COLUMN);
    if (view.zoom.y * ROW >= READABLE.row) return;
    view.zoom.y = READABLE.row / ROW;
    view.shift.y = size.height / 2 - view.layout.row[ROOT] * READABLE.row;
  }

  function zoomAt(factor, x, y) {
    view.moved = true;
    for (const [axis, at] of [["x", x], ["y", y]]) {
      const before = view.zoom[axis];
      view.zoom[axis] = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, before * factor));
      view.shift[axis] = at - ((at - view.shift[axis]) * view.zoom[axis]) / before;
    }
    draw();
  }

  function fold(folded, refit = true) {
    view.folded = folded;
    view.layout = layOut(tree, folded);
    if (refit) fit();
    draw();
  }

  function toggle(node) {
    if (tree.nChildren[node] === 0) return;
    const anchor = view.layout.row[node] * ROW * view.zoom.y + view.shift.y;
    const folded = new Set(view.folded);
    if (!folded.delete(node)) folded.add(node);
    else for (let i = 0; i < tree.nChildren[node]; i++) foldAgain(folded, tree.firstChild[node] + i);
    fold(folded, false);
    // The node stays where it is under the pointer.
    view.moved = true;
    view.shift.y = anchor - view.layout.row[node] * ROW * view.zoom.y;
    app.say(folded.has(node) ? "folded" : "unfolded");
  }

  /** In a large tree, nodes unfold one level at a time. */
  function foldAgain(folded, child) {
    const large = tree.nLeaves[child] > 12;
    if (tree.nChildren[child] > 0 && large) folded.add(child);
  }

  function nodeAt(x, y) {
    const near = (item) => x >= item.left && x <= item.right && Math.abs(y - item.y) <= item.reach;
    let best = null;
    for (const item of view.drawn) {
      if (near(item) && (!best || Math.abs(y - item.y) < Math.abs(y - best.y))) best = item;
    }
    return best && best.node;
  }

  function light(node, place) {
    if (node === null) app.light(null);
    else app.light({ node, lines: linesBelow(tree, node, MOST_LIT), from: "tree", place });
  }

  /** The position of a node on the canvas. */
  function placeOf(node) {
    return {
      x: tree.depth[node] * COLUMN * view.zoom.x + view.shift.x,
      y: view.layout.row[node] * ROW * view.zoom.y + view.shift.y,
    };
  }

  listen({ canvas, view, app, nodeAt, placeOf, light, toggle, zoomAt, draw, fit, reveal });

  /** Unfold the ancestors of a node, and bring it into view. */
  function reveal(node) {
    const path = pathTo(tree, node);
    const hidden = path.slice(0, -1).filter((at) => view.folded.has(at));
    if (hidden.length > 0) {
      const folded = new Set(view.folded);
      for (const at of hidden) folded.delete(at);
      for (const at of hidden) {
        for (let i = 0; i < tree.nChildren[at]; i++) {
          const child = tree.firstChild[at] + i;
          if (!path.includes(child)) foldAgain(folded, child);
        }
      }
      fold(folded, false);
    }
    const { x, y } = placeOf(node);
    const away = { x: x < 20 || x > size.width - 60, y: y < 20 || y > size.height - 20 };
    if (away.y) view.shift.y += size.height / 2 - y;
    if (away.x) view.shift.x += size.width / 2 - x;
    view.moved ||= away.x || away.y;
    draw();
  }

  const button = (text, label, action) =>
    element("button", { type: "button", class: "tool", "aria-label": label, title: label, on: { click: action } }, text);
  const tools = element(
    "div",
    { class: "tools", role: "group", "aria-label": "View of the tree" },
    button("+", "Zoom in", () => zoomAt(1.3, size.width / 2, size.height / 2)),
    button("−", "Zoom out", () => zoomAt(1 / 1.3, size.width / 2, size.height / 2)),
    button("Fit", "Show the whole tree", () => { fit(); draw(); }),
    button("Unfold", "Unfold all nodes", () => fold(new Set())),
    button("Fold", "Fold to the first split", () => fold(allFolded(tree))),
  );
  const key = makeLegend(app);
  const pane = element(
    "section",
    { class: "pane tree-pane", "aria-label": "Tree" },
    element("div", { class: "head" }, element("h2", {}, "Tree ", help("tree", "this picture")), tools),
    canvas,
    key.element,
  );
  return { element: pane, update: key.update, draw, drawNow, reveal, canvas, view };
}

/** Pointer, touch and keyboard events. */
function listen({ canvas, view, app, nodeAt, placeOf, light, toggle, zoomAt, draw, fit, reveal }) {
  const pointers = new Map();
  let moved = 0;
  const local = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, local(event));
    moved = 0;
    if (event.pointerType !== "mouse") light(null);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = local(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      const node = nodeAt(at.x, at.y);
      canvas.classList.toggle("over", node !== null);
      light(node, at);
      return;
    }
    const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const other = others[0][1];
      const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
      if (Number.isFinite(factor) && factor > 0) zoomAt(factor, other.x, other.y);
    } else {
      view.moved = true;
      view.shift.x += at.x - before.x;
      view.shift.y += at.y - before.y;
      draw();
    }
    moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    pointers.set(event.pointerId, at);
  });
  const release = (event) => {
    const at = local(event);
    const node = nodeAt(at.x, at.y);
    if (pointers.delete(event.pointerId) && event.type === "pointerup" && moved < 4 && node !== null) {
      view.focus = node;
      light(node, at);
      app.select(node);
      toggle(node);
    }
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  // Lifting a finger also fires this event; keep what is shown until the next touch.
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && light(null));
  canvas.addEventListener(
    "wheel",
    (event) => {
      // Zoom only after a click, or with Ctrl, so that scrolling the page past the tree still works.
      if (!event.ctrlKey && !event.metaKey && app.focused() !== canvas) return;
      event.preventDefault();
      const { x, y } = local(event);
      if (event.shiftKey) {
        view.moved = true;
        view.shift.x -= event.deltaY || event.deltaX;
        draw();
      } else zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const { tree } = app;
    const { order } = view.layout;
    const steps = {
      ArrowLeft: () => tree.parent[view.focus],
      ArrowRight: () => (isEnd(tree, view.folded, view.focus) ? -1 : tree.firstChild[view.focus]),
      ArrowUp: () => order[order.indexOf(view.focus) - 1] ?? -1,
      ArrowDown: () => order[order.indexOf(view.focus) + 1] ?? -1,
      Home: () => ROOT,
    };
    const actions = {
      Enter: () => toggle(view.focus),
      " ": () => toggle(view.focus),
      "+": () => zoomAt(1.3, canvas.clientWidth / 2, canvas.clientHeight / 2),
      "-": () => zoomAt(1 / 1.3, canvas.clientWidth / 2, canvas.clientHeight / 2),
      0: () => { fit(); draw(); },
    };
    if (steps[event.key]) {
      const next = steps[event.key]();
      if (next >= 0) {
        view.focus = next;
        reveal(next);
        light(next, placeOf(next));
        app.select(next);
        app.say(app.describe(next));
      }
    } else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => light(null));
}

// With more classes than this, colours would repeat.
const MOST_KEYS = 8;

/** The legend of colours and frames; with a cost matrix every class has its colour. */
function makeLegend(app) {
  const legend = element("p", { class: "legend" });
  const key = (name, text) => element("span", { class: "key" }, element("i", { class: name }), text);
  function ofClass(name, number) {
    const chip = element("i", {});
    chip.style.background = classColour(number);
    return element("span", { class: "key" }, chip, name);
  }
  function update() {
    const { tree, state } = app;
    if (usesMatrix(tree, state)) {
      fill(legend, tree.classes.slice(0, MOST_KEYS).map(ofClass), "fill: most probable class · frame: label");
      return;
    }
    const name = tree.classes[state.positive];
    fill(
      legend,
      key("positive", `labelled ${name}`),
      key("negative", "labelled otherwise"),
      key("next", "changes next"),
      element("span", { class: "key" }, `${tree.models ? "share" : "probability"} of ${name} 0`, element("i", { class: "ramp" }), "1"),
    );
  }
  return { element: legend, update };
}
