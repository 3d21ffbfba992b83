// The components, in groups, with a search: a click selects here and in the scene.

import { el, empty, fill, icon } from "./dom.js";

const GROUPS = [["body", "Bodies"], ["joint", "Joints"], ["force", "Forces"], ["law", "Laws"], ["contact", "Contacts"], ["drive", "Drives"],
  ["network", "Networks"], ["submodel", "Submodels"], ["parameter", "Parameters"], ["input", "Inputs"], ["table", "Tables"], ["constraint", "Constraints"], ["point", "Points"], ["other", "Others"]];
const ROW_LIMIT = 300; // rows of a group; a search finds the others

export class Tree {
  constructor(root, store) {
    Object.assign(this, { root, store });
    this.closed = new Set();
    this.search = el("input", { type: "search", placeholder: "Search components", "aria-label": "Search components", id: "search",
      title: "Part of a name or kind (/)", on: { input: () => this.build() } });
    this.list = el("div", { class: "rows", role: "listbox", "aria-label": "Components", on: { keydown: (e) => this.walk(e) } });
    fill(root, el("div", { class: "panel-head" }, el("h2", { text: "Components" }), this.search), this.list);
    store.on("state", () => this.build());
    store.on("selection", () => this.mark());
    this.build();
  }

  build() {
    const components = (this.store.state && this.store.state.components) || [];
    if (!components.length) {
      fill(this.list, empty("body", "Nothing here yet", "Bodies, joints and forces of the open model stand here. Open an example, or draw a mechanism."));
      return;
    }
    const wanted = this.search.value.trim().toLowerCase();
    const hits = components.filter((c) => !wanted || `${c.name} ${c.kind}`.toLowerCase().includes(wanted));
    const families = [...new Set([...GROUPS.map(([f]) => f), ...hits.map((c) => c.family)])];
    const groups = families.map((f) => [f, hits.filter((c) => c.family === f)]).filter(([, members]) => members.length);
    fill(this.list, ...groups.map(([family, members]) => this.group(family, members)),
      hits.length ? null : el("p", { class: "hint", text: `No component has “${this.search.value}” in its name or kind.` }));
    this.mark();
  }

  group(family, members) {
    const title = (GROUPS.find(([f]) => f === family) || [family, family[0].toUpperCase() + family.slice(1)])[1];
    const box = el("details", { open: !this.closed.has(family), on: { toggle: (e) => { if (e.target.open) this.closed.delete(family); else this.closed.add(family); } } },
      el("summary", {}, icon("chevron"), el("span", { text: title }), el("span", { class: "count", text: String(members.length) })),
      ...members.slice(0, ROW_LIMIT).map((c) => this.row(c)));
    if (members.length > ROW_LIMIT) box.append(el("p", { class: "hint", text: `${members.length - ROW_LIMIT} more: search for them.` }));
    return box;
  }

  row(c) {
    const known = ["body", "joint", "force", "contact", "network", "parameter", "input"].includes(c.family) ? c.family : "network";
    return el("button", { type: "button", class: "row", role: "option", data: { name: c.name }, title: `${c.kind} ${c.name}${(c.bodies || []).length ? `: ${c.bodies.join(", ")}` : ""}`,
      on: { click: (e) => this.choose(c.family === "law" ? c.parent : c.name, e.ctrlKey || e.metaKey || e.shiftKey) } },
    icon(known), el("span", { class: "name", text: c.name }), el("span", { class: "kind", text: c.family === c.kind ? "" : c.kind }));
  }

  choose(name, more) {
    const now = this.store.selection;
    this.store.select(!more ? [name] : now.includes(name) ? now.filter((n) => n !== name) : [...now, name]);
  }

  mark() {
    const chosen = new Set(this.store.selection), state = this.store.state || {};
    const guilty = new Set([...((state.check && state.check.messages) || []).filter((m) => m.level === "error").map((m) => m.component), state.problem && state.problem.component]);
    for (const row of this.list.querySelectorAll(".row")) {
      row.setAttribute("aria-selected", String(chosen.has(row.dataset.name)));
      row.classList.toggle("guilty", guilty.has(row.dataset.name));
    }
    const first = this.list.querySelector('.row[aria-selected="true"]');
    if (first && !this.list.contains(document.activeElement)) first.scrollIntoView({ block: "nearest" });
  }

  walk(e) {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    e.preventDefault();
    e.stopPropagation();
    const rows = [...this.list.querySelectorAll("details[open] .row")], at = rows.indexOf(document.activeElement);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + (e.key === "ArrowDown" ? 1 : -1)))];
    if (next) { next.focus(); this.store.select([next.dataset.name]); }
  }
}
