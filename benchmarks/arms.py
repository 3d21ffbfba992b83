"""One arm with n revolute joints, as Linkwork, Pinocchio and MuJoCo see it.

Joint i turns about z or y in turn (z y z y z y z, repeated), 0.3 m above the joint before; link i has 1 + 0.1 i kg, its
mass centre at (0.01, 0.02, 0.1) m from its joint, principal inertias (0.02, 0.03, 0.01) kg·m² along the joint's axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwork as lw

AXES = "zyzyzyz"
SPACING, CENTRE, INERTIA = 0.3, (0.01, 0.02, 0.1), (0.02, 0.03, 0.01)
GRAVITY = 9.81
_VECTORS = {"y": (0, 1, 0), "z": (0, 0, 1)}


def axis(i: int) -> str:
    return AXES[i % len(AXES)]


def mass(i: int) -> float:
    return 1.0 + 0.1 * i


def height(i: int) -> float:
    """Of joint i above joint i − 1 [m]."""
    return SPACING if i else 0.0


def linkwork(n: int) -> lw.Model:
    """Torques are the model's inputs."""
    m = lw.Model("arm", gravity=(0, 0, -GRAVITY))
    x, y, z = CENTRE
    before: Any = m.ground.at(0, 0, 0)
    for i in range(n):
        link = m.body(f"link{i}", mass=mass(i), inertia=INERTIA)
        joint = m.revolute(f"joint{i}", before, link.at(-x, -y, -z), axis=_VECTORS[axis(i)])
        joint.angle.law(lw.Effort(m.input(f"torque{i}", unit="N·m")))
        before = link.at(-x, -y, SPACING - z)
    return m


def pinocchio(n: int) -> Any:
    import pinocchio as pin

    kinds = {"y": pin.JointModelRY, "z": pin.JointModelRZ}
    model, parent = pin.Model(), 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, height(i)]))
        parent = model.addJoint(parent, kinds[axis(i)](), place, f"joint{i}")
        inertia = pin.Inertia(mass(i), np.array(CENTRE), np.diag(INERTIA))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def pinocchio_numbers(n: int) -> np.ndarray:
    """The same for the C++ loop, shape (n, 9): mass, mass centre, inertias, height, axis (0 x, 1 y, 2 z)."""
    return np.array([[mass(i), *CENTRE, *INERTIA, height(i), "xyz".index(axis(i))] for i in range(n)])


def mujoco(n: int, step: float = 1e-3) -> Any:
    import mujoco as mj

    def words(numbers: Any) -> str:
        return " ".join(map(str, numbers))

    text, ends = "", ""
    for i in range(n):
        text += (
            f'<body pos="0 0 {height(i)}"><joint type="hinge" axis="{words(_VECTORS[axis(i)])}"/>'
            f'<inertial pos="{words(CENTRE)}" mass="{mass(i)}" diaginertia="{words(INERTIA)}"/>'
        )
        ends += "</body>"
    option = f'<option integrator="RK4" timestep="{step}" gravity="0 0 -{GRAVITY}"><flag contact="disable"/></option>'
    return mj.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}{ends}</worldbody></mujoco>")
