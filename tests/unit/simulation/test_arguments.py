"""Times of samples: the last one is the end of the run, however it rounds."""

import numpy as np
import pytest

from linkwork.examples import pendulum
from linkwork.simulation.arguments import sample_times


@pytest.mark.parametrize("duration", [0.1 * k for k in range(1, 40)] + [0.3, 0.6, 0.7, 1.2, 1e-7, 86400.0])
@pytest.mark.parametrize("count", [3, 7, 10, 64])
def test_the_last_sample_is_the_end(duration, count):
    times = sample_times(duration, duration / count)
    assert times[-1] == duration and times.size == count + 1 and np.all(np.diff(times) > 0)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "rk4", "radau", "generalized_alpha"])
def test_no_run_loses_its_end(solver):
    options = {"solver": solver, "step": 1e-3 if solver in ("rk4", "generalized_alpha") else None}
    r = pendulum.model().simulate(0.3, output=0.1, **options)
    assert r.t.tolist() == pytest.approx([0, 0.1, 0.2, 0.3]) and r.t[-1] == 0.3
    past = np.array([0.0, 0.1, 3 * 0.1])
    assert pendulum.model().simulate(0.3, output=past, **options).t.size == 3
