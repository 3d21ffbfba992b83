"""What acts on a random mechanism: laws on its coordinates, forces on and between its bodies."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.components.free_joint import Free
from linkwork.components.joint import Coordinate

from .sketch import Sketch


def add_laws(sketch: Sketch) -> None:
    """Springs, dampers, efforts, friction, now and then end stops, on about half of the coordinates."""
    for joint in sketch.model.of_type(lw.Joint):
        for c in joint.coordinates:
            for _ in range(int(sketch.rng.choice([0, 1, 2], p=[0.5, 0.35, 0.15]))):
                law = _law(sketch, c)
                if not isinstance(joint, Free) or c.label not in joint.turning:  # their torques grow next to the pole
                    c.law(law)


def _law(sketch: Sketch, c: Coordinate) -> lw.Law:
    u = sketch.rng.uniform
    kind = sketch.rng.choice(["spring", "damper", "effort", "friction", "limits"], p=[0.28, 0.25, 0.25, 0.17, 0.05])
    if kind == "spring":
        return lw.Spring(sketch.parameter(u(2, 20)), rest=float(u(-0.3, 0.3)))
    if kind == "damper":
        return lw.Damper(sketch.parameter(u(0.05, 0.5)))
    if kind == "friction":
        # Wide enough to stay smooth at the tolerance of these tests.
        return lw.Friction(float(u(0.1, 0.5)), static=float(u(0.5, 0.7)), stribeck=1.0, regularisation=0.5)
    if kind == "limits":
        return lw.Limits(float(u(-3, -2)), float(u(2, 3)), stiffness=50.0, dissipation=0.1)
    a, b, w = float(u(-2, 2)), float(u(-1, 1)), float(u(1, 5))
    if sketch.chance(0.3):
        push = sketch.model.input(f"u{len(sketch.model.inputs)}", a)
        return lw.Effort(push)
    forms: list[Any] = [
        a,
        lambda t: a * lw.cos(w * t + b),
        lambda x, v: a * lw.sin(x + b) - 0.1 * v,
        lambda t, x, v: a * lw.sin(w * t) * lw.cos(x) - 0.1 * v * v * v / (1 + v * v),
    ]
    return lw.Effort(sketch.pick(forms))


def add_forces(sketch: Sketch) -> None:
    """Up to four forces of all kinds, and one recorded point."""
    makers = [_spring, _bushing, _force, _torque, _user_force]
    for k in range(int(sketch.rng.integers(5))):
        body = sketch.pick(sketch.bodies)
        other = sketch.pick([s for s in sketch.solids if s is not body])
        sketch.pick(makers)(sketch, f"f{k}", body, other)
    sketch.model.point("tip", _somewhere(sketch, sketch.bodies[-1]))


def _somewhere(sketch: Sketch, solid: Any) -> lw.Marker:
    x, y, z = sketch.vector(0.3)
    return solid.at(x, y, z, rotation=sketch.pose(0))


def _spring(sketch: Sketch, name: str, a: Any, b: Any) -> None:
    u = sketch.rng.uniform
    k, length, d = sketch.parameter(u(5, 40)), float(u(0.1, 0.8)), float(u(0, 1))
    # At least 0.5 m apart, where the direction of the spring is well defined.
    M = sketch.poses[a.name] @ sketch.pose(0.3)
    N = M @ lw.translation(0.5, *sketch.vector(0.3)[:2]) if sketch.planar else M @ lw.translation(0.5, 0.1, -0.2)
    sketch.model.spring(name, sketch.marker(a, M), sketch.marker(b, N), stiffness=k, length=length, damping=d)


def _bushing(sketch: Sketch, name: str, a: Any, b: Any) -> None:
    M = sketch.poses[a.name] @ sketch.pose(0.3)
    N = M @ sketch.pose(0.1, 0.6)
    ends = sketch.marker(a, M), sketch.marker(b, N)
    n = 2 if sketch.planar else 3
    u = sketch.rng.uniform
    torsion = (float(u(1, 10)), float(u(0.05, 0.3))) if sketch.planar else (tuple(u(1, 10, 3)), tuple(u(0.05, 0.3, 3)))
    sketch.model.bushing(
        name,
        *ends,
        stiffness=tuple(u(10, 60, n)),
        damping=tuple(u(0.1, 1, n)),
        torsion=torsion[0],
        torsion_damping=torsion[1],
    )


def _force(sketch: Sketch, name: str, a: Any, b: Any) -> None:
    vector = tuple(sketch.vector(4)[: sketch.model.dimension])
    frame = sketch.pick(["world", "body"])
    reaction = _somewhere(sketch, b) if sketch.chance(0.5) else None
    sketch.model.force(name, _somewhere(sketch, a), vector, frame=frame, reaction=reaction)


def _torque(sketch: Sketch, name: str, a: Any, b: Any) -> None:
    vector = float(sketch.rng.uniform(-1, 1)) if sketch.planar else tuple(sketch.vector(1))
    frame = sketch.pick(["world", "body"])
    reaction = _somewhere(sketch, b) if sketch.chance(0.5) else None
    sketch.model.torque(name, _somewhere(sketch, a), vector, frame=frame, reaction=reaction)


def _user_force(sketch: Sketch, name: str, a: Any, b: Any) -> None:
    """Functions of time and of both frames' places and speeds."""
    w, k = float(sketch.rng.uniform(1, 5)), float(sketch.rng.uniform(2, 10))
    forms: list[Any] = [
        lambda t, a: ca.SX(np.array([1.0, -0.5, 0.0])) * lw.sin(w * t + 1) - 0.2 * a.v,
        lambda a, b: -k * (a.p - b.p) - 0.3 * (a.v - b.v),
        lambda t, a, b: -0.2 * lw.norm(a.v - b.v) * (a.v - b.v) + ca.SX(np.array([0.0, 1.0, 0.0])) * lw.cos(w * t),
    ]
    form = sketch.pick(forms)
    sketch.model.force(name, _somewhere(sketch, a), form, reaction=_somewhere(sketch, b))
