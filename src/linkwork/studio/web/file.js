// The model file as text, and the same model as Python: what is drawn and edited is this file.

import { button, el, fill } from "./dom.js";
import { notice } from "./notices.js";

export class File {
  constructor(root, store, connection) {
    Object.assign(this, { root, store, connection });
    this.text = el("textarea", { class: "source", spellcheck: "false", "aria-label": "Model file", wrap: "off" });
    this.apply = button({ icon: "check", text: "Apply", class: "small primary", title: "Make this text the model (Ctrl-Enter); it can be undone", disabled: true }, () => this.send());
    this.revert = button({ text: "Revert", class: "small", title: "Back to the text of the model", disabled: true }, () => this.load(true));
    this.copy = button({ icon: "copy", text: "Copy", class: "small", title: "Copy the text" }, () => this.copied());
    this.kind = el("div", { class: "segmented" }, ...[["toml", "Model file"], ["python", "Python"]].map(([key, text]) => button({ text, "aria-pressed": String(key === "toml"), data: { kind: key } }, () => this.show(key))));
    this.fault = el("span", { class: "fault", hidden: true, role: "alert" });
    fill(root, el("div", { class: "tab-bar" }, this.kind, this.apply, this.revert, this.copy, this.fault), this.text);
    this.shown = "toml";
    this.text.addEventListener("input", () => this.changed());
    this.text.addEventListener("keydown", (e) => {
      e.stopPropagation();
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) this.send();
      if (e.key === "Tab" && !e.shiftKey && !this.text.readOnly) { e.preventDefault(); this.text.setRangeText("  ", this.text.selectionStart, this.text.selectionEnd, "end"); this.changed(); }
    });
    store.on("state", () => this.load());
    store.on("selection", () => this.find());
  }

  get unsent() { return this.shown === "toml" && !this.apply.disabled; }

  changed() {
    const same = this.text.value === ((this.store.state && this.store.state.text) || "");
    this.apply.disabled = this.revert.disabled = same || this.shown !== "toml";
  }

  async load(again = false) {
    const { state } = this.store;
    if (!state || (this.unsent && !again)) return;
    this.fault.hidden = true;
    this.text.readOnly = this.shown === "python";
    if (this.shown === "toml") {
      if (this.text.value !== (state.text || "")) {
        const { scrollTop } = this.text;
        this.text.value = state.text || "";
        this.text.scrollTop = scrollTop;
      }
      this.text.placeholder = "# An empty model. Open one, draw one, or write it here.";
      return this.changed();
    }
    if (!this.root.offsetParent) return;
    try { this.text.value = (await this.connection.ask("python")).text; } catch (error) { this.text.value = `# ${error.message}`; }
    this.changed();
  }

  show(kind) {
    if (this.unsent) { this.fault.textContent = "Apply or revert the changes first."; this.fault.hidden = false; return; }
    this.shown = kind;
    for (const b of this.kind.children) b.setAttribute("aria-pressed", String(b.dataset.kind === kind));
    this.load();
    this.find();
  }

  async send() {
    if (!this.unsent) return;
    try {
      await this.connection.ask("replace", { text: this.text.value });
      this.apply.disabled = this.revert.disabled = true;
      this.load(true);
    } catch (error) {
      this.fault.textContent = `${error.message} ${error.remedy || ""}`;
      this.fault.hidden = false;
      if (error.line) this.goto(error.line);
    }
  }

  // The table of the selected component comes into view.
  find() {
    const [name] = this.store.selection;
    if (!name || this.shown !== "toml" || !this.root.offsetParent || document.activeElement === this.text) return;
    const lines = this.text.value.split("\n"), quoted = `[component."${name}"]`;
    const at = lines.findIndex((l) => l.trim() === `[component.${name}]` || l.trim() === quoted);
    if (at >= 0) this.goto(at + 1, false);
  }

  goto(line, focus = true) {
    const lines = this.text.value.split("\n"), start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    if (focus) this.text.focus();
    this.text.setSelectionRange(start, start + (lines[line - 1] || "").length);
    this.text.scrollTop = Math.max(0, (line - 4) * 18);
  }

  async copied() {
    try { await navigator.clipboard.writeText(this.text.value); notice("info", "The text is in the clipboard."); } catch { this.text.select(); notice("info", "Press Ctrl-C to copy the selected text."); }
  }
}
