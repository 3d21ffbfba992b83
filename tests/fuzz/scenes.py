"""A small valid model, and valid arguments for whatever is public: what a fuzzed call starts from."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.components import points
from linkwork.core import registry

EMPTY = inspect.Parameter.empty


class Scene:
    """A pendulum with a free body beside it, and one thing of each domain to connect to."""

    def __init__(self, planar: bool = True):
        self.planar = planar
        self.model = m = lw.Model("scene", gravity=(0, -9.81) if planar else (0, -9.81, 0))
        inertia = 0.1 if planar else (0.1, 0.1, 0.1)
        self.body = m.body("b", mass=1.0, inertia=inertia)
        self.second = m.body("c", mass=2.0, inertia=inertia).start(position=(1.0, 0.5))
        self.joint = m.revolute("pin", m.ground.at(), self.body.at(-0.5, 0))
        self.slider = m.prismatic("rail", m.ground.at(1.0, 0.5), self.second.at())
        self.parameter = m.parameter("k", 2.0)
        self.drive = m.input("u", 0.0)
        self.joint.angle.law(lw.Effort(self.drive)).law(lw.Damper(0.1))
        self.joint.angle.start(0.3)

    @cached_property
    def other(self) -> Scene:
        """Another model."""
        return Scene(self.planar)

    def end(self, domain: str) -> tuple[Any, Any]:
        """Two things of a domain, made when they are asked for: what has no network stays quick."""
        m = self.model
        made: dict[str, Callable[[], tuple[Any, Any]]] = {
            "electrics": lambda: (m.voltage_source("V", 10.0, n=(e := m.earth("E"))).p, e),
            "hydraulics": lambda: (m.pressure_source("P", 2e5), m.tank("T")),
            "thermal": lambda: (m.temperature_source("H", 300.0), m.temperature_source("H2", 290.0)),
            "shafts": lambda: (self.joint.angle, m.shaft_fixed("fixed")),
            "slides": lambda: (self.slider.slide, m.slide_fixed("wall")),
        }
        return self.once(domain, made[domain])

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Something that is made when it is first asked for."""
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]


