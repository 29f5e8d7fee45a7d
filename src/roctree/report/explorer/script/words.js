// Numbers and rules in words, and explanations of every term.

import { boxOf, isMerged, partOf } from "./cells.js";
import { IS_PRESENT, branchOf, pathTo } from "./tree.js";

const MAX_LISTED = 5;
// Avoid line breaks inside numbers.
const GAP = "\u00a0";
const MAX_SIDES = 12;

/** A share as a percentage; 0 % and 100 % only if exact. */
export function percent(share, decimals = 1) {
  if (!Number.isFinite(share)) return "–";
  const shown = (100 * share).toFixed(decimals);
  if (share > 0 && Number(shown) === 0) return `<${GAP}${(10 ** -decimals).toFixed(decimals)}${GAP}%`;
  if (share < 1 && Number(shown) === 100) return `>${GAP}${(100 - 10 ** -decimals).toFixed(decimals)}${GAP}%`;
  return `${shown.replace(/\.0+$/, "")}${GAP}%`;
}

/** A number with some significant digits, in decimal notation if that is readable. */
export function short(number, digits = 4) {
  if (number === Infinity) return "∞";
  if (!Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size >= 1e9 || (size > 0 && size < 1e-5)) return number.toExponential(digits - 1);
  const whole = Math.max(digits, String(Math.trunc(size)).length);
  return String(Number(number.toPrecision(Math.min(whole, 21))));
}

/** Parse a typed number: null if empty, NaN if it is not a number or ambiguous. */
export function readNumber(text) {
  const typed = text.replace(/\s/g, "");
  if (typed === "") return null;
  // Is "2,500" two thousand five hundred, or two and a half?
  if (/[1-9]\d*,\d{3}(?!\d)/.test(typed)) return NaN;
  return Number(typed.replace(",", "."));
}

/** Plain text with ordinary spaces. */
export function plain(words) {
  return words.replaceAll(GAP, " ");
}

/** A number of cases. */
export function cases(weight) {
  const rounded = Number(weight.toFixed(1));
  return `${grouped(rounded)} ${rounded === 1 ? "case" : "cases"}`;
}

/** A number with a thousands separator. */
export function grouped(number) {
  const [whole, part] = String(number).split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, GAP);
  return part ? `${spaced}.${part}` : spaced;
}

/** Join words: "a", "a and b", "a, b and c". */
export function listed(words, last = "and") {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}

function someOf(words) {
  if (words.length <= MAX_LISTED + 1) return listed(words, "or");
  return `${words.slice(0, MAX_LISTED).join(", ")} or ${words.length - MAX_LISTED} more`;
}

/** Attributes whose missing values do not simply follow the heaviest branch. */
function tellsMissing(tree) {
  if (!tree.tellsMissing) {
    tree.tellsMissing = new Set();
    for (let node = 0; node < tree.n; node++) {
      const branch = tree.missingBranch[node];
      if (branch >= 0 && branch !== tree.heaviest[node]) tree.tellsMissing.add(tree.feature[node]);
    }
  }
  return tree.tellsMissing;
}

/** The categories that lead from the parent of a node to it. */
export function categoriesOf(tree, node) {
  const parent = tree.parent[node];
  const branch = branchOf(tree, node);
  const start = tree.categoryOffsets[parent];
  const codes = [];
  for (let at = start; at < tree.categoryOffsets[parent + 1]; at++) {
    if (tree.categoryBranch[at] === branch) codes.push(at - start);
  }
  return codes;
}

/** Whether the test above a node only asks whether the value is known. */
export function testsPresence(tree, parent) {
  return tree.threshold[parent] === IS_PRESENT && tree.missingBranch[parent] === 1;
}

