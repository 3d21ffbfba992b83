"""Random mechanisms with what users write themselves, with relations, tables, contacts and events."""

from __future__ import annotations

from typing import Annotated

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.core.component import State
from linkwork.core.kinds import positive, quantity


class Drag(lw.Force):
    """−c |v| v; its number is declared, and may be an expression."""

    passive = True

    def __init__(self, name: str, at: lw.Marker, *, c: Annotated[lw.Number, positive["N·s²/m²"]]):
        super().__init__(name)
        self.at, self.c = at, c

    def loads(self, view):
        v = view.frame(self.at).v
        return [lw.Load(self.at, -self.c * lw.norm(v) * v, ca.SX.zeros(3))]

    def dissipation(self, view):
        return self.c * lw.norm(view.frame(self.at).v) ** 3

    def channels(self, view):
        return {"speed": ("m/s", lw.norm(view.frame(self.at).v))}


class Lag(lw.Force):
    """A push that follows a speed by a state of its own; what it is given is not declared, and code asks for it."""

    def __init__(self, name, at, modes, gain):
        super().__init__(name)
        self.at, self.modes, self.gain = at, modes, gain
        self._state = ca.SX.sym(f"{name}.lag")

    def states(self, view):
        rate = view.frame(self.at).v[0] - self._state
        return [State(f"{self.name}.lag", self._state, rate, 0.1, "m/s")]

    def loads(self, view):
        push = sum(self._state**k for k in range(1, self.modes + 1))
        push = -self.gain * push if self.gain > 0.5 else -0.5 * push
        return [lw.Load(self.at, ca.vertcat(push, 0, 0), ca.SX.zeros(3))]


class Track(lw.Joint):
    """The origin of N stays on y = curvature · x² of M; N turns about z."""

    free = ("along", "angle")
    plane = free

    def __init__(self, name, first, second, *, curvature: Annotated[lw.Number, quantity["1/m"]], **place):
        super().__init__(name, first, second, **place)
        self.curvature = curvature

    def closure(self, M, N):
        d = N.p - M.p
        x, y, z = (lw.dot(d, axis) for axis in (M.x, M.y, M.z))
        return [y - self.curvature * x**2, z, lw.dot(M.x, N.z), lw.dot(M.y, N.z)]

    def motion(self, along, angle):
        return lw.translation(along, self.curvature * along**2, 0) @ lw.rotation_z(angle)

    def measure(self, M, N):
        return [lw.dot(N.p - M.p, M.x), lw.turn(M, N)]


class Hardening(lw.Law):
    """−k (x + x³)."""

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def effort(self, t, x, v):
        return -self.stiffness * (x + x**3)

    def potential(self, x):
        return self.stiffness * (x**2 / 2 + x**4 / 4)


def mixture(seed: int, *, planar: bool, branches: int = 3) -> lw.Model:
    """Branches from the ground, of three bodies each: on a hinge, a rail and a track."""
    random = np.random.default_rng(seed)
    m = lw.Model("mixture", gravity=(0.2, -9.81) if planar else (0.2, -9.81, 0.1))
    drag = m.parameter("drag", 0.3)
    m.input("push", 0.4)
    inertia = 0.1 if planar else (0.1, 0.12, 0.11)
    for k in range(branches):
        a, b, c = (m.body(f"{x}{k}", mass=random.uniform(0.5, 1.5), inertia=inertia) for x in "abc")
        hinge = m.revolute(f"hinge{k}", m.ground.at(2 * k, 0), a.at(-0.5, 0.1))
        rail = m.prismatic(f"rail{k}", a.at(0.5, 0), b.at(0, random.uniform(0, 0.1)))
        track = m.add(Track(f"track{k}", b.at(0.2, 0), c.at(-0.3, 0), curvature=random.uniform(0.2, 0.6)))
        hinge.angle.start(random.uniform(-0.4, 0.4), rate=random.uniform(-1, 1))
        rail.slide.law(lw.Spring(random.uniform(20, 40)))
        track.along.law(Hardening(random.uniform(10, 20)))
        shape = random.choice(["linear", "cubic"])
        track.angle.law(lw.Effort(lw.Table([0, 0.2, 0.5], random.uniform(-1, 1, 3), shape)))
        m.add(Drag(f"drag{k}", c.at(0.3, 0), c=drag if k == 1 else random.uniform(0.1, 0.3)))
        m.add(Lag(f"lag{k}", b.at(0.1, 0), 1 + k % 2, random.choice([0.4, 0.7])))
        m.contact(f"touch{k}", c.at(0, 0), m.ground.at(0, -1), radius=random.uniform(0.9, 1.1), stiffness=100.0,
                  exponent=1.5, friction=random.uniform(0.1, 0.3), creep=0.1)  # fmt: skip
        level = random.uniform(0, 0.1)
        m.event(f"event{k}", lambda x, level=level: x - level, rail.slide)
    _related(m, random, branches)
    return m


def _related(m: lw.Model, random: np.random.Generator, branches: int) -> None:
    m.rack("rack", m["hinge0"].angle, m["rail0"].slide, radius=random.uniform(0.1, 0.3))
    for k in range(1, branches):
        ratio, phase = random.uniform(0.5, 1.5, 2)
        hinge = m["hinge0"].angle
        m.gear(f"gear{k}", hinge, m[f"hinge{k}"].angle, ratio=ratio, phase=phase)
        m[f"hinge{k}"].angle.value = m[f"hinge{k}"].angle.speed = None
    if branches > 1:
        m.relation("bent", lambda x, a: x - 0.1 * lw.sin(a), m["track1"].along, m["track0"].angle)
