"""`verify=True` runs the same again, from where the first run began."""

import linkwork as lw


def test_a_run_from_a_given_start_is_verified_from_there():
    m = lw.Model("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.law(lw.Damper(0.1))
    pin.angle.start(1.0)
    start = m.assemble()
    pin.angle.start(0.3)
    r = m.simulate(1, start=start, verify=True)
    assert r.verification.digits["positions"] > 6
    assert not r.warnings
