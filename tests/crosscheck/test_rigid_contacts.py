"""Rigid contacts, dry friction and stiction: the same events and the same motion in every formulation."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

pytestmark = pytest.mark.ci

IDEAL = ("minimal", "points", "acausal", "bondgraph", "bondgraph-canonical", "bondgraph-zcp", "bondgraph-minimal")
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def bouncing() -> lw.Model:
    """A ball that comes spinning, bounces, slides, rolls."""
    m = lw.Model("bouncing")
    ball = m.body("ball", mass=2, inertia=0.008).start(position=(0, 1.1), velocity=(0.5, 0), spin=3.0)
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.6, friction=0.2)
    return m


def tilted() -> lw.Model:
    """A box that falls on one edge, then on both, and slides down."""
    m = lw.Model("tilted", gravity=(9.81 * np.sin(0.3), -9.81 * np.cos(0.3)))
    box = m.body("box", mass=2, inertia=0.01).start(position=(0, 0.12), angle=0.2)
    m.rigid_contact("floor", box, shape=lw.outlines.Box((0.2, 0.1)), friction=0.2)
    return m


def jointed() -> lw.Model:
    """A double pendulum whose tip strikes the floor, with friction in its first joint."""
    m = lw.Model("jointed")
    a, b = (m.body(name, mass=1, inertia=1 / 12) for name in "ab")
    A = m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0))
    B = m.revolute("B", a.at(0.5, 0), b.at(-0.5, 0))
    A.angle.start(-0.3)
    B.angle.start(0.2)
    m.rigid_contact("tip", b.at(0.5, 0), m.ground.at(0, -1.2), friction=0.3, restitution=0.3)
    m.dry_friction("rub", A.angle, 0.5)
    return m


def geared() -> lw.Model:
    """A pendulum that carries the inertia of a network over a gear: an impact must feel it."""
    m = lw.Model("geared")
    body = m.body("body", mass=1, inertia=1 / 12)
    pin = m.revolute("A", m.ground.at(0, 0), body.at(-0.5, 0))
    pin.angle.start(0.5)
    m.shaft_inertia("rotor", inertia=0.05, a=m.shaft_gear("gear", ratio=3.0, a=pin.angle).b)
    m.rigid_contact("tip", body.at(0.5, 0), m.ground.at(0, -0.4), restitution=0.5, friction=0.2)
    return m


def drawer() -> lw.Model:
    """Stiction that follows the joint's own reaction; pulled to and fro."""
    m = lw.Model("drawer", gravity=(0, 0))
    box = m.body("box", mass=2.0, inertia=1)
    rail = m.prismatic("rail", m.ground.at(), box.at())
    m.force("pull", box.at(0, 0.2), (10 * lw.sin(3 * m.t), 0))
    m.joint_stiction("rub", rail.slide, 0.3, spacing=0.4)
    return m


def placed() -> lw.Model:
    """A body placed by a variable."""
    m = lw.Model("placed")
    q = m.variable("q", guess=0.2)
    body = m.body("body", mass=1.0, inertia=0.1)
    m.guide("guide", body, lw.rotz(q.symbol) @ lw.shift(0.4, 0))
    m.rigid_contact("tip", body, m.ground.at(0, -0.2), restitution=0.4)
    return m


MODELS = {
    "bouncing": (bouncing, 3.0),
    "tilted": (tilted, 0.6),
    "jointed": (jointed, 2.0),
    "geared": (geared, 1.5),
    "drawer": (drawer, 3.0),
    "placed": (placed, 1.0),
}


def agree(found: lw.Result, reference: lw.Result, within: float) -> None:
    """The same events at the same times, and the same end; multipliers are a formulation's own."""
    assert [name for _, name in found.events] == [name for _, name in reference.events]
    times = [[t for t, _ in r.events] for r in (found, reference)]
    np.testing.assert_allclose(*times, atol=within)
    own = ("residual", "solver")
    for name in reference:
        if name in found and not name.startswith(own) and ".multiplier" not in name:
            assert found.final[name] == pytest.approx(reference.final[name], abs=within, rel=within), name


@pytest.mark.parametrize("case", MODELS)
def test_every_formulation_sees_the_same(case: str) -> None:
    build, duration = MODELS[case]
    model = build()
    reference = model.simulate(duration, formulation="absolute", **TIGHT)
    assert reference.events and not reference.warnings
    for formulation in IDEAL:
        agree(model.simulate(duration, formulation=formulation, **TIGHT), reference, 1e-6)


