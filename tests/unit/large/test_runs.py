"""Runs by kernels: the same results, and straight-line code wherever kernels do not reach."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import linkwork as lw
from linkwork.large import fits
from linkwork.large.slots import Unfit
from tests.unit.large.mechanisms import ladder, net, tree


def apart(m: lw.Model, duration: float, *, left_out: tuple[str, ...] = (), **options: object) -> float:
    """Largest difference of any channel between both ways, relative to 1 or the value."""
    one, other = (m.simulate(duration, kernels=k, output=duration / 5, **options) for k in (True, False))
    assert "kinds" in one.record["kernels"]
    assert one.channels == other.channels
    assert not one.warnings
    kept = [k for k, c in enumerate(one.channels) if not any(word in c.name for word in ("solver.step", *left_out))]
    return float(np.max(np.abs(one.data - other.data)[:, kept] / (1 + np.abs(other.data[:, kept]))))


def test_a_tree_that_is_driven():
    m = tree(0, 5, planar=True)
    assert apart(m, 0.3, inputs={"torque": lambda t: lw.sin(3 * t)}, parameters={"length": 0.45}) < 1e-10


def test_an_input_that_jumps():
    assert apart(tree(2, 5, planar=True), 0.5, inputs={"torque": ([0, 0.2, 0.2, 0.5], [0, 1, 3, 0])}) < 1e-10


def test_efforts_that_jump_with_time():
    """Pulses, some of them narrower than any step, with numbers of their own for every joint."""
    m = lw.Model("pulses", gravity=(0, -9.81))
    before, late = m.ground.at(0, 0), m.parameter("late", 0.3)
    for k in range(4):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        joint = m.revolute(f"j{k}", before, b.at(-0.5, 0))
        at = late if k == 3 else 0.1 * (k + 1)
        joint.angle.law(lw.Effort(lambda t, at=at: lw.if_else(t > at, 1.0, 0.0) * lw.if_else(t < at + 1e-5, 1e4, 0.0)))
        before = b.at(0.5, 0)
    assert apart(m, 0.6, parameters={"late": 0.45}, solver="dopri5") < 1e-9
    kick, none = (m.simulate(0.6, kernels=True, parameters={"late": x})["b3.x"][-1] for x in (0.45, 0.7))
    assert abs(kick - none) > 1e-4


def test_baumgarte():
    assert apart(tree(1, 4, planar=True), 0.2, stabilisation="baumgarte") < 1e-10


@pytest.mark.parametrize("solver", ["rk4", "dop853"])
def test_solvers(solver):
    assert apart(tree(3, 5, planar=True), 0.2, solver=solver, step=0.005) < 1e-10


def test_events():
    """End stops begin and end at the same times."""
    m = lw.Model("stops", gravity=(0, -9.81))
    before = m.ground.at(0, 0)
    for k in range(3):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        joint = m.revolute(f"j{k}", before, b.at(-0.5, 0))
        joint.angle.law(lw.Limits(-0.4, 0.5, stiffness=300.0 + 50 * k, dissipation=0.1))
        before = b.at(0.5, 0)
    one, other = (m.simulate(0.6, kernels=k, output=0.1) for k in (True, False))
    assert len(one.events) >= 3
    assert [name for _, name in one.events] == [name for _, name in other.events]
    np.testing.assert_allclose([t for t, _ in one.events], [t for t, _ in other.events], atol=1e-8)
    np.testing.assert_allclose(one["b2.x"], other["b2.x"], atol=1e-7)


def test_a_net_with_loops():
    assert apart(net(2, 2), 0.1) < 1e-10


@pytest.mark.slow
def test_redundant_loops_in_space_pass_flat_positions():
    """Down to where all bars lie in one line, and through it: energy and joints hold, motion is the same."""
    m = ladder(2, spatial=True)
    result = m.simulate(1.5, kernels=True, output=0.05)
    assert result["bar0.y"].min() < -0.3
    assert np.ptp(result["energy.total"]) < 1e-5
    assert result["residual.position"].max() < 1e-9
    assert set(result.record["undetermined reactions"]) == {j.name for j in m.of_type(lw.Joint)}
    other = m.simulate(1.5, kernels=False, output=0.05)
    np.testing.assert_allclose(result["bar0.x"], other["bar0.x"], atol=1e-5)


def test_a_run_goes_on_from_an_assembled_start():
    m = tree(1, 5, planar=True)
    start = m.assemble()
    one, other = (m.simulate(0.1, kernels=True, output=0.1, **how) for how in ({}, {"start": start}))
    np.testing.assert_allclose(one.data[:, :-1], other.data[:, :-1], rtol=1e-9, atol=1e-10)


# What takes straight-line code ----------------------------------------------------------------------------------------


def small(**more: object) -> lw.Model:
    m = lw.Model("small", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0.1)
    m.revolute("J", m.ground.at(0, 0), b.at(-0.5, 0))
    return m


def _rigid(m: lw.Model) -> str:
    m.rigid_contact("E", m["b"].at(0.5, 0), friction=0.3)
    return "E"


def _massless(m: lw.Model) -> str:
    m.body("light", mass=0, inertia=0)
    m.fixed("F", m["b"], m["light"])
    return "light"


def _backlash(m: lw.Model) -> str:
    m.backlash("M", m["J"].angle, play=0.1)
    return "M"


def _mass(m: lw.Model) -> str:
    class Lift(lw.Force):
        def __init__(self, name, at):
            super().__init__(name)
            self.at = at

        def loads(self, view):
            return [lw.Load(self.at, (0, 9.81 * self.at.body.mass, 0), (0, 0, 0))]

    m.add(Lift("mine", m["b"].at(0, 0)))
    return "mine"


def _reaction(m: lw.Model) -> str:
    class Worn(lw.Force):
        def __init__(self, name, at, joint):
            super().__init__(name)
            self.at, self.joint = at, joint

        def loads(self, view):
            return [lw.Load(self.at, (0, 0, 0), (0, 0, 0))]

        def channels(self, view):
            return {"load": ("N", view.reaction(self.joint)[0][0])}

    m.add(Worn("mine", m["b"].at(0, 0), m["J"]))
    return "mine"


def _pull(m: lw.Model) -> str:
    class Pull(lw.Force):
        def __init__(self, name, angle):
            super().__init__(name)
            self.angle = angle

        def loads(self, view):
            return []

        def efforts(self, view):
            return [(self.angle, -0.1 * view.rate(self.angle))]

    m.add(Pull("mine", m["J"].angle))
    return "mine"


@pytest.mark.parametrize("change", [_rigid, _massless, _backlash, _mass, _reaction, _pull])
def test_what_has_no_kernels_is_named(change):
    m = small()
    name = change(m)
    with pytest.raises(Unfit) as found:
        fits.large_of(m, None)
    assert found.value.component == name
    with pytest.raises(lw.ModelError, match="kernels"):
        m.simulate(0.1, kernels=True)


def test_a_large_model_says_why_it_takes_straight_line_code(monkeypatch):
    for user in ("simulate", "by_kernels"):
        monkeypatch.setattr(importlib.import_module(f"linkwork.simulation.{user}"), "LARGE", 1)
    m = small()
    assert "kinds" in m.simulate(0.05, output=0.05).record["kernels"]
    _pull(m)
    assert m.simulate(0.05, output=0.05).record["kernels"].startswith("none: mine")


def test_small_models_take_straight_line_code():
    assert "kernels" not in small().simulate(0.05, output=0.05).record


@pytest.mark.parametrize("options", [{"formulation": "points"}, {"solver": "cvodes"}, {"assemble": False}])
def test_what_is_asked_for_beside_the_model_is_refused_by_name(options):
    with pytest.raises(lw.ModelError, match="kernels"):
        small().simulate(0.1, kernels=True, **options)


def test_a_model_too_large_for_memory_says_so_before_it_tries():
    with pytest.raises(lw.ModelError, match="GiB"):
        fits.check_memory(small(), available=1e4)


def test_a_component_that_fails_in_its_kernel_names_itself():
    m = small()
    m["J"].angle.law(lw.Effort(lambda x: [x, x]))
    with pytest.raises(lw.ModelError) as found:
        m.simulate(0.1, kernels=True)
    assert found.value.component == "J.angle"


def test_a_loop_that_cannot_close_is_told():
    m = ladder(1)
    m.body("long", mass=1, inertia=1).start(position=(0.5, 0))
    m.revolute("A", m["bar0"].at(0.5, 0), m["long"].at(-5, 0))
    m.revolute("B", m["long"].at(5, 0), m["bar1"].at(0.5, 0))
    with pytest.raises(lw.AssemblyError):
        m.simulate(0.1, kernels=True)


def test_numbers_that_are_none_are_told_with_their_owner():
    m = small()
    m["J"].angle.law(lw.Effort(lambda t: lw.sqrt(0.05 - t)))
    with pytest.raises(lw.IntegrationError) as found:
        m.simulate(0.2, kernels=True, solver="dopri5")
    assert found.value.partial.t.size


def test_tiers_of_kernels_compute_the_same_numbers(monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    runs = {
        tier: ladder(2).simulate(0.2, kernels=True, solver="rk4", step=0.01, output=0.1, compile=tier)
        for tier in ("fast", "best", "auto")
    }
    assert set(runs["best"].record["code"]["tiers"].values()) == {"best"}
    for r in runs.values():
        np.testing.assert_array_equal(r.data, runs["best"].data)


def test_the_best_code_is_made_where_it_is_asked_for_after_other_runs(monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    m = ladder(2)
    assert "fast" in m.simulate(0.02, kernels=True, output=0.01, compile="fast").record["code"]["tiers"].values()
    assert set(m.simulate(0.02, kernels=True, output=0.01, compile="best").record["code"]["tiers"].values()) == {"best"}


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_the_law_that_gives_no_number_is_named(formulation):
    m = lw.Model("root", gravity=(0, -9.81))
    before = m.ground.at(0, 0)
    for k, end in enumerate((3.0, 0.99, 2.0)):
        bar = m.body(f"bar{k}", mass=1, inertia=0.1)
        m.revolute(f"pin{k}", before, bar.at(-0.5, 0)).angle.law(lw.Effort(lambda t, end=end: lw.sqrt(end - t)))
        before = bar.at(0.5, 0)
    with pytest.raises(lw.IntegrationError, match=r"pin1.angle: gave the value nan at t = 0\.99 s\. Check") as told:
        m.simulate(1.5, kernels=True, formulation=formulation)
    assert told.value.partial.t[-1] == pytest.approx(0.99, abs=0.01)
    s = m.stepper(0.01, kernels=True, formulation=formulation)
    with pytest.raises(lw.IntegrationError, match=r"pin1.angle: gave the value nan"):
        s.step(200)
