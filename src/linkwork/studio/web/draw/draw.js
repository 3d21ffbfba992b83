// Drawing planar mechanisms over the scene, and dragging any mechanism. What is drawn goes to the document at once.

import { refused } from "../notices.js";
import { Board } from "./board.js";
import { distance } from "./geometry.js";
import { Fields } from "./fields.js";
import { Hand } from "./hand.js";
import { Painter } from "./painter.js";
import { Placing } from "./placing.js";
import { Pointing } from "./pointing.js";
import { Sizes } from "./sizes.js";
import { Sketch } from "./sketch.js";
import { Toolbar } from "./toolbar.js";
import { tool as toolOf } from "./tools.js";

const TRACE_PAUSE = 350; // ms of quiet before curves are computed

export function attachDrawing(parts) {
  if (!document.querySelector("link[data-draw]")) {
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("./draw.css", import.meta.url).href });
    style.dataset.draw = "";
    document.head.append(style);
  }
  return new Drawing(parts);
}

class Drawing extends Pointing {
  constructor({ overlay, player, connection, store, toolbar }) {
    super();
    Object.assign(this, { overlay, player, connection, store });
    this.active = false;
    this.curves = [];
    this.pending = new Set();
    this.sketch = new Sketch();
    this.board = new Board(overlay, player, this.sketch);
    this.fields = new Fields(overlay.parentElement);
    this.hand = new Hand({ connection, sketch: this.sketch, player, repaint: () => this.repaint() });
    this.sizes = new Sizes(this);
    this.painter = new Painter(this);
    this.bar = new Toolbar(toolbar, { choose: (id) => this.choose(id), fit: () => this.fit() });
    this.pointers = new Map();
    this.choose("hand");
    this.listen();
  }

  // ---- the mode
  enter() {
    this.active = true;
    this.board.readColours();
    this.fields.hide();
    const welcome = this.overlay.parentElement.querySelector("#welcome");
    if (welcome) welcome.hidden = true;
    if (this.player.world && this.player.world.t.length) { this.player.pause(); this.player.time(this.player.start); }
    if (this.store.state && this.store.state.empty) this.fit();
    this.refresh();
    this.choose(this.store.state && this.store.state.empty ? "pivot" : "hand");
    this.repaint();
  }

  leave() {
    this.cancel();
    this.board.showGrid(false);
    this.active = false;
  }

  resize() { this.repaint(); }

  /** The document has changed: what the server says of it. */
  async refresh() {
    if (!this.active) return;
    this.tell();
    const asked = (this.asked = {});
    try {
      const view = await this.connection.ask("sketch");
      if (asked !== this.asked || this.hand.held) return;
      this.sketch.take(view);
      this.tell();
      for (const [id, b] of this.bar.buttons) b.disabled = !view.planar && id !== "hand";
      if (!view.planar) this.choose("hand");
    } catch (error) { refused(error); }
    this.curves = [];
    this.repaint();
    this.traceSoon();
  }

  tell() { this.bar.tell(this.store.state, this.sketch.view.joints.filter((joint) => (joint.motor || "").startsWith("Motion")).length); }

  // ---- curves of points over everything that can be reached
  traceSoon() {
    clearTimeout(this.tracing);
    const { state } = this.store, moving = this.sketch.view.points.some((p) => p.places.some((place) => place.body in this.sketch.poses));
    if (!moving || !state || !state.check || !(state.check.mobility <= 1)) return;
    this.tracing = setTimeout(() => this.trace(), TRACE_PAUSE);
  }

  async trace() {
    if (!this.active || this.hand.held || this.placing.begun) return;
    const { version } = this.store.state;
    try {
      const told = await this.connection.ask("trace");
      if (version !== this.store.state.version) return;
      this.curves = told.curves.map((curve) => ({ name: curve.name, points: pairs(curve.x, curve.y) }));
      this.repaint();
    } catch { /* where nothing can be traced there is no curve */ }
  }

  // ---- tools
  choose(id) {
    this.cancel();
    this.tool = toolOf(id);
    this.placing = new Placing(this.tool, this.board, this.fields);
    this.placing.enter = () => this.place(this.placing.now);
    this.placing.left = () => this.cancel();
    this.placing.repaint = () => this.repaint();
    this.bar.show(this.tool);
    this.overlay.style.cursor = id === "hand" ? "grab" : id === "shape" ? "move" : "crosshair";
    this.repaint();
  }

