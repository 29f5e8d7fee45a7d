// Curves of the same labellings in other coordinates, and confidence intervals of proportions.

// Two-sided 95 % quantile of the normal distribution.
const Z = 1.959963984540054;

/** The 95 % interval of a proportion (Wilson); null without cases. */
export function wilson(count, total) {
  if (!(total > 0)) return null;
  const share = count / total;
  const square = Z * Z;
  const middle = (share + square / (2 * total)) / (1 + square / total);
  const spread = (share * (1 - share)) / total + square / (4 * total * total);
  const width = (Z * Math.sqrt(Math.max(spread, 0))) / (1 + square / total);
  // Avoid rounding errors at 0 and 1.
  return { low: count === 0 ? 0 : middle - width, high: count === total ? 1 : middle + width };
}

/** Area under a curve: the chance that a positive ranks above a negative, ties one half. */
export function areaUnder(curve) {
  let right = 0;
  let wrong = 0;
  for (let g = 0; g < curve.positives.length; g++) {
    right += curve.negatives[g] * (curve.tp[g] + curve.tp[g + 1]);
    wrong += curve.positives[g] * (curve.fp[g] + curve.fp[g + 1]);
  }
  return right / (right + wrong);
}

/** Which points of a curve are corners of its upper hull. */
export function hullOf(curve) {
  const corners = [];
  for (let i = 0; i < curve.fp.length; i++) {
    while (corners.length > 1 && !turnsRight(curve, corners.at(-2), corners.at(-1), i)) {
      corners.pop();
    }
    corners.push(i);
  }
  return corners;
}

function turnsRight({ fp, tp }, a, b, c) {
  return (tp[b] - tp[a]) * (fp[c] - fp[a]) > (tp[c] - tp[a]) * (fp[b] - fp[a]);
}

/** The lower envelope of expected cost, scaled to 1, over the weight of the positives. */
export function costCurve(curve) {
  const corners = hullOf(curve);
  const weights = [0];
  for (let i = 1; i < corners.length; i++) {
    const rise = curve.tpr[corners[i]] - curve.tpr[corners[i - 1]];
    const run = curve.fpr[corners[i]] - curve.fpr[corners[i - 1]];
    weights.push(run / (rise + run));
  }
  weights.push(1);
  return weights.map((weight, i) => {
    const corner = corners[Math.min(i, corners.length - 1)];
    return { x: weight, y: costAt(curve.fpr[corner], curve.tpr[corner], weight), corner };
  });
}

/** Expected cost, scaled to 1, of some rates where positives have this weight. */
export function costAt(fpr, tpr, weight) {
  return weight * (1 - tpr) + (1 - weight) * fpr;
}

/** The weight of the positives in the total possible cost. */
export function weightOf(rates, costs) {
  const ours = rates.prior * costs.fn;
  const theirs = (1 - rates.prior) * costs.fp;
  return ours / (ours + theirs);
}

/** Precision gain and recall gain at a point of a curve; null where recall is below the prior. */
export function gainsAt(tp, fp, nPositive, nNegative) {
  const least = (nPositive * nPositive) / (nPositive + nNegative);
  if (!(tp >= least)) return null;
  const odds = nPositive / nNegative;
  return { x: 1 - (odds * (nPositive - tp)) / tp, y: 1 - (odds * fp) / tp };
}

/** The precision-recall-gain curve from recall gain 0; each point refers to its corner. */
export function gainCurve(curve) {
  const { tp, fp, nPositive, nNegative } = curve;
  const least = nPositive * curve.prior;
  const points = [];
  for (let g = 0; g < tp.length; g++) {
    if (!(tp[g] > least)) continue;
    if (points.length === 0 && g > 0) {
      const part = (least - tp[g - 1]) / (tp[g] - tp[g - 1]);
      const crossing = fp[g - 1] + part * (fp[g] - fp[g - 1]);
      points.push({ ...gainsAt(least, crossing, nPositive, nNegative), corner: g - 1 });
    }
    points.push({ ...gainsAt(tp[g], fp[g], nPositive, nNegative), corner: g });
  }
  return points;
}

/** Hits less false alarms at the exchange rate of a threshold, per case. */
export function netBenefit(fpr, tpr, prior, threshold) {
  return tpr * prior - (fpr * (1 - prior) * threshold) / (1 - threshold);
}

/** The threshold probability for two costs. */
export function thresholdOf(costs) {
  return costs.fp / (costs.fp + costs.fn);
}

/**
 * Net benefit of the labelling that is optimal at each threshold: steps between labellings, each
 * linear in the odds of the threshold. `cornerOf` gives the corner of the curve of a labelling.
 */
export function netBenefitCurve(curve, bounds, prior, most, cornerOf) {
  const points = [];
  for (let g = 0; g < bounds.length - 1; g++) {
    const corner = cornerOf(g);
    const from = 1 / (1 + bounds[g + 1]);
    const to = Math.min(1 / (1 + bounds[g]), most);
    if (!(from <= to)) continue;
    for (const x of between(from, to)) {
      points.push({ x, y: netBenefit(curve.fpr[corner], curve.tpr[corner], prior, x), corner });
    }
  }
  // From low thresholds, where much is positive, to high ones.
  return points.reverse().sort((a, b) => a.x - b.x);
}

/** Thresholds from one to another, dense enough for the curve to look smooth. */
function between(from, to) {
  const n = Math.max(1, Math.ceil((to - from) * 50));
  return Array.from({ length: n + 1 }, (_, i) => from + ((to - from) * i) / n);
}
