"""ACA's joints: what each lets go, the complementarity rule, the ports; and tyres on their own."""

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ["absolute", "minimal", "points", "bondgraph", "acausal"]


def arm(kind: str, **options) -> tuple[lw.Model, lw.Joint]:
    """A body on the ground by one joint with a horizontal axis, off its mass centre."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    body = m.body("body", mass=2, inertia=(0.3, 0.2, 0.4)).start(position=(0.5, 0.1, 0))
    return m, getattr(m, kind)("J", m.ground, body, point=(0, 0, 0), axis=(0, 1, 0), **options)


@pytest.mark.parametrize(
    ("kind", "options", "freedoms"),
    [
        ("fixed_ideal", {}, 1),
        ("free_ideal", {}, 2),
        ("spring_ideal", {"stiffness": 1e3, "damping": 10}, 2),
        ("fixed_controlled", {"torque": 1.0}, 1),
        ("free_slide", {}, 1),
        ("fixed_servo", {"angle": lambda t: lw.sin(t)}, 0),
        ("axial_joint", {"translation": lw.Motion(0.1), "rotation": lw.Damper(1.0)}, 1),
    ],
)
def test_each_has_its_freedoms(kind, options, freedoms):
    m, _ = arm(kind, **options)
    assert m.check().degrees_of_freedom == freedoms


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_pin_is_a_revolute_joint(formulation):
    m, _ = arm("fixed_ideal")
    r = m.simulate(1, formulation=formulation)
    same, _ = arm("revolute")
    assert r["J.angle"] == pytest.approx(same.simulate(1)["J.angle"], abs=1e-6)
    assert np.abs(r["J.slide"]).max() < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_servo_follows_an_acceleration_that_depends_on_its_angle(formulation):
    """λ = −4 φ − 0.2 φ̇, whatever hangs on it."""
    m, joint = arm("fixed_servo", acceleration=lambda t, x, v: -4 * x - 0.2 * v)
    joint.angle.start(0.3, rate=0.1)
    r = m.simulate(2, formulation=formulation, rtol=1e-10, atol=1e-12)
    w = np.sqrt(4 - 0.01)
    expected = np.exp(-0.1 * r.t) * (0.3 * np.cos(w * r.t) + (0.1 + 0.03) / w * np.sin(w * r.t))
    assert r["J.angle"] == pytest.approx(expected, abs=1e-8)
    assert np.ptp(r["energy.total"] - r["energy.supplied"]) < 1e-6


def test_servo_holds_with_compliant_joints():
    m, joint = arm("fixed_servo", angle=lambda t: 0.2 * lw.sin(3 * t))
    r = m.simulate(1, formulation="compliant", compliance=lw.Compliance(error=1e-7))
    assert r["J.angle"] == pytest.approx(0.2 * np.sin(3 * r.t), abs=1e-6)
    assert np.abs(joint.wrench_port("A", r).F + joint.wrench_port("B", r).F).max() < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spring_carries_a_load_along_the_axis(formulation):
    """A vertical axis: the weight sags by m g / c, with F = c ν + d ν̇ on the first body."""
    m = lw.Model("hanger", gravity=(0, 0, -9.81))
    body = m.body("body", mass=2, inertia=(0.3, 0.2, 0.4))
    joint = m.spring_ideal("J", m.ground.at(), body.at(), stiffness=400, damping=40)
    r = m.simulate(2, formulation=formulation, rtol=1e-9)
    assert r["J.slide"][-1] == pytest.approx(-2 * 9.81 / 400, abs=1e-7)
    port = joint.wrench_port("A", r)
    assert port.F[:, 2] == pytest.approx(400 * r["J.slide"] + 40 * r["J.slide.rate"], abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_ports_obey_newtons_third_law_and_euler(formulation):
    """F_A = −F_B, M_A = −M_B; all that acts on the last body, by its port and by gravity, is its rate of momentum."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    inertia = np.diag([0.3, 0.2, 0.4])
    first = m.body("first", mass=1, inertia=(0.1, 0.1, 0.1)).start(position=(0.5, 0, 0))
    last = m.body("last", mass=2, inertia=inertia).start(position=(1.5, 0.2, 0.1))
    m.fixed_controlled("A", m.ground, first, point=(0, 0, 0), axis=(0, 0, 1), torque=lambda t, v: 2 - v)
    laws = {"translation": [lw.Spring(200.0), lw.Damper(5.0)], "rotation": lw.Motion(lambda t: lw.sin(2 * t))}
    B = m.axial_joint("B", first, last, point=(1, 0, 0), axis=(1, 1, 0), **laws)
    r = m.simulate(1, formulation=formulation, rtol=1e-10, atol=1e-12)
    on_A, on_B = B.wrench_port("A", r), B.wrench_port("B", r)
    assert np.abs(on_A.F + on_B.F).max() < 1e-9 and np.abs(on_A.M + on_B.M).max() < 1e-8
    assert np.abs(on_B.F).max() > 1
    force = np.column_stack([2 * r[f"last.a{k}"] for k in "xyz"]) - [0, 0, -2 * 9.81]
    assert on_B.F == pytest.approx(force, abs=1e-7)
    centre = np.column_stack([r[f"last.{k}"] for k in "xyz"])
    about_centre = on_B.M + np.cross(on_B.P - centre, on_B.F)
    k = B.kinematic_port("B", r)
    R = k.T @ k.T[0].T  # how far the body has turned since the start, when its axes are the world's
    J = R @ inertia @ R.transpose(0, 2, 1)
    spin = np.einsum("kij,kj->ki", J, k.omega)
    euler = np.einsum("kij,kj->ki", J, k.epsilon) + np.cross(k.omega, spin)
    assert about_centre == pytest.approx(euler, abs=1e-7)
    # What flows into both bodies is what the joint's laws give: efforts times rates.
    power = on_A.power(B.kinematic_port("A", r)) + on_B.power(k)
    assert power == pytest.approx(r["B.slide.power"] + r["B.angle.power"], abs=1e-7)


