"""What is changed by hand takes effect, and what cannot be meant is refused."""

import numpy as np
import pytest

import linkwork as lw


def swing() -> tuple[lw.Model, lw.Damper]:
    m = lw.Model("swing")
    bar = m.rod("bar", length=1, mass=1)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    damper = lw.Damper(0.1)
    pin.angle.law(damper)
    m.spring("spring", bar.at(0.5, 0), m.ground.at(1, 1), stiffness=10)
    return m, damper


def end(m: lw.Model) -> float:
    return m.simulate(0.5)["pin.angle"][-1]


@pytest.mark.parametrize("what", ["gravity", "mass", "inertia", "stiffness", "damping"])
def test_a_change_after_a_run_takes_effect(what):
    """The second run equals that of a model built anew with the change."""

    def change(m, damper):
        target = {"gravity": m, "stiffness": m["spring"], "damping": damper}.get(what, m["bar"])
        value = {"gravity": (0, -1.6), "mass": 3.0, "inertia": 0.5, "stiffness": 50.0, "damping": 2.0}[what]
        setattr(target, what, value)

    m, damper = swing()
    before = end(m)
    change(m, damper)
    fresh, fresh_damper = swing()
    change(fresh, fresh_damper)
    assert end(m) == end(fresh) != before


class Slide(lw.Joint):
    """A correct joint of the user's own, in the plane."""

    free = ("x",)
    plane = ("x",)

    def closure(self, M, N):
        return [lw.dot(N.p - M.p, M.y), lw.dot(N.x, M.y)]

    def motion(self, x):
        return lw.translation(x, 0, 0)

    def measure(self, M, N):
        return [lw.dot(N.p - M.p, M.x)]


class OneRowMissing(Slide):
    def closure(self, M, N):
        return super().closure(M, N)[:1]


class WrongMeasure(Slide):
    def measure(self, M, N):
        return [2 * super().measure(M, N)[0]]


class WrongMotion(Slide):
    def motion(self, x):
        return lw.translation(x, x, 0)


def with_joint(kind: type[lw.Joint]) -> lw.Model:
    m = lw.Model("own")
    m.add(kind("own", m.ground.at(0, 0), m.rod("bar", length=1, mass=1).at(0, 0)))
    return m


def test_own_joints_are_checked():
    assert with_joint(Slide).simulate(0.1)["bar.y"][-1] == pytest.approx(0, abs=1e-12)
    with pytest.raises(lw.ModelError, match=r"own: OneRowMissing contradicts itself: `closure` blocks 1 of 3"):
        with_joint(OneRowMissing).simulate(0.1)
    with pytest.raises(lw.ModelError, match="`measure` does not read back"):
        with_joint(WrongMeasure).simulate(0.1)
    with pytest.raises(lw.ModelError, match="`closure` does not vanish"):
        with_joint(WrongMotion).simulate(0.1)


def test_built_in_names_are_not_replaced():
    with pytest.raises(lw.ModelError, match="m.revolute exists already"):

        @lw.component
        class Revolute(lw.Joint):
            pass


def test_what_cannot_be_meant_is_refused():
    m, _ = swing()
    k = m.parameter("k", 1.0)
    m["pin"].angle.law(lw.Spring(k))
    with pytest.raises(lw.ModelError, match="k: nan is not a finite number"):
        m.simulate(1, parameters={"k": np.nan})
    with pytest.raises(lw.ModelError, match="asks for 1e[+]09 samples"):
        m.simulate(1, output=1e-9)
    with pytest.raises(lw.ModelError, match="twice: point is given"):
        m.revolute("twice", m.ground.at(0, 0), m["bar"].at(0, 0), point=(0, 0))
    with pytest.raises(lw.ModelError, match=r"box: .*'inertia'.* It is m.body\("):
        m.body("box", mass=1)
    with pytest.raises(lw.ModelError, match="a frame at"):
        m["bar"].at(np.nan, 0)


def test_motion_and_start_value_must_agree():
    m = lw.Model("driven")
    pin = m.revolute("pin", m.ground.at(0, 0), m.rod("bar", length=1, mass=1).at(-0.5, 0))
    pin.angle.law(lw.Motion(lambda t: 0.5 + t))
    pin.angle.start(0.5)
    assert m.assemble().coordinates["pin.angle"] == pytest.approx(0.5)
    pin.angle.start(1)
    with pytest.raises(lw.AssemblyError, match="pin.angle: starts at 1, but its Motion begins at 0.5"):
        m.assemble()
