// Colours safe for colour-blind readers: blue to orange for probabilities, Okabe and Ito's palette
// for classes. No information is conveyed by colour alone.

const LOW = [33, 113, 181];
const HIGH = [204, 85, 0];
const CLASSES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7B5EA7"];

/** The colours of a theme, from the style sheet. */
export function paletteOf(root) {
  const style = getComputedStyle(root);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ink", "quiet", "faint", "paper", "panel", "positive", "negative", "accent", "case", "lane", "branch", "middle", "band"];
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

/** The colour of a probability: blue, through the middle of the theme, to orange. */
export function shade(probability, palette) {
  const middle = palette.middle.split(",").map(Number);
  const end = probability < 0.5 ? LOW : HIGH;
  const part = Math.abs(probability - 0.5) * 2;
  const mixed = middle.map((value, i) => Math.round(value + (end[i] - value) * part));
  return `rgb(${mixed.join(",")})`;
}

/** The colour of a class among many. */
export function classColour(number) {
  return CLASSES[number % CLASSES.length];
}

/** The colour of the most probable class, paler if its probability is lower. */
export function classShade(probabilities, palette) {
  let best = 0;
  for (let c = 1; c < probabilities.length; c++) if (probabilities[c] > probabilities[best]) best = c;
  const middle = palette.middle.split(",").map(Number);
  const chance = 1 / probabilities.length;
  const part = Math.max(0.15, (probabilities[best] - chance) / (1 - chance));
  const end = hex(classColour(best));
  return `rgb(${middle.map((value, i) => Math.round(value + (end[i] - value) * part)).join(",")})`;
}

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(colour) {
  const [r, g, b] = hex(colour);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000" : "#fff";
}

function hex(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
