"""Runs that go on from the end of another, or from a time of it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork import examples

TIGHT = {"rtol": 1e-11, "atol": 1e-12, "solver": "dop853"}
HELD = {"solver.step", "energy.dissipated", "energy.supplied"}
"""Channels that begin anew."""


@pytest.mark.parametrize(
    "name",
    [
        "slider-crank",
        "slider-crank-spatial",
        "rssr",
        "double-pendulum-positions",
        "rolling-disc",
        "spinning-top",
        "n-four-bar",
    ],
)
def test_half_and_half_is_the_whole(name):
    m = examples.module(name).model()
    whole = m.simulate(0.2, output=0.05, **TIGHT)
    half = m.simulate(0.1, output=0.05, **TIGHT)
    for start in (half, (half, 0.1), (whole, 0.1)):
        rest = m.simulate(0.1, output=0.05, start=start, **TIGHT)
        for c in whole.channels:
            if c.name not in HELD and "residual" not in c.name:
                expected = whole[c.name][2:]
                np.testing.assert_allclose(rest[c.name], expected, rtol=1e-6, atol=1e-6 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph", "acausal"])
def test_in_every_formulation(formulation):
    m = examples.module("slider-crank").model()
    half, whole = (m.simulate(t, output=0.1, **TIGHT) for t in (0.1, 0.2))
    rest = m.simulate(0.1, output=0.1, start=half, formulation=formulation, **TIGHT)
    np.testing.assert_allclose(rest["piston.x"][-1], whole["piston.x"][-1], atol=1e-8)
    np.testing.assert_allclose(rest["O.angle"], whole["O.angle"][1:], atol=1e-8)


@pytest.mark.parametrize("formulation", ["compliant", "absolute"])
def test_compliant_joints_may_be_open(formulation):
    m = examples.module("slider-crank").model()
    soft = {"formulation": "compliant", "compliance": lw.Compliance(error=1e-4)}
    half, whole = (m.simulate(t, output=0.5, **soft) for t in (0.5, 1.0))
    rest = m.simulate(0.5, output=0.5, start=half, **(soft if formulation == "compliant" else {}))
    assert half["residual.position"][-1] > 1e-5
    tolerance = 1e-7 if formulation == "compliant" else 1e-3
    assert rest["piston.x"][-1] == pytest.approx(whole["piston.x"][-1], abs=tolerance)


def test_full_turns_are_kept():
    m = lw.Model("spin", gravity=(0, 0))
    b = m.body("b", mass=1, inertia=0.1)
    m.revolute("O", m.ground.at(0, 0), b.at(-0.5, 0)).angle.start(0, rate=30)
    half = m.simulate(1, output=0.5)
    for kernels in (False, True):
        assert m.simulate(1, output=0.5, start=half, kernels=kernels)["O.angle"][-1] == pytest.approx(60.0, abs=1e-6)


def test_a_stepper_goes_on_too():
    m = examples.module("slider-crank").model()
    half = m.simulate(0.1, output=0.1, **TIGHT)
    s = m.stepper(0.01, start=half)
    assert s["O.angle"] == pytest.approx(half["O.angle"][-1])
    s.reset(start=(half, 0.0))
    assert s["O.angle"] == pytest.approx(half["O.angle"][0])


def pendulum(length: object = 0.5) -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0.1)
    L = m.parameter("L", 0.5)
    m.revolute("O", m.ground.at(0, 0), b.at(-L, 0))
    return m


def test_other_lengths_are_refused_by_the_joint_they_open():
    m = pendulum()
    half = m.simulate(0.1, output=0.1, parameters={"L": 0.7})
    assert m.simulate(0.1, output=0.1, start=half, parameters={"L": 0.7})["b.x"][0] == pytest.approx(half["b.x"][-1])
    with pytest.raises(lw.LinkworkError, match="O: it is open by .* parameters"):
        m.simulate(0.1, start=half)


def test_motions_that_begin_anew_are_refused():
    m = pendulum()
    m["O"].angle.law(lw.Motion(lambda t: t))
    half = m.simulate(0.1, output=0.1)
    with pytest.raises(lw.LinkworkError, match=r"begins anew.*m\.stepper"):
        m.simulate(0.1, start=half)


def test_forces_over_time_begin_anew_with_a_word():
    m = pendulum()
    m["O"].angle.law(lw.Effort(lambda t: lw.sin(9 * t)))
    half = m.simulate(0.1, output=0.1)
    with pytest.warns(lw.LinkworkWarning, match="time begins at 0 again"):
        rest = m.simulate(0.1, start=half)
    assert [w.name for w in rest.warnings] == ["time"]
    assert not pendulum().simulate(0.1, start=pendulum().simulate(0.1)).warnings


def test_samples_at_other_times_are_told():
    m = lw.Model("arm", gravity=(0, 0))
    O = m.revolute("O", m.ground, m.body("arm", mass=1, inertia=0.02).at())
    pd = m.sampled("pd", m.coordinate_sensor("angle", O.angle), period=0.05, law=lambda x: 1 - x)
    m.shaft_torque("drive", pd, O.angle)
    whole, half = m.simulate(0.3, output=0.01), m.simulate(0.1, output=0.01)
    rest = m.simulate(0.2, output=0.01, start=half)
    assert not rest.warnings and rest["O.angle"][-1] == pytest.approx(whole["O.angle"][-1], rel=1e-7)
    with pytest.warns(lw.LinkworkWarning, match="pd.*no multiple of its period"):
        m.simulate(0.1, start=(half, 0.07))


@pytest.mark.parametrize("kind", ["joint_friction", "joint_stiction"])
def test_loads_of_joints_are_kept(kind):
    m = lw.Model("rubbing", gravity=(0, -9.81))
    O = m.revolute("O", m.ground, m.body("b", mass=1, inertia=0.1).at(-0.5, 0))
    getattr(m, kind)("F", O.angle, 0.3, radius=0.1)
    whole, half = m.simulate(0.3, output=0.1, rtol=1e-10), m.simulate(0.1, output=0.1, rtol=1e-10)
    rest = m.simulate(0.2, output=0.1, rtol=1e-10, start=half)
    np.testing.assert_allclose(rest["O.angle"], whole["O.angle"][1:], atol=1e-7)


def test_touching_places_are_chosen_anew():
    m = lw.Model("boxes", gravity=(0, 0, -9.81))
    low = m.box("low", (0.4, 0.4, 0.2), mass=2).start(position=(0, 0, 0.1))
    high = m.box("high", (0.2, 0.2, 0.2), mass=1).start(position=(0.05, 0.02, 0.3), velocity=(0.2, 0, 0))
    sizes = lw.outlines.Box((0.2, 0.2, 0.2)), lw.outlines.Box((0.4, 0.4, 0.2))
    m.fixed("F", m.ground, low.at(0, 0, -0.1))
    m.contact("C", high, low, shape=sizes[0], other=sizes[1], friction=0.4, dissipation=0.5)
    whole, half = m.simulate(0.1, output=0.05), m.simulate(0.05, output=0.05)
    rest = m.simulate(0.05, output=0.05, start=half)
    np.testing.assert_allclose(rest["high.x"], whole["high.x"][1:], atol=1e-7)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (lambda r: (r, 0.033), "no sample at 0.033 s; the nearest is at 0.05 s"),
        (lambda r: (r, "end"), "or .result, time"),
        (lambda r: "end", "m.simulate"),
        (lambda r: {"O.angle": 1.0}, "m.simulate"),
        (lambda r: r.t, "m.simulate"),
    ],
)
def test_what_cannot_be_a_start_is_told(start, words):
    m = pendulum()
    r = m.simulate(0.1, output=0.05)
    with pytest.raises(lw.LinkworkError, match=words):
        m.simulate(0.1, start=start(r))


def test_runs_of_another_model_are_refused_by_what_they_lack():
    other = lw.Model("other", gravity=(0, -9.81))
    body = other.body("somebody", mass=1, inertia=0.1)
    other.revolute("O", other.ground.at(0, 0), body.at(-0.5, 0))
    with pytest.raises(lw.LinkworkError, match="b: the run to go on from has no channel 'b"):
        pendulum().simulate(0.1, start=other.simulate(0.1))


def test_large_models_go_on_without_an_assembly(monkeypatch):
    """By kernels, in both kinds of coordinates; a joint that opens is told by the run."""
    from linkwork.simulation import going_on

    m = lw.Model("chain", gravity=(0, -9.81))
    before, length = m.ground.at(0, 0), m.parameter("length", 0.5)
    for k in range(6):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        m.revolute(f"j{k}", before, b.at(-length, 0)).angle.start(0.1, rate=3.0 if k == 0 else 0.0)
        before = b.at(0.5, 0)
    whole, half = (m.simulate(t, output=0.1, **TIGHT) for t in (0.2, 0.1))
    monkeypatch.setattr(going_on, "LARGE", 5)
    monkeypatch.setattr(going_on, "kept_assembly", None)
    for formulation in ("absolute", "minimal"):
        rest = m.simulate(0.1, output=0.1, start=half, kernels=True, formulation=formulation, **TIGHT)
        for name in ("b5.x", "j3.angle", "j0.reaction.fx"):
            np.testing.assert_allclose(rest[name][-1], whole[name][-1], atol=1e-6)
    with pytest.raises(lw.LinkworkError, match="open by"):
        m.simulate(0.1, start=half, kernels=True, parameters={"length": 0.6}, stabilisation="baumgarte")
