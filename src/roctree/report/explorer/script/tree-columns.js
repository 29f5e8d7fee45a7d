// Where things are across the pane of the tree: a column for each level of splits, as wide as its text,
// then the leaves with their letters and the lanes of dots.

import { isEnd } from "./tree-layout.js";
import { ROOT } from "./tree.js";
import { testLines } from "./words.js";

export const FONT = "system-ui, sans-serif";
export const LINE = 14;
const PAD = { x: 8, y: 5 };
const HISTOGRAM = 24;
// Widths at which names are wrapped, of histograms (null without them), of the lanes of dots and of the gaps
// between columns: the first with which everything fits.
const SIZES = [
  { wrap: 128, picture: 72, lane: 92, gap: 42 },
  { wrap: 96, picture: 72, lane: 92, gap: 42 },
  { wrap: 72, picture: 72, lane: 60, gap: 42 },
  { wrap: 72, picture: 48, lane: 60, gap: 42 },
  { wrap: 72, picture: null, lane: 60, gap: 42 },
  { wrap: 60, picture: null, lane: 46, gap: 36 },
];
const WIDEST = 240;
const MAX_GAP = 110;
const LEFT = 10;
const BADGE = 30;
const LANES = { least: 46, most: 240, apart: 10 };
// Measuring the text of more nodes would be slow; they are drawn without text.
const MAX_MEASURED = 300;
const BARE = 26;
// Panes of phones.
const NARROW = 480;

/** The names of the lanes, from the left; undecided cases are between the others if there may be any. */
export function laneNames({ perClass, reject }) {
  const [left, right] = perClass ? ["right", "wrong"] : ["cleared", "flagged"];
  return reject === null ? [left, right] : [left, "undecided", right];
}

/**
 * The columns of a view: `x` and `width` of each level; `box` of each split, its lines and height; `leaves`
 * where the letters begin, `lanes` the left edges of the dots, `lane` their width. With `stretch` above
 * 1 columns are farther apart than the pane is wide.
 */
export function columnsOf(context, app, view, size) {
  view.widest = Math.min(WIDEST, size.width * 0.42);
  const leafText = widthOfLeaves(context, app);
  const nLanes = laneNames(app.point).length;
  const room = size.width - LEFT - BADGE - leafText - nLanes * LANES.apart - 8;
  for (const sizes of SIZES) {
    const found = columnsWith(context, app, view, sizes);
    const fits = found.sum + found.widths.length * sizes.gap + nLanes * sizes.lane <= room;
    if (fits || sizes === SIZES.at(-1)) return placed(found, view, size, { room, leafText, nLanes, fits, least: sizes.gap });
  }
  return null;
}

function placed({ widths, boxes, sum }, view, size, { room, leafText, nLanes, fits, least }) {
  const n = Math.max(widths.length, 1);
  const free = room - sum - n * least;
  const lane = fits ? Math.min(LANES.most, Math.max(LANES.least, (free * 0.84) / nLanes)) : LANES.least;
  const gap = fits ? Math.min(MAX_GAP, least + Math.max(0, free - nLanes * lane) / n) : least;
  const xs = [];
  let at = LEFT;
  for (const width of widths) {
    xs.push(at);
    at += (width + gap) * view.stretch;
  }
  const end = size.width - 8 - nLanes * (lane + LANES.apart) + LANES.apart;
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
    lanes: Array.from({ length: nLanes }, (_, i) => firstLane + i * (lane + LANES.apart)),
    lane,
    fits,
  };
}

/** How many levels of splits fit into a pane with rows of a height, at least one. */
export function levelsThatFit(context, app, size, rowHeight) {
  const all = { folded: new Set(), stretch: 1, rowHeight, layout: null, widest: WIDEST };
  const sizes = SIZES.at(-1);
  const { widths } = columnsWith(context, app, all, sizes);
  const nLanes = laneNames(app.point).length;
  const room = size.width - LEFT - BADGE - widthOfLeaves(context, app) - 8 - nLanes * (LANES.apart + sizes.lane);
  let sum = 0;
  const found = widths.findIndex((width) => (sum += width + sizes.gap) > room);
  return Math.max(1, found < 0 ? widths.length : found);
}

function columnsWith(context, app, view, sizes) {
  const { tree } = app;
  const boxes = new Map();
  const widths = [];
  const shown = splitsShown(tree, view);
  for (const node of shown) {
    const box = shown.length > MAX_MEASURED ? bareBox() : boxOf(context, app, view, node, sizes);
    boxes.set(node, box);
    widths[tree.depth[node]] = Math.max(widths[tree.depth[node]] ?? 0, box.width);
  }
  return { boxes, widths, sum: widths.reduce((sum, width) => sum + width, 0) };
}

function splitsShown(tree, { layout, folded }) {
  const nodes = layout ? layout.order : Array.from({ length: Math.min(tree.n, 4 * MAX_MEASURED) }, (_, i) => i);
  return nodes.filter((node) => !isEnd(tree, folded, node));
}

function bareBox() {
  return { lines: [], width: BARE, height: 10, histogram: false };
}

/** The text of a split: its attribute and its condition, wrapped as far as rows are high enough. */
function boxOf(context, app, view, node, { wrap, picture }) {
  const high = 2 * view.rowHeight - 8;
  if (high < LINE + 4) return bareBox();
  const { name, test } = testLines(app.tree, node);
  const lines = linesOfBox(context, name, test, wrap).find((each) => each.length * LINE + 2 * PAD.y <= high);
  if (lines === undefined) {
    const text = test ? `${name} ${test}` : name;
    return { lines: [{ text, bold: false }], width: Math.min(view.widest, textWidth(context, text, false) + 2 * PAD.x), height: LINE + 4, histogram: false };
  }
  let height = lines.length * LINE + 2 * PAD.y;
  const histogram = app.histograms.has(node) && picture !== null && height + HISTOGRAM <= high;
  if (histogram) height += HISTOGRAM;
  const widest = Math.max(...lines.map(({ text, bold }) => textWidth(context, text, bold)));
  const width = Math.max(Math.min(view.widest, widest), histogram ? picture : 0) + 2 * PAD.x;
  return { lines, width, height, histogram, histogramHeight: HISTOGRAM - 4, pad: PAD };
}

/** Ways to write a test, from the narrowest to the lowest. */
function linesOfBox(context, name, test, wrap) {
  context.font = `600 12px ${FONT}`;
  const bold = (text) => ({ text, bold: true });
  const names = wrappedName(context, name, wrap).map(bold);
  if (!test) return [names, [bold(name)]];
  context.font = `12px ${FONT}`;
  const plain = (text) => ({ text, bold: false });
  // A number stays beside its sign: only lists of categories are wrapped.
  const tests = (test.startsWith("≤") ? [test] : wrappedName(context, test, Math.max(wrap, 84))).map(plain);
  return [[...names, ...tests], [...names, plain(test)], [bold(name), plain(test)]];
}

export function textWidth(context, text, bold) {
  context.font = `${bold ? "600 " : ""}12px ${FONT}`;
  return context.measureText(text).width;
}

/** Wrap a name into lines of at most a width, at spaces and behind "_", "-" and "."; a longer part has its own line. */
function wrappedName(context, text, width) {
  const lines = [];
  for (const part of text.split(/(?<=[ _.-])/)) {
    const longer = (lines.at(-1) ?? "") + part;
    if (lines.length > 0 && context.measureText(longer.trimEnd()).width <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.map((line) => line.trimEnd());
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
