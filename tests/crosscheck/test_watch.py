"""No false alarm on random mechanisms: what the watch tells there, the motion itself shows."""

import warnings

import numpy as np
import pytest

import linkwork as lw

from .agreement import EXACT
from .mechanisms import random_mechanism

SHAPES = [(planar, loops) for planar in (True, False) for loops in (0, 1, 2)]


def alarms(planar: bool, loops: int, seeds: range, formulations: list[str]) -> tuple[int, dict[str, str]]:
    """Runs that were made, and what was told without reason."""
    runs, wrong = 0, {}
    for seed in seeds:
        model = random_mechanism(seed, planar=planar, loops=loops, size=2 + seed % 4)
        report = model.check()
        if report.singular or not report.ok:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.LinkworkWarning)
            try:
                r = model.simulate(0.5, formulation=formulations[seed % len(formulations)])
            except lw.IntegrationError as error:  # some are driven to the end of their way
                other = formulations[(seed + 1) % len(formulations)]
                if "cannot reach" not in error.cause and not ends_there_too(model, other, error):
                    wrong[model.name] = str(error)
                continue
        runs += 1
        if r.warnings and not jumps(r):
            wrong[model.name] = str(r.warnings[0])
    return runs, wrong


def ends_there_too(model: lw.Model, formulation: str, error: lw.IntegrationError) -> bool:
    """Whether other equations of the same mechanism come to the same end (an angle that a drive takes to its pole)."""
    try:
        model.simulate(0.5, formulation=formulation)
    except lw.IntegrationError as again:
        ends = [e.partial.t[-1] for e in (error, again)]
        return abs(ends[1] - ends[0]) < 2e-3  # the last samples before it
    return False


def jumps(r: lw.Result) -> bool:
    """Whether a coordinate that is told of jumps between two samples: an angle of a ball joint at half a turn."""
    for name in {w.component for w in r.warnings if w.component in r and f"{w.component}.rate" in r}:
        steps = np.abs(np.diff(r[name]))
        if np.any(steps > 5 * np.abs(r[f"{name}.rate"]).max() * np.diff(r.t)):
            return True
    return False


@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_no_false_alarm(planar, loops):
    runs, wrong = alarms(planar, loops, range(3 if planar else 1), EXACT[:2])
    assert runs and not wrong


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_no_false_alarm_on_many_more(planar, loops, batch):
    runs, wrong = alarms(planar, loops, range(100 + 5 * batch, 105 + 5 * batch), EXACT)
    assert runs and not wrong


def test_law_on_an_angle_that_jumps_is_named():
    """A spring on an angle of a ball joint that passes half a turn: its torque changes sign, and energy with it."""
    model = random_mechanism(6, planar=False, loops=0, size=4)
    with pytest.warns(lw.LinkworkWarning, match="j4.ry"):
        r = model.simulate(0.5)
    (finding,) = r.warnings
    assert finding.time == pytest.approx(0.42, abs=0.005)
    assert np.abs(np.diff(r["j4.rx"])).max() > 3
