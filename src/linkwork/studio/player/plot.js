// Channels over time, one strip per unit, with a cursor at the time that is shown and the values there.

const INKS = ["#4477aa", "#cc6677", "#228833", "#aa8822", "#228899", "#aa4488", "#775533", "#445566"];
const VALUE = 58;  // pixels that a value takes after its name
const SECONDS = [[0.02, 1, "s"], [2e-5, 1e3, "ms"], [0, 1e6, "µs"]];  // shortest run, units per second, unit

class Plot {
  constructor(canvas, curves, seek, palette) {
    this.canvas = canvas;
    this.curves = curves.map((c, i) => ({ ...c, ink: INKS[i % INKS.length], values: new Float32Array(0) }));
    this.strips = [...new Set(curves.map((c) => c.unit))].map((unit) => ({
      curves: this.curves.filter((c) => c.unit === unit),
    }));
    for (const s of this.strips) Object.assign(s, { unit: s.curves[0].shown, factor: 10 ** -s.curves[0].exponent });
    this.colours(palette);
    const at = (e) => {
      const box = canvas.getBoundingClientRect(), s = this.strip(this.stripAt(e.clientX - box.left, e.clientY - box.top));
      seek(this.t0 + ((e.clientX - box.left - s.left) / s.width) * (this.t1 - this.t0));
    };
    this.heard = new AbortController();
    const heard = { signal: this.heard.signal };
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); at(e); }, heard);
    canvas.addEventListener("pointermove", (e) => { if (e.buttons) at(e); }, heard);
  }

  dispose() { this.heard.abort(); }

  colours(palette) {
    this.palette = palette;
    const dark = palette === PALETTES.dark;
    this.curves.forEach((c, i) => { const ink = INKS[i % INKS.length]; c.ink = dark ? hex(rgb(ink).map((x) => 0.3 + 0.7 * x)) : ink; });
    this.still = null;
  }

  strip(i) {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, n = this.strips.length;
    const rows = Math.ceil(n / Math.max(1, Math.floor(w / 260))), columns = Math.ceil(n / rows);
    const cell = { w: w / columns, h: h / rows };
    const left = (i % columns) * cell.w + 58, top = Math.floor(i / columns) * cell.h + 20;
    return { left, top, width: cell.w - 74, height: Math.max(cell.h - 40, 10), columns, rows, cell };
  }

  stripAt(x, y) {
    const { columns, cell } = this.strip(0);
    return Math.min(this.strips.length - 1, Math.floor(y / cell.h) * columns + Math.min(columns - 1, Math.floor(x / cell.w)));
  }

  data(t, values) {
    this.t = t; this.t0 = t[0]; this.t1 = t.length > 1 ? t[t.length - 1] : t[0] + 1;
    [, this.perSecond, this.timeUnit] = SECONDS.find(([shortest]) => this.t1 - this.t0 >= shortest);
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

  value(x) {
    if (!isFinite(x)) return "–";
    const size = Math.abs(x), text = size && (size < 1e-3 || size >= 1e5) ? x.toExponential(2) : x.toPrecision(4);
    return text.replace(/-/g, "\u2212");
  }

  // Names with what they are worth at a time (null: names only), on the line above a strip.
  heading(ctx, s, r, time) {
    ctx.textAlign = "left"; ctx.textBaseline = "alphabetic";
    const unit = s.unit ? `[${s.unit}]` : "", room = r.left + r.width;
    ctx.fillStyle = this.palette.faint;
    ctx.fillText(unit, r.left, r.top - 6);
    let place = r.left + (unit ? ctx.measureText(unit).width + 10 : 0);
    for (const c of s.curves) {
      const wide = ctx.measureText(c.name).width;
      ctx.fillStyle = c.ink;
      if (place + wide + VALUE > room + 12) { ctx.fillText("…", place, r.top - 6); break; }
      ctx.fillText(c.name, place, r.top - 6);
      ctx.fillStyle = this.palette.ink;
      ctx.fillText(this.value(this.at(c, time) * s.factor), place + wide + 5, r.top - 6);
      place += wide + VALUE + 8;
    }
  }

  at(curve, time) {
    const t = this.t, last = t.length - 1;
    let a = 0, b = last;
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] <= time) a = m; else b = m; }
    const share = last && t[b] > t[a] ? (time - t[a]) / (t[b] - t[a]) : 0;
    return share ? curve.values[a] + share * (curve.values[b] - curve.values[a]) : curve.values[a];
  }

  // Everything but the cursor and the values there is drawn once and kept.
  background(ctx, w, h) {
    ctx.clearRect(0, 0, w, h);
    ctx.font = "11px system-ui, sans-serif";
    this.strips.forEach((s, i) => {
      const r = this.strip(i), y = (v) => r.top + r.height * (1 - (v - s.low) / (s.high - s.low));
      const x = (t) => r.left + (r.width * (t - this.t0)) / (this.t1 - this.t0);
      ctx.strokeStyle = this.palette.grid; ctx.fillStyle = this.palette.faint; ctx.lineWidth = 1;
      const step = niceStep((s.high - s.low) / Math.max(2, r.height / 26));
      ctx.textAlign = "right"; ctx.textBaseline = "middle";
      for (let v = Math.ceil(s.low / step) * step; v <= s.high; v += step) {
        ctx.beginPath(); ctx.moveTo(r.left, y(v)); ctx.lineTo(r.left + r.width, y(v)); ctx.stroke();
        ctx.fillText(this.number(v * s.factor, step * s.factor), r.left - 5, y(v));
      }
      this.timeAxis(ctx, r, x);
      ctx.save(); ctx.beginPath(); ctx.rect(r.left, r.top - 1, r.width, r.height + 2); ctx.clip();
      for (const c of s.curves) {
        ctx.strokeStyle = c.ink; ctx.lineWidth = 1.6; ctx.beginPath();
        for (let k = 0; k < c.values.length; k++) k ? ctx.lineTo(x(this.t[k]), y(c.values[k])) : ctx.moveTo(x(this.t[k]), y(c.values[k]));
        ctx.stroke();
      }
      ctx.restore();
    });
  }

  timeAxis(ctx, r, x) {
    const every = niceStep((this.t1 - this.t0) / Math.max(2, r.width / 90)), unit = `t [${this.timeUnit}]`;
    ctx.textBaseline = "top"; ctx.textAlign = "right";
    const low = r.top + r.height + 4, right = r.left + r.width + 12, free = right - ctx.measureText(unit).width - 6;
    ctx.fillText(unit, right, low);
    ctx.textAlign = "center";
    for (let t = Math.ceil(this.t0 / every) * every; t <= this.t1 + every * 1e-9; t += every) {
      const text = this.number(t * this.perSecond, every * this.perSecond);
      if (x(t) + ctx.measureText(text).width / 2 < free) ctx.fillText(text, x(t), low);
    }
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
    ctx.font = "11px system-ui, sans-serif";
    this.strips.forEach((s, i) => {
      const r = this.strip(i), x = r.left + (r.width * (time - this.t0)) / (this.t1 - this.t0);
      ctx.strokeStyle = this.palette.ink; ctx.lineWidth = 1;
      ctx.beginPath(); ctx.moveTo(x, r.top); ctx.lineTo(x, r.top + r.height); ctx.stroke();
      for (const c of s.curves) {
        const v = this.at(c, time);
        if (!isFinite(v)) continue;
        ctx.fillStyle = c.ink;
        ctx.beginPath(); ctx.arc(x, r.top + r.height * (1 - (v - s.low) / (s.high - s.low)), 3, 0, 2 * Math.PI); ctx.fill();
      }
      this.heading(ctx, s, r, time);
    });
    this.cursor = time;
  }
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough)), share = rough / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}
