"""Parameters and inputs: changed without deriving or compiling anything again."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.program import Program


def cart() -> lw.Model:
    """A cart of mass `mass` pushed by the input `push`."""
    m = lw.Model("cart", gravity=(0, 0))
    body = m.body("cart", mass=m.parameter("mass", 2.0, unit="kg"), inertia=1)
    rail = m.prismatic("rail", m.ground.at(), body.at())
    rail.slide.law(lw.Effort(m.input("push", 3.0, unit="N")))
    rail.slide.law(lw.Damper(m.parameter("drag", 0.0)))
    return m


def program_of(m: lw.Model) -> Program:
    """The one program that a model keeps after its first run."""
    kept = [part for entry in m.memory.values() if isinstance(entry, tuple) for part in entry]
    (program,) = (part for part in kept if isinstance(part, Program))
    return program


def test_new_values_reuse_the_program():
    m = cart()
    first = m.simulate(1)
    program = program_of(m)
    second = m.simulate(1, parameters={"mass": 4.0}, inputs={"push": 8.0})
    assert program_of(m) is program
    assert second.record["timings"]["compile"] == 0
    assert first.final["cart.vx"] == pytest.approx(1.5, abs=1e-9)
    assert second.final["cart.vx"] == pytest.approx(2.0, abs=1e-9)
    assert second.record["parameters"] == {"mass": 4.0, "drag": 0.0}
    assert m.simulate(1).final["cart.vx"] == pytest.approx(1.5, abs=1e-9)  # the default is untouched


def test_a_changed_model_is_derived_again():
    m = cart()
    m.simulate(0.1)
    program = program_of(m)
    m["rail"].slide.law(lw.Spring(1.0))
    assert "rail.slide.spring3" in m.simulate(0.1)
    assert program_of(m) is not program


TIMES = np.linspace(0, 2, 201)
SIGNALS = {
    "constant": (5.0, lambda t: 5 * t / 2),
    "table": ((TIMES, 4 * TIMES), lambda t: t**2),
    "jump": (((0.0, 1.0, 1.0, 2.0), (0.0, 0.0, 6.0, 6.0)), lambda t: 3 * np.maximum(t - 1, 0)),
    "function": (lambda t: 4 * np.cos(t), lambda t: 2 * np.sin(t)),
}


@pytest.mark.parametrize("kind", SIGNALS)
def test_inputs(kind):
    """Speed is the integral of push / mass; the recorded effort is the signal that was given."""
    signal, speed = SIGNALS[kind]
    r = cart().simulate(2, inputs={"push": signal}, output=0.05, rtol=1e-9, atol=1e-11, max_step=0.05)
    assert r["cart.vx"] == pytest.approx(speed(r.t), abs=1e-6)
    smooth = np.abs(r.t - 1) > 1e-6
    assert r["rail.slide.effort"][smooth] == pytest.approx(2 * r["cart.ax"][smooth], abs=1e-9)
    assert r["energy.supplied"] == pytest.approx(r["energy.kinetic"], abs=1e-6)


@pytest.mark.parametrize("kind", ["constant", "table"])
@pytest.mark.parametrize("solver", ["rk4", "radau", "generalized_alpha", "cvodes"])
def test_inputs_reach_every_kind_of_solver(kind, solver):
    signal, speed = SIGNALS[kind]
    r = cart().simulate(
        2, inputs={"push": signal}, solver=solver, step=5e-3 if solver in ("rk4", "generalized_alpha") else None
    )
    assert r["cart.vx"] == pytest.approx(speed(r.t), abs=1e-4)
    assert r["rail.slide.effort"] == pytest.approx(2 * r["cart.ax"], abs=1e-9)


def test_inputs_show_in_the_channels(example):
    """Accelerations and efforts along the run are those of the driven input, not of its default."""
    r = cart().simulate(2, inputs={"push": lambda t: 10 * t})
    assert r["cart.ax"] == pytest.approx(5 * r.t, abs=1e-9)


def test_lengths_can_be_parameters(example):
    m = example("pendulum", length=1.0, start=0.0)
    for length in (1.0, 0.25):
        r = m.simulate(1, parameters={"length": length}, rtol=1e-10, atol=1e-12)
        assert np.hypot(r["tip.x"], r["tip.y"]) == pytest.approx(length, abs=1e-9)
        assert r["energy.total"] == pytest.approx(0, abs=1e-8)


def test_output_times():
    m = cart()
    assert m.simulate(1, output=0.25).t == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert m.simulate(1, output=0.4).t == pytest.approx([0, 0.4, 0.8, 1])
    assert m.simulate(1, output=[0.1, 0.7]).t == pytest.approx([0.1, 0.7])
    assert m.simulate(1).t.size == 501
