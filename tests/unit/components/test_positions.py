"""Position matrices: what may be given, what is refused, and how it mixes with joints, laws and time."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork import cos, rotx, rotz, shift, sin
from linkwork.examples.slider_crank_positions import model as slider_crank


def pendulum(**options) -> lw.Kinematics:
    k = lw.Kinematics("pendulum", coordinates=1, **options)
    inertia = 0.1 if k.is_planar else (0.1, 0.2, 0.1)
    k.body("bob", rotz(k.q[0]) @ shift(0, -1), mass=2, inertia=inertia)
    return k.start(1.0)


def test_coordinates_may_have_names():
    k = lw.Kinematics("arm", coordinates=["shoulder", "elbow"])
    assert [c.name for c in k.coordinates] == ["shoulder", "elbow"]
    assert k.q.numel() == k.qdot.numel() == 2


GRAPHS = ["bondgraph", "bondgraph-canonical", "bondgraph-minimal", "bondgraph-scalar", "bondgraph-zcp"]


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "compliant", *GRAPHS])
@pytest.mark.parametrize("gravity", [(0, -9.81), (0, -9.81, 0)])
def test_pendulum_swings_with_its_period(formulation, gravity):
    k = pendulum(gravity=gravity).start(1e-3)
    period = 2 * np.pi * np.sqrt((2 * 1**2 + 0.1) / (2 * 9.81 * 1))
    r = k.simulate(period, formulation=formulation)
    assert r["q0"][-1] == pytest.approx(1e-3, abs=1e-8)


def test_matrix_and_pose_are_the_same():
    k = lw.Kinematics("matrix", coordinates=1, gravity=(0, -9.81))
    q = k.q[0]
    matrix = ca.vertcat(
        ca.horzcat(cos(q), -sin(q), 0, sin(q)),
        ca.horzcat(sin(q), cos(q), 0, -cos(q)),
        ca.horzcat(0, 0, 1, 0),
        ca.horzcat(0, 0, 0, 1),
    )
    k.body("bob", matrix, mass=2, inertia=0.1)
    k.start(1.0)
    assert np.allclose(k.simulate(1)["bob.x"], pendulum(gravity=(0, -9.81)).simulate(1)["bob.x"], atol=1e-9)


def test_positions_may_move_by_themselves():
    """A pendulum on a lift that accelerates upwards by a swings as under g + a."""
    k = lw.Kinematics("lift", coordinates=1, gravity=(0, -9.81))
    k.body("bob", shift(0, k.t**2) @ rotz(k.q[0]) @ shift(0, -1), mass=2, inertia=0.1)
    k.start(0.8)
    heavier = pendulum(gravity=(0, -11.81)).start(0.8)
    for formulation in ("absolute", "minimal", "points", "bondgraph", "bondgraph-minimal", "bondgraph-zcp"):
        assert np.allclose(k.simulate(2, formulation=formulation)["q0"], heavier.simulate(2)["q0"], atol=1e-7)


def test_laws_act_on_coordinates_as_on_joints():
    k, m = pendulum(gravity=(0, -9.81)), lw.Model("joint", gravity=(0, -9.81))
    R = m.revolute("R", m.ground.at(0, 0), m.body("bob", mass=2, inertia=0.1).at(0, 1))
    R.angle.start(1.0)
    for c in (k["q0"], R.angle):
        c.law(lw.Spring(5, rest=0.2)).law(lw.Damper(0.7)).law(lw.Effort(lambda t: lw.sin(3 * t)))
    a, b = k.simulate(3), m.simulate(3)
    assert np.allclose(a["q0"], b["R.angle"], atol=1e-8)
    for name in ("energy.total", "energy.dissipated", "energy.supplied"):
        assert np.allclose(a[name], b[name], atol=1e-6), name


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", *GRAPHS])
def test_a_coordinate_can_be_driven(formulation):
    k = pendulum(gravity=(0, -9.81)).start(0.0)
    k["q0"].law(lw.Motion(lambda t: 0.3 * lw.sin(2 * t)))
    r = k.simulate(2, formulation=formulation)
    t = r.t
    assert np.allclose(r["q0"], 0.3 * np.sin(2 * t), atol=1e-9)
    torque = 2.1 * (-1.2 * np.sin(2 * t)) + 2 * 9.81 * np.sin(0.3 * np.sin(2 * t))
    assert np.allclose(r["q0.effort"], torque, atol=1e-6)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph", "bondgraph-minimal"])
def test_joints_hang_on_placed_bodies(formulation):
    k = lw.Kinematics("mixed", coordinates=1)
    upper = k.body("upper", rotz(k.q[0]) @ shift(0, -0.5), mass=1, inertia=(0.1, 0.1, 0.1))
    lower = k.body("lower", mass=1, inertia=(0.2, 0.1, 0.3))
    J = k.universal("J", upper.at(0, -0.5, 0), lower.at(0, 0.5, 0.2), axis=(1, 0, 0), axis2=(0, 0, 1))
    J.angle1.start(0.4)
    k.start(0.7)
    m = lw.Model("joints", gravity=(0, -9.81, 0))
    a, b = m.body("upper", mass=1, inertia=(0.1, 0.1, 0.1)), m.body("lower", mass=1, inertia=(0.2, 0.1, 0.3))
    m.revolute("O", m.ground.at(0, 0, 0), a.at(0, 0.5, 0)).angle.start(0.7)
    m.universal("J", a.at(0, -0.5, 0), b.at(0, 0.5, 0.2), axis=(1, 0, 0), axis2=(0, 0, 1)).angle1.start(0.4)
    r, s = k.simulate(1.5, formulation=formulation), m.simulate(1.5, formulation="minimal")
    for name in ("lower.x", "lower.z", "upper.y", "J.angle2", "J.reaction.fx", "J.reaction.my"):
        assert np.allclose(r[name], s[name], atol=2e-6), name


def test_a_joint_closes_a_loop_between_placed_bodies():
    """Two position matrices and one pin are a four-bar of one freedom."""
    k = lw.Kinematics("four-bar", coordinates=["left"], gravity=(0, -9.81))
    right = k.variable("right", guess=0.4)
    a = k.body("a", rotz(k.q[0]) @ shift(0.5, 0), mass=1, inertia=0.1)
    b = k.body("b", shift(2, 0) @ rotz(right.symbol) @ shift(0.5, 0), mass=1, inertia=0.1)
    k.distance("coupler", a.at(0.5, 0), b.at(0.5, 0), length=2)
    k.start(1.0)
    assert k.check().degrees_of_freedom == 1
    report = k.compare(["absolute", "minimal", "points", "bondgraph", "bondgraph-zcp"], 2)
    for channel in ("left", "right", "a.x", "b.y"):
        assert all(d < 1e-6 for d in report.deviation(channel).values())


def test_conditions_are_solved_along():
    closed, implicit = slider_crank().simulate(5), slider_crank(implicit=True)
    for options in ({"formulation": "minimal"}, {"formulation": "minimal", "independent": ["q0"]}, {}):
        r = implicit.simulate(5, **options)
        assert np.allclose(r["q0"], closed["q0"], atol=2e-6)
        assert np.allclose(r["x"], r["piston.x"], atol=1e-7)


def test_forces_may_use_the_symbols():
    k = lw.Kinematics("spring", coordinates=1, gravity=(0, 0, 0))
    bob = k.body("bob", shift(k.q[0]), mass=2, inertia=(1, 1, 1))
    k.force("pull", bob, (-8 * k.q[0] - 0.4 * k.qdot[0], 0, 0))
    k.start(1.0)
    r = k.simulate(3)
    w, d = np.sqrt(4 - 0.01), 0.1
    assert np.allclose(r["bob.x"], np.exp(-d * r.t) * (np.cos(w * r.t) + d / w * np.sin(w * r.t)), atol=1e-7)


def bad(build):
    with pytest.raises(lw.LinkworkError) as caught:
        build()
    return str(caught.value)


def test_refuses_what_is_no_rigid_motion():
    k = lw.Kinematics("bad", coordinates=1)
    stretched = lw.Pose(ca.SX(3, 1), 1.1 * rotz(k.q[0]).R)
    message = bad(lambda: k.body("bob", stretched, mass=1, inertia=(1, 1, 1)))
    assert "bob" in message and "determinant 1.331" in message
    mirrored = ca.diagcat(1, 1, -1, 1)
    assert "determinant -1" in bad(lambda: k.body("bob", ca.SX(mirrored), mass=1, inertia=(1, 1, 1)))
    sheared = ca.SX.eye(4)
    sheared[0, 1] = k.q[0]
    assert "orthonormal" in bad(lambda: k.body("bob", sheared, mass=1, inertia=(1, 1, 1)))
    assert "4×4" in bad(lambda: k.body("bob", np.eye(3), mass=1, inertia=(1, 1, 1)))
    low = ca.SX.eye(4)
    low[3, 0] = 1
    assert "last row" in bad(lambda: k.body("bob", low, mass=1, inertia=(1, 1, 1)))
    assert "bob" not in k.components


def test_refuses_a_coordinate_that_moves_nothing():
    k = lw.Kinematics("idle", coordinates=2)
    k.body("bob", rotz(k.q[0]) @ shift(0, -1), mass=1, inertia=(1, 1, 1))
    message = bad(lambda: k.simulate(1))
    assert "q1" in message and "moves nothing" in message and "mass matrix is singular" in message
    k = lw.Kinematics("twice", coordinates=2)
    k.body("bob", rotz(k.q[0] + k.q[1]) @ shift(0, -1), mass=1, inertia=(1, 1, 1))
    message = bad(lambda: k.simulate(1))
    assert "q0, q1" in message and "without moving any mass" in message


def test_refuses_strangers_and_the_rest():
    k = lw.Kinematics("strange", coordinates=1)
    message = bad(lambda: k.body("bob", rotz(ca.SX.sym("phi")), mass=1, inertia=(1, 1, 1)))
    assert "phi" in message and "does not know" in message
    assert "q7" in bad(lambda: k.start(q7=1))
    assert "2 start values" in bad(lambda: k.start(1, 2))
    body = k.body("bob", rotz(k.q[0]), mass=1, inertia=(1, 1, 1))
    assert "already" in bad(lambda: k.guide("again", body, rotz(k.q[0])))
    assert "no variable" in bad(lambda: k.condition("idle", k.t - 1))
    assert "exact" in bad(lambda: k["bob-position"].enforce("compliant"))
    plane = lw.Kinematics("plane", coordinates=1, gravity=(0, -9.81))
    assert "leaves the plane" in bad(lambda: plane.body("bob", rotx(plane.q[0]), mass=1, inertia=1))
    half = lw.Pose(ca.SX(3, 1), rotz(plane.q[0]).R @ rotz(1).R)
    assert "angle" in bad(lambda: plane.body("bob", half, mass=1, inertia=1))
    assert "plane" in bad(lambda: plane.body("bob", shift(0, 0, 1), mass=1, inertia=1))
    assert "coordinates" in bad(lambda: lw.Kinematics("none", coordinates=1.5))


def test_conditions_that_cannot_hold_are_named():
    k = slider_crank(implicit=True)
    k.condition("more", k["x"].symbol - 9)
    assert "cannot be met" in bad(lambda: k.simulate(1))


def test_a_variable_that_moves_no_body_is_refused_where_accelerations_are_matched():
    m = lw.Model("clock", gravity=(0, -9.81))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1.0, inertia=0.1).at(-0.5, 0))
    hand = m.variable("hand", guess=2.0)
    m.condition("x", hand.symbol - 2 * (1 + m.t))
    assert m.simulate(0.1).final["hand"] == pytest.approx(2.2)
    with pytest.raises(lw.ModelError, match=r"hand: no body moves with it.*absolute"):
        m.simulate(0.1, formulation="acausal")
