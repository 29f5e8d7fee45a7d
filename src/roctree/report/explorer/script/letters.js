// Letters of the leaves: A, B, C… in the order of the ranking, the same everywhere on the page.

// Probabilities are compared after rounding to this number of decimals, as in Python.
const GRAIN = 1e12;

/** The letter of each leaf node, by its probability of a class, highest first. */
export function lettersOf(tree, positive) {
  const score = (node) => Math.round(tree.probabilities[node * tree.nClasses + positive] * GRAIN);
  const ranked = Array.from(tree.leaves).sort((a, b) => score(b) - score(a) || a - b);
  return new Map(ranked.map((node, rank) => [node, letterOf(rank)]));
}

/** The name of a column in a spreadsheet: 0 is A, 25 is Z, 26 is AA. */
export function letterOf(rank) {
  const above = Math.floor(rank / 26);
  return (above > 0 ? letterOf(above - 1) : "") + String.fromCharCode(65 + (rank % 26));
}
