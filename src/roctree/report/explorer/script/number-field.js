// A field for a number: the input is read on blur, and invalid input is explained.

import { element, fill, whenTyped } from "./dom.js";
import { readNumber } from "./words.js";

/**
 * Make a field; returns it, the `note` that belongs below it, and `show` for a value.
 *
 * `fits` tests whether a number is allowed and `wanted` describes the allowed numbers; `empty` allows an
 * empty field, `scale` is the factor of the displayed number, and `onValue` receives the value.
 */
export function makeNumberField(app, id, { fits = () => true, wanted, empty = false, scale = 1, onValue, ...attributes }) {
  const note = element("small", { id: `${app.id}-${id}-note`, class: "note", role: "status" });
  const field = element("input", {
    id: `${app.id}-${id}`,
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-describedby": note.id,
    ...attributes,
    on: whenTyped(read),
  });
  function mark(good) {
    field.setAttribute("aria-invalid", String(!good));
    fill(note, good ? "" : wanted);
  }
  function read() {
    const number = readNumber(scale === 100 ? field.value.replace(/\s*%\s*$/, "") : field.value);
    const value = number === null ? null : number / scale;
    const good = value === null ? empty : Number.isFinite(value) && fits(value);
    mark(good);
    if (good) onValue(value);
  }
  function show(value) {
    // Invalid input stays until this or another field is changed.
    if (app.focused() === field && field.getAttribute("aria-invalid") === "true") return;
    if (value === null) field.value = "";
    else field.value = scale === 1 ? String(value) : String(Number((value * scale).toPrecision(12)));
    mark(true);
  }
  return { field, note, show };
}