BY_NAME: dict[str, Callable[[Scene], Any]] = {
    "name": lambda s: "x",
    "first": lambda s: s.body.at(0.5, 0),
    "second": lambda s: s.second.at(),
    "a": lambda s: s.body.at(0.5, 0),
    "b": lambda s: s.second.at(),
    "at": lambda s: s.second.at(),
    "marker": lambda s: s.second.at(),
    "body": lambda s: s.second,
    "mass": lambda s: 1.0,
    "inertia": lambda s: 0.1 if s.planar else (0.1, 0.1, 0.1),
    "stiffness": lambda s: 100.0,
    "damping": lambda s: 1.0,
    "length": lambda s: 0.5,
    "radius": lambda s: 0.1,
    "pitch": lambda s: 0.1,
    "torque": lambda s: 0.1,
    "effort": lambda s: 0.1,
    "function": lambda s: lambda x: x - 0.1,
    "things": lambda s: (s.joint.angle,),
    "vector": lambda s: (0.1, 0.2),
    "coordinate": lambda s: s.joint.angle,
    "coordinates": lambda s: (s.joint.angle, s.slider.slide),
    "equation": lambda s: lambda x, y: y - 0.1 * x,
    "driver": lambda s: s.joint.angle,
    "driven": lambda s: s.slider.slide,
    "pinion": lambda s: s.joint.angle,
    "rack": lambda s: s.slider.slide,
    "ratio": lambda s: 2.0,
    "size": lambda s: (0.1, 0.2, 0.3),
    "gain": lambda s: 2.0,
    "lower": lambda s: -1.0,
    "upper": lambda s: 1.0,
    "time": lambda s: 0.01,
    "s": lambda s: 1j,
    "w": lambda s: 1.0,
    "u": lambda s: 1.0,
    "inputs": lambda s: (1.0, 2.0),
    "numerator": lambda s: [1.0],
    "denominator": lambda s: [1.0, 2.0],
    "A": lambda s: [[-1.0]],
    "B": lambda s: [[1.0]],
    "C": lambda s: [[1.0]],
    "voltage": lambda s: 5.0,
    "current": lambda s: 0.0,
    "resistance": lambda s: 1.0,
    "inductance": lambda s: 0.1,
    "capacitance": lambda s: 1e-3,
    "constant": lambda s: 0.1,
    "closed": lambda s: 1.0,
    "capacity": lambda s: 10.0,
    "conductance": lambda s: 1.0,
    "temperature": lambda s: 300.0,
    "heat": lambda s: 1.0,
    "engagement": lambda s: 1.0,
    "target": lambda s: 0.0,
    "period": lambda s: 0.01,
    "law": lambda s: lambda t, u, *m: u,
    "expression": lambda s: s.parameter,
    "volume": lambda s: 1e-3,
    "bulk_modulus": lambda s: 1e9,
    "pressure": lambda s: 1e5,
    "area": lambda s: 1e-5,
    "flow": lambda s: 1e-5,
    "opening": lambda s: 1e5,
    "precharge": lambda s: 1e5,
    "spool": lambda s: 0.5,
    "displacement": lambda s: 1e-6,
    "speed": lambda s: 1.0,
    "start": lambda s: 0.0,
    "density": lambda s: 1000.0,
    "order": lambda s: 2,
    "pose": lambda s: lw.shift(1.0, 0.5),
    "residuals": lambda s: (),
    "equations": lambda s: (),
    "duration": lambda s: 0.02,
    "design": lambda s: {"k": [1.0, 2.0]},
    "data": lambda s: {"pin.angle": ([0.0, 0.02], [0.3, 0.29])},
    "mean": lambda s: 1.0,
    "deviation": lambda s: 0.1,
    "low": lambda s: 1.0,
    "mode": lambda s: 1.5,
    "high": lambda s: 2.0,
    "output": lambda s: 0.01,
    "value": lambda s: 1.0,
    "values": lambda s: [1.0, 2.0],
    "times": lambda s: [0.0, 1.0],
    "formulations": lambda s: ["absolute", "minimal"],
    "of": lambda s: "pin.angle",
    "to": lambda s: "k",
    "over": lambda s: {"k": (1.0, 3.0)},
    "objective": lambda s: lw.Final("pin.angle"),
    "method": lambda s: "auto",
    "file": lambda s: "nothing.stl",
    "colour": lambda s: "red",
    "teeth": lambda s: 12,
    "width": lambda s: 0.1,
    "thickness": lambda s: 0.1,
    "radius1": lambda s: 0.1,
    "radius2": lambda s: 0.05,
    "end": lambda s: (1.0, 0.0, 0.0),
    "points": lambda s: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "height": lambda s: lambda *place: 0.0,
    "x": lambda s: 0.1,
    "y": lambda s: 0.1,
    "z": lambda s: 0.0,
    "angle": lambda s: 0.1,
    "rotation": lambda s: 0.1,
    "coulomb": lambda s: 0.1,
    "position": lambda s: (0.1, 0.2),
    "velocity": lambda s: (0.0, 0.0),
    "joint": lambda s: "pin",
    "how": lambda s: "compliant",
    "component": lambda s: points.Point("x", s.body.at()),
    "gravity": lambda s: (0, -9.81),
    "channel": lambda s: "pin.angle",
    "patterns": lambda s: ("pin.*",),
    "shapes": lambda s: (lw.shapes.Sphere(0.1),),
    "M": lambda s: lw.rotz(0.1),
    "N": lambda s: lw.rotz(0.2),
    "p": lambda s: lw.SX(3, 1),
    "R": lambda s: lw.SX(np.eye(3)),
}
"""One valid value for each word of the library; where a word has another meaning, OWN says so."""


def _two(domain: str, *names: str) -> dict[str, Callable[[Scene], Any]]:
    return {name: lambda s, k=k: s.end(domain)[k] for k, name in enumerate(names)}


