// The palette of tools, what the chosen one asks for, and how mobile the mechanism is.

import { el } from "../dom.js";
import { picture } from "./icons.js";
import { TOOLS } from "./tools.js";

export class Toolbar {
  /** choose(id): a tool was chosen; fit(): see all; grid(on). */
  constructor(root, { choose, fit }) {
    this.root = root;
    this.buttons = new Map(TOOLS.map((tool) => {
      const b = el("button", { type: "button", class: "quiet", title: `${tool.title} (${tool.key.toUpperCase()})`, "aria-label": tool.title, "aria-pressed": "false", data: { tool: tool.id }, on: { click: () => choose(tool.id) } });
      b.append(picture(tool.id));
      return [tool.id, b];
    }));
    const whole = el("button", { type: "button", class: "quiet", title: "See everything (F)", "aria-label": "See everything", on: { click: fit } });
    whole.append(picture("fit"));
    const groups = [["hand", "shape"], ["pivot", "link", "plate", "slider"], ["spring", "damper", "rotary", "motor", "gear"], ["point", "erase"]];
    this.mobility = el("span", { class: "draw-mobility", role: "status" });
    this.hint = el("span", { class: "draw-hint" });
    this.options = el("span", { class: "draw-options" });
    root.replaceChildren(
      el("div", { class: "draw-bar", role: "toolbar", "aria-label": "Drawing tools" }, ...groups.map((ids) => el("span", { class: "draw-group" }, ...ids.map((id) => this.buttons.get(id)))), el("span", { class: "draw-group" }, whole)),
      el("div", { class: "draw-line" }, this.mobility, this.options, this.hint),
    );
    this.values = {};
  }

  show(tool) {
    for (const [id, b] of this.buttons) b.setAttribute("aria-pressed", String(id === tool.id));
    this.say(tool.hint);
    const chosen = tool.choices ? this.values[tool.id] || tool.choices[0][0] : null;
    const asked = tool.choices ? tool.choices.filter(([name]) => name === chosen) : tool.values || [];
    const pick = tool.choices && el("select", { "aria-label": "What is given", on: { change: (e) => { this.values[tool.id] = e.target.value; this.show(tool); } } },
      ...tool.choices.map(([name, text]) => el("option", { value: name, text, selected: name === chosen })));
    this.options.replaceChildren(...(pick ? [pick] : []), ...asked.map(([name, text, unit, usual]) => {
      const key = `${tool.id}.${name}`;
      const input = el("input", { type: "text", value: this.values[key] ?? usual, "aria-label": text, title: `${text}${unit ? ` [${unit}]; other units may be typed` : ""}`, data: { name } });
      input.addEventListener("input", () => { this.values[key] = input.value; });
      return el("label", {}, el("span", { text: pick ? "" : text }), input, unit ? el("em", { text: unit }) : null);
    }));
  }

  /** What is typed beside the tools, for a tool. */
  given() {
    const entered = {};
    for (const input of this.options.querySelectorAll("input")) if (input.value.trim()) entered[input.dataset.name] = input.value.trim();
    if (entered.damping !== undefined && +entered.damping === 0 && entered.stiffness !== undefined) delete entered.damping;
    return entered;
  }

  say(text) { this.hint.textContent = text; }

  /** How mobile it is, as the check of the document says; driven: motors whose speed is given. */
  tell(state, driven) {
    const check = state && state.check, box = this.mobility;
    box.className = "draw-mobility";
    box.title = "";
    if (!state || state.empty) { box.textContent = "Empty plane"; return; }
    if (!check || check.mobility === null || check.mobility === undefined) {
      const said = state.problem ? state.problem.message : ((check && check.messages.find((m) => m.level === "error")) || { text: "" }).text;
      const bodies = state.components.some((c) => c.family === "body");
      box.textContent = bodies ? "Does not close" : "Nothing moves yet";
      box.classList.toggle("bad", bodies);
      box.title = said;
      return;
    }
    const twice = check.redundant.length, many = (n, one, more) => `${n} ${n === 1 ? one : more}`;
    const free = driven ? `${driven} driven, ${check.mobility} free` : many(check.mobility, "degree of freedom", "degrees of freedom");
    box.textContent = free + (twice ? ` · ${many(twice, "redundant equation", "redundant equations")}` : "");
    box.classList.add(check.mobility > 0 || driven ? "good" : "fair");
    box.title = twice ? check.redundant.map((r) => `${r.component}: ${r.direction}`).join("\n") : "By the rank of all joints' equations";
  }
}
