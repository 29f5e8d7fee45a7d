// The table of points: a line per attribute, with a slider that moves the case, and the sum.

import { setValue, sliderOf } from "./case-view.js";
import { element, fill, help, sharpCanvas } from "./dom.js";
import { inFavour, pointsOf, pointsWords, sharesOf, stepsOf } from "./points.js";
import { percent } from "./words.js";

// Points of numbers are drawn at so many places.
const PLACES = 60;

/** Make the section; returns its element, `update` and `draw`. */
export function makePointsView(app) {
  const { tree } = app;
  const extent = extentOf(tree.points.attributes);
  const lines = tree.points.attributes.map((attribute) => lineOf(app, attribute, extent));
  const first = [makeLine("the tree"), makeLine("every case")];
  const sum = makeLine("sum");
  sum.element.classList.add("total");
  const title = element("span", {});
  const section = element(
    "section",
    { class: "pane points", "aria-label": "Points" },
    element("div", { class: "head" }, element("h2", {}, title, help("points", "this table"))),
    element("div", { class: "points-lines" }, [...first, ...lines, sum].map((line) => line.element)),
    element("p", { class: "legend" }, tree.points.note),
  );
  function update() {
    const { state, path } = app;
    title.textContent = `Points for ${tree.classes[state.positive]} `;
    const steps = path ? stepsOf(tree.points, sharesOf(tree, path.stops), state.values) : null;
    const own = (number) => (steps ? inFavour(steps[number].points, state.positive) : null);
    first.forEach((line, i) => line.show(own(i), ""));
    lines.forEach((line, i) => line.show(own(i + 2), state.values));
    if (!steps) return sum.show(null, "");
    const { sums, chances } = steps.at(-1);
    sum.show(inFavour(sums, state.positive), `${percent(chances[state.positive])} ${tree.classes[state.positive]}`);
  }
  /** A line without an attribute: its name, a remark and its points. */
  function makeLine(name) {
    const remark = element("span", {});
    const output = element("output", { class: "own", data: { name: `points_${name.replaceAll(" ", "_")}` } });
    const show = (points, words) => {
      fill(remark, words);
      showPoints(app, output, points);
    };
    return { element: element("div", { class: "points-line" }, element("span", {}, name), remark, output), show };
  }
  const draw = () => lines.forEach((line) => line.draw());
  return { element: section, update, draw };
}

function showPoints({ tree }, output, points) {
  output.dataset.value = points === null ? "" : String(points);
  fill(output, points === null ? "" : pointsWords(tree.points, points));
}

/** The line of an attribute: its name, a slider or a list below the points of all values, its points. */
function lineOf(app, attribute, extent) {
  const { tree } = app;
  const number = attribute.feature;
  const feature = tree.features[number];
  const range = { low: attribute.starts[0], high: attribute.high, cuts: [] };
  const picture = feature.categories ? null : sharpCanvas({ class: "points-curve", "aria-hidden": "true" }, draw);
  const control = feature.categories ? listOf(app, attribute) : sliderOf(app, feature, number, range);
  const output = element("output", { class: "own", data: { name: `points_${number}` } });
  const name = feature.measure ? `${feature.name}, ${feature.measure}` : feature.name;
  const value = element("small", { class: "value" });
  let own = null;
  function show(points, values) {
    own = values === null ? null : values[number];
    control.show(own);
    fill(value, feature.categories || values === null ? "" : own === null ? "not known" : String(own));
    showPoints(app, output, points);
    draw();
  }
  function draw() {
    if (picture?.resize()) drawCurve(app, picture, attribute, { ...range, extent }, own);
  }
  return {
    element: element(
      "div",
      { class: "points-line" },
      element("span", {}, name, " ", value),
      element("div", {}, picture?.canvas ?? null, control.element),
      output,
    ),
    show,
    draw,
  };
}

function listOf(app, { feature: number, values, missing }) {
  const { tree } = app;
  const { name, categories } = tree.features[number];
  const field = element("select", { "aria-label": `${name}, points`, on: { change: () => setValue(app, number, field.value === "" ? null : Number(field.value)) } });
  const words = (text, points) => `${text}: ${pointsWords(tree.points, inFavour(points, app.state.positive))}`;
  const show = (value) => {
    fill(
      field,
      element("option", { value: "" }, words("not known", missing)),
      categories.map((category, code) => element("option", { value: String(code) }, words(category, values[code]))),
    );
    field.value = value === null ? "" : String(value);
  };
  return { element: field, show };
}

/** The largest points of all values of numbers, so that all curves have the same scale. */
function extentOf(attributes) {
  const points = attributes.flatMap((each) => [...each.starts, each.high].flatMap((value) => pointsOf(each, value)));
  return Math.max(...points.map(Math.abs)) || 1;
}

/** The points of all values of a number as a line, with a dot at the case. */
function drawCurve({ palette, state }, { context, size }, attribute, { low, high, extent }, own) {
  const at = (value) => inFavour(pointsOf(attribute, value), state.positive);
  const places = Array.from({ length: PLACES + 1 }, (_, i) => low + ((high - low) * i) / PLACES);
  const points = places.map(at);
  // The thumb of a slider stays within its track.
  const [side, gap] = [8, 5];
  const x = (value) => side + ((size.width - 2 * side) * (value - low)) / (high - low || 1);
  const y = (value) => size.height / 2 - (size.height / 2 - gap) * (value / extent);
  context.clearRect(0, 0, size.width, size.height);
  context.fillStyle = palette.faint;
  context.fillRect(side, y(0), size.width - 2 * side, 1);
  context.beginPath();
  places.forEach((value, i) => context[i === 0 ? "moveTo" : "lineTo"](x(value), y(points[i])));
  context.strokeStyle = palette.quiet;
  context.lineWidth = 2;
  context.stroke();
  if (own === null) return;
  const inside = Math.min(Math.max(own, low), high);
  context.beginPath();
  context.arc(x(inside), y(at(inside)), 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.case;
  context.fill();
}