@pytest.mark.parametrize("case", ["bouncing", "tilted", "drawer"])
def test_compliant_joints_in_the_graph_and_without(case: str) -> None:
    build, duration = MODELS[case]
    model = build()
    reference = model.simulate(duration, formulation="compliant", **TIGHT)
    agree(model.simulate(duration, formulation="bondgraph-rc", **TIGHT), reference, 1e-6)


def test_a_body_without_mass_passes_impacts_on() -> None:
    """The energy that an impact takes is what the motion loses, in every formulation that takes such a body."""
    m = lw.Model("light")
    a, b = m.body("a", mass=0, inertia=0), m.body("b", mass=1, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)).angle.start(-0.3)
    m.revolute("B", a.at(0.5, 0), b.at(-0.3, 0))
    m.rigid_contact("tip", b.at(0.3, 0), m.ground.at(0, -0.9), restitution=0.3, friction=0.3)
    reference = m.simulate(1, formulation="minimal", **TIGHT)
    for formulation in ("absolute", "points", "acausal"):
        r = m.simulate(1, formulation=formulation, **TIGHT)
        agree(r, reference, 1e-6)
        kept = r["energy.total"] + r["energy.dissipated"]
        np.testing.assert_allclose(kept, kept[0], atol=1e-7)


def test_the_graph_has_the_forces_of_contacts() -> None:
    """Junctions balance with them, and what touches is an element; energies over jumps are refused."""
    r = jointed().simulate(2, formulation="bondgraph")
    assert r.bonds.residual < 1e-12
    assert any("tip-normal" in bond for bond in map(str, r.bonds.graph.bonds))
    with pytest.raises(lw.LinkworkError, match="tip: states jump by it during the run"):
        print(r.bonds.energy)


@pytest.mark.parametrize("formulation", ["bondgraph", "bondgraph-canonical", "bondgraph-zcp", "bondgraph-minimal"])
def test_sampled_control_in_a_graph(formulation: str) -> None:
    def model() -> lw.Model:
        m = lw.Model("sampled")
        body = m.body("body", mass=1, inertia=1 / 12)
        pin = m.revolute("pin", m.ground.at(), body.at(-0.5, 0))
        pin.angle.start(0.3)
        control = m.sampled("control", m.coordinate_sensor("sensor", pin.angle).y, period=0.05, law=lambda x: -8 * x)
        m.shaft_torque("drive", control.y, a=pin.angle)
        return m

    reference = model().simulate(1, formulation="absolute", **TIGHT)
    agree(model().simulate(1, formulation=formulation, **TIGHT), reference, 1e-8)


def test_a_component_that_drives_the_mechanism_and_a_contact() -> None:
    """Only solved together: a sledge is driven at a speed; a ball on a spring before it strikes a wall."""
    m = lw.Model("together", gravity=(0, 0))
    sledge = m.body("sledge", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(), sledge.at())
    m.slide_speed("drive", 0.5, a=rail.slide)
    ball = m.body("ball", mass=0.5, inertia=0.1).start(position=(0.3, 0))
    guide = m.prismatic("guide", sledge.at(), ball.at())
    guide.slide.law(lw.Spring(50.0, rest=0.3)).start(0.3, rate=0.0)
    m.rigid_contact("wall", ball.at(), m.ground.at(1.0, 0, rotation=np.pi / 2), restitution=0.5)
    r = m.simulate(1.5, formulation="auto")
    assert r.record["formulation"] == "acausal"
    hit = next(t for t, name in r.events if name == "wall hits")
    assert hit == pytest.approx((1.0 - 0.3) / 0.5, rel=1e-9)
    assert r["sledge.vx"] == pytest.approx(0.5)
    assert r["ball.vx"][np.searchsorted(r.t, hit, side="right") - 1] == pytest.approx(-0.25, abs=1e-9)


@pytest.mark.parametrize("formulation", ["absolute", "points", "acausal", "bondgraph-zcp"])
def test_what_is_closed_stays_closed(formulation: str) -> None:
    """A bead that slides to and fro in a bowl for long, with loose tolerances, does not sink in."""
    m = lw.Model("bowl")
    bead = m.body("bead", mass=1, inertia=0.01).start(position=(0.5, 0.25))
    m.rigid_contact("bowl", bead, height=lambda x: x**2)
    r = m.simulate(10, formulation=formulation, rtol=1e-5, atol=1e-7)
    assert np.ptp(r["bead.x"]) > 0.9 and set(r["bowl.mode"]) == {2.0}
    np.testing.assert_allclose(r["bowl.gap"], 0, atol=1e-9)
