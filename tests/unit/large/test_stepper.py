"""Step by step by kernels: as by straight-line code, and as `simulate` runs them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.stepper.by_kernels import ByKernels
from tests.unit.large.mechanisms import net, tree
from tests.unit.large.test_over_time import driven, table
from tests.unit.simulation.test_stepper import compared, pendulum, stepped_force, with_events


def by_kernels(m: lw.Model, dt: float, **options: object) -> lw.Stepper:
    s = m.stepper(dt, kernels=True, **options)
    assert isinstance(s._course._subject, ByKernels)
    return s


def both(m: lw.Model, dt: float, **options: object) -> tuple[lw.Stepper, lw.Stepper]:
    return by_kernels(m, dt, **options), m.stepper(dt, kernels=False, **options)


def same(one: lw.Stepper, other: lw.Stepper, error: float = 1e-9) -> None:
    assert one.channels == other.channels and one.t == other.t
    names = [c.name for c in one.channels]
    np.testing.assert_allclose(one[names], other[names], rtol=error, atol=error)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("solver", ["dopri5", "rk4"])
def test_it_is_what_simulate_gives(formulation, solver):
    error = 1e-13 if solver == "rk4" else 3e-7
    compared(tree(1, 5, planar=True), 0.02, 10, error, formulation=formulation, solver=solver, kernels=True)


def test_implicit_methods():
    compared(tree(1, 5, planar=True), 0.02, 10, 3e-7, formulation="absolute", solver="radau", kernels=True)


@pytest.mark.parametrize("build", [stepped_force, with_events])
def test_what_interrupts_a_run_interrupts_it_too(build):
    compared(build(), 0.01, 50, 2e-6, kernels=True)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize(("build", "body"), [(lambda: tree(4, 6), "b5"), (lambda: net(2, 2), "n1_1")])
def test_inputs_hold_from_the_step_on(build, body, formulation):
    m = build()
    m.force("drag", m[body].at(), (m.input("pull"), 0, 0))
    one, other = both(m, 0.01, formulation=formulation)
    for k in range(10):
        for s in (one, other):
            s.step(pull=np.sin(k))
    same(one, other)


def test_parameters_may_change():
    m = tree(4, 6)
    one, other = both(m, 0.01, formulation="minimal")
    for s in (one, other):
        s.step(3)
        s.set(stiffness=90.0, torque=-3.0)
        s.step(5)
        assert s.parameters["stiffness"] == 90 and s.inputs == {"torque": -3}
    same(one, other)
    slow = by_kernels(m, 0.01, formulation="minimal")
    slow.step(8)
    assert abs(slow["tip.x"] - one["tip.x"]) > 1e-6


def test_saved_moments_and_new_beginnings():
    m = tree(2, 6)
    one, other = both(m, 0.01)
    for s in (one, other):
        s.step(4)
    saved = one.save()
    one.step(7, torque=3.0)
    first = [one[c.name] for c in one.channels]
    one.restore(saved)
    one.step(7, torque=3.0)
    assert [one[c.name] for c in one.channels] == first
    assert one.state.size == len(one.state_names)
    for s in (one, other):
        s.reset(parameters={"length": 0.5}, inputs={"torque": 1.0})
        s.step(3)
    same(one, other)
    r = m.simulate(0.1, output=0.05)
    for s in (one, other):
        s.reset(start=(r, 0.05))
        s.step(3)
    same(one, other)


def test_signals_and_tables():
    m = driven(lambda m, k: lw.Effort(table(k, "linear")))
    m["j0"].angle.law(lw.Effort(m.courses.inputs["u"]))
    one, other = both(m, 0.01, inputs={"u": lambda t: lw.sin(20 * t)})
    for s in (one, other):
        s.step(50)
        with pytest.raises(lw.ModelError, match="u: a signal drives it"):
            s.step(u=1.0)
    same(one, other)


def test_corners_beyond_what_was_looked_at_first():
    m = lw.Model("late", gravity=(0, 0))
    late = m.parameter("late", 1.2345)
    for k in range(3):
        P = m.prismatic(f"P{k}", m.ground.at(0, k), m.body(f"cart{k}", mass=1, inertia=1).at())
        P.slide.law(lw.Effort(lambda t, x, v, k=k: lw.if_else(t > late + 0.1 * k, 1.0, 0.0)))
    s = by_kernels(m, 1e-3, solver="rk4")
    s.step(2000)
    assert s["P2.slide"] == pytest.approx(0.5 * (2 - 1.4345) ** 2, rel=1e-9)
    s.reset()
    s.step(100)
    s.set(late=0.5)
    s.step(900)
    assert s["P1.slide"] == pytest.approx(0.5 * 0.4**2, rel=1e-9)


def test_an_event_that_stops_it():
    m = pendulum()
    m.event("lowest", lambda angle: angle, m["O"].angle, action="stop")
    s = by_kernels(m, 0.01)
    while not s.ended:
        s.step()
    assert s.events == [(s.t, "lowest")] and s["O.angle"] == pytest.approx(0, abs=1e-9)
    with pytest.raises(lw.LinkworkError, match="'lowest' has stopped it.*reset"):
        s.step()


def test_a_failure_names_its_joint():
    m = lw.Model("root", gravity=(0, 0))
    for k in range(3):
        P = m.prismatic(f"P{k}", m.ground.at(0, k), m.body(f"cart{k}", mass=1, inertia=1).at())
        P.slide.start(1.0 + 0.1 * (k != 1))
        P.slide.law(lw.Effort(lambda t, x, v: -lw.sqrt(x) - 5))
    s = by_kernels(m, 0.01)
    with pytest.raises(lw.IntegrationError, match="P1|cart1") as failed:
        s.step(1000)
    assert np.isfinite(failed.value.partial.t).all()
    with pytest.raises(lw.LinkworkError, match=r"failed at t = .*reset"):
        s.step()


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_joints_and_motions_do_not_jump(formulation):
    """Refused with the words of straight-line code, whoever of a kind it is."""
    m = lw.Model("rigid", gravity=(0, -9.81))
    length, angle, free = m.parameter("length", 1.0), m.input("angle"), m.input("free")
    for k in range(4):
        a = m.body(f"a{k}", mass=1, inertia=1)
        O = m.revolute(f"O{k}", m.ground.at(k, 0), a.at(length if k == 2 else 1.0, 0))
        O.angle.law(lw.Motion(angle) if k == 3 else lw.Effort(free))
    for s in both(m, 0.01, formulation=formulation):
        s.step(angle=0.0, length=1.0, free=2.0)
        with pytest.raises(lw.ModelError, match="angle: it moves (O3|a3)"):
            s.step(angle=0.1)
        with pytest.raises(lw.ModelError, match="length: it moves (O2|a2)"):
            s.set(length=2.0)
        s.set(free=1.0)


def test_a_motion_that_needs_a_rate():
    m = driven(lambda m, k: lw.Motion(lambda t: (k + 1) * m.courses.inputs["u"]))
    for s in both(m, 0.01, formulation="absolute", inputs={"u": lambda t: lw.sin(t)}):
        with pytest.raises(lw.ModelError, match="u: a signal drives it"):
            s.set(u=1.0)


def test_large_models_take_kernels_by_themselves_and_say_why_not():
    m = lw.Model("chain", gravity=(0, -9.81))
    before = m.ground.at(0, 0)
    for k in range(150):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        m.revolute(f"j{k}", before, b.at(-0.5, 0))
        before = b.at(0.5, 0)
    assert isinstance(m.stepper(0.01)._course._subject, ByKernels)
    m.rigid_contact("floor", m["b3"], radius=0.1)
    with pytest.raises(lw.ModelError, match=r"floor: it has no kernels: .*kernels=True"):
        m.stepper(0.01, kernels=True)
