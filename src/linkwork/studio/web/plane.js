// Eigenvalues in the complex plane: points, the paths they take, and the axis that parts stable from unstable.

import { el } from "./dom.js";
import { ticks } from "./numbers.js";
import { colour } from "./theme.js";

const LEFT = 54, RIGHT = 16, TOP = 18, BOTTOM = 34; // px
const REACH = 9; // px from a point within which it is meant

export class Plane {
  /** @param {{pick?: (i: number) => void}} options */
  constructor(root, { pick } = {}) {
    this.canvas = el("canvas", { class: "chart-canvas" });
    this.root = el("div", { class: "chart" }, this.canvas);
    root.append(this.root);
    this.points = [];
    this.paths = [];
    this.chosen = -1;
    new ResizeObserver(() => this.draw()).observe(this.root);
    const near = (e) => {
      const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
      return this.points.findIndex(([re, im]) => Math.hypot(this.x(re) - x, this.y(im) - y) < REACH);
    };
    this.canvas.addEventListener("pointermove", (e) => { this.canvas.style.cursor = pick && near(e) >= 0 ? "pointer" : ""; });
    this.canvas.addEventListener("click", (e) => { const i = near(e); if (pick && i >= 0) pick(i); });
  }

  /** @param {[number, number][]} points; @param {[number, number][][]} paths */
  show(points, paths = [], chosen = -1) {
    Object.assign(this, { points, paths, chosen });
    const all = [...points, ...paths.flat()].filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
    const span = (values) => {
      const low = Math.min(0, ...values), high = Math.max(0, ...values), pad = 0.1 * (high - low) || 1;
      return [low - pad, high + pad];
    };
    this.re = span(all.map(([a]) => a));
    this.im = span(all.map(([, b]) => b));
    this.draw();
  }

  x(re) { return LEFT + ((this.root.clientWidth - LEFT - RIGHT) * (re - this.re[0])) / (this.re[1] - this.re[0]); }
  y(im) { return TOP + (this.root.clientHeight - TOP - BOTTOM) * (1 - (im - this.im[0]) / (this.im[1] - this.im[0])); }

  draw() {
    const ratio = window.devicePixelRatio || 1, w = this.root.clientWidth, h = this.root.clientHeight;
    if (!w || !h || !this.re) return;
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    const ctx = this.canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    this.axes(ctx, w, h);
    ctx.lineWidth = 1.6;
    for (const path of this.paths) {
      ctx.strokeStyle = colour("accent");
      ctx.globalAlpha = 0.75;
      ctx.beginPath();
      path.forEach(([re, im], k) => (k ? ctx.lineTo(this.x(re), this.y(im)) : ctx.moveTo(this.x(re), this.y(im))));
      ctx.stroke();
      if (path.length) { ctx.beginPath(); ctx.arc(this.x(path[0][0]), this.y(path[0][1]), 2.2, 0, 7); ctx.stroke(); }
      ctx.globalAlpha = 1;
    }
    this.points.forEach(([re, im], i) => {
      const x = this.x(re), y = this.y(im), arm = i === this.chosen ? 6 : 4.5;
      ctx.strokeStyle = re > 1e-9 ? colour("bad") : colour("text");
      ctx.lineWidth = i === this.chosen ? 2.6 : 1.7;
      ctx.beginPath();
      ctx.moveTo(x - arm, y - arm); ctx.lineTo(x + arm, y + arm); ctx.moveTo(x - arm, y + arm); ctx.lineTo(x + arm, y - arm);
      ctx.stroke();
      if (i !== this.chosen) return;
      ctx.strokeStyle = colour("accent");
      ctx.beginPath(); ctx.arc(x, y, 10, 0, 7); ctx.stroke();
    });
  }

  axes(ctx, w, h) {
    ctx.font = "11px system-ui, sans-serif";
    if (this.re[1] > 0) {
      ctx.fillStyle = colour("bad-soft");
      ctx.fillRect(this.x(0), TOP, w - RIGHT - this.x(0), h - TOP - BOTTOM);
    }
    ctx.strokeStyle = colour("grid"); ctx.fillStyle = colour("muted"); ctx.lineWidth = 1;
    ctx.textAlign = "right"; ctx.textBaseline = "middle";
    for (const [value, text] of ticks(...this.im, (h - TOP - BOTTOM) / 34)) {
      const y = Math.round(this.y(value)) + 0.5;
      ctx.beginPath(); ctx.moveTo(LEFT, y); ctx.lineTo(w - RIGHT, y); ctx.stroke();
      ctx.fillText(text, LEFT - 6, y);
    }
    ctx.textAlign = "center"; ctx.textBaseline = "top";
    for (const [value, text] of ticks(...this.re, (w - LEFT - RIGHT) / 70)) {
      const x = Math.round(this.x(value)) + 0.5;
      ctx.beginPath(); ctx.moveTo(x, TOP); ctx.lineTo(x, h - BOTTOM); ctx.stroke();
      ctx.fillText(text, x, h - BOTTOM + 5);
    }
    ctx.strokeStyle = colour("muted");
    ctx.beginPath();
    ctx.moveTo(this.x(0), TOP); ctx.lineTo(this.x(0), h - BOTTOM);
    ctx.moveTo(LEFT, this.y(0)); ctx.lineTo(w - RIGHT, this.y(0));
    ctx.stroke();
    ctx.textBaseline = "alphabetic";
    ctx.fillText("real part [1/s]", LEFT + (w - LEFT - RIGHT) / 2, h - 4);
    ctx.textAlign = "left";
    ctx.fillText("imaginary part [rad/s]", LEFT - 48, 11);
  }
}
