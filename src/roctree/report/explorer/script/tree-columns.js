// Where things are across the pane of the tree: a column for each level of splits, as wide as its text,
// then the leaves with their letters and the two lanes of dots.

import { isEnd } from "./tree-layout.js";
import { ROOT } from "./tree.js";
import { testLines } from "./words.js";

export const FONT = "system-ui, sans-serif";
export const LINE = 14;
const PAD = { x: 8, y: 5 };
const HISTOGRAM = 24;
// Names are wrapped at the first of these widths with which the columns fit.
const WRAPS = [128, 96, 72];
const WIDEST = 240;
const GAP = { least: 34, most: 110 };
const LEFT = 10;
const BADGE = 30;
const LANES = { least: 46, good: 92, most: 240, apart: 10 };
// Measuring the text of more nodes would be slow; they are drawn without text.
const MOST_MEASURED = 300;
const BARE = 26;
// Panes of phones.
export const NARROW = 480;

/**
 * The columns of a view: `x` and `width` of each level; `box` of each split, its lines and height; `leaves`
 * where the letters begin, `lanes` the left edges of the dots, `lane` their width. With `stretch` above
 * 1 columns are farther apart than the pane is wide.
 */
export function columnsOf(context, app, view, size) {
  view.widest = Math.min(WIDEST, size.width * 0.42);
  const leafText = widthOfLeaves(context, app);
  const room = size.width - LEFT - BADGE - leafText - 2 * LANES.apart - 8;
  for (const wrap of WRAPS) {
    const found = columnsWith(context, app, view, wrap);
    const wanted = found.sum + found.widths.length * GAP.least;
    const isLast = wrap === WRAPS.at(-1);
    const fits = wanted + 2 * (isLast ? LANES.least : LANES.good) <= room;
    if (fits || isLast) return placed(found, view, size, { room, leafText, fits });
  }
  return null;
}

function placed({ widths, boxes, sum }, view, size, { room, leafText, fits }) {
  const n = Math.max(widths.length, 1);
  const free = room - sum - n * GAP.least;
  const lane = fits ? Math.min(LANES.most, Math.max(LANES.least, free * 0.42)) : LANES.least;
  const gap = fits ? Math.min(GAP.most, GAP.least + Math.max(0, free - 2 * lane) / n) : GAP.least;
  const xs = [];
  let at = LEFT;
  for (const width of widths) {
    xs.push(at);
    at += (width + gap) * view.stretch;
  }
  const end = size.width - 8 - 2 * lane - LANES.apart;
  // In a wide pane a small tree stays together.
  const leaves = Math.min(end - LANES.apart - leafText - BADGE, Math.max(at, LEFT));
  const firstLane = leaves + BADGE + leafText + LANES.apart;
  return {
    x: xs,
    widths,
    boxes,
    end: at,
    leaves,
    text: leaves + BADGE + 4,
    textWidth: leafText,
    lanes: [firstLane, firstLane + lane + LANES.apart],
    lane,
    fits,
  };
}

/** How many levels of splits fit into a pane, at least one. */
export function levelsThatFit(context, app, size) {
  const all = { folded: new Set(), stretch: 1, rowHeight: LINE * 3, layout: null, widest: WIDEST };
  const { widths } = columnsWith(context, app, all, WRAPS.at(-1));
  const room = size.width - LEFT - BADGE - widthOfLeaves(context, app) - 2 * LANES.apart - 8 - 2 * LANES.least;
  let sum = 0;
  const found = widths.findIndex((width) => (sum += width + GAP.least) > room);
  return Math.max(1, found < 0 ? widths.length : found);
}

function columnsWith(context, app, view, wrap) {
  const { tree } = app;
  const boxes = new Map();
  const widths = [];
  const shown = splitsShown(tree, view);
  for (const node of shown) {
    const box = shown.length > MOST_MEASURED ? bareBox() : boxOf(context, app, view, node, wrap);
    boxes.set(node, box);
    widths[tree.depth[node]] = Math.max(widths[tree.depth[node]] ?? 0, box.width);
  }
  return { boxes, widths, sum: widths.reduce((sum, width) => sum + width, 0) };
}

function splitsShown(tree, { layout, folded }) {
  const nodes = layout ? layout.order : Array.from({ length: Math.min(tree.n, 4 * MOST_MEASURED) }, (_, i) => i);
  return nodes.filter((node) => !isEnd(tree, folded, node));
}

function bareBox() {
  return { lines: [], width: BARE, height: 10, histogram: false };
}

/** The text of a split: its attribute wrapped, then its condition; in one line if rows are low. */
function boxOf(context, app, view, node, wrap) {
  const high = 2 * view.rowHeight - 8;
  if (high < LINE + 4) return bareBox();
  const { name, test } = testLines(app.tree, node);
  context.font = `600 12px ${FONT}`;
  const lines = wrapped(context, name, wrap).map((text) => ({ text, bold: true }));
  if (test) lines.push({ text: test, bold: false });
  const hasHistogram = app.histograms.has(node);
  let height = lines.length * LINE + 2 * PAD.y;
  if (height > high) {
    const text = test ? `${name} ${test}` : name;
    return { lines: [{ text, bold: false }], width: Math.min(view.widest, textWidth(context, text, false) + 2 * PAD.x), height: LINE + 4, histogram: false };
  }
  const histogram = hasHistogram && height + HISTOGRAM <= high;
  if (histogram) height += HISTOGRAM;
  const widest = Math.max(...lines.map(({ text, bold }) => textWidth(context, text, bold)));
  const width = Math.max(Math.min(view.widest, widest), histogram ? 72 : 0) + 2 * PAD.x;
  return { lines, width, height, histogram, histogramHeight: HISTOGRAM - 4, pad: PAD };
}

export function textWidth(context, text, bold) {
  context.font = `${bold ? "600 " : ""}12px ${FONT}`;
  return context.measureText(text).width;
}

/** Wrap words into lines of at most a width; a longer word has its own line. */
function wrapped(context, text, width) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The width of the text beside the letters. */
function widthOfLeaves(context, app) {
  const texts = app.point.perClass ? app.tree.classes : ["> 99 %"];
  const most = context.canvas.clientWidth > NARROW ? 170 : 46;
  return Math.min(most, Math.max(38, ...texts.map((text) => 1.05 * textWidth(context, text, true)))) + 4;
}

/** The left edge of a node: of its box, or of its letter. */
export function leftOf(tree, view, node) {
  if (isEnd(tree, view.folded, node)) return view.columns.leaves;
  return (view.columns.x[tree.depth[node]] ?? view.columns.x[ROOT]) + view.shift.x;
}
