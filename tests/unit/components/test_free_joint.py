"""Six freedoms and angles of orientation, against SciPy's rotations and equations written by hand."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.formulations import formulations
from linkwork.geometry.angle_sequences import SEQUENCES, angles_of

G = 9.81
J = np.array([0.1, 0.2, 0.25])


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_of_all_sequences(sequence, rng):
    R = lw.SX.sym("R", 3, 3)
    read = ca.Function("angles", [R], list(angles_of(R, sequence)))
    for turned in Rotation.random(20, random_state=1):
        expected = turned.as_euler(sequence.upper())
        assert [float(a) for a in read(turned.as_matrix())] == pytest.approx(expected, abs=1e-13)
        assert np.array(ca.DM(lw.rotation(sequence, *expected).R)) == pytest.approx(turned.as_matrix(), abs=1e-14)
    for second in (0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2):
        pole = np.array(ca.DM(lw.rotation(sequence, 0.4, second, 0.7).R))
        again = [float(a) for a in read(pole)]
        assert np.array(ca.DM(lw.rotation(sequence, *again).R)) == pytest.approx(pole, abs=1e-11)


def flyer(sequence="zyx", **more):
    m = lw.Model("flyer", gravity=(0, 0, -G))
    body = m.body("body", mass=2.0, inertia=tuple(J))
    joint = m.free("pose", m.ground.at(), body.at(), sequence=sequence, **more)
    return m, joint


def euler(times, R0, w0):
    """Euler's equations and the rotation matrix, by SciPy."""

    def rates(_, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(R @ W).ravel(), np.cross(J * w, w) / J])

    found = solve_ivp(rates, (0, times[-1]), [*R0.ravel(), *w0], t_eval=times, rtol=1e-11, atol=1e-12)
    return found.y[:9].T.reshape(-1, 3, 3)


