"""Random mechanisms, the same for the same seed: trees and loops of all joints, in the plane and in space.

Bodies are placed first; joints are then given frames that close at these poses, so that every mechanism assembles.
What may be prescribed (rates, motions, gears) is asked of the null space of the constraints: nothing contradicts.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.components.bodies import Ground
from linkwork.core import registry

from .light_parts import lighten
from .mechanism_drives import drive
from .mechanism_loads import add_forces, add_laws
from .sketch import Sketch, numbers

ON_CURVES = ("point_on_curve", "point_on_cam")
"""Their coordinates depend on each other."""
SPECIAL = (*ON_CURVES, "double_prismatic", "free")
"""Drawn in mechanisms with an odd seed only: those with an even one are what they were before there were these."""
JOINTS = {
    name: cls
    for name, cls in registry.components.items()
    if issubclass(cls, lw.Joint) and not issubclass(cls, lw.AxialJoint)  # cylindrical joints with laws of their own
    and name not in SPECIAL
}  # fmt: skip
ALL_JOINTS = JOINTS | {name: registry.components[name] for name in SPECIAL}
IN_WORLD_TERMS = ("revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "fixed")


def random_mechanism(seed: int, *, planar: bool, loops: int, size: int, light: bool = False) -> lw.Model:
    """A model of `size` bodies (a few more if a loop of parallel pins is among them) with `loops` loops.

    light: parts between others lose their mass, down to 1e-12 of it.
    """
    sketch = random_sketch(seed, planar=planar, loops=loops, size=size)
    if light:
        lighten(sketch.model, sketch.rng)
    return sketch.model


def random_sketch(seed: int, *, planar: bool, loops: int, size: int, flat: float | None = None) -> Sketch:
    """The same, open to more; flat: there is a parallelogram, this far [rad] from where it can change over."""
    rng = np.random.default_rng([seed, planar, loops, size])
    gravity = rng.uniform(-10, 10, 2 if planar else 3)
    model = lw.Model(f"{'planar' if planar else 'spatial'}-{loops}-{size}-{seed}", gravity=tuple(gravity))
    sketch = Sketch(model, rng, special=seed % 2 == 1)
    sketch.poses[model.ground.name] = model.ground.start_pose()
    # Without loops the joints alone can say where everything is.
    by_coordinates = loops == 0 and sketch.chance(0.3)
    parallel = loops > 0 and (sketch.chance(0.35) or flat is not None)
    for _ in range(max(size - 3, 0) if parallel else size):
        _hang(sketch, by_coordinates)
    if parallel:
        _parallel_loop(sketch, flat)
    for k in range(loops - parallel):
        while not _close_loop(sketch, k):
            _hang(sketch, by_coordinates)  # more freedom for the loop to use
    drive(sketch)
    add_laws(sketch)
    add_forces(sketch)
    if (joints := model.of_type(lw.Joint)) and sketch.chance(0.1):
        sketch.pick(joints).enforce("compliant", stiffness=2e3, damping=40.0)
    return sketch


def _body(sketch: Sketch, pose: lw.Pose, placed: bool = True) -> Any:
    """Mass and inertia of six random particles, about their common centre."""
    r = sketch.rng.uniform(-0.3, 0.3, (6, 3))
    m = sketch.rng.uniform(0.05, 0.5, 6)
    r -= m @ r / m.sum()
    J = sum(k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in zip(m, r, strict=True))
    name = f"b{len(sketch.poses)}"
    inertia = sketch.parameter(J[2, 2]) if sketch.planar else J
    body = sketch.model.body(name, mass=sketch.parameter(m.sum()), inertia=inertia)
    sketch.poses[name] = pose
    if placed:
        body.start(position=tuple(numbers(pose.p)[: sketch.model.dimension]), rotation=pose)
    return body


def _hang(sketch: Sketch, by_coordinates: bool) -> None:
    """One more body on a random earlier one, or floating."""
    parent = sketch.pick(sketch.solids)
    near = lw.translation(*numbers(sketch.poses[parent.name].p))
    if sketch.chance(0.08):
        body = _body(sketch, near @ sketch.pose(0.5))
        sketch.carried[body.name], sketch.budget[body.name] = (sketch.model.ground, None), 3 if sketch.planar else 6
        return
    known = ALL_JOINTS if sketch.special else JOINTS
    kinds = [k for k, cls in known.items() if not sketch.planar or cls.plane is not None]
    kind = sketch.pick([k for k in kinds if not by_coordinates or k not in ON_CURVES])
    name = f"j{len(sketch.poses)}"
    if not by_coordinates and kind in IN_WORLD_TERMS and sketch.chance(0.3):
        body = _body(sketch, near @ sketch.pose(0.5))
        joint = _in_world_terms(sketch, kind, name, parent, body)
    else:
        options = _options(sketch, kind)
        values, step = _moved(sketch, kind, options)
        M = near @ sketch.pose(0.3)
        forward = sketch.chance(0.7)
        body = _body(sketch, M @ (step if forward else step.inverse()) @ sketch.pose(0.3), not by_coordinates)
        ends = sketch.marker(parent, M), sketch.marker(body, M @ (step if forward else step.inverse()))
        joint = getattr(sketch.model, kind)(name, *(ends if forward else ends[::-1]), **options)
        if kind == "free":  # angles as they are read
            values |= dict(
                zip(joint.angles, joint.same_angles(*(float(values[label]) for label in joint.angles)), strict=True)
            )
        for c in joint.coordinates if by_coordinates else ():
            c.start(values[c.label])
    sketch.carried[body.name], sketch.budget[body.name] = (parent, joint), len(joint.coordinates)


def _options(sketch: Sketch, kind: str) -> dict[str, Any]:
    if kind == "screw":
        return {"pitch": sketch.parameter(sketch.rng.uniform(0.3, 1.5) * sketch.pick([-1, 1]))}
    if kind == "point_on_curve":
        height, width = sketch.parameter(sketch.rng.uniform(0.05, 0.2)), float(sketch.rng.uniform(1, 3))
        return {"height": lambda x: height * lw.cos(width * x)}
    if kind == "point_on_cam":
        lift = float(sketch.rng.uniform(0.02, 0.1))
        return {"radius": lambda a: 0.4 + lift * lw.cos(a), "roller": 0.05}
    return {"length": sketch.parameter(sketch.rng.uniform(0.2, 0.6))} if kind == "distance" else {}


def _default(sketch: Sketch, value: Any) -> Any:
    """The number behind an option that may be a parameter."""
    return sketch.model.parameters[value.name()] if isinstance(value, ca.SX) else value


def _with_defaults(sketch: Sketch, curve: Any) -> Any:
    """The curve with numbers in place of parameters."""
    names = list(sketch.model.parameters)
    values = ca.DM([sketch.model.parameters[name] for name in names])
    return lambda x: ca.substitute(lw.SX(curve(x)), ca.vertcat(*sketch.model.symbols(names)), values)


def _moved(sketch: Sketch, kind: str, options: dict[str, Any]) -> tuple[dict[str, float], lw.Pose]:
    """Random coordinates of a joint, away from the poles of its angles, and its second frame seen from the first."""
    fixed = {k: _default(sketch, v) for k, v in options.items()}
    if "height" in fixed:  # a curve with a parameter in it
        fixed["height"] = _with_defaults(sketch, fixed["height"])
    probe = ALL_JOINTS[kind]("probe", Ground("a").at(), Ground("b").at(), **fixed)
    labels = probe.plane if sketch.planar else probe.free
    small = {"rx": 0.8, "ry": 0.8, "rz": 0.8, "elevation": 0.7, "azimuth": 2.0}
    values = {}
    for c in probe.coordinates:
        if c.label in labels:
            reach = small.get(c.label, 0.3 if c.unit == "m" else 2.5)
            values[c.label] = float(sketch.rng.uniform(-reach, reach))
    return values, probe.moved(values)


def _in_world_terms(sketch: Sketch, kind: str, name: str, a: Any, b: Any) -> lw.Joint:
    """A joint by a point and an axis in the world; its coordinates start at 0."""
    d = sketch.model.dimension
    near = (numbers(sketch.poses[a.name].p) + numbers(sketch.poses[b.name].p)) / 2
    options: dict[str, Any] = {"point": tuple((near + sketch.vector(0.2))[:d])}
    axes = numbers(sketch.pose(0).R)
    if kind == "universal":
        options |= {"axis": tuple(axes[:, 0]), "axis2": tuple(axes[:, 1])}
    elif JOINTS[kind].main == "x" or not sketch.planar:
        options["axis"] = tuple(axes[:d, 0])
    return getattr(sketch.model, kind)(name, *((a, b) if sketch.chance(0.7) else (b, a)), **options)


def _parallel_loop(sketch: Sketch, flat: float | None) -> None:
    """Three bodies, four pins about parallel axes (or three and a slide): in space, held three times too often."""
    base, normal = sketch.pick(sketch.solids), numbers(sketch.pose(0).R)
    corners = np.array([[0, 0], [0.1, 0.4], [0.6, 0.5], [0.6, 0]]) + sketch.rng.uniform(-0.08, 0.08, (4, 2))
    if flat is not None:
        (crank, apart), turn = sketch.rng.uniform(0.3, 0.6, 2), sketch.pick([0, np.pi]) + flat
        tip = crank * np.array([np.cos(turn), np.sin(turn)])
        corners = np.array([[0, 0], tip, tip + [apart, 0], [apart, 0]])
    origin = numbers(sketch.poses[base.name].p) + sketch.vector(0.2)
    pins = [origin + normal @ [*c, 0 if sketch.planar else sketch.rng.uniform(-0.1, 0.1)] for c in corners]
    bodies = [_body(sketch, lw.translation(*(pins[k] + pins[k + 1]) / 2) @ sketch.pose(0.05)) for k in range(3)]
    slide = flat is None and sketch.chance(0.3)
    d = sketch.model.dimension
    for k, (a, b) in enumerate(zip([base, *bodies], [*bodies, base], strict=True)):
        ends = (a, b) if sketch.chance(0.6) else (b, a)
        point = tuple(pins[k][:d])
        if slide and k == 3:
            joint = sketch.model.prismatic(f"q{k}", *ends, point=point, axis=tuple((normal @ [1, 0.3, 0])[:d]))
        else:
            axis = {} if sketch.planar else {"axis": tuple(normal[:, 2])}
            joint = sketch.model.revolute(f"q{k}", *ends, point=point, **axis)
        if k < 3:
            sketch.carried[b.name], sketch.budget[b.name] = (a, joint), 1 if k == 0 else 0


def _path(sketch: Sketch, body: Any) -> list[str]:
    """Bodies from this one down to the ground."""
    found = []
    while body is not sketch.model.ground:
        found.append(body.name)
        body = sketch.carried[body.name][0]
    return found


def _close_loop(sketch: Sketch, number: int) -> bool:
    """A joint between two bodies whose tree joints leave it at least one freedom, if there are such."""
    full = 3 if sketch.planar else 6
    for _ in range(60):
        a, b = sketch.pick(sketch.solids), sketch.pick(sketch.solids)
        if a is b:
            continue
        around = set(_path(sketch, a)) ^ set(_path(sketch, b))
        left = sum(sketch.budget[name] for name in around)
        kind = sketch.pick([k for k, cls in JOINTS.items() if not sketch.planar or cls.plane is not None])
        cls = JOINTS[kind]
        rows = full - len(cls.plane if sketch.planar else cls.free)
        if not 0 < rows < left:
            continue
        options = _options(sketch, kind)
        step = _moved(sketch, kind, options)[1]
        M = lw.translation(*numbers(sketch.poses[a.name].p)) @ sketch.pose(0.3)
        N = M @ step
        getattr(sketch.model, kind)(f"l{number}", sketch.marker(a, M), sketch.marker(b, N), **options)
        for name in sorted(around, key=lambda n: -sketch.budget[n]):
            used = min(rows, sketch.budget[name])
            sketch.budget[name], rows = sketch.budget[name] - used, rows - used
        return True
    return False
