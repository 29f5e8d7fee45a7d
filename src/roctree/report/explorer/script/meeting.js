// A meeting: full screen, points pinned side by side, the decision on one page, and a copy of this page.

import { cardAsSvg, cardOnCanvas, decisionCard } from "./decision-card.js";
import { element, fill } from "./dom.js";
import { escaped, tag } from "./markup.js";
import { pointAt } from "./point.js";
import { PER, perThousand } from "./sentence.js";
import { CHOICE, MAX_PINS } from "./state.js";
import { grouped, listed, percent, short } from "./words.js";

const NAMES = ["today", "proposed", "cautious"];

/** Make the section; returns its element, `update`, and the button that fills the screen. */
export function makeMeeting(app) {
  app.pinnedPoints = () => pinnedPoints(app);
  const pins = element("div", { class: "pins" });
  const add = element("button", { type: "button", on: { click: pin } }, "Pin this point");
  const save = (text, action) => element("button", { type: "button", on: { click: action } }, text);
  const section = element(
    "section",
    { class: "pane meeting", "aria-label": "For the meeting" },
    element(
      "div",
      { class: "head" },
      element("h2", {}, "For the meeting"),
      element(
        "div",
        { class: "tabs" },
        add,
        save("Decision as PNG", () => savePng(app)),
        save("Decision as SVG", () => download("decision.svg", "image/svg+xml", cardAsSvg(cardNow(app)))),
        app.link ? save("Save a copy that opens here", () => download("tree.html", "text/html", copyOfPage(app))) : null,
      ),
    ),
    pins,
  );
  function pin() {
    const taken = app.state.pins.map(({ name }) => name);
    const name = NAMES.find((each) => !taken.includes(each)) ?? "point";
    app.set({ pins: [...app.state.pins, { name, ...choiceOf(app.state) }] });
  }
  let shown = "";
  function update() {
    const { pins: all, on, prior, priors, unit, positive, cost_fp, cost_fn, cost_reject } = app.state;
    const wanted = JSON.stringify([all, on, prior, priors, unit, positive, cost_fp, cost_fn, cost_reject, app.point.perClass]);
    if (wanted === shown) return;
    shown = wanted;
    add.disabled = app.state.pins.length >= MAX_PINS;
    const hint = element("p", { class: "hint" }, `Pin up to ${MAX_PINS} points, such as today’s and a proposal, to compare them here. The decision as a picture, or a copy of this page, can be sent to others.`);
    fill(pins, app.state.pins.length === 0 ? hint : app.pinnedPoints().map((each, i) => pinOf(app, each, i)));
  }
  const full = element("button", { type: "button", class: "spare", on: { click: () => fillScreen(app.root) } }, "Present");
  return { element: section, update, button: full };
}

/** The part of a state that chooses the point. */
function choiceOf(state) {
  return Object.fromEntries(CHOICE.map((name) => [name, state[name]]));
}

function fillScreen(root) {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.();
}

/** A pinned point as a column: its name, how it was chosen, its numbers, the leaves it flags. */
function pinOf(app, { name, choice, state, point }, number) {
  const field = element("input", { type: "text", maxlength: "24", value: name, "aria-label": "Name of the point", on: { change: () => rename(app, number, field.value) } });
  const unit = state.unit ? ` ${state.unit}` : "";
  const money = (cost) => `${grouped(short(cost * PER, 3))}${unit}`;
  const rows = [["Chosen by", chosenWords(state), "chosen-by"]];
  if (point.perClass) rows.push(["Right", grouped(Math.round(point.right * PER))], ["Cost per 1 000", money(point.cost)]);
  else {
    const { found, missed, alarms, undecided } = perThousand(point);
    rows.push(["Found", grouped(found)], ["Missed", grouped(missed)], ["False alarms", grouped(alarms)]);
    if (point.reject !== null) rows.push(["Undecided", grouped(undecided)]);
    // Points chosen by different costs are compared by the same ones: those of the page.
    if (!app.point.perClass) {
      const { rates } = point;
      rows.push([`Cost (miss = ${short(app.state.cost_fn / app.state.cost_fp, 3)})`, money(rates.misses * app.state.cost_fn + rates.alarms * app.state.cost_fp + rates.undecided * (app.point.reject ?? point.reject ?? 0))]);
    }
    if (!app.tree.hasAnswers) rows.push(["Flagged", flaggedWords(app, point, state), "flagged"]);
  }
  return element(
    "div",
    { class: "pin" },
    field,
    element("dl", {}, rows.flatMap(([term, value, name = null]) => [element("dt", { class: name }, term), element("dd", { class: name }, value)])),
    element("button", { type: "button", class: "small", on: { click: () => app.set(choice) } }, "Go"),
    element("button", { type: "button", class: "small", on: { click: () => app.set({ pins: app.state.pins.filter((_, i) => i !== number) }) } }, "Remove"),
  );
}

