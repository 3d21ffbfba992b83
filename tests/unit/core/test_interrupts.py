"""Ctrl-C is never lost, whatever is going on when it comes, and what was computed is kept.

A process does the same work again and again until it is interrupted; an interrupt that nothing comes of is lost.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from linkwork.core.interrupts import acknowledge, held, listening

posix = pytest.mark.skipif(os.name != "posix", reason="sends signals to itself")

WORK = """
import os, random, signal, sys, threading, time, warnings
import numpy as np
import linkwork as lw
from importlib import import_module

warnings.simplefilter("ignore")
example = import_module("linkwork.examples." + {example!r}).model
model = example()

def again(**options):
    "From the equations on: everything is derived and compiled anew."
    os.environ["LINKWORK_CACHE"] = "off"
    model.changed()
    return model.simulate(0.001, **options)

def bouncing():
    m = lw.Model("ball")
    ball = m.body("ball", mass=1, inertia=0.1)
    ball.start(position=(0, 1), velocity=(0.3, 0))
    m.rigid_contact("floor", ball, radius=0.1, restitution=1.0, friction=0.3)
    return m

def rough():
    m = lw.Model("driven", gravity=(0, 0))
    body = m.body("b", mass=1, inertia=1)
    P = m.prismatic("P", m.ground, body.at())
    P.slide.law(lw.Spring(1e4))
    P.slide.start(0.1)
    m.force("push", body.at(), (m.input("u"), 0))
    m.event("often", lambda: lw.sin(300 * m.t), action="restart")
    return m

own, ball = rough(), bouncing()

def work():
    return {work}

def interrupted(delay):
    "How long it took until something came of an interrupt after so many seconds, and what."
    sent = []
    def send():
        time.sleep(delay)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    what = None
    try:
        threading.Thread(target=send, daemon=True).start()
        while what is None:
            result = work()
            if sent and time.perf_counter() - sent[0] > 20:
                raise SystemExit("lost")
            if getattr(result, "record", {{}}).get("status") == "cancelled":
                assert np.isfinite(result.data[:, :-1]).all() and result.t.size
                what = "cancelled"
    except KeyboardInterrupt:
        what = "interrupted"
    while not sent:  # a repeated interrupt of the last time
        time.sleep(0.01)
    return time.perf_counter() - sent[0], what

seen = [interrupted(delay) for delay in np.random.default_rng(1).uniform(0, {longest}, {count})]
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(max(t for t, _ in seen), *sorted(set(what for _, what in seen)))
"""

CASES = {
    "deriving and compiling": ("slider_crank", "again()", 0.6),
    "assembling": ("slider_crank", "model.assemble()", 0.2),
    "explicit": ("double_pendulum", 'model.simulate(1e5, solver="dopri5", output=1.0)', 4.0),
    "implicit": ("double_pendulum", 'model.simulate(1e5, solver="radau", output=1.0)', 4.0),
    "tiny steps": ("double_pendulum", 'model.simulate(10, solver="rk4", step=1e-6, output=1.0)', 4.0),
    "fixed implicit steps": ("slider_crank", 'model.simulate(1e4, solver="hht", step=1e-3, output=1.0)', 4.0),
    "events": ("pendulum", "own.simulate(1e3, output=1.0)", 4.0),
    "functions of the user": ("pendulum", 'own.simulate(1e3, inputs={"u": lambda t: np.sin(t)}, output=1.0)', 4.0),
    "SUNDIALS": ("double_pendulum", 'model.simulate(20, solver="cvodes", output=0.1)', 0.4),
    "contacts": ("pendulum", "ball.simulate(1e3, output=1.0)", 4.0),
    "kinematics": ("slider_crank", 'model.kinematics(5, drive={"O.angle": 0.3 + 5 * model.t}, output=1e-2)', 0.4),
    "linearising": ("pendulum", "model.linearize()", 0.3),
}  # fmt: skip
KEPT = ("explicit", "implicit", "tiny steps", "fixed implicit steps", "events", "contacts", "functions of the user")


def run(case, count):
    example, work, longest = CASES[case]
    script = WORK.format(example=example, work=work, longest=longest, count=count)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50 + 22 * count)
    assert done.returncode == 0, done.stderr[-2000:]
    slowest, *outcomes = done.stdout.split()
    return float(slowest), outcomes


@posix
@pytest.mark.parametrize("case", ["deriving and compiling", "kinematics"])
def test_an_interrupt_is_not_lost(case):
    slowest, _ = run(case, 3)
    assert slowest < 5


@posix
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_many_interrupts(case):
    slowest, outcomes = run(case, 12 if case in KEPT else 40)
    print(f"{case}: {outcomes}, after {slowest:.2f} s at most")
    assert slowest < 5
    if case in KEPT:
        assert "cancelled" in outcomes


@posix
def test_an_interrupt_that_is_swallowed_comes_again():
    @listening
    def deaf():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        time.sleep(20)

    before, began = signal.getsignal(signal.SIGINT), time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        deaf()
    assert time.perf_counter() - began < 10
    assert signal.getsignal(signal.SIGINT) is before


@posix
def test_an_interrupt_that_is_taken_for_something_else_or_comes_last():
    @listening
    def confused():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("the solver gave up") from None

    @listening
    def late():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return "done"

    for function in (confused, late):
        with pytest.raises(KeyboardInterrupt):
            function()


@posix
def test_who_keeps_what_there_is_says_so():
    @listening
    def keeping():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            acknowledge()
        time.sleep(1.0)  # longer than it takes to be reminded
        return "kept"

    assert keeping() == "kept"


@posix
def test_handlers_of_the_user_decide():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    try:
        assert listening(lambda: signal.raise_signal(signal.SIGINT) or "done")() == "done"
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [True]


@posix
def test_what_c_code_calls_back_is_not_interrupted():
    """An exception in a callback would be swallowed by C, and the callback would have written nothing."""
    reached = []

    @listening
    def work():
        with held():
            signal.raise_signal(signal.SIGINT)
            reached.append(True)
        reached.append("never")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == [True]
