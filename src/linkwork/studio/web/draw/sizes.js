// Sizes of what is drawn already, typed after a double click: lengths of links, places of pins, numbers of springs.

import { angleOf, distance, polar, readAngle, readLength, showAngle, showLength } from "./geometry.js";
import { notice, refused } from "../notices.js";

const PULLS = 30; // at most, towards each of the angles on the way

export class Sizes {
  constructor(drawing) {
    this.drawing = drawing;
    this.fields = drawing.fields;
    this.open = false;
  }

  hide() {
    if (!this.open) return;
    this.open = false;
    this.fields.hide();
  }

  show(hit, pixel) {
    const { sketch } = this.drawing;
    if (hit.kind === "body") this.link(sketch.body(hit.name));
    else if (hit.kind === "spring") this.spring(hit.name);
    else if (sketch.pin(hit.name)) this.pin(sketch.pin(hit.name));
    if (this.open) this.fields.beside(pixel);
  }

  ask(entries, done) {
    this.open = true;
    this.fields.show(entries, { done: async (values) => { if (await done(values) !== false) this.hide(); }, left: () => this.hide(), focus: true });
  }

  async change(verb, content) {
    try {
      await this.drawing.connection.ask(verb, content);
      return true;
    } catch (error) {
      refused(error);
      return false;
    }
  }

  /** Distances of neighbouring pins of a link; of a bar on a pivot its angle, too. */
  link(body) {
    const { sketch } = this.drawing, pins = body ? distinct(sketch, sketch.pinsOf(body.name)) : [];
    if (pins.length < 2) return;
    if (pins.length === 2 && sketch.grounded(pins[1])) pins.reverse();
    const turns = pins.length === 2 && sketch.grounded(pins[0]), angle = turns ? angleOf(sketch.at(pins[0]), sketch.at(pins[1])) : 0;
    const pairs = pins.length === 2 ? [[pins[0], pins[1]]] : pins.map((pin, k) => [pin, pins[(k + 1) % pins.length]]);
    const entries = pairs.map(([a, b]) => [`${a.name}|${b.name}`, `${a.name} – ${b.name}`, "m", showLength(distance(sketch.at(a), sketch.at(b)))]);
    this.ask(turns ? [...entries, ["angle", "Angle", "°", showAngle(angle)]] : entries, async (values) => {
      const wanted = turns && this.fields.given("angle") !== null ? readAngle(values.angle) : angle;
      if (wanted === null) { this.fields.fault("angle"); return false; }
      for (const [a, b] of pairs) {
        const name = `${a.name}|${b.name}`;
        if (!this.fields.given(name)) continue;
        if (readLength(values[name]) === null) { this.fields.fault(name); return false; }
        if (!(await this.change("resize", { body: body.name, pins: [a.name, b.name], length: values[name] }))) { this.fields.fault(name); return false; }
      }
      return wanted === angle || this.turn(body.name, pins, wanted);
    });
  }

  /** Turn a link about its pivot to an angle, through all angles between: the mechanism is dragged there. */
  async turn(body, pins, wanted) {
    const { sketch, connection } = this.drawing, [from, now] = pins.map((pin) => sketch.at(pin)), begin = angleOf(from, now), length = distance(from, now);
    const way = wanted - begin - 2 * Math.PI * Math.round((wanted - begin) / (2 * Math.PI)), steps = Math.ceil(Math.abs(way) / 0.2);
    try {
      await connection.ask("grab", { body, point: now });
      let told = { reached: false };
      for (let k = 1; k <= steps; k++) {
        const target = polar(from, length, begin + (way * k) / steps);
        for (let pulls = 0; pulls < PULLS && !(pulls && told.settled); pulls++) told = await connection.ask("drag", { target });
      }
      await connection.ask("release", { cancel: !told.reached });
      if (!told.reached) notice("warning", `${body} cannot be turned there: the other joints do not let it.`);
      return told.reached;
    } catch (error) {
      refused(error);
      return false;
    }
  }

  pin(pin) {
    const at = this.drawing.sketch.at(pin);
    this.ask([["x", "x", "m", showLength(at[0])], ["y", "y", "m", showLength(at[1])]], async (values) => {
      const to = ["x", "y"].map((name, k) => (this.fields.given(name) === null ? at[k] : readLength(values[name])));
      for (const [k, name] of ["x", "y"].entries()) if (to[k] === null) { this.fields.fault(name); return false; }
      return this.change("move_pin", { pin: pin.name, to });
    });
  }

  async spring(name) {
    try {
      const told = await this.drawing.connection.ask("component", { name });
      const wanted = ["stiffness", "damping", "length"].map((word) => told.arguments.find((a) => a.name === word)).filter(Boolean);
      this.ask(wanted.map((a) => [a.name, a.name[0].toUpperCase() + a.name.slice(1), a.unit, a.value ?? a.default ?? ""]), (values) => {
        const steps = wanted.filter((a) => this.fields.given(a.name) !== null).map((a) => ({ verb: "set", name, argument: a.name, value: values[a.name] }));
        return steps.length ? this.change("batch", { steps }) : true;
      });
    } catch (error) { refused(error); }
  }
}

/** One pin for each place. */
function distinct(sketch, pins) {
  const separate = [];
  for (const pin of pins) if (!separate.some((other) => distance(sketch.at(other), sketch.at(pin)) < 1e-6 * sketch.view.size)) separate.push(pin);
  return separate;
}
