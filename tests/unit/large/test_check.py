"""`check` of a large model says what that of a small one says, without full matrices."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.check import held
from tests.unit.large.mechanisms import ladder, net, tree
from tests.unit.large.mixtures import mixture


def flat() -> lw.Model:
    """A parallelogram with all bars in one line: a singular position."""
    m = lw.Model("flat", gravity=(0, -9.81))
    bars = [m.body(f"bar{k}", mass=1, inertia=0.1).start(position=(k + 0.5, 0), angle=0) for k in range(2)]
    rod = m.body("rod", mass=1, inertia=0.1).start(position=(1.5, 0), angle=0)
    for k, bar in enumerate(bars):
        m.revolute(f"g{k}", m.ground.at(k, 0), bar.at(-0.5, 0))
        m.revolute(f"r{k}", bar.at(0.5, 0), rod.at(k - 0.5, 0))
    return m


def driven() -> lw.Model:
    """With motions and efforts that follow tables."""
    m = ladder(2, spatial=True)
    m["g1"].angle.law(lw.Motion(lw.Table([0, 1, 2, 3], [np.pi / 2, 1.4, 1.2, 1.5], "cubic")))
    m["g2"].angle.law(lw.Effort(lw.Table([0, 1], [0, 1])))
    m["g0"].angle.value = m["g0"].angle.speed = None
    return m


def geared() -> lw.Model:
    """Two gears between the same wheels."""
    m = mixture(1, planar=True, branches=3)
    m.gear("again", m["hinge0"].angle, m["hinge2"].angle, ratio=m["gear2"].ratio, phase=m["gear2"].phase)
    return m


def lever(*arms: float) -> lw.Model:
    """A lever that rods hold in the same way: what the longer one holds is the shorter one's many times over."""
    m = lw.Model("lever", gravity=(0, -9.81))
    body = m.body("lever", mass=1, inertia=2.0).start(position=(0.5, 0), angle=0)
    m.revolute("pin", m.ground.at(0, 0), body.at(-0.5, 0))
    for k, arm in enumerate(arms):
        m.distance(f"rod{k}", m.ground.at(arm, 1), body.at(arm - 0.5, 0), length=1)
    return m


def uneven() -> lw.Model:
    """Some rods are light: what they share with heavy bars is shared by all."""
    m = ladder(3, spatial=True)
    m["rod0"].mass, m["rod0"].inertia = 1e-6, (1e-9, 8e-8, 8e-8)
    return m


@pytest.mark.parametrize(
    "build",
    [
        lambda: ladder(3, spatial=True),
        lambda: ladder(3),
        lambda: net(2, 3),
        lambda: tree(0, 5),
        flat,
        driven,
        geared,
        lambda: lever(0.02, 1),
        lambda: lever(1, 0.02),
        uneven,
    ],
)
def test_the_same_is_found(monkeypatch, build):
    full = build().check()
    monkeypatch.setattr(held, "LARGE", 1)
    monkeypatch.setattr("linkwork.analyses.check.check.scaled", None)  # no full matrix is made
    found = build().check()
    assert (found.degrees_of_freedom, found.position_freedoms) == (full.degrees_of_freedom, full.position_freedoms)
    assert len(found.redundant) == len(full.redundant)
    assert sorted(where for _, where in found.redundant) == sorted(where for _, where in full.redundant)
    assert (found.unique, found.singular, found.ok) == (full.unique, full.singular, full.ok)
    kept = [line for line in full.lines if "redundant" not in line[2]]
    assert [line for line in found.lines if "redundant" not in line[2]] == kept


def test_a_flat_parallelogram_is_singular():
    assert flat().check().singular
