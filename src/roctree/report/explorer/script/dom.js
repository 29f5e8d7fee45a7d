// Elements are created without markup: text from data always becomes a text node.

import { meaningOf } from "./words.js";

/** Make an element; `on` holds listeners, `data` the data-* attributes, all else attributes. */
export function element(tag, { on = {}, data = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  Object.assign(made.dataset, data);
  for (const [name, listener] of Object.entries(on)) made.addEventListener(name, listener);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Replace the children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** Listeners that read a field on blur, or on Enter, whose change event notebooks suppress. */
export function whenTyped(read) {
  return { change: read, keydown: (event) => event.key === "Enter" && read() };
}

/** A question mark that explains a term; `name` is its name for readers. */
export function help(term, name) {
  const button = element("button", {
    type: "button",
    class: "help",
    "aria-label": `What is ${name}?`,
    "aria-expanded": "false",
    data: { term },
  });
  button.append("?");
  return button;
}

/** Let the question marks inside a root open a bubble, and Escape or a click elsewhere close it. */
export function explainTerms(root, kind) {
  const bubble = element("div", { class: "bubble", role: "status", hidden: true });
  root.append(bubble);
  let opener = null;
  const close = () => {
    opener?.setAttribute("aria-expanded", "false");
    opener = null;
    bubble.hidden = true;
  };
  root.addEventListener("click", (event) => {
    const button = event.target.closest?.(".help");
    const again = button === opener;
    close();
    if (!button || again) return;
    opener = button;
    button.setAttribute("aria-expanded", "true");
    bubble.textContent = meaningOf(kind, button.dataset.term);
    bubble.hidden = false;
    placeBeside(bubble, button, root);
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
}

/** Put a floating element below another, inside the root. */
function placeBeside(bubble, anchor, root) {
  const frame = root.getBoundingClientRect();
  const place = anchor.getBoundingClientRect();
  const left = Math.min(place.left - frame.left, frame.width - bubble.offsetWidth - 8);
  bubble.style.left = `${Math.max(8, left)}px`;
  bubble.style.top = `${place.bottom - frame.top + 6}px`;
}

/** A canvas as large as its box, sharp on any screen; `draw` is called when its size changes. */
export function sharpCanvas(attributes, draw) {
  const canvas = element("canvas", attributes);
  const context = canvas.getContext("2d");
  const size = { width: 0, height: 0 };
  let known = false;
  new ResizeObserver(() => {
    known = false;
    if (resize()) draw();
  }).observe(canvas);
  /** Adapt to the size of the box, which is only measured after it has changed: measuring is slow. */
  function resize() {
    if (known) return true;
    const ratio = Math.max(window.devicePixelRatio || 1, 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return false;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    Object.assign(size, { width, height });
    known = true;
    return true;
  }
  return { canvas, context, size, resize };
}

/** A function that runs an action in the next frame, once however often it is called until then. */
export function oncePerFrame(action) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      action();
    });
  };
}

/** Words in as few lines as a width in pixels allows. */
export function wrapped(context, text, width) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Text shortened to a width in pixels. */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : "";
}

/** A function that draws dots of one colour and size; a picture of a dot is faster than its outline. */
export function makeStamp(context, colour, radius) {
  const ratio = Math.max(window.devicePixelRatio || 1, 1);
  const size = Math.ceil(2 * radius + 2);
  const picture = document.createElement("canvas");
  picture.width = picture.height = size * ratio;
  const inner = picture.getContext("2d");
  inner.scale(ratio, ratio);
  inner.fillStyle = colour;
  inner.beginPath();
  inner.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
  inner.fill();
  return (x, y) => context.drawImage(picture, x - size / 2, y - size / 2, size, size);
}
