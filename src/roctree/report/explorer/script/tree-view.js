// The tree: zoom, pan, fold, search; only what is visible is drawn.

import { classColour } from "./colour.js";
import { element, fill, help, oncePerFrame, sharpCanvas } from "./dom.js";
import { makeDotsView } from "./dots-view.js";
import { linesBelow } from "./lines.js";
import { drawMinimap, makeMinimap } from "./minimap.js";
import { usesMatrix } from "./point.js";
import { columnsOf, leftOf, levelsThatFit } from "./tree-columns.js";
import { drawTree } from "./tree-draw.js";
import { allFolded, foldedAtFirst, isEnd, layOut } from "./tree-layout.js";
import { pathTo, ROOT } from "./tree.js";
import { leafCount } from "./words.js";

const MARGIN = { top: 34, bottom: 8 };
// Rows of a tree that is fitted to its pane; larger trees start folded.
const ROW = { least: 23, most: 130 };
const MIN_ROW = 0.005;
const MAX_ROW = 240;
const MAX_STRETCH = 4;
// The approximate maximal number of highlighted lines.
const MAX_LIT = 5000;

/** Make the pane of the tree; returns its element, `draw` for changes elsewhere and `reveal` for a node. */
export function makeTreeView(app) {
  const { tree } = app;
  const view = { folded: null, rowHeight: 30, stretch: 1, shift: { x: 0, y: 0 }, focus: ROOT, layout: null, columns: null, drawn: [], found: new Set() };
  // The tree is fitted to its pane until the user moves it.
  view.moved = false;
  const draw = oncePerFrame(drawNow);
  let measured = [];
  let hasFlowed = false;
  const surface = sharpCanvas(
    {
      class: "tree",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "decision tree",
      "aria-label": `Tree of ${leafCount(tree, tree.leaves.length)}. Arrow keys move from node to node, Enter folds or unfolds, plus and minus zoom, 0 shows all.`,
    },
    () => {
      if (!view.moved) fit();
      paint();
      placeDots();
      flowOnce();
    },
  );
  const { canvas, context, size } = surface;
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
  const dots = makeDotsView(app, view, size, still);
  const minimap = makeMinimap(app, view, size, (top) => {
    view.moved = true;
    view.shift.y = top;
    draw();
  });

  function drawNow() {
    if (!surface.resize()) return;
    paint();
    placeDots();
  }

  function paint() {
    if (!view.layout) fit();
    const { layout, rowHeight, stretch } = view;
    const { perClass, reject } = app.point;
    const wanted = [layout, rowHeight, stretch, size.width, perClass, reject === null, view.shift.x];
    // Measuring text is slow.
    if (!view.columns || wanted.some((each, i) => each !== measured[i])) view.columns = columnsOf(context, app, view, size);
    measured = wanted;
    view.drawn = drawTree(context, size, app, view);
    drawMinimap(minimap, app, view, size);
  }

  let placed = { key: "", labels: null };

  /** Put the dots where they belong; they travel if only labels have changed. */
  function placeDots() {
    if (!view.columns) return;
    const { columns, rowHeight, shift, layout } = view;
    const key = [app.dots.key, rowHeight, shift.y, columns.lanes, columns.lane, layout.ends.length, size.width, size.height, app.palette.panel].join(" ");
    if (key === placed.key && placed.labels === app.point.lineLabels) return;
    const flips = key === placed.key;
    placed = { key, labels: app.point.lineLabels };
    dots.place(app.dots, flips);
  }

  /** The way of a dot to its leaf: from split to split. */
  function routeTo(leaf) {
    const nodes = pathTo(tree, leaf);
    const last = nodes.findIndex((node) => isEnd(tree, view.folded, node));
    return nodes.slice(0, last + 1).map((node) => [placeOf(node).x, placeOf(node).y]);
  }

  function flowOnce() {
    if (hasFlowed || !view.columns) return;
    hasFlowed = true;
    const known = new Map();
    dots.flow((leaf) => {
      if (!known.has(leaf)) known.set(leaf, routeTo(leaf));
      return known.get(leaf);
    });
  }

  /** Show everything if it can be read, else fold what does not fit. */
  function fit() {
    const high = size.height - MARGIN.top - MARGIN.bottom;
    const mostRows = Math.max(2, Math.floor(high / ROW.least));
    if (!view.layout || !view.touched) {
      const levels = levelsThatFit(context, app, size, Math.min(ROW.most, high / Math.min(mostRows, tree.leaves.length)));
      view.folded = foldedAtFirst(tree, mostRows, levels);
      view.layout = layOut(tree, view.folded);
    }
    const rows = view.layout.ends.length;
    view.rowHeight = Math.max(MIN_ROW, Math.min(ROW.most, high / rows));
    view.stretch = 1;
    view.moved = false;
    view.shift.x = 0;
    view.shift.y = MARGIN.top + view.rowHeight / 2 + Math.max(0, (high - rows * view.rowHeight) / 2);
  }

  /** Zoom across and down, each by its own factor. */
  function zoomAt({ x, y }, at) {
    view.moved = true;
    const before = { row: view.rowHeight, stretch: view.stretch };
    view.rowHeight = Math.min(MAX_ROW, Math.max(MIN_ROW, view.rowHeight * y));
    view.stretch = Math.min(MAX_STRETCH, Math.max(0.25, view.stretch * x));
    view.shift.y = at.y - ((at.y - view.shift.y) * view.rowHeight) / before.row;
    view.shift.x = Math.min(0, at.x - ((at.x - view.shift.x) * view.stretch) / before.stretch);
    draw();
  }

  const middle = () => ({ x: size.width / 2, y: size.height / 2 });

  function fold(folded, refit = true) {
    view.touched = true;
    view.folded = folded;
    view.layout = layOut(tree, folded);
    if (refit) fit();
    draw();
  }

  function toggle(node) {
    if (tree.nChildren[node] === 0) return;
    const anchor = view.layout.row[node] * view.rowHeight + view.shift.y;
    const folded = new Set(view.folded);
    if (!folded.delete(node)) folded.add(node);
    else for (let i = 0; i < tree.nChildren[node]; i++) foldAgain(folded, tree.firstChild[node] + i);
    fold(folded, false);
    // The node stays where it is under the pointer.
    view.moved = true;
    view.rowHeight = Math.max(view.rowHeight, Math.min(ROW.least, MAX_ROW));
    view.shift.y = anchor - view.layout.row[node] * view.rowHeight;
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
    else app.light({ node, lines: linesBelow(tree, node, MAX_LIT), from: "tree", place });
  }

  /** The position of a node on the canvas. */
  function placeOf(node) {
    return { x: leftOf(tree, view, node) + 12, y: view.layout.row[node] * view.rowHeight + view.shift.y };
  }

  listen({ canvas, view, app, nodeAt, placeOf, light, toggle, zoomAt, middle, draw, fit, reveal });

  /** Unfold the ancestors of a node, and bring it into view. */
  function reveal(node) {
    if (!view.layout) return;
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
      fold(folded, !view.moved);
      if (view.rowHeight < ROW.least) {
        view.rowHeight = ROW.least;
        view.moved = true;
      }
    }
    const { x, y } = placeOf(node);
    const away = { x: x < 20 || x > size.width - 60, y: y < 20 || y > size.height - 20 };
    if (away.y) view.shift.y += size.height / 2 - y;
    if (away.x) view.shift.x = Math.min(0, view.shift.x + size.width / 3 - x);
    view.moved ||= away.x || away.y;
    draw();
  }

  /** Mark the splits on attributes with these letters in their names, or the leaf with this letter. */
  function find(text) {
    const wanted = text.trim().toLowerCase();
    const isIt = (node) => {
      if (tree.nChildren[node] === 0) return app.letters.get(node).toLowerCase() === wanted;
      return !tree.cells && tree.features[tree.feature[node]].name.toLowerCase().includes(wanted);
    };
    view.found = new Set(wanted === "" ? [] : Array.from({ length: tree.n }, (_, node) => node).filter(isIt));
    const [first] = view.found;
    if (first !== undefined) reveal(first);
    app.say(wanted === "" ? "" : `${view.found.size} found`);
    draw();
  }

  const button = (text, label, action, className = "tool") =>
    element("button", { type: "button", class: className, "aria-label": label, title: label, on: { click: action } }, text);
  const search = element("input", {
    type: "text",
    class: "search",
    placeholder: "Find",
    "aria-label": "Find an attribute or a leaf",
    on: { input: () => find(search.value) },
  });
  const tools = element(
    "div",
    { class: "tools", role: "group", "aria-label": "View of the tree" },
    search,
    button("+", "Zoom in", () => zoomAt({ x: 1.3, y: 1.3 }, middle())),
    button("−", "Zoom out", () => zoomAt({ x: 1 / 1.3, y: 1 / 1.3 }, middle())),
    button("↔", "Wider", () => zoomAt({ x: 1.3, y: 1 }, middle()), "tool expert"),
    button("↕", "Taller", () => zoomAt({ x: 1, y: 1.3 }, middle()), "tool expert"),
    button("Fit", "Show the whole tree", () => { fit(); draw(); }),
    button("Unfold", "Unfold all nodes", () => fold(new Set()), "tool chief"),
    button("Fold", "Fold to the first split", () => fold(allFolded(tree)), "tool chief"),
  );
  const key = makeLegend(app);
  const pane = element(
    "section",
    { class: "pane tree-pane", "aria-label": "Tree" },
    element("div", { class: "head" }, element("h2", {}, "Tree ", help("tree", "this picture")), tools),
    element("div", { class: "layers" }, canvas, dots.canvas, minimap.canvas),
    key.element,
  );
  return { element: pane, update: key.update, draw, drawNow, reveal, canvas, view, dots };
}

