"""N four-bar: N coupled parallelograms that pass their singular position again and again (IFToMM benchmark A02)."""

from math import pi

import linkwork as lw

DURATION = 10.0
SHOW = ("B0.x", "B0.y", "energy.total")


def model(n: int = 2) -> lw.Model:
    """n + 1 upright and n horizontal rods of 1 kg and 1 m; the first upper joint starts at 1 m/s."""
    m = lw.Model("n-four-bar", gravity=(0, -9.81))
    upright = [m.body(f"v{i}", mass=1, inertia=1 / 12).start(position=(i, 0.5), angle=pi / 2) for i in range(n + 1)]
    level = [m.body(f"h{i}", mass=1, inertia=1 / 12).start(position=(i + 0.5, 1), angle=0) for i in range(n)]
    for i in range(n + 1):
        m.revolute(f"g{i}", m.ground.at(i, 0), upright[i].at(-0.5, 0))
    for i in range(n):
        m.revolute(f"a{i}", upright[i].at(0.5, 0), level[i].at(-0.5, 0))
        m.revolute(f"b{i}", upright[i + 1].at(0.5, 0), level[i].at(0.5, 0))
    upright[0].start(spin=-1.0)
    m.point("B0", upright[0].at(0.5, 0))
    return m
