// Chosen channels over time, of the run that is shown and of earlier ones, with a cursor tied to the animation.

import { Chart, DASHES } from "./chart.js";
import { button, el, empty, fill } from "./dom.js";
import { refused } from "./notices.js";
import { doubles, fits } from "./numbers.js";
import { paced } from "./pace.js";

const FIRST = 3; // channels plotted where nothing says which
const LIST_LIMIT = 400;

export class Plots {
  constructor(root, store, connection, seek) {
    Object.assign(this, { root, store, connection });
    /** @type {string[]} */
    this.names = [];
    this.runs = el("div", { class: "run-list" });
    this.picker = el("div", { class: "picker", hidden: true });
    this.choose = button({ icon: "plus", text: "Channels", class: "small", title: "Choose what is plotted", "aria-expanded": "false", id: "channels" }, () => this.toggle());
    this.room = el("div", { class: "chart-room" });
    this.hint = el("div", { class: "fills" });
    fill(root, el("div", { class: "tab-bar" }, this.choose, this.runs), el("div", { class: "chart-stack" }, this.room, this.hint), this.picker);
    this.chart = new Chart(this.room, { seek, theme: () => store.theme });
    store.on("state", ({ fresh }) => { if (fresh) { this.names = []; this.chosen = false; } });
    store.on("runs", () => this.refresh());
    store.on("time", paced(50, () => store.playing, (t) => { if (store.showing === "run" && this.root.offsetParent) this.chart.time(t); }));
    store.on("theme", () => this.chart.draw());
    this.refresh();
    document.addEventListener("pointerdown", (e) => { if (!this.picker.hidden && !this.picker.contains(e.target) && !this.choose.contains(e.target)) this.toggle(false); });
  }

  /** Channels that are plotted now. */
  plotted() { return this.names; }

  /** Plot a channel, or no longer. */
  plot(name) {
    this.names = this.names.includes(name) ? this.names.filter((n) => n !== name) : [...this.names, name];
    this.chosen = true;
    this.store.emit("channels");
    this.refresh();
  }

  // What a model wants shown, else the first coordinates that move.
  suggest(run) {
    const known = run.channels.map((c) => c.name), asked = (run.show || []).filter((name) => known.includes(name));
    const others = known.filter((name) => /\.(angle|slide|x|y)$/.test(name));
    return [...new Set(asked.length ? asked.slice(0, 6) : others.slice(0, FIRST))];
  }

  async refresh() {
    const { store } = this, { run } = store;
    this.choose.disabled = !run;
    this.hint.hidden = !!run && this.names.length > 0;
    if (!run) {
      this.chart.show([]);
      return fill(this.hint, empty("plot", "Curves appear here", "Press Run. Then choose channels such as piston.x or O.reaction.fx, drag in a plot to move through time, turn the wheel to look closer."));
    }
    if (!this.names.length && !this.chosen) {
      this.names = this.suggest(run);
      this.hint.hidden = this.names.length > 0;
      store.emit("channels");
    }
    if (!this.names.length) {
      this.chart.show([]);
      return fill(this.hint, empty("plot", "No channel is plotted", "Choose some with Channels, or click one in the inspector."));
    }
    if (!this.picker.hidden) this.list();
    const shown = [...store.runs.filter((r) => r.visible && r !== run), run];
    this.draw(shown);
    const missing = shown.map((r) => [r, this.names.filter((n) => !r.series.has(n) && r.channels.some((c) => c.name === n))]).filter(([, names]) => names.length);
    if (!missing.length) return;
    await Promise.all(missing.map(([r, names]) => this.fetch(r, names)));
    this.draw(shown);
  }

  async fetch(run, names) {
    try {
      const answer = await this.connection.ask("channels", { run: run.id, names }), t = doubles(answer.t);
      for (const [name, text] of Object.entries(answer.values)) run.series.set(name, { t, y: doubles(text) });
    } catch (error) {
      for (const name of names) run.series.set(name, { t: new Float64Array(0), y: new Float64Array(0) });
      if (run === this.store.run) refused(error);
    }
  }

  draw(runs) {
    const { run } = this.store;
    if (!runs.includes(run)) return;
    const curves = [];
    runs.forEach((r) => this.names.forEach((name, ink) => {
      const channel = r.channels.find((c) => c.name === name), data = r.series.get(name);
      if (!channel || !data) return;
      const mine = r === run;
      curves.push({ name, unit: channel.unit, ink, ...data, faint: !mine, dash: mine ? [] : DASHES[1 + ((r.number - 1) % (DASHES.length - 1))], of: runs.length > 1 ? `run ${r.number}` : "" });
    }));
    this.chart.show(curves);
    this.chart.time(this.store.time);
    this.store.emit("plotted");
  }

  // ---- choosing
  toggle(open = this.picker.hidden) {
    this.picker.hidden = !open;
    this.choose.setAttribute("aria-expanded", String(open));
    if (!open) return;
    this.search = el("input", { type: "search", placeholder: "Search channels", "aria-label": "Search channels", on: {
      input: () => this.list(), keydown: (e) => { e.stopPropagation(); if (e.key === "Escape") this.toggle(false); } } });
    this.rows = el("div", { class: "picker-rows" });
    fill(this.picker, el("div", { class: "picker-head" }, this.search, button({ text: "None", class: "small quiet", title: "Plot nothing" }, () => { this.names = []; this.chosen = true; this.store.emit("channels"); this.refresh(); this.list(); })), this.rows);
    this.list();
    this.search.focus();
  }

  list() {
    const { run, selection } = this.store;
    if (!run || !this.rows) return;
    const wanted = this.search.value.trim().toLowerCase();
    const rank = (name) => (this.names.includes(name) ? 0 : selection.some((s) => name.startsWith(`${s}.`)) ? 1 : 2);
    const hits = run.channels.filter((c) => !wanted || c.name.toLowerCase().includes(wanted) || fits(c.name.toLowerCase(), wanted)).map((c, i) => ({ ...c, i, rank: rank(c.name) })).sort((a, b) => a.rank - b.rank || a.i - b.i);
    fill(this.rows, ...hits.slice(0, LIST_LIMIT).map((c) => el("label", { class: "picker-row", title: c.unit ? `${c.name} [${c.unit}]` : c.name },
      el("input", { type: "checkbox", checked: this.names.includes(c.name), value: c.name, on: { change: () => this.plot(c.name) } }), el("span", { text: c.name }), el("small", { text: c.unit || "1" }))),
    hits.length ? null : el("p", { class: "hint", text: "No channel has this in its name." }),
    hits.length > LIST_LIMIT ? el("p", { class: "hint", text: `${hits.length - LIST_LIMIT} more: search for them.` }) : null);
  }
}
