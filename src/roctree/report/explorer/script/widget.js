// The explorer as a notebook widget; anywidget calls render, and the function that
// it returns when the widget is removed.

import { mount } from "./explorer.js";

export function render({ model, el }) {
  const root = document.createElement("div");
  // While the explorer has the focus, keys do not trigger shortcuts of the notebook.
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  return mount(root, JSON.parse(model.get("document")), { around: true }).close;
}
