"""Rolling without slip: the benchmark bicycle, a rolling disc and Chaplygin's sledge against independent equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

ALONG_Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Axes of a frame whose z axis is the world's y."""


def bicycle(speed: float) -> lw.Model:
    """Whipple's bicycle with the data of Meijaard et al. (2007): x forward, z down."""
    tilt, w, c, rear_radius, front_radius = np.pi / 10, 1.02, 0.08, 0.3, 0.35
    m = lw.Model("bicycle", gravity=(0, 0, 9.81))
    rear = m.body("rear", mass=2, inertia=(0.0603, 0.12, 0.0603)).start(position=(0, 0, -rear_radius))
    frame = m.body("frame", mass=85, inertia=(9.2, 11, 2.8, 0, 2.4, 0)).start(position=(0.3, 0, -0.9))
    fork = m.body("fork", mass=4, inertia=(0.05892, 0.06, 0.00708, 0, -0.00756, 0)).start(position=(0.9, 0, -0.7))
    front = m.body("front", mass=3, inertia=(0.1405, 0.28, 0.1405)).start(position=(w, 0, -front_radius))
    m.revolute("hub", frame, rear, point=(0, 0, -rear_radius), axis=(0, 1, 0))
    m.revolute("steer", frame, fork, point=(w + c, 0, 0), axis=(np.sin(tilt), 0, np.cos(tilt)))
    m.revolute("axle", fork, front, point=(w, 0, -front_radius), axis=(0, 1, 0))
    road = m.ground.at(0, 0, 0, rotation=np.diag([1.0, -1, -1]))
    m.rolling("rear-contact", rear.at(rotation=ALONG_Y), road, radius=rear_radius)
    m.rolling("front-contact", front.at(rotation=ALONG_Y), road, radius=front_radius)
    frame.start(velocity=(speed, 0, 0), spin=(0, 0, 0))
    return m


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_bicycle_has_the_published_eigenvalues(formulation):
    found = bicycle(5.0).linearize(formulation=formulation).eigenvalues
    weave = -0.77534188219585 + 4.46486771378823j
    published = [-14.07838969279822, weave, weave.conjugate(), -0.32286642900409]
    for value in published:
        assert np.abs(found - value).min() < 1e-8
    assert np.sum(np.abs(found) > 1e-5) == 4  # the others are positions along the road and angles of the wheels


def test_freedoms_of_speeds_and_positions_are_counted_separately():
    report = bicycle(5.0).check()
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
    with pytest.raises(lw.LinkworkError, match="neither"):
        m.speed_condition("bad", lambda a: a, 3)
