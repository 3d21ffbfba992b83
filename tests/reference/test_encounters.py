"""Nothing passes through anything between two steps: throws at thin things, against plane geometry."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Box

G = 9.81
KIND = pytest.mark.parametrize("rigid", [True, False], ids=["rigid", "springy"])


def first(r: lw.Result) -> float:
    """Time of the first touch [s]; none: not finite."""
    return r.events[0][0] if r.events else np.inf


def plate(rigid: bool, **options) -> lw.Model:
    """A ball of radius r beside a plate 2 m long, turned by 0.7 rad; nothing else acts."""
    m = lw.Model("plate", gravity=(0, 0))
    thickness, radius = m.parameter("thickness", 0.1), m.parameter("r", 0.1)
    ball = m.body("ball", mass=1.0, inertia=0.004)
    add = m.rigid_contact if rigid else m.contact
    add("plate", ball, m.ground.at(0.3, 0.2, rotation=0.7), shape=Ball(radius), other=Box((2.0, thickness)), **options)
    return m


class Throw:
    """A random throw at the plate, and when it touches: by distances alone."""

    def __init__(self, rng: np.random.Generator):
        self.thickness, self.radius = 10 ** rng.uniform(-4, 0, 2)
        self.speed, self.duration = 10 ** rng.uniform(-2, 4), 10 ** rng.uniform(0, 4)
        c, s = np.cos(0.7), np.sin(0.7)
        self.turn = np.array([[c, -s], [s, c]])
        angle, meets = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.9) * self.duration
        self.velocity = self.speed * np.array([np.cos(angle), np.sin(angle)])
        aim = np.array([0.3, 0.2]) + self.turn @ [rng.uniform(-1.5, 1.5), 0]
        self.start = aim - self.velocity * meets
        low, high = max(0.0, meets - 5 / self.speed), min(self.duration, meets + 5 / self.speed)
        for _ in range(200):  # the distance from a convex thing is convex along a line
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, b) if self.gap(a) < self.gap(b) else (a, high)
        self.nearest = self.gap(low)
        self.touches, last = 0.0, low
        for _ in range(100):
            middle = 0.5 * (self.touches + last)
            self.touches, last = (middle, last) if self.gap(middle) > 0 else (self.touches, middle)
        if self.nearest > 0:
            self.touches = np.inf

    @property
    def sound(self) -> bool:
        """Not inside at the start, and no graze that rounding decides."""
        return self.gap(0.0) > 0 and abs(self.nearest) > 1e-6 * self.radius

    def gap(self, t: float) -> float:
        x = (self.start + self.velocity * t - [0.3, 0.2]) @ self.turn
        outside = np.maximum(np.abs(x) - [1.0, self.thickness / 2], 0)
        return float(np.hypot(*outside)) - self.radius

    def run(self, m: lw.Model, **options) -> lw.Result:
        m["ball"].start(position=tuple(self.start), velocity=tuple(self.velocity), angle=0, spin=0)
        values = {"thickness": self.thickness, "r": self.radius}
        return m.simulate(self.duration, parameters=values, **options)


def check_throws(rigid: bool, seed: int, count: int, solvers: list[dict]) -> None:
    m = plate(rigid, **({"restitution": 0.5} if rigid else {"stiffness": 1e12}))
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(count):
        throw = Throw(rng)
        if not throw.sound:
            continue
        options = dict(solvers[rng.integers(len(solvers))])
        if options.get("solver") == "rk4":
            options["step"] = throw.duration / 50
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.LinkworkWarning)  # some are so fast that it is too soft
            r = throw.run(m, **options)
        within = 1e-6 * throw.radius / throw.speed + 1e-9 * throw.duration
        assert first(r) == pytest.approx(throw.touches, rel=0, abs=within), (vars(throw), options)
        hits += np.isfinite(throw.touches)
    assert hits > count / 3


@KIND
def test_throws_at_a_plate_hit_when_geometry_says(rigid):
    check_throws(rigid, 0, 12, [{}])


@pytest.mark.slow
@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@KIND
def test_many_throws_with_all_solvers(rigid, formulation):
    solvers = [{"formulation": formulation, "solver": name} for name in ("dopri5", "radau")]
    if rigid:
        solvers += [{"formulation": formulation, "solver": name} for name in ("dop853", "rk4")]
    check_throws(rigid, 1, 300, solvers)


@KIND
@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_a_table_stops_a_ball_whatever_the_duration(rigid, formulation):
    if rigid and formulation in ("points", "bondgraph"):
        pytest.skip("rigid contacts need another formulation")
    for duration in (0.6, 60.0, 10_000.0):
        m = lw.Model("drop")
        ball = m.body("ball", mass=1.0, inertia=0.004).start(position=(0, 1.15), angle=0)
        if rigid:
            m.rigid_contact("table", ball, shape=Ball(0.1), other=Box((1.0, 0.1)), restitution=0.3)
        else:
            m.contact("table", ball, shape=Ball(0.1), other=Box((1.0, 0.1)), stiffness=1e6, dissipation=1.0)
        r = m.simulate(duration, formulation=formulation)
        assert first(r) == pytest.approx(np.sqrt(2 * 1.0 / G), abs=1e-8)
        assert r["ball.y"].min() > 0.14


@pytest.mark.parametrize("duration", [2.0, 2000.0])
@KIND
def test_a_spinning_rod_hits_what_flies_through_its_circle(rigid, duration):
    """500 rad/s: some 160 turns before they meet, and free flight allows steps of any length."""
    rate, speed = 500.0, 3.0
    m = lw.Model("fan", gravity=(0, 0))
    rod = m.body("rod", mass=5.0, inertia=1.0)
    hinge = m.revolute("hinge", m.ground.at(), rod.at())
    hinge.angle.start(0.0, rate=rate)
    ball = m.body("ball", mass=1e-3, inertia=1e-7).start(position=(0.4, -6.0), velocity=(0, speed))
    add = m.rigid_contact if rigid else m.contact
    options = {"restitution": 1.0} if rigid else {"stiffness": 1e9}
    add("strike", ball, rod, shape=Ball(0.01), other=Box((1.0, 0.01)), **options)
    m.event("struck", lambda b: b.v[0] ** 2 - 1e-6, ball.at(), action="stop")
    r = m.simulate(duration, solver="dopri5")

    def gap(t):
        x, y = 0.4, -6.0 + speed * t
        c, s = np.cos(rate * t), np.sin(rate * t)
        along, across = np.abs(c * x + s * y) - 0.5, np.abs(c * y - s * x) - 0.005
        return np.hypot(np.maximum(along, 0), np.maximum(across, 0)) - 0.01

    t = np.linspace(1.8, 2.0, 2_000_001)
    touched = float(t[np.argmax(gap(t) <= 0)])
    assert 0 < touched < 2
    assert first(r) == pytest.approx(touched, abs=2e-7)


@pytest.mark.parametrize("duration", [3.0, 3000.0])
@KIND
def test_the_first_graze_of_a_spinning_rod_is_found(rigid, duration):
    """It comes down by 0.1 mm in a turn: the tip dips 4 µm into the floor for 7 µs."""
    rate, speed = 1429.8647582340311, 0.022568026704207544
    height = 0.3 + 1.3 * speed
    m = lw.Model("graze", gravity=(0, 0))
    rod = m.body("rod", mass=1.0, inertia=0.05)
    rod.start(position=(0, height), velocity=(0, -speed), spin=rate, angle=0.3)
    add = m.rigid_contact if rigid else m.contact
    add("floor", rod, shape=Box((0.6, 0.02)), **({} if rigid else {"stiffness": 1e8}))
    m.event("hit", lambda b: b.w[2] - 0.999 * rate, rod.at(), action="stop")
    t = np.linspace(1.2927, 1.2928, 1_000_001)
    lowest = height - speed * t - 0.3 * np.sin(0.3 + rate * t) - 0.01 * np.abs(np.cos(0.3 + rate * t))
    r = m.simulate(duration, solver="dopri5")
    touched = min(t[np.argmax(y <= 0)] for y in (lowest, lowest + 0.6 * np.sin(0.3 + rate * t)) if (y <= 0).any())
    assert first(r) == pytest.approx(float(touched), abs=1e-9)


@KIND
@pytest.mark.parametrize("speed", [1e-1, 1e2, 1e4])
def test_a_thin_plate_in_space(rigid, speed):
    m = lw.Model("pane", gravity=(0, 0, 0))
    ball = m.body("ball", mass=1.0, inertia=(1e-4,) * 3)
    pane = m.body("pane", mass=1e3, inertia=(1e2,) * 3).start(position=(0, 0, 0), spin=(0, 0, 20.0))
    ball.start(position=(0.1, 0.2, 37 * speed + 0.0101), velocity=(0, 0, -speed))
    add = m.rigid_contact if rigid else m.contact
    add("hit", ball, pane, shape=Ball(0.01), other=Box((2, 2, 2e-4)), **({} if rigid else {"stiffness": 1e16}))
    m.event("back", lambda b: b.v[2] + 0.99 * speed, ball.at(), direction=1, action="stop")
    r = m.simulate(1000.0, solver="dopri5")
    assert first(r) == pytest.approx(37.0, abs=1e-9 + 1e-9 / speed)
    after = r["ball.vz"][r.t >= first(r)][1 if rigid else -1]
    assert after > -0.995 * speed
    if not rigid:
        assert 0 < r.final["ball.z"] < 0.02


def test_two_bullets_meet():
    m = lw.Model("bullets", gravity=(0, 0))
    for name, side in (("a", -1), ("b", 1)):
        m.body(name, mass=0.01, inertia=1e-7).start(position=(side * 5e5, 1e-3 * side), velocity=(-side * 5e3, 0))
    m.rigid_contact("meet", m["a"], m["b"], shape=Ball(5e-3), other=Ball(5e-3), restitution=1.0)
    r = m.simulate(1e4)
    apart = np.sqrt(0.01**2 - 0.002**2)
    assert first(r) == pytest.approx((1e6 - apart) / 1e4, abs=1e-9)


def test_a_contact_that_is_too_soft_says_so():
    m = plate(False, stiffness=1e3)
    m["ball"].start(position=(0.3, 2.0), velocity=(0, -100.0))
    with pytest.warns(lw.LinkworkWarning, match=r"plate .*too soft"):
        r = m.simulate(1.0)
    assert any(name == "plate gives way" for _, name in r.events)
    m["ball"].start(position=(0.3, 2.0), velocity=(0, -1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.simulate(3.0)


def test_fixed_steps_that_are_too_long_say_so():
    m = plate(False, stiffness=1e9)
    m["ball"].start(position=(0.3, 2.0), velocity=(0, -100.0))
    with pytest.raises(lw.IntegrationError, match=r"plate: what touches would come out behind .*step below 0\.00"):
        m.simulate(1.0, solver="rk4", step=0.01)
    m.simulate(0.1, solver="rk4", step=1e-6)


def test_free_flight_stays_cheap():
    """Far from everything, and skimming a plane: no more steps than without contacts."""
    m = lw.Model("flight")
    ball = m.body("ball", mass=1.0, inertia=0.004).start(position=(0, 1e4), velocity=(50, 0), spin=300.0)
    m.rigid_contact("floor", ball, radius=0.1)
    assert m.simulate(40.0).record["statistics"]["accepted"] <= 110
    m = lw.Model("skim", gravity=(0, 0))
    ball = m.body("ball", mass=1.0, inertia=0.004).start(position=(0, 0.1001), velocity=(500, 0))
    m.contact("floor", ball, radius=0.1)
    assert m.simulate(40.0).record["statistics"]["accepted"] <= 110
