// Numbers and rules as a reader would say them, and what every term means.

import { boxOf, isMerged, partOf } from "./cells.js";
import { IS_PRESENT, branchOf, pathTo } from "./tree.js";

const MOST_LISTED = 5;
const MOST_SIDES = 12;

/** A share as a percentage; never 0 % or 100 % for what is not. */
export function percent(share, decimals = 1) {
  if (!Number.isFinite(share)) return "–";
  const shown = (100 * share).toFixed(decimals);
  if (share > 0 && Number(shown) === 0) return `< ${(10 ** -decimals).toFixed(decimals)} %`;
  if (share < 1 && Number(shown) === 100) return `> ${(100 - 10 ** -decimals).toFixed(decimals)} %`;
  return `${shown.replace(/\.0+$/, "")} %`;
}

/** A number with some significant digits, in decimals as long as these are readable. */
export function short(number, digits = 4) {
  if (number === Infinity) return "∞";
  if (!Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size >= 1e9 || (size > 0 && size < 1e-5)) return number.toExponential(digits - 1);
  const whole = Math.max(digits, String(Math.trunc(size)).length);
  return String(Number(number.toPrecision(Math.min(whole, 21))));
}

/** A number of cases, with thin spaces between thousands. */
export function cases(weight) {
  const rounded = Number(weight.toFixed(1));
  return `${grouped(rounded)} ${rounded === 1 ? "case" : "cases"}`;
}

/** A number with its thousands apart. */
export function grouped(number) {
  const [whole, part] = String(number).split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, " ");
  return part ? `${spaced}.${part}` : spaced;
}

/** Some words in a row: "a", "a and b", "a, b and c". */
export function listed(words, last = "and") {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}

function someOf(words) {
  if (words.length <= MOST_LISTED + 1) return listed(words, "or");
  return `${words.slice(0, MOST_LISTED).join(", ")} or ${words.length - MOST_LISTED} more`;
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

/** Whether the test above a node asks for nothing but whether there is a value. */
export function testsPresence(tree, parent) {
  return tree.threshold[parent] === IS_PRESENT && tree.missingBranch[parent] === 1;
}

/** The test above a node in few signs, for its branch: "≤ 24.5" or "sun or fog". */
export function branchText(tree, node) {
  if (tree.cells) return isMerged(tree, node) ? mergedWords(tree, node) : partText(tree, node);
  const parent = tree.parent[node];
  const branch = branchOf(tree, node);
  if (testsPresence(tree, parent)) return branch === 1 ? "missing" : "known";
  const feature = tree.feature[parent];
  const gap = tree.missingBranch[parent] === branch && tellsMissing(tree).has(feature);
  if (tree.threshold[parent] !== null) {
    return `${branch === 0 ? "≤" : ">"} ${tree.cut[parent]}${gap ? " or missing" : ""}`;
  }
  const words = categoriesOf(tree, node).map((code) => tree.features[feature].categories[code]);
  if (words.length === 0) return gap ? "missing" : "none of these";
  return someOf(words) + (gap ? " or missing" : "");
}

/** Everything that the tests on the way to a node demand, an entry for each attribute. */
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
    if (demand.codes.length === 0) return gap ? `${name} missing` : `${name} none of the known`;
    return `${name} ${someOf(demand.codes.map((code) => categories[code]))}${gap}`;
  }
  if (demand.low !== undefined && demand.high !== undefined) {
    return `${name} above ${demand.low} up to ${demand.high}${gap}`;
  }
  if (demand.low !== undefined) return `${name} above ${demand.low}${gap}`;
  if (demand.high !== undefined) return `${name} at most ${demand.high}${gap}`;
  return `${name} known`;
}

/** The way to a node in words: "worst area above 785.8 and mean texture at most 15.33". */
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
  const words = sides.slice(0, MOST_SIDES).map((side) => sideWords(tree, side));
  return listed(sides.length > MOST_SIDES ? [...words, `${sides.length - MOST_SIDES} more`] : words);
}

function mergedWords({ cells }, node) {
  return `${cells.nCells[node]} cells merged`;
}

function sideWords(tree, { feature, low, high }) {
  const { name } = tree.features[feature];
  if (low === null) return `${name} below ${short(high)}`;
  return high === null ? `${name} from ${short(low)} on` : `${name} from ${short(low)} to below ${short(high)}`;
}