def test_kinematic_port_is_the_motion_of_the_frame():
    """Place, velocity and acceleration of the joint's point are derivatives of each other; one instant needs no run."""
    m, joint = arm("fixed_servo", angle=lambda t: 0.5 * t**2 + t)
    tail = m.body("tail", mass=1, inertia=(0.1, 0.1, 0.1)).start(position=(1, 0, 0))
    K = m.fixed_ideal("K", m["body"], tail, point=(0.8, 0, 0), axis=(0, 1, 0))
    r = m.simulate(0.2, output=1e-3)
    k = K.kinematic_port("A", r)
    assert np.gradient(k.r, r.t, axis=0)[1:-1] == pytest.approx(k.v[1:-1], abs=1e-5)
    assert np.gradient(k.v, r.t, axis=0)[1:-1] == pytest.approx(k.a[1:-1], abs=1e-5)
    assert k.omega[:, 1] == pytest.approx(1 + r.t, abs=1e-8) and k.epsilon[:, 1] == pytest.approx(1, abs=1e-8)
    assert K.kinematic_port("B", r).r == pytest.approx(k.r, abs=1e-9)
    ground = joint.kinematic_port("A")
    assert ground.r == pytest.approx(0) and ground.v.shape == (1, 3)
    assert ground.axis == pytest.approx(np.array([[0, 1, 0]]))


def test_complementarity_is_checked():
    with pytest.raises(lw.ModelError, match=r"J: both the flow mu \(Motion\) and the effort F \(Spring\) of its trans"):
        arm("axial_joint", translation=[lw.Motion(0.0), lw.Spring(5.0)], rotation=lw.Free())
    with pytest.raises(lw.ModelError, match=r"J: both the flow lambda \(Motion\) and the effort M \(Free\) of its rot"):
        arm("axial_joint", translation=lw.Free(), rotation=[lw.Motion(0.0), lw.Free()])
    with pytest.raises(lw.ModelError, match=r"open: the rotation \(neither lambda nor M is given\)"):
        arm("axial_joint", translation=lw.Free())
    with pytest.raises(lw.ModelError, match=r"open: the translation \(neither mu nor F.*and the rotation"):
        arm("axial_joint")
    _, joint = arm("fixed_ideal")
    with pytest.raises(lw.ModelError, match=r"both the flow mu \(Motion\) and the effort F \(Friction\)"):
        joint.slide.law(lw.Friction(1.0))
    with pytest.raises(lw.ModelError, match="prescribed twice"):
        joint.slide.law(lw.Motion(1.0))
    joint.angle.law(lw.Damper(1.0))  # efforts add up