/** The test above a node in short form, for its branch: "≤ 24.5" or "sun or fog". */
export function branchText(tree, node) {
  if (tree.cells) return isMerged(tree, node) ? mergedWords(tree, node) : partText(tree, node);
  const parent = tree.parent[node];
  const branch = branchOf(tree, node);
  if (testsPresence(tree, parent)) return branch === 1 ? "missing" : "known";
  const feature = tree.feature[parent];
  const gap = tree.missingBranch[parent] === branch && tellsMissing(tree).has(feature);
  if (tree.threshold[parent] !== null) {
    return `${branch === 0 ? "≤" : ">"} ${measured(tree, feature, tree.cut[parent])}${gap ? " or missing" : ""}`;
  }
  const words = categoriesOf(tree, node).map((code) => tree.features[feature].categories[code]);
  if (words.length === 0) return gap ? "missing" : "none of these";
  return someOf(words) + (gap ? " or missing" : "");
}

/** A number in the unit of its attribute. */
function measured(tree, feature, text) {
  const { measure } = tree.features[feature];
  return measure ? `${text}${GAP}${measure}` : String(text);
}

/** Whether the two branches of a split answer yes and no; else each names its values. */
function asksOnce(tree, node) {
  return !tree.cells && tree.nChildren[node] === 2;
}

/** The test of a split, which stands once, at the node: its attribute, and the question. */
export function testLines(tree, node) {
  if (tree.cells) return { name: `${tree.nChildren[node]} parts`, test: "" };
  const feature = tree.feature[node];
  const { name } = tree.features[feature];
  if (testsPresence(tree, node)) return { name, test: "known?" };
  if (tree.threshold[node] !== null) {
    // A soft threshold is blurred: cases within it follow both branches.
    const blur = tree.softness?.[node] > 0 ? ` ±${GAP}${short(Number(tree.softness[node].toPrecision(2)), 2)}` : "";
    return { name, test: `≤ ${measured(tree, feature, `${tree.cut[node]}${blur}`)}?` };
  }
  if (!asksOnce(tree, node)) return { name, test: "" };
  const words = categoriesOf(tree, tree.firstChild[node]).map((code) => tree.features[feature].categories[code]);
  return { name, test: `${someOf(words)}?` };
}

/** The word on the branch to a node: "yes" or "no", or the values that lead there. */
export function branchWord(tree, node) {
  const parent = tree.parent[node];
  if (!asksOnce(tree, parent)) return tree.cells ? branchText(tree, node) : branchText(tree, node).replace("none of these", "else");
  const branch = branchOf(tree, node);
  const gap = !testsPresence(tree, parent) && tree.missingBranch[parent] === branch && tellsMissing(tree).has(tree.feature[parent]);
  return `${branch === 0 ? "yes" : "no"}${gap ? " or missing" : ""}`;
}

/** The combined constraints of the tests on the path to a node, one per attribute. */
export function demandsOf(tree, node) {
  const demands = new Map();
  for (const at of pathTo(tree, node).slice(1)) {
    const parent = tree.parent[at];
    const feature = tree.feature[parent];
    const demand = demands.get(feature) ?? { feature, gap: true };
    demands.set(feature, demand);
    const branch = branchOf(tree, at);
    demand.gap &&= tree.missingBranch[parent] === branch;
    if (testsPresence(tree, parent)) demand.presence = branch === 0 ? "known" : "missing";
    else if (tree.threshold[parent] === null) demand.codes = common(demand.codes, categoriesOf(tree, at));
    else if (branch === 0) demand.high = tree.cut[parent];
    else demand.low = tree.cut[parent];
  }
  return [...demands.values()];
}

function common(codes, others) {
  return codes === undefined ? others : codes.filter((code) => others.includes(code));
}

function demandWords(tree, demand) {
  const { name, categories } = tree.features[demand.feature];
  const gap = demand.gap && tellsMissing(tree).has(demand.feature) ? " or missing" : "";
  if (demand.presence === "missing") return `${name} missing`;
  if (demand.codes) {
    if (demand.codes.length === 0) return gap ? `${name} missing` : `${name} none of the known categories`;
    return `${name} ${someOf(demand.codes.map((code) => categories[code]))}${gap}`;
  }
  if (demand.low !== undefined && demand.high !== undefined) {
    return `${name} above ${demand.low} up to ${measured(tree, demand.feature, demand.high)}${gap}`;
  }
  if (demand.low !== undefined) return `${name} above ${measured(tree, demand.feature, demand.low)}${gap}`;
  if (demand.high !== undefined) return `${name} at most ${measured(tree, demand.feature, demand.high)}${gap}`;
  return `${name} known`;
}