function chosenWords({ mode, cost_fn, cost_fp, cost_reject, max_fpr, min_tpr, beta }) {
  const left = cost_reject === null || cost_reject === undefined ? "" : `, undecided = ${short(cost_reject / cost_fp, 3)}`;
  const words = {
    costs: () => `miss = ${short(cost_fn / cost_fp, 3)} alarm${cost_fn === cost_fp ? "" : "s"}${left}`,
    max_fpr: () => `false alarms ≤ ${percent(max_fpr)}`,
    min_tpr: () => `found ≥ ${percent(min_tpr)}`,
    beta: () => `best F, beta ${short(beta, 3)}`,
    matrix: () => "a cost for every error",
  };
  return words[mode]();
}

/** The pinned points: `name`, `choice` that leads there, `state` and `point`. */
function pinnedPoints(app) {
  return app.state.pins.map(({ name, ...choice }) => {
    const state = { ...app.state, ...choice };
    return { name, choice, state, point: pointAt(app.tree, app.memory, state) };
  });
}

function rename(app, number, name) {
  app.set({ pins: app.state.pins.map((each, i) => (i === number ? { ...each, name } : each)) });
}

function flaggedWords({ letters }, point, state) {
  const names = Array.from(letters).filter(([node]) => point.nodeLabels[node] === state.positive).map(([, letter]) => letter);
  // Mostly the first ones of the ranking.
  const first = Array.from(letters.values()).slice(0, names.length);
  if (names.length > 2 && first.every((letter, i) => letter === names[i])) return `${first[0]} to ${first.at(-1)}`;
  if (names.length > 8) return `${names.length} leaves`;
  return names.length === 0 ? "none" : listed(names);
}

function cardNow(app) {
  return decisionCard(app, new Date().toISOString().slice(0, 10));
}

function savePng(app) {
  cardOnCanvas(cardNow(app)).toBlob((blob) => offer("decision.png", blob));
}

function download(name, type, text) {
  offer(name, new Blob([text], { type }));
}

function offer(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** This page as a file that opens at the current point: its own style and script around other data. */
function copyOfPage({ data, state }) {
  const one = (selector) => document.querySelector(selector);
  const text = JSON.stringify({ ...data, start: state });
  const safe = text.replace(/[<>&\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const head = [
    tag("meta", { charset: "utf-8" }),
    tag("meta", { "http-equiv": "Content-Security-Policy", content: one("meta[http-equiv]").content }),
    tag("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    tag("meta", { name: "generator", content: one("meta[name=generator]").content }),
    tag("title", {}, escaped(data.title)),
    tag("style", {}, one("style").textContent),
  ];
  const body = [
    tag("main", { class: "roctree" }, ""),
    tag("script", { type: "application/json", class: "roctree-data" }, safe),
    tag("script", { type: "module" }, one("script[type=module]").textContent),
  ];
  return `<!doctype html>\n${tag("html", { lang: "en" }, tag("head", {}, head.join("\n")) + tag("body", {}, body.join("\n")))}\n`;
}
