"""What is given over time, in kernels: tables, inputs and their rates, motions that jump."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.large.program import Large
from tests.unit.large.test_runs import apart

TIMES = [0, 0.1, 0.25, 0.4, 0.6]


def driven(law, joints: int = 3) -> lw.Model:
    """Arms on the ground, each driven by law(k)."""
    m = lw.Model("driven", gravity=(0, -9.81))
    m.input("u", 0.1)
    for k in range(joints):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        joint = m.revolute(f"j{k}", m.ground.at(k, 0), b.at(-0.5, 0))
        joint.angle.law(law(m, k))
    return m


def table(k: int, kind: str = "cubic") -> lw.Table:
    return lw.Table(TIMES, [0, 0.1 * k, 0.3, -0.2 + 0.1 * k, 0], kind)


def followed(course: lw.Table) -> lw.Law:
    return lw.Effort(lambda t: 3 * course(2 * t - 0.1))


def placed(course: lw.Table) -> lw.Law:
    return lw.Effort(lambda x: course(x + 0.3))


LAWS = {
    "motion by a table": lambda m, k: lw.Motion(table(k)),
    "speed by a table": lambda m, k: lw.Motion(speed=table(k, "linear")),
    "acceleration by a table": lambda m, k: lw.Motion(acceleration=table(k, "hold")),
    "effort by a scaled table": lambda m, k: followed(table(k)),
    "effort by a table of places": lambda m, k: placed(table(k)),
    "motion by an input": lambda m, k: lw.Motion(lambda t: (k + 1) * m.courses.inputs["u"]),
    "speed that has corners": lambda m, k: lw.Motion(
        speed=lambda t, at=0.1 * k + 0.1: lw.if_else(t < at, 0.2 * t, 0.2 * at)
    ),
    "acceleration that jumps": lambda m, k: lw.Motion(
        acceleration=lambda t, at=0.1 * k + 0.1: lw.if_else(t < at, 1.0, -2.0)
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_over_time(name):
    m = driven(LAWS[name])
    inputs = {"u": lambda t: lw.sin(3 * t)}
    assert apart(m, 0.6, solver="dopri5", formulation="absolute", inputs=inputs) < 1e-9


def test_tables_of_a_kind_share_their_kernel_and_are_followed_one_by_one():
    m = driven(lambda m, k: lw.Effort(table(k, "linear")), 6)
    assert len(Large(m, None, {}).tables.groups) == 2
    before = m.simulate(0.3, kernels=True, output=0.1)
    m["j4"].angle.laws[0].value.values = [0, 5, 5, 5, 5]
    after = m.simulate(0.3, kernels=True, output=0.1)
    moved = [k for k in range(6) if abs(after[f"b{k}.x"] - before[f"b{k}.x"]).max() > 1e-9]
    assert moved == [4]
    assert [name for _, name in after.events] == ["table", "table"]
    assert apart(m, 0.3, solver="dopri5") < 1e-9


@pytest.mark.parametrize(
    ("law", "word"),
    [
        (lambda m, k: lw.Motion(table(k, "hold") if k == 1 else table(k)), "jumps"),
        (lambda m, k: lw.Motion(table(k, "linear") if k == 1 else table(k)), "rate that jumps"),
        (
            lambda m, k: lw.Motion(lambda t, at=0.1 + 0.1 * (k == 1): lw.if_else(t < at, 0, (t - at) * (k == 1))),
            "speed",
        ),
    ],
)
def test_motions_that_no_force_could_follow_are_refused_by_name(law, word):
    """With the words, and the component, that straight-line code has for it."""
    m = driven(law)
    said = []
    for kernels in (True, False):
        with pytest.raises(lw.ModelError, match=word) as found:
            m.simulate(0.6, kernels=kernels, formulation="absolute")
        said.append(str(found.value))
    assert said[0] == said[1]
    assert "j1.angle" in said[0]


def test_an_input_without_a_rate_that_a_motion_needs_is_refused():
    m = driven(lambda m, k: lw.Motion(lambda t: m.courses.inputs["u"]))
    for kernels in (True, False):
        with pytest.raises(lw.ModelError, match="needs its"):
            m.simulate(0.3, kernels=kernels, inputs={"u": lambda t: float(np.sin(t))}, formulation="absolute")