  cancel() {
    this.fields.hide();
    this.sizes.hide();
    if (this.hand.held) this.hand.finish("cancel").catch(() => {}).then(() => this.back());
    this.moving = null;
    if (this.placing) this.placing.ends = [];
    this.repaint();
  }

  // Where the document has it, after something was only tried.
  back() {
    this.hand.trails.clear();
    if (this.player.world && this.player.world.t.length) this.player.time(this.player.time());
    return this.refresh();
  }

  fit() {
    this.board.fit();
    this.repaint();
  }

  /** What a pointer event means for the tool. */
  snap(e) {
    const box = this.overlay.getBoundingClientRect(), { tool } = this, first = !this.placing.begun;
    const point = [e.clientX - box.left, e.clientY - box.top];
    const direction = tool.angled && !first, second = tool.onBody && !first;
    const snapped = this.board.snap(...point, { free: e.altKey, accept: tool.pins, pins: !direction && !second, bodies: !!tool.bodies && !direction && !second });
    snapped.raw = this.board.pointOf(...point);
    snapped.free = e.altKey;
    const ghost = [...this.pending].flatMap((p) => p.ends).find((end) => distance(end.at, snapped.at) < 13 * this.board.pixel);
    return ghost && !snapped.pin && !e.altKey ? { ...snapped, at: ghost.at, body: undefined } : snapped;
  }

  /** One more place; the thing is drawn when it has all of them. */
  place(end) {
    const { placing, tool } = this;
    if (!end) return;
    if (tool.erases) return this.erase(end);
    if (tool.pins && !end.pin) return this.bar.say(`There is no pin. ${tool.hint}`);
    if (tool.onBody && !placing.begun && !this.bodyOf(end)) return this.bar.say(`There is no link. ${tool.hint}`);
    if (placing.begun && !tool.angled && !tool.onBody && distance(placing.last.at, end.at) < 1e-9) return;
    placing.ends.push(end);
    this.fields.hide();
    if (placing.complete(end)) this.commit();
    else placing.move(placing.pointed || end);
    this.repaint();
  }

  bodyOf(end) {
    if (end.body) return end.body;
    const pin = end.pin && this.sketch.pin(end.pin);
    return pin ? [...pin.bodies].reverse().find((name) => name in this.sketch.poses) : undefined;
  }

  async commit() {
    const { placing, tool } = this;
    if (placing.ends.length < Math.min(2, tool.ends)) return;
    const request = { tool: tool.verb || tool.id, ends: placing.places(), values: this.bar.given() };
    if (tool.angled) {
      request.values.angle = `${placing.ends[1].angle} rad`;
      request.ends = request.ends.slice(0, 1);
    }
    if (tool.onBody) request.ends = [{ x: placing.ends[1].at[0], y: placing.ends[1].at[1], body: this.bodyOf(placing.ends[0]) }];
    const done = Object.assign(new Placing(tool, this.board, this.fields), { ends: placing.ends });
    this.pending.add(done);
    this.choose(tool.id);
    try {
      const told = await this.connection.ask("draw", request);
      this.store.select(told.made.filter((name) => this.store.component(name)).slice(0, 1));
    } catch (error) { refused(error); }
    this.pending.delete(done);
    this.repaint();
  }

  async erase(end) {
    const spring = !end.pin && this.sketch.springNear(end.raw, 9 * this.board.pixel);
    const name = end.pin || (spring && spring.name) || end.body;
    if (name) await this.take([name]);
  }

  async take(names) {
    try {
      await this.connection.ask("erase", { names });
    } catch (error) { refused(error); }
  }

  // ---- painting, at most once per picture of the screen
  repaint() {
    if (!this.active || this.due || (this.hand.held && !this.painter.follows)) return;
    this.due = true;
    requestAnimationFrame(() => { this.due = false; if (this.active) this.painter.paint(); });
  }
}

/** Points from two texts of packed numbers. */
function pairs(x, y) {
  const numbers = (text) => new Float64Array(Uint8Array.from(atob(text), (ch) => ch.charCodeAt(0)).buffer), ys = numbers(y);
  return Array.from(numbers(x), (a, k) => [a, ys[k]]);
}
