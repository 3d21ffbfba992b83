// The drawer under the scene: one tab at a time, as high as the user pulls it.

import { el, fill, icon } from "./dom.js";
import { remember, remembered } from "./preferences.js";

const LOWEST = 120; // px

export class Drawer {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} handle what is dragged to change the height
   * @param {[string, string, string][]} tabs key, text and sentence of each
   */
  constructor(root, handle, tabs) {
    this.root = root;
    this.opened = new Map();
    this.bar = el("div", { class: "tabs", role: "tablist" });
    this.panes = new Map(tabs.map(([key]) => [key, el("div", { class: `pane pane-${key}`, role: "tabpanel", id: `pane-${key}`, hidden: true })]));
    this.buttons = new Map(tabs.map(([key, text, title]) => [key, el("button", { type: "button", role: "tab", id: `tab-${key}`, title, text, "aria-controls": `pane-${key}`, on: { click: () => this.open(key) } })]));
    this.tall = el("button", { type: "button", class: "quiet tall", id: "tall", "aria-pressed": "false", title: "Give this the larger part of the middle (E)", on: { click: () => this.enlarge() } }, icon("expand"));
    this.tall.setAttribute("aria-label", "Larger");
    fill(this.bar, ...this.buttons.values(), this.tall);
    fill(root, this.bar, ...this.panes.values());
    this.bar.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const keys = [...this.buttons.keys()], next = keys[(keys.indexOf(this.current) + step + keys.length) % keys.length];
      this.open(next);
      this.buttons.get(next).focus();
      e.stopPropagation();
    });
    this.pull(handle);
  }

  pane(key) { return this.panes.get(key); }

  /** Call `f` whenever a tab is opened: panels ask the server only for what is seen. */
  whenOpened(key, f) { this.opened.set(key, f); }

  open(key) {
    if (!this.panes.has(key)) return;
    this.current = key;
    for (const [k, pane] of this.panes) pane.hidden = k !== key;
    for (const [k, tab] of this.buttons) tab.setAttribute("aria-selected", String(k === key));
    this.buttons.get(key).scrollIntoView({ block: "nearest", inline: "nearest" });
    remember("tab", key);
    const f = this.opened.get(key);
    if (f) f();
  }

  /** The larger part for the drawer, or back. */
  enlarge(on = this.tall.getAttribute("aria-pressed") === "false") {
    this.tall.setAttribute("aria-pressed", String(on));
    this.root.parentElement.classList.toggle("tall", on);
  }

  pull(handle) {
    const set = (height) => { this.root.style.height = `${height}px`; };
    const kept = remembered("drawer", null);
    if (kept) set(Math.max(LOWEST, Math.min(kept, 0.6 * innerHeight)));
    handle.addEventListener("pointerdown", (e) => {
      handle.setPointerCapture(e.pointerId);
      const from = e.clientY, height = this.root.offsetHeight, most = height + handle.previousElementSibling.previousElementSibling.offsetHeight - LOWEST;
      const move = (m) => set(Math.max(LOWEST, Math.min(most, height + from - m.clientY)));
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", () => { handle.removeEventListener("pointermove", move); remember("drawer", this.root.offsetHeight); }, { once: true });
    });
    handle.addEventListener("keydown", (e) => {
      const step = { ArrowUp: 24, ArrowDown: -24 }[e.key];
      if (!step) return;
      e.preventDefault();
      set(Math.max(LOWEST, this.root.offsetHeight + step));
    });
    handle.addEventListener("dblclick", () => { this.root.style.height = ""; remember("drawer", null); });
  }
}
