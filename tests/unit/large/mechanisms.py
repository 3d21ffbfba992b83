"""Random mechanisms for which kernels and straight-line code must agree: trees and nets with many kinds of parts."""

from __future__ import annotations

import numpy as np

import linkwork as lw

SPATIAL = ("revolute", "spherical", "prismatic", "cylindrical", "universal", "fixed")
PLANAR = ("revolute", "prismatic", "fixed")


def tree(seed: int, bodies: int, *, planar: bool = False, laws: bool = True) -> lw.Model:
    """Bodies hung on random ones before them, with random joints, springs, laws, a parameter and an input."""
    random = np.random.default_rng(seed)
    m = lw.Model("tree", gravity=(0.3, -9.81) if planar else (0.3, -0.2, -9.81))
    length, stiffness = m.parameter("length", 0.4), m.parameter("stiffness", 30.0)
    torque = m.input("torque", 0.2)
    made = [m.ground]
    for k in range(bodies):
        inertia = random.uniform(0.05, 0.1) if planar else tuple(random.uniform(0.05, 0.08, 3)) + (0.002, -0.001, 0.003)
        body = m.body(f"b{k}", mass=random.uniform(0.5, 2), inertia=inertia)
        before = made[random.integers(max(0, len(made) - 4), len(made))]
        kind = (PLANAR if planar else SPATIAL)[random.integers(3 if planar else 6)]
        joint = _joined(m, kind, f"j{k}", before, body, random, length if k % 3 == 0 else None, planar)
        for c in joint.coordinates:
            if kind != "spherical":
                c.start(random.uniform(-0.5, 0.5), rate=random.uniform(-1, 1))
            if laws and kind != "spherical":
                c.law((lw.Damper(0.3), lw.Spring(stiffness, rest=0.1), lw.Effort(torque))[random.integers(3)])
        made.append(body)
    for k in range(bodies // 3):
        a, b = random.choice(np.arange(1, len(made)), 2, replace=False)
        m.spring(f"s{k}", _at(made[a], random, planar), _at(made[b], random, planar), stiffness=20.0 + k, length=0.3,
                 damping=0.1 * (k % 2))  # fmt: skip
    m.force("push", _at(made[-1], random, planar), (1.0, 2.0) if planar else (1.0, 2.0, -0.5), frame="body")
    m.point("tip", _at(made[-1], random, planar))
    return m


def _at(body, random, planar):
    return body.at(*random.uniform(-0.2, 0.2, 2 if planar else 3))


def _joined(m, kind, name, before, body, random, length, planar):
    x = 0.3 if length is None else length
    first = before.at(x, 0.1) if planar else before.at(x, 0.1, 0.05)
    second = body.at(-0.3, 0.0) if planar else body.at(-0.3, 0.0, 0.02)
    axis = {} if planar or kind in ("spherical", "fixed") else {"axis": tuple(random.uniform(0.2, 1, 3))}
    if kind == "universal":
        axis = {"axis": (1, 0, 0), "axis2": (0, 1, 0)}
    return getattr(m, kind)(name, first, second, **axis)


EVERY_PLANAR = ("revolute", "prismatic", "fixed", "point_on_line", "planar", "floating", "motion", "speed")
EVERY = (
    *EVERY_PLANAR, "cylindrical", "universal", "spherical", "screw", "point_on_plane", "free", "distance",
    "acceleration",
)  # fmt: skip
MOTIONS = {
    "motion": lambda: lw.Motion(lambda t: 0.3 * lw.sin(2 * t)),
    "speed": lambda: lw.Motion(speed=lambda t: 0.3 * lw.cos(2 * t)),
    "acceleration": lambda: lw.Motion(acceleration=lambda t: 0.3 * lw.cos(2 * t)),
}


def mixture(seed: int, bodies: int, *, planar: bool = False) -> lw.Model:
    """A tree of joints of all kinds, walked forwards and backwards, with laws, motions and springs."""
    random = np.random.default_rng(seed)
    m = lw.Model("mixture", gravity=(0.3, -9.81) if planar else (0.3, -0.2, -9.81))
    length, stiffness, torque = m.parameter("length", 0.4), m.parameter("stiffness", 30.0), m.input("torque", 0.2)
    kinds, made = EVERY_PLANAR if planar else EVERY, [m.ground]
    for k in range(bodies):
        inertia = random.uniform(0.05, 0.1) if planar else (*random.uniform(0.05, 0.08, 3), 0.002, -0.001, 0.003)
        body = m.body(f"b{k}", mass=random.uniform(0.5, 2), inertia=inertia)
        before, kind = made[random.integers(max(0, len(made) - 4), len(made))], kinds[random.integers(len(kinds))]
        made.append(body)
        if kind == "floating":
            n = 2 if planar else 3
            body.start(position=random.uniform(-1, 1, n), velocity=random.uniform(-1, 1, n))
            continue
        x = length if k % 3 == 0 else 0.3
        ends = (before.at(x, 0.1), body.at(-0.3, 0.0)) if planar else (before.at(x, 0.1, 0.05), body.at(-0.3, 0, 0.02))
        joint = _any(m, kind, f"j{k}", ends if random.integers(2) else ends[::-1], random, planar)
        for c in joint.coordinates:
            if kind in MOTIONS:
                c.law(MOTIONS[kind]())
            elif kind != "distance":
                stop = lw.Limits(-0.4, 0.5, stiffness=300.0, dissipation=0.1)
                c.law((lw.Damper(0.3), lw.Spring(stiffness, rest=0.1), lw.Effort(torque), stop)[random.integers(4)])
                if kind not in ("spherical", "point_on_line", "point_on_plane", "free"):
                    c.start(random.uniform(-0.5, 0.5), rate=random.uniform(-1, 1))
    for k in range(bodies // 3):
        a, b = random.choice(np.arange(1, len(made)), 2, replace=False)
        ends = _at(made[a], random, planar), _at(made[b], random, planar)
        m.spring(f"s{k}", *ends, stiffness=20.0, length=0.3, damping=0.1 * (k % 2))
    return m


def _any(m, kind, name, ends, random, planar):
    more = {} if planar or kind not in ("revolute", "prismatic", "cylindrical", "screw", *MOTIONS) else {
        "axis": tuple(random.uniform(0.2, 1, 3))
    }  # fmt: skip
    if kind == "universal":
        more = {"axis": (1, 0, 0), "axis2": (0, 1, 0)}
    more |= {"screw": {"pitch": 0.1}, "distance": {"length": 0.5}}.get(kind, {})
    return getattr(m, "revolute" if kind in MOTIONS else kind)(name, *ends, **more)


def ladder(cells: int, *, spatial: bool = False) -> lw.Model:
    """The N four-bar mechanism: redundant in space, and singular where it lies flat."""
    m = lw.Model("ladder", gravity=(0, -9.81, 0) if spatial else (0, -9.81))
    inertia = (1e-3, 0.083, 0.083) if spatial else 0.083
    bars = []
    for k in range(cells + 1):
        bar = m.body(f"bar{k}", mass=1, inertia=inertia)
        at = (k, 0.5, 0)[: 3 if spatial else 2]
        turned = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        bar.start(position=at, **({"rotation": turned} if spatial else {"angle": np.pi / 2}))
        m.revolute(f"g{k}", m.ground.at(k, 0), bar.at(-0.5, 0))
        bars.append(bar)
    for k in range(cells):
        rod = m.body(f"rod{k}", mass=1, inertia=inertia)
        rod.start(position=(k + 0.5, 1, 0)[: 3 if spatial else 2])
        m.revolute(f"l{k}", bars[k].at(0.5, 0), rod.at(-0.5, 0))
        m.revolute(f"r{k}", rod.at(0.5, 0), bars[k + 1].at(0.5, 0))
    m["g0"].angle.start(np.pi / 2, rate=-1.0)
    return m


def net(rows: int, columns: int, seed: int = 0) -> lw.Model:
    """Small bodies joined by ball joints along rows and columns of a grid, hung at its corners: many loops."""
    random = np.random.default_rng(seed)
    m = lw.Model("net", gravity=(0, 0, -9.81))
    grid = {}
    for i in range(rows):
        for j in range(columns):
            b = grid[i, j] = m.body(f"n{i}_{j}", mass=random.uniform(0.5, 1.5), inertia=(0.02, 0.02, 0.03))
            b.start(position=(i, j, 0.1 * random.uniform()))
    for (i, j), b in grid.items():
        for other, at in (((i + 1, j), (0.5, 0, 0)), ((i, j + 1), (0, 0.5, 0))):
            if other in grid:
                m.spring(f"k{i}_{j}_{other[0]}_{other[1]}", b.at(*at), grid[other].at(*(-x for x in at)),
                         stiffness=200.0, damping=1.0)  # fmt: skip
                m.distance(f"d{i}_{j}_{other[0]}_{other[1]}", b.at(0, 0, 0), grid[other].at(0, 0, 0), length=1.0)
    for i, j in ((0, 0), (rows - 1, 0), (0, columns - 1)):
        m.spherical(f"h{i}_{j}", m.ground, grid[i, j], point=(i, j, 0))
    return m
