// The bond graph: causal strokes, power of each bond as width and colour while the animation plays, zero-order paths.

import { button, el, empty, fill, tell } from "./dom.js";
import { drawing } from "./markup.js";
import { doubles, floats, measured, valueAt } from "./numbers.js";
import { paced } from "./pace.js";
import { colour } from "./theme.js";

const THIN = 1.2, THICK = 7; // px: a bond without power, and the one with most
const MARGIN = 12;
const LETTER = 12, LEGIBLE = 7; // height of a letter of the drawing, and px from which it can be read
const NEAR = 4; // px from an element within which it is meant

export class Graph {
  constructor(root, store, connection) {
    Object.assign(this, { root, store, connection });
    this.note = el("span", { class: "muted" });
    this.paths = el("select", { title: "Zero-order causal paths: algebraic loops through the graph", "aria-label": "Zero-order path", hidden: true, on: { change: () => this.mark() } });
    this.value = el("output", { class: "graph-value" });
    this.room = el("div", { class: "graph-room" });
    this.hint = el("div", { class: "fills" });
    const whole = button({ icon: "home", title: "Whole graph (double click)", class: "quiet" }, () => this.fit());
    const legend = el("span", { class: "power-key", title: "Width and colour of a bond: its power at the time shown" }, el("i", { class: "along" }), el("span", { text: "power along the half arrow" }), el("i", { class: "against" }), el("span", { text: "against it" }));
    fill(root, el("div", { class: "tab-bar" }, whole, legend, this.paths, this.note, this.value), el("div", { class: "chart-stack" }, this.room, this.hint));
    this.bonds = new Map();
    store.on("state runs", () => this.refresh());
    store.on("time", paced(60, () => store.playing, (t) => this.power(t)));
    store.on("theme", () => this.power(store.time));
    store.on("selection", () => this.mark());
    this.navigate();
    new ResizeObserver(() => this.advise()).observe(this.room);
  }

  async refresh() {
    const { store } = this, { run, state } = store;
    if (!this.root.offsetParent || (run && !run.kept)) return; // in passing there is no time for it
    if (!state || state.empty || state.problem) {
      this.clear();
      return fill(this.hint, empty("graph", "The model as a bond graph", "Bodies, joints and laws as elements, the power between them as bonds. After a run, width and colour of a bond are its power."));
    }
    const asked = store.upToDate(run) ? { run: run.id } : {}, key = `${asked.run || ""}|${state.text}`;
    if (this.key === key) return;
    this.key = key;
    if (!this.svg) { this.hint.hidden = false; fill(this.hint, empty("graph", "Drawing the graph…", "")); }
    try {
      const answer = await this.connection.askLong("bondgraph", asked).catch((error) => {
        if (!asked.run || error.cancelled) throw error;
        return this.connection.askLong("bondgraph"); // the graph of the model, where the run has none
      });
      if (this.key === key) this.show(answer);
    } catch (error) {
      if (this.key !== key) return;
      this.clear();
      fill(this.hint, empty("graph", error.cancelled ? "Cancelled" : "No bond graph", error.cancelled ? "Open the tab again to draw it." : error.message));
    }
  }

  clear() {
    this.bonds.clear();
    this.svg = null;
    this.key = null;
    this.paths.hidden = true;
    tell(this.note, "");
    this.value.textContent = "";
    fill(this.room);
    this.hint.hidden = false;
  }

  show(answer) {
    const made = drawing(answer.svg || "");
    if (!made) { this.clear(); return fill(this.hint, empty("graph", "No bond graph", "There is nothing to draw.")); }
    this.hint.hidden = true;
    const same = this.text === answer.svg && this.svg;
    this.text = answer.svg;
    if (!same) {
      made.removeAttribute("width");
      made.removeAttribute("height");
      this.svg = made;
      this.frame = made.getAttribute("viewBox").split(" ").map(Number);
      fill(this.room, made);
      this.fit();
    }
    this.series(answer);
    this.owners = new Map(answer.elements.map((e) => [e.name, e.group || e.name]));
    this.loops = answer.paths;
    this.paths.hidden = !this.loops.length;
    fill(this.paths, el("option", { value: "", text: `${this.loops.length} zero-order path${this.loops.length === 1 ? "" : "s"}` }), ...this.loops.map((p, i) => el("option", { value: String(i), text: `${i + 1}: ${p.text}`, title: p.meaning })));
    this.root.title = "";
    this.said = answer.conflicts[0] || (this.t.length ? "" : "Press Run: then the bonds show their power.");
    this.report = answer.report || "";
    this.advise();
    this.mark();
    this.power(this.store.time);
  }

  // What there is to say of the graph; where its letters are too small to be read, how to see more.
  advise() {
    if (!this.svg || this.paths.value !== "") return;
    const small = LETTER / this.scale() < LEGIBLE;
    tell(this.note, this.said || (small ? "Press E for more room; the wheel looks closer." : ""));
    this.note.title = this.report;
  }

