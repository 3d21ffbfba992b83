"""Play between coordinates, against the exact exchange of momentum."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations import formulations


def rotors(first, second, **more):
    m = lw.Model("rotors", gravity=(0, 0))
    pins = []
    for k, inertia in enumerate((first, second)):
        wheel = m.body(f"wheel{k}", mass=1.0, inertia=inertia)
        pins.append(m.revolute(f"pin{k}", m.ground.at(k, 0), wheel.at()))
    pins[0].angle.start(0, rate=2.0)
    pins[1].angle.start(0, rate=0.0)
    m.backlash("teeth", pins[1].angle, pins[0].angle, **more)
    return m


@pytest.mark.parametrize("formulation", [f for f in formulations if not f.endswith("-scalar")])
def test_an_elastic_hit_through_a_gear(formulation):
    """Until the play is used up nothing moves; then half a swing of k against the reduced inertia, and they part."""
    J1, J2, n, k, play = 0.5, 0.2, -2.0, 1e4, 0.1
    found = rotors(J1, J2, ratio=n, play=play, stiffness=k).simulate(
        0.04, formulation=formulation, output=0.0005, rtol=1e-9, atol=1e-11
    )
    begins = (play / 2) / (2.0 * abs(n))
    lasts = np.pi / np.sqrt(k * (1 / J2 + n**2 / J1))
    impulse = 2 * 2.0 * abs(n) / (1 / J2 + n**2 / J1)
    before, after = found.t < begins, found.t > begins + lasts
    assert np.all(found["pin1.angle.rate"][before] == 0)
    assert found["pin0.angle.rate"][after] == pytest.approx(2.0 - abs(n) * impulse / J1, abs=1e-6)
    assert found["pin1.angle.rate"][after] == pytest.approx(-impulse / J2, abs=1e-6)


def test_energy_with_loss():
    found = rotors(0.5, 0.2, play=0.1, stiffness=1e4, dissipation=0.3).simulate(1, output=0.01, rtol=1e-9, atol=1e-11)
    assert np.ptp(found["energy.total"] + found["energy.dissipated"]) < 1e-7
    assert found["energy.dissipated"][-1] > 0.01


def test_play_of_one_coordinate_is_limits():
    def swing(by_law):
        m = lw.Model("swing", gravity=(0, -9.81))
        rod = m.body("rod", mass=1.0, inertia=0.1)
        pin = m.revolute("pin", m.ground.at(), rod.at(-0.5, 0))
        pin.angle.start(-1.5)
        if by_law:
            pin.angle.law(lw.Limits(-1.8, -1.4, stiffness=1e3))
        else:
            m.backlash("play", pin.angle, play=0.4, phase=-1.6, stiffness=1e3)
        return m.simulate(1, output=0.01)["pin.angle"]

    assert swing(True) == pytest.approx(swing(False), abs=1e-8)


def test_refusals():
    m = rotors(1.0, 1.0, play=0.1)
    with pytest.raises(lw.ModelError, match="by itself"):
        m.backlash("b", m["pin0"].angle, m["pin0"].angle, play=0.1)
    with pytest.raises(lw.ModelError, match="play"):
        m.backlash("b", m["pin0"].angle, play=0)
