"""Steady motion: frames in which nothing changes but coordinates that do not matter.

In a steady motion every body follows a screw: with a spin Ω that all share, v̇ = Ω × v and ω̇ = Ω × ω in world axes.
Deviations are then counted in axes that turn with Ω, and from orientations that move along. Whether the motion is
steady is seen from the linear equations themselves: they must be the same after a while. Where all speeds have one
direction, Ω may have any size; the axes that do not turn are tried first (a spinning top needs these), then those that
turn with one of the bodies (a tumbling satellite needs those).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import Motions
from linkwork.analyses.linearization.independent import RESTING_FRAME, Frame
from linkwork.analyses.linearization.modes import balance
from linkwork.analyses.linearization.operating_point import Point, placement_of, state_of
from linkwork.analyses.linearization.state_space import CLOSE, StateSpace, singular, state_space, trusted
from linkwork.assembly.numbers import absolute_equations
from linkwork.components.bodies import Body
from linkwork.core.errors import AssemblyError, ModelError
from linkwork.geometry import SX, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model

AT_REST = 1e-7
"""Largest speed or acceleration [SI units] that still counts as an equilibrium."""
EQUATION_DIFFERENCE = 1e-6
"""Relative difference of linear equations that still counts as none."""
RATE_ERROR = 1e-6
"""Relative error of rates, as the distance from a singular position suggests it, that is refused."""
LATER = (0.37, 1.1)
"""How far the motion has gone [m, rad] when it is looked at again."""


@dataclass(frozen=True)
class Steadiness:
    """The linear equations at a point, and whether they stay the same along its motion."""

    space: StateSpace
    moving: bool
    steady: bool
    speed: float = 0.0
    """Largest speed of the motion itself [m/s, rad/s]."""


def linear_equations(model: Model, point: Point, **chosen: Any) -> Steadiness:
    """State equation at a point, in a frame in which the motion there is steady if there is one.

    chosen: inputs, outputs and coordinates, as for `state_space`.
    """
    motion = _Motion(model, point)
    _check_distance(model, point, motion.channels)
    if motion.size <= AT_REST:
        here = state_space(point.candidates, point.t, point.y, point.p, **chosen)
        return Steadiness(_trusted(point, here, RESTING_FRAME, chosen), False, True)
    first = None
    for frame in motion.frames():
        here = state_space(point.candidates, point.t, point.y, point.p, frame=frame, **chosen)
        if motion.keeps(here, frame, chosen.get("outputs", ())):
            return Steadiness(_trusted(point, here, frame, chosen), True, True, motion.speed)
        first = first or (here, frame)
    assert first is not None
    return Steadiness(_trusted(point, *first, chosen), True, False, motion.speed)


def _check_distance(model: Model, point: Point, channels: Mapping[str, float]) -> None:
    """Refuse a position so near to a singular one that multipliers lose their digits.

    They are divided by the distance from it, and what they push is again. Seen in absolute coordinates: other
    formulations may have regularised it out of sight.
    """
    eq = absolute_equations(model)
    if not eq.constraints.velocity.numel() or not model.of_type(Body):
        return
    names = eq.z_names
    placed = placement_of(model, point.ready, channels, {}, point.p)
    z = np.array([placed.first_order.get(name, 0.0) for name in names])
    q, v = np.split(eq.start.state(placed), [eq.q.numel()])
    here = eq.at(model.p_at(eq, point.p, point.t), point.t)
    A, mass = np.array(here.constraints(q, v, z)[2]), np.diag(here.dynamics(q, v, z)[0])
    usual = float(mass[mass > 0].mean()) if np.any(mass > 0) else 1.0
    sharp = Motions(A / np.sqrt(np.where(mass > 0, mass, usual))).sharpness  # lengths of any size count alike
    if np.finfo(float).eps / sharp**2 > RATE_ERROR:
        raise singular(point.candidates.local, CLOSE)


def _trusted(point: Point, space: StateSpace, frame: Frame, chosen: Mapping[str, Any]) -> StateSpace:
    return trusted(point.candidates, point.t, point.y, point.p, space, frame, chosen.get("outputs", ()))


class _Motion:
    """Speeds and accelerations of all bodies at a point, world axes."""

    def __init__(self, model: Model, point: Point):
        self.model, self.point = model, point
        local = point.candidates.local
        dynamics = local.dynamics(point.t, point.y, point.p)
        a, multipliers = dynamics.accelerations()
        self.channels, self.z_rates = self._look(a, multipliers)
        self.bodies = [b.name for b in model.of_type(Body)]
        self.v, self.w = self._vectors("v", "w")
        self.a, self.alpha = self._vectors("a", "alpha")
        own = [c.name for group in point.candidates.groups[:1] for c in group]
        rates = [self.channels[f"{name}.rate"] for name in own if name not in point.candidates.vague]
        v = point.y[local.nq : local.nq + local.nv]
        kept = self.z_rates[local.linearised] if local.linearised else np.zeros(0)
        self.moves = bool(np.abs(v).max(initial=0.0) > AT_REST or np.abs(rates).max(initial=0.0) > AT_REST)
        self.size = float(max(np.abs(x).max(initial=0.0) for x in (v, a, kept, np.array(rates))))
        self.speed = float(max(np.abs(x).max(initial=0.0) for x in (v, np.array(rates))))
        self.acceleration = float(np.abs(a).max(initial=0.0))

    def _look(self, a: np.ndarray, multipliers: np.ndarray) -> tuple[dict[str, float], np.ndarray]:
        point, local = self.point, self.point.candidates.local
        eq = local.eq
        outputs = eq.observation.outputs

        def build() -> tuple[list[SX], list[SX]]:
            values = ca.vertcat(*(x for _, x in outputs.values()))
            return [eq.q, eq.v, eq.z, eq.a, eq.multipliers], [ca.densify(values), ca.densify(eq.motion.zdot)]

        parts = (*local.split(point.y), a, multipliers)
        values, rates = (np.array(x).ravel() for x in local.at(point.t, point.p).call("look", build, *parts))
        return dict(zip(outputs, values.tolist(), strict=True)), rates

    def _vectors(self, *prefixes: str) -> Iterator[np.ndarray]:
        """One row per body."""
        for prefix in prefixes:
            yield np.array([[self.channels.get(f"{b}.{prefix}{i}", 0.0) for i in "xyz"] for b in self.bodies])

    def frames(self) -> Iterator[Frame]:
        """Those in which it may be steady, the likely ones first."""
        if not self.bodies:
            yield replace(RESTING_FRAME, moving=True)
            return
        speeds, rates = np.vstack([self.v, self.w]), np.concatenate([self.a.ravel(), self.alpha.ravel()])
        spin, loose = _common_spin(speeds, rates, self.model.is_planar)
        spins = [spin]
        if loose is not None:
            sizes = {round(float(w @ loose), 9): float(w @ loose) for w in self.w}
            spins += [spin + size * loose for size in sizes.values() if abs(size) > AT_REST]
        for each in spins:
            if np.linalg.norm(each) <= AT_REST:
                yield replace(RESTING_FRAME, moving=True)
                continue
            yield Frame(spin=each, moving=True)
            yield Frame(self._centre(each), RESTING_FRAME.turn, each, carries=True, moving=True)

    def _centre(self, spin: np.ndarray) -> np.ndarray:
        """A point of the axis that the bodies go round."""
        at = np.array([[self.channels.get(f"{b}.{i}", 0.0) for i in "xyz"] for b in self.bodies])
        centres = at + np.cross(spin, self.v) / float(spin @ spin)
        return centres[int(np.argmax(np.linalg.norm(np.cross(spin, self.v), axis=1)))]

    def keeps(self, here: StateSpace, frame: Frame, outputs: Sequence[str]) -> bool:
        """Whether nothing accelerates, and the linear equations are still the same later on."""
        if np.abs(here.rate[here.positions :]).max(initial=0.0) > EQUATION_DIFFERENCE * max(
            1.0, self.speed, self.speed**2
        ):
            return False
        if not here.A.size:
            return True
        _, scale = balance(np.where(np.abs(here.A) <= 3 * here.error, 0.0, here.A))
        size = np.abs(here.A * scale / scale[:, None]).max(initial=0.0)
        noise = here.error * scale / scale[:, None]
        for far in LATER:
            try:
                there = self._later(far, frame, here.names[: here.positions], outputs)
            except (AssemblyError, ModelError):
                return False
            if there is None or there.names != here.names:
                return False
            off = np.abs(there.A - here.A) * scale / scale[:, None]
            if np.any(off > EQUATION_DIFFERENCE * size + 100 * noise):
                return False
        return True

    def _later(self, far: float, frame: Frame, names: list[str], outputs: Sequence[str]) -> StateSpace | None:
        """The linear equations after a displacement of about `far` along the motion, if it goes on as it should."""
        point, local = self.point, self.point.candidates.local
        after = far / self.speed if self.speed > AT_REST else np.sqrt(2 * far / max(self.acceleration, AT_REST))
        if not self.moves and self.acceleration <= AT_REST:
            after = 1.0  # first-order states alone change
        channels, first_order = self._moved(after, frame)
        placed = placement_of(self.model, point.ready, channels, first_order, point.p)
        y = state_of(local, placed)
        t = point.t + after
        closed = local.closed(t, y, point.p)
        gone = np.linalg.norm(closed[local.nq : local.nq + local.nv] - y[local.nq : local.nq + local.nv])
        if gone > EQUATION_DIFFERENCE * max(1.0, self.speed) * np.sqrt(local.nv):
            return None
        turn = _quaternion(frame.spin * after)
        later = replace(frame, turn=turn)
        return state_space(point.candidates, t, closed, point.p, outputs=outputs, coordinates=names, frame=later)

    def _moved(self, after: float, frame: Frame) -> tuple[dict[str, float], Mapping[str, float]]:
        """Channels and first-order states after a while of steady motion."""
        channels = dict(self.channels)
        for c in [*(c.name for c in self.point.candidates.groups[0])]:
            channels[c] += channels[f"{c}.rate"] * after
        for k, body in enumerate(self.bodies):
            spin = self._own_spin(k, frame)
            turned = np.array(rotations.from_quaternion(_quaternion(spin * after)), dtype=float)
            self._show(channels, f"{body}.v", turned @ self.v[k])
            self._show(channels, f"{body}.w", turned @ self.w[k])
            at = np.array([channels.get(f"{body}.{i}", 0.0) for i in "xyz"])
            self._show(channels, f"{body}.", at + _travelled(self.v[k], spin, after))
            if self.model.is_planar:
                channels[f"{body}.angle"] += self.w[k][2] * after
            else:
                e = np.array([channels[f"{body}.q{i}"] for i in range(4)])
                first, last = _quaternion((self.w[k] - spin) * after), _quaternion(spin * after)
                e = np.array(rotations.quaternion_product(last, rotations.quaternion_product(first, e))).ravel()
                channels.update({f"{body}.q{i}": float(x) for i, x in enumerate(e)})
        local = self.point.candidates.local
        start = self.point.y[local.nq + local.nv :]
        names = local.eq.states.names[local.nq + local.nv :]
        return channels, dict(zip(names, (start + after * self.z_rates).tolist(), strict=True))

    def _own_spin(self, k: int, frame: Frame) -> np.ndarray:
        """The frame's, or where the body goes another way that of its own."""
        off = np.linalg.norm(np.cross(frame.spin, self.v[k]) - self.a[k])
        off += np.linalg.norm(np.cross(frame.spin, self.w[k]) - self.alpha[k])
        if off <= EQUATION_DIFFERENCE * (1 + np.linalg.norm(self.a[k]) + np.linalg.norm(self.alpha[k])):
            return frame.spin
        rates = np.concatenate([self.a[k], self.alpha[k]])
        return _common_spin(np.vstack([self.v[k], self.w[k]]), rates, self.model.is_planar)[0]

    @staticmethod
    def _show(channels: dict[str, float], prefix: str, vector: np.ndarray) -> None:
        shown = {f"{prefix}{i}": float(x) for i, x in zip("xyz", vector, strict=True)}
        channels.update({name: x for name, x in shown.items() if name in channels})


