// What the pointer and the keys do in Draw mode. The drawing, which is one of these, says what follows from it.

import { refused, notice } from "../notices.js";
import { typing } from "../keys.js";
import { clean, distance } from "./geometry.js";
import { TOOLS } from "./tools.js";

const DRAGGED = 4; // px from which a press is a drag

export class Pointing {
  // ---- the pointer
  listen() {
    const { overlay } = this;
    overlay.addEventListener("pointerdown", (e) => this.down(e));
    overlay.addEventListener("pointermove", (e) => this.move(e));
    overlay.addEventListener("pointerup", (e) => this.up(e));
    overlay.addEventListener("pointercancel", (e) => { this.pointers.delete(e.pointerId); this.cancel(); });
    overlay.addEventListener("pointerleave", () => { this.placing.now = null; this.over = null; this.repaint(); });
    overlay.addEventListener("dblclick", (e) => this.twice(e));
    overlay.addEventListener("contextmenu", (e) => { e.preventDefault(); if (this.placing.begun) this.cancel(); });
    overlay.addEventListener("wheel", (e) => {
      e.preventDefault();
      const box = overlay.getBoundingClientRect();
      this.board.zoom(Math.exp(-e.deltaY * 0.0012), e.clientX - box.left, e.clientY - box.top);
      this.repaint();
    }, { passive: false });
    document.addEventListener("keydown", (e) => this.key(e));
    document.addEventListener("keydown", (e) => this.undoPlace(e), true);
    this.store.on("showing", (what) => this.watch(what));
    this.store.on("state", ({ state, fresh }) => {
      if (this.active && !state.scene) { if (fresh) this.board.fit(); else this.board.stay(); } // an empty plane is shown from where one looked
      this.refresh();
    });
    this.store.on("selection", () => this.repaint());
    this.store.on("theme", () => { this.board.readColours(); this.repaint(); });
    this.player.onDraw(() => this.repaint());
  }

  down(e) {
    if (this.pointers.size === 1 && e.pointerType === "touch") { this.cancel(); this.press = null; }
    this.pointers.set(e.pointerId, e);
    if (e.isTrusted) this.overlay.setPointerCapture(e.pointerId);
    this.sizes.hide();
    if (this.pointers.size > 1) return;
    this.press = { x: e.clientX, y: e.clientY, button: e.button, far: false, snap: this.snap(e) };
    if (this.tool.id === "hand") this.press.hit = this.hit(e);
    if (this.tool.id === "shape") this.press.pin = this.press.snap.pin;
  }

  move(e) {
    const before = this.pointers.get(e.pointerId), { press } = this;
    if (before) this.pointers.set(e.pointerId, e);
    if (this.pointers.size === 2) return this.pinch(e, before);
    if (!press) return this.hover(e);
    press.far = press.far || Math.hypot(e.clientX - press.x, e.clientY - press.y) > DRAGGED;
    if (!press.far) return undefined;
    const draws = !["hand", "shape"].includes(this.tool.id);
    if (press.button !== 0 || (!draws && !press.hit && !press.pin)) { this.board.pan(e.clientX - before.clientX, e.clientY - before.clientY); return this.repaint(); }
    if (draws) return this.hover(e);
    if (this.tool.id === "shape") { this.moving = { pin: press.pin, to: this.board.snap(...this.pixel(e), { pins: false, bodies: false, free: e.altKey }).at }; return this.repaint(); }
    if (!this.hand.held) this.grab(press.hit);
    return this.hand.move(this.aimed(...this.pixel(e))); // painted with the answer, in one picture
  }

  up(e) {
    const { press } = this;
    this.pointers.delete(e.pointerId);
    this.press = this.pointers.size ? null : undefined;
    if (!press || this.pointers.size) return;
    if (this.hand.held) { this.release(); return; }
    if (this.moving) { this.drop(); return; }
    const draws = !["hand", "shape"].includes(this.tool.id);
    if (press.button !== 0 || (press.far && !draws)) return;
    if (!draws) {
      const hit = press.hit || { name: press.pin };
      this.store.select(hit.name ? [hit.name] : []);
      return;
    }
    if (press.far && !this.placing.begun && this.tool.ends > 1) this.place(this.placing.aim(press.snap)); // pressed, drawn, let go
    this.placing.pointed = this.snap(e);
    this.place(this.placing.aim(this.placing.pointed));
  }

  hover(e) {
    if (e.pointerType === "touch" && !this.press) return;
    const snap = this.snap(e);
    this.over = snap;
    this.placing.pointed = snap;
    if (!["hand", "shape"].includes(this.tool.id)) this.placing.move(snap);
    this.repaint();
  }

  pixel(e) {
    const box = this.overlay.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  pinch(e, before) {
    const [other] = [...this.pointers.values()].filter((p) => p.pointerId !== e.pointerId), box = this.overlay.getBoundingClientRect();
    const gap = (p) => Math.max(Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY), 1);
    this.board.zoom(gap(e) / gap(before), (e.clientX + other.clientX) / 2 - box.left, (e.clientY + other.clientY) / 2 - box.top);
    this.board.pan((e.clientX - before.clientX) / 2, (e.clientY - before.clientY) / 2);
    this.repaint();
  }

  twice(e) {
    if (this.tool.ends === Infinity && this.placing.begun) { this.finishPlate(); return; }
    if (this.tool.id !== "hand") return;
    const hit = this.hit(e);
    if (hit && this.sketch.view.planar) this.sizes.show(hit, this.pixel(e));
  }

  finishPlate() {
    const { ends } = this.placing, last = ends[ends.length - 1];
    if (ends.length > 2 && distance(ends[ends.length - 2].at, last.at) < 6 * this.board.pixel) ends.pop();
    if (ends.length >= 2) this.commit();
  }

