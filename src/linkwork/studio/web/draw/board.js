// The canvas over the scene: from pixels to metres and back, the grid, zoom and pan, and what snaps.

import { clean, roundUp } from "./geometry.js";
import { gridBars } from "./grid.js";

const LEAST_GAP = 13; // px between two lines of the grid
const NEAR_PIN = 13, NEAR_BAR = 9; // px

export class Board {
  constructor(canvas, player, sketch) {
    Object.assign(this, { canvas, player, sketch });
    this.context = canvas.getContext("2d");
    this.colours = {};
    this.measure();
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }
  get step() { return roundUp(LEAST_GAP * this.pixel); }

  /** Ask the player once from where it looks; a plane seen face on is one scale and two shifts. */
  measure() {
    const origin = this.player.toPixel([0, 0, 0]), [right] = this.player.toPixel([1, 0, 0]);
    this.origin = origin;
    /** Metres per pixel. */
    this.pixel = 1 / (right - origin[0]);
  }

  pixelOf(p) { return [this.origin[0] + p[0] / this.pixel, this.origin[1] - p[1] / this.pixel]; }
  pointOf(x, y) { return [(x - this.origin[0]) * this.pixel, (this.origin[1] - y) * this.pixel]; }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "raised", "line", "edge", "grid", "text", "muted", "faint", "accent", "accent-strong", "accent-soft", "good", "bad", "fair", "along", "against"]) {
      this.colours[name] = style.getPropertyValue(`--${name}`).trim() || "#888";
    }
  }

  /** What a pixel means: a pin, a place on a body, or a point of the grid. free: nothing snaps. */
  snap(x, y, { pins = true, bodies = true, free = false, accept } = {}) {
    this.measure();
    const p = this.pointOf(x, y), scale = this.pixel;
    if (pins && !free) {
      const pin = this.sketch.pinNear(p, NEAR_PIN * scale, accept);
      if (pin) return { at: this.sketch.at(pin), pin: pin.name };
    }
    const onGrid = free ? p : p.map((c) => clean(Math.round(c / this.step) * this.step));
    if (bodies && !free) {
      const hit = this.sketch.bodyNear(p, NEAR_BAR * scale);
      if (hit) return { at: hit.point, body: hit.body.name };
    }
    return { at: onGrid };
  }

  zoom(factor, x, y) {
    this.player.eye.zoomBy(factor, x, y);
    this.player.touch();
  }

  pan(dx, dy) {
    const { eye } = this.player;
    eye.pan.addScaledVector(eye.right, -dx * eye.scale).addScaledVector(eye.above, dy * eye.scale);
    this.player.touch();
  }

  /** See all of it, with room around; an empty plane is about a metre wide. */
  fit() {
    const bounds = this.sketch.bounds();
    if (!bounds) return this.player.frame([-0.35, -0.25], [1.05, 0.75]);
    const size = Math.max(bounds[1][0] - bounds[0][0], bounds[1][1] - bounds[0][1], 0.2), room = 0.35 * size;
    return this.player.frame(bounds[0].map((c) => c - room), bounds[1].map((c) => c + room));
  }

  /** Look from where it was last measured, whatever the player shows now. */
  stay() { this.player.frame(this.pointOf(0, this.height), this.pointOf(this.width, 0)); }

  /** Hand the grid to the player, which draws it behind the bodies; on: whether there is one. */
  showGrid(on) {
    const key = on ? `${this.origin} ${this.pixel} ${this.width} ${this.height} ${Object.values(this.colours)}` : "";
    if (key === this.gridded) return;
    this.gridded = key;
    this.player.backdrop(on ? gridBars(this) : []);
  }

  begin() {
    this.measure();
    const ratio = window.devicePixelRatio || 1, { context, canvas } = this;
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineCap = context.lineJoin = "round";
    context.font = "12px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
    return context;
  }
}