@pytest.mark.parametrize("formulation", [f for f in formulations if not f.endswith("-scalar")])
def test_a_free_body_tells_its_angles(formulation):
    """Started by angles and their rates, turns are counted, poles are passed."""
    m, joint = flyer()
    for c, value, rate in zip((joint.yaw, joint.pitch, joint.roll), (0.3, 0.4, -0.2), (5.0, 1.0, 0.5), strict=True):
        c.start(value, rate=rate)
    joint.x.start(0.5, rate=2.0)
    found = m.simulate(2, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    R0 = Rotation.from_euler("ZYX", (0.3, 0.4, -0.2))
    step = 1e-6
    later = Rotation.from_euler("ZYX", (0.3 + 5 * step, 0.4 + step, -0.2 + 0.5 * step))
    w0 = (R0.inv() * later).as_rotvec() / step
    R = euler(found.t, R0.as_matrix(), w0)
    yaw, pitch, roll = np.unwrap(Rotation.from_matrix(R).as_euler("ZYX"), axis=0).T
    assert found["pose.yaw"] == pytest.approx(yaw, abs=2e-5)
    assert found["pose.pitch"] == pytest.approx(pitch, abs=2e-5)
    assert found["pose.roll"] == pytest.approx(roll, abs=2e-5)
    assert np.ptp(found["pose.yaw"]) > 7
    assert found["pose.x"] == pytest.approx(0.5 + 2 * found.t, abs=1e-8)
    assert found["pose.z"] == pytest.approx(-G * found.t**2 / 2, abs=1e-7)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal"])
def test_freedoms_take_laws(formulation):
    """Springs along z and about x: two oscillators by themselves."""
    m, joint = flyer()
    joint.z.law(lw.Spring(200.0, rest=2 * G / 200.0)).start(0.1)
    joint.roll.law(lw.Spring(5.0)).law(lw.Damper(0.1)).start(0.3)
    joint.pitch.start(0.0)
    joint.yaw.start(0.0)
    found = m.simulate(2, formulation=formulation, output=0.05, rtol=1e-9, atol=1e-11)
    assert found["pose.z"] == pytest.approx(0.1 * np.cos(10 * found.t), abs=1e-6)
    decay = 0.1 / (2 * J[0])
    w = np.sqrt(5.0 / J[0] - decay**2)
    swing = 0.3 * np.exp(-decay * found.t) * (np.cos(w * found.t) + decay / w * np.sin(w * found.t))
    assert found["pose.roll"] == pytest.approx(swing, abs=1e-6)


@pytest.mark.parametrize("sequence", ["zyx", "xyz", "zxz", "yzy"])
def test_drives(sequence):
    """All six are told what to do; the pose is SciPy's, the torque Euler's."""
    m, joint = flyer(sequence)
    paths = (lambda t: 0.2 + 0.5 * t, lambda t: 0.6 + 0.3 * lw.sin(t), lambda t: 0.1 + 4.0 * t)
    angles = [getattr(joint, label) for label in joint.angles]
    for c, path in zip(angles, paths, strict=True):
        c.law(lw.Motion(path))
    for c in (joint.x, joint.y, joint.z):
        c.law(lw.Motion(lambda t: 0.3 * t))
    found = m.simulate(2, output=0.05)
    given = np.column_stack([0.2 + 0.5 * found.t, 0.6 + 0.3 * np.sin(found.t), 0.1 + 4 * found.t])
    w, x, y, z = (found[f"body.q{k}"] for k in range(4))
    away = Rotation.from_quat(np.column_stack([x, y, z, w])).inv() * Rotation.from_euler(sequence.upper(), given)
    assert away.magnitude().max() < 1e-7
    for c, expected in zip(angles, given.T, strict=True):
        assert found[c.name] == pytest.approx(expected, abs=1e-7)
    power = sum(found[f"{c.name}.power"] for c in angles)
    spin = np.gradient(found["energy.kinetic"], found.t)[2:-2]
    assert power[2:-2] == pytest.approx(spin, abs=2e-2)


def test_between_bodies_it_only_reads():
    """Beside a ball joint it adds nothing but names; a sensor and an event take them."""
    m = lw.Model("gauge", gravity=(0, 0, -G))
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.02))
    m.spherical("ball", m.ground.at(), arm.at(0, 0, 0.5))
    plain = m.simulate(1, output=0.1)
    gauge = m.free("gauge", m.ground.at(), arm.at(), sequence="xyz")
    gauge.roll.start(0.4)
    gauge.pitch.start(0.2)
    m.coordinate_sensor("sensor", gauge.pitch)
    assert m.check().degrees_of_freedom == 3
    found = m.simulate(1, output=0.1, rtol=1e-9)
    w, x, y, z = (found[f"arm.q{k}"] for k in range(4))
    expected = Rotation.from_quat(np.column_stack([x, y, z, w])).as_euler("XYZ")
    assert found["gauge.roll"] == pytest.approx(expected[:, 0], abs=1e-9)
    assert found["sensor.reading"] == pytest.approx(expected[:, 1], abs=1e-9)
    assert plain["arm.z"][0] == pytest.approx(-0.5)


def test_refusals():
    m, _ = flyer()
    with pytest.raises(lw.ModelError, match="sequence 'xxz'"):
        m.free("more", m.ground.at(), m["body"].at(), sequence="xxz")
    plane = lw.Model("plane")
    with pytest.raises(lw.ModelError, match="plane"):
        plane.free("more", plane.ground.at(), plane.body("b", mass=1, inertia=1).at())
    with pytest.raises(TypeError, match="sequence"):
        lw.rotation("zz", 0, 0, 0)


@pytest.mark.parametrize(
    ("sequence", "angles"),
    [("zyx", (0.3, 2.1, -0.4)), ("zyx", (0.3, -2.9, -0.4)), ("zyx", (0.3, 7.4, -0.4)), ("zxz", (0.3, -0.5, 1.0))],
)
def test_a_start_beyond_the_range_of_its_second_angle_is_told_with_the_same_orientation(sequence, angles):
    def model(angles):
        m = lw.Model("free", gravity=(0, 0, -9.81))
        joint = m.free("j", m.ground, m.body("b", mass=1.0, inertia=(1.0, 2.0, 3.0)), sequence=sequence)
        for label, x in zip(joint.angles, angles, strict=True):
            getattr(joint, label).start(x)
        return m, joint

    m, joint = model(angles)
    with pytest.raises(lw.LinkworkError, match=f"j.{joint.angles[1]}: .*never read.*the same orientation"):
        m.assemble()
    found = model(joint.same_angles(*angles))[0].assemble().placement.rotation["b"]
    np.testing.assert_allclose(found, np.array(ca.DM(lw.rotation(sequence, *angles).R)), atol=1e-14)