  series(answer) {
    this.t = answer.power ? doubles(answer.power.t) : new Float64Array(0);
    this.most = answer.power ? answer.power.most : 0;
    this.bonds.clear();
    for (const group of this.svg.querySelectorAll("g.bond")) {
      const name = group.dataset.name, power = answer.power && answer.power.bonds[name] ? floats(answer.power.bonds[name]) : null;
      const lines = [...group.querySelectorAll("line, polyline, path")];
      const main = lines.filter((l) => (l.getAttribute("class") || "").includes("bond"));
      this.bonds.set(name, { group, lines, main: main.length ? main : lines.slice(0, 1), power });
    }
  }

  // Width follows the square root of the power, so that small ones are seen beside large ones.
  power(t) {
    if (!this.svg || !this.root.offsetParent) return;
    const live = this.store.showing === "run" && this.t.length > 0 && this.most > 0;
    const along = colour("along"), against = colour("against"), idle = colour("bond");
    for (const bond of this.bonds.values()) {
      const p = live && bond.power ? valueAt(this.t, bond.power, Math.min(t, this.t[this.t.length - 1])) : 0;
      const share = live ? Math.sqrt(Math.min(1, Math.abs(p) / this.most)) : 0;
      const ink = share < 0.02 ? idle : p > 0 ? along : against;
      bond.now = p;
      for (const line of bond.lines) line.style.stroke = ink;
      for (const line of bond.main) line.style.strokeWidth = String(THIN + (THICK - THIN) * share);
    }
    if (this.hovered) this.tell(this.hovered);
  }

  tell(name) {
    const bond = this.bonds.get(name);
    if (!bond) return;
    const title = bond.group.querySelector("title");
    this.value.textContent = `${title ? title.textContent : name}${bond.power ? ` · ${measured(bond.now, "W")}` : ""}`;
  }

  mark() {
    if (!this.svg) return;
    const loop = this.loops && this.paths.value !== "" ? this.loops[+this.paths.value] : null, members = new Set(loop ? loop.bonds : []);
    if (loop) tell(this.note, `${loop.title}. ${loop.meaning}`);
    for (const bond of this.bonds.values()) bond.group.classList.toggle("on-path", members.has(bond.group.id));
    this.svg.classList.toggle("has-path", !!loop);
    for (const g of this.svg.querySelectorAll("g.element")) {
      g.classList.toggle("chosen", this.store.selection.includes(this.owner(g.dataset.name || "")));
    }
  }

  /** The component that an element of the graph is a part of. */
  owner(element) {
    const parts = (this.owners.get(element) || element).split(".");
    for (let n = parts.length; n > 0; n--) {
      const known = this.store.component(parts.slice(0, n).join("."));
      if (known) return known.name;
    }
    return null;
  }

  // Letters are small: whatever element's box the pointer is in or next to is meant, the smallest first.
  elementAt(x, y) {
    const hits = [...(this.svg ? this.svg.querySelectorAll("g.element") : [])].map((g) => ({ g, box: g.getBoundingClientRect() }))
      .filter(({ box }) => x > box.left - NEAR && x < box.right + NEAR && y > box.top - NEAR && y < box.bottom + NEAR)
      .sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
    return hits.length ? this.owner(hits[0].g.dataset.name || "") : null;
  }

  // ---- wheel zooms, drag moves, a click selects the component of an element
  fit() {
    if (!this.svg) return;
    const [x, y, w, h] = this.frame;
    this.view = [x - MARGIN, y - MARGIN, w + 2 * MARGIN, h + 2 * MARGIN];
    this.look();
  }

  look() { this.svg.setAttribute("viewBox", this.view.join(" ")); }

  scale() {
    const box = this.room.getBoundingClientRect();
    return Math.max(this.view[2] / box.width, this.view[3] / box.height);
  }

  navigate() {
    let from = null;
    this.room.addEventListener("pointerdown", (e) => { from = this.svg ? { x: e.clientX, y: e.clientY, view: [...this.view] } : null; if (from) this.room.setPointerCapture(e.pointerId); });
    this.room.addEventListener("pointermove", (e) => {
      if (from && e.buttons) {
        const s = this.scale();
        this.view[0] = from.view[0] - (e.clientX - from.x) * s;
        this.view[1] = from.view[1] - (e.clientY - from.y) * s;
        this.look();
        return;
      }
      const group = document.elementFromPoint(e.clientX, e.clientY)?.closest?.("g.bond");
      this.hovered = group ? group.dataset.name : null;
      if (this.hovered) this.tell(this.hovered); else this.value.textContent = "";
    });
    this.room.addEventListener("pointerup", (e) => {
      const moved = !from || Math.hypot(e.clientX - from.x, e.clientY - from.y) > 4;
      from = null;
      if (moved) return;
      const name = this.elementAt(e.clientX, e.clientY);
      if (name) this.store.select([name]);
    });
    this.room.addEventListener("dblclick", () => this.fit());
    this.room.addEventListener("wheel", (e) => {
      if (!this.svg) return;
      e.preventDefault();
      const zoom = Math.exp(e.deltaY * 0.0012), point = this.svg.getScreenCTM().inverse(), at = new DOMPoint(e.clientX, e.clientY).matrixTransform(point);
      const [x, y, w, h] = this.view, wide = Math.max(this.frame[2] / 40, Math.min(this.frame[2] * 4, w * zoom)), k = wide / w;
      this.view = [at.x - (at.x - x) * k, at.y - (at.y - y) * k, wide, h * k];
      this.look();
    }, { passive: false });
  }
}
