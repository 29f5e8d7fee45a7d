// The same explorer as a widget of a notebook; anywidget calls render.

import { mount } from "./explorer.js";

export function render({ model, el }) {
  const root = document.createElement("div");
  // Keys belong to the explorer while it has the focus, not to the shortcuts of the notebook.
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  mount(root, JSON.parse(model.get("document")));
}
