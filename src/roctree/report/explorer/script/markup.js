// Markup as text, for files that the page saves; nothing of it is inserted into the page itself.

/** An element as text: its attributes are escaped, its content is markup already. */
export function tag(name, attributes = {}, content = null) {
  const words = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const open = `<${name}${words.join("")}`;
  // The end of an element must not occur in a script inside a page.
  return content === null ? `${open}>` : `${open}>${content}<${"/"}${name}>`;
}

/** Text as markup. */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
