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


def test_small_things_are_verified_too():
    """A swing of 10 nm: its speeds are small, and yet they are compared."""
    m = lw.Model("tiny", gravity=(0, -9.81e-8))
    bob = m.body("bob", mass=1e-12, inertia=1e-30)
    m.revolute("pin", m.ground.at(), bob.at(0, 1e-8)).angle.start(0.5)
    found = m.simulate(1, verify=True).verification
    assert "bob.vx" in found.channels and found.digits["speeds"] > 5
