"""Failures, cancellation, inputs, evaluation along a trajectory."""

import signal
import subprocess
import sys
import threading

import casadi as ca
import numpy as np
import pytest

import linkwork
from linkwork.compile.native import compile_function
from linkwork.core.errors import LinkworkError
from linkwork.integrate import evaluate, integrate

from .systems import first_order, oscillator

EXPLICIT = ["dopri5", "dop853"]
ADAPTIVE = [*EXPLICIT, "radau", "generalized_alpha"]


@pytest.mark.parametrize("name", [*ADAPTIVE, "rk4"])
def test_equations_that_end(name):
    """z' = sqrt(1 - t) exists up to t = 1 only."""
    program = first_order(lambda t, z, p: ca.vertcat(ca.SX(0), ca.sqrt(1 - t)), 2)
    run = integrate(program, [0.0, 0.0], (0, 2), solver=name, step=1e-3)
    assert run.status == "nonfinite"
    assert "finite" in run.message
    assert 0.99 < run.t[-1] <= 1.0 + 1e-12
    assert run.y[-1, 1] == pytest.approx(2 / 3 * (1 - (1 - run.t[-1]) ** 1.5), abs=1e-3)
    if name in (*EXPLICIT, "rk4"):
        assert run.culprit == 1


def test_overshooting_trial_step_is_only_shortened():
    """sqrt(z) falls out of its domain only on a step that is too long."""
    program = first_order(lambda t, z, p: -z / ca.sqrt(z), 1)
    run = integrate(program, [1.0], (0, 1.9), step=5.0)
    assert run.status == "done" and run.stats["rejected"] > 0
    assert run.y[-1, 0] == pytest.approx((1 - 0.95) ** 2, abs=1e-7)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_blow_up_names_the_state(name):
    """z' = z² reaches infinity at t = 1."""
    program = first_order(lambda t, z, p: ca.vertcat(-z[0], z[1] ** 2), 2)
    run = integrate(program, [1.0, 1.0], (0, 2), solver=name, rtol=1e-6, atol=1e-6)
    assert run.status in ("underflow", "nonfinite", "newton")
    assert run.t[-1] == pytest.approx(1.0, abs=1e-3)
    assert run.culprit == 1


def test_underflow_on_a_jump_that_no_step_resolves():
    program = first_order(lambda t, z, p: ca.vertcat(ca.SX(0), 1e9 * ca.sign(ca.sin(1e6 * z[1] + 1e4 * t))), 2)
    run = integrate(program, [0.0, 0.0], (0, 1), min_step=1e-9, rtol=1e-10, atol=1e-12)
    assert run.status == "underflow" and run.culprit == 1 and "tolerance" in run.message


def test_newton_that_cannot_converge():
    program = first_order(lambda t, z, p: ca.sign(z - 0.25) * 1e3 * ca.sqrt(ca.fabs(z - 0.25)) - 1e3, 1)
    run = integrate(program, [1.0], (0, 1), solver="generalized_alpha", step=0.5)
    assert run.status == "newton"
    assert run.t.tolist() == [0.0]


def test_max_steps():
    run = integrate(oscillator(), [1, 0], (0, 100), max_steps=50)
    assert run.status == "max_steps" and run.stats["accepted"] + run.stats["rejected"] == 50


def endless():
    """A run that would take minutes."""
    return {"program": oscillator(), "y0": [1, 0], "t_span": (0, 1e9), "solver": "rk4", "step": 1e-2,
            "times": np.linspace(0, 1e9, 10**6)}  # fmt: skip


def test_should_stop_returns_the_part_that_is_done():
    heard = []
    run = integrate(**endless(), progress=heard.append, should_stop=lambda: len(heard) >= 2)
    assert run.status == "cancelled"
    assert len(heard) == 2 and 0 < heard[0] < heard[1] < 1
    assert run.t[-1] == pytest.approx(1e9 * heard[-1])
    np.testing.assert_allclose(np.hypot(*run.y.T), 1, atol=1e-2)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are raised differently there")
