// Buttons that copy the operating point for other programs.

import { element, fill, help } from "./dom.js";
import { commandOf, pythonOf, rulesOf, sqlOf } from "./export.js";

// Longer previews would slow down the page.
const MAX_SHOWN = 4000;

/** Make the section; returns its element and `update`. */
export function makeCopyView(app) {
  const texts = {
    Python: () => pythonOf(app.tree, app.point, app.data.class_code),
    "Command line": () => commandOf(app.tree, app.point),
    // Thresholds of dates are days, which a condition on a column of dates is not about.
    ...(app.tree.isHard && !app.tree.features.some((each) => each.is_date) ? { SQL: () => sqlOf(app.tree, app.point, app.labelName) } : {}),
    ...(app.tree.hasAnswers ? {} : { Rules: () => rulesOf(app.tree, app.point, app.labelName) }),
    ...(app.link ? { Link: app.link } : {}),
  };
  let chosen = "Python";
  const preview = element("pre", { class: "preview", tabindex: "0", "aria-label": "Text to copy" });
  const status = element("span", { role: "status", class: "status" });
  const buttons = Object.keys(texts).map((name) =>
    element(
      "button",
      { type: "button", "aria-pressed": "false", on: { click: () => show(name) }, data: { kind: name } },
      name,
    ),
  );
  const copy = element("button", { type: "button", class: "copy", on: { click: copyNow } }, "Copy");
  function show(name) {
    chosen = name;
    fill(status);
    update();
  }
  async function copyNow() {
    const text = texts[chosen]();
    try {
      await navigator.clipboard.writeText(text);
      fill(status, "Copied.");
    } catch {
      preview.textContent = text;
      getSelection().selectAllChildren(preview);
      fill(status, "Press Ctrl+C to copy the selection.");
    }
  }
  const section = element(
    "section",
    { class: "pane copy-pane expert", "aria-label": "Export" },
    element("div", { class: "head" }, element("h2", {}, "Export ", help("copy", "this section")), element("div", { class: "tabs" }, buttons, copy, status)),
    preview,
  );
  function update() {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.kind === chosen));
    const slow = (chosen === "SQL" || chosen === "Rules") && app.tree.leaves.length > 500;
    const text = slow ? `${app.tree.leaves.length} leaves: press Copy.` : texts[chosen]();
    preview.textContent = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text;
  }
  return { element: section, update };
}
