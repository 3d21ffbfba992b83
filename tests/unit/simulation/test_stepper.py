"""`m.stepper(dt)`: the same numbers as `simulate`, whatever happens on the way."""

import math
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.interruptions.settling import Settling


def pendulum():
    m = lw.Model("pendulum")
    rod = m.body("rod", mass=m.parameter("mass", 1.0), inertia=0.1)
    O = m.revolute("O", m.ground.at(0, 0), rod.at(0, 0.5))
    O.angle.law(lw.Effort(m.input("torque", unit="N·m")))
    O.angle.law(lw.Damper(m.parameter("damping", 0.1)))
    O.angle.start(m.parameter("turn", 0.3))
    return m


def bounce():
    m = lw.Model("bounce")
    ball = m.body("ball", mass=2, inertia=0.008).start(position=(0, 0.4))
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.6)
    return m


def belt():
    m = lw.Model("belt")
    drum = m.body("belt", mass=1, inertia=1)
    m.prismatic("drum", m.ground.at(), drum.at()).slide.law(lw.Motion(speed=0.1))
    block = m.body("block", mass=1, inertia=0.01).start(position=(0, 0), velocity=(0.1, 0))
    m.rigid_contact("feet", block, drum, friction=0.3, static=0.4)
    m.spring("spring", m.ground.at(-1, 0), block, stiffness=100, length=1)
    return m


def servo():
    m = lw.Model("servo", gravity=(0, 0))
    O = m.revolute("O", m.ground, m.body("arm", mass=1, inertia=0.02).at())
    angle = m.coordinate_sensor("angle", O.angle)
    pd = m.sampled("pd", angle, period=0.03, memory=[0.0], law=lambda x, last: (2 * (1 - x) - 10 * (x - last), x))
    m.shaft_torque("drive", pd, O.angle)
    return m


def stepped_force():
    m = lw.Model("stepped", gravity=(0, 0))
    P = m.prismatic("P", m.ground.at(), m.body("cart", mass=1, inertia=1).at())
    force = lw.Table([0, 0.1, 0.25, 0.333, 2], [0, 2, -1, 4, 0], "hold")
    P.slide.law(lw.Effort(lambda t, x, v: force(t) - x + lw.if_else(t > 0.2, 1, 0)))
    return m


def switched():
    m = lw.Model("switched")
    G = m.earth("G")
    S = m.voltage_source("S", n=G, voltage=10.0)
    K = m.switch("K", S.p, closed=lambda t: lw.if_else(t > 0.25, 1.0, 0.0), on=0.1)
    L = m.inductor("L", K.n, inductance=0.1)
    m.resistor("R", L.n, G, resistance=2.0)
    return m


def with_events():
    m = pendulum()
    m.event("lowest", lambda angle: angle, m["O"].angle)
    m.event("kink", lambda angle: angle + 0.1, m["O"].angle, action="restart")
    return m


def compared(m, dt, steps, error, **options):
    """Step by step and at once; every channel, next to the largest of its unit."""
    again = {"step": dt} if options.get("solver") == "rk4" else {}
    r = m.simulate((steps + 2) * dt, output=dt, **options, **again)  # goes on: at its end it would look back
    s = m.stepper(dt, **options)
    events = list(s.events)
    for k in range(steps + 1):
        if k:
            s.step()
            events += s.events
        at = int(np.flatnonzero(np.abs(r.t - s.t) < 1e-12)[-1])
        for channel in s.channels:
            size = max(np.abs(r[c.name]).max() for c in s.channels if c.unit == channel.unit)
            assert s[channel.name] == pytest.approx(r[channel.name][at], abs=error * size), (channel.name, s.t)
    assert s.t == steps * dt
    wanted = [e for e in r.events if e[0] <= s.t and e[1] != "table"]
    assert [name for _, name in events] == [name for _, name in wanted]
    assert [t for t, _ in events] == pytest.approx([t for t, _ in wanted], abs=1e-6)
    return s


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("solver", ["dopri5", "dop853", "radau", "rk4"])
def test_it_is_what_simulate_gives(formulation, solver):
    error = 0.0 if solver == "rk4" else 3e-7
    compared(pendulum(), 0.02, 20, error, formulation=formulation, solver=solver)


@pytest.mark.parametrize("build", [bounce, belt, servo, stepped_force, switched, with_events])
def test_what_interrupts_a_run_interrupts_it_too(build):
    compared(build(), 0.01, 50, 2e-6)


def test_a_new_partition_of_the_speeds():
    from linkwork.examples import slider_crank

    m = slider_crank.model()
    s = compared(m, 0.05, 40, 1e-5, formulation="minimal", independent=["P.slide"])
    assert s._course.ready is not s._course.setting.ready


def test_inputs_hold_from_the_step_on():
    m = pendulum()
    s, values = m.stepper(0.1), [1.0, -2.0, -2.0, 0.5]
    for value in values:
        s.step(torque=value)
        assert s.inputs == {"torque": value}
    drive = lw.Table([0, 0.1, 0.3, 1], [1.0, -2.0, 0.5, 0.5], "hold")
    r = m.simulate(0.4, inputs={"torque": drive})
    assert s["O.angle"] == pytest.approx(r["O.angle"][-1], abs=1e-8)
    assert s["energy.supplied"] == pytest.approx(r["energy.supplied"][-1], abs=1e-8)


