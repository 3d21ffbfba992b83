// A slider for each parameter: the model runs again while it moves, and has the new value when it is let go.

import { el, fill } from "./dom.js";
import { refused } from "./notices.js";

export class Sliders {
  constructor(root, store, connection, runs) {
    Object.assign(this, { root, store, connection, runs });
    this.body = el("div", { class: "panel-body", id: "sliders" });
    fill(root, el("div", { class: "panel-head" }, el("h2", { text: "Parameters" })), this.body);
    store.on("state", ({ fresh }) => this.load(fresh));
    this.rows = new Map();
  }

  async load(fresh) {
    const { state } = this.store;
    let list = [];
    this.body.toggleAttribute("inert", !!state.problem);
    if (state.problem && this.rows.size) return;
    if (!state.problem && state.components.some((c) => c.family === "parameter")) {
      try { list = await this.connection.ask("parameters"); } catch { list = []; }
    }
    if (state !== this.store.state) return;
    state.parameters = list;
    this.store.emit("parameters", list);
    if (fresh) this.rows.clear();
    if (!list.length) {
      this.rows.clear();
      return fill(this.body, el("p", { class: "hint", text: "This model has no parameters. Give one a name in the model file ([parameter] k = 2.0): then it can be changed here while the model runs." }));
    }
    const names = list.map((p) => p.name).join("\n");
    if (names !== [...this.rows.keys()].join("\n")) {
      this.rows = new Map(list.map((p) => [p.name, this.row(p)]));
      fill(this.body, ...[...this.rows.values()].map((r) => r.root));
    } else for (const p of list) this.refresh(p);
  }

  row(p) {
    const slider = el("input", { type: "range", step: "any", id: `slider-${p.name}`, "aria-label": `${p.name}${p.unit ? ` in ${p.unit}` : ""}`,
      title: `${p.name}${p.unit ? ` [${p.unit}]` : ""}: drag to run again with other values` });
    const number = el("input", { class: "number", inputmode: "decimal", "aria-label": `Value of ${p.name}`, title: `Value of ${p.name}${p.unit ? ` [${p.unit}]` : ""}`, autocomplete: "off" });
    const made = { slider, number, value: p.value, root: el("div", { class: "slider", data: { parameter: p.name } },
      el("div", { class: "slider-head" }, el("label", { for: `slider-${p.name}`, text: p.name }), number, el("span", { class: "unit", text: p.unit || "" })), slider) };
    slider.addEventListener("input", () => { number.value = tidy(+slider.value); this.moved(p.name, +tidy(+slider.value), false); });
    slider.addEventListener("change", () => this.settle(p.name, +tidy(+slider.value)));
    number.addEventListener("keydown", (e) => { if (e.key === "Enter") number.blur(); e.stopPropagation(); });
    number.addEventListener("change", () => {
      const value = Number(number.value.replace(",", ".").replace("−", "-"));
      if (!Number.isFinite(value) || number.value.trim() === "") { number.value = tidy(made.value); return; }
      this.moved(p.name, value, true);
      this.settle(p.name, value);
    });
    this.rows.set(p.name, made);
    this.refresh(p);
    return made;
  }

  refresh(p) {
    const row = this.rows.get(p.name);
    if (document.activeElement === row.slider && this.moving === p.name) return;
    row.value = p.value;
    if (!row.range) row.range = [p.low, p.high]; // as it was when the model was opened: the slider does not move by itself
    row.slider.min = String(Math.min(row.range[0], p.value));
    row.slider.max = String(Math.max(row.range[1], p.value));
    row.slider.value = String(p.value);
    row.number.value = tidy(p.value);
    this.fraction(row);
  }

  fraction(row) {
    const { slider } = row, span = +slider.max - +slider.min || 1;
    slider.style.setProperty("--share", String((+slider.value - +slider.min) / span));
  }

  moved(name, value, kept) {
    this.moving = name;
    this.runs.stage.moving(true);
    this.fraction(this.rows.get(name));
    if (!this.runs.go.disabled) this.runs.again({ [name]: value }, kept);
  }

  // Let go: the value goes into the model, as one step that can be undone; the run that is shown is the one of it.
  async settle(name, value) {
    this.moving = null;
    this.runs.stage.moving(false);
    const row = this.rows.get(name);
    if (value === row.value) return;
    const now = this.store.run;
    try {
      const ran = !this.runs.go.disabled && await this.runs.again({ [name]: value }, true);
      if (ran) this.store.run.awaits = true;
      await this.connection.ask("set", { name, argument: "value", value: String(value) });
      delete this.runs.overrides[name];
    } catch (error) {
      delete this.runs.overrides[name];
      this.store.choose(now);
      row.slider.value = String(row.value);
      row.number.value = tidy(row.value);
      refused(error);
    }
  }
}

const tidy = (value) => String(+value.toPrecision(4));
