"""Joints that say nothing but what must vanish (AME), in every formulation, against those that say all."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.components.joint import Joint
from linkwork.formulations import formulations

G = 9.81


class Bead(Joint):
    """The origin of N stays on y = curvature·x² of M, and N does not turn."""

    free = ("along",)
    plane = free

    def __init__(self, name, first, second, *, curvature):
        super().__init__(name, first, second)
        self.curvature = curvature

    def closure(self, M, N):
        d = N.p - M.p
        x, y, z = (lw.dot(d, axis) for axis in (M.x, M.y, M.z))
        return [y - self.curvature * x**2, z, lw.dot(M.x, N.y), lw.dot(M.x, N.z), lw.dot(M.y, N.z)]


class Hinge(Joint):
    """The library's revolute joint, its equations alone."""

    free = ("angle",)
    plane = free

    def closure(self, M, N):
        d = N.p - M.p
        return [d[0], d[1], d[2], lw.dot(M.x, N.z), lw.dot(M.y, N.z)]


class Ball(Joint):
    free = ("rx", "ry", "rz")

    def closure(self, M, N):
        d = N.p - M.p
        return [d[0], d[1], d[2]]


def on_parabola(c, times):
    """(1 + 4c²x²) ẍ + 4c²x ẋ² + 2 g c x = 0."""

    def rates(_, y):
        x, v = y
        return [v, -(4 * c**2 * x * v**2 + 2 * G * c * x) / (1 + 4 * c**2 * x**2)]

    return solve_ivp(rates, (0, times[-1]), [1.0, 0.0], t_eval=times, rtol=1e-11, atol=1e-13).y


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", [f for f in formulations if not f.endswith("-scalar")])
def test_bead_on_a_parabola(formulation, space):
    m = lw.Model("bead", gravity=(0, -G, 0) if space else (0, -G))
    bead = m.body("bead", mass=0.4, inertia=(0.1, 0.1, 0.1) if space else 0.1)
    track = m.add(Bead("track", m.ground.at(), bead.at(), curvature=m.parameter("c", 0.5)))
    track.along.start(1.0, rate=0.0)
    soft = formulation in ("compliant", "bondgraph-rc")
    found = m.simulate(1.5, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    x, v = on_parabola(0.5, found.t)
    assert found["track.along"] == pytest.approx(x, abs=1e-4 if soft else 1e-7)
    assert found["track.along.rate"] == pytest.approx(v, abs=1e-3 if soft else 1e-6)
    assert not found.warnings
    # The reaction is what weight and acceleration leave.
    push = [found["track.reaction.fx"], found["track.reaction.fy"]]
    if not soft:
        assert push[0] == pytest.approx(0.4 * found["bead.ax"], abs=1e-7)
        assert push[1] == pytest.approx(0.4 * (found["bead.ay"] + G), abs=1e-7)


def pendulum(own, planar=True):
    m = lw.Model("pendulum", gravity=(0, -G) if planar else (0, -G, 0))
    rods = [m.body(f"rod{k}", mass=1.0, inertia=0.1 if planar else (0.02, 0.1, 0.1)) for k in range(2)]
    O = m.revolute("O", m.ground.at(), rods[0].at(-0.5, 0))
    ends = rods[0].at(0.5, 0), rods[1].at(-0.5, 0)
    A = m.add(Hinge("A", *ends)) if own else m.revolute("A", *ends)
    O.angle.start(0.3, rate=0.0)
    A.angle.start(0.2, rate=9.0)
    A.angle.law(lw.Damper(0.05)).law(lw.Spring(0.5))
    return m


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal"])
def test_hinge_is_the_revolute_joint(formulation, planar):
    own, library = (
        pendulum(x, planar).simulate(2, formulation=formulation, output=0.1, rtol=1e-9, atol=1e-11)
        for x in (True, False)
    )
    for name in ("A.angle", "A.angle.rate", "rod1.x", "A.reaction.fx", "A.reaction.fy", "energy.dissipated"):
        assert own[name] == pytest.approx(library[name], rel=1e-7, abs=2e-6), name
    assert np.ptp(own["A.angle"]) > 2 * np.pi  # turns are counted


def test_a_motion_law_and_check():
    m = pendulum(True)
    m["A"].angle.law(lw.Motion(lambda t: 0.2 + 9 * t))
    found = m.simulate(0.5, output=0.1)
    assert found["A.angle"] == pytest.approx(0.2 + 9 * found.t, abs=1e-9)
    report = pendulum(True).check()
    assert report.degrees_of_freedom == pendulum(False).check().degrees_of_freedom == 2


def test_a_ball_in_space():
    def top(own):
        m = lw.Model("top", gravity=(0, 0, -G))
        body = m.body("top", mass=1.0, inertia=(0.02, 0.02, 0.01))
        ends = m.ground.at(), body.at(0, 0, -0.2)
        m.add(Ball("tip", *ends)) if own else m.spherical("tip", *ends)
        body.start(position=(0, 0.1, 0.17), spin=(0, 0, 30))
        return m.simulate(0.5, formulation="minimal", output=0.05, rtol=1e-9, atol=1e-11)

    own, library = top(True), top(False)
    for name in ("top.x", "top.y", "tip.rx", "tip.reaction.fz"):
        assert own[name] == pytest.approx(library[name], abs=1e-6), name


class Short(Hinge):
    """One equation is missing."""

    def closure(self, M, N):
        return super().closure(M, N)[1:]


class Wrong(Hinge):
    free = ("z",)
    plane = None


class Never(Hinge):
    def closure(self, M, N):
        d = N.p - M.p
        return [lw.dot(d, d) + 1, d[1], d[2], lw.dot(M.x, N.z), lw.dot(M.y, N.z)]


@pytest.mark.parametrize(
    ("kind", "said"), [(Short, "blocks 4 of 6"), (Wrong, "`z` is not free"), (Never, "no pose was found")]
)
def test_refusals(kind, said):
    m = lw.Model("refused", gravity=(0, 0, -G))
    with pytest.raises(lw.ModelError, match=said):
        m.add(kind("J", m.ground.at(), m.body("b", mass=1, inertia=(1, 1, 1)).at()))