/** The path to a node in words: "worst area above 785.8 and mean texture at most 15.33". */
export function ruleWords(tree, node) {
  if (tree.cells) return boxWords(tree, node);
  const demands = demandsOf(tree, node);
  if (demands.length === 0) return "all cases";
  return listed(demands.map((demand) => demandWords(tree, demand)));
}

/** The box of a cell in words. */
function boxWords(tree, node) {
  if (isMerged(tree, node)) return `${mergedWords(tree, node)} within: ${boxWords(tree, tree.parent[node])}`;
  const sides = boxOf(tree, node).filter(({ low, high }) => low !== null || high !== null);
  if (sides.length === 0) return "all cases";
  const words = sides.slice(0, MAX_SIDES).map((side) => sideWords(tree, side));
  return listed(sides.length > MAX_SIDES ? [...words, `${sides.length - MAX_SIDES} more`] : words);
}

function mergedWords({ cells }, node) {
  return `${cells.nCells[node]} cells merged`;
}

function sideWords(tree, { feature, low, high }) {
  const { name } = tree.features[feature];
  if (low === null) return `${name} below ${short(high)}`;
  return high === null ? `${name} from ${short(low)} on` : `${name} from ${short(low)} to below ${short(high)}`;
}

/** The position of a cell in its parent: "east high, north low", or "east 2/4" if it is a smaller one. */
function partText(tree, node) {
  const { nParts, places } = partOf(tree, node);
  const say = (place) => (nParts === 2 ? ["low", "high"][place] : `${place + 1}/${nParts}`);
  return places.map((place, feature) => `${tree.features[feature].name} ${say(place)}`).join(", ");
}

/** One step of a path in words: "worst area > 785.8". */
export function stepWords(tree, node) {
  if (tree.cells) return branchText(tree, node);
  return `${tree.features[tree.feature[tree.parent[node]]].name} ${branchText(tree, node)}`;
}

