"""The law contract: what an effort does is stored, lost or supplied, and nothing else."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry import SX

LAWS = {
    "free": lw.Free(),
    "spring": lw.Spring(7.0, rest=0.3),
    "damper": lw.Damper(1.7),
    "effort": lw.Effort(lambda t, x, v: 3 * lw.sin(t) - 2 * x * v),
    "limits": lw.Limits(-0.4, 0.5, stiffness=900.0, dissipation=0.3),
    "lower limit": lw.Limits(lower=-0.2, stiffness=500.0, dissipation=0.1),
    "upper limit": lw.Limits(upper=0.1, stiffness=500.0),
    "friction": lw.Friction(2.0),
    "stribeck": lw.Friction(2.0, static=3.0, stribeck=0.2, regularisation=0.05),
}


def _all_laws(base=lw.Law):
    for cls in base.__subclasses__():
        yield cls
        yield from _all_laws(cls)


def test_every_law_of_the_package_is_sampled():
    sampled = {type(law) for law in LAWS.values()} | {lw.Motion}  # a motion prescribes the flow: it has no effort
    assert {cls for cls in _all_laws() if cls.__module__.startswith("linkwork.")} == sampled


@pytest.mark.parametrize("name", LAWS)
def test_power_identity(name, rng):
    """effort·v = −dV/dt − loss for passive laws, at random states; loss is never negative."""
    law = LAWS[name]
    t, x, v = SX.sym("t"), SX.sym("x"), SX.sym("v")
    stored = SX(law.potential(x))
    expressions = [SX(law.effort(t, x, v)) * v, ca.jacobian(stored, x) * v, SX(law.dissipation(x, v)), stored]
    f = ca.Function("f", [t, x, v], expressions)
    for _ in range(200):
        power, storing, lost, energy = (float(k) for k in f(*rng.normal(size=3)))
        assert lost >= 0 and energy >= 0
        if law.passive:
            assert power == pytest.approx(-storing - lost, abs=1e-9)
        else:
            assert storing == 0 and lost == 0  # all of an effort counts as supplied


@pytest.mark.parametrize("name", LAWS)
def test_energy_balance_of_a_run(name):
    """Kinetic + stored + lost − supplied stays what it was."""
    m = lw.Model("cart", gravity=(0, 0))
    cart = m.body("cart", mass=1.3, inertia=1)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    rail.slide.law(LAWS[name])
    rail.slide.start(0.05, rate=-1.5 if name == "lower limit" else 1.5)
    r = m.simulate(1.0, rtol=1e-9, atol=1e-11, output=0.02)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=2e-7)
    if name != "free":
        assert np.ptp(r["rail.slide.rate"]) > 0.1  # it did act
        assert r["rail.slide.power"] == pytest.approx(r["rail.slide.effort"] * r["rail.slide.rate"], abs=1e-12)


def test_laws_add_up():
    m = lw.Model("cart", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("cart", mass=1, inertia=1).at())
    rail.slide.law(lw.Spring(4.0)).law(lw.Damper(0.5)).law(lw.Effort(lambda t: lw.cos(t)))
    rail.slide.start(0.3, rate=0)
    r = m.simulate(2, rtol=1e-10, atol=1e-12)
    x, v = r["rail.slide"], r["rail.slide.rate"]
    assert r["rail.slide.effort"] == pytest.approx(-4 * x - 0.5 * v + np.cos(r.t), abs=1e-12)
    assert r["cart.ax"] == pytest.approx(r["rail.slide.effort"], abs=1e-10)


def test_free_takes_laws_away():
    m = lw.Model("cart", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("cart", mass=1, inertia=1).at())
    rail.slide.law(lw.Spring(4.0)).law(lw.Free())
    rail.slide.start(0.3, rate=2.0)
    assert m.simulate(1).final["rail.slide"] == pytest.approx(2.3, abs=1e-9)