/** Pointer, touch and keyboard events. */
function listen({ canvas, view, app, nodeAt, placeOf, light, toggle, zoomAt, middle, draw, fit, reveal }) {
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
      if (Number.isFinite(factor) && factor > 0) zoomAt({ x: factor, y: factor }, other);
    } else {
      view.moved = true;
      view.shift.x = Math.min(0, view.shift.x + at.x - before.x);
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
        view.shift.x = Math.min(0, view.shift.x - (event.deltaY || event.deltaX));
        draw();
        return;
      }
      const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015));
      // With Alt only rows grow; a tree is mostly too high, not too wide.
      zoomAt({ x: event.altKey ? 1 : factor, y: factor }, { x, y });
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
      "+": () => zoomAt({ x: 1.3, y: 1.3 }, middle()),
      "-": () => zoomAt({ x: 1 / 1.3, y: 1 / 1.3 }, middle()),
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
const MAX_KEYS = 8;

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
      return fill(legend, tree.classes.slice(0, MAX_KEYS).map(ofClass), `dot: one of 1\u00a0000 ${app.data.noun}, coloured by what it is`);
    }
    const name = tree.classes[state.positive];
    const words = (text) => element("span", { class: "key" }, text);
    return fill(
      legend,
      key("badge positive", "flagged"),
      key("badge negative", "cleared"),
      app.point.reject === null ? null : key("badge undecided", "undecided"),
      key("next", "flips next"),
      words(`%: probability of ${name}`),
      words(`dot: one of 1\u00a0000 ${app.data.noun},`),
      key("dot positive", name),
      key("dot negative", app.labelName(state.positive === 0 ? 1 : 0)),
    );
  }
  return { element: legend, update };
}
