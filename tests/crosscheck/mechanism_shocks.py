"""Pulses and jumps that act on a random mechanism, short beside its motion, given in every way there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwork as lw

from .sketch import Sketch

WAYS = ("comparison", "table", "input", "function")


@dataclass
class Pulse:
    """A load that acts from `begin` to `end` [s] only; a jump, if that is beyond the run."""

    begin: float
    end: float
    size: float
    parameter: str
    """Stands for the pulse in a twin of the model, which knows no time."""

    def at(self, t: float) -> float:
        return self.size if self.begin < t < self.end else 0.0


def add_pulses(sketch: Sketch, duration: float, *, twin: bool) -> tuple[list[Pulse], dict[str, Any]]:
    """Up to three, and what their inputs must be given; twin: parameters stand for them."""
    model, rng = sketch.model, sketch.rng
    coordinates = [c for j in model.of_type(lw.Joint) for c in j.coordinates]
    pulses: list[Pulse] = []
    inputs: dict[str, Any] = {}
    for k in range(int(rng.integers(1, 4))):
        width = duration * 10.0 ** rng.uniform(-3, -0.5)
        begin = float(rng.uniform(0, duration - width))
        end = 2 * duration if sketch.chance(0.3) else begin + width
        size = rng.uniform(0.2, 0.5) * min(1 / width, 20 / duration)  # of about the same impulse [N·s, N·m·s]
        pulses.append(Pulse(begin, end, float(size), f"pulse{k}"))
        way, body = sketch.pick([*WAYS]), sketch.pick(sketch.bodies)
        signal = model.parameter(f"pulse{k}", 0.0) if twin else _signal(model, way, pulses[-1], inputs)
        if coordinates and sketch.chance(0.6):
            sketch.pick(coordinates).law(lw.Effort(signal))
        else:
            direction = sketch.vector(1)[: model.dimension]
            model.force(f"pulse{k}_force", body.at(), [signal * float(x) for x in direction])
    return pulses, inputs


def _signal(model: lw.Model, way: str, pulse: Pulse, inputs: dict[str, Any]) -> Any:
    t, size = model.t, pulse.size
    if way == "comparison":
        return lw.if_else(t > pulse.begin, lw.if_else(t < pulse.end, size, 0), 0)
    times = [pulse.begin, pulse.begin, pulse.end, pulse.end]
    if way == "table":
        return lw.Table([pulse.begin - 1, pulse.begin, pulse.end], [0, size, 0], "hold")(t)
    name = f"{pulse.parameter}_course"
    inputs[name] = (times, [0, size, size, 0])
    if way == "function":
        inputs[name] = lw.Signal(np.vectorize(pulse.at), breakpoints=[pulse.begin, pulse.end])
    return model.input(name)
