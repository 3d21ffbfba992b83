// The energy balance of a run: where the energy is, what was put in, and what the account is off by.

import { Chart } from "./chart.js";
import { el, empty, fill, tell } from "./dom.js";
import { refused } from "./notices.js";
import { doubles, measured, shown } from "./numbers.js";
import { paced } from "./pace.js";

export class Energy {
  constructor(root, store, connection, seek) {
    Object.assign(this, { root, store, connection });
    this.note = el("span", { class: "muted" });
    this.room = el("div", { class: "chart-room" });
    this.hint = el("div", { class: "fills" });
    fill(root, el("div", { class: "tab-bar" }, this.note), el("div", { class: "chart-stack" }, this.room, this.hint));
    this.chart = new Chart(this.room, { seek, theme: () => store.theme });
    store.on("runs", () => this.refresh());
    store.on("time", paced(50, () => store.playing, (t) => { if (this.root.offsetParent && store.showing === "run") this.chart.time(t); }));
    store.on("theme", () => this.chart.draw());
    this.known = null;
    this.refresh();
  }

  /** Called when the tab is shown, too: nothing is asked for before. */
  async refresh() {
    const { run } = this.store;
    this.hint.hidden = !!run;
    if (!run) {
      this.known = null;
      tell(this.note, "");
      this.chart.show([]);
      return fill(this.hint, empty("energy", "Where the energy goes", "After a run: kinetic, potential and dissipated energy, stacked. The line over them is what was there at first and put in since: where it meets them, none is lost."));
    }
    if (!this.root.offsetParent || this.known === run) return;
    try {
      const answer = await this.connection.ask("energy", { run: run.id });
      if (run !== this.store.run) return;
      this.known = run;
      this.show(answer);
    } catch (error) {
      if (run === this.store.run && !error.cancelled) { this.hint.hidden = false; fill(this.hint, empty("energy", "No balance", error.message)); }
      else refused(error);
    }
  }

  // Potential energy is counted from its lowest value: only its changes mean something.
  show(answer) {
    const t = doubles(answer.t), of = (word) => (answer.values[`energy.${word}`] ? doubles(answer.values[`energy.${word}`]) : null);
    const kinetic = of("kinetic"), potential = of("potential"), dissipated = of("dissipated"), supplied = of("supplied");
    const floor = potential ? potential.reduce((m, v) => Math.min(m, v), Infinity) : 0, curves = [];
    const sum = new Float64Array(t.length);
    [["kinetic", kinetic, 0], ["potential", potential, floor], ["dissipated", dissipated, 0]].forEach(([name, values, zero], ink) => {
      if (!values || values.every((v) => Math.abs(v - zero) < 1e-12)) return;
      const below = sum.slice();
      for (let k = 0; k < sum.length; k++) sum[k] += values[k] - zero;
      curves.push({ name, unit: "J", ink, t, y: sum.slice(), area: below });
    });
    let largest = 0, worst = null, off = null;
    if (kinetic && potential && dissipated && supplied) {
      const given = supplied.map((s) => kinetic[0] + potential[0] - floor + dissipated[0] + s - supplied[0]);
      off = sum.map((v, k) => v - given[k]);
      worst = off.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
      largest = given.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
      curves.push({ name: "put in", unit: "J", ink: -1, t, y: given });
    }
    this.chart.show(curves);
    if (off) this.addResidual(t, off);
    this.chart.time(this.store.time);
    tell(this.note, worst === null ? "Nothing tells what was put in: only the parts are shown." : `The balance is off by ${measured(worst, "J", 3)} at most${largest > 0 ? `, ${shown((100 * worst) / largest, 2)} % of the energy` : ""}.`);
  }

  addResidual(t, y) {
    this.chart.panels.push({ unit: "J", curves: [{ name: "off by", unit: "J", ink: 6, t, y }] });
    this.chart.prepare();
  }
}
