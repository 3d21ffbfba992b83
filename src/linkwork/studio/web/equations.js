// The equations of motion of a formulation, set as formulas; lines in which the selected component occurs are marked.

import { el, empty, fill, tell } from "./dom.js";
import { formula, sentence } from "./markup.js";

export class Equations {
  constructor(root, store, connection) {
    Object.assign(this, { root, store, connection });
    this.formulation = el("select", { title: "Formulation whose equations are shown", "aria-label": "Formulation", on: { change: () => this.refresh() } });
    this.note = el("span", { class: "muted" });
    this.room = el("div", { class: "equations-room" });
    fill(root, el("div", { class: "tab-bar" }, this.formulation, this.note), this.room);
    store.on("choices", (list) => { fill(this.formulation, ...list.map((f) => el("option", { value: f.name, text: f.name, title: f.doc || "" }))); if (list.some((f) => f.name === "minimal")) this.formulation.value = "minimal"; this.refresh(); });
    store.on("state selection", () => this.refresh());
    this.key = null;
  }

  async refresh() {
    const { state, selection } = this.store;
    if (!this.root.offsetParent) return;
    if (!state || state.empty || state.problem) {
      this.key = null;
      return fill(this.room, empty("equations", "The equations of motion", "What the solver integrates, as formulas. Select a joint: the lines in which it occurs are marked."));
    }
    const name = selection[0] || null, key = `${this.formulation.value}|${name}|${state.text}`;
    if (key === this.key) return;
    this.key = key;
    if (!this.room.querySelector(".equation")) fill(this.room, empty("equations", "Writing the equations…", ""));
    try {
      const answer = await this.connection.askLong("equations", { formulation: this.formulation.value, ...(name ? { component: name } : {}) });
      if (this.key === key) this.show(answer, name);
    } catch (error) {
      if (this.key !== key) return;
      this.key = null;
      fill(this.room, error.cancelled ? empty("equations", "Cancelled", "Open the tab again to have them written.") : empty("equations", "No equations to show", `${error.message} ${error.remedy || ""}`));
    }
  }

  show({ blocks, text, note }, name) {
    const lines = blocks.flatMap((b) => b.lines), marked = lines.filter((l) => l.marked).length;
    tell(this.note, note || (name ? (marked ? `${marked} of ${lines.length} lines name ${name}; the terms it stands in are shaded` : `no line names ${name}`) : "Select a component: its symbols, and the terms in which they stand, are marked."));
    const before = this.room.scrollTop;
    fill(this.room, ...blocks.flatMap((b) => [sentence(b.sentence), ...b.lines.map((line) => el("div", { class: `equation${line.marked ? " marked" : ""}` }, formula(line.mathml)))]),
      text ? el("pre", { class: "equation-text", text }) : null);
    this.room.scrollTop = before;
    const first = name && this.room.querySelector(".equation.marked");
    if (first && (first.offsetTop < before || first.offsetTop > before + this.room.clientHeight - 30)) this.room.scrollTop = Math.max(0, first.offsetTop - 40);
  }
}
