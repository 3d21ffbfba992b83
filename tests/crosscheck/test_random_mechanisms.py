"""All formulations agree on random mechanisms: the same poses, speeds, accelerations, reactions and energies."""

import numpy as np
import pytest

import linkwork as lw

from .agreement import EXACT, Interpreted, comparable, differences, imbalance, unlike
from .mechanisms import random_mechanism

START = {"position": 1e-10, "speed": 1e-10, "energy": 1e-10, "acceleration": 1e-6, "load": 1e-6}
"""Largest differences at one and the same state, relative to the scale of each kind of channel. What is measured differs
by rounding. What is solved for differs by (ε/μ)², ε = 1e-9 the softness of the constraints in the factorised matrix and
μ the smallest eigenvalue of their scaled matrix, 1e-6 in the worst of these mechanisms."""
END = {"position": 1e-6, "speed": 1e-6, "energy": 1e-6, "acceleration": 1e-5, "load": 1e-5}
"""After a short run the same, integrated, and enlarged by the motion."""
DURATION = 0.2  # s
SHAPES = [(planar, loops) for planar in (True, False) for loops in (0, 1, 2)]


def disagreements(model: lw.Model, report: lw.Report, rng: np.random.Generator) -> list[str]:
    """What is wrong with a mechanism, if anything: at its start, under projection, and after a short run."""
    chosen, wrong = comparable(model, report), []
    found = {}
    soft = any(j.compliance for j in model.of_type(lw.Joint))
    for name in EXACT:
        form = Interpreted.of(model, name)
        end = form.run(DURATION)
        first, last = form.channels(0.0, form.ready.state), form.channels(DURATION, end)
        found[name] = first, last
        if not (left := form.reprojected(form.ready.state, rng)) < 1e-9:
            wrong.append(f"{name}: projection leaves {left:.1e}")
        if not (lost := imbalance(first, last)) < END["energy"]:
            wrong.append(f"{name}: energy balance open by {lost:.1e}")
        for residual in () if soft else ("residual.position", "residual.velocity"):
            if not (left := last[residual].item()) < 1e-7:
                wrong.append(f"{name}: {residual} grows to {left:.1e}")
    for name in EXACT[1:]:
        if missing := unlike(found[EXACT[0]][0], found[name][0]):
            wrong.append(f"{name}: has other channels than {EXACT[0]}: {sorted(missing)}")
        for when, limits, a, b in zip(("start", "end"), (START, END), found[EXACT[0]], found[name], strict=True):
            for kind, (off, channel) in differences(a, b, chosen).items():
                if not off < limits[kind]:
                    wrong.append(f"{name}: {channel} at the {when} differs by {off:.1e}")
    return wrong


def agree(planar: bool, loops: int, seeds: range) -> None:
    """Mechanisms that start in a singular position are left out, at most one in twenty."""
    wrong, skipped = {}, []
    for seed in seeds:
        model = random_mechanism(seed, planar=planar, loops=loops, size=2 + seed % 4)
        report = model.check()
        if report.singular or not report.ok:
            skipped.append(str(report))
        elif found := disagreements(model, report, np.random.default_rng(seed)):
            wrong[model.name] = found
    assert not wrong
    assert len(skipped) <= len(seeds) // 20, "\n".join(skipped)


@pytest.mark.parametrize("batch", range(7))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_all_formulations_agree(planar, loops, batch):
    agree(planar, loops, range(5 * batch, 5 * batch + 5))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(17))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_all_formulations_agree_on_many_more(planar, loops, batch):
    agree(planar, loops, range(1000 + 20 * batch, 1000 + 20 * batch + 20))


@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_compiled_runs_agree(planar, loops):
    """The whole pipeline: machine code, native integrator, projection after each step."""
    model = random_mechanism(2000, planar=planar, loops=loops, size=2)
    chosen = comparable(model, model.check())
    runs = [
        model.simulate(DURATION, formulation=name, solver="dop853", rtol=1e-10, atol=1e-12, output=0.05)
        for name in EXACT
    ]
    truth, *others = [{channel: r[channel] for channel in r} for r in runs]
    for name, run in zip(EXACT[1:], others, strict=True):
        for kind, (off, channel) in differences(truth, run, chosen).items():
            assert off < END[kind], (name, channel)
        assert np.ptp(run["energy.kinetic"]) > 1e-3, "nothing moves"


@pytest.mark.parametrize(
    ("planar", "loops", "seed"), [(True, 0, 3000), (True, 0, 3001), (True, 1, 3001), (True, 2, 3001), (False, 0, 3001)]
)
def test_compliant_joints_err_by_what_was_asked_for(planar, loops, seed):
    """Deflections stay near the requested error, and shrink with it; the first one's servo has a velocity row."""
    model = random_mechanism(seed, planar=planar, loops=loops, size=2)
    truth = model.simulate(0.1, solver="dop853", rtol=1e-10, atol=1e-12, output=0.02)
    places = [c for c in truth if c.endswith((".x", ".y", ".z")) and c.split(".")[0] in model.components]
    errors = []
    for error in (1e-4, 1e-5):
        soft = model.simulate(
            0.1, formulation="compliant", compliance=lw.Compliance(error=error), rtol=1e-8, atol=1e-10, output=0.02
        )
        errors.append(max(np.abs(soft[c] - truth[c]).max() for c in places) / error)
    assert 0.01 < max(errors) < 5
    assert errors[1] < 1.5 * errors[0]
