// The same explorer as a widget of a notebook; anywidget calls render.

import { mount } from "./explorer.js";

export function render({ model, el }) {
  const root = document.createElement("div");
  el.append(root);
  mount(root, JSON.parse(model.get("document")));
}
