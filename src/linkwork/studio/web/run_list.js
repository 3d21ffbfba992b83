// The runs so far, as chips: which one is shown, which ones are overlaid in the plots.

import { button, el, fill } from "./dom.js";
import { measured, shown } from "./numbers.js";

export class RunList {
  constructor(root, store, show) {
    Object.assign(this, { root, store, show });
    store.on("runs state", () => this.build());
    this.build();
  }

  build() {
    const { store } = this, { run } = store, chip = run && !run.kept && this.root.lastElementChild;
    if (chip && chip.dataset.number === String(run.number) && chip.dataset.kept === "false" && this.root.childElementCount === store.runs.length) {
      chip.dataset.run = run.id; // in passing: its values have changed and nothing else
      chip.querySelector("span").textContent = `${run.number} · ${run.label}`;
      return;
    }
    this.root.hidden = !store.runs.length;
    fill(this.root, ...store.runs.map((run) => {
      const mine = run === store.run, old = !store.upToDate(run);
      const title = `Run ${run.number}: ${run.formulation}, ${run.solver}, ${shown(run.end)} s, computed in ${measured(run.seconds, "s", 3)}${run.status && run.status !== "finished" ? `, ${run.status}` : ""}${old ? ". The model was changed since." : ""}`;
      return el("span", { class: `run-chip${mine ? " current" : ""}${old ? " old" : ""}`, data: { run: run.id, number: String(run.number), kept: String(run.kept) } },
        button({ class: "quiet eye", icon: run.visible || mine ? "eye" : "eye-off", title: run.visible ? "Hide it in the plots" : "Show it in the plots", disabled: mine }, () => { run.visible = !run.visible; store.emit("runs"); }),
        button({ class: "quiet", text: `${run.number} · ${run.label}`, title }, () => this.show(run)),
        store.runs.length > 1 ? button({ class: "quiet", icon: "close", title: "Forget this run" }, () => { store.drop(run); if (mine && store.run) this.show(store.run); }) : null);
    }));
  }
}
