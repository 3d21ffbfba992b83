// Light or dark: as the system has it, until the user says otherwise.

import { remember, remembered } from "./preferences.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function startTheme(store, toggle) {
  let chosen = remembered("theme", null);
  const apply = () => {
    store.theme = chosen || (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = store.theme;
    toggle.querySelector("use").setAttribute("href", store.theme === "dark" ? "#i-sun" : "#i-moon");
    toggle.title = store.theme === "dark" ? "Light colours" : "Dark colours";
    store.emit("theme", store.theme);
  };
  dark.addEventListener("change", apply);
  toggle.addEventListener("click", () => {
    chosen = store.theme === "dark" ? "light" : "dark";
    remember("theme", chosen);
    apply();
  });
  apply();
}

const known = new Map();

/** A colour of the style sheet, for what is drawn on a canvas. Asked once: to ask is to have the page laid out. */
export function colour(name) {
  const root = document.documentElement, key = `${root.dataset.theme} ${name}`;
  if (!known.has(key)) known.set(key, getComputedStyle(root).getPropertyValue(`--${name}`).trim());
  return known.get(key);
}
