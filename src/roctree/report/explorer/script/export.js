// The current operating point for other programs: Python, the command line, SQL and rules.

import { branchOf, pathTo, ROOT } from "./tree.js";
import { missWithin, MIXED, priorForPython, usesMatrix } from "./point.js";
import { cases, categoriesOf, percent, plain, ruleWords, testsPresence } from "./words.js";

/** The call of `tree.at(...)` for this point. */
export function pythonOf(tree, point, classCode) {
  const parts = [...request(tree, point).map(([name, value]) => `${name}=${python(value)}`)];
  const { state } = point;
  if (tree.nClasses === 2 && state.positive !== 1) parts.push(`positive=${classCode[state.positive]}`);
  if (state.by === "smoothed") parts.push('counts="smoothed"');
  if (state.by === "test") parts.push("counts=(X_test, y_test)");
  return `tree.at(${parts.join(", ")})`;
}

/** The same for the command line, if it can be expressed there. */
export function commandOf(tree, point) {
  const { state } = point;
  const options = request(tree, point).map(([name, value]) => `--${name.replace("_", "-")} ${shell(name, value)}`);
  if (tree.nClasses === 2 && state.positive !== 1) {
    options.push(`--positive ${quoted(tree.classes[state.positive])}`);
  }
  if (state.by === "smoothed") options.push("--counts smoothed");
  if (state.by === "test") return "# Labels chosen by test cases are available in Python only.";
  return `roctree predict tree.json new.csv ${options.join(" ")} -o scored.csv`;
}

/** The arguments of `at`, as names and values. */
function request(tree, point) {
  const { state } = point;
  const prior = priorForPython(tree, point);
  const priors = prior === null ? [] : [["prior", prior]];
  const reject = point.reject === null ? [] : [["cost_reject", point.reject]];
  if (usesMatrix(tree, state)) return [["cost_matrix", state.matrix], ...reject, ...priors];
  if (tree.nClasses > 2) return [["cost_matrix", oneAgainstRest(tree, point)], ...reject, ...priors];
  if (state.mode === "max_fpr" || state.mode === "min_tpr") return [[state.mode, state[state.mode]]];
  if (state.mode === "beta") return [["beta", state.beta], ...priors];
  return [["cost_fp", state.cost_fp], ["cost_fn", state.cost_fn], ...reject, ...priors];
}

/** The costs of one class against the rest as a matrix; for rates, costs with the same labels. */
function oneAgainstRest(tree, point) {
  const { state } = point;
  const byCosts = state.mode === "costs";
  const fp = byCosts ? state.cost_fp : 1;
  const fn = byCosts ? state.cost_fn : missWithin(point.bounds, point.nGroups, fp);
  return tree.classes.map((_, predicted) =>
    tree.classes.map((__, truth) => {
      if ((predicted === state.positive) === (truth === state.positive)) return 0;
      return predicted === state.positive ? fp : fn;
    }),
  );
}

function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  return String(value);
}

function shell(name, value) {
  if (!Array.isArray(value)) return String(value);
  return name === "prior" ? value.join(",") : `'${python(value)}'`;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The highest nodes whose leaves all have the same label: one rule each. */
function labelRules(tree, point) {
  const rules = [];
  const stack = [ROOT];
  while (stack.length > 0) {
    const node = stack.pop();
    const label = point.nodeLabels[node];
    if (label !== MIXED) rules.push({ node, label });
    else for (let i = tree.nChildren[node] - 1; i >= 0; i--) stack.push(tree.firstChild[node] + i);
  }
  return rules;
}

/** One line per leaf: its rule in words, label, probability and cases. */
export function rulesOf(tree, point, labelName) {
  const rows = Array.from(tree.leaves, (node) => {
    const p = tree.probabilities[node * tree.nClasses + point.state.positive];
    const facts = `${plain(percent(p))} ${tree.classes[point.state.positive]}, ${plain(cases(tree.weight[node]))}`;
    return `${ruleWords(tree, node)}: ${labelName(point.nodeLabels[node])} (${facts})`;
  });
  return rows.join("\n");
}

/** A CASE expression that gives the label of a row. */
export function sqlOf(tree, point, labelName) {
  const whens = labelRules(tree, point).map(({ node, label }) => {
    const tests = pathTo(tree, node).slice(1).map((at) => sqlTest(tree, at));
    return `  WHEN ${tests.join(" AND ") || "TRUE"} THEN ${sqlText(labelName(label))}`;
  });
  return [
    "-- Missing values and categories not seen in training follow one branch: that of the",
    "-- tree if it has one, otherwise the one with most cases. tree.predict divides such rows instead.",
    "CASE",
    ...whens,
    "END",
  ].join("\n");
}

function sqlTest(tree, node) {
  const parent = tree.parent[node];
  const { name, categories, plain } = tree.features[tree.feature[parent]];
  const column = `"${name.replaceAll('"', '""')}"`;
  const branch = branchOf(tree, node);
  if (testsPresence(tree, parent)) return `${column} IS ${branch === 1 ? "" : "NOT "}NULL`;
  const own = tree.missingBranch[parent];
  const takesMissing = (own >= 0 ? own : tree.heaviest[parent]) === branch;
  if (tree.threshold[parent] !== null) {
    const test = `${column} ${branch === 0 ? "<=" : ">"} ${tree.threshold[parent]}`;
    return takesMissing ? `(${test} OR ${column} IS NULL)` : test;
  }
  const inBranch = (at) => categoriesOf(tree, at).map((code) => (plain ? categories[code] : sqlText(categories[code])));
  if (!takesMissing) return `${column} IN (${inBranch(node).join(", ") || "NULL"})`;
  const others = [];
  for (let i = 0; i < tree.nChildren[parent]; i++) {
    if (i !== branch) others.push(...inBranch(tree.firstChild[parent] + i));
  }
  if (others.length === 0) return "TRUE";
  return `(${column} NOT IN (${others.join(", ")}) OR ${column} IS NULL)`;
}

function sqlText(text) {
  return `'${String(text).replaceAll("'", "''")}'`;
}