/** A number of leaves, in words. */
export function leafCount(tree, n) {
  const [one, many] = tree.cells ? ["cell", "cells"] : ["leaf", "leaves"];
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** The value an attribute would need for a change to another label. */
export function changeWords(tree, change) {
  const { name, categories } = tree.features[change.feature];
  const now = change.now === null ? "missing" : categories ? categories[change.now] : short(change.now, 6);
  const { measure } = tree.features[change.feature];
  return `${name}: ${now} → ${neededWords(change, categories)}${measure && !categories ? `${GAP}${measure}` : ""}`;
}

function neededWords(change, categories) {
  if (change.categories) return someOf(change.categories.map((code) => categories[code]));
  const { low, high, cuts } = change;
  if (low === -Infinity && high === Infinity) return "any number";
  if (change.now !== null && change.now > high) return `at most ${cuts.high}`;
  if (change.now !== null || high === Infinity) return `above ${cuts.low}`;
  return low === -Infinity ? `at most ${cuts.high}` : `above ${cuts.low} up to ${cuts.high}`;
}

/** Points with their sign: whole, or with two decimals. */
export function signedPoints({ whole }, points) {
  const shown = Math.abs(points).toFixed(whole ? 0 : 2);
  return Number(shown) === 0 ? "0" : `${points > 0 ? "+" : "−"}${shown}`;
}

const REMARKS = {
  scorecard:
    "A tree with points: the leaf gives a first probability, and points for the attributes correct it, so that cases of the same leaf get different answers. A segment of the ROC curve is therefore not a leaf but the cases with the same answer. For SQL use tree.to_sql(); rules and distances from another label are not offered.",
  naive_bayes:
    "A Naive Bayes tree: each leaf has its own table, so that cases of the same leaf get different answers. A segment of the ROC curve is therefore not a leaf but the cases with the same answer, and a leaf has a label only if all its training cases have it. An answer depends on many values at once: rules, SQL and distances from another label are not offered.",
  cells:
    "A Multiscale Classifier: a cell is a box, and its branches are its parts, made by halving all sides, that contain training cases. A case elsewhere in the box gets the prediction of the box itself. SQL and distances from another label are not offered.",
};

const SOFT =
  "Soft thresholds: a case near a threshold follows both branches, and the probabilities of the leaves it reaches are averaged. The tree, its labels and rules are those of the leaves; a segment of the ROC curve is the cases with the same probability. For SQL use tree.to_sql(); distances from another label are not defined.";

/** Differences of the page for other kinds of models; none for a tree with hard thresholds. */
export function remarkOn(tree) {
  return REMARKS[tree.kind] ?? (tree.softness ? SOFT : null);
}

/** Explanations that depend on the kind of model. */
const MEANINGS_BY_KIND = {
  scorecard: {
    tree: "Each case starts at the left and follows the branch whose condition it meets, until it reaches a leaf, which gives a first probability; the points below correct it. The thicker a branch, the more training cases followed it. A leaf has the colour of the label of its cases, two colours if they differ; its percentage is its probability without points.",
    roc: "Cases sorted by their probability of the class of interest, points included, one segment for each distinct answer. Each step along the curve labels one more answer positive.",
    calibration: "One dot for each tenth of the cases, sorted by probability: predicted against observed frequency. On the diagonal the probabilities are correct.",
    by: "What determines which cases are positive. For costs these are always the probabilities; for rates and F-beta also the cases that are counted: expected by the probabilities, the training cases, or the test cases.",
    next: "The neighbouring labellings on the slider: which answer changes, at which cost ratio, and the gain and loss.",
  },
  naive_bayes: {
    tree: "Each case starts at the left and follows the branch whose condition it meets, until it reaches a leaf, whose table gives its probability. The thicker a branch, the more training cases followed it. A leaf has the colour of the label of its cases, two colours if they differ; its percentage is the share of the class of interest among its training cases. Click a leaf for its table.",
    roc: "Cases sorted by their probability of the class of interest, one segment for each distinct answer. Each step along the curve labels one more answer positive.",
    calibration: "One dot for each tenth of the cases, sorted by probability: predicted against observed frequency. On the diagonal the probabilities are correct.",
    by: "What determines which cases are positive. For costs these are always the probabilities; for rates and F-beta also the cases that are counted: expected by the probabilities, the training cases, or the test cases.",
    next: "The neighbouring labellings on the slider: which answer changes, at which cost ratio, and the gain and loss.",
  },
  cells: {
    tree: "Each node is a box of values, a cell. Its branches are its parts, made by halving all sides, that contain training cases. The smallest cell that contains a case determines its prediction. The thicker a branch, the more training cases followed it; the colour is the label, the percentage the probability of the class of interest. Drag to move, click a node to fold it; once clicked, the wheel zooms.",
  },
};

/** The explanation of a term for a kind of model. */
export function meaningOf(kind, term) {
  return MEANINGS_BY_KIND[kind]?.[term] ?? MEANINGS[term];
}

/** Explanations of the terms; each has a question mark on the page. */
const MEANINGS = {
  tree: "Each case starts at the left and follows the branch whose condition it meets, until it reaches a leaf. The thicker a branch, the more training cases followed it. A leaf has the colour of its label at the current costs; its percentage is the probability of the class of interest. Drag to move, click a node to fold it; once clicked, the wheel zooms.",
  roc: "Leaves sorted by the share of the class of interest, one segment each: steep segments find many cases with few false alarms. Each step along the curve labels one more leaf positive. Every point is a different labelling of the same tree.",
  hull: "The upper convex hull of the curve: only labellings on it are optimal for some costs.",
  isocost: "All points on this straight line cost the same. The cheapest labelling is where the line farthest up and left touches the curve.",
  band: "Where the curve would lie for other samples of cases: at each point, 95 of 100 samples stay inside (bootstrap, approximate).",
  auc: "Area under the curve: how often a random case of the class of interest ranks above a random other case. 0.5 is random, 1 is perfect.",
  costs: "The costs of the two errors, in any unit: money, points, days. Only their ratio determines which leaves are positive; the amounts give the expected cost.",
  cost_fp: "The cost of raising an alarm for a case that does not belong to the class of interest.",
  cost_fn: "The cost of missing a case of the class of interest.",
  cost_reject: "The cost of leaving a case to someone else. A leaf is left undecided where that costs less than either label. Empty: every case is decided.",
  undecided: "The share of all cases that are left undecided. They count as neither found nor missed.",
  ratio: "How many false alarms one missed case is worth. Drag it: leaves whose share is high enough become positive one after the other.",
  strip: "Each segment is one labelling, from no positive leaf on the left to all on the right. It covers the cost ratios for which that labelling is cheapest. Wide segments are safe choices if you do not know your costs exactly.",
  prevalence: "The share of the class of interest where the tree will be used, if it differs from the data: for example 1 % in screening and 40 % in a clinic. Empty: as in the data.",
  max_fpr: "Find as many cases as possible while at most this percentage of the others raises a false alarm (Neyman-Pearson).",
  min_tpr: "Raise as few false alarms as possible while finding at least this percentage of the cases.",
  beta: "How many times more recall counts than precision in the F-measure. 1 weights both equally.",
  by: "What determines which leaves are positive: the tree's smoothed probabilities, the training counts, or the test cases.",
  on: "The cases that the numbers are computed from. Test cases were not used to grow the tree, so their numbers are unbiased.",
  recall: "Of 100 cases of the class of interest, how many are found. Also called sensitivity or true positive rate.",
  fpr: "Of 100 other cases, how many raise a false alarm. One minus specificity.",
  precision: "Of 100 alarms, how many are correct. Also called positive predictive value.",
  f_beta: "One number for precision and recall together: their harmonic mean, weighted by beta.",
  accuracy: "The share of all cases that are classified correctly, regardless of costs.",
  cost: "The expected cost of the errors in 1\u00a0000 cases, at your costs and prior.",
  confusion: "1\u00a0000 cases by true class and predicted class. The small numbers are the actual counts.",
  next: "The neighbouring labellings on the slider: which leaf changes, at which cost ratio, and the gain and loss.",
  cost_curve: "Expected cost, from 0 to 1, against the weight of the class of interest (its share times the cost of missing it). The dashed triangle is the better of labelling everything or nothing positive.",
  gain: "Precision and recall on a scale where labelling everything positive is 0 and perfect is 1 (Flach and Kull 2015).",
  benefit: "True positives minus false positives at the exchange rate of a threshold probability. The tree is useful where it lies above both treating everyone and treating no one.",
  calibration: "One dot per leaf: predicted probability against observed frequency. On the diagonal the probabilities are correct.",
  near: "The cases of the page, by their distance from where the label would change. Errors should lie near the middle.",
  interval: "95 % interval of the share among the cases of this leaf alone (Wilson). The probability itself is smoothed towards the nodes above, so it may lie outside.",
  case: "Type the values of a case, or pick one. Its path through the tree is highlighted. Leave a field empty if the value is unknown: then all branches are followed, in proportion to their cases.",
  distance: "The distance to the nearest leaf with another label; the range of each attribute counts as 1 unless the tree has another metric.",
  matrix: "The cost of predicting the class of the row for a case of the class of the column. Correct predictions usually cost nothing.",
  positive: "The class that counts as positive: the one to be found. All others are negative.",
  model: "The Naive Bayes table of a leaf. It starts from the shares of the classes. Each known value multiplies the odds by the ratio of its frequency in the class of interest to that in the others, as if the values were independent: a factor above 1 is evidence for it, below 1 against it. Unknown values have no effect.",
  points: "A correction of the probability of the leaf. All points of a case are added to those of its leaf; the sum gives the probability. Positive points are evidence for the class, negative points against it. The pictures have the same scale; the percentage is the attribute’s share in the differences of the score.",
  copy: "The same operating point for other programs. The link opens this page with the same settings.",
};
