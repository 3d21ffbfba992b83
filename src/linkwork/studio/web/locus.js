// Root locus: where the eigenvalues go while a parameter changes, and the value at which stability is lost.

import { button, el, empty, fill, tell } from "./dom.js";
import { measured } from "./numbers.js";
import { Plane } from "./plane.js";

const COUNT = 41; // values of the parameter

export class Locus {
  constructor(root, store, connection) {
    Object.assign(this, { root, store, connection });
    const number = (id, title) => el("input", { class: "number", id, title, "aria-label": title, inputmode: "decimal", autocomplete: "off" });
    this.parameter = el("select", { title: "Parameter that changes", "aria-label": "Parameter", on: { change: () => this.limits() } });
    this.low = number("locus-low", "Lowest value");
    this.high = number("locus-high", "Highest value");
    this.go = button({ icon: "play", text: "Draw", class: "small primary", title: "Eigenvalues for values between these" }, () => this.find());
    this.slider = el("input", { type: "range", min: 0, max: 1, step: 1, value: 0, title: "Value of the parameter", "aria-label": "Value of the parameter", hidden: true, on: { input: () => this.point() } });
    this.value = el("output", { class: "locus-value" });
    this.note = el("span", { class: "muted" });
    this.room = el("div", { class: "chart-room" });
    this.stack = el("div", { class: "chart-stack", hidden: true }, this.room);
    this.hint = el("div", { class: "fills" });
    this.bar = el("div", { class: "tab-bar" }, this.parameter, this.low, el("span", { text: "to" }), this.high, this.go, this.slider, this.value, this.note);
    fill(root, this.bar, this.hint, this.stack);
    this.plane = new Plane(this.room);
    store.on("parameters", () => this.offer());
    store.on("theme", () => this.plane.draw());
    this.offer();
  }

  offer() {
    const { state } = this.store, list = (state && state.parameters) || [];
    this.stack.hidden = true;
    this.slider.hidden = true;
    this.value.textContent = "";
    tell(this.note, "");
    this.hint.hidden = false;
    for (const part of [this.parameter, this.low, this.high, this.go]) part.disabled = !list.length;
    fill(this.hint, list.length ? empty("locus", "When does it become unstable?", "Choose a parameter and its range: the eigenvalues are followed from value to value. Right of the upright axis, small disturbances grow.")
      : empty("locus", "A root locus needs a parameter", "This model has none. A number that is to be changed gets a name in the model file: [parameter] k = 2.0"));
    const now = this.parameter.value;
    fill(this.parameter, ...list.map((p) => el("option", { value: p.name, text: p.unit ? `${p.name} [${p.unit}]` : p.name })));
    if (list.some((p) => p.name === now)) this.parameter.value = now;
    else this.limits();
  }

  limits() {
    const p = ((this.store.state && this.store.state.parameters) || []).find((q) => q.name === this.parameter.value);
    if (!p) return;
    this.low.value = String(+Number(p.low ?? Math.min(0, 2 * p.value)).toPrecision(4));
    this.high.value = String(+Number(p.high ?? (Math.max(0, 2 * p.value) || 1)).toPrecision(4));
  }

  async find() {
    const low = Number(this.low.value), high = Number(this.high.value);
    if (!(low < high)) { tell(this.note, "The first value must be the smaller one."); return; }
    this.go.disabled = true;
    tell(this.note, "following the eigenvalues…");
    try {
      this.answer = await this.connection.askLong("root_locus", { parameter: this.parameter.value, low, high, count: COUNT });
      this.show();
    } catch (error) { this.failed(error); } finally { this.go.disabled = false; }
  }

  failed(error) {
    tell(this.note, "");
    if (error.cancelled) return;
    this.stack.hidden = this.slider.hidden = true;
    this.value.textContent = "";
    this.hint.hidden = false;
    fill(this.hint, empty("locus", "No root locus", `${error.message} ${error.remedy || ""}`));
  }

  show() {
    const { values, eigenvalues, critical, unit, stable } = this.answer;
    this.hint.hidden = true;
    this.stack.hidden = false;
    this.slider.hidden = false;
    this.slider.max = String(values.length - 1);
    const { now } = this.answer;
    this.slider.value = String(values.reduce((best, v, i) => (Math.abs(v - now) < Math.abs(values[best] - now) ? i : best), 0));
    this.lines = (eigenvalues[0] || []).map((_, k) => eigenvalues.map((row) => row[k]));
    const least = 1e-9 * Math.abs(values[values.length - 1] - values[0]), told = (x) => measured(Math.abs(x) < least ? 0 : x, unit, 5); // below it there is only rounding
    tell(this.note, (critical || []).length ? `stability changes at ${critical.map(told).join(", ")}` : stable.every(Boolean) ? "stable for all of them" : stable.some(Boolean) ? "" : "unstable for all of them");
    this.point();
  }

  point() {
    const k = +this.slider.value;
    this.slider.style.setProperty("--share", String(k / Math.max(1, +this.slider.max)));
    this.value.textContent = `${this.answer.parameter} = ${measured(this.answer.values[k], this.answer.unit)}`;
    this.plane.show(this.answer.eigenvalues[k], this.lines);
  }
}
