// The state of the page, as a plain object and as the fragment of its address.

export const VIEWS = ["roc", "cost", "gain", "benefit", "calibration", "near"];
/** The parts of a state that choose the point. */
export const CHOICE = ["mode", "cost_fp", "cost_fn", "max_fpr", "min_tpr", "beta", "by", "matrix", "cost_reject"];
export const MAX_PINS = 3;
const MODES = ["costs", "max_fpr", "min_tpr", "beta", "matrix"];

// Keys of the address: how each part of the state is written and read. Parts that cannot be read keep
// their defaults, so that a damaged link still opens.
const FIELDS = {
  mode: oneOf(MODES),
  cost_fp: number((value) => value >= 0),
  cost_fn: number((value) => value >= 0),
  cost_reject: optional(number((value) => value >= 0)),
  prior: optional(number((value) => value > 0 && value < 1)),
  max_fpr: number((value) => value >= 0 && value <= 1),
  min_tpr: number((value) => value >= 0 && value <= 1),
  beta: number((value) => value > 0),
  by: oneOf(["smoothed", "training", "test"]),
  on: oneOf(["smoothed", "training", "test"]),
  positive: number((value) => Number.isInteger(value) && value >= 0),
  view: oneOf(VIEWS),
  unit: { write: String, read: (text) => text.slice(0, 20) },
  matrix: json(),
  priors: optional(json()),
  values: json(),
  pins: json(),
};

function number(fits) {
  return {
    write: String,
    read: (text) => {
      const value = Number(text);
      return text !== "" && Number.isFinite(value) && fits(value) ? value : undefined;
    },
  };
}

function optional(field) {
  return {
    // A pin of an older page lacks what came later.
    write: (value) => (value === null || value === undefined ? "" : field.write(value)),
    read: (text) => (text === "" ? null : field.read(text)),
  };
}

function oneOf(words) {
  return { write: String, read: (text) => (words.includes(text) ? text : undefined) };
}

function json() {
  return {
    write: JSON.stringify,
    read: (text) => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    },
  };
}

/** The fragment of an address: the differences from the initial state. */
function writeHash(state, start) {
  const parameters = new URLSearchParams();
  for (const [name, field] of Object.entries(FIELDS)) {
    const text = field.write(state[name]);
    if (text !== field.write(start[name])) parameters.set(name, text);
  }
  return parameters.toString();
}

// Browsers limit changes of the address to about three per second.
const PAUSE = 350;

/**
 * Keeps the state in the page's address: `keep` writes it after a delay, as a new entry of the history if
 * a gesture begins with it, so that Back returns to the point before; `of` returns the link to a state.
 */
export function makeAddress(start) {
  let latest = null;
  let begins = false;
  function of(state) {
    const text = writeHash(state, start);
    // In the initial state the address has no fragment.
    return location.href.split("#")[0] + (text ? `#${text}` : "");
  }
  function write() {
    const address = of(latest);
    if (address !== location.href) history[begins ? "pushState" : "replaceState"](null, "", address);
    latest = null;
    begins = false;
  }
  function keep(state, isNew) {
    if (latest === null) setTimeout(write, PAUSE);
    latest = state;
    begins ||= isNew;
  }
  return { keep, of };
}

/** The state of an address; settings that do not apply to the tree are ignored. */
export function readHash(hash, start, tree) {
  const state = { ...start };
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const value = FIELDS[name]?.read(text);
    if (value !== undefined && fits(name, value, tree)) state[name] = value;
  }
  if (state.mode === "matrix" && tree.nClasses <= 2) state.mode = "costs";
  if (state.cost_fp === 0 && state.cost_fn === 0) state.cost_fp = state.cost_fn = 1;
  return state;
}

function fits(name, value, tree) {
  const isShare = (each) => typeof each === "number" && each >= 0 && each <= 1;
  if (name === "positive") return value < tree.nClasses;
  if (name === "view") return value !== "near" || tree.isHard;
  if (name === "by" || name === "on") return value !== "test" || Boolean(tree.counts.test);
  if (name === "matrix") return isMatrix(value, tree.nClasses);
  if (name === "priors") {
    return value === null || (Array.isArray(value) && value.length === tree.nClasses && value.every(isShare));
  }
  if (name === "pins") return arePins(value, tree);
  if (name === "values") return isCase(value, tree);
  return true;
}

function arePins(value, tree) {
  const isPin = (pin) => typeof pin?.name === "string" && CHOICE.every((part) => FIELDS[part].read(FIELDS[part].write(pin[part])) !== undefined && fits(part, pin[part], tree));
  return Array.isArray(value) && value.length <= MAX_PINS && value.every(isPin);
}

function isMatrix(value, size) {
  const isRow = (row) => Array.isArray(row) && row.length === size && row.every(Number.isFinite);
  return Array.isArray(value) && value.length === size && value.every(isRow);
}

function isCase(values, tree) {
  if (!Array.isArray(values) || values.length !== tree.features.length) return false;
  return values.every((value, feature) => {
    if (value === null) return true;
    const { categories } = tree.features[feature];
    if (!Number.isFinite(value)) return false;
    return categories === null || (Number.isInteger(value) && value >= 0 && value < categories.length);
  });
}
