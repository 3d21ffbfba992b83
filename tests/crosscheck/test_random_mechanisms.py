"""All formulations agree on random mechanisms: the same poses, speeds, accelerations, reactions and energies."""

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.order import structure_of

from .agreement import EXACT, GRAPHS, VECTOR, Interpreted, comparable, differences, imbalance, kind_of, unlike
from .mechanisms import random_mechanism

START = {"position": 1e-10, "speed": 1e-10, "energy": 1e-10, "acceleration": 1e-6, "load": 1e-6}
"""Largest differences at one and the same state, relative to the scale of each kind of channel. What is measured
differs by rounding. What is solved for differs by (ε/μ)², ε = 1e-9 the softness of the constraints in the factorised
matrix and μ the smallest eigenvalue of their scaled matrix, 1e-6 in the worst of these mechanisms."""
ROUNDING = 4e-16
"""Share of the largest acceleration [1/(m/s²)] that is lost where heavy bodies hang on light ones that run away:
relative coordinates add up accelerations of 1e11 m/s² whose sum is 10 m/s². It counts beyond 2e9 m/s² only."""
END = {"position": 1e-6, "speed": 1e-6, "energy": 1e-6, "acceleration": 1e-5, "load": 1e-5}
"""After a short run the same, integrated, and enlarged by the motion."""
DURATION = 0.2  # s
SHAPES = [(planar, loops) for planar in (True, False) for loops in (0, 1, 2)]
BATCHES = [
    pytest.param(planar, loops, batch, marks=[] if planar and batch == 0 else pytest.mark.ci)
    for planar, loops in SHAPES
    for batch in range(5 if planar else 1)
]
"""Of five mechanisms each, more in the plane, where they cost less: 123 with those that are light, shaken or nearly
flat. The slow set has 2,000: 1,440 here, 360 light, 120 shaken, 80 nearly flat; about an hour of one core."""


def at_one_state(model: lw.Model, report: lw.Report, forms: dict[str, Interpreted]) -> list[str]:
    """What the formulations disagree on at the start, if anything."""
    found = {name: form.at_start() for name, form in forms.items()}
    fastest = max(float(np.abs(x).max()) for name, x in found[EXACT[0]].items() if kind_of(name) == "acceleration")
    limits = START | {kind: max(START[kind], ROUNDING * fastest) for kind in ("acceleration", "load")}
    others = list(forms)[1:]
    return [text for name in others for text in apart(name, found, "start", limits, comparable(model, report))]


def apart(name: str, found: dict, when: str, limits: dict[str, float], chosen: Callable[[str], bool]) -> list[str]:
    """Channels of a formulation that are too far from those of the first one, or missing in one of the two."""
    wrong = [f"{name}: {channel} is not in both" for channel in sorted(unlike(found[EXACT[0]], found[name]))]
    for kind, (off, channel) in differences(found[EXACT[0]], found[name], chosen).items():
        if not off < limits[kind]:
            wrong.append(f"{name}: {channel} at the {when} differs by {off:.1e}")
    return wrong


def in_motion(model: lw.Model, report: lw.Report, rng: np.random.Generator, forms: dict[str, Interpreted]) -> list[str]:
    """What they disagree on after a short run, and whether each keeps its energy and its constraints."""
    found, wrong = {}, []
    soft = any(j.compliance for j in model.of_type(lw.Joint))
    for name, form in forms.items():
        first, last = form.at_start(), form.channels(DURATION, form.run(DURATION))
        found[name] = last
        if not (left := form.reprojected(form.ready.state, rng)) < 1e-9:
            wrong.append(f"{name}: projection leaves {left:.1e}")
        if not (lost := imbalance(first, last)) < END["energy"]:
            wrong.append(f"{name}: energy balance open by {lost:.1e}")
        for residual in () if soft else ("residual.position", "residual.velocity"):
            if not (left := last[residual].item()) < 1e-7:
                wrong.append(f"{name}: {residual} grows to {left:.1e}")
    others = list(forms)[1:]
    return wrong + [text for name in others for text in apart(name, found, "end", END, comparable(model, report))]


def agree(
    planar: bool, loops: int, seeds: range, share: int, graphs: int, more: list[str], light: bool = False
) -> None:
    """One mechanism in `share` also runs (0: none), one in `graphs` in `more` ways to read a graph.

    Those that start in a singular position are left out, at most one in 20.
    """
    wrong, skipped = {}, []
    for seed in seeds:
        model = random_mechanism(seed, planar=planar, loops=loops, size=2 + seed % 4, light=light)
        report = model.check()
        if report.singular or not report.ok:
            skipped.append(str(report))
            continue
        names = EXACT + more if seed % graphs == 0 else EXACT
        if structure_of(model).massless:  # refused by name in bond graphs
            names = EXACT
        forms = {name: Interpreted.of(model, name) for name in names}
        found = at_one_state(model, report, forms)
        if share and seed % share == share - 1:  # others than those in all graphs, where both come up in turn
            found += in_motion(model, report, np.random.default_rng(seed), forms)
        if found:
            wrong[model.name] = found
    assert not wrong
    assert len(skipped) <= len(seeds) // 20, "\n".join(skipped)


@pytest.mark.parametrize(("planar", "loops", "batch"), BATCHES)
def test_all_formulations_agree(planar, loops, batch):
    agree(planar, loops, range(5 * batch, 5 * batch + 5), share=5, graphs=5, more=VECTOR)


@pytest.mark.ci
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_all_formulations_agree_with_light_parts(planar, loops):
    """At one state: in motion, springs and dampers on what has no mass ask for steps as small as it is light."""
    agree(planar, loops, range(4000, 4004 if planar else 4002), share=0, graphs=4, more=VECTOR, light=True)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(3))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_all_formulations_agree_with_many_light_parts(planar, loops, batch):
    agree(planar, loops, range(5000 + 20 * batch, 5020 + 20 * batch), share=0, graphs=4, more=VECTOR, light=True)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(12))
@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_all_formulations_agree_on_many_more(planar, loops, batch):
    agree(planar, loops, range(1000 + 20 * batch, 1000 + 20 * batch + 20), share=3, graphs=4, more=GRAPHS)


@pytest.mark.parametrize(("planar", "loops"), SHAPES)
def test_compiled_runs_agree(planar, loops):
    """The whole pipeline: machine code, native integrator, projection after each step."""
    model = random_mechanism(2002, planar=planar, loops=loops, size=2)
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
    assert 0.01 < max(errors) < 20  # levers enlarge what the joints give way
    assert errors[1] < 1.5 * errors[0]
