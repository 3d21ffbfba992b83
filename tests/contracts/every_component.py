"""One small model for every component of the library, in which it is used as it is meant to be; it is called "x"."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.compile.functions import builders
from linkwork.core import registry
from linkwork.examples import slider_crank

from ..fuzz.scenes import Scene, valid

TURN = 0.3
"""Of the pendulum at the start [rad]."""


class Bench(Scene):
    """A pendulum, a free body at its tip, a third body on a rail, and things of each domain to connect to."""

    def __init__(self, planar: bool = True):
        self.planar = planar
        self.model = m = lw.Model("bench", gravity=(0, -9.81) if planar else (0, -9.81, 0))
        inertia = 0.1 if planar else (0.1, 0.12, 0.15)
        self.body, self.second, third = (m.body(name, mass=1.5, inertia=inertia) for name in "bcd")
        self.joint = m.revolute("pin", m.ground.at(), self.body.at(-0.5, 0))
        self.slider = m.prismatic("rail", m.ground.at(1.0, 0.5), third.at())
        self.parameter, self.drive = m.parameter("k", 2.0), m.input("u", 0.1)
        self.joint.angle.law(lw.Effort(self.drive)).law(lw.Damper(0.1))
        self.joint.angle.start(TURN)
        c, s = math.cos(TURN), math.sin(TURN)
        if planar:
            self.second.start(position=(c, s), angle=TURN)
        else:
            self.second.start(position=(c, s, 0), rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _loop(s: Bench) -> None:
    """The closed-form solution of a slider-crank."""
    s.model = m = slider_crank.model()
    tilt = lambda a: lw.asin(0.2 * lw.sin(a))  # noqa: E731
    O, A, P = m["O"].angle, m["A"].angle, m["P"].slide
    given = {A: lambda a: -a - tilt(a), P: lambda a: 0.2 * lw.cos(a) + lw.sqrt(1 - (0.2 * lw.sin(a)) ** 2)}
    m.dependence("x", given, on=[O])


def _amplifier(s: Bench) -> None:
    """An amplifier that inverts."""
    m, (source, earth) = s.model, s.end("electrics")
    amp = m.op_amp("x", p1=earth, n2=earth)
    m.resistor("in", resistance=1e3, p=source, n=amp.n1)
    m.resistor("back", resistance=2e3, p=amp.n1, n=amp.p2)


def _placed(s: Bench) -> None:
    """A body placed by a variable that swings."""
    m = s.model
    q = m.variable("x", guess=0.2)
    placed = m.body("placed", mass=1.0, inertia=0.1)
    m.guide("guide", placed, lw.rotz(q.symbol) @ lw.shift(0.4, 0))


def _tied(s: Bench) -> None:
    """Two variables, one of which follows the other."""
    m = s.model
    a, b = m.variable("v1", guess=0.2), m.variable("v2", guess=0.4)
    m.guide("guide", m.body("placed", mass=1.0, inertia=0.1), lw.rotz(a.symbol) @ lw.shift(0.4, 0))
    m.condition("x", b.symbol - s.parameter * a.symbol)


def _behind(domain: str, build: Callable[[Bench, Any], Any]) -> Callable[[Bench], None]:
    """Something behind a resistance, so that it is not tied to a source."""

    def connect(s: Bench) -> None:
        m, (source, other) = s.model, s.end(domain)
        here = build(s, other)
        if domain == "electrics":
            m.resistor("between", resistance=10.0, p=source, n=here)
        elif domain == "hydraulics":
            m.orifice("between", area=1e-5, a=source, b=here)
        else:
            m.heat_conductor("between", conductance=2.0, a=source, b=here)

    return connect


OWN: dict[str, Callable[[Bench], Any]] = {
    "accumulator": _behind("hydraulics", lambda s, e: s.model.accumulator("x", volume=1e-3, precharge=1e5).a),
    "capacitor": _behind("electrics", lambda s, e: s.model.capacitor("x", capacitance=1e-3, n=e).p),
    "chamber": _behind("hydraulics", lambda s, e: s.model.chamber("x", volume=1e-3, bulk_modulus=1e9).a),
    "condition": _tied,
    "dependence": _loop,
    "earth": lambda s: s.model.resistor(
        "R", resistance=2.0, p=s.model.voltage_source("V", 3.0, n=s.model.earth("x")).p, n=s.model["x"]
    ),
    "feedback": lambda s: s.model.feedback("x", {"pin.angle": 0.1, "pin.angle.rate": 0.0}, {"u": [-1.0, -0.2]}),
    "sampled_feedback": lambda s: s.model.sampled_feedback("x", {"pin.angle": 0.1}, {"u": [-1.0]}, period=0.02),
    "hydraulic_line": lambda s: s.model.hydraulic_line(
        "x", resistance=1e9, inertance=1e6, a=s.end("hydraulics")[0], b=s.end("hydraulics")[1]
    ),
    "op_amp": _amplifier,
    "shaft_fixed": lambda s: s.model.shaft_spring("S", stiffness=5.0, a=s.joint.angle, b=s.model.shaft_fixed("x")),
    "slide_fixed": lambda s: s.model.slide_spring("S", stiffness=5.0, a=s.slider.slide, b=s.model.slide_fixed("x")),
    "tank": _behind("hydraulics", lambda s, e: s.model.tank("x").a),
    "temperature_source": _behind("thermal", lambda s, e: s.model.temperature_source("x", 350.0)),
    "unknown": lambda s: s.model.equation("e", (x := s.model.unknown("x", 0.1)).second + s.parameter * x.value),
    "variable": _placed,
    "voltage_source": _behind("electrics", lambda s, e: s.model.voltage_source("x", 3.0, n=e).p),
}
"""Components that the arguments of the fuzz tests would leave hanging, or tied twice."""

APART = ("ground", "cosimulation")
"""What is in every model, and what needs a file of another program: it has tests of its own."""
COMPONENTS = [n for n, cls in registry.components.items() if cls.__module__.startswith("linkwork.") and n not in APART]
SWITCHING = ("rigid_contact", "dry_friction", "joint_stiction", "sampled", "sampled_feedback")
"""They change modes or values at single times: only a run shows what they do."""


def model_with(name: str) -> lw.Model:
    """A model that has the component, in the plane where it exists there."""
    cls = registry.components[name]
    scene = Bench(getattr(cls, "plane", ()) is not None)
    if name in OWN:
        OWN[name](scene)
    else:
        build = getattr(scene.model, name)
        args, named = valid(name, cls.__module__, inspect.signature(build), scene)
        build(*args, **named)
    return scene.model


def channels(m: lw.Model, formulation: str) -> dict[str, float]:
    """Every channel that formulations have in common, at the start; after a short run, where only that shows it."""
    if any(isinstance(m.components.get("x"), registry.components[name]) for name in SWITCHING):
        found = m.simulate(0.02, formulation=formulation, output=0.02).final
    else:
        sheet = m.equations(formulation)
        values = np.array(builders(sheet.running)["outputs"]()(0.0, sheet.start, sheet.p)).ravel()
        found = dict(zip((c.name for c in sheet.running.observation.channels), values, strict=True))
    own = ("residual", "solver")
    return {n: float(x) for n, x in found.items() if ".multiplier" not in n and not n.startswith(own)}
