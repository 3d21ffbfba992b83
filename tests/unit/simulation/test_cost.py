"""Runs that would take hours or more memory than there is say so, early."""

import time
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.units import long_time
from linkwork.simulation import cost


def falling():
    m = lw.Model("falling")
    m.body("b", mass=1, inertia=1)
    return m


def quick(call):
    began = time.perf_counter()
    with pytest.raises(lw.LinkworkError) as caught:
        call()
    assert time.perf_counter() - began < 30  # not the hours it would take
    return str(caught.value)


@pytest.mark.parametrize("solver", ["rk4", "generalized_alpha"])
def test_a_million_million_fixed_steps(solver):
    text = quick(lambda: falling().simulate(1.0, solver=solver, step=1e-12))
    assert "1e+12 steps" in text and "12 days" in text and "larger step" in text


def test_a_million_million_short_steps():
    text = quick(lambda: falling().simulate(1.0, max_step=1e-12, solver="dopri5"))
    assert "1e+12 steps" in text and "max_step" in text


def test_more_samples_than_memory():
    assert "samples" in quick(lambda: falling().simulate(1.0, output=1e-12))
    with pytest.raises(lw.ModelError, match="m: 1000000 samples of 200 numbers need about 4.47 GiB, 1 are free"):
        cost.check_memory("m", 1_000_000, 200, available=2.0**30)
    cost.check_memory("m", 1_000_000, 200, available=2.0**33)
    cost.check_memory("m", 1_000, 200)


def test_controllers_that_act_too_often():
    m = falling()
    m.sampled("c", law=lambda: 0.0, period=1e-12)
    assert "1e+12 times" in quick(lambda: m.simulate(1.0))


def test_a_run_that_turns_out_slow(monkeypatch, example):
    """At its pace: the time it took for the first per mille, times a thousand."""
    monkeypatch.setattr(cost, "LOOK", 0.05)
    monkeypatch.setattr(cost, "QUIET_SECONDS", 10.0)
    began = time.perf_counter()

    def stop(share):
        if time.perf_counter() - began > 3.0:
            raise KeyboardInterrupt

    with pytest.warns(lw.LinkworkWarning, match=r"% of the run is done after .* takes about .*Ctrl-C"):
        r = example("double_pendulum", damping=0.0).simulate(1e7, solver="dopri5", output=1e4, progress=stop)
    assert r.record["status"] == "cancelled"


def test_a_quick_run_says_nothing(monkeypatch):
    monkeypatch.setattr(cost, "LOOK", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        shares = []
        falling().simulate(1.0, progress=shares.append)
    assert shares[-1] == 1.0 and np.all(np.diff(shares) >= 0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(10, "10 s"), (7200, "2 hours"), (1e6, "12 days"), (1e12, "3.2e+04 years"), (np.inf, "for ever")],
)
def test_long_times_in_words(seconds, text):
    assert long_time(seconds) == text
