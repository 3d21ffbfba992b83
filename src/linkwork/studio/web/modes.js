// Linear modes about the equilibrium: eigenvalues, what they mean, and each mode animated in the scene.

import { button, el, empty, fill, tell } from "./dom.js";
import { shown } from "./numbers.js";
import { Plane } from "./plane.js";

export class Modes {
  constructor(root, store, connection, { stage, timeline, back }) {
    Object.assign(this, { root, store, connection, stage, timeline, back });
    this.go = button({ icon: "play", text: "Find modes", class: "small primary", title: "Linearise the model about its equilibrium" }, () => this.find());
    this.at = el("select", { title: "Where to linearise", "aria-label": "Where to linearise" }, el("option", { value: "equilibrium", text: "at the equilibrium" }), el("option", { value: "start", text: "at the start pose" }));
    this.verdict = el("span", { class: "verdict" });
    this.note = el("span", { class: "muted" });
    this.table = el("div", { class: "compare-table" });
    this.room = el("div", { class: "chart-room" });
    this.result = el("div", { class: "halves", hidden: true }, this.table, el("div", { class: "chart-stack" }, this.room));
    this.hint = el("div", { class: "fills" });
    fill(root, el("div", { class: "tab-bar" }, this.go, this.at, this.verdict, this.note), this.hint, this.result);
    this.plane = new Plane(this.room, { pick: (i) => this.animate(this.owner[i]) });
    this.clear();
    store.on("state", () => this.clear());
    store.on("theme", () => this.plane.draw());
    store.on("showing", (what) => { if (what !== "mode") this.mark(-1); });
  }

  clear() {
    fill(this.hint, empty("modes", "How it would swing", "Small motions about the equilibrium: frequencies, damping, stability. Click a mode to see it move."));
    this.result.hidden = true;
    this.hint.hidden = false;
    this.verdict.textContent = "";
    tell(this.note, "");
  }

  async find() {
    this.go.disabled = true;
    tell(this.note, "linearising…");
    try { this.show(await this.connection.askLong("modes", { at: this.at.value })); } catch (error) {
      this.clear();
      if (!error.cancelled) fill(this.hint, empty("modes", "No modes", `${error.message} ${error.remedy || ""}`));
    } finally { this.go.disabled = false; }
  }

  show(answer) {
    this.hint.hidden = true;
    this.result.hidden = false;
    this.list = answer.modes || [];
    this.verdict.textContent = answer.verdict || "";
    this.verdict.className = `verdict ${this.list.some((m) => m.growing) ? "bad" : /^(asymptotically )?stable/.test(answer.verdict || "") ? "good" : "fair"}`;
    tell(this.note, answer.note || "");
    const points = [];
    this.owner = [];
    this.list.forEach((mode, i) => {
      const [re, im] = mode.eigenvalue;
      for (const value of im ? [[re, im], [re, -im]] : [[re, 0]]) { points.push(value); this.owner.push(i); }
    });
    this.points = points;
    fill(this.table, el("table", {}, el("thead", {}, el("tr", {}, el("th", { text: "" }), el("th", { text: "Eigenvalue [1/s]" }), el("th", { text: "Frequency" }), el("th", { text: "Damping" }), el("th", { text: "Moves most" }))),
      el("tbody", {}, ...this.list.map((mode, i) => this.row(mode, i)))));
    this.plane.show(points);
  }

  row(mode, i) {
    const [re, im] = mode.eigenvalue, number = `${shown(re, 3)}${im ? ` ± ${shown(Math.abs(im), 3)} i` : ""}`;
    const able = !!mode.scene;
    return el("tr", { class: able ? "able" : "", data: { mode: String(i) }, title: able ? "Click to see it move" : "", on: able ? { click: () => this.animate(i) } : {} },
      el("td", {}, able ? button({ icon: "play", title: `Animate mode ${i + 1}`, class: "quiet" }, (e) => { e.stopPropagation(); this.animate(i); }) : null),
      el("td", { text: number, class: re > 1e-9 ? "bad" : "" }), el("td", { text: mode.frequency ? `${shown(mode.frequency, 3)} Hz` : "–" }),
      el("td", { text: im && mode.damping !== null ? shown(mode.damping, 3) : "–" }), el("td", { text: (mode.moves || []).slice(0, 3).map((m) => m.name).join(", ") }));
  }

  animate(i) {
    const mode = this.list[i];
    if (!mode || !mode.scene) return;
    this.store.showing = "mode";
    this.stage.show(mode.scene);
    this.store.emit("showing", "mode");
    const [re, im] = mode.eigenvalue;
    this.stage.say(`Mode ${i + 1}${im ? `: ${shown(mode.frequency ?? Math.abs(im) / (2 * Math.PI), 3)} Hz` : `: ${re > 0 ? "grows" : "decays"}, ${shown(re, 3)} 1/s`}, enlarged`, this.back);
    this.timeline.pace(mode.scene.speed);
    this.timeline.start();
    this.mark(i);
  }

  mark(i) {
    for (const row of this.table.querySelectorAll("tr[data-mode]")) row.classList.toggle("chosen", +row.dataset.mode === i);
    if (this.points) this.plane.show(this.points, [], i < 0 ? -1 : this.owner.indexOf(i));
  }
}
