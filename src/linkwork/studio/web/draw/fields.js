// Small fields over the scene: length and angle beside the pointer while something is drawn, sizes after a double click.

import { el } from "../dom.js";

export class Fields {
  constructor(root) {
    this.root = el("div", { class: "draw-fields", hidden: true });
    root.append(this.root);
    this.inputs = new Map();
  }

  get open() { return !this.root.hidden; }
  get focused() { return this.root.contains(document.activeElement); }

  /**
   * Show fields. entries: [name, label, unit, value]; done(values): Enter; changed(): something was typed; left(): Escape.
   */
  show(entries, { done, changed = () => {}, left = () => {}, focus = false }) {
    this.inputs.clear();
    this.typed = new Set();
    Object.assign(this, { done, changed, left });
    this.root.replaceChildren(...entries.map(([name, text, unit, value]) => {
      const input = el("input", { type: "text", value: value ?? "", "aria-label": `${text}${unit ? ` in ${unit}` : ""}`, autocomplete: "off", spellcheck: "false", data: { name } });
      input.addEventListener("input", () => { this.typed.add(name); input.removeAttribute("aria-invalid"); this.changed(); });
      input.addEventListener("keydown", (e) => this.key(e));
      this.inputs.set(name, input);
      return el("label", {}, el("span", { text }), input, unit ? el("em", { text: unit }) : null);
    }));
    this.root.hidden = false;
    // Beside a moving pointer they must not get in its way: there they are reached by keys.
    this.root.classList.toggle("beside", !focus && !matchMedia("(pointer: coarse)").matches);
    if (focus) { const first = this.inputs.values().next().value; first.focus(); first.select(); }
  }

  key(e) {
    e.stopPropagation();
    if (e.key === "Enter") { e.preventDefault(); this.done(this.values()); }
    if (e.key === "Escape") { e.preventDefault(); this.left(); }
  }

  values() { return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value])); }
  /** What was typed for a field; null where it is only told. */
  given(name) { return this.typed && this.typed.has(name) && this.inputs.get(name).value.trim() ? this.inputs.get(name).value : null; }
  /** Tell a value, unless one was typed there. */
  tell(name, value) {
    const input = this.inputs.get(name);
    if (input && !this.typed.has(name)) input.value = value;
  }
  fault(name) { const input = this.inputs.get(name); if (input) input.setAttribute("aria-invalid", "true"); }

  /** Beside a place of the scene, where there is room. */
  beside([x, y]) {
    const box = this.root.parentElement, w = this.root.offsetWidth || 230, h = this.root.offsetHeight || 40;
    const left = x + 22 + w < box.clientWidth ? x + 22 : x - 22 - w, top = y + 22 + h < box.clientHeight ? y + 22 : y - 22 - h;
    this.root.style.transform = `translate(${Math.max(4, Math.round(left))}px, ${Math.max(4, Math.round(top))}px)`;
  }

  /** A digit that is typed anywhere goes to the first field. */
  take(key) {
    const first = this.inputs.values().next().value;
    if (!first) return;
    first.focus();
    first.value = key;
    first.dispatchEvent(new Event("input"));
  }

  hide() {
    if (this.focused) document.activeElement.blur();
    this.root.hidden = true;
    this.inputs.clear();
    this.typed = new Set();
  }
}
