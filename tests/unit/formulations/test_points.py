"""Point coordinates: what they cost, what they are independent of, and how they are kept (PRT)."""

import ast
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork import formulations
from linkwork.compile.stream import stream_of
from linkwork.examples import four_bar, rotating_pendulum, rssr, slider_crank, squeezer
from linkwork.formulations.particles import Particles
from linkwork.simulation.prepare import Choice, prepare

TIGHT = {"solver": "dop853", "rtol": 1e-10, "atol": 1e-12, "output": 0.1}


def chain(n, joint="spherical"):
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    last = m.ground.at(0, 0, 0)
    for k in range(n):
        body = m.body(f"b{k}", mass=1, inertia=(0.1, 0.12, 0.05))
        m.add(lw.core.registry.components[joint](f"j{k}", last, body.at(-0.5, 0.1, 0, rotation=(1, 0.2 * k, 0.3, 0))))
        last = body.at(0.5, 0, 0)
    return m


def instructions(m, formulation, function="rhs"):
    return len(stream_of(prepare(m, Choice(formulation)).program.symbolic(function), shared=True))


@pytest.mark.parametrize("joint", ["spherical", "revolute", "prismatic", "universal"])
@pytest.mark.parametrize(
    "function", ["rhs", *(pytest.param(word, marks=pytest.mark.slow) for word in ("project", "outputs"))]
)
def test_work_grows_with_the_number_of_bodies(joint, function):
    """The same for each further body: the recursion from the tips inwards."""
    counts = [instructions(chain(n, joint), "points", function) for n in (4, 6, 8)]
    assert counts[2] - counts[1] == pytest.approx(counts[1] - counts[0], rel=0.02)


def test_no_dearer_than_absolute_coordinates():
    """16 ball-jointed bodies took 157,000 instructions when momentum was one sum over all joints."""
    m = chain(16)
    assert instructions(m, "points") < 1.1 * instructions(m, "absolute")
    for example in (slider_crank, four_bar, squeezer):
        assert instructions(example.model(), "points") < instructions(example.model(), "absolute")


def test_rotors_on_joints():
    """Motors on every joint: their rotors are part of the recursion, and weigh what they weigh elsewhere."""

    def motors(n):
        m = chain(n, "revolute")
        for k in range(n):
            m.shaft_inertia(f"rotor{k}", m[f"j{k}"].angle, inertia=0.2 + 0.1 * k)
        return m

    found, truth = (motors(3).evaluate(formulation=name) for name in ("points", "absolute"))
    for channel in (c for c in truth if c.endswith((".ax", ".ay", ".az", ".alphax")) or ".reaction." in c):
        assert found[channel].item() == pytest.approx(truth[channel].item(), rel=1e-8, abs=1e-8), channel
    counts = [instructions(motors(n), "points") for n in (4, 6, 8)]
    assert counts[2] - counts[1] == pytest.approx(counts[1] - counts[0], rel=0.02)


OTHERS = [name for name in formulations.formulations if name != "points"]


def test_a_particle_that_is_too_heavy(monkeypatch):
    """It changes what `points` finds, nothing else, and `compare` says so."""
    m = slider_crank.model()
    before = {name: m.evaluate(formulation=name) for name in ("points", *OTHERS)}
    weights = Particles.weights

    def heavier(self, mass, inertia):
        found = weights(self, mass, inertia)
        found[1, 1] += 0.1
        return found

    monkeypatch.setattr(Particles, "weights", heavier)
    m = slider_crank.model()
    for name in OTHERS:
        now = m.evaluate(formulation=name)
        assert all(np.array_equal(now[c], before[name][c]) for c in before[name]), name
    now = m.evaluate(formulation="points")
    assert np.abs(now["crank.alphaz"] - before["points"]["crank.alphaz"]).item() > 1e-3
    with pytest.warns(lw.LinkworkWarning, match="energy balance"):  # the watch sees it, too
        off = m.compare(["absolute", "minimal", "acausal", "points"], 0.5).deviation("piston.x")
    assert off.pop("points") > 1e-4
    assert len(off) == 2 and max(off.values()) < 1e-6


