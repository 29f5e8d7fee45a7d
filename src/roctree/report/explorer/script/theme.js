// Light or dark: as the system, the page around a widget, or the user chooses; light in print.

import { element } from "./dom.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const SIGNS = { auto: "◐", light: "○", dark: "●" };

/**
 * Manage the theme of a root; returns the button that switches it, and `whilePrinting` for redrawing.
 * `repaint` is called when colours change; with `around` the theme follows the surrounding page.
 */
export function followTheme(root, { around, signal, repaint }) {
  let chosen = "auto";
  let printing = false;
  let ink = null;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const systems = () => (dark.matches ? "dark" : "light");
  const names = { auto: `Theme: ${around ? "notebook" : "system"}`, light: "Theme: light", dark: "Theme: dark" };
  const button = element("button", { type: "button", class: "theme", on: { click: turn } });
  name();
  function turn() {
    chosen = NEXT[chosen];
    name();
    follow();
  }
  function name() {
    button.textContent = SIGNS[chosen];
    button.title = names[chosen];
    button.setAttribute("aria-label", names[chosen]);
  }
  function apply() {
    root.dataset.theme = printing ? "light" : chosen !== "auto" ? chosen : (around && themeAround(root)) || systems();
  }
  function follow() {
    apply();
    const now = getComputedStyle(root).getPropertyValue("--ink");
    if (now !== ink) repaint();
    ink = now;
  }
  dark.addEventListener("change", follow, { signal });
  // A notebook attaches the explorer to its page later: only then are the style's colours known.
  const sizes = new ResizeObserver(follow);
  sizes.observe(root);
  // Notebooks change their theme by attributes of the body.
  const attributes = new MutationObserver(follow);
  if (around) attributes.observe(document.body, { attributes: true });
  signal.addEventListener("abort", () => [sizes, attributes].forEach((observer) => observer.disconnect()));

  /** Print in the light theme; redraw synchronously. */
  function whilePrinting(draw) {
    const print = (now) => {
      printing = now;
      apply();
      draw();
    };
    addEventListener("beforeprint", () => print(true), { signal });
    addEventListener("afterprint", () => print(false), { signal });
  }
  apply();
  return { button, whilePrinting };
}

/** The theme of the surrounding page: dark if its text is bright; null before the element is attached. */
function themeAround(root) {
  if (!root.isConnected) return null;
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = getComputedStyle(root.parentNode.host ?? root.parentNode).color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return 0.3 * red + 0.6 * green + 0.1 * blue > 128 ? "dark" : "light";
}
