// The points of a tree with points: what each attribute adds to the leaf, and the probabilities of their sum.

/** The points of an attribute for a value, one per column; those of a missing value if it is null. */
export function pointsAt({ starts, high, values, slopes, missing }, value) {
  if (value === null) return missing;
  const within = Math.min(Math.max(value, starts[0]), high);
  let place = 0;
  while (place + 1 < starts.length && starts[place + 1] <= within) place++;
  return values[place].map((points, k) => points + slopes[place][k] * (within - starts[place]));
}

/**
 * What adds up to the score of a case: the tree, with what every case gets, then each attribute. Each
 * step has the number of the attribute among those with points (-1 for the tree) and its points per column.
 */
export function stepsOf(card, shares, values) {
  const leaf = treeScores(shares, card.least).map((score) => (card.tree_weight * score) / card.unit);
  const tree = leaf.map((points, k) => (card.whole ? roundHalfEven(points) : points) + card.intercept[k]);
  return [
    { attribute: -1, points: tree },
    ...card.attributes.map((each, attribute) => ({ attribute, points: pointsAt(each, values[each.feature]) })),
  ];
}

/** The class probabilities of the sum of some steps. */
export function probabilitiesOf(card, steps) {
  const sum = card.intercept.map((_, k) => steps.reduce((total, { points }) => total + points[k], 0));
  const scores = (sum.length === 1 ? [0, sum[0]] : sum).map((score) => score * card.unit);
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((one, other) => one + other, 0);
  return powers.map((power) => power / total);
}

/** Logarithms of probabilities: log-odds for two classes, else centred. */
function treeScores(shares, least) {
  const logs = Array.from(shares, (share) => Math.log(Math.max(share, least)));
  if (logs.length === 2) return [logs[1] - logs[0]];
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return logs.map((log) => log - mean);
}

function roundHalfEven(number) {
  const below = Math.floor(number);
  if (number - below !== 0.5) return Math.round(number);
  return below % 2 === 0 ? below : below + 1;
}

/** Points in favour of a class: of two classes, those of the first are those of the second with the other sign. */
export function pointsFor(points, positive) {
  if (points.length > 1) return points[positive];
  return positive === 1 ? points[0] : -points[0];
}

/** The highest and the lowest points of an attribute in favour of a class, missing values included. */
export function pointsRange(attribute, positive) {
  const ends = [...attribute.starts, attribute.high].map((value) => pointsFor(pointsAt(attribute, value), positive));
  if (attribute.missing.some((points) => points !== 0)) ends.push(pointsFor(attribute.missing, positive));
  return [Math.min(...ends), Math.max(...ends)];
}

const DECIMALS = 1e12;

/** Calibrated probabilities: each class along its own curve, which is straight between its corners. */
export function calibrated(curves, probabilities) {
  if (curves === null) return probabilities;
  if (curves.length === 1) {
    const second = along(curves[0], probabilities[1]);
    return [1 - second, second];
  }
  const found = curves.map((curve, c) => along(curve, probabilities[c]));
  const total = found.reduce((sum, p) => sum + p, 0);
  return total > 0 ? found.map((p) => p / total) : probabilities;
}

function along({ score, probability }, value) {
  const round = (number) => Math.round(number * DECIMALS) / DECIMALS;
  const at = round(value);
  let right = score.findIndex((each) => round(each) > at);
  if (right === 0) return probability[0];
  if (right < 0) return probability.at(-1);
  const [from, to] = [round(score[right - 1]), round(score[right])];
  return probability[right - 1] + ((at - from) / (to - from)) * (probability[right] - probability[right - 1]);
}