def test_keyboard_interrupt_returns_the_part_that_is_done():
    timer = threading.Timer(0.15, signal.raise_signal, [signal.SIGINT])
    timer.start()
    run = integrate(**endless())
    assert run.status == "cancelled" and len(run.t) > 1


def test_progress_reaches_one():
    heard = []
    integrate(oscillator(), [1, 0], (0, 10), progress=heard.append)
    assert heard[-1] == 1.0


def driven():
    """z' = -z + u0 + 2 u1, parameters: a gain that multiplies all."""
    p = ca.SX.sym("p", 3)
    return first_order(lambda t, z, p: p[0] * (-z + p[1] + 2 * p[2]), 1, p=p, inputs={"u0": 0.0, "u1": 0.5})


@pytest.mark.parametrize("name", ["rk4", *ADAPTIVE])
def test_tables_and_callables_agree(name):
    knots, values = np.array([0.5, 1.0, 2.0]), np.array([0.0, 1.0, -1.0])
    options = {"solver": name, "rtol": 1e-9, "atol": 1e-9, "times": np.linspace(0, 3, 31), "max_step": 0.05}
    options["step"] = 1e-3 if name in ("rk4", "generalized_alpha") else None
    table = integrate(driven(), [0.0], (0, 3), signals={0: (knots, values)}, **options)
    function = integrate(driven(), [0.0], (0, 3), signals={0: lambda t: np.interp(t, knots, values)}, **options)
    np.testing.assert_allclose(table.y, function.y, atol=1e-12)
    # 2 u1 = 1 is constant; before the first knot u0 = 0, so z = 1 - exp(-t).
    early = table.t <= 0.5
    np.testing.assert_allclose(table.y[early, 0], 1 - np.exp(-table.t[early]), atol=1e-6)


def test_constants_parameters_and_jumps():
    run = integrate(driven(), [0.0], (0, 1), signals={0: 1.0, 1: 0.0}, parameters=[2.0])
    assert run.y[-1, 0] == pytest.approx(1 - np.exp(-2), abs=1e-7)
    step = ([0.0, 0.5, 0.5, 1.0], [0.0, 0.0, 1.0, 1.0])
    run = integrate(driven(), [0.0], (0, 1), signals={0: step, 1: 0.0}, rtol=1e-10, atol=1e-12)
    assert run.y[-1, 0] == pytest.approx(1 - np.exp(-0.5), abs=1e-7)


def test_an_input_function_that_fails_raises_its_error():
    def broken(t):
        if t > 0.5:
            raise ZeroDivisionError("input at 0.5")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="input at"):
        integrate(driven(), [0.0], (0, 1), signals={0: broken})
    with pytest.raises(LinkworkError, match="table"):
        integrate(driven(), [0.0], (0, 1), signals={0: ([0, 1], [0])})


def test_evaluate_along_a_trajectory():
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p", 2)
    f = compile_function(ca.Function("f", [t, y, p], [ca.vertcat(t * y[0], p[0] + p[1], y[1]), t]))
    times, states = np.linspace(0, 1, 5), np.arange(10.0).reshape(5, 2)
    table = ([0.0, 1.0], [0.0, 10.0])
    got = evaluate(f, times, states, [3.0, 0.0], {0: table}, inputs=1)
    np.testing.assert_allclose(got, np.stack([times * states[:, 0], 3 + 10 * times, states[:, 1]], axis=1))
    np.testing.assert_allclose(evaluate(f, times, states, [3.0, 0.0], {0: lambda s: 10 * s}, inputs=1), got)
    assert evaluate(f, times[:0], states[:0], [3.0, 0.0]).shape == (0, 3)
    with pytest.raises(LinkworkError):
        evaluate(f, times, states[:, :1], [3.0, 0.0])


def test_no_heavy_import_at_start():
    """Of this layer: the package around it is replaced by an empty one."""
    code = f"""
import sys, types
package = sys.modules["linkwork"] = types.ModuleType("linkwork")
package.__path__ = {list(linkwork.__path__)!r}
import linkwork.integrate
print([name for name in ("scipy", "casadi", "llvmlite", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
