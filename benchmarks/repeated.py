"""What Python costs around native code: repeated runs, calls of a compiled function, and steps.

    python benchmarks/repeated.py

Repeated runs: `simulate` of an N four-bar once more, with the same numbers and with another parameter, and what of it
is integration; of a slider-crank with another length each time, so that its loop must be closed anew. Calls:
accelerations of the 7-joint arm from Python. Steps: the same arm by `m.stepper`, rk4 with 1 ms, with a torque that
changes at every step and an angle that is read, beside the native step. Peers where they are installed: Pinocchio
(`aba`), MuJoCo (`mj_step`, RK4), Exudyn (`SolveDynamic` of a model that is assembled already). All in turn, round by
round.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import arms
import machine
import numpy as np
from forward_dynamics import compiled_arm

import linkwork as lw
from linkwork.examples import n_four_bar

JOINTS, STEP, DURATION = 7, 1e-3, 1.0

Measure = Callable[[], float]
"""Seconds of one call."""


def timed(call: Callable[[], Any], count: int) -> Measure:
    def measure() -> float:
        clock = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - clock) / count

    return measure


def least(ways: dict[str, Measure], rounds: int) -> dict[str, float]:
    """In turn, so that whatever else the machine does disturbs all of them alike."""
    found = [{name: measure() for name, measure in ways.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in found) for name in ways}


def show(title: str, rows: dict[str, float], unit: float, word: str) -> None:
    print(f"\n{title}")
    first = next(iter(rows.values()))
    for name, seconds in rows.items():
        print(f"  {name:<58} {seconds * unit:9.3f} {word}   {seconds / first:6.2f} ×")


def driven(n: int) -> lw.Model:
    """The N four-bar with a parameter: another value of it is another run, though the motion is the same."""
    model = n_four_bar.model(n=n)
    model.parameter("unused", 1.0)
    return model


def runs(n: int, rounds: int) -> None:
    model, values = driven(n), itertools.count(1)
    options: dict[str, Any] = {"solver": "dopri5", "output": DURATION / 100}
    model.simulate(DURATION, **options)

    def integration() -> float:
        return float(model.simulate(DURATION, **options).record["timings"]["run"])

    ways: dict[str, Measure] = {
        "Linkwork, integration alone": integration,
        "Linkwork, the same numbers": timed(lambda: model.simulate(DURATION, **options), 1),
        "Linkwork, another parameter each time": timed(
            lambda: model.simulate(DURATION, parameters={"unused": float(next(values))}, **options), 1
        ),
    }
    if find_spec("exudyn"):
        import exudyn_chain

        setting = exudyn_chain.Setting(step=2e-3, loose=True)
        ways["Exudyn, SolveDynamic alone, step 2 ms, generalized-α"] = lambda: exudyn_chain.run_seconds(
            n, DURATION, setting
        )
    show(f"{2 * n + 1} bodies, {DURATION:g} s, 101 samples: a run once more", least(ways, rounds), 1e3, "ms")


def crank_and_rod() -> lw.Model:
    """A slider-crank whose rod has a length that is a parameter."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    length = m.parameter("L", 1.0, unit="m")
    crank, rod, piston = (m.body(name, mass=1, inertia=1) for name in ("crank", "rod", "piston"))
    bearing = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-length / 2, 0))
    m.revolute("B", rod.at(length / 2, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    bearing.angle.law(lw.Effort(10)).law(lw.Damper(2)).start(0.3, rate=0)
    return m


def lengths(rounds: int) -> None:
    model, values = crank_and_rod(), itertools.count(1)
    options: dict[str, Any] = {"solver": "dopri5", "output": DURATION / 100}
    model.simulate(DURATION, **options)
    ways: dict[str, Measure] = {
        "Linkwork, integration alone": lambda: float(model.simulate(DURATION, **options).record["timings"]["run"]),
        "Linkwork, the same numbers": timed(lambda: model.simulate(DURATION, **options), 1),
        "Linkwork, another length each time": timed(
            lambda: model.simulate(DURATION, parameters={"L": 1 + 1e-6 * next(values)}, **options), 1
        ),
    }
    show(f"slider-crank, {DURATION:g} s, 101 samples: a run once more", least(ways, rounds), 1e3, "ms")


def calls(rounds: int) -> None:
    q, v, torque = np.random.default_rng(JOINTS).uniform(-1, 1, (3, JOINTS))
    f, _ = compiled_arm(JOINTS)
    out = np.zeros(JOINTS)
    ways = {
        "Linkwork, f(q, v, torque)": timed(lambda: f(q, v, torque), 2000),
        "Linkwork, f(q, v, torque, out=a)": timed(lambda: f(q, v, torque, out=out), 2000),
    }
    if find_spec("pinocchio"):
        import pinocchio as pin

        model = arms.pinocchio(JOINTS)
        data = model.createData()
        worst = np.abs(pin.aba(model, data, q, v, torque) - f(q, v, torque)[0]).max()
        if worst > 1e-6 * np.abs(f(q, v, torque)[0]).max():
            raise SystemExit("The programs do not compute the same arm: nothing to compare.")
        ways["Pinocchio, aba(model, data, q, v, torque)"] = timed(lambda: pin.aba(model, data, q, v, torque), 2000)
    show(f"{JOINTS}-joint arm: accelerations from Python", least(ways, rounds), 1e6, "µs")


def steps(rounds: int) -> None:
    model, values = arms.linkwork(JOINTS), itertools.count()
    options: dict[str, Any] = {"formulation": "minimal", "solver": "rk4", "compile": "best"}
    s = model.stepper(STEP, **options)
    many = model.stepper(500 * STEP, step=STEP, **options)

    def native() -> float:
        many.reset()
        many.step()  # begins the run
        clock = time.perf_counter()
        many.step()
        return (time.perf_counter() - clock) / 500

    def with_input() -> None:
        s.step(torque0=1e-3 * (next(values) % 7))

    def with_reading() -> float:
        with_input()
        return s["joint0.angle"]

    def fresh(call: Callable[[], Any]) -> Measure:
        def measure() -> float:
            s.reset()
            call()  # begins the run
            return timed(call, 500)()

        return measure

    ways: dict[str, Measure] = {
        "Linkwork, native step": native,
        "Linkwork, s.step()": fresh(s.step),
        "Linkwork, s.step(torque0=…)": fresh(with_input),
        'Linkwork, s.step(torque0=…); s["joint0.angle"]': fresh(with_reading),
    }
    if find_spec("mujoco"):
        import mujoco as mj

        scene = arms.mujoco(JOINTS, STEP)
        state = mj.MjData(scene)

        def mujoco_step() -> float:
            state.qfrc_applied[0] = 1e-3 * (next(values) % 7)
            mj.mj_step(scene, state)
            return float(state.qpos[0])

        ways["MuJoCo, torque, mj_step, angle"] = timed(mujoco_step, 500)
    show(f"{JOINTS}-joint arm: RK4 steps of {STEP * 1e3:g} ms", least(ways, rounds), 1e6, "µs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--bars", type=int, default=5, help="N of the N four-bar: 2 N + 1 bodies")
    arguments = parser.parse_args()
    print(machine.describe(("pin", "mujoco", "exudyn")))
    runs(arguments.bars, arguments.rounds)
    lengths(arguments.rounds)
    calls(arguments.rounds)
    steps(arguments.rounds)


if __name__ == "__main__":
    main()
