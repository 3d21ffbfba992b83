// The page: makes its parts, and says which of them listens to which.

import { Check } from "./check.js";
import { Compare } from "./compare.js";
import { Connection } from "./connection.js";
import { Drawer } from "./drawer.js";
import { Energy } from "./energy.js";
import { Equations } from "./equations.js";
import { File } from "./file.js";
import { Graph } from "./graph.js";
import { showHelp } from "./help.js";
import { Inspector } from "./inspector.js";
import { Keep } from "./keep.js";
import { listenToKeys } from "./keys.js";
import { Locus } from "./locus.js";
import { Mode } from "./mode.js";
import { Modes } from "./modes.js";
import { notice, refused } from "./notices.js";
import { Opening } from "./open.js";
import { Plots } from "./plots.js";
import { remembered } from "./preferences.js";
import { RunList } from "./run_list.js";
import { Runs } from "./runs.js";
import { Sliders } from "./sliders.js";
import { Stage } from "./stage.js";
import { Store } from "./store.js";
import { identity } from "./tab.js";
import { startTheme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { Tree } from "./tree.js";

const TABS = [["plots", "Plots", "Channels over time"], ["energy", "Energy", "Where the energy is and goes"], ["compare", "Compare", "The same model by several formulations"],
  ["graph", "Bond graph", "Elements, bonds and their power"], ["equations", "Equations", "What the solver integrates"], ["modes", "Modes", "Small motions about the equilibrium"],
  ["locus", "Root locus", "Eigenvalues while a parameter changes"], ["file", "Model file", "The model as text, and as Python"]];
const $ = (id) => document.getElementById(id);

const store = new Store(), connection = new Connection(await identity());
startTheme(store, $("theme"));
const stage = new Stage({ root: $("player"), tools: $("scene-tools"), banner: $("banner"), store });
const timeline = new Timeline($("timeline"), store, stage);
const seek = (t) => { timeline.pause(); timeline.seek(t); };
const drawer = new Drawer($("drawer"), $("handle"), TABS);
const plots = new Plots(drawer.pane("plots"), store, connection, seek);
const runs = new Runs($("run-bar"), store, connection, { stage, timeline, plots, progress: $("progress") });
const panels = {
  plots, energy: new Energy(drawer.pane("energy"), store, connection, seek),
  compare: new Compare(drawer.pane("compare"), store, connection, { seek, runs }),
  graph: new Graph(drawer.pane("graph"), store, connection),
  equations: new Equations(drawer.pane("equations"), store, connection),
  modes: new Modes(drawer.pane("modes"), store, connection, { stage, timeline, back }),
  locus: new Locus(drawer.pane("locus"), store, connection),
  file: new File(drawer.pane("file"), store, connection),
};
for (const key of ["plots", "energy", "graph", "equations"]) drawer.whenOpened(key, () => panels[key].refresh());
drawer.whenOpened("file", () => { panels.file.load(); panels.file.find(); });
const sliders = new Sliders($("parameters"), store, connection, runs);
const tree = new Tree($("tree"), store);
new Inspector($("inspector"), store, connection, plots);
new Check($("check"), store);
new RunList(plots.runs, store, showRun);
const mode = new Mode({ switches: $("mode"), overlay: $("overlay"), toolbar: $("draw-tools"), stage, store, connection });
const opening = new Opening(connection, store, (verb) => mode.change(verb === "new" ? "draw" : "run"));
const keep = new Keep($("keep"), $("keep-menu"), store, connection, { plots, stage, showPython: () => { drawer.open("file"); panels.file.show("python"); } });

// ---- what the scene shows
function showRun(run) {
  store.choose(run);
  store.showing = "run";
  if (store.upToDate(run)) stage.say("");
  else stage.say("This run is of an earlier version of the model.", showStart);
  stage.show(run.scene, { again: true });
  store.emit("showing", "run");
}

function showStart() {
  store.showing = "start";
  stage.say("");
  if (store.state.scene) stage.show(store.state.scene); else stage.clear();
  store.emit("showing", "start");
}

function back() {
  if (store.upToDate(store.run)) showRun(store.run); else showStart();
}

store.on("state", ({ state, fresh }) => {
  $("model-name").textContent = state.name || "no model";
  $("model-name").title = state.path ? `File: ${state.path}` : "Not saved yet: Ctrl-S";
  document.title = `${state.name || "Linkwork"} – Linkwork studio`;
  $("unsaved").hidden = state.empty || state.saved;
  $("undo").disabled = !state.can_undo;
  $("redo").disabled = !state.can_redo;
  $("welcome").hidden = !state.empty || store.mode === "draw" || !!state.problem;
  const { run } = store;
  if (run && run.awaits) {  // a slider was let go: the run that is shown is the one of the new value
    run.awaits = false;
    run.text = state.text;
    store.emit("runs");
    return stage.mark();
  }
  const known = store.runs.findLast((r) => store.upToDate(r)); // saved, or undone to what was run before
  if (known && store.mode === "run" && store.showing !== "mode") return known === run && store.showing === "run" ? stage.mark() : showRun(known);
  if (store.showing === "run" && !fresh) stage.say("");
  store.showing = "start";
  if (state.scene) stage.show(state.scene, { again: !fresh && !!stage.player });
  else stage.clear();
  store.emit("showing", "start");
  stage.mark();
});

store.on("showing", (what) => { if (what !== "start") mode.change("run"); });
store.on("mode", (now) => { if (now === "draw" && store.showing !== "start") showStart(); });

// ---- the server
const state = async () => store.take(await connection.ask("state"));
connection.on("state", (content) => store.take(content));
connection.on("lost", () => {
  notice("warning", "The computation ended unexpectedly and was started again.", "Your model is as it was, and so are runs that had ended.");
  state().catch(refused);
});
connection.on("down", () => { $("away").hidden = false; });
connection.on("up", async () => {
  if ($("away").hidden) return; // the first time: the state is asked for below
  $("away").hidden = true;
  try {
    await state();
    notice("info", "Connected again.");
  } catch (error) { refused(error); }
});

// ---- buttons and keys
const edit = (verb) => connection.ask(verb).catch(refused);
const save = () => keep.save().catch(refused);
$("open").addEventListener("click", () => opening.show());
$("welcome-open").addEventListener("click", () => opening.show());
$("welcome-draw").addEventListener("click", () => mode.change("draw"));
$("undo").addEventListener("click", () => edit("undo"));
$("redo").addEventListener("click", () => edit("redo"));
$("help").addEventListener("click", showHelp);
const layer = (group) => stage.boxes.get(group).click();
const tabs = Object.fromEntries(TABS.map(([key], i) => [String(i + 1), () => drawer.open(key)]));
listenToKeys(store, {
  "ctrl+z": () => edit("undo"), "ctrl+shift+z": () => edit("redo"), "ctrl+y": () => edit("redo"), "ctrl+s": save,
  "ctrl+o": () => opening.show(), "ctrl+Enter": () => { if (!runs.busy && !runs.go.disabled) runs.start(); },
}, {
  " ": () => timeline.toggle(), ArrowRight: (e) => timeline.step(e.shiftKey ? 10 : 1), ArrowLeft: (e) => timeline.step(e.shiftKey ? -10 : -1),
  Home: () => seek(-Infinity), End: () => seek(Infinity), "?": showHelp, "/": () => tree.search.focus(), f: () => stage.player && stage.player.home(),
  r: () => layer("reaction"), n: () => layer("label"), e: () => drawer.enlarge(), d: () => mode.change("draw"), Escape: () => (runs.busy ? runs.cancel() : store.select([])),
  Delete: () => { if (store.selection.length) connection.ask("remove", { names: store.selection }).catch(refused); }, ...tabs,
});

// ---- begin
drawer.open(remembered("tab", "plots"));
const linked = /^#(?:m=)?(.+)$/.exec(location.hash);
try {
  if (linked) {
    store.other = true;
    await connection.ask("open", { text: linked[1] });
    history.replaceState(null, "", location.pathname + location.search);
  } else await state();
} catch (error) { refused(error); }
if (store.state && store.state.empty && !store.state.problem) opening.show();
document.documentElement.dataset.ready = "true";
runs.restore().then(() => { const last = store.runs.at(-1); if (!store.run && store.upToDate(last) && store.mode === "run") showRun(last); });
window.studio = { store, connection, stage, timeline, runs, sliders, plots, drawer, mode };
