// The bar that starts and cancels runs, and what becomes of their answers.

import { button, el, fill } from "./dom.js";
import { latestOnly } from "./latest.js";
import { notice, refused } from "./notices.js";
import { doubles, measured } from "./numbers.js";

const TOLERANCES = ["1e-3", "1e-4", "1e-6", "1e-8", "1e-10"];
const DURATION = 5; // s, where a model does not say how long it is interesting

export class Runs {
  /**
   * @param {HTMLElement} root the bar
   * @param {{stage: import("./stage.js").Stage, timeline: import("./timeline.js").Timeline, plots: any, progress: HTMLElement}} parts
   */
  constructor(root, store, connection, parts) {
    Object.assign(this, { root, store, connection, ...parts });
    this.busy = null;
    this.overrides = {};
    this.build();
    store.on("state", ({ state, fresh }) => this.follow(state, fresh));
    connection.on("progress", (p) => this.progressed(p));
    connection.on("long", (asked) => {
      this.begin(asked.id);
      asked.catch(() => {}).finally(() => this.end(asked.id));
    });
    this.live = latestOnly((wanted) => this.once(wanted));
  }

  build() {
    const choice = (id, title) => el("select", { id, title, "aria-label": title });
    this.formulation = choice("formulation", "Formulation: how the equations of motion are written");
    this.solver = choice("solver", "Solver: how they are integrated");
    for (const [select, word] of [[this.formulation, "formulation"], [this.solver, "solver"]]) {
      select.append(el("option", { value: "auto", text: `${word}…` }));
      select.addEventListener("change", () => this.explain(select));
    }
    this.duration = el("input", { id: "duration", value: String(DURATION), inputmode: "decimal", title: "Duration of the run [s]", "aria-label": "Duration in seconds", autocomplete: "off" });
    this.tolerance = el("select", { id: "tolerance", title: "Relative tolerance of the solver", "aria-label": "Relative tolerance" },
      el("option", { value: "", text: "tol: auto" }), ...TOLERANCES.map((t) => el("option", { value: t, text: `tol ${t.replace("-", "−")}` })));
    this.go = button({ icon: "play", text: "Run", class: "primary", id: "run", title: "Run the model (Ctrl-Enter)" }, () => (this.busy ? this.cancel() : this.start()));
    this.duration.addEventListener("keydown", (e) => { if (e.key === "Enter") { this.start(); e.stopPropagation(); } });
    fill(this.root, this.formulation, this.solver, el("span", { class: "with-unit" }, this.duration, el("span", { text: "s" })), this.tolerance, this.go);
  }

  /** The names that can be chosen, each with a sentence. */
  async choices() {
    for (const [select, verb] of [[this.formulation, "formulations"], [this.solver, "solvers"]]) {
      try {
        const known = await this.connection.ask(verb);
        fill(select, ...known.map((f) => el("option", { value: f.name, text: f.name === "auto" ? `auto ${verb.slice(0, -1)}` : f.name, title: f.doc || "" })));
        select.value = (known.find((f) => f.default) || known[0]).name;
        this.explain(select);
      } catch (error) { refused(error); }
    }
    this.store.emit("choices", [...this.formulation.options].map((o) => ({ name: o.value, doc: o.title })).filter((f) => f.name !== "auto"));
  }

  explain(select) {
    const [chosen] = select.selectedOptions;
    select.title = `${select.getAttribute("aria-label")}${chosen && chosen.title ? `. ${chosen.value}: ${chosen.title}` : ""}`;
  }

  follow(state, fresh) {
    this.go.disabled = state.empty || !!state.problem || !!state.still;
    if (state.still) this.go.title = "Nothing moves yet: draw a link first";
    else if (!this.busy) this.go.title = "Run the model (Ctrl-Enter)";
    if (!fresh) return;
    this.overrides = {};
    this.duration.value = String((state.hints && state.hints.duration) || DURATION);
    this.choices();
  }

  /** What is to be run, as the bar has it; null where the duration makes no sense. */
  asked() {
    const duration = Number(this.duration.value.replace(",", "."));
    const wrong = !(duration > 0) || !Number.isFinite(duration);
    this.duration.toggleAttribute("aria-invalid", wrong);
    if (wrong) {
      notice("error", `${this.duration.value || "Nothing"} is no duration.`, "Give seconds, for instance 5.");
      return null;
    }
    return { duration, formulation: this.formulation.value, solver: this.solver.value,
      ...(this.tolerance.value ? { rtol: +this.tolerance.value } : {}), parameters: { ...this.overrides } };
  }

  /** Run with what the bar says, and play. */
  async start() {
    const wanted = this.asked();
    if (!wanted || this.busy) return;
    try {
      await this.once({ ...wanted, kept: true });
      this.timeline.seek(-Infinity);
      this.timeline.start();
    } catch (error) { this.failed(error); }
  }

