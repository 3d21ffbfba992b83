"""Three mechanisms as Linkwork and SymPy see them: SYM's double pendulum and robot, and a chain of spatial links.

Every case has a name, n coordinates q, speeds u = q' and some loads; numbers are in SI units. Linkwork gets position
matrices or joints, SymPy frames and points for Kane's method: its own way to describe a mechanism.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import arms
import numpy as np

import linkwork as lw
from linkwork import rotx, roty, rotz, shift

PENDULUM = {"lengths": (1.2, 1.1), "masses": (1.1, 0.9)}
ROBOT = {
    "column": (250, (90, 10, 90)),
    "arm": (150, (13, 0.75, 13)),
    "hand": (100, (4, 1, 4.3)),
}
"""Mass [kg] and inertias [kg·m²]: SYM's table III."""
WRIST, GRIP = 0.5, 0.05


@dataclass(frozen=True)
class Case:
    """coordinates and loads: how many."""

    name: str
    coordinates: int
    loads: int


def case(name: str) -> Case:
    if name == "double-pendulum":
        return Case(name, 2, 0)
    if name == "robot":
        return Case(name, 5, 4)
    if found := re.fullmatch(r"chain-(\d+)", name):
        n = int(found[1])
        return Case(name, n, n)
    raise SystemExit(f"There is no case {name!r}: double-pendulum, robot or chain-N.")


