"""Rolling without slip: the benchmark bicycle, a rolling disc and Chaplygin's sledge against independent equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Cylinder
from linkwork.examples import bicycle


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_bicycle_has_the_published_eigenvalues(formulation):
    found = bicycle.model(5.0, push=0).linearize(formulation=formulation).eigenvalues
    weave = -0.77534188219585 + 4.46486771378823j
    published = [-14.07838969279822, weave, weave.conjugate(), -0.32286642900409]
    for value in published:
        assert np.abs(found - value).min() < 1e-8
    assert np.sum(np.abs(found) > 1e-5) == 4  # the others are positions along the road and angles of the wheels


def test_freedoms_of_speeds_and_positions_are_counted_separately():
    report = bicycle.model(5.0, push=0).check()
    assert (report.degrees_of_freedom, report.position_freedoms) == (3, 7)
    assert "for speeds only" in str(report)


def disc(formulation: str, duration: float) -> tuple[lw.Result, np.ndarray]:
    """A tilted, spinning disc on a table; start of its centre, its spin in body axes."""
    m = lw.Model("disc", gravity=(0, 0, -9.81))
    tilt, radius = 0.4, 0.5
    R = np.array(
        [[1, 0, 0], [0, np.cos(np.pi / 2 - tilt), -np.sin(np.pi / 2 - tilt)],
         [0, np.sin(np.pi / 2 - tilt), np.cos(np.pi / 2 - tilt)]]
    )  # fmt: skip
    body = m.body("disc", mass=1.2, inertia=(0.075, 0.075, 0.15))
    m.rolling("contact", body.at(), radius=radius)
    spin = R @ np.array([0.3, 0.8, 6.0])
    arm = radius * (np.array([0, 0, 1.0]) - R[2, 2] * R[:, 2]) / np.sqrt(1 - R[2, 2] ** 2)  # contact to centre
    body.start(position=(0, 0, arm[2]), rotation=R, velocity=np.cross(spin, arm), spin=spin)
    return m.simulate(duration, formulation=formulation, rtol=1e-11, atol=1e-12, solver="dop853"), R.T @ spin


def borisov_mamaev_kilin(times: np.ndarray, w0: np.ndarray, g0: np.ndarray) -> np.ndarray:
    """γ over time (ACA): M = Iω + m r×(ω×r), Ṁ = M×ω + m ṙ×(ω×r) + m g r×γ, γ̇ = γ×ω, in body axes."""
    mass, radius, inertia = 1.2, 0.5, np.diag([0.075, 0.075, 0.15])

    def contact(g):
        return -radius * np.array([g[0], g[1], 0]) / np.sqrt(1 - g[2] ** 2)

    def momentum(g):
        c = contact(g)
        return inertia + mass * (c @ c * np.eye(3) - np.outer(c, c))

    def rates(t, y):
        M, g = y[:3], y[3:]
        w = np.linalg.solve(momentum(g), M)
        dg = np.cross(g, w)
        c, step = contact(g), 1e-7
        dc = (contact(g + step * dg) - contact(g - step * dg)) / (2 * step)
        return [*(np.cross(M, w) + mass * np.cross(dc, np.cross(w, c)) + mass * 9.81 * np.cross(c, g)), *dg]

    start = [*(momentum(g0) @ w0), *g0]
    s = solve_ivp(rates, (0, times[-1]), start, "DOP853", t_eval=times, rtol=1e-10, atol=1e-11)
    return s.y[3:].T


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_disc_follows_the_equations_of_borisov_mamaev_and_kilin(formulation):
    r, w0 = disc(formulation, 5.0)
    e0, e1, e2, e3 = (r[f"disc.q{i}"] for i in range(4))
    gamma = np.column_stack([2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), e0**2 - e1**2 - e2**2 + e3**2])
    assert np.abs(gamma - borisov_mamaev_kilin(r.t, w0, gamma[0])).max() < 1e-7
    assert np.ptp(r["energy.total"]) < 1e-7
    assert r["residual.velocity"].max() < 1e-9


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_sledge_turns_towards_its_steady_motion(formulation):
    """Chaplygin's sledge: v̇ = a ω², ω̇ = −m a v ω / (J + m a²), v along the blade at its contact."""
    m = lw.Model("sledge", gravity=(0, 0))
    body = m.body("body", mass=2, inertia=0.3)
    m.knife_edge("blade", body.at(-0.2, 0))
    body.start(position=(0, 0), angle=0, velocity=(1.0, 0.2 * 3.0), spin=3.0)
    r = m.simulate(2, formulation=formulation, rtol=1e-10)
    s = solve_ivp(
        lambda t, y: [0.2 * y[1] ** 2, -2 * 0.2 * y[0] * y[1] / (0.3 + 2 * 0.04)],
        (0, 2), [1.0, 3.0], t_eval=r.t, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    assert np.allclose(r["body.wz"], s.y[1], atol=1e-8)
    assert np.ptp(r["energy.total"]) < 1e-8


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_cylinder_rolls_down_a_slope(formulation):
    """In the plane: a = g sin β / (1 + J/(m r²))."""
    m = lw.Model("slope", gravity=(9.81 * np.sin(0.3), -9.81 * np.cos(0.3)))
    wheel = m.body("wheel", mass=2, inertia=0.09).start(position=(0, 0.3), angle=0)
    m.rolling("contact", wheel, radius=0.3)
    r = m.simulate(1, formulation=formulation)
    assert r["wheel.x"][-1] == pytest.approx(9.81 * np.sin(0.3) / 1.5 / 2, abs=1e-8)
    assert r["wheel.angle"][-1] == pytest.approx(-r["wheel.x"][-1] / 0.3, abs=1e-8)


def test_ball_on_a_turntable_circles():
    """With 2/7 of the table's speed if it is uniform: here 2 rad/s, so that it is back after π seconds."""
    m = lw.Model("turntable", gravity=(0, 0, -9.81))
    table = m.body("table", mass=50, inertia=(5, 5, 5))
    m.revolute("spindle", m.ground.at(0, 0, 0), table.at()).angle.law(lw.Motion(lambda t: 7.0 * t))
    ball = m.body("ball", mass=1, inertia=(0.4 * 0.01,) * 3).start(position=(1, 0, 0.1))
    m.rolling("contact", ball, table, radius=0.1, crown=0.1)
    ball.start(velocity=(0.3, 0, 0))
    r = m.simulate(np.pi, rtol=1e-10)
    assert np.hypot(r["ball.x"][-1] - 1, r["ball.y"][-1]) < 1e-7
    assert np.ptp(r["ball.y"]) == pytest.approx(0.3, abs=1e-4)  # the circle's diameter, 2 v/ω
    assert np.ptp(np.hypot(r["ball.vx"], r["ball.vy"])) < 1e-7


def swinging(start: float, times: np.ndarray) -> np.ndarray:
    """Angle of a ball of radius 0.2 that rolls inside a circle of radius 1: φ̈ = −5 g sin φ / (7 (R − r))."""
    s = solve_ivp(
        lambda t, y: [y[1], -5 * 9.81 / (7 * 0.8) * np.sin(y[0])],
        (0, times[-1]), [start, 0.0], t_eval=times, rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    return s.y[0]


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_ball_swings_in_a_hollow_ball(formulation):
    """Up to 2 rad, beyond the equator."""
    m = lw.Model("hollow", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=1.5, inertia=(0.4 * 1.5 * 0.04,) * 3)
    m.rolling("contact", ball, radius=0.2, crown=0.2, other=Ball(1.0, inside=True))
    ball.start(position=(0.8 * np.sin(2.0), 0, -0.8 * np.cos(2.0)), velocity=(0, 0, 0), spin=(0, 0, 0))
    r = m.simulate(3, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.abs(np.arctan2(r["ball.x"], -r["ball.z"]) - swinging(2.0, r.t)).max() < 1e-7
    assert np.ptp(r["energy.total"]) < 1e-7


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_circle_swings_on_ground_that_is_a_circle(formulation):
    """The same, on y = h(x)."""
    m = lw.Model("bowl", gravity=(0, -9.81))
    ball = m.body("ball", mass=1.5, inertia=0.4 * 1.5 * 0.04)
    m.rolling("contact", ball, radius=0.2, height=lambda x: 1 - lw.sqrt(1 - x * x))
    ball.start(position=(0.8 * np.sin(0.8), 1 - 0.8 * np.cos(0.8)), angle=0, velocity=(0, 0), spin=0)
    r = m.simulate(3, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.abs(np.arctan2(r["ball.x"], 1 - r["ball.y"]) - swinging(0.8, r.t)).max() < 1e-8
    assert np.ptp(r["energy.total"]) < 1e-8


def test_ball_in_a_tube_comes_up_again():
    """Rolling inside an upright tube it goes up and down for ever with √(2/7) of the frequency it circles with."""
    m = lw.Model("tube", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=1.5, inertia=(0.4 * 1.5 * 0.01,) * 3)
    m.rolling("contact", ball, radius=0.1, crown=0.1, other=Cylinder(0.6, inside=True))
    turns = 12.0
    ball.start(position=(0.5, 0, 0), velocity=(0, turns * 0.5, 0), spin=(0, 0, -turns * 5.0))
    period = 2 * np.pi / (turns * np.sqrt(2 / 7))
    r = m.simulate(2 * period, rtol=1e-10, atol=1e-12, output=period / 200)
    assert r["ball.z"][[200, 400]] == pytest.approx(0, abs=1e-7)
    assert r["ball.z"].min() == pytest.approx(-2 * (5 / 7) * 9.81 / (2 / 7 * turns**2), rel=1e-7)
    assert np.ptp(r["energy.total"]) < 1e-7


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "bondgraph"])
def test_ball_on_a_paraboloid(formulation):
    """Against the equations of rolling written out by hand: m ẍ = F + m g, J ω̇ = −r n × F, ẋ = r ω × n."""
    k, radius, mass, inertia = 0.6, 0.2, 1.5, 0.4 * 1.5 * 0.04
    m = lw.Model("bowl", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=mass, inertia=(inertia,) * 3)
    m.rolling("contact", ball, radius=radius, crown=radius, height=lambda x, y: k * (x * x + y * y))
    foot = np.array([0.5, 0.2])
    spin = np.array([0.7, -1.1, 4.0])

    def normal(u):
        n = np.array([-2 * k * u[0], -2 * k * u[1], 1.0])
        return n / np.linalg.norm(n)

    place = np.array([*foot, k * foot @ foot]) + radius * normal(foot)
    ball.start(position=place, velocity=np.cross(spin, radius * normal(foot)), spin=spin)
    r = m.simulate(2, formulation=formulation, rtol=1e-10, atol=1e-12)

    def turning(u, w):
        """Foot's and normal's velocity: the centre is the foot's place on the offset surface."""
        columns, step = [], 1e-6
        for e in np.eye(2):
            ahead, behind = (np.array([*v, k * v @ v]) + radius * normal(v) for v in (u + step * e, u - step * e))
            columns.append((ahead - behind) / (2 * step))
        rate = np.linalg.lstsq(np.column_stack(columns), np.cross(w, radius * normal(u)), rcond=None)[0]
        return rate, (normal(u + step * rate) - normal(u - step * rate)) / (2 * step)

    def rates(t, y):
        u, w = y[:2], y[2:]
        n, (rate, dn) = normal(u), turning(u, w)
        # J ω̇ = −r n × (m ẍ − m g), ẍ = r ω̇ × n + r ω × ṅ; n × (ω̇ × n) = ω̇ − n (n·ω̇)
        known = -radius * mass * np.cross(n, radius * np.cross(w, dn) + np.array([0, 0, 9.81]))
        matrix = inertia * np.eye(3) + mass * radius**2 * (np.eye(3) - np.outer(n, n))
        return [*rate, *np.linalg.solve(matrix, known)]

    s = solve_ivp(rates, (0, 2), [*foot, *spin], "DOP853", t_eval=r.t, rtol=1e-9, atol=1e-10)
    for i, c in enumerate("xyz"):
        assert np.abs(r[f"ball.w{c}"] - s.y[2 + i]).max() < 1e-6
    assert np.ptp(r["energy.total"]) < 1e-7
    assert r["residual.position"].max() < 1e-10 and r["residual.velocity"].max() < 1e-10


@pytest.mark.parametrize("formulation", ["absolute", pytest.param("minimal", marks=pytest.mark.slow)])
def test_disc_on_uneven_ground(formulation):
    m = lw.Model("disc", gravity=(0, 0, -9.81))
    body = m.body("disc", mass=1.2, inertia=(0.075, 0.075, 0.15))
    m.rolling("contact", body, radius=0.5, crown=0.05, height=lambda x, y: 0.1 * lw.sin(1.5 * x) * lw.cos(y))
    c, s = np.sin(0.3), np.cos(0.3)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    body.start(position=(0, 0, 0.49), rotation=R, spin=R @ np.array([0.3, 0.5, 6.0]))
    r = m.simulate(3, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.ptp(r["disc.z"]) > 0.2  # it goes up and down
    assert np.ptp(r["energy.total"]) < 1e-7
    assert r["residual.position"].max() < 1e-10 and r["residual.velocity"].max() < 1e-10


def test_speed_condition_and_bad_input():
    m = lw.Model("tied", gravity=(0, 0))
    body = m.body("body", mass=1, inertia=1)
    m.speed_condition("tied", lambda a: a.v[0] - 2 * a.v[1], body)
    m.force("push", body, (1.0, 0.0))
    r = m.simulate(1)
    assert r["body.x"][-1] == pytest.approx(0.4, abs=1e-9)  # along (2, 1)/√5: a = 4/5, x = a/2
    with pytest.raises(lw.LinkworkError, match="radius"):
        m.rolling("bad", body, radius=-1)
    with pytest.raises(lw.LinkworkError, match="own body"):
        m.rolling("bad", body, body, radius=1)
    with pytest.raises(lw.LinkworkError, match="crown"):
        m.rolling("bad", body, radius=1, crown=2)
    with pytest.raises(lw.LinkworkError, match="both"):
        m.rolling("bad", body, radius=1, height=lambda x: x, other=Ball(1.0))
    with pytest.raises(lw.LinkworkError, match="neither"):
        m.speed_condition("bad", lambda a: a, 3)
