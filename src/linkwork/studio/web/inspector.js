// The selected component: every argument with its unit and meaning, editable; a refusal stands at its field.

import { button, el, empty, fill } from "./dom.js";
import { plainly, refused } from "./notices.js";

export class Inspector {
  /** @param {{plot: (name: string) => void, plotted: () => string[]}} plots */
  constructor(root, store, connection, plots) {
    Object.assign(this, { root, store, connection, plots });
    this.body = el("div", { class: "panel-body" });
    fill(root, el("div", { class: "panel-head" }, el("h2", { text: "Inspector" })), this.body);
    store.on("selection", () => this.load());
    store.on("state", () => this.load());
    store.on("channels", () => this.marks());
    this.load();
  }

  async load() {
    const [name] = this.store.selection, many = this.store.selection.length;
    if (!name) return this.rest();
    if (many > 1) return this.several();
    this.wanted = name;
    let component;
    try { component = await this.connection.ask("component", { name }); } catch (error) {
      if (this.wanted === name && !error.cancelled) fill(this.body, el("p", { class: "hint", text: error.message }));
      return;
    }
    if (this.wanted !== name || this.store.selection[0] !== name) return;
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.argument : null;
    this.build(component);
    const again = focused && [...this.body.querySelectorAll("[data-argument]")].find((f) => f.dataset.argument === focused);
    if (again) again.focus();
  }

  rest() {
    this.wanted = null;
    this.shown = null;
    if (!this.store.state || this.store.state.empty) {
      return fill(this.body, empty("pointer", "Nothing to inspect yet", "Open a model first. Then click a body or joint to see and change its arguments."));
    }
    fill(this.body, empty("pointer", "Click a body or a joint", "in the picture or in the list. Its arguments appear here with their units, and can be changed.",
      button({ text: "Gravity and name of the model", class: "small" }, () => this.store.select(["model"]))));
  }

  several() {
    this.wanted = null;
    const names = this.store.selection;
    fill(this.body, el("div", { class: "inspected" }, el("strong", { text: `${names.length} components` }), el("p", { class: "doc", text: names.join(", ") })),
      el("div", { class: "actions" }, button({ icon: "trash", text: "Remove all", class: "small danger" }, () => this.remove(names))));
  }

  build(c) {
    this.shown = c.name;
    const listed = (c.arguments || []).filter((a) => !a.name.includes(".")), inner = (c.arguments || []).filter((a) => a.name.includes("."));
    const whole = c.name === "model";
    const head = el("div", { class: "inspected" },
      el("div", { class: "title" }, whole ? el("strong", { text: "The model" }) : this.nameField(c), el("span", { class: "kind", text: whole ? "" : c.kind })),
      el("p", { class: "doc", text: firstSentence(c.doc), title: c.doc || "" }));
    const actions = whole ? null : el("div", { class: "actions" },
      button({ icon: "trash", text: "Remove", class: "small danger", title: `Remove ${c.name} (Delete)` }, () => this.remove([c.name])));
    fill(this.body, head, ...listed.map((a) => this.field(c, a)),
      inner.length ? el("h3", { text: inner.some((a) => a.name.endsWith(".laws")) ? "Start values and laws" : "At the start" }) : null, ...inner.map((a) => this.field(c, a)),
      (c.channels || []).length ? el("h3", { text: "Channels", title: "What a run records of it. Click one to plot it." }) : null,
      (c.channels || []).length ? el("div", { class: "chips" }, ...c.channels.map((ch) => this.chip(ch))) : null, actions);
    this.marks();
  }

  nameField(c) {
    const field = el("input", { class: "name-field", value: c.name, title: "Name (change it to rename the component)", "aria-label": "Name", spellcheck: "false",
      on: { change: async () => {
        const to = field.value.trim();
        if (!to || to === c.name) { field.value = c.name; return; }
        try {
          this.store.selection = [to];
          await this.connection.ask("rename", { name: c.name, to });
          this.store.select([to]);
        } catch (error) { this.store.selection = [c.name]; field.value = c.name; refused(error); }
      } } });
    return field;
  }

