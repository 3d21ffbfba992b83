// What the check says of the model: mobility, redundancy, messages. A message leads to the component it names.

import { el, empty, fill, icon } from "./dom.js";
import { plainly } from "./notices.js";

export class Check {
  constructor(root, store) {
    Object.assign(this, { root, store });
    this.body = el("div", { class: "panel-body", id: "check-list", "aria-live": "polite" });
    this.sum = el("span", { class: "verdict" });
    fill(root, el("div", { class: "panel-head" }, el("h2", { text: "Check" }), this.sum), this.body);
    store.on("state", () => this.build());
    store.on("selection", () => this.mark());
    this.build();
  }

  build() {
    const { state } = this.store;
    if (!state || (state.empty && !state.problem)) {
      this.sum.textContent = "";
      return fill(this.body, empty("check", "Nothing to check yet", "Freedoms, redundant constraints and mistakes of the model are told here as you build it."));
    }
    const check = state.check || { messages: [] };
    const messages = [...(state.problem ? [{ level: "error", text: state.problem.message, remedy: state.problem.remedy, component: state.problem.component }] : []), ...(check.messages || [])];
    const errors = messages.filter((m) => m.level === "error").length, warnings = messages.filter((m) => m.level === "warning").length;
    this.sum.className = `verdict ${errors ? "bad" : warnings ? "fair" : "good"}`;
    this.sum.textContent = errors ? `${errors} problem${errors > 1 ? "s" : ""}` : warnings ? `${warnings} warning${warnings > 1 ? "s" : ""}` : "no problems";
    const facts = [["Mobility", check.mobility, "Independent freedoms of the mechanism"], ["Redundant", (check.redundant || []).length, `Constraints that others imply${(check.redundant || []).length ? `: ${check.redundant.map((r) => `${r.component} ${r.direction}`).join(", ")}` : ""}`]].filter(([, value]) => value !== undefined && value !== null);
    fill(this.body, facts.length && !state.problem ? el("dl", { class: "facts" }, ...facts.flatMap(([name, value, title]) => [el("dt", { text: name, title }), el("dd", { text: String(value) })])) : null,
      ...messages.map((m) => this.message(m)),
      messages.length ? null : el("p", { class: "hint good", text: "The model can be assembled and run." }));
    this.mark();
  }

  message(m) {
    const known = m.component && this.store.component(m.component);
    return el(known ? "button" : "div", { type: known ? "button" : undefined, class: `message ${m.level || "info"}`, data: { component: m.component || "" },
      title: known ? `Select ${m.component}` : m.text, on: known ? { click: () => this.store.select([m.component]) } : {} },
    icon(m.level === "error" ? "error" : m.level === "warning" ? "warning" : m.level === "ok" ? "check" : "info"),
    el("span", {}, m.component ? el("b", { text: m.component }) : null, el("span", { text: m.component ? ` ${plainly(m.text, m.component)}` : m.text }), m.remedy ? el("em", { text: ` ${m.remedy}` }) : null));
  }

  mark() {
    const chosen = new Set(this.store.selection);
    for (const row of this.body.querySelectorAll(".message")) row.classList.toggle("chosen", !!row.dataset.component && chosen.has(row.dataset.component));
  }
}
