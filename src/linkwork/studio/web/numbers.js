// Numbers: as they come from the server, and as they are shown.

function unpacked(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text).buffer;
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

/** Little-endian doubles from base64 text. */
export const doubles = (text) => new Float64Array(unpacked(text || ""));

/** Little-endian single-precision numbers from base64 text. */
export const floats = (text) => new Float32Array(unpacked(text));

/** A number with a few digits and a true minus sign. */
export function shown(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(Math.max(0, digits - 2)) : String(+value.toPrecision(digits));
  return text.replace("e+", "e").replace(/-/g, "−");
}

/** A number and its unit. */
export const measured = (value, unit, digits = 4) => shown(value, digits) + (unit ? ` ${unit}` : "");

/** 1, 2 or 5 times a power of ten near a rough step. */
export function niceStep(rough) {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough)), share = rough / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

/** Round values between two, and how each is written. */
export function ticks(low, high, count) {
  const step = niceStep((high - low) / Math.max(count, 1)), made = [];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const value = k * step;
    const text = digits > 6 || Math.abs(value) >= 1e6 ? value.toExponential(1) : String(+value.toFixed(digits));
    made.push([value, text.replace(/-/g, "−")]);
  }
  return made;
}

const PREFIXED = new Set(["N", "W", "J", "Pa", "V", "A", "N·m", "Hz", "N/m", "W/K"]);
const PREFIXES = { "-9": "n", "-6": "µ", "-3": "m", 3: "k", 6: "M", 9: "G" };
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * The unit in which numbers up to `largest` read best.
 * @returns {{unit: string, factor: number}} shown = value × factor
 */
export function scaled(unit, largest) {
  const power = largest > 0 ? Math.floor(Math.log10(largest * 1.0001) / 3) * 3 : 0;
  const exponent = largest >= 1e4 || (largest > 0 && largest < 1e-2) ? Math.max(-12, Math.min(12, power)) : 0;
  if (!exponent) return { unit, factor: 1 };
  if (unit === "m" && exponent === -3) return { unit: "mm", factor: 1e3 };
  if (PREFIXED.has(unit) && PREFIXES[exponent]) return { unit: PREFIXES[exponent] + unit, factor: 10 ** -exponent };
  const raised = (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map((d) => SUPERSCRIPT[d]).join("");
  return { unit: `10${raised}${unit ? ` ${unit}` : ""}`, factor: 10 ** -exponent };
}

/** Index of the last time that is not after `time`. */
export function indexAt(t, time) {
  let low = 0, high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

/** Value of a curve at a time, linear between its samples. */
export function valueAt(t, y, time) {
  const k = indexAt(t, time);
  if (k + 1 >= t.length || time <= t[0]) return y[k];
  const span = t[k + 1] - t[k];
  return span > 0 ? y[k] + ((y[k + 1] - y[k]) * (time - t[k])) / span : y[k];
}

/** Whether a name fits a pattern with * and ?. */
export function fits(name, pattern) {
  const source = pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  try { return new RegExp(`^${source}$`).test(name); } catch { return name === pattern; }
}