def test_bad_input():
    with pytest.raises(lw.ModelError, match="neither angle nor acceleration"):
        arm("fixed_servo")
    with pytest.raises(lw.ModelError, match="angle and acceleration are both"):
        arm("fixed_servo", angle=1.0, acceleration=0.0)
    with pytest.raises(lw.ModelError, match="stiffness -1"):
        arm("spring_ideal", stiffness=-1)
    with pytest.raises(lw.ModelError, match="asks for y"):
        arm("fixed_servo", acceleration=lambda y: y)[0].simulate(1)
    m, joint = arm("fixed_ideal")
    with pytest.raises(lw.LinkworkError, match="no end 'C'"):
        joint.kinematic_port("C")
    with pytest.raises(lw.ModelError, match="own body"):
        m.tyre("T", m["body"], m["body"], radius=1)
    with pytest.raises(lw.ModelError, match="radius 0"):
        m.tyre("T", m["body"], radius=0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_wheel_with_a_tyre_is_pulled_by_a_torque(formulation):
    """In the plane: a driven wheel pulls with its torque / radius once it rolls, less what spins it up."""
    m = lw.Model("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=20, inertia=0.9).start(position=(0, 0.3 - 20 * 9.81 / 2e5), velocity=(10, 0))
    wheel.start(spin=-10 / (0.3 - 20 * 9.81 / 2e5))
    m.tyre("tyre", wheel, radius=0.3, stiffness=2e5, slip_stiffness=5e4)
    m.torque("drive", wheel, -12.0)
    r = m.simulate(1, formulation=formulation)
    loaded = 0.3 - 20 * 9.81 / 2e5
    assert r["tyre.load"][-1] == pytest.approx(20 * 9.81, rel=1e-3)
    pull = 12.0 / loaded / (1 + 0.9 / (20 * loaded**2))
    assert r["tyre.ahead"][-1] == pytest.approx(pull, rel=0.01)
    assert r["tyre.slip"][-1] == pytest.approx(-pull / 5e4, rel=0.01)


def test_braked_wheels_hold_on_a_slope_and_creep_as_documented():
    """Locked wheels at rest: speed of creep = creep · force / slip stiffness."""
    m = lw.Model("parked", gravity=(9.81 * np.sin(0.1), -9.81 * np.cos(0.1)))
    body = m.body("body", mass=100, inertia=10).start(position=(0, 0.3), velocity=(0, 0), spin=0)
    for name, x in (("rear", -1), ("front", 1)):
        m.tyre(name, body.at(x, 0), radius=0.3, slip_stiffness=5e4, damping=5e3, friction=10)
    r = m.simulate(5)
    assert r["body.vx"][-1] == pytest.approx(0.1 * 100 * 9.81 * np.sin(0.1) / 1e5, rel=1e-3)
    assert r["rear.load"][-1] + r["front.load"][-1] == pytest.approx(100 * 9.81 * np.cos(0.1), rel=1e-6)


def test_tyre_on_a_road_keeps_its_energy_without_damping_and_grip():
    """A wheel that bounces and slides over waves, through the air at times."""
    m = lw.Model("waves", gravity=(0, 0, -9.81))
    wheel = m.body("wheel", mass=20, inertia=(0.5, 0.9, 0.5)).start(position=(0, 0, 0.45), velocity=(4, 0.3, 0))
    wheel.start(spin=(0.02, 8, 0.1))
    axle = wheel.at(rotation=np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))
    m.tyre("tyre", axle, radius=0.3, damping=0, friction=0, height=lambda x, y: 0.03 * lw.sin(2 * x) * lw.cos(y))
    r = m.simulate(2, rtol=1e-9, atol=1e-11)
    assert r["tyre.load"].max() > 1000 and r["tyre.load"].min() == 0 and len(r.events) >= 4
    assert np.ptp(r["energy.total"]) < 1e-5 * r["energy.total"][0]