  /** Run again with other values of parameters: as fast as they come, the latest wins. Resolves with whether it went. */
  async again(parameters, kept) {
    this.overrides = { ...this.overrides, ...parameters };
    const wanted = this.asked();
    if (!wanted) return false;
    try {
      await this.live({ ...wanted, kept });
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  // While a slider moves, only what moves is asked for: the things in the scene are those of the run that is shown.
  async once({ kept, ...wanted }) {
    const { store } = this, { text } = store.state, names = this.plots.plotted(), began = performance.now();
    const like = !kept && store.showing === "run" && store.run && this.stage.scene === store.run.scene ? store.run : null;
    const asked = this.connection.askLong("run", { ...wanted, plot: names, keep: kept, ...(like ? { like: like.id } : {}) });
    const answer = await asked;
    if (answer.motion) {
      if (this.stage.scene !== like.scene) return; // something else is shown meanwhile
      Object.assign(answer, { scene: { ...like.scene, motion: answer.motion }, channels: like.channels, show: like.show });
    }
    this.taken(answer, { wanted, kept, text, began });
  }

  taken(answer, { wanted, kept, text, began }) {
    const { store } = this, { scene } = answer, again = store.showing === "run" && !!store.run;
    const run = this.made(answer, { wanted, kept, text });
    store.showing = "run";
    this.stage.say("");
    if (answer.motion) this.stage.move(scene);
    else if (scene) this.stage.show(scene, { again });
    if (scene && !again && scene.speed) this.timeline.suit(scene.speed);
    store.add(run);
    if (!answer.motion || !again) store.emit("showing", "run");
    else if (this.timeline.player.end !== +this.timeline.scrub.max) this.timeline.refresh();
    this.latency = performance.now() - began;
    if (!kept) return;
    for (const w of run.warnings.slice(0, 3)) notice("warning", w.component ? `${w.component}: ${w.text}` : w.text);
    if (run.status === "cancelled") notice("info", `Cancelled at ${measured(run.end, "s")}: what there is of it is shown.`);
    else if (run.failure) notice("error", `The run ended early: ${run.failure.message}`, run.failure.remedy || "");
  }

  /** A run as the page knows it. */
  made(answer, { wanted, kept, text }) {
    const series = new Map(), t = answer.t ? doubles(answer.t) : null;
    for (const [name, packed] of Object.entries(answer.values || {})) series.set(name, { t, y: doubles(packed) });
    const run = { id: answer.run, text, kept, visible: true, series, scene: answer.scene, parameters: wanted.parameters, number: 0,
      formulation: answer.formulation || wanted.formulation, solver: answer.solver || wanted.solver, seconds: answer.seconds,
      end: answer.t_end, status: answer.status, warnings: answer.warnings || [], channels: answer.channels || [], show: answer.show || [], failure: answer.failure };
    run.label = label(run, this.store.state);
    return run;
  }

  /** Runs that the server has and the page does not know: those of a tab that was loaded again. */
  async restore() {
    const { store } = this, { state } = store, known = new Set(store.runs.map((run) => run.id));
    for (const { run } of state.runs.filter((told) => !known.has(told.run))) {
      let answer;
      try { answer = await this.connection.ask("result", { run }); } catch { continue; } // damaged on disk: it is gone
      if (store.state !== state) return;
      const usual = Object.fromEntries((state.parameters || []).map((p) => [p.name, p.value]));
      const changed = Object.entries(answer.parameters || {}).filter(([name, value]) => usual[name] !== value);
      store.enter(this.made(answer, { wanted: { parameters: Object.fromEntries(changed) }, kept: true, text: answer.of_now ? state.text : answer.text }));
    }
  }

  begin(id) {
    clearTimeout(this.waiting);
    this.busy = id;
    this.store.emit("busy", true);
    this.waiting = setTimeout(() => this.progressed({ id, stage: "computing", share: null }), 250); // a quick run shows no bar
  }

  end(id) {
    if (this.busy !== id) return;
    clearTimeout(this.waiting);
    this.busy = null;
    this.store.emit("busy", false);
    this.progress.hidden = true;
    this.face("play", "Run", "Run the model (Ctrl-Enter)");
  }

  progressed({ id, stage, share }) {
    if (id !== this.busy) return;
    this.progress.hidden = false;
    this.face("stop", "Cancel", "Cancel the run (Esc)");
    this.progress.dataset.known = String(share !== null && share !== undefined);
    this.progress.firstElementChild.style.width = share === null || share === undefined ? "" : `${Math.round(100 * share)}%`;
    this.progress.lastElementChild.textContent = (stage || "running") + (share ? ` ${Math.round(100 * share)} %` : "");
  }

  face(picture, text, title) {
    this.go.querySelector("use").setAttribute("href", `#i-${picture}`);
    this.go.querySelector("span").textContent = text;
    this.go.title = title;
    this.go.classList.toggle("cancel", picture === "stop");
  }

  cancel() {
    if (this.busy) this.connection.ask("cancel", { of: this.busy }).catch(refused);
  }

  failed(error) {
    if (error.cancelled) return notice("info", "The run was cancelled.");
    refused(error);
    if (error.component && this.store.component(error.component)) {
      this.store.select([error.component]);
      this.stage.player.alarm([error.component]);
    }
  }
}

function label(run, state) {
  const known = new Map(((state && state.parameters) || []).map((p) => [p.name, p.unit]));
  const changed = Object.entries(run.parameters || {}).map(([name, value]) => `${name} = ${measured(value, known.get(name) || "", 3)}`);
  return [run.formulation, ...changed].filter(Boolean).join(", ");
}
