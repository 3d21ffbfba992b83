"""What `check` says of a model before it runs."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import rolling_disc, wheelset

FREEDOM = {
    "pendulum": 1, "double_pendulum": 2, "slider_crank": 1, "four_bar": 0, "squeezer": 1, "spinning_top": 3, "rssr": 2,
    "n_four_bar": 1,
}  # fmt: skip


def lines(report: lw.Report, severity: str) -> list[tuple[str, str]]:
    return [(component, text) for s, component, text in report.lines if s == severity]


@pytest.mark.parametrize("name", FREEDOM)
def test_freedom_of_the_examples(name, example):
    report = example(name).check()
    assert report.ok and not report.singular
    assert report.degrees_of_freedom == FREEDOM[name]
    if name != "n_four_bar":
        assert report.redundant == [] and all(report.unique.values())


def test_redundancy_by_joint_and_direction(example):
    """BND table 4: a slider-crank of spatial bodies is held three times too often, all out of its plane."""
    report = example("slider_crank_spatial", redundant=True).check()
    assert report.ok and report.degrees_of_freedom == 1
    assert len(report.redundant) == 3
    assert {where for _, where in report.redundant} == {"translation along z", "rotation about x", "rotation about y"}
    assert {joint for joint, _ in report.redundant} <= {"O", "A", "B", "P"}
    assert report.unique == {"O": False, "A": False, "B": False, "P": False}
    assert any("not unique" in text for _, text in lines(report, "warning"))


def test_isostatic_variant_is_clean(example):
    report = example("slider_crank_spatial", redundant=False).check()
    assert report.redundant == [] and all(report.unique.values())
    assert report.degrees_of_freedom == 1


def test_only_the_joints_concerned_are_not_unique():
    """A door on two hinges, and a pendulum beside it: the pendulum's reaction stays unique."""
    m = lw.Model("door", gravity=(0, 0, -9.81))
    door = m.body("door", mass=1, inertia=(1, 1, 1)).start(position=(0.5, 0, 1))
    bob = m.body("bob", mass=1, inertia=(1, 1, 1)).start(position=(3, 0, 0))
    for name, z in (("low", 0.5), ("high", 1.5)):
        m.revolute(name, m.ground, door, point=(0, 0, z), axis=(0, 0, 1))
    m.revolute("pin", m.ground, bob, point=(3, 0, 1), axis=(0, 1, 0))
    report = m.check()
    assert len(report.redundant) == 5 and {j for j, _ in report.redundant} == {"high"}
    assert report.unique == {"low": False, "high": False, "pin": True}
    assert report.degrees_of_freedom == 2


def test_unconnected_and_floating_bodies():
    m = lw.Model("space", gravity=(0, 0))
    m.body("alone", mass=1, inertia=1)
    tied = m.body("tied", mass=1, inertia=1)
    a, b = m.body("a", mass=1, inertia=1), m.body("b", mass=1, inertia=1)
    m.spring("S", m.ground.at(), tied.at(1, 0), stiffness=1)
    m.revolute("J", a.at(), b.at())
    notes = dict(lines(m.check(), "note"))
    assert "nothing is connected" in notes["alone"]
    assert "no joint holds it" in notes["tied"]
    assert "float" in notes["a, b"]


def test_triangle_inequality():
    m = lw.Model("odd", gravity=(0, 0, 0))
    m.body("stick", mass=1, inertia=(1, 1, 3))
    report = m.check()
    (warning,) = lines(report, "warning")
    assert warning[0] == "stick" and "triangle" in warning[1] and "1 kg" in warning[1]
    assert report.ok


def _parallelogram(angle: float) -> lw.Model:
    """Two uprights of 1 m, 1 m apart, and a bar across them."""
    m = lw.Model("parallelogram", gravity=(0, -9.81))
    d = np.array([np.cos(angle), np.sin(angle)])
    for i in range(2):
        body = m.body(f"v{i}", mass=1, inertia=1 / 12).start(position=tuple(d / 2 + [i, 0]), angle=angle)
        m.revolute(f"g{i}", m.ground.at(i, 0), body.at(-0.5, 0))
    bar = m.body("bar", mass=1, inertia=1 / 12).start(position=tuple(d + [0.5, 0]), angle=0)
    m.revolute("a", m["v0"].at(0.5, 0), bar.at(-0.5, 0))
    m.revolute("b", m["v1"].at(0.5, 0), bar.at(0.5, 0))
    return m


@pytest.mark.parametrize(("angle", "singular"), [(1.2, False), (0.0, True)])
def test_singular_start(angle, singular):
    report = _parallelogram(angle).check()
    assert report.singular is singular
    assert report.degrees_of_freedom == (2 if singular else 1)
    warned = any("singular position" in text for _, text in lines(report, "warning"))
    assert warned is singular


def test_open_loop_is_an_error_line():
    m = _parallelogram(1.0)
    far = m.body("far", mass=1, inertia=1)
    m.revolute("c", m["bar"].at(0, 0), far.at(-0.5, 0))
    m.revolute("d", m.ground.at(10, 0), far.at(0.5, 0))
    report = m.check()
    assert not report.ok and "cannot run" in str(report)
    (component, text), *_ = lines(report, "error")
    assert component and "cannot close" in text


def test_text_of_a_report(example):
    text = str(example("slider_crank").check())
    assert text.startswith("slider-crank: can run")
    assert "1 degree of freedom" in text and "8 equations" in text


def test_check_knows_what_stands_on_the_ground():
    assert not any("freely" in text or "float" in text for _, _, text in rolling_disc.model().check().lines)
    assert not any("freely" in text or "float" in text for _, _, text in wheelset.model().check().lines)


def test_check_finds_contacts_that_start_inside():
    m = lw.Model("m")
    ball = m.body("ball", mass=1, inertia=1)
    m.rigid_contact("floor", ball, radius=0.1)
    report = m.check()
    assert not report.ok and ("error", "floor") in [line[:2] for line in report.lines]
    ball.start(position=(0, 0.1))
    assert m.check().ok and "touching at the start: 1" in str(m.check())
