// What to open: an example, a file of the folder, pasted text, a link, or an empty plane to draw in.

import { button, el, empty, fill, icon } from "./dom.js";
import { dialog } from "./dialogs.js";

export class Opening {
  constructor(connection, store, opened) {
    Object.assign(this, { connection, store, opened });
  }

  show() {
    if (document.querySelector("dialog.open-dialog[open]")) return;
    this.fault = el("p", { class: "fault", hidden: true, role: "alert" });
    this.pane = el("div", { class: "open-pane" });
    const kinds = [["examples", "Examples"], ["files", "Files"], ["text", "Paste"], ["link", "Link"]];
    this.tabs = el("div", { class: "tabs", role: "tablist" }, ...kinds.map(([key, text]) => el("button", { type: "button", role: "tab", text, data: { kind: key }, on: { click: () => this.choose(key) } })));
    const draw = button({ icon: "draw", text: "Draw a new mechanism", class: "", title: "An empty plane to draw in" }, () => this.open({}, "new"));
    this.box = dialog("Open a model", "open-dialog", this.tabs, this.fault, this.pane, el("footer", {}, draw, el("span", { class: "hint", text: "What you open or draw is kept in this tab, and can be undone." })));
    this.box.addEventListener("close", () => { for (const img of this.pane.querySelectorAll("img")) if (!img.complete) img.removeAttribute("src"); }); // nobody waits for them
    this.choose("examples");
  }

  choose(kind) {
    for (const tab of this.tabs.children) tab.setAttribute("aria-selected", String(tab.dataset.kind === kind));
    this.fault.hidden = true;
    ({ examples: () => this.examples(), files: () => this.files(), text: () => this.text(), link: () => this.link() })[kind]();
  }

  async examples() {
    const search = el("input", { type: "search", placeholder: "Search examples", "aria-label": "Search examples" }), list = el("div", { class: "cards" });
    fill(this.pane, search, list);
    search.focus();
    try { this.known = this.known || await this.connection.ask("examples"); } catch (error) { return this.failed(error); }
    const build = () => {
      const wanted = search.value.trim().toLowerCase(), hits = this.known.filter((e) => `${e.name} ${e.title}`.toLowerCase().includes(wanted));
      fill(list, ...hits.map((e) => this.card(e)), hits.length ? null : el("p", { class: "hint", text: "No example is called so." }));
    };
    search.addEventListener("input", build);
    search.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); const first = list.querySelector(".card"); if (first) first.click(); } });
    build();
  }

  card(e) {
    const picture = el("img", { src: this.address(e.name), alt: "", loading: "lazy", width: 260, height: 120, on: { load: () => picture.classList.add("there"), error: () => picture.classList.add("none") } });
    return el("button", { type: "button", class: "card", data: { example: e.name }, on: { click: () => this.open({ example: e.name }) } }, picture, el("strong", { text: e.name }), el("span", { text: e.title || "" }));
  }

  // Of the picture of an example, which the server draws when it is first asked for.
  address(name) {
    const token = new URLSearchParams(location.search).get("token");
    return `./thumbnails/${encodeURIComponent(name)}.png${token ? `?token=${encodeURIComponent(token)}` : ""}`;
  }

  async files() {
    fill(this.pane, el("p", { class: "hint", text: "…" }));
    try {
      const { files = [], folder = "" } = await this.connection.ask("files");
      fill(this.pane, el("p", { class: "hint", text: folder ? `Model files in ${folder}` : "Model files" }),
        files.length ? el("div", { class: "file-list" }, ...files.map((f) => button({ icon: "file", text: f.path || f.name, class: "row", data: { file: f.path || f.name } }, () => this.open({ file: f.path || f.name }))))
          : empty("file", "No model files here", "Save one with Keep, or start the studio in the folder that holds them: linkwork studio --folder DIR"));
    } catch (error) { this.failed(error); }
  }

  text() {
    const input = el("textarea", { class: "source", rows: "12", spellcheck: "false", "aria-label": "Text of a model file", placeholder: 'linkwork = 1\n\n[model]\nname = "pendulum"\n…' });
    fill(this.pane, input, el("div", { class: "right" }, button({ text: "Open", class: "primary" }, () => this.open({ text: input.value }))));
    input.focus();
  }

  link() {
    const input = el("input", { class: "wide", "aria-label": "Link", placeholder: "http://…#m=…", autocomplete: "off" });
    fill(this.pane, el("p", { class: "hint", text: "A link made with Keep holds the whole model. It opens here without asking anyone else." }), input,
      el("div", { class: "right" }, button({ text: "Open", class: "primary" }, () => {
        const part = input.value.split("#").pop().trim();
        this.open({ text: part.replace(/^m=/, "") });
      })));
    input.focus();
  }

  async open(content, verb = "open") {
    this.box.classList.add("busy");
    this.store.other = true;
    try {
      await this.connection.ask(verb, verb === "new" ? { planar: true } : content);
      this.box.close();
      this.opened(verb);
    } catch (error) { this.store.other = false; this.failed(error); } finally { this.box.classList.remove("busy"); }
  }

  failed(error) {
    fill(this.fault, icon("error"), el("span", { text: error.message }), error.remedy ? el("em", { text: ` ${error.remedy}` }) : null);
    this.fault.hidden = false;
  }
}
