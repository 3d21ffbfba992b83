"""Motions that leave their branch at a singular position are found; those that go straight on are not."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry
from linkwork.examples import n_four_bar
from linkwork.formulations.stabilisation import Projection
from linkwork.integrate import integrate
from linkwork.simulation.prepare import Choice, prepare
from linkwork.simulation.watch.branches import branch_changes, singular_end

CHOICE = ("multipliers", None)


def parallelogram(formulation):
    m = n_four_bar.model(1)
    m["v0"].start(spin=-3)
    return prepare(m, Choice(formulation, Projection(), None, *CHOICE), {}, contacts=True)


def path_of(ready, times, y=None, **options):
    """Recorded at `times` [s]; it passes the flat position near 0.4, 0.86, 1.67 s."""
    y = ready.state if y is None else y
    return integrate(ready.program, y, (times[0], times[-1]), times=times, parameters=ready.p, **options)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph-zcp"])
@pytest.mark.parametrize("spacing", [0.02, 0.05])
def test_straight_passes_are_no_finding(formulation, spacing):
    ready = parallelogram(formulation)
    path = path_of(ready, np.arange(0, 10, spacing))
    assert branch_changes(ready.program, path.t, path.y, ready.p) == []


def folded(formulation, angle, spin):
    """The other branch of a rhombus: one upright lies on the ground, the coupler and the other turn about its tip."""
    m = n_four_bar.model(1)
    middle = (1 + 0.5 * np.cos(angle), 0.5 * np.sin(angle))
    m["v0"].start(position=(0.5, 0), angle=0, spin=0)
    m["h0"].start(position=middle, angle=angle, spin=spin)
    m["v1"].start(position=middle, angle=angle, spin=spin)
    return prepare(m, Choice(formulation, Projection(), None, *CHOICE), {}, contacts=True).state


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_another_continuation_is_told(formulation):
    ready = parallelogram(formulation)
    whole = path_of(ready, np.arange(0, 1.2, 0.02))
    k = int(np.argmin(np.abs(whole.t - 0.40)))
    after = path_of(ready, whole.t[k + 1 : k + 20], folded(formulation, -0.12, -6.0))
    t = np.concatenate([whole.t[: k + 1], after.t])
    Y = np.vstack([whole.y[: k + 1], after.y])
    found = branch_changes(ready.program, t, Y, ready.p)
    assert len(found) == 1
    assert found[0].time == pytest.approx(0.4, abs=0.021)
    assert "singular position: the loop closed by" in found[0].message
    assert found[0].component in {"g0", "g1", "a0", "b0"}
    assert branch_changes(ready.program, t, Y, ready.p, jumps=[0.41]) == []


def test_the_end_of_a_run_next_to_a_flat_position_is_named():
    ready = parallelogram("minimal")
    path = path_of(ready, np.linspace(0, 0.4, 41))
    assert singular_end(ready.program, path.t, path.y, ready.p) is not None
    assert singular_end(ready.program, path.t[:20], path.y[:20], ready.p) is None


def pendulum(cls, driven=False):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    last = m.ground
    for name in ("a", "b"):
        body = m.body(name, mass=1, inertia=(0.1, 0.1, 0.1))
        m.add(cls(f"on_{name}", last.at(0.5, 0, 0), body.at(-0.5, 0, 0)))
        last = body
    if driven:
        m["on_b"].angle.law(lw.Motion(lambda t: t))
    return prepare(m, Choice()).program.margins


def test_only_a_tree_of_joints_that_are_known_to_be_regular_has_nothing_to_watch():
    """A class that is derived from such a joint may close otherwise, and a drive may contradict."""
    revolute = registry.components["revolute"]
    assert pendulum(revolute) == ()
    assert pendulum(type("Own", (revolute,), {})) == ("on_a",) * 5 + ("on_b",) * 5
    assert set(pendulum(revolute, driven=True)) == {"on_a", "on_b", "on_b.angle"}
