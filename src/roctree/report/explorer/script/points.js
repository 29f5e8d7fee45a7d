// Points beside a tree: the score of the leaves first, then points for the values of attributes.

/** Round as Python does: halves to the even neighbour. */
function roundedHalfEven(number) {
  const floor = Math.floor(number);
  if (number - floor !== 0.5) return Math.round(number);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The points of a value of an attribute, one number per column; null is a missing value. */
export function pointsOf({ starts, high, values, slopes, missing }, value) {
  if (value === null) return missing;
  const within = Math.min(Math.max(value, starts[0]), high);
  let place = starts.length - 1;
  while (place > 0 && starts[place] > within) place--;
  return values[place].map((first, k) => first + slopes[place][k] * (within - starts[place]));
}

/** The points of the tree for its probabilities. */
export function treePoints({ weight, unit, whole, least }, shares) {
  const logs = Array.from(shares, (share) => Math.log(Math.max(share, least)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const scores = logs.length === 2 ? [logs[1] - logs[0]] : logs.map((log) => log - mean);
  return scores.map((score) => (whole ? roundedHalfEven((weight * score) / unit) : (weight * score) / unit));
}

/** Probabilities of summed points. A single column is the log-odds of the second of two classes. */
export function chancesOf({ unit }, sums) {
  const scores = sums.length === 1 ? [0, sums[0]] : sums;
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(unit * (score - most)));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Float64Array.from(powers, (power) => power / total);
}

/**
 * What adds points for a case, in order: the tree, every case, then the attributes. Each is
 * { attribute, points, sums, chances }: the points per column, their sums so far, and what these mean.
 */
export function stepsOf(points, shares, values) {
  const parts = [
    { attribute: "tree", points: treePoints(points, shares) },
    { attribute: null, points: points.intercept },
    ...points.attributes.map((attribute) => ({ attribute, points: pointsOf(attribute, values[attribute.feature]) })),
  ];
  let sums = points.intercept.map(() => 0);
  return parts.map((part) => {
    sums = sums.map((sum, k) => sum + part.points[k]);
    return { ...part, sums, chances: chancesOf(points, sums) };
  });
}

/** Class probabilities of a case, from those of the tree and its values. */
export function withPoints(points, shares, values) {
  return stepsOf(points, shares, values).at(-1).chances;
}

/** Points in favour of a class: those of its column, or of two classes with the sign of the class. */
export function inFavour(points, positive) {
  if (points.length > 1) return points[positive];
  return positive === 1 ? points[0] : 0 - points[0];
}

/** The probabilities of the tree alone for a case. */
export function sharesOf({ nClasses, probabilities }, stops) {
  const found = new Float64Array(nClasses);
  for (const { node, part } of stops) {
    for (let c = 0; c < nClasses; c++) found[c] += part * probabilities[node * nClasses + c];
  }
  return found;
}

/** Points with a sign: whole ones as they are, others with two decimals. */
export function pointsWords({ whole }, points) {
  const text = Math.abs(points).toFixed(whole ? 0 : 2);
  return `${points < 0 && Number(text) !== 0 ? "−" : "+"}${text}`;
}
