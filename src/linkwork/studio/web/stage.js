// The scene: the player shows the start pose, a run, or a mode; what is clicked there is selected here.

import { button, el, fill } from "./dom.js";
import { remember, remembered } from "./preferences.js";

const UNTIL_CAREFUL = 600; // ms longer than usual until a new motion is painted with care: the next one may follow at once
const LAYERS = [["reaction", "Reactions", "reaction", "Reactions of joints as arrows"], ["force", "Forces", "force", "Applied forces as arrows"],
  ["trace", "Traces", "trace", "Paths of points"], ["label", "Names", "label", "Names of components"]];

export class Stage {
  /** @param {{root: HTMLElement, tools: HTMLElement, banner: HTMLElement, store: import("./store.js").Store}} parts */
  constructor({ root, tools, banner, store }) {
    Object.assign(this, { root, tools, banner, store });
    this.player = null;
    this.layers = remembered("layers", { reaction: false, force: true, trace: true, label: false });
    this.speed = 1;
    this.buildTools();
    store.on("selection", () => this.mark());
    store.on("theme", (theme) => this.player && this.player.theme(theme));
  }

  /** Show a scene. `again`: it is the same one with another motion, the camera and the time stay. */
  show(scene, { again = false } = {}) {
    if (this.player && again && this.alike(scene)) {
      this.scene = scene;
      this.player.motion(scene.motion);
      this.player.touched += UNTIL_CAREFUL;
      return;
    }
    const playing = again && this.store.playing;
    if (!this.player) this.make(scene);
    else this.player.load(scene, { keep: again });
    this.scene = scene;
    this.apply();
    if (playing) this.player.play(); else this.player.pause();
    this.mark();
  }

  /** Whether a slider moves: pictures are painted with care when it rests. */
  moving(on) { if (this.player) this.player.moving = on; }

  /** The same things move otherwise. */
  move(scene) {
    this.scene = scene;
    this.player.motion(scene.motion);
    this.player.touched += UNTIL_CAREFUL;
  }

  make(scene) {
    const { store } = this;
    this.player = new window.LinkworkPlayer(this.root, scene, { controls: false, scheme: store.theme, title: false });
    this.player.onTime((t) => {
      store.time = t;
      store.set("playing", this.player.playing); // first: what rests is shown exactly
      store.emit("time", t);
    });
    this.player.onPick((hit, e) => this.picked(hit, e));
    store.emit("player", this.player);
  }

  /** Nothing to show: an empty plane. */
  clear() {
    this.scene = null;
    if (this.player) this.player.load(null);
  }

  // Parts that are the same can keep their geometry: only the motion is replaced.
  alike(scene) {
    const old = this.scene;
    return !!old && old.nodes.length === scene.nodes.length && old.arrows.length === scene.arrows.length
      && old.traces.length === scene.traces.length && old.curves.length === scene.curves.length
      && old.nodes.every((node, i) => samePart(node, scene.nodes[i]));
  }

  apply() {
    for (const [group, on] of Object.entries(this.layers)) this.player.show(group, on);
    for (const [group, box] of this.boxes) box.setAttribute("aria-pressed", String(!!this.layers[group]));
  }

  mark() {
    if (!this.player) return;
    this.player.select(this.store.selection);
    const check = this.store.state && this.store.state.check, problem = this.store.state && this.store.state.problem;
    const guilty = [...((check && check.messages) || []).filter((m) => m.level === "error").map((m) => m.component), problem && problem.component];
    this.player.alarm(guilty.filter(Boolean));
  }

  buildTools() {
    this.boxes = new Map();
    const home = button({ icon: "home", title: "Whole mechanism (F, double click)", class: "quiet" }, () => this.player && this.player.home());
    fill(this.tools, home, ...LAYERS.map(([group, text, picture, title]) => {
      const box = button({ icon: picture, title, class: "quiet toggle", "aria-pressed": String(!!this.layers[group]), data: { layer: group } }, () => {
        this.layers[group] = !this.layers[group];
        remember("layers", this.layers);
        box.setAttribute("aria-pressed", String(this.layers[group]));
        if (this.player) this.player.show(group, this.layers[group]);
      });
      box.setAttribute("aria-label", text);
      this.boxes.set(group, box);
      return box;
    }));
  }

  picked(hit, e) {
    const name = hit && this.owner(hit.name);
    if (name && (e.ctrlKey || e.metaKey || e.shiftKey)) this.store.select([...new Set([...this.store.selection, name])]);
    else this.store.select(name ? [name] : []);
  }

  // What is drawn may be a part of a component: "O.free" belongs to O.
  owner(name) {
    const parts = String(name).split(".");
    for (let n = parts.length; n > 0; n--) {
      const known = this.store.component(parts.slice(0, n).join("."));
      if (known) return known.name;
    }
    return null;
  }

  /** A line over the scene that says what is shown instead of the model, with a way back. */
  say(text, back) {
    this.banner.hidden = !text;
    if (text) fill(this.banner, el("span", { text }), back ? button({ text: "Back", class: "small" }, back) : null);
  }
}

function samePart(a, b) {
  return a.name === b.name && a.group === b.group && a.items.length === b.items.length && String(a.p) === String(b.p) && String(a.q) === String(b.q)
    && a.items.every((item, k) => Object.keys(item).every((key) => String(item[key]) === String(b.items[k][key])));
}