/** Which part of the cell above a cell is: "east high, north low", or "east 2/4" if it is a smaller one. */
function partText(tree, node) {
  const { nParts, places } = partOf(tree, node);
  const say = (place) => (nParts === 2 ? ["low", "high"][place] : `${place + 1}/${nParts}`);
  return places.map((place, feature) => `${tree.features[feature].name} ${say(place)}`).join(", ");
}

/** How many leaves, in words. */
export function leafCount(tree, n) {
  const [one, many] = tree.cells ? ["cell", "cells"] : ["leaf", "leaves"];
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** What an attribute would have to be, for a change to another label. */
export function changeWords(tree, change) {
  const { name, categories } = tree.features[change.feature];
  const now = change.now === null ? "missing" : categories ? categories[change.now] : short(change.now, 6);
  return `${name}: ${now} → ${neededWords(change, categories)}`;
}

function neededWords(change, categories) {
  if (change.categories) return someOf(change.categories.map((code) => categories[code]));
  const { low, high, cuts } = change;
  if (low === -Infinity && high === Infinity) return "any number";
  if (change.now !== null && change.now > high) return `at most ${cuts.high}`;
  if (change.now !== null || high === Infinity) return `above ${cuts.low}`;
  return low === -Infinity ? `at most ${cuts.high}` : `above ${cuts.low} up to ${cuts.high}`;
}

const REMARKS = {
  naive_bayes:
    "A Naive Bayes tree: each leaf has a table of its own, by which cases of the same leaf get different answers. So a segment of the ROC curve is not a leaf but the cases with one and the same answer, and a leaf has a label only if all its training cases have it. An answer is made of many values at once: rules, SQL and distances from another label are not offered.",
  cells:
    "A Multiscale Classifier: a cell is a box, and its branches are the parts of it that training cases are in, all sides halved. A case elsewhere in the box goes by the box itself. SQL and distances from another label are not offered.",
};

const SOFT =
  "Soft thresholds: a case near a threshold goes down both branches, and what the leaves say that it reaches is averaged. The tree, its labels, segments and rules are those of the leaves. SQL is written by tree.to_sql(); distances from another label are not defined.";

/** What is different on the page of a tree; nothing of one of splits with hard thresholds. */
export function remarkOn(tree) {
  return tree.softness ? SOFT : REMARKS[tree.kind];
}

/** What the terms mean where that depends on the kind of model. */
const MEANINGS_BY_KIND = {
  naive_bayes: {
    tree: "Each case starts at the left and follows the branch whose condition it meets, until it ends in a leaf, whose table gives its probability. The thicker a branch, the more training cases went that way. The colour inside a leaf is the share of the class of interest among its training cases; the frame is the label of all of them, dashed if they differ. Click a leaf for its table.",
    roc: "Cases sorted by their probability of the class of interest, one segment for each different answer. Going along the curve means calling one more answer positive.",
    calibration: "A dot for each tenth of the cases, sorted by their probability: what the tree says against what happened. On the diagonal the probabilities are right.",
    by: "What decides where cases become positive: at costs always their probabilities; for rates and beta also whose cases are counted: as the probabilities expect them, the training cases, or the test cases.",
    next: "The neighbouring labellings on the slider: which answer changes, at which ratio of costs, and what that gains and loses.",
  },
  cells: {
    tree: "Each node is a box of values, a cell. Its branches are its parts with training cases, all sides halved. A case goes by the smallest cell that it is in. The thicker a branch, the more training cases went that way; colour is the probability of the class of interest, the frame is the label. Drag to move, click a node to fold it; once clicked, the wheel zooms.",
  },
};

/** What a term means on the page of a kind of model. */
export function meaningOf(kind, term) {
  return MEANINGS_BY_KIND[kind]?.[term] ?? MEANINGS[term];
}

/** What the terms mean, in plain words; each has a question mark on the page. */
const MEANINGS = {
  tree: "Each case starts at the left and follows the branch whose condition it meets, until it ends in a leaf. The thicker a branch, the more training cases went that way. The colour inside a leaf is the probability of the class of interest; the frame is the label that the leaf has at the current costs. Drag to move, click a node to fold it; once clicked, the wheel zooms.",
  roc: "Leaves sorted by the share of the class of interest, one segment each: steep segments find many cases at few false alarms. Going along the curve means calling one leaf more positive. Every point is a different way to label the same tree.",
  hull: "The line spanned above the curve: only labellings on it can be cheapest for some costs.",
  isocost: "All points on this straight line cost the same. The cheapest labelling is where the line touches the curve farthest up and left.",
  band: "Where the curve would lie with other cases of the same kind: 95 of 100 such samples stay inside at each point (bootstrap, approximate).",
  auc: "Area under the curve: how often a random case of the class of interest ranks above a random other case. 0.5 is guessing, 1 is perfect.",
  costs: "What the two errors cost you, in any unit: money, points, days. Only their ratio decides which leaves are positive; the amounts give the expected cost.",
  cost_fp: "What it costs to raise an alarm for a case that is not of the class of interest.",
  cost_fn: "What it costs to overlook a case of the class of interest.",
  ratio: "How many false alarms one missed case is worth. Drag it: leaves whose share is high enough turn positive one after the other.",
  strip: "Each piece is one labelling, from no positive leaf on the left to all on the right. It covers the cost ratios for which that labelling is the cheapest. Wide pieces are safe choices if you do not know your costs exactly.",
  prevalence: "The share of the class of interest where the tree will be used, if it differs from that in the data: say 1 % in screening and 40 % in a clinic. Empty: as in the data.",
  max_fpr: "Find as many cases as possible while at most this share of the others raises a false alarm (Neyman-Pearson).",
  min_tpr: "Raise as few false alarms as possible while at least this share of the cases is found.",
  beta: "How many times more recall counts than precision in the F-measure. 1 weighs both the same.",
  by: "What decides which leaf is positive: the tree's smoothed probabilities, the bare training counts, or the test cases.",
  on: "Which cases the numbers are counted on. Test cases did not grow the tree, so that their numbers are honest.",
  recall: "Of 100 cases of the class of interest, how many are found. Also called sensitivity or true positive rate.",
  fpr: "Of 100 other cases, how many raise a false alarm. One minus specificity.",
  precision: "Of 100 alarms, how many are right. Also called positive predictive value.",
  f_beta: "One number for precision and recall together: their harmonic mean, weighted by beta.",
  accuracy: "The share of all cases that get their right label, whatever the errors cost.",
  cost: "What the errors of 1 000 cases cost on average, at your costs and your share of the class of interest.",
  confusion: "How 1 000 cases divide by what they are and what they are called. Small numbers below are the counts themselves.",
  next: "The neighbouring labellings on the slider: which leaf changes, at which ratio of costs, and what that gains and loses.",
  cost_curve: "Expected cost, from 0 to 1, over how much the class of interest weighs (its share times the cost of missing it). The dashed triangle is the better of calling everything or nothing positive.",
  gain: "Precision and recall on a scale where calling everything positive is 0 and being perfect is 1 (Flach and Kull 2015).",
  benefit: "True positives less false positives at the exchange rate of a threshold probability, per 100 cases. The tree is worth using where it lies above both: treat everyone, and treat no one.",
  calibration: "A dot for each leaf: what the tree says against what happened among the cases. On the diagonal the probabilities are right.",
  near: "The cases of the page, by their distance from where the label would change. Errors should lie near the middle.",
  interval: "95 % interval of the share among the cases of this leaf alone (Wilson). The probability itself is drawn towards the nodes above, so that it may lie outside.",
  case: "Type the values of a case, or pick one. Its way through the tree lights up. Leave a field empty if the value is not known: then all branches are followed, in proportion to their cases.",
  distance: "How far the case is from the nearest leaf with another label; the range of each attribute counts as 1 unless the tree was told otherwise.",
  matrix: "What it costs to predict the class of the row for a case that is of the class of the column. Being right usually costs nothing.",
  positive: "The class that counts as positive: the one to be found. All others are negative.",
  model: "The Naive Bayes table of a leaf. It starts from the shares of the classes. Each value that is known multiplies the odds by how much more often it occurs in the class of interest than in the others, as if the values had nothing to do with each other. Values that are not known change nothing.",
  factor: "What the odds of the class of interest are multiplied by if a case has this value: more than 1 speaks for it, less against it.",
  copy: "The same operating point for other programs. The link opens this page with the same settings.",
};
