"""Kinematics: closed forms of loops, tables and functions, drives at any level, and what cannot be driven."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import rotz, shift

from ..arm_and_shaper import arm, shaper


def two_link_arm() -> lw.Model:
    m = lw.Model("arm", gravity=(0, -9.81))
    upper, lower = m.rod("upper", length=1.0, mass=1), m.rod("lower", length=0.8, mass=2)
    m.revolute("S", m.ground.at(0, 0), upper.at(-0.5, 0)).angle.start(0.2)
    m.revolute("E", upper.at(0.5, 0), lower.at(-0.4, 0)).angle.start(1.2)
    m.point("tip", lower.at(0.4, 0))
    return m


def parallelogram(angle: float) -> lw.Model:
    m = lw.Model("parallelogram", gravity=(0, -9.81))
    a, b, c = (m.rod(name, length=length, mass=1) for name, length in (("a", 0.2), ("b", 0.6), ("c", 0.2)))
    A = m.revolute("A", m.ground.at(0, 0), a.at(-0.1, 0))
    m.revolute("B", a.at(0.1, 0), b.at(-0.3, 0))
    m.revolute("C", b.at(0.3, 0), c.at(0.1, 0))
    m.revolute("D", m.ground.at(0.6, 0), c.at(-0.1, 0))
    A.angle.start(angle)
    c.start(position=(0.6 + 0.1 * np.cos(angle), 0.1 * np.sin(angle)), angle=angle)
    return m


def piston(angle, rate, acceleration):
    """x, v, a of a piston on a crank of 0.2 m and a rod of 1 m."""
    s = np.sqrt(1 - (0.2 * np.sin(angle)) ** 2)
    first = -0.2 * np.sin(angle) - 0.02 * np.sin(2 * angle) / s
    second = -0.2 * np.cos(angle) - 0.04 * np.cos(2 * angle) / s - (0.02 * np.sin(2 * angle)) ** 2 / s**3
    return 0.2 * np.cos(angle) + s, first * rate, second * rate**2 + first * acceleration


@pytest.mark.parametrize("name", ["slider_crank", "slider_crank_spatial"])
def test_slider_crank_follows_its_closed_form(name, example):
    """In space its joints hold three directions twice."""
    r = example(name).kinematics(5, output=0.05, drive={"O.angle": lambda t: 0.3 + 10 * t + 0.2 * lw.sin(7 * t)})
    t = r.t
    wanted = piston(0.3 + 10 * t + 0.2 * np.sin(7 * t), 10 + 1.4 * np.cos(7 * t), -9.8 * np.sin(7 * t))
    for channel, values in zip(("piston.x", "piston.vx", "piston.ax"), wanted, strict=True):
        assert np.allclose(r[channel], values, rtol=0, atol=1e-10), channel
    assert r["O.angle"][-1] == pytest.approx(50.3 + 0.2 * np.sin(35), abs=1e-10)  # eight turns
    assert r["residual.position"].max() < 1e-11


def test_four_bar_meets_freudenstein(example):
    r = example("four_bar").kinematics(4)  # its crank has a motion law
    a, b, c, d = 0.2, 0.6, 0.4, 0.6
    crank, lever = r["A.angle"], r["D.angle"]
    K3 = (a * a - b * b + c * c + d * d) / (2 * a * c)
    assert np.allclose(d / a * np.cos(lever) - d / c * np.cos(crank) + K3, np.cos(crank - lever), rtol=0, atol=1e-11)
    assert np.allclose(np.gradient(lever, r.t)[1:-1], r["D.angle.rate"][1:-1], atol=1e-3)
    assert lever.min() > 0  # the branch it started on


def test_rssr_meets_the_length_of_its_rod(example):
    """One freedom, the spin of the rod, is idle: it is driven too. The rocker's tip stays at the rod's length."""
    r = example("rssr").kinematics(0.5, drive={"R1.angle": lambda t: 15 * t, "S1.rx": 0.0})
    crank, rocker = r["R1.angle"], r["R2.angle"]
    wrist = np.array([0.1 * np.cos(crank), 0.1 * np.sin(crank), 0 * crank])
    tip = np.array([0.4 + 0 * crank, 0.3 - 0.3 * np.sin(rocker), 0.3 * np.cos(rocker)])
    length = np.linalg.norm([0.3, 0.3, 0.3])
    assert np.allclose(np.linalg.norm(tip - wrist, axis=0), length, rtol=0, atol=1e-12)
    rate = 0.3 * np.array([0 * rocker, -np.cos(rocker), -np.sin(rocker)]) * r["R2.angle.rate"]
    speed = 1.5 * np.array([-np.sin(crank), np.cos(crank), 0 * crank])
    assert np.allclose(np.sum((tip - wrist) * (rate - speed), axis=0), 0, atol=1e-12)


def test_squeezer_repeats_what_it_did_when_simulated(example):
    """Its crank is driven along a spline through a simulated motion; the other six bodies must follow."""
    s = example("squeezer").simulate(0.01, rtol=1e-10, atol=1e-12, output=2e-5)
    r = example("squeezer").kinematics(drive={"O.angle": (s.t, s["O.angle"])}, output=4e-5)
    for name in ("K3.angle", "K5.angle", "K7.angle"):
        assert np.allclose(r[name], s[name][::2], atol=1e-7), name


def test_few_samples_count_all_turns(example):
    r = example("slider_crank").kinematics(drive={"O.angle": lambda t: 0.3 + 10 * t}, output=np.array([1.0, 4.0]))
    assert np.allclose(r["O.angle"], [10.3, 40.3])
    assert np.allclose(r["A.angle"], -r["O.angle"] - np.arcsin(0.2 * np.sin(r["O.angle"])))


def test_ten_thousand_samples_are_the_same_motion(example):
    drive = {"O.angle": lambda t: 0.3 + 3 * t}
    few = example("slider_crank").kinematics(1, drive=drive, output=0.1)
    many = example("slider_crank").kinematics(1, drive=drive, output=1e-4)
    assert many.t.size == 10_001
    for name in few:
        tolerance = 1e-7 if name == "energy.dissipated" else 1e-10  # work is summed up between samples
        assert np.allclose(many[name][::1000], few[name], rtol=0, atol=tolerance), name


@pytest.mark.parametrize(
    "law",
    [
        lw.Motion(lambda t: 0.3 + 2 * t + lw.sin(t)),
        lw.Motion(speed=lambda t: 2 + lw.cos(t)),
        lw.Motion(acceleration=lambda t: -lw.sin(t)),
    ],
    ids=["displacement", "speed", "acceleration"],
)
def test_motion_laws_are_drives_at_every_level(law):
    from linkwork.examples import slider_crank

    m = slider_crank.model()
    m["O"].angle.law(law).start(0.3, rate=3)
    r = m.kinematics(2, output=0.05)
    t = r.t
    angle = 0.3 + 2 * t + np.sin(t)
    assert np.allclose(r["O.angle"], angle, rtol=0, atol=1e-9)
    x, v, a = piston(angle, 2 + np.cos(t), -np.sin(t))
    assert np.allclose(r["piston.x"], x, atol=1e-9)
    assert np.allclose(r["piston.vx"], v, atol=1e-9)
    assert np.allclose(r["piston.ax"], a, atol=1e-8)
    assert r.record["drives"] == ["O.angle"]
    assert "O.angle.effort" in r.record["left out"]


def test_the_hand_can_be_driven_along_a_path():
    """Inverse kinematics: a point instead of joints."""
    drive = {"tip.x": lambda t: 1.0 + 0.3 * lw.cos(t), "tip.y": lambda t: 0.4 + 0.3 * lw.sin(t)}
    r = two_link_arm().kinematics(2 * np.pi, drive=drive)
    upper, lower = r["S.angle"], r["S.angle"] + r["E.angle"]
    assert np.allclose(np.cos(upper) + 0.8 * np.cos(lower), 1.0 + 0.3 * np.cos(r.t), atol=1e-12)
    assert np.allclose(np.sin(upper) + 0.8 * np.sin(lower), 0.4 + 0.3 * np.sin(r.t), atol=1e-12)
    assert r["S.angle"][-1] == pytest.approx(r["S.angle"][0], abs=1e-12)


def test_generalised_coordinates_are_driven_by_name_or_object():
    k = lw.Kinematics("pendulum", coordinates=1)
    k.body("bob", rotz(k.q[0]) @ shift(0, -1), mass=2, inertia=(0.1, 0.2, 0.1))
    by_name, by_object = (k.kinematics(1, drive={c: lambda t: t**2}) for c in ("q0", k["q0"]))
    assert np.allclose(by_name["bob.x"], np.sin(by_name.t**2), atol=1e-12)
    assert np.array_equal(by_name.data, by_object.data)


def test_pressures_follow_a_driven_cylinder():
    """First-order states are integrated along the motion."""
    from scipy.integrate import solve_ivp

    from linkwork.examples import hydraulic_jack

    r = hydraulic_jack.model().kinematics(0.03, drive={"P.slide": lambda t: 0.05 * (1 - lw.cos(20 * t))}, output=2e-4)

    def flow(drop):
        return 0.611 * 1e-5 * np.sqrt(2 / 860) * drop / (drop**2 + 100.0**2) ** 0.25

    def rates(t, p):
        x, v, supply = 0.05 * (1 - np.cos(20 * t)), np.sin(20 * t), min(10 + 90 * t / 0.01, 100) * 1e5
        head = 2e8 / (1e-4 + 1e-3 * x) * (flow(supply - p[0]) - 1e-3 * v)
        return [head, 2e8 / (3e-4 - 5e-4 * x) * (flow(1e6 - p[1]) + 5e-4 * v)]

    own = solve_ivp(rates, (0, r.t[-1]), [1e6, 1e6], "Radau", t_eval=r.t, rtol=1e-9, atol=1e-3, max_step=1e-3)
    assert np.allclose(r["head.pressure"], own.y[0], atol=2.0)  # Pa, of 1e7
    assert np.allclose(r["rod.pressure"], own.y[1], atol=2.0)


def test_a_start_elsewhere_is_approached_on_the_branch(example):
    """The model starts at 0.3 rad, the drive at 2 rad with eight turns more to come."""
    r = example("slider_crank").kinematics(1, drive={"O.angle": lambda t: 2 + t})
    assert np.allclose(r["piston.x"], piston(2 + r.t, 1, 0)[0], atol=1e-12)


def test_a_singular_position_is_passed_on_the_same_branch():
    """A flat parallelogram could become a bow tie; it does not, though a sample lies on the point itself."""
    r = parallelogram(0.5).kinematics(2, drive={"A.angle": lambda t: 0.5 + (np.pi - 0.5) * t}, output=0.001)
    assert r.t[1000] == pytest.approx(1.0)  # flat
    assert np.allclose(r["b.angle"], 0, atol=1e-10)
    assert np.allclose(r["D.angle.rate"], np.pi - 0.5, atol=1e-6)


def test_a_dead_centre_is_passed_where_the_drive_allows_it(example):
    """The piston moves as a turning crank would move it, and so the crank turns."""

    def path(t):
        return 0.2 * lw.cos(2 * t + 0.3) + lw.sqrt(1 - (0.2 * lw.sin(2 * t + 0.3)) ** 2)

    r = example("slider_crank").kinematics(2, drive={"P.slide": path})
    assert np.allclose(r["O.angle"], 0.3 + 2 * r.t, atol=1e-9)


def test_parameters_and_constant_inputs_are_heard():
    m = lw.Model("gears", gravity=(0, 0))
    ratio, u = m.parameter("ratio", 2.0), m.input("u")
    first, second = (m.body(name, mass=1, inertia=1) for name in ("first", "second"))
    a = m.revolute("a", m.ground.at(0, 0), first.at(0, 0))
    b = m.revolute("b", m.ground.at(1, 0), second.at(0, 0))
    m.gear("G", a.angle, b.angle, ratio=ratio, phase=u)
    r = m.kinematics(1, drive={"a.angle": lambda t: ratio * t}, parameters={"ratio": 3.0}, inputs={"u": 0.1})
    assert np.allclose(r["b.angle"], 9 * r.t + 0.1, atol=1e-12)
    r = m.kinematics(1, drive={"a.angle": lambda t: t}, inputs={"u": lambda t: t**2})
    assert np.allclose(r["b.angle"], 2 * r.t + r.t**2, atol=1e-12)
    assert np.allclose(r["b.angle.rate"], 2 + 2 * r.t, atol=1e-12)
    with pytest.raises(lw.ModelError, match=r"u: .*moves G.*, which needs its acceleration; a plain Python function"):
        m.kinematics(1, drive={"a.angle": lambda t: t}, inputs={"u": lambda t: float(t)})


# What cannot be driven ------------------------------------------------------------------------------------------------


def test_out_of_reach_keeps_what_was_reached(example):
    with pytest.raises(lw.IntegrationError, match=r"P.slide: .* beyond t = 0.4 s: a dead centre") as caught:
        example("slider_crank").kinematics(1, drive={"P.slide": lambda t: 1 + 0.5 * t}, output=0.01)
    partial = caught.value.partial
    assert partial.record["status"] == "failed"
    assert np.allclose(partial.t, np.arange(40) * 0.01)
    assert np.allclose(partial["piston.x"], 1 + 0.5 * partial.t, atol=1e-12)


def test_undriven_freedoms_are_counted_and_candidates_named(example):
    with pytest.raises(lw.ModelError, match=r"1 degree of freedom is not driven .* Drive O.angle too \(or A.angle"):
        example("slider_crank").kinematics(1)
    with pytest.raises(lw.ModelError, match=r"2 degrees of freedom are not driven .* Drive S.angle, E.angle too"):
        two_link_arm().kinematics(1)


def test_what_is_driven_twice_is_named(example):
    drive = {"O.angle": lambda t: 0.3 + t, "P.slide": lambda t: 1 + t}
    with pytest.raises(lw.ModelError, match=r"P.slide: cannot be driven .* the drives of O.angle leave it no freedom"):
        example("slider_crank").kinematics(1, drive=drive)
    with pytest.raises(lw.ModelError, match="A.angle: is driven twice"):
        example("four_bar").kinematics(1, drive={"A.angle": 1.0})


def test_a_singular_start_is_no_lack_of_drives():
    with pytest.raises(lw.ModelError, match="is singular: branches of the motion meet"):
        parallelogram(0.0).kinematics(1, drive={"A.angle": lambda t: t})


def test_a_start_out_of_reach_says_how_far_it_gets(example):
    with pytest.raises(lw.AssemblyError, match=r"P.slide = 3 \(it gets to 1.2\)"):
        example("slider_crank").kinematics(1, drive={"P.slide": 3.0})


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        ({"O.angel": 0.0}, r"no coordinate named 'O.angel'. Did you mean 'O.angle'"),
        ({"O.angle.rate": 1.0}, r"O.angle.rate: cannot be driven: it is not a position"),
        ({"O.reaction.fx": 1.0}, r"O.reaction.fx: cannot be driven"),
        ({3: 1.0}, r"3 cannot be driven"),
        ({"O.angle": "fast"}, r"O.angle: cannot be driven by 'fast'"),
        ({"O.angle": lambda t: t if t > 1 else 0}, r"O.angle: its drive failed"),
        ({"O.angle": lambda t: float("nan")}, r"O.angle: its drive gives no finite number"),
        ({"O.angle": lambda t: lw.sqrt(t)}, r"O.angle: its drive gives no finite number at t = 0 s"),
        ({"O.angle": ([0, 1], [0, 1])}, r"O.angle: this table cannot drive it"),
        ({"O.angle": ([0, 2, 1, 3], [0, 1, 2, 3])}, r"O.angle: this table cannot drive it"),
        ({"O.angle": (np.linspace(0, 0.5, 9), np.linspace(0.3, 1, 9))}, r"its table ends at 0.5 s"),
        (["O.angle"], r"names no coordinates"),
    ],
)
def test_bad_drives_are_named(drive, message, example):
    with pytest.raises(lw.LinkworkError, match=message):
        example("slider_crank").kinematics(1, drive=drive)


def test_a_duration_is_needed(example):
    with pytest.raises(lw.ModelError, match="no duration"):
        example("slider_crank").kinematics(drive={"O.angle": lambda t: t})


def test_a_coordinate_of_another_model_is_refused(example):
    with pytest.raises(lw.ModelError, match="belongs to another model"):
        example("slider_crank").kinematics(1, drive={two_link_arm()["S"].angle: 0.0})


def test_a_record_says_what_is_missing_and_why(example):
    r = example("slider_crank").kinematics(1, drive={"O.angle": lambda t: 0.3 + t})
    assert {"O.reaction.fx", "O.multiplier1", "energy.supplied"} <= set(r.record["left out"])
    assert "constraint forces" in r.record["note"]
    assert "energy drift" not in str(r)
    assert r["energy.dissipated"][-1] == pytest.approx(2.0 + 5 * np.trapezoid(r["P.slide.rate"] ** 2, r.t), rel=1e-5)


def test_a_large_linkage_is_solved_sparsely():
    """Twenty-one parallel levers of a ladder, 123 speeds: they stay parallel."""
    from linkwork.examples import n_four_bar

    m = n_four_bar.model(20)
    r = m.kinematics(1, drive={"g0.angle": lambda t: np.pi / 2 - t}, output=0.25)
    for k in range(1, 21):
        assert np.allclose(r[f"g{k}.angle"], np.pi / 2 - r.t, rtol=0, atol=1e-10)
        assert np.allclose(r[f"g{k}.angle.rate"], -1, rtol=0, atol=1e-10)


def test_a_start_that_a_speed_law_goes_on_from_is_kept() -> None:
    """The mechanism is led to where the other drive begins, but not by turning the joint whose start was given."""
    m, E = arm()
    r = m.kinematics(2, drive={E.angle: 0.3})
    np.testing.assert_allclose(r["S.angle"], 0.1 + r.t + 0.2 * np.sin(r.t), atol=1e-9)
    np.testing.assert_allclose(r["E.angle"], 0.3, atol=1e-12)


def test_energy_of_a_driven_motion_without_a_false_drift() -> None:
    """Total energy is told; its change is no error, as what the drives supply is not known."""
    r = shaper().kinematics(1, drive={"O.angle": lambda t: 0.2 + 3 * t})
    np.testing.assert_allclose(r["energy.total"], r["energy.kinetic"] + r["energy.potential"])
    assert np.ptp(r["energy.total"]) > 0.1 and "energy drift" not in str(r)
