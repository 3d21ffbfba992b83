"""Inverse dynamics: textbook formulas, the way back from simulations, too few and too many actuators."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import rotz, shift
from linkwork.examples import slider_crank, slider_crank_spatial


def arm(*efforts) -> lw.Model:
    """Two links of 1 and 0.8 m, with masses 1.5 and 2 kg in their middle; efforts at shoulder and elbow if given."""
    m = lw.Model("arm", gravity=(0, -9.81))
    upper, lower = m.body("upper", mass=1.5, inertia=0.2), m.body("lower", mass=2, inertia=0.15)
    S = m.revolute("S", m.ground.at(0, 0), upper.at(-0.5, 0))
    E = m.revolute("E", upper.at(0.5, 0), lower.at(-0.4, 0))
    for joint, effort in zip((S, E), efforts, strict=False):
        joint.angle.law(lw.Effort(effort))
    E.angle.law(lw.Damper(0.3))
    S.angle.start(0.4, rate=0.5)
    E.angle.start(0.8, rate=0)
    return m


def textbook(q1, q2, v1, v2, a1, a2):
    """Shoulder and elbow torques of the arm without its damper."""
    m1, m2, l1, c1, c2, I1, I2, g = 1.5, 2.0, 1.0, 0.5, 0.4, 0.2, 0.15, 9.81
    h = m2 * l1 * c2
    M11 = I1 + I2 + m1 * c1**2 + m2 * (l1**2 + c2**2) + 2 * h * np.cos(q2)
    M12 = I2 + m2 * c2**2 + h * np.cos(q2)
    gravity2 = m2 * g * c2 * np.cos(q1 + q2)
    gravity1 = (m1 * c1 + m2 * l1) * g * np.cos(q1) + gravity2
    first = M11 * a1 + M12 * a2 - h * np.sin(q2) * (2 * v1 * v2 + v2**2) + gravity1
    return first, M12 * a1 + (I2 + m2 * c2**2) * a2 + h * np.sin(q2) * v1**2 + gravity2


def test_arm_needs_the_torques_of_the_textbook():
    m = arm()
    drive = {m["S"].angle: lambda t: 0.4 + lw.sin(2 * t), "E.angle": lambda t: 0.8 + 0.5 * t**2}
    r = m.inverse_dynamics(drive, 2)
    t = r.t
    wanted = textbook(0.4 + np.sin(2 * t), 0.8 + 0.5 * t**2, 2 * np.cos(2 * t), t, -4 * np.sin(2 * t), np.ones_like(t))
    assert np.allclose(r["S.angle.actuator"], wanted[0], rtol=0, atol=1e-11)
    assert np.allclose(r["E.angle.actuator"], wanted[1] + 0.3 * t, rtol=0, atol=1e-11)
    assert np.allclose(r["E.angle.effort"], wanted[1], rtol=0, atol=1e-11)  # the damper takes part
    assert np.allclose(r["E.angle.power"], r["E.angle.effort"] * t, atol=1e-11)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-7
    assert r.unit("S.angle.actuator") == "N·m"
    assert r.record["actuators"] == ["S.angle", "E.angle"]


def test_tables_are_splines():
    times = np.linspace(0, 2, 401)
    table = {"S.angle": (times, 0.4 + np.sin(2 * times)), "E.angle": (times, 0.8 + 0.5 * times**2)}
    r = arm().inverse_dynamics(table)
    t = r.t
    wanted, _ = textbook(0.4 + np.sin(2 * t), 0.8 + 0.5 * t**2, 2 * np.cos(2 * t), t, -4 * np.sin(2 * t), 1.0)
    assert np.allclose(
        r["S.angle.actuator"], wanted, atol=1e-3
    )  # accelerations of a spline: h²/12 of the 4th derivative


def test_efforts_of_a_simulation_are_found_again():
    """With tolerances of 1e-10 as well as of 1e-5: the motion has its own accelerations, nothing is differentiated."""
    efforts = (lambda t: 20 + 3 * lw.sin(5 * t), lambda t: 2 * lw.cos(4 * t))
    for rtol in (1e-10, 1e-5):
        s = arm(*efforts).simulate(2, rtol=rtol)
        r = arm().inverse_dynamics(s)
        assert np.allclose(r["S.angle.actuator"], 20 + 3 * np.sin(5 * r.t), rtol=0, atol=1e-9)
        assert np.allclose(r["E.angle.actuator"], 2 * np.cos(4 * r.t), rtol=0, atol=1e-9)
        for channel in ("S.reaction.fx", "E.reaction.fy", "lower.ax"):
            assert np.allclose(r[channel], s[channel], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("example", "formulation"),
    [(slider_crank, "points"), (slider_crank, "minimal"), (slider_crank_spatial, "absolute")],
    ids=["points", "minimal", "redundant in space"],
)
def test_torque_on_a_loop_is_found_again(example, formulation):
    """Redundant constraints leave their reactions open, not the torque."""
    s = example.model().simulate(1, formulation=formulation, output=0.02)
    m = example.model()
    m["O"].angle.law(lw.Free()).law(lw.Damper(2))
    r = m.inverse_dynamics(s)
    assert np.allclose(r["O.angle.actuator"], 10, rtol=0, atol=1e-6)
    assert np.allclose(r["O.angle.effort"], 10 - 2 * s["O.angle.rate"], atol=1e-6)
    assert bool(r.record.get("undetermined reactions")) == (example is slider_crank_spatial)
    if example is slider_crank:
        assert np.allclose(r["B.reaction.fy"], s["B.reaction.fy"], atol=1e-6)


def test_squeezer_gives_its_torque_back(example):
    m = example("squeezer")
    s = m.simulate(0.01, rtol=1e-9, output=2e-4)
    r = m.inverse_dynamics(s, parameters={"torque": 0.0})
    assert np.allclose(r["O.angle.actuator"], 0.033, rtol=0, atol=1e-9)


def test_a_result_without_accelerations_is_differentiated():
    s = arm(lambda t: 20 + 3 * lw.sin(5 * t), 0).simulate(1, rtol=1e-10, atol=1e-12, output=1e-3)
    kept = [c for c in s.channels if c.name.split(".")[-1] not in ("ax", "ay", "alphaz")]
    shorter = lw.Result(s.t, np.column_stack([s[c.name] for c in kept]), kept)
    r = arm().inverse_dynamics(shorter)
    assert "differentiated" in r.record["motion"]
    assert np.allclose(r["S.angle.actuator"], 20 + 3 * np.sin(5 * r.t), atol=1e-5)


def test_servos_report_what_they_report_in_a_simulation(example):
    m = example("four_bar")
    s, r = m.simulate(1, rtol=1e-10, atol=1e-12, output=0.01), m.inverse_dynamics(None, 1, output=0.01)
    for channel in ("A.angle.effort", "B.reaction.fx", "D.reaction.fy", "energy.supplied"):
        assert np.allclose(r[channel], s[channel], atol=1e-6), channel
    assert r.record["actuators"] == []


def test_generalised_coordinates_carry_efforts():
    k = lw.Kinematics("pendulum", coordinates=1)
    k.body("bob", rotz(k.q[0]) @ shift(0, -1), mass=2, inertia=(0.1, 0.2, 0.1))
    r = k.inverse_dynamics({"q0": lambda t: 0.3 * lw.sin(2 * t)}, 2)
    t = r.t
    torque = 2.1 * (-1.2 * np.sin(2 * t)) + 2 * 9.81 * np.sin(0.3 * np.sin(2 * t))
    assert np.allclose(r["q0.actuator"], torque, rtol=0, atol=1e-11)
    assert np.allclose(k.inverse_dynamics(k.start(1.0).simulate(1))["q0.actuator"], 0, atol=1e-9)


def test_pressures_of_a_simulation_are_kept():
    """First-order states of a result are taken as they are; nothing is left for an actuator."""
    from linkwork.examples import hydraulic_jack

    s = hydraulic_jack.model().simulate(0.1, solver="radau", output=1e-3)
    r = hydraulic_jack.model().inverse_dynamics(s)
    assert np.array_equal(r["head.pressure"], s["head.pressure"])
    assert np.allclose(r["P.slide.actuator"], 0, atol=1e-6)  # N, of 1e4


def test_compliant_joints_give_way_in_the_motion():
    def model():
        m = arm()
        m["E"].enforce("compliant", error=1e-4)
        return m

    s = model().simulate(0.2, output=0.01)
    assert s["residual.position"].max() > 1e-6
    r = model().inverse_dynamics(s)
    assert np.allclose(r["S.angle.actuator"], 0, atol=1e-6)
    assert arm().inverse_dynamics({"S.angle": 0.4, "E.angle": 0.8}, 1).record.get("taken as ideal") is None
    assert model().inverse_dynamics({"S.angle": 0.4, "E.angle": 0.8}, 1).record["taken as ideal"] == ["E"]


def test_another_coordinate_may_carry_the_effort(example):
    """The power is the same wherever the mechanism is pushed."""
    m, drive = example("slider_crank"), {"O.angle": lambda t: 0.3 + t}
    crank, piston = (m.inverse_dynamics(drive, 1, actuators=[x]) for x in ("O.angle", m["P"].slide))
    assert np.allclose(
        crank["O.angle.actuator"] * crank["O.angle.rate"], piston["P.slide.actuator"] * piston["P.slide.rate"]
    )


def test_too_many_actuators_share_by_least_norm(example):
    m, drive = example("slider_crank"), {"O.angle": lambda t: 0.3 + t}
    one = m.inverse_dynamics(drive, 1)["O.angle.actuator"]
    r = m.inverse_dynamics(drive, 1, actuators=["O.angle", "P.slide"])
    ratio = r["P.slide.rate"] / r["O.angle.rate"]
    assert np.allclose(r["O.angle.actuator"] + ratio * r["P.slide.actuator"], one)  # the same power
    assert np.allclose(r["P.slide.actuator"], ratio * r["O.angle.actuator"])  # τ along S: no smaller pair exists
    assert "least norm" in r.record["note"]


def test_a_freedom_without_actuator_is_named():
    drive = {"S.angle": lambda t: t, "E.angle": lambda t: 0.8 + t}
    with pytest.raises(lw.ModelError, match=r"E.angle: no actuator moves this freedom.*actuators: S.angle"):
        arm().inverse_dynamics(drive, 1, actuators=["S.angle"])


def test_a_freedom_that_needs_no_actuator_may_go_without():
    """The elbow swings by itself in a simulation where it is free."""
    r = arm().inverse_dynamics(arm(lambda t: 20 + t).simulate(1), actuators=["S.angle"])
    assert np.allclose(r["S.angle.actuator"], 20 + r.t, atol=1e-9)


def test_a_dead_centre_keeps_the_forces_so_far(example):
    with pytest.raises(lw.IntegrationError, match="beyond t = 0.4 s") as caught:
        example("slider_crank").inverse_dynamics({"P.slide": lambda t: 1 + 0.5 * t}, 1, output=0.1)
    assert np.allclose(caught.value.partial.t, [0, 0.1, 0.2, 0.3])
    assert np.all(np.isfinite(caught.value.partial["P.slide.actuator"]))
    with pytest.raises(lw.IntegrationError, match="The 0 samples before") as caught:
        example("slider_crank").inverse_dynamics({"P.slide": lambda t: 1 + 0.5 * t}, output=np.array([0.5]))
    assert caught.value.partial.t.size == 0


def test_a_motion_of_another_mechanism_is_refused(example):
    s = slider_crank.model().simulate(0.1)
    m = lw.Model("longer", gravity=(0, -9.81))
    crank, rod, piston = (m.body(name, mass=1, inertia=1) for name in ("crank", "rod", "piston"))
    m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.6, 0))
    m.revolute("B", rod.at(0.6, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    with pytest.raises(lw.ModelError, match=r"the motion does not fit this joint: it is off by 0\.\d+ at t = "):
        m.inverse_dynamics(s)
    with pytest.raises(lw.ModelError, match="upper.x: the result does not hold its position"):
        arm().inverse_dynamics(s)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"actuators": ["O.angel"]}, "no coordinate named 'O.angel'. Did you mean 'O.angle'"),
        ({"actuators": ["O.angle", "O.angle"]}, "O.angle: is actuated twice"),
        ({"actuators": ["O.angle.rate"]}, "O.angle.rate: cannot be actuated"),
    ],
)
def test_bad_actuators_are_named(options, message, example):
    with pytest.raises(lw.LinkworkError, match=message):
        example("slider_crank").inverse_dynamics({"O.angle": lambda t: 0.3 + t}, 1, **options)


def test_a_servo_is_no_actuator(example):
    with pytest.raises(lw.ModelError, match="A.angle: has a motion law"):
        example("four_bar").inverse_dynamics(None, 1, actuators=["A.angle"])


def test_a_result_has_its_own_times(example):
    s = example("slider_crank").simulate(0.1)
    with pytest.raises(lw.ModelError, match="a Result has times of its own"):
        example("slider_crank").inverse_dynamics(s, 0.1)
