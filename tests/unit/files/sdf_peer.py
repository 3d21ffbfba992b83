"""An SDF file read a second time, by the standard library, into MuJoCo: free bodies that connections hold together."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation


def numbers(element: Any, tag: str, usual: str) -> np.ndarray:
    return np.array([float(x) for x in (element.findtext(tag) or usual).split()])


def pose(element: Any) -> tuple[np.ndarray, Rotation]:
    given = numbers(element, "pose", "0 0 0 0 0 0")
    return given[:3], Rotation.from_euler("xyz", given[3:])


class FreeBodies:
    """Links with revolute and ball joints, in maximal coordinates."""

    def __init__(self, path: Path):
        import mujoco

        model = ElementTree.parse(path).getroot().find("model")
        assert model is not None
        self.links = {link.attrib["name"]: link for link in model.findall("link")}
        self.joints = model.findall("joint")
        bodies = "".join(self._body(name, link) for name, link in self.links.items())
        text = f'<mujoco><option gravity="0 0 -9.8"/><worldbody>{bodies}</worldbody></mujoco>'
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def _body(self, name: str, link: Any) -> str:
        inertial = link.find("inertial")
        centre, turn = pose(inertial)
        i = {k: float(inertial.findtext(f"inertia/i{k}")) for k in ("xx", "yy", "zz", "xy", "xz", "yz")}
        w, x, y, z = turn.as_quat()[[3, 0, 1, 2]]
        assert abs(w) == 1, "fullinertia is in the axes of the body"
        full = " ".join(str(i[k]) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
        return (
            f'<body name="{name}"><freejoint/><inertial pos="{" ".join(map(str, centre))}" '
            f'mass="{inertial.findtext("mass")}" fullinertia="{full}"/></body>'
        )

    def accelerations(self, at: dict[str, np.ndarray], turns: dict[str, Rotation], v: Any, w: Any) -> dict[str, Any]:
        """Of mass centres; at, turns, v, w: their places, rotations, velocities and spins in world axes, by link."""
        import mujoco

        model, data = self.model, self.data
        arms = {name: numbers(link.find("inertial"), "pose", "0 0 0 0 0 0")[:3] for name, link in self.links.items()}
        for k, name in enumerate(self.links):
            R = turns[name].as_matrix()
            data.qpos[7 * k : 7 * k + 3] = at[name] - R @ arms[name]
            data.qpos[7 * k + 3 : 7 * k + 7] = turns[name].as_quat()[[3, 0, 1, 2]]
            data.qvel[6 * k : 6 * k + 3] = v[name] - np.cross(w[name], R @ arms[name])
            data.qvel[6 * k + 3 : 6 * k + 6] = R.T @ w[name]
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        force = data.qfrc_passive - data.qfrc_bias
        rows, rates = [], []
        number = {name: k for k, name in enumerate(self.links)}
        for joint in self.joints:
            parent, child = joint.findtext("parent"), joint.findtext("child")
            points, axis = self._points(joint)
            since = turns[child].as_matrix() @ pose(self.links[child])[1].as_matrix().T
            across = np.linalg.svd((since @ axis)[None])[2][1:]
            for p, seen in zip(points, (np.eye(3), across), strict=False):
                both = [self._moved(number[b] + 1, self._local(b, p)) for b in (parent, child)]
                rows.append(seen @ (both[0][0] - both[1][0]))
                rates.append(seen @ (both[0][1] - both[1][1]))
            damping = float(joint.findtext("axis/dynamics/damping") or 0)
            stiff = float(joint.findtext("axis/dynamics/spring_stiffness") or 0)
            assert stiff == 0 or joint.attrib["type"] == "revolute"
            if joint.attrib["type"] == "revolute":
                along = since @ axis
                angle = self._angle(joint, turns, axis)
                rest = float(joint.findtext("axis/dynamics/spring_reference") or 0)
                torque = -damping * along @ (w[child] - w[parent]) - stiff * (angle - rest)
                for b, sign in ((child, 1), (parent, -1)):
                    k = number[b]
                    force[6 * k + 3 : 6 * k + 6] += sign * torque * turns[b].as_matrix().T @ along
        J, rate = np.vstack(rows), np.concatenate(rates)
        free, push = np.linalg.solve(M, force), np.linalg.solve(M, J.T)
        size = 1 / np.sqrt(np.diag(J @ push))
        whole = size[:, None] * (J @ push) * size  # redundant where axes are parallel
        a, inverse = free, np.linalg.pinv(whole, rcond=1e-11)
        for _ in range(4):  # refined
            a = a - push @ (size * (inverse @ (size * (J @ a + rate))))
        found = {}
        for k, name in enumerate(self.links):
            R, arm = turns[name].as_matrix(), turns[name].as_matrix() @ arms[name]
            spin, alpha = w[name], R @ a[6 * k + 3 : 6 * k + 6]
            found[name] = a[6 * k : 6 * k + 3] + np.cross(alpha, arm) + np.cross(spin, np.cross(spin, arm))
        return found

    def _points(self, joint: Any) -> tuple[list[np.ndarray], np.ndarray]:
        """What of a joint coincides where the file shows it, in world axes: its place, and a second one on
        its axis, which moves along it only."""
        place, turn = pose(self.links[joint.findtext("child")])
        own, turned = pose(joint)
        place = place + turn.apply(own)
        axis = (turn * turned).apply(numbers(joint, "axis/xyz", "0 0 1"))
        axis = axis / np.linalg.norm(axis)
        return ([place] if joint.attrib["type"] == "ball" else [place, place + axis]), axis

    def _local(self, body: str, p: np.ndarray) -> np.ndarray:
        place, turn = pose(self.links[body])
        return turn.inv().apply(p - place)

    def _angle(self, joint: Any, turns: dict[str, Rotation], axis: np.ndarray) -> float:
        ends = [joint.findtext("parent"), joint.findtext("child")]
        since = [turns[b] * pose(self.links[b])[1].inv() for b in ends]
        return float((since[0].inv() * since[1]).as_rotvec() @ axis)

    def _moved(self, body: int, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import mujoco

        data = self.data
        p = data.xpos[body] + data.xmat[body].reshape(3, 3) @ arm
        J, rate = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, data, J, None, p, body)
        mujoco.mj_jacDot(self.model, data, rate, None, p, body)
        return J, rate @ data.qvel


def off_free_bodies(m: Any, path: Path, seed: int = 3) -> float:
    """The largest difference of accelerations of a run of ours, as a share of the largest."""
    theirs, rng = FreeBodies(path), np.random.default_rng(seed)
    for joint in ("left-roll-op", "left-pitch-op", "left-knee-op", "right-yaw-op", "right-knee-op"):
        m[joint].angle.start(0.0 if "knee" in joint else rng.uniform(-0.2, 0.2), rate=rng.uniform(-1, 1))
    r = m.simulate(0.1, output=0.05)
    worst = 0.0
    for k in range(r.t.size):
        at, v, w, a = (
            {b: np.array([r[f"{b}.{p}{x}"][k] for x in "xyz"]) for b in theirs.links} for p in ("", "v", "w", "a")
        )
        turns = {b: Rotation.from_quat([r[f"{b}.q{i}"][k] for i in (1, 2, 3, 0)]) for b in theirs.links}
        expected = theirs.accelerations(at, turns, v, w)
        largest = max(np.abs(x).max() for x in expected.values())
        worst = max(worst, *(np.abs(a[b] - expected[b]).max() / largest for b in theirs.links))
    return float(worst)
