"""PRT's example: every formulation moves the particles alike; the regular precession is regular."""

import numpy as np
import pytest

from linkwork.examples import rotating_pendulum

TIGHT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-13, "output": 0.02}


@pytest.mark.parametrize("regular", [False, True])
def test_formulations_agree_over_ten_seconds(regular):
    m = rotating_pendulum.model(regular=regular)
    reference = m.simulate(10, formulation="absolute", **TIGHT)
    for formulation in ("minimal", "points"):
        r = m.simulate(10, formulation=formulation, **TIGHT)
        for channel in ("P2.x", "P2.y", "P2.z", "axle.angle"):
            assert np.abs(r[channel] - reference[channel]).max() < 1e-7, (formulation, channel)


def test_regular_precession():
    """Level all the time, at Ω = m g l/(I·spin)."""
    r = rotating_pendulum.model(spin=2.0, regular=True).simulate(10, formulation="points", **TIGHT)
    assert np.abs(r["P2.z"]).max() < 1e-9
    angle = np.unwrap(np.arctan2(r["P2.y"], r["P2.x"]))
    assert angle[-1] / 10 == pytest.approx((1.5 * 0.5 + 25.0) * 9.81 / (25.0 * 2.0), rel=1e-8)
    assert np.abs(r["axle.angle.rate"] - 2.0).max() < 1e-9


def test_the_state_is_particles():
    """Two particles lie on the axle and belong to both bodies: nine coordinates instead of fourteen."""
    r = rotating_pendulum.model().simulate(0.1, formulation="points")
    assert r.record["degrees"] == {"coordinates": 9, "speeds": 9, "constraints": 0}
