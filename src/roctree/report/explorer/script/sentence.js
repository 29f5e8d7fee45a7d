// The point in plain words, for a thousand cases: what is found, what is missed, and false alarms.

import { changeBetween, isSure } from "./change.js";
import { element, fill } from "./dom.js";
import { linesOf } from "./labelling.js";
import { isReachable, LEFT, withGroups } from "./point.js";
import { cases, grouped, listed, short } from "./words.js";

export const PER = 1000;
const MAX_LETTERS = 4;

/** Make the sentence that the page opens with. */
export function makeSentence(app) {
  const words = element("p", { class: "sentence" });
  return { element: words, update: () => fill(words, app.point.perClass ? manyWords(app) : twoWords(app)) };
}

/** The whole numbers of a point, for a thousand cases; found, missed and undecided ones add up to all. */
export function perThousand({ rates }) {
  const all = Math.round(rates.prior * PER);
  const found = Math.min(all, Math.round(rates.hits * PER));
  const left = Math.min(all - found, Math.round(rates.undecidedPositives * PER));
  const undecided = left + Math.round(rates.undecidedNegatives * PER);
  return { all, found, missed: all - found - left, alarms: Math.round(rates.alarms * PER), undecided };
}

function figure(name, value, className = "") {
  return element("strong", { class: className, data: { name: `sentence_${name}`, value: String(value) } }, grouped(value));
}

function modelWord({ tree }) {
  return tree.cells || tree.leaves.length === 1 ? "model" : "tree";
}

function twoWords(app) {
  const { tree, state, point, data } = app;
  if (!Number.isFinite(point.rates.tpr + point.rates.fpr)) return oneSided(app);
  const { all, found, missed, alarms, undecided } = perThousand(point);
  return [
    `Of ${grouped(PER)} ${data.noun} like these, `,
    figure("all", all, "ours"),
    ` are “${tree.classes[state.positive]}”. This ${modelWord(app)} finds `,
    figure("found", found, "ours"),
    ", misses ",
    figure("missed", missed, "ours"),
    point.reject === null ? " and raises " : ", raises ",
    figure("alarms", alarms, "theirs"),
    ...(point.reject === null ? [" false alarms."] : [" false alarms and leaves ", figure("undecided", undecided), " undecided."]),
  ];
}

/** Rates of a class that does not occur are not known. */
function oneSided({ tree, state, point, data, tableName }) {
  const none = Number.isFinite(point.rates.tpr) ? `only ${tree.classes[state.positive]}` : `no ${tree.classes[state.positive]}`;
  return [`There is ${none} among the ${tableName(state.on)}: what this tree finds of 1\u00a0000 ${data.noun} cannot be counted.`];
}

function manyWords(app) {
  const { tree, point, data } = app;
  const right = Math.round(point.right * PER);
  const undecided = Math.round(point.undecided * PER);
  return [
    `Of ${grouped(PER)} ${data.noun} like these, this ${modelWord(app)} gets `,
    figure("right", right),
    point.reject === null ? " right and " : " right, ",
    figure("wrong", PER - right - undecided),
    ...(point.reject === null ? [" wrong"] : [" wrong and leaves ", figure("undecided", undecided), " undecided"]),
    `, among ${tree.nClasses} classes.`,
  ];
}

/** What has changed since the last point, or what comes next. */
export function changeWords(app) {
  const { tree, point, before, state } = app;
  if (point.perClass) return flippedClasses(app);
  const comparable = before && !before.perClass && before.state.positive === state.positive && before.state.on === state.on && before.state.prior === state.prior;
  const change = comparable ? changeBetween(tree, before, point) : null;
  if (change === null || change.nCases === 0) return nextWords(app);
  return [element("strong", {}, `${flipWords(app, change)}: `), effectWords(app, change)];
}

function flippedClasses({ tree, point, before, letters }) {
  const hint = "Drag a slider to the right: more leaves take the colour of that class.";
  if (!before?.perClass) return hint;
  const nodes = Array.from(tree.leaves).filter((node) => before.nodeLabels[node] !== point.nodeLabels[node]);
  if (nodes.length === 0) return hint;
  const cost = (point.cost - before.cost) * PER;
  return [element("strong", {}, `${lettersWords(letters, nodes)}: `), `cost ${signed(cost)} per ${grouped(PER)}.`];
}

/** Which leaves flip: "C flips", "C and D flip", "12 leaves flip". */
function flipWords({ tree, letters }, { nodes, nCases }) {
  if (tree.hasAnswers || nodes.length === 0) return `${cases(nCases)} flip${Number(nCases.toFixed(1)) === 1 ? "s" : ""}`;
  return lettersWords(letters, nodes);
}

function lettersWords(letters, nodes) {
  if (nodes.length > MAX_LETTERS) return `${nodes.length} leaves flip`;
  const names = nodes.map((node) => letters.get(node)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return `${listed(names)} flip${names.length === 1 ? "s" : ""}`;
}

/** The effect of a change: "14 more found, 7 more false alarms; cost −7, too few cases to be sure". */
export function effectWords({ state }, { hits, alarms, cost }) {
  const unit = state.unit ? ` ${state.unit}` : "";
  const doubt = isSure(cost) ? "" : ", too few cases to be sure";
  return `${moreOrFewer(hits * PER, "found")}, ${moreOrFewer(alarms * PER, "false alarms")}; cost ${signed(cost.mean * PER)}${unit}${doubt}.`;
}

function moreOrFewer(number, things) {
  const whole = Math.round(Math.abs(number));
  if (whole === 0) return `as many ${things}`;
  return `${grouped(whole)} ${number > 0 ? "more" : "fewer"} ${whole === 1 ? things.replace(/s$/, "") : things}`;
}

/** A number with its sign. */
export function signed(number, digits = 3) {
  if (Math.abs(number) < 1e-9) return "±0";
  const shown = grouped(short(Math.abs(number), digits));
  return number > 0 ? `+${shown}` : `−${shown}`;
}

/** What happens next if the slider moves to the right: "Drag right: at 1.82 false alarms, E is flagged too." */
function nextWords({ tree, point, letters, data }) {
  const { nGroups, bounds, ranking } = point;
  if (nGroups === null || !isReachable(bounds, nGroups + 1)) return "";
  const lines = linesOf(ranking, nGroups);
  const nodes = lines.map((line) => tree.lines.node[line]).filter((node) => tree.leafOf[node] >= 0);
  const number = short(bounds[nGroups + 1], 3);
  const none = point.rates.hits + point.rates.alarms === 0 ? "Nothing is flagged. " : "";
  const when = `${none}Drag right: from ${number} false alarm${number === "1" ? "" : "s"} on, `;
  const becomes = point.reject !== null && withGroups(tree, point, nGroups + 1).called[lines[0]] === LEFT ? "left undecided" : "flagged";
  if (tree.hasAnswers || nodes.length === 0) return `${when}more ${data.noun} are ${becomes}.`;
  const names = nodes.length > MAX_LETTERS ? `${nodes.length} ${tree.cells ? "cells" : "leaves"}` : listed(nodes.map((node) => letters.get(node)));
  return `${when}${names} ${nodes.length === 1 ? "is" : "are"} ${becomes} too.`;
}