  field(c, a) {
    const title = [a.doc, a.unit ? `Unit: ${a.unit}.` : "", a.range ? `Range: ${a.range}.` : "", a.default !== undefined && a.default !== null && a.default !== "" ? `Unless given: ${a.default}.` : ""].filter(Boolean).join(" ");
    const fault = el("p", { class: "fault", hidden: true, role: "alert" });
    const id = `field-${a.name}`, value = a.shown ?? (a.value === null || a.value === undefined ? "" : String(a.value));
    const common = { id, title, data: { argument: a.name }, disabled: a.editable === false };
    let input;
    if (a.choices && a.choices.length) {
      const all = value && !a.choices.includes(value) ? [value, ...a.choices] : a.choices;
      input = el("select", common, ...(value ? [] : [el("option", { value: "", text: a.default ? `${a.default} (default)` : "–" })]), ...all.map((x) => el("option", { value: x, text: x })));
      input.value = value;
    } else {
      const long = value.length > 26 || value.includes("\n");
      input = el(long ? "textarea" : "input", { ...common, value, placeholder: a.default === undefined || a.default === null ? "not given" : String(a.default), spellcheck: "false", autocomplete: "off" });
      if (long) input.rows = Math.min(6, Math.ceil(value.length / 30) + value.split("\n").length - 1);
    }
    const send = async () => {
      if (input.value === value && fault.hidden) return;
      input.classList.add("busy");
      try {
        const { problem } = await this.connection.ask("set", { name: c.name, argument: a.name, value: input.value.trim() === "" ? null : input.value });
        this.guilty = problem && problem.component === c.name ? { name: c.name, argument: a.name } : null;
        fault.hidden = !this.guilty;
        if (this.guilty) this.blame(input, fault, problem);
      } catch (error) {
        if (error.cancelled) return;
        this.blame(input, fault, error);
      } finally { input.classList.remove("busy"); }
    };
    input.addEventListener("change", send);
    input.addEventListener("keydown", (e) => {
      if (e.key === "Escape") { input.value = value; fault.hidden = true; input.removeAttribute("aria-invalid"); input.blur(); }
      if (e.key === "Enter" && !(e.shiftKey && input.tagName === "TEXTAREA")) { e.preventDefault(); if (fault.hidden && input.value !== value) input.blur(); else send(); }
      e.stopPropagation();
    });
    const { problem } = this.store.state || {};
    if (problem && this.guilty && this.guilty.name === c.name && this.guilty.argument === a.name) this.blame(input, fault, problem);
    return el("div", { class: `field${a.required ? " required" : ""}` }, el("label", { for: id, title, text: a.name.replace(/^(free|start)\./, "") }),
      el("div", { class: "control" }, input, a.unit ? el("span", { class: "unit", text: a.unit, title: `Unit of ${a.name}` }) : null), fault);
  }

  blame(input, fault, { message, remedy }) {
    fill(fault, el("span", { text: plainly(message, this.shown) }), remedy ? el("em", { text: ` ${remedy}` }) : null);
    fault.hidden = false;
    input.setAttribute("aria-invalid", "true");
  }

  chip(channel) {
    const chip = button({ text: channel.name, class: "chip", title: `Plot ${channel.name}${channel.unit ? ` [${channel.unit}]` : ""}`, data: { channel: channel.name } },
      () => this.plots.plot(channel.name));
    if (channel.unit) chip.append(el("small", { text: channel.unit }));
    return chip;
  }

  marks() {
    const plotted = new Set(this.plots.plotted());
    for (const chip of this.body.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(plotted.has(chip.dataset.channel)));
  }

  async remove(names) {
    try { await this.connection.ask("remove", { names }); } catch (error) { refused(error); }
  }
}

function firstSentence(doc) {
  const text = (doc || "").split("\n\n")[0].replace(/\s+/g, " ").trim();
  return text.length > 180 ? `${text.slice(0, 177)}…` : text;
}
