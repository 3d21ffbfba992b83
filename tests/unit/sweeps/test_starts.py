"""One start for all cases is taken only where each of them would find it for itself."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.sweeps.starts import start_depends
from tests.unit.sweeps.models import oscillator


def mechanism() -> lw.Model:
    """A slider-crank in which everything is a parameter."""
    m = lw.Model("crank", gravity=(0, -9.81))
    L, mass, k, x0, torque = (m.parameter(n, v) for n, v in (("L", 1.0), ("m", 1.0), ("k", 5.0), ("x0", 0.3), ("T", 1)))
    r = m.parameter("rate", 0.1)
    drive, height = m.input("drive", 0.0), m.input("height", 0.0)
    crank, rod = m.body("crank", mass=mass, inertia=0.1), m.body("rod", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(0, 0))
    m.point_on_line("P", m.ground.at(0, height), rod.at(L, 0))
    O.angle.law(lw.Spring(k)).law(lw.Effort(torque + drive))
    O.angle.start(x0, rate=r)
    return m


@pytest.mark.parametrize(
    ("name", "depends"),
    [("L", True), ("m", True), ("x0", True), ("rate", True), ("height", True), ("k", False), ("T", False),
     ("drive", False)],
)  # fmt: skip
def test_what_the_start_depends_on(name, depends):
    assert start_depends(mechanism(), [name]) is depends


def test_where_it_is_hard_to_tell_it_does():
    """A joint of one's own is verified with the values of every case."""

    m = oscillator()
    assert start_depends(m, ["k"]) is False

    class Own(type(m.revolute("J", m.ground.at(), m["block"].at()))):
        """As theirs."""

    oscillating = oscillator()
    oscillating.add(Own("own", oscillating.ground.at(), oscillating.body("a", mass=1, inertia=1).at()))
    assert start_depends(oscillating, ["k"]) is True


def test_assembly_is_done_once_and_again_where_it_must_be(monkeypatch):
    m, done = mechanism(), []
    from linkwork.assembly import assemble as module

    assembled = module._assembled
    monkeypatch.setattr(module, "_assembled", lambda *given: (done.append(1), assembled(*given))[1])
    for name, few in (("k", True), ("L", False)):
        done.clear()
        ds = m.sweep({name: np.linspace(0.9, 1.1, 12)}, 0.2, channels="O.angle", backend="serial")
        assert (len(done) < 6) is few and (few or len(done) >= 12)
        for case in (0, 5, 11):
            alone = m.simulate(0.2, parameters={name: float(ds[name][case])})
            assert np.array_equal(alone["O.angle"], ds["O.angle"][case].values)


def test_runs_that_are_not_judged_are_the_same():
    m = mechanism()
    judged, quick = (
        m.sweep({"k": [1.0, 2.0]}, 0.2, keep=["series", "max"], backend="serial", judge=judge)
        for judge in (True, False)
    )
    for name in judged.variables:
        assert np.array_equal(judged[name].values, quick[name].values), name
