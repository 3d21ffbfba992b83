"""Accelerations of the same file by Linkwork and by Pinocchio or MuJoCo, at random states."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.components.free_joint import Free
from linkwork.components.joint import Joint
from linkwork.components.joints import Spherical


class Ours:
    """A model that was read from a file, in its joint coordinates; limits and dry friction are left out where told."""

    def __init__(self, m: lw.Model, *, smooth: bool):
        for joint in m.of_type(Joint):
            for c in joint.coordinates if smooth else ():
                c.laws = tuple(law for law in c.laws if not isinstance(law, (lw.Limits, lw.Friction)))
        m.changed()
        self.model, self.eq = m, m.equations("minimal").running
        self.at = self.eq.at(m.p_at(self.eq), 0.0)
        self.slots: dict[str, tuple[int, int]] = {}
        q = v = 0
        for name in dict.fromkeys(s.rsplit(".", 1)[0] for s in self.eq.states.speed_names):
            self.slots[name] = q, v
            joint = m[name]
            more = (7, 6) if isinstance(joint, Free) else (4, 3) if isinstance(joint, Spherical) else (1, 1)
            q, v = q + more[0], v + more[1]
        assert (q, v) == (self.eq.layout.q, self.eq.layout.v)

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        found, _ = self.at.accelerations(q, v, np.zeros(self.eq.layout.z), "x").accelerations()
        return np.asarray(found)


def quietly(path: Path, **options: Any) -> lw.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        return lw.load(path, **options)


def off_pinocchio(path: Path, states: int = 3) -> float:
    """The largest difference, as a share of the largest acceleration; couplings of joints are none of Pinocchio's."""
    import pinocchio as pin

    theirs, rng, worst = pin.buildModelFromUrdf(str(path)), np.random.default_rng(1), 0.0
    ours, data = Ours(quietly(path), smooth=False), theirs.createData()
    names = [name.replace(".", "_") for name in theirs.names]
    low, high = np.maximum(theirs.lowerPositionLimit, -2), np.minimum(theirs.upperPositionLimit, 2)
    for _ in range(states):
        q, v, tau = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
        Q, V = np.zeros(ours.eq.layout.q), np.zeros(ours.eq.layout.v)
        for k in range(1, theirs.njoints):
            joint = theirs.joints[k]
            bounds = (-2, 2) if joint.nq == 2 or low[joint.idx_q] >= high[joint.idx_q] else None
            x = rng.uniform(*(bounds or (low[joint.idx_q], high[joint.idx_q])))
            w = rng.uniform(-2, 2)
            q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(x), np.sin(x)] if joint.nq == 2 else x
            v[joint.idx_v] = w
            at_q, at_v = ours.slots[names[k]]
            Q[at_q], V[at_v] = x, w
            laws = ours.model[names[k]].coordinates[0].laws
            tau[joint.idx_v] = sum(float(ca.evalf(ca.SX(law.effort(0, ca.SX(x), ca.SX(w))))) for law in laws)
        expected, found = pin.aba(theirs, data, q, v, tau), ours.accelerations(Q, V)
        for k in range(1, theirs.njoints):
            difference = abs(found[ours.slots[names[k]][1]] - expected[theirs.joints[k].idx_v])
            worst = max(worst, difference / max(1.0, np.abs(expected).max()))
    return worst


def off_mujoco(path: Path, states: int = 3, folder: Path | None = None) -> float:
    """The same; MuJoCo's contacts, limits and dry friction are off, its equalities are made rigid."""
    import mujoco

    theirs, rng, worst = mujoco.MjModel.from_xml_path(str(path)), np.random.default_rng(2), 0.0
    data = mujoco.MjData(theirs)
    off = mujoco.mjtDisableBit
    theirs.opt.disableflags |= int(
        off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_EQUALITY
    )
    ours = Ours(quietly(path, contacts=False, folder=folder), smooth=True)
    joints = [j for j in ours.model.of_type(Joint) if j.name in ours.slots]
    for _ in range(states):
        data.qpos[:], data.qvel[:], data.ctrl[:] = theirs.qpos0, rng.uniform(-1, 1, theirs.nv), 0
        _moved(theirs, data, rng)
        if theirs.neq:
            _closed(theirs, data)
        mujoco.mj_forward(theirs, data)
        Q, V = np.zeros(ours.eq.layout.q), np.zeros(ours.eq.layout.v)
        for k, joint in enumerate(joints):
            q, v, n = _state(theirs, data, k)
            at_q, at_v = ours.slots[joint.name]
            Q[at_q : at_q + len(q)], V[at_v : at_v + n] = q, v
        expected, found = _accelerations(theirs, data), ours.accelerations(Q, V)
        for k, joint in enumerate(joints):
            a, n = _turned(theirs, k, expected)
            at_v = ours.slots[joint.name][1]
            difference = float(np.abs(found[at_v : at_v + n] - a).max())
            worst = max(worst, difference / max(1.0, np.abs(expected).max()))
    return worst


