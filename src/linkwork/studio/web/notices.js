// Short notices in a corner: what was done, and what went wrong outside a field that could say it.

import { button, el } from "./dom.js";

const SECONDS = { info: 4, warning: 8, error: 12 };

/** @param {"info" | "warning" | "error"} level */
export function notice(level, text, remedy = "") {
  const root = document.getElementById("notices");
  const same = [...root.children].find((n) => n.dataset.text === text);
  if (same) same.remove();
  const box = el("div", { class: `notice ${level}`, role: level === "error" ? "alert" : "status", data: { text } },
    el("div", {}, el("span", { text }), remedy ? el("em", { text: ` ${remedy}` }) : null),
    button({ icon: "close", title: "Dismiss", class: "quiet" }, () => box.remove()));
  root.append(box);
  while (root.children.length > 4) root.firstChild.remove();
  setTimeout(() => box.remove(), 1000 * SECONDS[level]);
}

/** A message without what stands beside it anyway: the line of the file, and the component's name. */
export function plainly(message, component) {
  const text = (message || "").replace(/^line \d+: /, "");
  return component && text.startsWith(`${component}: `) ? text.slice(component.length + 2) : text;
}

/** Say what an answer refused; a cancelled request is no news. */
export function refused(error) {
  if (error && error.cancelled) return;
  notice("error", error && error.message ? error.message : String(error), (error && error.remedy) || "");
}