def test_the_heavier_particle_moves_as_it_must(monkeypatch):
    """A pendulum whose particle 2, at its tip, weighs 0.1 kg more: as one with that mass there."""
    bar, heavy = 0.5, 0.1

    def pendulum(mass, inertia, centre):
        m = lw.Model("pendulum", gravity=(0, -9.81))
        body = m.body("bar", mass=mass, inertia=inertia)
        m.revolute("pin", m.ground.at(), body.at(-centre, 0)).angle.start(0.3)
        m.point("tip", body.at(2 * bar - centre, 0))
        return body, m

    body, m = pendulum(1.0, 1 / 12, bar)
    body.particles((-bar, 0), (bar, 0))
    weights = Particles.weights
    monkeypatch.setattr(Particles, "weights", lambda s, m, J: weights(s, m, J) + ca.diag([0, heavy, 0]))
    with pytest.warns(lw.LinkworkWarning, match="energy balance"):  # energies are those of the body
        r = m.simulate(1, formulation="points", **TIGHT)
    monkeypatch.undo()
    mass = 1.0 + heavy
    centre = (bar + heavy * 2 * bar) / mass
    inertia = 1 / 12 + (centre - bar) ** 2 + heavy * (2 * bar - centre) ** 2
    truth = pendulum(mass, inertia, centre)[1].simulate(1, formulation="absolute", **TIGHT)
    for channel in ("tip.x", "tip.y", "pin.angle.rate"):
        assert np.abs(r[channel] - truth[channel]).max() < 1e-8
    assert np.abs(r["pin.reaction.fy"] - truth["pin.reaction.fy"]).max() < 1e-6


SHARED = {
    "constraint_rows",
    "contributions",
    "energies",
    "left_open",
    "maximal_view",
    "observe",
    "order",
    "equations_of_parts",
    "stabilisation",
    "starting",
    "tree",
    "twists",
}  # fmt: skip
"""What views, geometry and channels come from: the components' own statements, no momentum."""


def test_no_equation_of_another_formulation():
    """Nothing that writes masses or momentum of bodies is imported: no `maximal`, no Newton and Euler along a tree."""
    folder = Path(formulations.__file__).parent
    own = {p.stem for p in [folder / "points.py", *folder.glob("particle*.py")]}
    found = set()
    for name in own:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("linkwork.formulations"):
                inner = node.module.removeprefix("linkwork.formulations").removeprefix(".")
                found |= {inner} if inner else {alias.name for alias in node.names}
    assert found - own <= SHARED


def arm():
    """Joints that particles do not absorb, and one that is driven."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    a, b, c = (m.body(k, mass=1, inertia=(0.1, 0.2, 0.3)) for k in "abc")
    m.prismatic("rail", m.ground, a, axis=(1, 0, 1), point=(0, 0, 0))
    m.universal("knee", a.at(0.3, 0, 0), b.at(-0.4, 0.1, 0))
    m.revolute("hand", b.at(0.3, 0, 0), c.at(-0.2, 0, 0)).angle.law(lw.Motion(lambda t: lw.sin(3 * t)))
    return m


@pytest.mark.parametrize("make", [rotating_pendulum.model, slider_crank.model, rssr.model, arm])
def test_baumgarte(make):
    """Honoured in trees and loops, for distances as for joints: the same motion, and nothing is projected."""
    m = make()
    truth = m.simulate(2, formulation="absolute", **TIGHT)
    r = m.simulate(2, formulation="points", stabilisation=lw.Baumgarte(20, 20), **TIGHT)
    for channel in (c for c in truth if c.endswith((".x", ".y", ".vx"))):
        assert np.abs(r[channel] - truth[channel]).max() < 1e-7, channel
    assert 0 < r["residual.position"].max() < 1e-9


def test_baumgarte_bounds_the_drift():
    """A coarse fixed step lets distances go: the terms bring them back."""
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1, inertia=1 / 12).at(-0.5, 0))
    worst = {}
    for gain in (0.0, 20.0):
        r = m.simulate(20, formulation="points", solver="rk4", step=0.02, stabilisation=lw.Baumgarte(gain, gain))
        worst[gain] = r["residual.position"][r.t > 15].max()
    assert worst[20.0] < 0.05 * worst[0.0]
