// Channels over time, one strip per unit, with a cursor at the time that is shown.
"use strict";

const INKS = ["#4477aa", "#cc6677", "#228833", "#aa8822", "#228899", "#aa4488", "#775533", "#445566"];

class Plot {
  constructor(canvas, curves, seek) {
    this.canvas = canvas;
    this.curves = curves.map((c, i) => ({ ...c, ink: INKS[i % INKS.length], values: new Float32Array(0) }));
    this.strips = [...new Set(curves.map((c) => c.unit))].map((unit) => ({
      curves: this.curves.filter((c) => c.unit === unit),
    }));
    for (const s of this.strips) Object.assign(s, { unit: s.curves[0].shown, factor: 10 ** -s.curves[0].exponent });
    const at = (e) => {
      const box = canvas.getBoundingClientRect(), s = this.strip(0);
      seek(this.t0 + ((e.clientX - box.left - s.left) / s.width) * (this.t1 - this.t0));
    };
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); at(e); });
    canvas.addEventListener("pointermove", (e) => { if (e.buttons) at(e); });
  }

  strip(i) {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, n = this.strips.length;
    const rows = Math.ceil(n / Math.max(1, Math.floor(w / 260))), columns = Math.ceil(n / rows);
    const cell = { w: w / columns, h: h / rows };
    const left = (i % columns) * cell.w + 58, top = Math.floor(i / columns) * cell.h + 20;
    return { left, top, width: cell.w - 74, height: Math.max(cell.h - 40, 10), columns };
  }

  data(t, values) {
    this.t = t; this.t0 = t[0]; this.t1 = t.length > 1 ? t[t.length - 1] : t[0] + 1;
    values.forEach((v, i) => { this.curves[i].values = v; });
    for (const s of this.strips) {
      let low = Infinity, high = -Infinity;
      for (const c of s.curves) for (const v of c.values) if (isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      if (!isFinite(low)) { low = 0; high = 1; }
      const large = Math.max(Math.abs(low), Math.abs(high));  // a change that is all rounding is shown as none
      const pad = high - low > 1e-5 * large ? 0.06 * (high - low) : 0.1 * large || 1;
      s.low = low - pad; s.high = high + pad;
    }
    this.still = null;
  }

  // With as many digits as tell ticks of a distance apart.
  number(x, step) {
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const text = digits > 6 || Math.abs(x) >= 1e6 ? x.toExponential(2) : Math.abs(x) < step / 1e6 ? "0" : String(+x.toFixed(digits));
    return text.replace(/-/g, "\u2212");
  }

  // Everything but the cursor is drawn once and kept.
  background(ctx, w, h) {
    ctx.clearRect(0, 0, w, h);
    ctx.font = "11px system-ui, sans-serif";
    this.strips.forEach((s, i) => {
      const r = this.strip(i), y = (v) => r.top + r.height * (1 - (v - s.low) / (s.high - s.low));
      const x = (t) => r.left + (r.width * (t - this.t0)) / (this.t1 - this.t0);
      ctx.strokeStyle = "#d9dee2"; ctx.fillStyle = "#55626c"; ctx.lineWidth = 1;
      const step = niceStep((s.high - s.low) / Math.max(2, r.height / 26));
      ctx.textAlign = "right"; ctx.textBaseline = "middle";
      for (let v = Math.ceil(s.low / step) * step; v <= s.high; v += step) {
        ctx.beginPath(); ctx.moveTo(r.left, y(v)); ctx.lineTo(r.left + r.width, y(v)); ctx.stroke();
        ctx.fillText(this.number(v * s.factor, step * s.factor), r.left - 5, y(v));
      }
      const every = niceStep((this.t1 - this.t0) / Math.max(2, r.width / 90));
      ctx.textAlign = "center"; ctx.textBaseline = "top";
      for (let t = Math.ceil(this.t0 / every) * every; t <= this.t1 + every * 1e-9; t += every) {
        ctx.fillText(this.number(t, every), x(t), r.top + r.height + 4);
      }
      ctx.save(); ctx.beginPath(); ctx.rect(r.left, r.top - 1, r.width, r.height + 2); ctx.clip();
      for (const c of s.curves) {
        ctx.strokeStyle = c.ink; ctx.lineWidth = 1.6; ctx.beginPath();
        for (let k = 0; k < c.values.length; k++) k ? ctx.lineTo(x(this.t[k]), y(c.values[k])) : ctx.moveTo(x(this.t[k]), y(c.values[k]));
        ctx.stroke();
      }
      ctx.restore();
      ctx.textAlign = "left"; ctx.textBaseline = "alphabetic";
      const heading = s.unit ? `[${s.unit}]` : "";
      ctx.fillText(heading, r.left, r.top - 6);
      let place = r.left + (heading ? ctx.measureText(heading).width + 10 : 0);
      for (const c of s.curves) {
        const wide = ctx.measureText(c.name).width;
        ctx.fillStyle = c.ink;
        if (place + wide > r.left + r.width) { ctx.fillText("…", place, r.top - 6); break; }
        ctx.fillText(c.name, place, r.top - 6);
        place += wide + 14;
      }
    });
  }

  draw(time) {
    const ratio = window.devicePixelRatio || 1, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !this.t) return;
    if (!this.still || this.still.width !== Math.round(w * ratio) || this.still.height !== Math.round(h * ratio)) {
      this.still = document.createElement("canvas");
      this.still.width = this.canvas.width = Math.round(w * ratio);
      this.still.height = this.canvas.height = Math.round(h * ratio);
      const ctx = this.still.getContext("2d"); ctx.scale(ratio, ratio);
      this.background(ctx, w, h);
    }
    const ctx = this.canvas.getContext("2d");
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.still, 0, 0);
    ctx.scale(ratio, ratio);
    ctx.strokeStyle = "#26323c"; ctx.lineWidth = 1;
    this.strips.forEach((_, i) => {
      const r = this.strip(i), x = r.left + (r.width * (time - this.t0)) / (this.t1 - this.t0);
      ctx.beginPath(); ctx.moveTo(x, r.top); ctx.lineTo(x, r.top + r.height); ctx.stroke();
    });
    this.cursor = time;
  }
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough)), share = rough / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}
