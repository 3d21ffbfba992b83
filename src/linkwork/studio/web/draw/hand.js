// The hand: a mechanism follows the pointer through its joints. One request is under way at a time, always the latest,
// and no more of them than pictures are drawn.

import { world } from "./geometry.js";

const TRAIL_LIMIT = 1500; // points of a live trace

export class Hand {
  constructor({ connection, sketch, player, repaint }) {
    Object.assign(this, { connection, sketch, player, repaint });
    this.held = null;
    /** Paths of traced points while dragging, by name. */
    this.trails = new Map();
    this.frames = 0;
  }

  /** Take hold of a body at a point of the world. */
  async take(body, point, view = null) {
    const held = { body, target: point, reached: true, ready: false, busy: false, over: null };
    this.held = held;
    this.player.moving = true;
    this.trails.clear();
    this.frames = 0;
    try {
      const told = await this.connection.ask("grab", { body, point, ...(view ? { view } : {}) });
      held.ready = true;
      held.freedoms = told.freedoms;
      held.driven = told.driven;
      held.began = performance.now();
      if (held.over) return this.finish(held.over);
      this.next();
    } catch (error) {
      if (this.held === held) this.drop();
      throw error;
    }
    return null;
  }

  drop() {
    this.held = null;
    this.player.moving = false;
  }

  move(point) {
    if (!this.held) return;
    this.held.target = point;
    this.held.fresh = true;
    this.next();
  }

  async next() {
    const { held } = this;
    if (!held || !held.ready || held.busy || !held.fresh) return;
    held.busy = true;
    held.fresh = false;
    try {
      const told = await this.connection.ask("drag", { target: held.target });
      if (this.held !== held) return;
      this.show(told);
      held.reached = told.reached;
      held.point = told.point;
      if (!told.settled && !held.fresh) held.fresh = true; // it is still on its way
    } catch { /* the document has changed under it: the next grab says why */ }
    if (held.picture && !held.waiting) await held.picture; // never more than one answer ahead of the pictures
    held.picture = new Promise(requestAnimationFrame);
    held.busy = false;
    if (held.waiting) held.waiting();
    this.next();
  }

  show(told) {
    this.frames += 1;
    const planar = Object.values(told.poses).every((pose) => pose.length === 3);
    if (planar) Object.assign(this.sketch.poses, told.poses);
    const poses = Object.fromEntries(Object.entries(told.poses).map(([name, p]) => [name, planar ? p : [p.slice(0, 3), p.slice(3)]]));
    if (this.player.world) this.player.poses(poses);
    for (const point of this.sketch.view.points) {
      const place = point.places[0];
      if (!place || !(place.body in told.poses)) continue;
      const trail = this.trails.get(point.name) || [];
      trail.push(world(place, this.sketch.poses));
      if (trail.length > TRAIL_LIMIT) trail.shift();
      this.trails.set(point.name, trail);
    }
    this.repaint();
  }

  /** Let go: how "release" (the mechanism starts from here) or "cancel". */
  async finish(how) {
    const { held } = this;
    if (!held) return null;
    if (!held.ready) { held.over = how; return null; }
    if (held.busy) await new Promise((resolve) => { held.waiting = resolve; });
    this.rate = held.began ? (1000 * this.frames) / (performance.now() - held.began) : 0;
    this.drop();
    return this.connection.ask("release", { cancel: how === "cancel" });
  }
}
