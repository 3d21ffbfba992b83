// Dialogs: one at a time, closed by Escape or a click beside it.

import { button, el, fill } from "./dom.js";

/** Open a dialog with a title; returns it. */
export function dialog(title, kind, ...children) {
  const box = el("dialog", { class: `dialog ${kind}`, "aria-label": title }, el("header", {}, el("h2", { text: title }), button({ icon: "close", title: "Close (Esc)", class: "quiet" }, () => box.close())), ...children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("pointerdown", (e) => { if (e.target === box && outside(box, e)) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

function outside(box, e) {
  const r = box.getBoundingClientRect();
  return e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom;
}

/** Ask for a text. `tell(text, overwrite)` is tried with it; what it throws is shown, and a file that exists is asked about. */
export function askText({ title, text, value, action, note = "" }, tell) {
  const input = el("input", { class: "wide", value, "aria-label": text, autocomplete: "off", spellcheck: "false" }), fault = el("p", { class: "fault", hidden: true, role: "alert" });
  const go = el("button", { type: "submit", class: "primary", text: action });
  const form = el("form", { method: "dialog" }, el("label", { class: "stacked" }, el("span", { text }), input), note ? el("p", { class: "hint", text: note }) : null, fault,
    el("footer", {}, button({ text: "Cancel" }, () => box.close()), go));
  let exists = null;
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const wanted = input.value.trim();
    try { await tell(wanted, wanted === exists); box.close(); } catch (error) {
      exists = /exists already/.test(error.message) ? wanted : null;
      go.textContent = exists ? "Overwrite" : action;
      fill(fault, el("span", { text: error.message }), error.remedy ? el("em", { text: ` ${error.remedy}` }) : null);
      fault.hidden = false;
    }
  });
  const box = dialog(title, "small-dialog", form);
  input.focus();
  input.select();
  return box;
}
