"""What every joint must satisfy, as numbers: its three functions at a random pose and random coordinates."""

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.geometry import SX, Pose, rotations

OPTIONS: dict[str, dict[str, Any]] = {
    "screw": {"pitch": 0.05},
    "distance": {"length": 0.7},
    "point_on_curve": {"height": lambda x: 0.3 * lw.cos(2 * x)},
    "point_on_cam": {"radius": lambda a: 0.5 + 0.05 * lw.cos(a), "roller": 0.1},
    "spring_ideal": {"stiffness": 100.0, "damping": 2.0},
    "fixed_controlled": {"torque": 0.3},
    "fixed_servo": {"angle": 0.0},
    "axial_joint": {"translation": lw.Free(), "rotation": lw.Free()},
}
"""What the constructors of some joints require."""


@dataclass
class Numbers:
    """A joint at M and N = M·motion(c): rows, their Jacobian by a twist of N, and the twists that c allows."""

    closure: np.ndarray  # (rows,)
    A: np.ndarray  # (rows, 6), per (displacement [m], rotation [rad]) of N in world axes
    twists: np.ndarray  # (6, free)
    measured: np.ndarray  # (free,)
    B: np.ndarray  # (free, 6): change of what is measured per twist of N


def joint_of(cls: type[lw.Joint], kind: str, planar: bool = False) -> lw.Joint:
    """The joint between two free bodies of a model without gravity."""
    m = lw.Model("contract", gravity=(0, 0) if planar else (0, 0, 0))
    inertia: Any = 0.2 if planar else (0.2, 0.25, 0.3)
    a, b = m.body("a", mass=1, inertia=inertia), m.body("b", mass=2, inertia=inertia)
    return m.add(cls("J", a.at(0.1, -0.2), b.at(-0.3, 0.1), **OPTIONS.get(kind, {})))


def random_values(joint: lw.Joint, rng: np.random.Generator) -> np.ndarray:
    """Coordinates well inside the range that each of them has: nearly ±π for angles, a metre or so for lengths."""
    wide = [c.label.startswith(("angle", "azimuth")) for c in joint.coordinates]
    return np.array([rng.uniform(-3, 3) if w else rng.uniform(-1.2, 1.2) for w in wide])


def random_pose(rng: np.random.Generator, planar: bool) -> Pose:
    if planar:
        angle = SX(rng.uniform(-3, 3))
        return Pose(SX(ca.DM([*rng.normal(size=2), 0])), rotations.about_z(angle), angle)
    e = rng.normal(size=4)
    return Pose(SX(ca.DM(rng.normal(size=3))), rotations.from_quaternion(SX(ca.DM(e / np.linalg.norm(e)))))


def evaluate(joint: lw.Joint, M: Pose, values: np.ndarray, planar: bool = False) -> Numbers:
    c, twist = SX.sym("c", len(values)), SX.sym("twist", 6)
    labels = [coordinate.label for coordinate in joint.coordinates]
    moved = M @ joint.moved({label: c[i] for i, label in enumerate(labels)})
    x, y, z = twist[3], twist[4], twist[5]
    turn = ca.vertcat(ca.horzcat(1, -z, y), ca.horzcat(z, 1, -x), ca.horzcat(-y, x, 1))  # exact to first order
    N = Pose(moved.p + twist[:3], turn @ moved.R, moved.turn + z if planar else None)
    rows = ca.vertcat(*joint.closure(M, N))
    read = joint.measure(M, N)
    measured = ca.vertcat(*(read[coordinate.index] for coordinate in joint.coordinates))
    columns = []
    for i in range(len(values)):
        W = ca.reshape(ca.jacobian(ca.vec(moved.R), c[i]), 3, 3) @ moved.R.T
        columns.append(ca.vertcat(ca.jacobian(moved.p, c[i]), W[2, 1], W[0, 2], W[1, 0]))
    results = [rows, ca.jacobian(rows, twist), ca.horzcat(*columns), measured, ca.jacobian(measured, twist)]
    closure, A, twists, found, B = (np.array(r) for r in ca.Function("f", [c, twist], results)(values, np.zeros(6)))
    n = len(values)
    return Numbers(closure.ravel(), A.reshape(-1, 6), twists.reshape(6, n), found.ravel(), B.reshape(n, 6))
