// Everything that is painted over the scene: grid, pins, curves, what is being drawn, what is held.

import { distance } from "./geometry.js";
import * as paint from "./paint.js";

export class Painter {
  constructor(drawing) { this.drawing = drawing; }

  /** Whether something over the scene goes with what is dragged; else it stays as it was painted. */
  get follows() {
    const { sketch, store, hand } = this.drawing;
    return this.thread || !hand.held.reached || hand.trails.size > 0 || store.selection.length > 0 || sketch.view.gears.length > 0
      || sketch.pins.some((pin) => pin.kind === "point" && !sketch.grounded(pin));
  }

  paint() {
    const { drawing } = this, { board, sketch, hand, placing } = drawing, { colours } = board, c = board.begin();
    board.showGrid(sketch.view.planar);
    if (!sketch.view.planar) { this.held(c); return; }
    const style = { colour: colours.accent, fill: colours.paper, paper: colours.paper };
    paint.rule(c, board);
    this.curves(c);
    this.pins(c);
    for (const done of drawing.pending) { c.globalAlpha = 0.6; done.paint(c, style); c.globalAlpha = 1; }
    if (!["hand", "shape", "erase"].includes(drawing.tool.id)) placing.paint(c, style);
    this.snapped(c);
    if (drawing.moving) this.moved(c, style);
    this.held(c);
  }

  curves(c) {
    const { board, curves, hand } = this.drawing, { colours } = board;
    const dash = hand.held ? [] : [6, 4]; // many short pieces take long to paint
    for (const curve of curves) paint.line(c, curve.points.map((p) => board.pixelOf(p)), { colour: colours.against, width: hand.held ? 1 : 1.6, dash, alpha: 0.9 });
    for (const trail of hand.trails.values()) paint.line(c, trail.map((p) => board.pixelOf(p)), { colour: colours.against, width: 2.4 });
  }

  pins(c) {
    const { board, sketch, store } = this.drawing, { colours } = board;
    for (const pin of sketch.pins) {
      const p = board.pixelOf(sketch.at(pin)), chosen = store.selection.includes(pin.name);
      const colour = chosen ? colours["accent-strong"] : colours.text;
      if (pin.kind === "point" && sketch.grounded(pin)) paint.pivot(c, p, { colour, fill: colours.paper });
      else if (pin.kind === "point") paint.ring(c, p, 4, { colour: chosen ? colour : colours.against, fill: colours.paper });
      if (chosen) paint.ring(c, p, 9, { colour, width: 2 });
    }
    for (const body of sketch.view.bodies) if (store.selection.includes(body.name)) this.chosen(c, body);
    for (const gear of sketch.view.gears) {
      const ends = [gear.driver, gear.driven].map((text) => sketch.pin(text.replace(/\.angle$/, "").replace(/`/g, ""))).filter(Boolean).map((pin) => board.pixelOf(sketch.at(pin)));
      paint.line(c, ends, { colour: colours.muted, dash: [2, 5], width: 1.4 });
    }
  }

  // Its lengths, beside it.
  chosen(c, body) {
    const { board, sketch } = this.drawing, { colours } = board, corners = sketch.corners(body), style = { colour: colours["accent-strong"], paper: colours.paper };
    for (let i = 0; i < (corners.length === 2 ? 1 : corners.length); i++) {
      const a = corners[i], b = corners[(i + 1) % corners.length], [p, q] = [board.pixelOf(a), board.pixelOf(b)];
      if (distance(p, q) < 30) continue;
      const angle = Math.atan2(q[1] - p[1], q[0] - p[0]) - Math.PI / 2;
      paint.label(c, `${+distance(a, b).toPrecision(4)} m`, [(p[0] + q[0]) / 2 + 20 * Math.cos(angle), (p[1] + q[1]) / 2 + 20 * Math.sin(angle)], style);
    }
  }

  // What the pointer would join.
  snapped(c) {
    const { board, over, tool } = this.drawing, { colours } = board;
    if (!over || (!over.pin && !over.body)) return;
    if (tool.id === "hand" || tool.id === "shape") {
      paint.ring(c, board.pixelOf(over.at), 9, { colour: colours.accent, width: 2 });
      return;
    }
    paint.ring(c, board.pixelOf(over.at), over.pin ? 10 : 7, { colour: tool.erases ? colours.bad : colours.good, width: 2.2 });
    paint.label(c, over.pin || over.body, [board.pixelOf(over.at)[0], board.pixelOf(over.at)[1] - 22], { colour: tool.erases ? colours.bad : colours.good, paper: colours.paper });
  }

  // Links as they will be when a pin is let go.
  moved(c, style) {
    const { board, sketch, moving } = this.drawing, pin = sketch.pin(moving.pin), at = sketch.at(pin), near = 1e-6 * sketch.view.size, to = board.pixelOf(moving.to);
    for (const body of sketch.view.bodies) {
      const corners = sketch.corners(body);
      if (!corners.some((p) => distance(p, at) < near)) continue;
      paint.bars(c, corners.map((p) => (distance(p, at) < near ? to : board.pixelOf(p))), style);
    }
    paint.ring(c, to, 6, { colour: style.colour, fill: style.fill });
    paint.label(c, `${+moving.to[0].toPrecision(4)}, ${+moving.to[1].toPrecision(4)} m`, [to[0], to[1] - 22], style);
  }

  // The thread between what is held and where it is pulled, unless it is there: then the pointer shows it.
  held(c) {
    const { board, hand, player } = this.drawing, { held } = hand;
    this.thread = !!held && !held.reached;
    if (!this.thread || !held.point) return;
    const from = player.toPixel([...held.point, 0].slice(0, 3)), to = player.toPixel([...held.target, 0].slice(0, 3)), { colours } = board;
    paint.line(c, [from, to], { colour: colours.bad, dash: [5, 4], width: 1.6 });
    paint.ring(c, from, 7, { colour: colours.bad, width: 2.4 });
  }
}
