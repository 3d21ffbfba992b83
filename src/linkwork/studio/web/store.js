// What the page knows: the document, what is selected, the runs, and what the scene shows. Panels listen to it.

const RUN_LIMIT = 8;

/**
 * @typedef {{id: string, label: string, text: string, formulation: string, solver: string, seconds: number, end: number,
 *   status: string, warnings: string[], channels: {name: string, unit: string}[], scene: any, parameters: Record<string, number>,
 *   series: Map<string, {t: Float64Array, y: Float64Array}>, visible: boolean, kept: boolean, number: number}} Run
 */
export class Store {
  constructor() {
    this.listeners = new Map();
    /** The document as the server last told it. */
    this.state = null;
    /** @type {string[]} names of components */
    this.selection = [];
    /** @type {Run[]} the oldest first */
    this.runs = [];
    /** @type {Run | null} the one that is shown */
    this.run = null;
    /** What the scene shows: "start", "run" or "mode". */
    this.showing = "start";
    this.time = 0;
    this.playing = false;
    this.mode = "run";
    this.counted = 0;
    /** Whether the next document is another one, not a change of this. */
    this.other = false;
  }

  /** Call `f` on "state", "selection", "runs", "series", "showing", "time", "playing", "mode", "theme", "busy". */
  on(event, f) {
    for (const name of event.split(" ")) {
      if (!this.listeners.has(name)) this.listeners.set(name, []);
      this.listeners.get(name).push(f);
    }
  }

  emit(event, content) {
    for (const f of this.listeners.get(event) || []) f(content);
  }

  take(state) {
    const fresh = !this.state || this.other || state.name !== this.state.name;
    this.other = false;
    this.state = state;
    const names = new Set((state.components || []).map((c) => c.name));
    if (fresh) this.forget();
    else this.dropLost(state.runs);
    this.emit("state", { state, fresh });
    const left = this.selection.filter((name) => name === "model" || names.has(name));
    if (left.length !== this.selection.length) this.select(left);
  }

  // Of runs that the server has no longer (it was started again) nothing more can be asked.
  dropLost(kept) {
    const there = new Set(kept.map((run) => run.run)), left = this.runs.filter((run) => there.has(run.id));
    if (left.length === this.runs.length) return;
    this.runs = left;
    if (!left.includes(this.run)) this.run = left.at(-1) || null;
    this.emit("runs");
  }

  forget() {
    this.runs = [];
    this.run = null;
    this.counted = 0;
    this.emit("runs");
  }

  select(names) {
    this.selection = [...names];
    this.emit("selection", this.selection);
  }

  /** Whether a run is one of the model as it is now. */
  upToDate(run) {
    return !!run && !!this.state && run.text === this.state.text;
  }

  component(name) {
    return ((this.state && this.state.components) || []).find((c) => c.name === name);
  }

  /** Add a run, or put it in the place of the last one that was not meant to be kept. */
  add(run) {
    const last = this.runs.at(-1);
    if (last && !last.kept) {
      run.number = last.number;
      this.runs.pop();
    } else run.number = ++this.counted;
    this.runs.push(run);
    while (this.runs.length > RUN_LIMIT) this.runs.shift();
    this.run = run;
    this.emit("runs");
  }

  /** Add a run that was made before this page was loaded; what is shown stays. */
  enter(run) {
    run.number = ++this.counted;
    this.runs.push(run);
    while (this.runs.length > RUN_LIMIT) this.runs.shift();
    this.emit("runs");
  }

  choose(run) {
    this.run = run;
    this.emit("runs");
  }

  drop(run) {
    this.runs = this.runs.filter((other) => other !== run);
    if (this.run === run) this.run = this.runs.at(-1) || null;
    this.emit("runs");
  }

  set(name, value) {
    if (this[name] === value) return;
    this[name] = value;
    this.emit(name, value);
  }
}
