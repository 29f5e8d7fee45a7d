// Intervals by the bootstrap: cases are drawn again with replacement, with the same draws every time.

const RESAMPLES = 500;
const SEED = 20_26;
// Two-sided 95 % quantile of the normal distribution, to which the bootstrap of many cases tends.
const Z = 1.959963984540054;
const MANY = 5000;

/**
 * The mean over cases of what each of them costs, and its 95 % percentile interval. `parts` holds the costs
 * other than 0, `{ value, weight }` each; all other cases of `total` cost nothing.
 */
export function bootstrapMean(parts, total) {
  const mean = parts.reduce((sum, { value, weight }) => sum + value * weight, 0) / total;
  const n = Math.round(total);
  if (n < 1) return { mean, low: mean, high: mean };
  if (n > MANY) return normal(parts, total, mean);
  const counts = resampled(parts.map(({ weight }) => weight / total), n);
  const means = new Float64Array(RESAMPLES);
  parts.forEach(({ value }, part) => {
    for (let i = 0; i < RESAMPLES; i++) means[i] += (value * counts[part][i]) / n;
  });
  means.sort();
  return { mean, low: means[Math.floor(0.025 * RESAMPLES)], high: means[Math.ceil(0.975 * RESAMPLES) - 1] };
}

function normal(parts, total, mean) {
  const squares = parts.reduce((sum, { value, weight }) => sum + value * value * weight, 0) / total;
  const spread = Z * Math.sqrt(Math.max(0, squares - mean * mean) / total);
  return { mean, low: mean - spread, high: mean + spread };
}

// While a slider moves, costs change and counts do not: the last draws are kept.
const kept = new Map();
const MAX_KEPT = 8;

/** How often each part occurs in each resample of n cases: draws from the multinomial distribution. */
function resampled(shares, n) {
  const key = `${n} ${shares.join(" ")}`;
  if (!kept.has(key)) {
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value);
    kept.set(key, drawn(shares, n));
  }
  return kept.get(key);
}

function drawn(shares, n) {
  const random = uniform(SEED);
  const counts = shares.map(() => new Float64Array(RESAMPLES));
  for (let i = 0; i < RESAMPLES; i++) {
    let cases = n;
    let rest = 1;
    shares.forEach((share, part) => {
      const found = binomial(cases, Math.min(1, share / rest), random);
      counts[part][i] = found;
      cases -= found;
      rest -= share;
    });
  }
  return counts;
}

/** A draw from the binomial distribution, by the waiting times between hits: quick where hits are few. */
function binomial(n, p, random) {
  if (!(p > 0) || n === 0) return 0;
  if (p > 0.5) return n - binomial(n, 1 - p, random);
  const scale = 1 / Math.log1p(-p);
  let hits = 0;
  let at = Math.floor(Math.log(random()) * scale) + 1;
  while (at <= n) {
    hits += 1;
    at += Math.floor(Math.log(random()) * scale) + 1;
  }
  return hits;
}

/** Reproducible random numbers between 0 and 1, both excluded. */
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}
