// What leaves the page: the model, results, figures, a page that plays by itself, a link, Python.

import { button, download, el, fill, icon } from "./dom.js";
import { askText } from "./dialogs.js";
import { notice, refused } from "./notices.js";

export class Keep {
  constructor(anchor, menu, store, connection, { plots, stage, showPython }) {
    Object.assign(this, { anchor, menu, store, connection, plots, stage, showPython });
    anchor.addEventListener("click", () => this.toggle());
    document.addEventListener("pointerdown", (e) => { if (!menu.hidden && !menu.contains(e.target) && !anchor.contains(e.target)) this.toggle(false); });
    menu.addEventListener("keydown", (e) => this.walk(e));
    this.build();
  }

  build() {
    const entry = (picture, text, title, f, needsRun = false) => el("button", { type: "button", role: "menuitem", title, data: needsRun ? { needs: "run" } : {}, on: { click: async () => { this.toggle(false); try { await f(); } catch (error) { refused(error); } } } }, icon(picture), el("span", { text }));
    fill(this.menu, entry("save", "Save model", "Write the model file (Ctrl-S)", () => this.save()),
      entry("save", "Save model as…", "Write it under another name", () => this.saveAs()),
      entry("download", "Download model file", "The text of the model, as a file of the browser", () => download(`${this.name()}.toml`, this.store.state.text, "text/plain")),
      el("hr"),
      entry("table", "Save results…", "Channels of the run that is shown, as .nc or .csv", () => this.results(), true),
      entry("plot", "Figure of the plots (SVG)", "The plotted channels, as a drawing", () => this.figure("svg"), true),
      entry("plot", "Figure of the plots (PNG)", "The plotted channels, as a picture", () => this.figure("png"), true),
      entry("film", "Page that plays by itself (HTML)", "Animation and plots in one file, for a browser without Linkwork", () => this.page(), true),
      el("hr"), entry("link", "Copy link", "A link that holds the whole model, for a class", () => this.link()),
      entry("code", "Show as Python", "The same model as a script", () => this.showPython()));
  }

  name() { return ((this.store.state && this.store.state.name) || "model").replace(/[^\w.-]+/g, "-"); }

  toggle(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.anchor.setAttribute("aria-expanded", String(open));
    if (!open) return;
    for (const item of this.menu.querySelectorAll("button")) item.disabled = !this.store.state || (item.dataset.needs === "run" && !this.store.run);
    const first = this.menu.querySelector("button:not(:disabled)");
    if (first) first.focus();
  }

  walk(e) {
    const items = [...this.menu.querySelectorAll("button:not(:disabled)")], at = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key === "Escape") { this.toggle(false); this.anchor.focus(); }
    if (step) { e.preventDefault(); items[(at + step + items.length) % items.length].focus(); }
    e.stopPropagation();
  }

  /** Under the name it has; where it has none, ask for one. */
  async save() {
    const { path: file } = this.store.state || {};
    if (!file) return this.saveAs();
    const { path } = await this.connection.ask("save", { path: file });
    notice("info", `Saved as ${path}.`);
  }

  saveAs() {
    askText({ title: "Save model", text: "File, in the folder of the studio", value: this.store.state.path || `${this.name()}.toml`, action: "Save" }, async (path, overwrite) => {
      const answer = await this.connection.ask("save", { path, overwrite });
      notice("info", `Saved as ${answer.path}.`);
    });
  }

  results() {
    askText({ title: "Save results", text: "File, in the folder of the studio", value: `${this.name()}.nc`, action: "Save", note: ".nc keeps everything and is read by lw.load; .csv is read by everyone." }, async (path, overwrite) => {
      const answer = await this.connection.ask("save_result", { run: this.store.run.id, path, overwrite });
      notice("info", `Saved as ${answer.path}.`);
    });
  }

  async figure(format) {
    const answer = await this.connection.ask("figure", { run: this.store.run.id, channels: this.plots.plotted(), format, runs: this.store.runs.filter((r) => r.visible && r !== this.store.run).map((r) => r.id) });
    const bytes = Uint8Array.from(atob(answer.data), (c) => c.charCodeAt(0));
    download(answer.name, bytes, answer.kind);
  }

  async page() {
    const answer = await this.connection.ask("page", { run: this.store.run.id, channels: this.plots.plotted(), reactions: !!this.stage.layers.reaction, forces: !!this.stage.layers.force });
    download(answer.name, answer.text, "text/html");
  }

  async link() {
    const { text } = await this.connection.ask("link"), here = new URL(location.href);
    here.hash = `m=${text}`;
    here.searchParams.delete("token");
    try {
      await navigator.clipboard.writeText(here.href);
      notice("info", "The link is in the clipboard. It holds the whole model.");
    } catch {
      askText({ title: "Link", text: "Copy it from here", value: here.href, action: "Done" }, async () => {});
    }
  }
}
