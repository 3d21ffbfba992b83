// Curves over time on a canvas: one axis per unit, a cursor tied to the animation, values under the pointer.

import { el, fill } from "./dom.js";
import { measured, scaled, shown, ticks, valueAt } from "./numbers.js";
import { colour } from "./theme.js";

/** Colours of curves, for light and dark grounds, told apart by people who see few colours, too. */
export const INKS = {
  light: ["#2f6db5", "#c8553d", "#2a8c4a", "#a37b00", "#8a4fa0", "#0f8a94", "#b03a6e", "#5d6b78"],
  dark: ["#6fa8ec", "#f08c74", "#66c987", "#e0b83f", "#c690dc", "#4fc4cf", "#ec86b0", "#a3b1be"],
};
export const DASHES = [[], [6, 4], [2, 3], [9, 3, 2, 3], [4, 2], [1, 4], [12, 4], [6, 2, 2, 2]];

const LEFT = 56, RIGHT = 18, TOP = 24, BOTTOM = 22, NARROWEST = 330; // px
// A few lines are painted sooner by the processor; without a graphics card, much sooner.
const PAINTED = { willReadFrequently: true };
const ROUNDING = 1e-5; // share of the size of values: a change below it is shown as none

/**
 * @typedef {{name: string, unit: string, ink: number, t: Float64Array, y: Float64Array, dash?: number[], faint?: boolean,
 *   area?: Float64Array, of?: string, plain?: boolean}} Curve
 */
export class Chart {
  /** @param {{seek?: (t: number) => void, theme: () => "light" | "dark"}} options */
  constructor(root, { seek, theme }) {
    this.canvas = el("canvas", { class: "chart-canvas" });
    /** Everything but cursor and values, painted when curves or sizes change; `still` says for which looks. */
    this.behind = el("canvas");
    this.still = null;
    this.tip = el("div", { class: "tip", hidden: true });
    this.root = el("div", { class: "chart" }, this.canvas, this.tip);
    this.theme = theme;
    this.seek = seek;
    /** @type {{unit: string, title?: string, curves: Curve[]}[]} */
    this.panels = [];
    this.cursor = null;
    this.range = null;
    root.append(this.root);
    new ResizeObserver(() => this.draw()).observe(this.root);
    this.listen();
  }

  /** Show curves, those of a unit on one axis. */
  show(curves) {
    const units = [...new Set(curves.map((c) => c.unit))];
    this.panels = units.map((unit) => ({ unit, curves: curves.filter((c) => c.unit === unit) }));
    this.prepare();
  }