def states(of: Case, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, speeds and loads at random, shapes (count, n), (count, n) and (count, loads); always the same."""
    random = np.random.default_rng(of.coordinates)
    q, u = random.uniform(-1, 1, (2, count, of.coordinates))
    return q, u, random.uniform(-10, 10, (count, of.loads))


# Linkwork -------------------------------------------------------------------------------------------------------------


def positions(of: Case) -> lw.Model:
    """By position matrices; loads are inputs."""
    name = of.name
    if name == "double-pendulum":
        return _pendulum()
    return _robot() if name == "robot" else _chain(of.coordinates)


def joints(of: Case) -> lw.Model | None:
    """By joints, where a case is described so."""
    return arms.linkwork(of.coordinates) if of.name.startswith("chain") else None


def trivial() -> lw.Model:
    """A body that slides."""
    k = lw.Kinematics("trivial", coordinates=1)
    k.body("block", shift(k.q[0], 0, 0), mass=1, inertia=(1, 1, 1))
    return k


def _pendulum() -> lw.Model:
    k = lw.Kinematics("double pendulum", coordinates=2, gravity=(0, -9.81, 0))
    (l0, l1), (m0, m1), q = PENDULUM["lengths"], PENDULUM["masses"], k.q
    upper = rotz(q[0]) @ shift(0, -l0 / 2)
    lower = rotz(q[0]) @ shift(0, -l0) @ rotz(q[1]) @ shift(0, -l1 / 2)
    k.body("upper", upper, mass=m0, inertia=(1, 1, l0**2 / 12 * m0))
    k.body("lower", lower, mass=m1, inertia=(1, 1, l1**2 / 12 * m1))
    return k


def _robot() -> lw.Model:
    k = lw.Kinematics("robot", coordinates=5, gravity=(0, 0, -9.81))
    q = k.q
    column = rotz(q[1]) @ shift(0, 0, q[0])
    arm = column @ roty(q[3]) @ shift(0, q[2])
    hand = arm @ shift(0, WRIST) @ rotx(q[4]) @ shift(0, GRIP)
    base, boom, grip = (
        k.body(name, pose, mass=ROBOT[name][0], inertia=ROBOT[name][1])
        for name, pose in (("column", column), ("arm", arm), ("hand", hand))
    )
    lift, turn, reach, bend = (k.input(name) for name in ("lift", "turn", "reach", "bend"))
    k.force("F0z", base, (0, 0, lift), frame="body")
    k.torque("T0z", base, (0, 0, turn), frame="body")
    k.force("F1y", boom, (0, reach, 0), frame="body", reaction=base)
    k.torque("T2x", grip, (bend, 0, 0), frame="body", reaction=boom)
    return k


def _chain(n: int) -> lw.Model:
    k = lw.Kinematics("chain", coordinates=n, gravity=(0, 0, -arms.GRAVITY))
    turn = {"y": roty, "z": rotz}
    q, place = k.q, shift(0, 0, 0)
    for i in range(n):
        place = place @ shift(0, 0, arms.height(i)) @ turn[arms.axis(i)](q[i])
        k.body(f"link{i}", place @ shift(*arms.CENTRE), mass=arms.mass(i), inertia=arms.INERTIA)
        k[f"q{i}"].law(lw.Effort(k.input(f"torque{i}", unit="N·m")))
    return k


# SymPy ----------------------------------------------------------------------------------------------------------------


def kane(of: Case) -> tuple[Any, Any, Any, Any, Any]:
    """(mass matrix, forcing, q, u, loads) with M u' = f, by Kane's method."""
    from sympy import symbols
    from sympy.physics.mechanics import KanesMethod, ReferenceFrame, dynamicsymbols

    ground = ReferenceFrame("N")
    q, u = (list(dynamicsymbols(f"{letter}:{of.coordinates}")) for letter in "qu")
    loads = list(symbols(f"w:{of.loads}")) if of.loads else []
    build = {"double-pendulum": _kane_pendulum, "robot": _kane_robot}.get(of.name, _kane_chain)
    bodies, applied = build(ground, q, u, loads)
    method = KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=[b - a.diff() for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, applied)
    return method.mass_matrix, method.forcing, q, u, loads


def _body(name: str, centre: Any, frame: Any, mass: float, moments: Any) -> Any:
    from sympy.physics.mechanics import RigidBody, inertia

    return RigidBody(name, centre, frame, mass, (inertia(frame, *moments), centre))


def _turned(frame: Any, name: str, angle: Any, speed: Any, axis: Any) -> Any:
    turned = frame.orientnew(name, "Axis", (angle, axis))
    turned.set_ang_vel(frame, speed * axis)
    return turned


def _fixed(ground: Any) -> Any:
    from sympy.physics.mechanics import Point

    point = Point("O")
    point.set_vel(ground, 0)
    return point


def _kane_pendulum(ground: Any, q: Any, u: Any, loads: Any) -> tuple[list, list]:
    frame, point, bodies, applied = ground, _fixed(ground), [], []
    for i, (length, mass) in enumerate(zip(PENDULUM["lengths"], PENDULUM["masses"], strict=True)):
        frame = _turned(frame, f"A{i}", q[i], u[i], ground.z)
        centre = point.locatenew(f"G{i}", -length / 2 * frame.y)
        end = point.locatenew(f"P{i}", -length * frame.y)
        for outer in (centre, end):
            outer.v2pt_theory(point, ground, frame)
        bodies.append(_body(f"b{i}", centre, frame, mass, (1, 1, length**2 / 12 * mass)))
        applied.append((centre, -9.81 * mass * ground.y))
        point = end
    return bodies, applied


def _kane_robot(ground: Any, q: Any, u: Any, loads: Any) -> tuple[list, list]:
    lift, turn, reach, bend = loads
    column = _turned(ground, "A", q[1], u[1], ground.z)
    arm = _turned(column, "B", q[3], u[3], column.y)
    hand = _turned(arm, "C", q[4], u[4], arm.x)
    base = _fixed(ground).locatenew("G0", q[0] * ground.z)
    base.set_vel(ground, u[0] * ground.z)
    boom = base.locatenew("G1", q[2] * arm.y)
    boom.set_vel(arm, u[2] * arm.y)
    boom.v1pt_theory(base, ground, arm)
    wrist = boom.locatenew("W", WRIST * arm.y)
    wrist.v2pt_theory(boom, ground, arm)
    grip = wrist.locatenew("G2", GRIP * hand.y)
    grip.v2pt_theory(wrist, ground, hand)
    places = {"column": (base, column), "arm": (boom, arm), "hand": (grip, hand)}
    bodies = [_body(name, *places[name], *ROBOT[name]) for name in places]
    applied = [(places[name][0], -9.81 * ROBOT[name][0] * ground.z) for name in places]
    applied += [(base, lift * ground.z - reach * arm.y), (boom, reach * arm.y)]
    applied += [(column, turn * column.z), (hand, bend * hand.x), (arm, -bend * hand.x)]
    return bodies, applied


def _kane_chain(ground: Any, q: Any, u: Any, loads: Any) -> tuple[list, list]:
    x, y, z = arms.CENTRE
    frame, point, bodies, applied = ground, _fixed(ground), [], []
    for i in range(len(q)):
        joint = point.locatenew(f"J{i}", arms.height(i) * frame.z)
        joint.v2pt_theory(point, ground, frame)
        before, frame = frame, _turned(frame, f"A{i}", q[i], u[i], getattr(frame, arms.axis(i)))
        centre = joint.locatenew(f"G{i}", x * frame.x + y * frame.y + z * frame.z)
        centre.v2pt_theory(joint, ground, frame)
        bodies.append(_body(f"link{i}", centre, frame, arms.mass(i), arms.INERTIA))
        applied.append((centre, -arms.GRAVITY * arms.mass(i) * ground.z))
        axis = getattr(frame, arms.axis(i))
        applied += [(frame, loads[i] * axis)] + ([(before, -loads[i] * axis)] if i else [])
        point = joint
    return bodies, applied