  /** What is under the pointer: {name, body, at, kind}; body: what moves when it is dragged. */
  hit(e) {
    const [x, y] = this.pixel(e);
    this.board.measure();
    if (!this.sketch.view.planar) return this.picked(x, y);
    const p = this.board.pointOf(x, y), scale = this.board.pixel, pin = this.sketch.pinNear(p, 12 * scale);
    if (pin) {
      const body = [...pin.bodies].reverse().find((name) => name in this.sketch.poses);
      return { name: pin.name, kind: pin.kind, body, at: this.sketch.at(pin) };
    }
    const spring = this.sketch.springNear(p, 7 * scale), near = this.sketch.bodyNear(p, 9 * scale);
    if (near) return { name: near.body.name, kind: "body", body: near.body.name, at: p };
    if (spring) return { name: spring.name, kind: "spring", at: p };
    return this.picked(x, y);
  }

  // Bodies with shapes of their own, and those in space.
  picked(x, y) {
    const struck = this.player.pick(x, y);
    if (!struck) return null;
    const known = this.store.component(struck.name);
    if (!known) return null;
    const body = known.family === "body" ? known.name : (known.bodies || []).find((name) => name !== "ground");
    return { name: known.name, kind: known.family, body, at: struck.point || this.board.pointOf(x, y) };
  }

  // ---- dragging
  grab(hit) {
    if (!hit.body) return;
    const planar = this.sketch.view.planar, at = planar ? hit.at.slice(0, 2) : hit.at;
    this.depth = planar ? null : hit.at;
    const view = planar ? null : this.player.eye.direction.toArray();
    this.overlay.style.cursor = "grabbing";
    this.over = null;
    this.repaint();
    clearTimeout(this.tracing);
    this.hand.take(hit.body, at, view).then(() => {
      const { held } = this.hand;
      if (held && held.driven.length) this.bar.say(`Driven: ${held.driven.join(", ")}. The drive lets go while you drag.`);
      if (held && held.freedoms === 0) this.bar.say("Nothing can move: it has no degree of freedom.");
    }).catch((error) => { this.overlay.style.cursor = "grab"; refused(error); });
  }

  // In space the target lies as deep as the point that is held.
  aimed(x, y) {
    if (!this.depth) { this.board.measure(); return this.board.pointOf(x, y); }
    const { eye } = this.player, from = this.player.toPixel(this.depth), axis = (v, k) => v.getComponent(k);
    const away = eye.lens.position.distanceTo(eye.target), depth = eye.lens.isOrthographicCamera ? 1 : this.deep() / away;
    return this.depth.map((c, k) => c + depth * eye.scale * ((x - from[0]) * axis(eye.right, k) - (y - from[1]) * axis(eye.above, k)));
  }

  // How far the held point is from the eye, along its view.
  deep() {
    const { lens, direction } = this.player.eye;
    return this.depth.reduce((sum, c, k) => sum + (lens.position.getComponent(k) - c) * direction.getComponent(k), 0);
  }

  async release() {
    this.overlay.style.cursor = "grab";
    try {
      const told = await this.hand.finish("release");
      this.hand.trails.clear();
      for (const note of (told && told.notes) || []) notice("info", note);
      if (!told || !told.moved) this.back();
    } catch (error) { refused(error); this.back(); }
    this.bar.show(this.tool);
    this.repaint();
  }

  async drop() {
    const { pin, to } = this.moving;
    try {
      await this.connection.ask("move_pin", { pin, to: to.map(clean) });
    } catch (error) { refused(error); }
    this.moving = null;
    this.repaint();
  }

  // ---- keys
  key(e) {
    if (!this.active || document.querySelector("dialog[open]") || e.ctrlKey || e.metaKey || typing(e.target)) return;
    const { placing } = this, sized = placing.begun && (this.tool.sized || this.tool.angled);
    if (sized && /^[-0-9.,]$/.test(e.key) && this.fields.open) { e.preventDefault(); this.fields.take(e.key); return; }
    if (sized && e.key === "Tab" && this.fields.open) { e.preventDefault(); const first = this.fields.inputs.values().next().value; first.focus(); first.select(); return; }
    const actions = {
      Escape: () => { if (this.placing.begun || this.hand.held || this.moving || this.sizes.open) this.cancel(); else if (this.tool.id !== "hand") this.choose("hand"); else this.store.select([]); },
      Delete: () => this.deleteChosen(), Backspace: () => { if (placing.begun) { placing.ends.pop(); this.repaint(); } else this.deleteChosen(); },
      Enter: () => { if (this.tool.ends === Infinity && placing.begun) this.finishPlate(); }, f: () => this.fit(),
    };
    const chosen = TOOLS.find((tool) => tool.key === e.key.toLowerCase());
    const action = actions[e.key] || actions[e.key.toLowerCase()] || (chosen && !this.bar.buttons.get(chosen.id).disabled ? () => this.choose(chosen.id) : null);
    if (!action || e.shiftKey || e.altKey) return;
    e.preventDefault();
    action();
  }

  // What is begun is taken back place by place, before anything of the document is.
  undoPlace(e) {
    if (!this.active || !this.placing.begun || !(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== "z" || typing(e.target)) return;
    e.preventDefault();
    this.placing.ends.pop();
    this.fields.hide();
    this.repaint();
  }

  // A run is looked at, not drawn on.
  watch(what) {
    const other = document.querySelector("#mode button[data-mode=run]");
    if (this.active && what !== "start" && other) other.click();
  }

  deleteChosen() {
    const names = this.store.selection.filter((name) => this.store.component(name));
    if (names.length) this.take(names);
  }
}
