// How drawn things look on the canvas over the scene. All of them are in pixels.

import { angleOf, distance, middle, polar, showAngle, showLength } from "./geometry.js";

export function line(c, points, { colour, width = 1, dash = [], alpha = 1, close = false }) {
  if (points.length < 2) return;
  c.save();
  c.globalAlpha = alpha;
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.setLineDash(dash);
  c.beginPath();
  points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
  if (close) c.closePath();
  c.stroke();
  c.restore();
}

export function ring(c, [x, y], radius, { colour, width = 1.6, fill = null }) {
  c.save();
  c.beginPath();
  c.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) { c.fillStyle = fill; c.fill(); }
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.stroke();
  c.restore();
}

/** What one length on the screen is in metres, in the lower left corner. */
export function rule(c, board) {
  const { colours, height } = board, length = 5 * board.step, wide = length / board.pixel, y = height - 16;
  line(c, [[14, y - 4], [14, y], [14 + wide, y], [14 + wide, y - 4]], { colour: colours.muted, width: 1.2 });
  c.fillStyle = colours.muted;
  c.textAlign = "center";
  c.fillText(length >= 1 ? `${showLength(length)} m` : `${showLength(1000 * length)} mm`, 14 + wide / 2, y - 6);
  c.textAlign = "left";
}

/** A pivot on the ground that waits for a link. */
export function pivot(c, [x, y], { colour, fill }) {
  c.save();
  c.strokeStyle = colour;
  c.fillStyle = fill;
  c.lineWidth = 1.6;
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x - 9, y + 15);
  c.lineTo(x + 9, y + 15);
  c.closePath();
  c.fill();
  c.stroke();
  c.beginPath();
  for (let k = -1; k < 3; k++) { c.moveTo(x - 9 + 6 * k + 5, y + 15.5); c.lineTo(x - 9 + 6 * k, y + 21); }
  c.stroke();
  c.restore();
  ring(c, [x, y], 4.5, { colour, fill });
}

export function pin(c, p, { colour, fill }) { ring(c, p, 4.5, { colour, fill }); }

/** A bar, or a frame of bars, as it will be. */
export function bars(c, points, { colour, fill }) {
  if (points.length > 2) {
    c.save();
    c.globalAlpha = 0.12;
    c.fillStyle = colour;
    c.beginPath();
    points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fill();
    c.restore();
  }
  line(c, points, { colour, width: 7, alpha: 0.35, close: points.length > 2 });
  line(c, points, { colour, width: 1.5, close: points.length > 2 });
  for (const p of points) pin(c, p, { colour, fill });
}

export function rail(c, p, angle, { colour, fill }) {
  const along = [Math.cos(angle), -Math.sin(angle)], at = (s, n) => [p[0] + s * along[0] - n * along[1], p[1] + s * along[1] + n * along[0]];
  line(c, [at(-60, 0), at(60, 0)], { colour, width: 2 });
  c.save();
  c.fillStyle = fill;
  c.strokeStyle = colour;
  c.lineWidth = 1.6;
  c.beginPath();
  [at(-15, -10), at(15, -10), at(15, 10), at(-15, 10)].forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.closePath();
  c.fill();
  c.stroke();
  c.restore();
  pin(c, p, { colour, fill });
}

export function spring(c, a, b, { colour }) {
  const length = distance(a, b), angle = angleOf(a, b), points = [a], lead = Math.min(14, 0.2 * length), turns = 8;
  for (let k = 0; k <= turns; k++) {
    const along = lead + ((length - 2 * lead) * k) / turns, across = k === 0 || k === turns ? 0 : k % 2 ? 7 : -7;
    points.push([a[0] + along * Math.cos(angle) - across * Math.sin(angle), a[1] + along * Math.sin(angle) + across * Math.cos(angle)]);
  }
  line(c, [...points, b], { colour, width: 1.6 });
}

export function damper(c, a, b, { colour }) {
  const angle = angleOf(a, b), m = middle(a, b), across = [-Math.sin(angle), Math.cos(angle)];
  const at = (s, n) => { const p = polar(m, s, angle); return [p[0] + n * across[0], p[1] + n * across[1]]; };
  line(c, [a, at(-10, 0)], { colour, width: 1.6 });
  line(c, [at(8, -8), at(-10, -8), at(-10, 8), at(8, 8)], { colour, width: 1.6 });
  line(c, [at(2, -6), at(2, 6)], { colour, width: 1.6 });
  line(c, [at(2, 0), b], { colour, width: 1.6 });
}

/** An arrow around a pin. */
export function motor(c, [x, y], { colour, radius = 17 }) {
  c.save();
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = 2;
  c.beginPath();
  c.arc(x, y, radius, -0.35, -2 * Math.PI + 1.0, true);
  c.stroke();
  const tip = polar([x, y], radius, 1.0 - 0.12);
  c.beginPath();
  c.moveTo(tip[0] - 5, tip[1] + 4.5);
  c.lineTo(tip[0] + 5, tip[1] + 4);
  c.lineTo(tip[0] + 1, tip[1] - 5.5);
  c.fill();
  c.restore();
}

/** A pot around a pin, and the vane in it. */
export function rotary(c, [x, y], { colour, radius = 13 }) {
  c.save();
  c.strokeStyle = colour;
  c.lineWidth = 2;
  c.beginPath();
  c.arc(x, y, radius, 0.7, 2 * Math.PI - 0.7);
  c.moveTo(x + 4.5, y);
  c.lineTo(x + radius + 3, y);
  c.moveTo(x + radius - 3, y - 5);
  c.lineTo(x + radius - 3, y + 5);
  c.stroke();
  c.restore();
}

/** Length and angle of what is being drawn, beside it. */
export function dimension(c, a, b, length, angle, { colour, paper }) {
  const m = middle(a, b), turned = angleOf(a, b), away = polar(m, 18, turned - Math.PI / 2);
  label(c, `${showLength(length)} m`, away, { colour, paper });
  if (distance(a, b) > 46) {
    c.save();
    c.strokeStyle = colour;
    c.globalAlpha = 0.7;
    c.beginPath();
    c.arc(a[0], a[1], 24, 0, turned, turned < 0);
    c.stroke();
    c.restore();
    line(c, [a, [a[0] + 32, a[1]]], { colour, dash: [3, 3], alpha: 0.7 });
    label(c, `${showAngle(angle)}°`, polar(a, 42, turned / 2), { colour, paper });
  }
}

export function label(c, text, [x, y], { colour, paper }) {
  const w = c.measureText(text).width + 8;
  c.save();
  c.globalAlpha = 0.85;
  c.fillStyle = paper;
  c.fillRect(x - w / 2, y - 9, w, 18);
  c.globalAlpha = 1;
  c.fillStyle = colour;
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillText(text, x, y + 0.5);
  c.restore();
}
