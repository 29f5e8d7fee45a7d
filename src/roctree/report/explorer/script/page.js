// The page: its data document and its root are in the page itself.

import { mount } from "./explorer.js";

const root = document.querySelector("main.roctree");
const data = JSON.parse(document.querySelector("script.roctree-data").textContent);
root.explorer = mount(root, data, { hash: true });