IN_MODULE: dict[str, dict[str, Callable[[Scene], Any]]] = {
    "electrics": _two("electrics", "p", "n"),
    "hydraulics": _two("hydraulics", "a", "b"),
    "thermal": _two("thermal", "a", "b"),
    "shafts": _two("shafts", "a", "b") | {"at": lambda s: 0.0},
    "transmissions": _two("shafts", "a", "b"),
    "outlines": {"points": lambda s: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "size": lambda s: (0.1, 0.1, 0.1)},
    "solids": {"axis": lambda s: "x"},
}

OWN: dict[str, dict[str, Callable[[Scene], Any]]] = {
    "axial_joint": {"translation": lambda s: lw.Free(), "rotation": lambda s: lw.Free()},
    "fixed_servo": {"angle": lambda s: lambda t: 0.1 * t},
    "torque": {"vector": lambda s: 0.1 if s.planar else (0.0, 0.0, 0.1)},
    "pressure_source": {"a": lambda s: s.once("c1", lambda: s.model.chamber("c1", volume=1e-3, bulk_modulus=1e9))},
    "flow_source": {"a": lambda s: s.end("hydraulics")[0], "b": lambda s: s.end("hydraulics")[1]},
    "transformer": {
        "p1": lambda s: s.end("electrics")[0], "n1": lambda s: s.end("electrics")[1],
        "n2": lambda s: s.end("electrics")[1], "p": lambda s: EMPTY, "n": lambda s: EMPTY,
    },
    "op_amp": {"p1": lambda s: s.end("electrics")[0], "n2": lambda s: s.end("electrics")[1]},
    "dc_motor": {"p": lambda s: EMPTY, "n": lambda s: EMPTY, "current": lambda s: EMPTY},
    "slide_mass": {"a": lambda s: s.slider.slide, "position": lambda s: EMPTY, "speed": lambda s: EMPTY},
    "shaft_inertia": {"inertia": lambda s: 0.1, "speed": lambda s: EMPTY, "angle": lambda s: EMPTY},
    "slide_spring": _two("slides", "a", "b"),
    "slide_damper": _two("slides", "a", "b"),
    "slide_lever": {"a": lambda s: s.slider.slide, "b": lambda s: EMPTY},
    "slide_force": {"a": lambda s: s.slider.slide},
    "slide_speed": {"a": lambda s: s.slider.slide, "start": lambda s: EMPTY},
    "slide_fixed": {"a": lambda s: s.slider.slide},
    "slide_rack": {"a": lambda s: s.joint.angle},
    "shaft_rack": {"a": lambda s: s.joint.angle, "b": lambda s: s.slider.slide},
    "shaft_gear": {"a": lambda s: s.joint.angle, "b": lambda s: EMPTY},
    "shaft_clutch": {"a": lambda s: s.joint.angle},
    "shaft_speed": {"a": lambda s: s.joint.angle, "start": lambda s: EMPTY},
    "pid": {"measured": lambda s: EMPTY},
    "sampled": {"inputs": lambda s: (1.0,), "law": lambda s: lambda u: (u,) and u, "start": lambda s: 0.0},
    "frame_sensor": {},
    "hydraulic_cylinder": {
        "along": lambda s: (s.slider.slide,), "head_area": lambda s: 1e-3, "rod_area": lambda s: 5e-4,
        "head": lambda s: s.end("hydraulics")[0], "rod": lambda s: s.end("hydraulics")[1], "length": lambda s: EMPTY,
        "bulk_modulus": lambda s: EMPTY, "pressure": lambda s: EMPTY, "a": lambda s: EMPTY, "b": lambda s: EMPTY,
    },
    "pump": {
        "shaft": lambda s: s.joint.angle, "suction": lambda s: s.end("hydraulics")[1],
        "delivery": lambda s: s.end("hydraulics")[0], "a": lambda s: EMPTY, "b": lambda s: EMPTY,
    },
    "directional_valve": {
        "p": lambda s: s.end("hydraulics")[0], "t": lambda s: s.end("hydraulics")[1], "a": lambda s: EMPTY,
        "b": lambda s: EMPTY,
    },
    "resistor": {"heat": lambda s: EMPTY},
    "hydraulic_line": {"resistance": lambda s: 1e9},
    "Limits": {"lower": lambda s: -1.0},
    "Motion": {"displacement": lambda s: lambda t: t},
    "AxialJoint": {"translation": lambda s: lw.Free(), "rotation": lambda s: lw.Free()},
    "law": {"law": lambda s: lw.Spring(10.0)},
    "reaction": {"joint": lambda s: "pin"},
    "unit": {"name": lambda s: "pin.angle"},
    "__getitem__": {"name": lambda s: "b"},
    "get": {"key": lambda s: "pin.angle"},
    "I": {"law": lambda s: 1.0}, "C": {"law": lambda s: 1.0}, "R": {"law": lambda s: 1.0},
    "TF": {"modulus": lambda s: 2.0}, "GY": {"modulus": lambda s: 2.0},
    "MTF": {"modulus": lambda s: 2.0}, "MGY": {"modulus": lambda s: 2.0},
    "field": {"law": lambda s: [[1.0]]}, "junction": {"kind": lambda s: 1}, "signal": {"rate": lambda s: 1.0},
    "Domain": {"potential": lambda s: "v", "potential_unit": lambda s: "V"},
    "Final": {"quantity": lambda s: "pin.angle"}, "Integral": {"quantity": lambda s: "pin.angle"},
    "cos": {"x": lambda s: 0.1},
    "if_else": {"condition": lambda s: 1.0, "then": lambda s: 1.0, "otherwise": lambda s: 2.0},
    "cross": {"a": lambda s: lw.SX([1, 0, 0]), "b": lambda s: lw.SX([0, 1, 0])},
    "dot": {"a": lambda s: lw.SX([1, 0, 0]), "b": lambda s: lw.SX([0, 1, 0])},
    "norm": {"a": lambda s: lw.SX([1, 0, 0])},
    "__call__": {"t": lambda s: 0.1},
    "Convex": {"vertices": lambda s: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]},
    "rigid_contact": {"radius": lambda s: 0.1},
    "relation": {},
    "point_on_curve": {"height": lambda s: lambda x: 0.1 * x * x},
    "point_on_cam": {"radius": lambda s: lambda a: 0.5 + 0.01 * lw.cos(a)},
    "cam": {
        "on": lambda s: s.body.at(), "at": lambda s: s.second.at(),
        "radius": lambda s: lambda a: 0.5 + 0.01 * lw.cos(a),
    },
    "rope": {"route": lambda s: (s.body.at(0.5, 0), s.second.at()), "length": lambda s: 0.1},
    "belt": {
        "driver": lambda s: s.joint.angle, "radius1": lambda s: 0.1, "radius2": lambda s: 0.2,
        "driven": lambda s: s.once("wheel", lambda: s.model.revolute("wheel", s.model.ground.at(2, 0), s.model.body(
            "w", mass=1.0, inertia=0.1 if s.planar else (0.1, 0.1, 0.1)).at())).angle,
    },
    "joint_friction": {"friction": lambda s: 0.2, "radius": lambda s: 0.05},
    "joint_stiction": {"friction": lambda s: 0.2, "radius": lambda s: 0.05},
    "backlash": {"play": lambda s: 0.1, "driver": lambda s: s.slider.slide, "driven": lambda s: s.joint.angle},
    "dependence": {"given": lambda s: {s.slider.slide: lambda q: 0.1 * q}, "on": lambda s: [s.joint.angle]},
    "speed_condition": {"function": lambda s: lambda x: x.rate - 0.1},
    "state": {"rate": lambda s: -s.parameter},
    "unknown": {"start": lambda s: 0.0},
    "equation": {"residuals": lambda s: ((x := s.once("xx", lambda: s.model.unknown("xx", 0.0))).second + x.value,)},
    "condition": {"equations": lambda s: (s.once("vv", lambda: s.model.variable("vv")).symbol - s.parameter,)},
    "guide": {"body": lambda s: s.once("g", lambda: s.model.body("g", mass=1.0, inertia=BY_NAME["inertia"](s)))},
    "distance": {"length": lambda s: 1.0},
    "sum": {}, "product": {},
    "state_space": {"inputs": lambda s: (1.0,), "start": lambda s: [0.0]},
    "feedback": {"readings": lambda s: {"pin.angle": 0.1}, "gains": lambda s: {"u": [-1.0]}},
    "sampled_feedback": {
        "readings": lambda s: {"pin.angle": 0.1}, "gains": lambda s: {"u": [-1.0]}, "period": lambda s: 0.02,
    },
    "rod": {"radius": lambda s: 0.01, "mass": lambda s: EMPTY, "density": lambda s: EMPTY},
    # verbs
    "simulate": {},
    "connect": {"ends": lambda s: (s.once("i", lambda: s.model.shaft_inertia("i", inertia=0.1)).a, s.joint.angle)},
    "kinematics": {
        "duration": lambda s: 0.02,
    "design": lambda s: {"k": [1.0, 2.0]},
    "data": lambda s: {"pin.angle": ([0.0, 0.02], [0.3, 0.29])},
    "mean": lambda s: 1.0,
    "deviation": lambda s: 0.1,
    "low": lambda s: 1.0,
    "mode": lambda s: 1.5,
    "high": lambda s: 2.0,
        "drive": lambda s: {s.joint.angle: lambda t: 0.3 + t, s.slider.slide: 0.0},
    },
    "inverse_dynamics": {
        "duration": lambda s: 0.02,
    "design": lambda s: {"k": [1.0, 2.0]},
    "data": lambda s: {"pin.angle": ([0.0, 0.02], [0.3, 0.29])},
    "mean": lambda s: 1.0,
    "deviation": lambda s: 0.1,
    "low": lambda s: 1.0,
    "mode": lambda s: 1.5,
    "high": lambda s: 2.0,
        "motion": lambda s: {s.joint.angle: lambda t: 0.3 + t, s.slider.slide: lambda t: 0.0 * t},
        "inputs": lambda s: EMPTY,
    },
    "floquet": {"period": lambda s: 0.02, "refine": lambda s: False},
    "root_locus": {"parameter": lambda s: "k"},
    "evaluate": {},
}  # fmt: skip
OPTIONAL = {"coordinate", "a", "b", "p", "n", "u", "voltage", "target", "closed", "spool", "engagement", "flow", "heat",
            "temperature", "effort", "speed", "pressure", "current"}  # fmt: skip
"""Parameters with a default that are given all the same in components: without them there would be no network."""


def valid(label: str, module: str, signature: inspect.Signature, scene: Scene) -> tuple[list[Any], dict[str, Any]]:
    """Positional and named arguments of a call that should be accepted."""
    folder = next((m for m in (*module.split(".")[::-1],) if m in IN_MODULE), "")
    known = BY_NAME | IN_MODULE.get(folder, {}) | OWN.get(label, {})
    args: list[Any] = []
    named: dict[str, Any] = {}
    wired = label in registry.components and any(w in module for w in ("drives", "hydraulics", "control"))
    for p in signature.parameters.values():
        explicit = p.name in OWN.get(label, {}) or p.name in IN_MODULE.get(folder, {})
        asked = p.default is EMPTY or explicit or (wired and p.name in OPTIONAL)
        if not asked or p.name not in known or p.kind is p.VAR_KEYWORD:
            continue
        value = known[p.name](scene)
        if value is EMPTY:
            continue
        if p.kind is p.VAR_POSITIONAL:
            args += list(value)
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is EMPTY:
            args.append(value)
        else:
            named[p.name] = value
    if label in ("cylinder", "rod", "sphere", "box"):
        named["mass"] = 1.0
    return args, named
