"""Newton's and Euler's equations of every body, from the channels of a run alone."""

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.components.bodies import Body
from linkwork.core import component as contract


def _stack(r: lw.Result, prefix: str, letters: str = "xyz") -> np.ndarray:
    """(samples, 3) of a vector channel; zeros for what a planar model does not have."""
    return np.stack([r.get(f"{prefix}{k}", np.zeros(r.t.size)) for k in letters], axis=1)


def _axes(r: lw.Result, body: str) -> np.ndarray:
    """Body → world, (samples, 3, 3)."""
    if body == "ground":
        return np.broadcast_to(np.eye(3), (r.t.size, 3, 3))
    if f"{body}.angle" in r:
        return Rotation.from_euler("z", r[f"{body}.angle"][:, None]).as_matrix()
    return Rotation.from_quat(np.stack([r[f"{body}.q{i}"] for i in (1, 2, 3, 0)], axis=1)).as_matrix()


def _place(r: lw.Result, side: dict) -> tuple[np.ndarray, np.ndarray]:
    """Origin and axes of a joint's frame in the world."""
    R = _axes(r, side["body"])
    origin = np.zeros((r.t.size, 3)) if side["body"] == "ground" else _stack(r, f"{side['body']}.")
    return origin + R @ np.array(side["point"]), R @ np.array(side["rotation"])


def residuals(
    m: lw.Model, r: lw.Result, loads: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] | None = None
):
    """{body: (force [N], moment [N·m])} left over of m a − weight − Σ wrenches and its moment about the mass centre.

    loads: further (point, force, torque) in world axes by body, each (samples, 3); springs are taken into account here.
    """
    wrenches = {b: list(w) for b, w in (loads or {}).items()}

    def act(body: str, point: np.ndarray, force: np.ndarray, torque: np.ndarray) -> None:
        wrenches.setdefault(body, []).append((point, force, torque))

    zero = np.zeros((r.t.size, 3))
    for name, about in r.description["joints"].items():
        first, second = about["first"], about["second"]
        (P1, M), (P2, _) = _place(r, first), _place(r, second)
        act(second["body"], P2, _stack(r, f"{name}.reaction.f"), _stack(r, f"{name}.reaction.m"))
        act(first["body"], P1, _stack(r, f"{name}.port1.f"), _stack(r, f"{name}.port1.m"))
        for label, axis, turns in (("angle", M[:, :, 2], True), ("slide", M[:, :, 0], False)):
            effort = r.get(f"{name}.{label}.effort")
            if effort is not None:
                vector = effort[:, None] * axis
                # A force along the slide acts on both bodies at the origin of the second frame.
                for body, sign in ((second["body"], 1), (first["body"], -1)):
                    act(body, P2, sign * vector if not turns else zero, sign * vector if turns else zero)
    for spring in (c for c in m.of_type(contract.Force) if hasattr(c, "stiffness")):
        a, b = (
            _place(r, {"body": e.body.name, "point": np.array(ca.evalf(e.local.p)).ravel(), "rotation": np.eye(3)})[0]
            for e in (spring.a, spring.b)
        )
        direction = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
        pull = r[f"{spring.name}.tension"][:, None] * direction
        act(spring.a.body.name, a, pull, zero)
        act(spring.b.body.name, b, -pull, zero)
    gravity = np.array(r.description["gravity"])
    gravity = np.append(gravity, 0.0) if gravity.size == 2 else gravity
    left = {}
    for body in m.of_type(Body):
        R, p, w = _axes(r, body.name), _stack(r, f"{body.name}."), _stack(r, f"{body.name}.w")
        J = np.diag([0, 0, float(body.inertia)]) if m.is_planar else np.array(body.inertia, dtype=float)
        I = R @ J @ R.transpose(0, 2, 1)
        spin = np.einsum("kij,kj->ki", I, w)
        force = float(body.mass) * (_stack(r, f"{body.name}.a") - gravity)
        moment = np.einsum("kij,kj->ki", I, _stack(r, f"{body.name}.alpha")) + np.cross(w, spin)
        for point, f, torque in wrenches.get(body.name, []):
            force = force - f
            moment = moment - torque - np.cross(point - p, f)
        left[body.name] = force, moment
    return left
