// Keys and gestures, on one page.

import { el } from "./dom.js";
import { dialog } from "./dialogs.js";

const SECTIONS = [
  ["Motion", [["Space", "play or pause"], ["← →", "one frame back or on (with Shift: ten)"], ["Home End", "to the start or the end"], ["F", "whole mechanism in view"]]],
  ["Model", [["Ctrl-Enter", "run"], ["Esc", "cancel the run, or select nothing"], ["Ctrl-Z", "undo"], ["Ctrl-Shift-Z", "redo"], ["Delete", "remove what is selected"], ["D", "draw (Ctrl-Enter: back, and run)"]]],
  ["Page", [["Ctrl-O", "open"], ["Ctrl-S", "save the model"], ["/", "search components"], ["1 … 8", "tabs under the scene"], ["E", "larger, or smaller again"], ["R N", "reactions as arrows, names"], ["?", "this help"]]],
  ["Mouse", [["drag", "turn the view (plane: move it)"], ["right drag", "move the view (plane: turn it)"], ["wheel", "zoom: scene, plots, bond graph"], ["click", "select a body or joint; with Ctrl several"], ["drag in a plot", "move through time"], ["double click", "show all again"]]],
];

export function showHelp() {
  if (document.querySelector("dialog.help-dialog[open]")) return;
  dialog("Keys and gestures", "help-dialog", el("div", { class: "help-columns" }, ...SECTIONS.map(([title, rows]) => el("section", {}, el("h3", { text: title }),
    el("dl", {}, ...rows.flatMap(([keys, text]) => [el("dt", {}, ...keys.split(" ").length > 1 && !keys.includes("drag") && !keys.includes("click") ? keys.split(" ").map((k) => el("kbd", { text: k })) : [el("kbd", { text: keys })]), el("dd", { text })]))))),
  el("p", { class: "hint", text: "Rest the pointer on a field to see its meaning and unit. Values may have units: 25 mm, 3 N·m, 90 deg." }));
}
