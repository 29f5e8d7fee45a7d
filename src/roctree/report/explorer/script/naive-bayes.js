// The Naive Bayes models at the leaves of a tree.

/** The table of a node's model; null if it has none. */
export function tableOf({ models }, node) {
  const number = models ? models.of_nodes[node] : -1;
  return number < 0 ? null : models.tables[number];
}

/** The cell of an attribute that contains a value; -1 if the value is unknown. */
export function cellOf({ cuts }, value) {
  if (value === null) return -1;
  if (cuts === null) return value;
  const found = cuts.findIndex((cut) => value <= cut);
  return found < 0 ? cuts.length : found;
}

/** Class probabilities of a case: the class shares times the shares of its cells, normalised. */
export function posterior({ prior, attributes }, values) {
  let found = prior.slice();
  for (const attribute of attributes) {
    const cell = cellOf(attribute, values[attribute.feature]);
    if (cell < 0) continue;
    found = found.map((share, c) => share * attribute.likelihood[cell][c]);
    // Products of many small numbers would underflow.
    const total = found.reduce((sum, part) => sum + part, 0);
    found = found.map((part) => part / total);
  }
  return found;
}

/** How many times more often a value occurs in a class than in the others together. */
export function factorOf({ prior }, shares, positive) {
  let others = 0;
  let weight = 0;
  for (let c = 0; c < shares.length; c++) {
    if (c === positive) continue;
    others += prior[c] * shares[c];
    weight += prior[c];
  }
  return shares[positive] / (others / weight);
}

/** The strongest evidence for and against a class: [{ feature, word, factor }], or empty. */
export function strongest(table, positive) {
  const found = table.attributes.flatMap(({ feature, words, likelihood }) =>
    likelihood.map((shares, cell) => ({ feature, word: words[cell], factor: factorOf(table, shares, positive) })),
  );
  found.sort((a, b) => b.factor - a.factor);
  return found.length < 2 ? [] : [found[0], found.at(-1)];
}
