"""Steps per second of a cart-pole as an environment: one copy, and many side by side.

    python benchmarks/environments.py [--count 1024] [--steps 200] [--repeats 5]

All take steps of 0.02 s with random actions, resets included. Gymnasium's own CartPole takes one step of Euler's
method, of equations written by hand; `rk4` takes one of order 4, `dopri5` as many as 1e-8 needs. Times are of the
processor, the least of several.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import machine
import numpy as np
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

import linkwork as lw

START = (-0.05, 0.05)


def cart_pole() -> lw.Model:
    m = lw.Model("cart-pole", gravity=(0, -9.8))
    cart, pole = m.body("cart", mass=1, inertia=1), m.body("pole", mass=0.1, inertia=0.1 * 0.5**2 / 3)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    pin = m.revolute("pin", cart.at(), pole.at(0, -0.5))
    rail.slide.law(lw.Effort(m.input("force", unit="N")))
    rail.slide.start(0, rate=0)
    pin.angle.start(0, rate=0)
    return m


def ours(**options: Any) -> Any:
    states = ["rail.slide", "rail.slide.rate", "pin.angle", "pin.angle.rate"]
    return lw.gym(
        cart_pole(), 0.02, actions={"force": (-10, 10)}, reward=1.0, random=dict.fromkeys(states, START),
        terminated="fabs(pin.angle) > 0.209 or fabs(rail.slide) > 2.4", **options,
    )  # fmt: skip


def alone(env: Any, steps: int) -> None:
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()


def together(env: Any, steps: int) -> None:
    for _ in range(steps):
        env.step(env.action_space.sample())


def rate(run: Callable[[], None], count: int, repeats: int) -> float:
    """Steps per second of the processor."""
    times = []
    for _ in range(repeats):
        clock = time.process_time()
        run()
        times.append(time.process_time() - clock)
    return count / min(times)


def cases(count: int) -> list[tuple[str, Any, int]]:
    found = [
        ("one copy, dopri5", ours(), 1),
        ("one copy, rk4", ours(solver="rk4"), 1),
        ("one copy, Gymnasium's CartPole", gymnasium.make("CartPole-v1").unwrapped, 1),
        (f"{count} copies, dopri5", ours(count=count), count),
        (f"{count} copies, rk4", ours(count=count, solver="rk4"), count),
        (f"{count} copies, Gymnasium's CartPole", CartPoleVectorEnv(num_envs=count), count),
    ]
    try:
        found.append(("one copy, MuJoCo's InvertedPendulum", gymnasium.make("InvertedPendulum-v5").unwrapped, 1))
    except Exception as error:  # not installed, or of another version
        print(f"MuJoCo is left out: {error}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(machine.describe())
    np.random.seed(0)
    for name, env, count in cases(options.count):
        env.reset(seed=0)
        steps = options.steps if count > 1 else 10 * options.steps
        go = together if count > 1 else alone
        go(env, 20)
        found = rate(lambda env=env, go=go, steps=steps: go(env, steps), steps * count, options.repeats)  # type: ignore[misc]
        print(f"{name:40s} {found:12,.0f} steps/s")


if __name__ == "__main__":
    main()