def test_parameters_hold_from_the_step_on():
    m = pendulum()
    s = m.stepper(0.1)
    s.step(2)
    s.set(damping=5.0)
    s.step(2, mass=2.0)
    slow = m.simulate(0.2)
    t = m.stepper(0.1, parameters={"damping": 5.0, "mass": 2.0, "turn": slow["O.angle"][-1]})
    m["O"].angle.start(slow["O.angle"][-1], rate=slow["O.angle.rate"][-1])
    t.reset()
    t.step(2)
    assert s["O.angle"] == pytest.approx(t["O.angle"], abs=1e-8)
    assert s.parameters["damping"] == 5.0


def test_inputs_change_what_sticks():
    m = lw.Model("crate")
    crate = m.body("crate", mass=1, inertia=1).start(position=(0, 0))
    m.rigid_contact("floor", crate, friction=0.5)
    m.force("F", crate, (m.input("push"), 0))
    s = m.stepper(0.01)
    s.step(10, push=4.0)
    assert s["crate.x"] == pytest.approx(0, abs=1e-12)
    s.step(push=6.0)
    assert s.events == [(pytest.approx(0.1), "floor slips")]
    s.step(9)
    assert s["crate.x"] == pytest.approx(0.5 * (6 - 0.5 * 9.81) * 0.1**2, rel=1e-9)


def test_inputs_change_what_equations_determine():
    m = lw.Model("divider")
    G = m.earth("G")
    S = m.voltage_source("S", n=G, voltage=m.input("u", 1.0))
    D = m.diode("D", S.p)
    m.resistor("R", D.n, G, resistance=100.0)
    s = m.stepper(0.1)
    for u in (1.0, 5.0, -5.0, 2.0):
        s.step(u=u)
        (now,) = [m.simulate(0.1, inputs={"u": u})["R.p.i"][-1]]
        assert s["R.p.i"] == pytest.approx(now, abs=1e-9)


@pytest.mark.parametrize("build", [pendulum, bounce, belt, servo, stepped_force])
def test_what_follows_a_saved_moment_is_the_same_to_the_last_bit(build):
    m = build()
    s = m.stepper(0.01)
    s.step(23)
    saved = s.save()

    def onwards():
        rows = []
        for k in range(30):
            s.step(**({"torque": math.sin(k)} if "torque" in m.inputs else {}))
            rows.append([s.t, *s.state, *(s[c.name] for c in s.channels)])
        return np.array(rows)

    first = onwards()
    s.restore(saved)
    np.testing.assert_array_equal(onwards(), first)
    s.reset()
    s.step(5)
    s.restore(saved)
    np.testing.assert_array_equal(onwards(), first)


def test_reset_begins_again():
    m = pendulum()
    s = m.stepper(0.01, parameters={"turn": 0.5})
    start = s.state
    assert s["O.angle"] == pytest.approx(0.5)
    s.step(7, torque=3.0)
    s.reset()
    assert s.t == 0 and np.array_equal(s.state, start) and s.inputs == {"torque": 0}
    s.reset(parameters={"turn": 1.0}, inputs={"torque": 2.0})
    assert s["O.angle"] == pytest.approx(1.0) and s.inputs == {"torque": 2}
    s.reset(start=m.equilibrium())
    s.step()
    assert s["O.angle"] == pytest.approx(0, abs=1e-9)


def test_signals_drive_what_steps_do_not():
    m = pendulum()
    s = m.stepper(0.01, inputs={"torque": lambda t: lw.sin(20 * t)})
    r = m.simulate(0.3, inputs={"torque": lambda t: lw.sin(20 * t)})
    s.step(30)
    assert s["O.angle"] == pytest.approx(r["O.angle"][-1], abs=1e-8)
    with pytest.raises(lw.ModelError, match="torque: a signal drives it"):
        s.step(torque=1.0)


def test_corners_beyond_what_was_looked_at_first():
    m = lw.Model("late", gravity=(0, 0))
    P = m.prismatic("P", m.ground.at(), m.body("cart", mass=1, inertia=1).at())
    late = m.parameter("late", 1.2345)
    P.slide.law(lw.Effort(lambda t, x, v: lw.if_else(t > late, 1.0, 0.0)))
    s = m.stepper(1e-3, solver="rk4")
    s.step(2000)
    assert s["P.slide"] == pytest.approx(0.5 * (2 - 1.2345) ** 2, rel=1e-9)
    s.reset()
    s.step(100)
    s.set(late=0.5)
    s.step(900)
    assert s["P.slide"] == pytest.approx(0.5 * 0.5**2, rel=1e-9)


def test_fixed_steps_that_do_not_divide_dt():
    m = pendulum()
    s = m.stepper(0.0105, solver="rk4", step=0.002)
    s.step(40)
    r = m.simulate(0.42, rtol=1e-11, atol=1e-13)
    assert s["O.angle"] == pytest.approx(r["O.angle"][-1], abs=1e-9)


