// The same explorer as a widget of a notebook; anywidget calls render, and what
// it returns when the widget is taken away.

import { mount } from "./explorer.js";

export function render({ model, el }) {
  const root = document.createElement("div");
  // Keys belong to the explorer while it has the focus, not to the shortcuts of the notebook.
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  return mount(root, JSON.parse(model.get("document")), { around: true }).close;
}
