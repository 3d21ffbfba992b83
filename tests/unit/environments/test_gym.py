"""Environments of Gymnasium: its own checker, lanes against single environments, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import linkwork as lw

START = (-0.05, 0.05)
ASKED: dict[str, Any] = {
    "actions": {"force": (-10.0, 10.0)},
    "reward": "1 - pin.angle**2 - 0.01*(force/10)**2",
    "terminated": "fabs(pin.angle) > 0.2 or fabs(rail.slide) > 2.4",
    "random": {"pin.angle": START, "rail.slide.rate": lw.uniform(*START), "M": lw.normal(1.0, 0.1, low=0.5)},
}


def cart_pole() -> lw.Model:
    m = lw.Model("cart-pole", gravity=(0, -9.81))
    cart = m.body("cart", mass=m.parameter("M", 1.0, unit="kg"), inertia=1)
    pole = m.body("pole", mass=0.1, inertia=0.1 * 0.5**2 / 3)
    rail = m.prismatic("rail", m.ground.at(), cart.at())
    m.revolute("pin", cart.at(), pole.at(0, -0.5)).angle.start(0, rate=0)
    rail.slide.start(0, rate=0)
    rail.slide.law(lw.Effort(m.input("force", unit="N")))
    return m


def test_gymnasium_accepts_it() -> None:
    env = lw.gym(cart_pole(), 0.02, **ASKED)
    with pytest.warns(UserWarning, match="infinity"):  # of spaces without bounds
        check_env(env, skip_render_check=True)


def test_step_is_that_of_a_stepper() -> None:
    m = cart_pole()
    env = lw.gym(m, 0.02, **(ASKED | {"random": {"pin.angle": START}}))
    seen, _ = env.reset(seed=5)
    m["pin"].angle.start(env.drawn["pin.angle"])
    s = m.stepper(0.02, formulation="minimal")
    assert seen.tolist() == pytest.approx([0, 0, env.drawn["pin.angle"], 0])
    for k in range(20):
        push = 3.0 * (-1) ** k
        seen, reward, terminated, truncated, _ = env.step(np.array([push]))
        s.step(force=push)
        names = ["rail.slide", "rail.slide.rate", "pin.angle", "pin.angle.rate"]
        np.testing.assert_allclose(seen, s[names], rtol=1e-6, atol=1e-9)
        assert reward == pytest.approx(1 - s["pin.angle"] ** 2 - 0.01 * (push / 10) ** 2)
        assert not terminated and not truncated


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_lanes_are_single_environments(mode: str) -> None:
    """Copies against single ones by Gymnasium's own loop, through ends, resets and random numbers."""
    m, count = cart_pole(), 3
    many = lw.gym(m, 0.02, count=count, autoreset=mode, duration=0.5, **ASKED)
    assert many.engine.endswith("lanes")
    single = SyncVectorEnv(
        [lambda: lw.gym(m, 0.02, duration=0.5, **ASKED)] * count, autoreset_mode=many.metadata["autoreset_mode"]
    )
    first, second = many.reset(seed=3)[0], single.reset(seed=3)[0]
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-14)
    pushes = np.random.default_rng(1).uniform(-12, 12, (60, count, 1))
    pushes[:, 0] = 10.0  # this one falls
    ends = 0
    for actions in pushes:
        one, other = many.step(actions), single.step(np.clip(actions, -10, 10))
        np.testing.assert_allclose(one[0], other[0], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(one[1], other[1], rtol=1e-8, atol=1e-10)
        np.testing.assert_array_equal(one[2], other[2])
        np.testing.assert_array_equal(one[3], other[3])
        ends += int((one[2] | one[3]).sum())
        if "final_obs" in other[4]:
            np.testing.assert_array_equal(one[4]["_final_obs"], other[4]["_final_obs"])
            k = int(np.flatnonzero(one[4]["_final_obs"])[0])
            np.testing.assert_allclose(one[4]["final_obs"][k], other[4]["final_obs"][k], rtol=1e-6, atol=1e-8)
    assert ends > count


def test_starts_are_written_where_they_may_be() -> None:
    """After a few resets nothing is assembled any more; where an unknown rate follows from a given one, it is."""
    free = lw.gym(cart_pole(), 0.02, **ASKED)
    for seed in range(5):
        free.reset(seed=seed)
    assert free._begin._beginnings is not None and free._begin._beginnings.written
    m = cart_pole()
    m["pin"].angle.speed = None
    tied = lw.gym(m, 0.02, **ASKED)
    for seed in range(5):
        seen, _ = tied.reset(seed=seed)
    assert tied._begin._beginnings is not None and not tied._begin._beginnings.written
    assert seen[3] != 0.0


def test_with_a_fixed_step_to_rounding() -> None:
    m = cart_pole()
    asked = ASKED | {"terminated": 0.0, "solver": "rk4"}
    many, alone = lw.gym(m, 0.02, count=3, **asked), lw.gym(m, 0.02, **asked)
    seen, _ = many.reset(seed=7)
    alone.reset(seed=9)
    for _ in range(15):
        seen = many.step(np.full((3, 1), 4.0))[0]
        expected = alone.step(np.array([4.0]))[0]
    np.testing.assert_allclose(seen[2], expected, rtol=1e-12)


def test_loops_events_time_and_functions() -> None:
    """A slider-crank with a clock in its torque and an event that ends it, rewarded by functions."""
    m = lw.Model("crank", gravity=(0, -9.81))
    crank, rod = m.body("crank", mass=1, inertia=0.1), m.body("rod", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.4, 0))
    m.point_on_line("P", m.ground.at(), rod.at(0.4, 0))
    u = m.input("u", unit="N·m")
    O.angle.law(lw.Effort(lambda t, x, v: u + lw.sin(7 * t)))
    O.angle.start(0.4)
    m.event("over", lambda angle: angle - 1.5, O.angle, action="stop")
    asked: dict[str, Any] = {
        "actions": {"u": (0.0, 30.0)}, "observations": ["O.angle", "energy.supplied"], "formulation": "absolute",
        "reward": lambda c: np.minimum(c["O.angle"], 1.2) * c["t"], "random": {"O.angle": (0.3, 0.6)},
    }  # fmt: skip
    many = lw.gym(m, 0.05, count=3, autoreset="same_step", **asked)
    single = SyncVectorEnv([lambda: lw.gym(m, 0.05, **asked)] * 3, autoreset_mode=many.metadata["autoreset_mode"])
    many.reset(seed=0), single.reset(seed=0)
    ended = 0
    for k in range(16):
        actions = np.array([[2.0], [9.0 + k], [25.0]])
        one, other = many.step(actions), single.step(actions)
        np.testing.assert_allclose(one[0], other[0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(one[1], other[1], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(one[2], other[2])
        ended += int(one[2].sum())
    assert ended >= 2 and many.engine.endswith("lanes")


def test_contacts_go_one_by_one() -> None:
    m = lw.Model("ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=0.1)
    ball.start(position=(0, 0.3))
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.5)
    m.force("push", ball.at(), (m.input("u"), 0))
    asked: dict[str, Any] = {"actions": {"u": (-1, 1)}, "reward": "ball.y", "observations": ["ball.y"]}
    env = lw.gym(m, 0.1, count=2, **asked)
    assert "one after the other" in env.engine and "interrupted" in env.engine
    env.reset(seed=0)
    heights = [env.step(np.zeros((2, 1)))[0][0, 0] for _ in range(8)]
    assert min(heights) > 0.099 and max(heights[2:]) < 0.2


def test_balance() -> None:
    """The regulator of the linearised model, within the bounds of the actions."""
    m = cart_pole()
    near = m.linearize()
    K = near.lqr({"rail.slide": 1, "pin.angle": 10}, 0.1, period=0.02).K
    env = lw.gym(m, 0.02, count=4, **ASKED)
    order = [env.episode.observations.index(name) for name in near.state_names]
    seen, _ = env.reset(seed=0)
    for _ in range(200):
        seen, reward, terminated, *_ = env.step(-seen[:, order] @ K.T)
        assert not terminated.any()
    assert np.abs(seen).max() < 0.02 and reward.min() > 0.99


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"actions": {"forc": (-1, 1)}}, "Did you mean 'force'?"),
        ({"actions": {}}, "Give actions="),
        ({"actions": {"force": (1, -1)}}, "low < high"),
        ({"reward": "pin.angel"}, "Did you mean 'pin.angle'"),
        ({"reward": "1 +"}, "reward='1 +'"),
        ({"observations": ["pin.angles"]}, "Did you mean 'pin.angle'"),
        ({"random": {"pin.angl": START}}, "Did you mean 'pin.angle'"),
        ({"random": {"force": START}}, "both drawn and given"),
        ({"random": {"M": 3}}, "lw.uniform"),
        ({"duration": 0.0}, "Give a positive number of seconds"),
        ({"duration": 0.001}, "duration not shorter than dt"),
        ({"actions": 3}, "Give {input: (low, high)}"),
        ({"reward": None}, "Give a text of channels"),
        ({"random": "M"}, "lw.uniform"),
        ({"count": 0}, "at least 1"),
        ({"autoreset": "never"}, "next_step"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, Any], told: str) -> None:
    with pytest.raises(lw.LinkworkError) as error:
        lw.gym(cart_pole(), 0.02, **(ASKED | change))
    assert told in str(error.value)


def test_wrong_actions_and_functions_are_told() -> None:
    env = lw.gym(cart_pole(), 0.02, **(ASKED | {"reward": lambda c: 1.0 if c["pin.angle"] > 0 else 0.0}))
    env.reset(seed=0)
    with pytest.raises(lw.ModelError, match="Give finite numbers for force"):
        env.step(np.array([np.nan]))
    many = lw.gym(cart_pole(), 0.02, count=3, **(ASKED | {"reward": lambda c: 1.0 if c["pin.angle"] > 0 else 0.0}))
    many.reset(seed=0)
    with pytest.raises(lw.ModelError, match=r"np\.where"):
        many.step(np.zeros((3, 1)))
    many = lw.gym(cart_pole(), 0.02, count=2, autoreset="disabled", duration=0.02, **ASKED)
    many.reset(seed=0)
    many.step(np.zeros((2, 1)))
    with pytest.raises(lw.ModelError, match="reset_mask"):
        many.step(np.zeros((2, 1)))
    many.reset(options={"reset_mask": np.array([True, True])})
    many.step(np.zeros((2, 1)))
