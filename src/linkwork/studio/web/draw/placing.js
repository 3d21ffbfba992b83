// One thing that is being drawn: the places clicked so far, the one under the pointer, and what was typed for it.

import { angleOf, clean, distance, polar, readAngle, readLength, showAngle, showLength } from "./geometry.js";
import * as paint from "./paint.js";

const QUARTER = Math.PI / 12; // rails snap to multiples of 15°

export class Placing {
  constructor(tool, board, fields) {
    Object.assign(this, { tool, board, fields });
    this.ends = [];
    this.now = null;
  }

  get begun() { return this.ends.length > 0; }
  get last() { return this.ends[this.ends.length - 1]; }

  /** Where the next place is, for a pointer that means `snap`; what is typed goes before what is pointed at. */
  aim(snap) {
    const { tool, fields } = this;
    if (!this.begun) return snap;
    if (tool.angled) return { at: snap.at, angle: this.direction(snap) };
    if (!tool.sized) return snap;
    const from = this.last.at, length = readLength(fields.given("length") ?? ""), angle = readAngle(fields.given("angle") ?? "");
    if (length === null && angle === null) return snap;
    const way = angle === null ? angleOf(from, snap.at) : angle;
    const far = length === null ? Math.max(0, (snap.at[0] - from[0]) * Math.cos(way) + (snap.at[1] - from[1]) * Math.sin(way)) : length;
    return { at: polar(from, far, way).map(clean) };
  }

  /** Of a rail: as typed, along the bar that it is on, or a multiple of 15°. */
  direction(snap) {
    const typed = readAngle(this.fields.given("angle") ?? "");
    if (typed !== null) return typed;
    const from = this.last, { sketch } = this.board;
    if (distance(from.at, snap.at) < 12 * this.board.pixel) {
      const corners = from.body ? sketch.corners(sketch.body(from.body)) : [];
      return corners.length > 1 ? upright(angleOf(corners[0], corners[1])) : 0;
    }
    const free = angleOf(from.at, snap.at);
    return upright(snap.free ? free : QUARTER * Math.round(free / QUARTER));
  }

  /** The pointer has moved. */
  move(snap) {
    this.now = this.aim(snap);
    const { tool, fields, board } = this;
    if (!this.begun || !(tool.sized || tool.angled)) return;
    if (!fields.open) this.ask();
    const from = this.last.at;
    if (tool.sized) {
      fields.tell("length", showLength(distance(from, this.now.at)));
      fields.tell("angle", showAngle(angleOf(from, this.now.at)));
    } else fields.tell("angle", showAngle(this.now.angle));
    if (!fields.focused) fields.beside(board.pixelOf(snap.at));
  }

  ask() {
    const entries = this.tool.sized ? [["length", "Length", "m", ""], ["angle", "Angle", "°", ""]] : [["angle", "Angle", "°", ""]];
    this.fields.show(entries, { done: () => this.enter(), changed: () => { if (this.pointed) { this.move(this.pointed); this.repaint(); } }, left: () => this.left() });
  }

  /** Whether a place ends it. */
  complete(end) {
    if (this.tool.ends !== Infinity) return this.ends.length >= this.tool.ends;
    const first = this.ends[0];
    return this.ends.length > 3 && distance(first.at, end.at) < 8 * this.board.pixel;
  }

  /** What is sent: the places without a last one that only closes the outline. */
  places() {
    const ends = this.ends.slice();
    if (this.tool.ends === Infinity && ends.length > 3 && distance(ends[0].at, ends[ends.length - 1].at) < 8 * this.board.pixel) ends.pop();
    return ends.map(({ at, pin, body }) => ({ x: at[0], y: at[1], ...(pin ? { pin } : {}), ...(body ? { body } : {}) }));
  }

  paint(c, style) {
    const { board, tool } = this, at = (end) => board.pixelOf(end.at), ends = this.ends.map(at);
    const now = this.now && !(this.complete(this.last || { at: [0, 0] }) && tool.ends !== Infinity) ? this.now : null, all = now ? [...ends, at(now)] : ends;
    if (!all.length) return;
    if (!this.begun) {
      if (tool.id === "pivot") paint.pivot(c, at(now), style);
      else if (tool.id === "motor") paint.motor(c, at(now), style);
      else if (tool.id === "rotary") paint.rotary(c, at(now), style);
      else if (tool.id === "slider") paint.rail(c, at(now), 0, style);
      else paint.pin(c, at(now), style);
      return;
    }
    if (tool.id === "pivot") paint.pivot(c, all[0], style);
    else if (tool.id === "motor") paint.motor(c, all[0], style);
    else if (tool.id === "rotary") paint.rotary(c, all[0], style);
    else if (tool.id === "slider") paint.rail(c, all[0], this.angle(now), style);
    else if (tool.id === "spring" && all.length > 1) paint.spring(c, all[0], all[1], style);
    else if (tool.id === "damper" && all.length > 1) paint.damper(c, all[0], all[1], style);
    else if ((tool.id === "gear" || tool.id === "point") && all.length > 1) paint.line(c, all, { ...style, dash: [4, 4] });
    else paint.bars(c, all, style);
    for (const p of all) paint.pin(c, p, style);
    if (tool.sized && now && ends.length) {
      const from = this.last.at;
      if (distance(from, now.at) > 12 * board.pixel) paint.dimension(c, ends[ends.length - 1], at(now), distance(from, now.at), angleOf(from, now.at), style);
    }
  }

  angle(now) { return now && now.angle !== undefined ? now.angle : this.last && this.last.angle !== undefined ? this.last.angle : 0; }
}

/** The same line with an angle in (−90°, 90°]. */
function upright(angle) {
  const turned = angle - Math.PI * Math.round(angle / Math.PI);
  return turned <= -Math.PI / 2 + 1e-12 ? turned + Math.PI : turned;
}