def test_a_stop_ends_it():
    m = pendulum()
    m.event("lowest", lambda angle: angle, m["O"].angle, action="stop")
    s = m.stepper(0.01)
    while not s.ended:
        s.step()
    (end,) = [t for t, _ in m.simulate(2).events]
    assert s.t == pytest.approx(end, abs=1e-9) and s.events == [(s.t, "lowest")]
    assert s["O.angle"] == pytest.approx(0, abs=1e-9)
    with pytest.raises(lw.LinkworkError, match="'lowest' has stopped it.*reset"):
        s.step()
    s.reset()
    s.step(1000)  # not one of them fails: it has ended
    assert s.t == pytest.approx(end, abs=1e-9) and s.events == [(s.t, "lowest")]
    s.reset()
    s.step()


def test_a_failure_is_told_and_ends_it():
    m = lw.Model("root", gravity=(0, 0))
    P = m.prismatic("P", m.ground.at(), m.body("cart", mass=1, inertia=1).at())
    P.slide.start(1.0)
    P.slide.law(lw.Effort(lambda t, x, v: -lw.sqrt(x) - 5))
    s = m.stepper(0.01)
    with pytest.raises(lw.IntegrationError, match="P.slide"):
        s.step(1000)
    with pytest.raises(lw.LinkworkError, match="failed at t = .*reset"):
        s.step()


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_joints_and_motions_do_not_jump(formulation):
    m = lw.Model("rigid")
    length, angle = m.parameter("length", 1.0), m.input("angle")
    a = m.body("a", mass=1, inertia=1)
    m.revolute("O", m.ground.at(0, 0), a.at(length, 0)).angle.law(lw.Motion(angle))
    s = m.stepper(0.01, formulation=formulation)
    s.step(angle=0.0, length=1.0)
    with pytest.raises(lw.ModelError, match="angle: it moves (O|a)"):
        s.step(angle=0.1)
    with pytest.raises(lw.ModelError, match="length: it moves (O|a)"):
        s.set(length=2.0)
    s.reset(parameters={"length": 2.0})
    assert s["a.x"] == pytest.approx(-2)


def test_wrong_words():
    m = pendulum()
    s = m.stepper(0.01)
    with pytest.raises(lw.UnknownName, match="torque"):
        s.step(torqe=1.0)
    with pytest.raises(lw.ModelError, match="torque: it was set to nan"):
        s.step(torque=math.nan)
    s.step(torque=1.0)
    with pytest.raises(lw.ModelError, match="torque: it was set to inf"):
        s.step(torque=math.inf)
    with pytest.raises(lw.ModelError, match="steps"):
        s.step(1.5)
    with pytest.raises(lw.ModelError, match=r"values to set 5.*\{name: value\}"):
        s.set(5)
    with pytest.raises(lw.UnknownName, match=f"{m.name}: there is no way to compile named 'quick'"):
        m.stepper(0.01, compile="quick")
    with pytest.raises(lw.ModelError, match="kernels='on'. Give True or False"):
        m.stepper(0.01, kernels="on")
    with pytest.raises(lw.UnknownName, match=r"O\.angle"):
        s["O.angl"]
    with pytest.raises(lw.UnknownName, match=r"O\.angle"):
        s[["O.angle", "O.angl"]]
    with pytest.raises(lw.LinkworkError, match="dt"):
        m.stepper(0)
    with pytest.raises(lw.LinkworkError, match="cvodes"):
        m.stepper(0.01, solver="cvodes")
    with pytest.raises(lw.LinkworkError, match="not a moment of this stepper"):
        s.restore(pendulum().stepper(0.01).save())


def test_several_channels_at_once():
    s = pendulum().stepper(0.01)
    s.step()
    assert np.array_equal(s[["O.angle", "O.angle.rate"]], [s["O.angle"], s["O.angle.rate"]])


def test_a_jump_that_nobody_was_told_of_is_no_result():
    m = lw.Model("untold")
    G = m.earth("G")
    S = m.voltage_source("S", n=G, voltage=lambda t: lw.sin(t))
    D = m.diode("D", S.p)
    m.resistor("R", D.n, G, resistance=100.0)
    s = m.stepper(0.01)
    s.step(3)
    course = s._course
    (settling,) = [each for each in course._interruptions if isinstance(each, Settling)]
    settling._better = lambda t, q, v, z: z + 0.5  # an equation that went elsewhere
    with pytest.raises(lw.IntegrationError, match="nonlinear equation has jumped before t = 0.04 s"):
        s.step()
    assert "failed" in s.ended


def test_an_input_cannot_take_its_own_run_on():
    m = pendulum()
    steppers = []

    def torque(t):
        for s in steppers:
            s.step()
        return 1.0

    s = m.stepper(0.01, inputs={"torque": torque})
    s.step()
    steppers.append(s)
    with pytest.raises(RuntimeError, match="taking the same run on"):
        s.step()


def test_real_time():
    s = pendulum().stepper(0.01, realtime=True)
    began = time.perf_counter()
    s.step(5)
    assert time.perf_counter() - began >= 0.05
    assert s.late >= 0