def _common_spin(speeds: np.ndarray, rates: np.ndarray, planar: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """The smallest Ω with Ω × speed = rate for all (least squares), and the direction in which it is open, if any."""
    rows = np.vstack([np.array([[0, s[2], -s[1]], [-s[2], 0, s[0]], [s[1], -s[0], 0]]) for s in speeds])
    if planar:
        rows = rows * np.array([0.0, 0, 1])
    U, s, Vt = lapack.svd(rows, full_matrices=False)
    firm = s > 1e-7 * max(s[0], AT_REST)
    spin = Vt[firm].T @ ((U[:, firm].T @ rates) / s[firm])
    if planar:
        return spin, None if np.any(firm) else np.array([0.0, 0, 1])
    return spin, Vt[2] if np.sum(firm) == 2 else None


def _quaternion(vector: np.ndarray) -> np.ndarray:
    """Euler parameters of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0 else vector
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])


def _travelled(v: np.ndarray, spin: np.ndarray, after: float) -> np.ndarray:
    """∫ of a velocity that turns with a spin."""
    size = float(np.linalg.norm(spin))
    if size * after < 1e-9:
        return v * after
    n = spin / size
    along = (v @ n) * n
    return along * after + (np.sin(size * after) * (v - along) + (1 - np.cos(size * after)) * np.cross(n, v)) / size
