// The drawing as the server tells it, with the poses that bodies have at this moment; what is near a point of it.

import { distance, inside, nearest, world } from "./geometry.js";

const EMPTY = { planar: true, bodies: [], joints: [], points: [], springs: [], gears: [], size: 1 };

export class Sketch {
  constructor() { this.take(EMPTY); }

  take(view) {
    this.view = { ...EMPTY, ...view };
    this.poses = Object.fromEntries(this.view.bodies.map((body) => [body.name, body.pose]));
    this.pins = [
      ...this.view.joints.map((joint) => ({ ...joint, bodies: joint.places.map((p) => p.body) })),
      ...this.view.points.map((point) => ({ ...point, kind: "point", bodies: point.places.map((p) => p.body) })),
    ].filter((pin) => pin.places.length);
  }

  get empty() { return !this.view.bodies.length && !this.pins.length; }

  pin(name) { return this.pins.find((pin) => pin.name === name); }
  body(name) { return this.view.bodies.find((body) => body.name === name); }
  spring(name) { return this.view.springs.find((spring) => spring.name === name); }

  /** Where a pin is now: on its last body, which moves if one of them does. */
  at(pin) { return world(pin.places[pin.places.length - 1], this.poses); }
  place(place) { return world(place, this.poses); }
  corners(body) { return body.corners.map(([x, y]) => world({ body: body.name, x, y }, this.poses)); }

  /** Whether a pin is on the ground, and on nothing else (or: also) that moves. */
  grounded(pin) { return pin.bodies.some((body) => !(body in this.poses)); }

  /** Pins of a body, in order. */
  pinsOf(body) { return this.pins.filter((pin) => pin.kind !== "prismatic" && pin.bodies.includes(body)); }

  /** The pin within reach of a point [m]: those that join before those that wait, then the nearest. */
  pinNear(p, reach, accept = () => true) {
    const candidates = this.pins.filter(accept).map((pin) => ({ pin, away: distance(p, this.at(pin)) + (pin.kind === "revolute" ? 0 : 1e-3 * reach) }))
      .filter((x) => x.away <= reach).sort((a, b) => a.away - b.away);
    return candidates.length ? candidates[0].pin : null;
  }

  /** The body whose bars (or inside) are within reach of a point, and the nearest point of it. */
  bodyNear(p, reach) {
    let best = null;
    for (const body of [...this.view.bodies].reverse()) {
      const corners = this.corners(body);
      if (!corners.length) continue;
      if (corners.length === 1) {
        const away = distance(p, corners[0]);
        if (away <= 1.6 * reach && (!best || away < best.away)) best = { body, point: corners[0], away };
        continue;
      }
      for (let i = 0; i < corners.length; i++) {
        if (corners.length === 2 && i === 1) break;
        const point = nearest(p, corners[i], corners[(i + 1) % corners.length]), away = distance(p, point);
        if (away <= reach && (!best || away < best.away)) best = { body, point, away };
      }
      if (!best && corners.length > 2 && inside(p, corners)) best = { body, point: p, away: reach };
    }
    return best;
  }

  springNear(p, reach) {
    let best = null;
    for (const spring of this.view.springs) {
      if (spring.places.length < 2) continue;
      const away = distance(p, nearest(p, ...spring.places.map((x) => this.place(x))));
      if (away <= reach && (!best || away < best.away)) best = { spring, away };
    }
    return best && best.spring;
  }

  /** Lower and upper corner of everything; null where there is nothing. */
  bounds() {
    const all = [...this.pins.map((pin) => this.at(pin)), ...this.view.springs.flatMap((s) => s.places.map((p) => this.place(p)))];
    if (!all.length) return null;
    return [[0, 1].map((k) => Math.min(...all.map((p) => p[k]))), [0, 1].map((k) => Math.max(...all.map((p) => p[k])))];
  }
}
