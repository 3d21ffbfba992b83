// Points of the plane, lengths and angles as typed, and round numbers for grids.

export const distance = (a, b) => Math.hypot(b[0] - a[0], b[1] - a[1]);
export const angleOf = (a, b) => Math.atan2(b[1] - a[1], b[0] - a[0]);
export const polar = (from, length, angle) => [from[0] + length * Math.cos(angle), from[1] + length * Math.sin(angle)];
export const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];

/** Where a place {body, x, y} is, for poses { name: [x, y, angle] }; the ground stands still. */
export function world(place, poses) {
  const pose = poses[place.body];
  if (!pose) return [place.x, place.y];
  const c = Math.cos(pose[2]), s = Math.sin(pose[2]);
  return [pose[0] + c * place.x - s * place.y, pose[1] + s * place.x + c * place.y];
}

/** The point of the segment a–b nearest to p. */
export function nearest(p, a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], size = dx * dx + dy * dy;
  const share = size ? Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / size)) : 0;
  return [a[0] + share * dx, a[1] + share * dy];
}

/** Whether a point is inside of a polygon. */
export function inside(p, corners) {
  let odd = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [a, b] = [corners[i], corners[j]];
    if (a[1] > p[1] !== b[1] > p[1] && p[0] < ((b[0] - a[0]) * (p[1] - a[1])) / (b[1] - a[1]) + a[0]) odd = !odd;
  }
  return odd;
}

/** The round number (1, 2 or 5 times a power of ten) that is at least so large. */
export function roundUp(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((f) => f * power).find((step) => step >= least * (1 - 1e-9));
}

/** Without the digits that rounding has left: 0.30000000000000004 is 0.3. */
export const clean = (x) => +x.toPrecision(12);

const LENGTHS = { m: 1, mm: 1e-3, cm: 1e-2, km: 1e3, in: 0.0254, "": 1 };
const ANGLES = { "": Math.PI / 180, deg: Math.PI / 180, "°": Math.PI / 180, rad: 1 };

function read(text, units) {
  const match = /^\s*([-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[-+]?\d+)?)\s*([a-z°]*)\s*$/i.exec(text);
  if (!match || !(match[2] in units)) return null;
  const value = parseFloat(match[1].replace(",", ".")) * units[match[2]];
  return Number.isFinite(value) ? value : null;
}

/** A length as typed, in metres unless it says otherwise; null: it is none. */
export const readLength = (text) => read(text, LENGTHS);
/** An angle as typed, in degrees unless it says otherwise, as radians. */
export const readAngle = (text) => read(text, ANGLES);

export const showLength = (x) => `${clean(+x.toPrecision(5))}`;
export const showAngle = (x) => `${+((x * 180) / Math.PI).toFixed(2)}`;
