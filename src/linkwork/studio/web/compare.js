// The same model by several formulations: how far they agree, and their curves over each other.

import { Chart, DASHES } from "./chart.js";
import { button, el, empty, fill, tell } from "./dom.js";
import { refused } from "./notices.js";
import { doubles, shown } from "./numbers.js";
import { paced } from "./pace.js";

const GROUPS = [["positions", "Positions", "m, rad"], ["speeds", "Speeds", "m/s, rad/s"], ["reactions", "Reactions", "N, N·m"], ["energies", "Energies", "J"]];
const USUAL = new Set(["absolute", "minimal", "points", "bondgraph"]);

export class Compare {
  constructor(root, store, connection, { seek, runs }) {
    Object.assign(this, { root, store, connection, runs });
    this.boxes = el("div", { class: "checks" });
    this.go = button({ icon: "play", text: "Compare", class: "small primary", title: "Run the model in each of them" }, () => this.start());
    this.channel = el("select", { title: "Channel whose curves are overlaid", "aria-label": "Channel", hidden: true, on: { change: () => (this.said.channels.includes(this.channel.value) ? this.draw() : this.start()) } });
    this.note = el("span", { class: "muted" });
    this.table = el("div", { class: "compare-table" });
    this.room = el("div", { class: "chart-room" });
    this.result = el("div", { class: "halves", hidden: true }, this.table, el("div", { class: "chart-stack" }, this.room));
    this.hint = el("div", { class: "fills" }, empty("compare", "One mechanism, several sets of equations", "Choose formulations and press Compare: each is run on its own, and the table says how far they agree. They share no equation of motion, so agreement is evidence."));
    fill(root, el("div", { class: "tab-bar" }, this.boxes, this.go, this.channel, this.note), this.hint, this.result);
    this.chart = new Chart(this.room, { seek, theme: () => store.theme });
    store.on("choices", (list) => this.offer(list));
    store.on("state", ({ fresh }) => { if (fresh) this.clear(); });
    store.on("time", paced(50, () => store.playing, (t) => { if (this.root.offsetParent && store.showing === "run") this.chart.time(t); }));
    store.on("theme", () => this.chart.draw());
  }

  offer(list) {
    fill(this.boxes, ...list.map((f) => el("label", { title: f.doc || "" }, el("input", { type: "checkbox", value: f.name, checked: USUAL.has(f.name) }), el("span", { text: f.name }))));
  }

  clear() {
    this.result.hidden = true;
    this.hint.hidden = false;
    this.channel.hidden = true;
    tell(this.note, "");
    fill(this.channel);
  }

  async start() {
    const formulations = [...this.boxes.querySelectorAll("input:checked")].map((b) => b.value), asked = this.runs.asked();
    if (!asked || this.running) return;
    if (formulations.length < 2) { tell(this.note, "Choose two or more."); return; }
    this.running = true;
    this.go.disabled = true;
    tell(this.note, "running…");
    const request = this.connection.askLong("compare", { duration: asked.duration, formulations, ...(this.channel.value ? { channels: [this.channel.value] } : {}) });
    try {
      this.show(await request);
      tell(this.note, "");
    } catch (error) { tell(this.note, ""); refused(error); } finally { this.running = false; this.go.disabled = false; }
  }

  show({ table, text, channels, curves }) {
    this.hint.hidden = true;
    this.result.hidden = false;
    this.said = { table, channels, curves };
    const groups = GROUPS.filter(([key]) => table.runs.some((run) => run.groups[key]));
    fill(this.table, el("table", {}, el("thead", {}, el("tr", {}, el("th", { text: "Formulation" }), ...groups.map(([, head, unit]) => el("th", { title: `Largest difference of any of the ${head.toLowerCase()} [${unit}]` }, el("span", { text: head }), el("small", { text: ` ${unit}` }))), el("th", { text: "Run", title: "Time of the run itself [s]" }))),
      el("tbody", {}, ...table.runs.map((run) => this.row(run, groups, table.reference)))),
    el("p", { class: "hint", text: `Largest difference from ${table.reference} at any time, in the unit above.`, title: text }),
    ...[...table.runs.filter((r) => r.error).map((r) => `${r.name}: ${r.error}`), ...(table.notes || [])].map((note) => el("p", { class: "hint", text: note })));
    const known = new Map((this.store.run ? this.store.run.channels : []).map((c) => [c.name, c.unit])), now = this.channel.value;
    fill(this.channel, ...[...new Set([...channels, ...known.keys()])].map((name) => el("option", { value: name, text: name })));
    this.channel.value = channels.includes(now) ? now : channels[0] || "";
    this.channel.hidden = false;
    this.draw();
  }

  row(run, groups, reference) {
    const failed = run.status === "failed";
    return el("tr", { class: failed ? "failed" : "", title: run.error || `${run.solver}, ${run.accepted} steps` }, el("td", { text: run.name }),
      ...(run.name === reference ? [el("td", { text: "reference", class: "muted", colspan: String(Math.max(1, groups.length)) })]
        : groups.map(([key, , unit]) => { const d = run.groups[key]; return el("td", { text: d ? shown(d.absolute, 2) : failed ? run.status : "–", title: d ? `${shown(d.absolute, 3)} (${unit})${d.relative === null ? "" : `; ${shown(d.relative, 2)} of the channel’s largest value, where it is largest`}` : "" }); })),
      el("td", { text: run.run_time === null ? "–" : time(run.run_time) }));
  }

  draw() {
    const { channels, curves } = this.said, name = channels.includes(this.channel.value) ? this.channel.value : channels[0];
    const unit = (this.said.table.units || {})[name] || "";
    this.chart.show(Object.entries(curves).filter(([, c]) => c.values[name]).map(([run, c], i) => ({ name: i ? run : `${name}: ${run}`, unit, ink: i, t: doubles(c.t), y: doubles(c.values[name]), dash: DASHES[i % DASHES.length], plain: true })));
    this.chart.time(this.store.time);
  }
}

const time = (seconds) => (seconds < 1 ? `${shown(1e3 * seconds, 3)} ms` : `${shown(seconds, 3)} s`);
