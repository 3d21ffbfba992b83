"""Random mechanisms under pulses and jumps, and next to singular positions: all formulations, all own solvers."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwork as lw

from .agreement import EXACT, VECTOR, Interpreted, comparable, differences
from .mechanism_shocks import add_pulses
from .mechanisms import random_sketch

DURATION = 0.2  # s
SHAPES = [(planar, loops) for planar in (True, False) for loops in (0, 1, 2)]
ADAPTIVE = {"rtol": 1e-9, "atol": 1e-11}
SOLVERS = {
    "dop853": (ADAPTIVE, 1e-6),
    "dopri5": (ADAPTIVE, 1e-6),
    "rk4": ({"step": 5e-4}, 1e-4),
    "radau": (ADAPTIVE, 1e-6),
    "generalized_alpha": ({"step": 2e-4}, 1e-2),
    "hht": ({"step": 2e-4}, 1e-2),
}
"""Options, and the largest error of positions and speeds, relative to the largest of their kind, at least 1 (SI)."""


def chosen(seed: int, graphs: bool) -> tuple[str, str]:
    """A formulation and a solver, so that all pairs come up in turn."""
    pairs = list(itertools.product(EXACT + VECTOR if graphs else EXACT, SOLVERS))
    return pairs[(7 * seed) % len(pairs)]


def run(model: lw.Model, formulation: str, solver: str, inputs: dict) -> lw.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        return model.simulate(
            DURATION, formulation=formulation, solver=solver, inputs=inputs, output=DURATION, **SOLVERS[solver][0]
        )


def last(r: lw.Result) -> dict[str, np.ndarray]:
    return {name: r[name][-1:] for name in r}


def in_pieces(model: lw.Model, pulses: list) -> dict[str, np.ndarray]:
    """Channels at the end by SciPy, from edge to edge, of a twin in which parameters stand for the pulses."""
    form = Interpreted.of(model, "minimal")
    y, names = form.ready.state, list(model.parameters)
    edges = sorted({0.0, DURATION, *(x for p in pulses for x in (p.begin, p.end) if x < DURATION)})
    for begin, end in itertools.pairwise(edges):
        for pulse in pulses:
            form.ready.p[names.index(pulse.parameter)] = pulse.at((begin + end) / 2)
        y = form.through(np.array([begin, end]), y)
    return form.channels(DURATION, y)


def shaken(seed: int, planar: bool, loops: int) -> str | None:
    """What is wrong with one mechanism under pulses; None: nothing."""
    twin, sketch = (random_sketch(seed, planar=planar, loops=loops, size=2 + seed % 3) for _ in range(2))
    report = sketch.model.check()
    if report.singular or not report.ok or not report.degrees_of_freedom:
        return None  # nothing that could be moved
    pulses, _ = add_pulses(twin, DURATION, twin=True)
    _, inputs = add_pulses(sketch, DURATION, twin=False)
    formulation, solver = chosen(seed, graphs=seed % 4 == 0)
    truth = in_pieces(twin.model, pulses)
    try:
        found = last(run(sketch.model, formulation, solver, inputs))
    except lw.IntegrationError as error:  # some get to the end of their way
        return None if "cannot reach" in str(error) or "cannot be met" in str(error) else str(error)
    found = {name: x for name, x in found.items() if name in truth}
    off = differences(truth, found, comparable(sketch.model, report))
    return worst(off, SOLVERS[solver][1], f"{formulation}, {solver}")


def worst(off: dict[str, tuple[float, str]], limit: float, who: str) -> str | None:
    """Which position or speed is too far off, if any."""
    found = [off[kind] for kind in ("position", "speed") if kind in off]
    return next((f"{who}: {channel} is off by {x:.1e}" for x, channel in found if not x < limit), None)


def nearly_flat(seed: int, planar: bool, loops: int) -> str | None:
    """What is wrong with one that starts next to a position where it can change over."""
    rng = np.random.default_rng(seed)
    flat = float(10.0 ** rng.uniform(-4, -1.5) * rng.choice([-1, 1]))
    model = random_sketch(seed, planar=planar, loops=loops, size=3, flat=flat).model
    if not (report := model.check()).ok or not report.degrees_of_freedom:
        return None
    formulation, solver = chosen(seed, graphs=False)
    try:
        truth = last(run(model, "minimal", "dop853", {}))
        found = last(run(model, formulation, solver, {}))
    except lw.IntegrationError as error:  # it stops there, and says so
        return None if "singular" in str(error) or "cannot reach" in str(error) else str(error)
    off = differences(truth, found, comparable(model, report))
    return worst(off, 10 * SOLVERS[solver][1], f"{formulation}, {solver}")


def wrong(found: Callable[..., str | None], seeds: range, *given: Any) -> dict[int, str]:
    return {seed: text for seed in seeds if (text := found(seed, *given))}


@pytest.mark.ci
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_no_pulse_is_missed(planar, loops):
    assert not wrong(shaken, range(6000, 6003 if planar else 6001), planar, loops)


@pytest.mark.ci
@pytest.mark.parametrize("planar", [True, False])
def test_nearly_flat(planar):
    assert not wrong(nearly_flat, range(7000, 7002 if planar else 7001), planar, 1)


def test_speeds_go_all_the_way_back_to_loops_that_are_nearly_flat():
    """3.4e-4 rad from flat one Newton step goes two thirds of the way: again until nothing is left."""
    assert not nearly_flat(7015, False, 2)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_no_pulse_is_missed_in_many_more(planar, loops, batch):
    assert not wrong(shaken, range(6010 + 10 * batch, 6020 + 10 * batch), planar, loops)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2))
@pytest.mark.parametrize(("planar", "loops"), [x for x in SHAPES if x[1]])
def test_many_more_are_nearly_flat(planar, loops, batch):
    assert not wrong(nearly_flat, range(7010 + 10 * batch, 7020 + 10 * batch), planar, loops)
