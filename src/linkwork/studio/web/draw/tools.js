// What the tools are: their names, keys, what they ask for, and how many places they take.

/**
 * verb: the tool of the server; ends: places it takes; pins: only these may be chosen; bodies: whether places on bodies
 * count; values: what is asked beside the tools; sized: length and angle are shown and typed.
 */
export const TOOLS = [
  { id: "hand", key: "v", title: "Select, and drag the mechanism through its joints", hint: "Drag a link or a pin: the mechanism follows. Double click: type its size." },
  { id: "shape", key: "e", title: "Move pins: links change their lengths", hint: "Drag a pin to another place. The links that end there become longer or shorter." },
  { id: "pivot", key: "p", title: "Pivot on the ground", ends: 1, bodies: true, hint: "Click where something is to be pinned to the ground." },
  { id: "link", key: "l", title: "Link: a bar between two points", ends: 2, bodies: true, sized: true, hint: "Click its two ends; on a pin or a bar it is joined there. Type a length, Tab, an angle, Enter." },
  { id: "plate", key: "t", verb: "link", title: "Link through three or more points", ends: Infinity, bodies: true, sized: true, hint: "Click its points; Enter, a double click or a click on the first point ends it." },
  { id: "slider", key: "s", title: "Slider: a block on a rail", ends: 2, bodies: true, angled: true, hint: "Click the block's place (a link's end carries it, a bar is its rail), then the direction." },
  { id: "spring", key: "k", title: "Spring between two points", ends: 2, bodies: true, values: [["stiffness", "Stiffness", "N/m", "200"], ["damping", "Damping", "N·s/m", "0"]], hint: "Click its two ends: pins, places on bars, or the ground. It is unstretched as drawn." },
  { id: "damper", key: "d", title: "Damper between two points", ends: 2, bodies: true, values: [["damping", "Damping", "N·s/m", "5"]], hint: "Click its two ends." },
  { id: "rotary", key: "r", title: "Rotary damper in a pin", ends: 1, pins: (pin) => pin.kind === "revolute", values: [["rotary", "Damping", "N·m·s/rad", "0.1"]], hint: "Click a pin: it brakes one link against the other." },
  { id: "motor", key: "m", title: "Motor on a pin or slider", ends: 1, pins: (pin) => pin.kind === "revolute" || pin.kind === "prismatic", choices: [["speed", "Speed", "rad/s", "2"], ["torque", "Torque", "N·m", "1"]], hint: "Click a pin or slider that it drives." },
  { id: "gear", key: "g", title: "Gear pair between two pivots", ends: 2, pins: (pin) => pin.kind !== "prismatic", values: [["ratio", "Ratio", "", "-1"]], hint: "Click two pivots. Ratio: turns of the second per turn of the first." },
  { id: "point", key: "o", title: "Point to trace", ends: 2, onBody: true, bodies: true, hint: "Click a link, then the point that is to be traced with it." },
  { id: "erase", key: "x", title: "Delete (or choose something and press Delete)", ends: 1, bodies: true, erases: true, hint: "Click what is to go. Links that were pinned to it keep a pin there." },
];

export const tool = (id) => TOOLS.find((t) => t.id === id);
