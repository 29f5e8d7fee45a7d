// A field for a number: what is typed is read when it is left, and what makes no sense says why.

import { element, fill, whenTyped } from "./dom.js";
import { readNumber } from "./words.js";

/**
 * Make a field; returns it, the `note` that belongs below it, and `show` for a value.
 *
 * `fits` says which numbers are allowed and `wanted` says so in words; `empty` whether none may be
 * given, `scale` how many times larger the number is shown, and `onValue` is told what was read.
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
    // What makes no sense stays until it is mended, or another field is.
    if (app.focused() === field && field.getAttribute("aria-invalid") === "true") return;
    if (value === null) field.value = "";
    else field.value = scale === 1 ? String(value) : String(Number((value * scale).toPrecision(12)));
    mark(true);
  }
  return { field, note, show };
}