def _moved(theirs: Any, data: Any, rng: np.random.Generator) -> None:
    for k in range(theirs.njnt):
        at, kind = theirs.jnt_qposadr[k], theirs.jnt_type[k]
        if kind in (2, 3):
            data.qpos[at] += rng.uniform(-0.3, 0.3)
            continue
        if kind == 0:
            data.qpos[at : at + 3] += rng.uniform(-1, 1, 3)
            at += 3
        e = rng.normal(size=4)
        data.qpos[at : at + 4] = e * np.sign(e[0]) / np.linalg.norm(e)


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    import mujoco

    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, quaternion)
    return found.reshape(3, 3)


def _state(theirs: Any, data: Any, k: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Coordinates and speeds of a joint as ours has them: seen from where the file shows it."""
    import mujoco

    at, dof, kind = theirs.jnt_qposadr[k], theirs.jnt_dofadr[k], theirs.jnt_type[k]
    if kind in (2, 3):
        return data.qpos[at : at + 1] - theirs.qpos0[at : at + 1], data.qvel[dof : dof + 1], 1
    if kind == 1:
        return data.qpos[at : at + 4], data.qvel[dof : dof + 3], 3
    R, first, turned = _matrix(theirs.qpos0[at + 3 : at + 7]), theirs.qpos0[at + 3 : at + 7], np.zeros(4)
    mujoco.mju_mulQuat(turned, first * [1, -1, -1, -1], data.qpos[at + 3 : at + 7])
    place = R.T @ (data.qpos[at : at + 3] - theirs.qpos0[at : at + 3])
    speeds = np.concatenate([R.T @ data.qvel[dof : dof + 3], data.qvel[dof + 3 : dof + 6]])
    return np.concatenate([place, turned]), speeds, 6


def _turned(theirs: Any, k: int, a: np.ndarray) -> tuple[np.ndarray, int]:
    at, dof, kind = theirs.jnt_qposadr[k], theirs.jnt_dofadr[k], theirs.jnt_type[k]
    if kind:
        n = 3 if kind == 1 else 1
        return a[dof : dof + n], n
    R = _matrix(theirs.qpos0[at + 3 : at + 7])
    return np.concatenate([R.T @ a[dof : dof + 3], a[dof + 3 : dof + 6]]), 6


def _rows(theirs: Any, data: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Residual, Jacobian J and J̇ v of equalities of the kinds connect and joint."""
    found = list(_each_row(theirs, data))
    return tuple(np.concatenate([x[i] for x in found]) for i in range(3))  # type: ignore[return-value]


def _each_row(theirs: Any, data: Any) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    import mujoco

    for k in range(theirs.neq):
        a, b, given = theirs.eq_obj1id[k], theirs.eq_obj2id[k], theirs.eq_data[k]
        if theirs.eq_type[k] == mujoco.mjtEq.mjEQ_CONNECT:
            ends = []
            for body, arm in ((a, given[:3]), (b, given[3:6])):
                p = data.xpos[body] + data.xmat[body].reshape(3, 3) @ arm
                J, rate = np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
                mujoco.mj_jac(theirs, data, J, None, p, body)
                mujoco.mj_jacDot(theirs, data, rate, None, p, body)
                ends.append((p, J, rate @ data.qvel))
            yield tuple(x - y for x, y in zip(*ends, strict=True))  # type: ignore[misc]
        else:
            assert theirs.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT and b >= 0
            poly = np.polynomial.Polynomial(given[:5])
            x, y = (data.qpos[theirs.jnt_qposadr[i]] - theirs.qpos0[theirs.jnt_qposadr[i]] for i in (a, b))
            J = np.zeros((1, theirs.nv))
            J[0, theirs.jnt_dofadr[a]], J[0, theirs.jnt_dofadr[b]] = 1, -poly.deriv()(y)
            speed = data.qvel[theirs.jnt_dofadr[b]]
            yield np.array([x - poly(y)]), J, np.array([-poly.deriv(2)(y) * speed**2])


def _closed(theirs: Any, data: Any) -> None:
    """Bring positions and speeds on the equalities."""
    import mujoco

    for _ in range(60):
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_comPos(theirs, data)
        residual, J, _ = _rows(theirs, data)
        data.qpos[:] -= np.linalg.pinv(J, rcond=1e-9) @ residual
    data.qvel[:] -= np.linalg.pinv(J, rcond=1e-9) @ (J @ data.qvel)


def _accelerations(theirs: Any, data: Any) -> np.ndarray:
    if not theirs.neq:
        return np.array(data.qacc)
    import mujoco

    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, M)
    # A tendon's actuator is not taken by Linkwork, and said to be so.
    force = data.qfrc_passive - data.qfrc_bias + (0 if theirs.ntendon else data.qfrc_actuator)
    _, J, rate = _rows(theirs, data)
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(whole, np.concatenate([force, -rate]), rcond=1e-11)[0][: theirs.nv]