  prepare() {
    let first = Infinity, last = -Infinity;
    for (const panel of this.panels) {
      let low = Infinity, high = -Infinity;
      for (const c of panel.curves) {
        if (c.t.length) { first = Math.min(first, c.t[0]); last = Math.max(last, c.t[c.t.length - 1]); }
        for (const values of c.area ? [c.y, c.area] : [c.y]) {
          for (const v of values) if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; }
        }
      }
      if (low > high) { low = 0; high = 1; }
      const large = Math.max(Math.abs(low), Math.abs(high));
      const pad = high - low > ROUNDING * large ? 0.07 * (high - low) : 0.1 * large || 1;
      Object.assign(panel, { low: low - pad, high: high + pad, scale: scaled(panel.unit, large) });
    }
    this.whole = first < last ? [first, last] : [0, 1];
    if (this.range && (this.range[0] >= last || this.range[1] > last * 1.0001)) this.range = null;
    this.still = null;
    this.draw();
  }

  /** Time at the cursor. */
  time(t) {
    this.cursor = t;
    this.draw();
  }

  place(i) {
    const w = this.root.clientWidth, h = this.root.clientHeight, n = this.panels.length || 1;
    const beside = Math.max(1, Math.floor(w / NARROWEST)), rows = Math.ceil(n / beside), columns = Math.ceil(n / rows);
    const row = Math.floor(i / columns), there = Math.min(columns, n - row * columns); // the last row is filled, too
    const cell = { w: w / there, h: h / rows };
    return { left: (i % columns) * cell.w + LEFT, top: row * cell.h + TOP,
      width: Math.max(cell.w - LEFT - RIGHT, 20), height: Math.max(cell.h - TOP - BOTTOM, 16) };
  }

  get span() { return this.range || this.whole || [0, 1]; }

  /** Paint before the next frame, once, however often it is asked for. */
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const ratio = window.devicePixelRatio || 1, w = this.root.clientWidth, h = this.root.clientHeight;
    if (!w || !h) return;
    const wide = Math.round(w * ratio), high = Math.round(h * ratio), looks = `${wide} ${high} ${this.theme()}`;
    if (this.still !== looks) {
      for (const canvas of [this.behind, this.canvas]) if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
      const ctx = this.behind.getContext("2d", PAINTED);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, w, h);
      this.panels.forEach((panel, i) => this.background(ctx, panel, this.place(i)));
      this.still = looks;
    }
    const ctx = this.canvas.getContext("2d", PAINTED);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, wide, high);
    ctx.drawImage(this.behind, 0, 0);
    ctx.scale(ratio, ratio);
    this.panels.forEach((panel, i) => this.foreground(ctx, panel, this.place(i)));
  }

  background(ctx, panel, r) {
    const [t0, t1] = this.span, inks = INKS[this.theme()];
    const x = (t) => r.left + (r.width * (t - t0)) / (t1 - t0);
    const y = (v) => r.top + r.height * (1 - (v - panel.low) / (panel.high - panel.low));
    ctx.font = "11px system-ui, sans-serif";
    ctx.lineWidth = 1;
    ctx.strokeStyle = colour("grid");
    ctx.fillStyle = colour("muted");
    ctx.textAlign = "right"; ctx.textBaseline = "middle";
    const factor = panel.scale.factor;
    for (const [value, text] of ticks(panel.low * factor, panel.high * factor, r.height / 30)) {
      const at = Math.round(y(value / factor)) + 0.5;
      ctx.beginPath(); ctx.moveTo(r.left, at); ctx.lineTo(r.left + r.width, at); ctx.stroke();
      ctx.fillText(text, r.left - 6, at);
    }
    ctx.textAlign = "center"; ctx.textBaseline = "top";
    const times = ticks(t0, t1, r.width / 90);
    times.forEach(([value, text], k) => ctx.fillText(k === times.length - 1 ? `${text} s` : text, x(value), r.top + r.height + 5));
    ctx.save();
    ctx.beginPath(); ctx.rect(r.left, r.top - 1, r.width, r.height + 2); ctx.clip();
    for (const c of panel.curves) this.curve(ctx, c, x, y, inks, r.width);
    ctx.restore();
  }

  curve(ctx, c, x, y, inks, width) {
    const ink = inks[c.ink % inks.length];
    if (c.area) {
      ctx.beginPath();
      for (let k = 0; k < c.t.length; k++) ctx.lineTo(x(c.t[k]), y(c.y[k]));
      for (let k = c.t.length - 1; k >= 0; k--) ctx.lineTo(x(c.t[k]), y(c.area[k]));
      ctx.globalAlpha = 0.45; ctx.fillStyle = ink; ctx.fill(); ctx.globalAlpha = 1;
      return;
    }
    ctx.strokeStyle = c.ink < 0 ? colour("text") : ink;
    ctx.globalAlpha = c.faint ? 0.55 : 1;
    ctx.lineWidth = c.faint ? 1.2 : 1.8;
    ctx.lineJoin = "round";
    ctx.setLineDash(c.dash || []);
    ctx.beginPath();
    // More samples than pixels: the least and largest of each pixel say all that can be seen.
    const every = Math.max(1, Math.floor(c.t.length / (2 * width)));
    let open = false;
    for (let k = 0; k < c.t.length; k += every) {
      let low = k, high = k;
      for (let j = k; j < Math.min(k + every, c.t.length); j++) { if (c.y[j] < c.y[low]) low = j; if (c.y[j] > c.y[high]) high = j; }
      for (const j of low === high ? [low] : low < high ? [low, high] : [high, low]) {
        if (!Number.isFinite(c.y[j])) { open = false; continue; }
        if (open) ctx.lineTo(x(c.t[j]), y(c.y[j])); else ctx.moveTo(x(c.t[j]), y(c.y[j]));
        open = true;
      }
    }
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  // Names with their values at the cursor, and the cursor itself: they change with every frame.
  foreground(ctx, panel, r) {
    const [t0, t1] = this.span, inks = INKS[this.theme()];
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "left"; ctx.textBaseline = "alphabetic";
    ctx.fillStyle = colour("muted");
    const heading = panel.scale.unit || "1";
    ctx.fillText(heading, r.left - 48, r.top - 10);
    let at = Math.max(r.left, r.left - 48 + ctx.measureText(heading).width + 10);
    const own = panel.curves.filter((c) => !c.faint);
    const limit = r.left + r.width;
    for (const c of own) {
      const live = this.cursor !== null && c.t.length && !c.area && !c.plain;
      const value = live ? valueAt(c.t, c.y, this.cursor) * panel.scale.factor : null;
      const text = live ? `${c.name} = ${Number.isFinite(value) ? +value.toPrecision(4) : "–"}`.replace(/= -/, "= −") : c.name;
      const room = Math.max(ctx.measureText(text).width, live ? ctx.measureText(`${c.name} = −0.0000`).width : 0);
      ctx.fillStyle = c.ink < 0 ? colour("text") : inks[c.ink % inks.length];
      if (at + ctx.measureText(text).width > limit) { ctx.fillText("…", at, r.top - 10); break; }
      ctx.fillText(text, at, r.top - 10);
      at += room + 14;
    }
    if (this.cursor === null || this.cursor < t0 || this.cursor > t1) return;
    const x = r.left + (r.width * (this.cursor - t0)) / (t1 - t0);
    ctx.strokeStyle = colour("text");
    ctx.lineWidth = 1;
    ctx.beginPath(); ctx.moveTo(x, r.top); ctx.lineTo(x, r.top + r.height); ctx.stroke();
    for (const c of own) {
      if (c.area || !c.t.length) continue;
      const v = valueAt(c.t, c.y, this.cursor), y = r.top + r.height * (1 - (v - panel.low) / (panel.high - panel.low));
      if (!Number.isFinite(y)) continue;
      ctx.fillStyle = c.ink < 0 ? colour("text") : inks[c.ink % inks.length];
      ctx.beginPath(); ctx.arc(x, y, 3, 0, 7); ctx.fill();
    }
  }

  // ---- pointer: drag seeks, wheel zooms in time, double click shows all
  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      const at = this.under(e);
      if (at && this.seek) this.seek(at.time);
    });
    canvas.addEventListener("pointermove", (e) => {
      const at = this.under(e);
      if (e.buttons && at && this.seek) this.seek(at.time);
      this.hover(e, at);
    });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", () => { this.range = null; this.still = null; this.draw(); });
    canvas.addEventListener("wheel", (e) => {
      const at = this.under(e);
      if (!at || !this.whole) return;
      e.preventDefault();
      const [a, b] = this.span, zoom = Math.exp(e.deltaY * 0.0015);
      const low = Math.max(this.whole[0], at.time - (at.time - a) * zoom), high = Math.min(this.whole[1], at.time + (b - at.time) * zoom);
      if (high - low < 1e-4 * (this.whole[1] - this.whole[0])) return;
      this.range = low <= this.whole[0] && high >= this.whole[1] ? null : [low, high];
      this.still = null;
      this.draw();
    }, { passive: false });
  }

  under(e) {
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    const i = this.panels.findIndex((_, k) => {
      const r = this.place(k);
      return x >= r.left - 20 && x <= r.left + r.width + RIGHT && y >= r.top - TOP && y <= r.top + r.height + BOTTOM;
    });
    if (i < 0) return null;
    const r = this.place(i), [t0, t1] = this.span;
    return { panel: this.panels[i], x, y, time: t0 + Math.max(0, Math.min(1, (x - r.left) / r.width)) * (t1 - t0) };
  }

  hover(e, at) {
    this.tip.hidden = !at || e.pointerType === "touch";
    if (!at) return;
    const inks = INKS[this.theme()];
    fill(this.tip, el("div", { class: "tip-head", text: `t = ${shown(at.time)} s` }), ...at.panel.curves.slice(0, 12).map((c) => {
      const row = el("div", {}, el("i"), el("span", { text: c.of ? `${c.name} (${c.of})` : c.name }),
        el("b", { text: c.t.length ? measured(valueAt(c.t, c.y, at.time) - (c.area ? valueAt(c.t, c.area, at.time) : 0), c.unit) : "–" }));
      row.firstChild.style.background = c.ink < 0 ? colour("text") : inks[c.ink % inks.length];
      return row;
    }));
    const w = this.tip.offsetWidth, right = at.x + 16 + w < this.root.clientWidth;
    this.tip.style.left = `${right ? at.x + 14 : Math.max(0, at.x - w - 14)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(at.y - 10, this.root.clientHeight - this.tip.offsetHeight))}px`;
  }
}
