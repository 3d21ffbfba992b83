"""Vehicles that roll or have tyres, against equations that are derived and integrated here, without Linkwork."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import bicycle, car, rolling_disc, wheelset


def borisov_mamaev_kilin(times: np.ndarray, w0: np.ndarray, g0: np.ndarray) -> np.ndarray:
    """M and γ over time, body axes (ACA 4.1): Ṁ = M×ω + m ṙ×(ω×r) + m g r×γ, γ̇ = γ×ω, M = Iω + m r×(ω×r)."""
    mass, weight = rolling_disc.MASS, rolling_disc.MASS * rolling_disc.GRAVITY
    M, g = ca.SX.sym("M", 3), ca.SX.sym("g", 3)
    r = -rolling_disc.RADIUS * ca.vertcat(g[0], g[1], 0) / ca.sqrt(g[0] ** 2 + g[1] ** 2)
    inertia = ca.diag(rolling_disc.INERTIA) + mass * (ca.dot(r, r) * ca.SX.eye(3) - r @ r.T)
    w = ca.solve(inertia, M)
    turning = ca.cross(g, w)
    moving = ca.jtimes(r, g, turning)
    rate = ca.cross(M, w) + mass * ca.cross(moving, ca.cross(w, r)) + weight * ca.cross(r, g)
    system = {"x": ca.vertcat(M, g), "ode": ca.vertcat(rate, turning)}
    tight = {"abstol": 1e-13, "reltol": 1e-13, "max_num_steps": 10**7}
    adams = {"linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional"}
    solve = ca.integrator("bmk", "cvodes", system, 0.0, list(times[1:]), tight | adams)
    start = ca.vertcat(ca.Function("start", [g], [inertia])(g0) @ w0, g0)
    return np.vstack([np.array(start).T, np.array(solve(x0=start)["xf"]).T])


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_disc_over_several_hundred_time_units(formulation):
    """ACA's own figure: ω, M and γ agree to 1e-7 after hundreds of time units."""
    m = rolling_disc.model()
    r = m.simulate(300, formulation=formulation, solver="dop853", rtol=1e-12, atol=1e-12, output=1.0)
    e0, e1, e2, e3 = (r[f"disc.q{i}"] for i in range(4))
    x = np.column_stack([e0**2 + e1**2 - e2**2 - e3**2, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)])
    y = np.column_stack([2 * (e1 * e2 - e0 * e3), e0**2 - e1**2 + e2**2 - e3**2, 2 * (e2 * e3 + e0 * e1)])
    axes = np.stack([x, y, np.cross(x, y)], axis=1)  # rows: the disc's axes in the world
    spin = np.einsum("kij,kj->ki", axes, np.column_stack([r[f"disc.w{k}"] for k in "xyz"]))
    gamma = axes[:, :, 2]
    reference = borisov_mamaev_kilin(r.t, spin[0], gamma[0])
    arm = -rolling_disc.RADIUS * np.column_stack([gamma[:, 0], gamma[:, 1], 0 * r.t])
    arm /= np.hypot(gamma[:, 0], gamma[:, 1])[:, None]
    inertia = np.array(rolling_disc.INERTIA) + 0 * spin
    momentum = inertia * spin + rolling_disc.MASS * np.cross(arm, np.cross(spin, arm))
    assert np.abs(momentum - reference[:, :3]).max() < 1e-7
    assert np.abs(gamma - reference[:, 3:]).max() < 1e-7
    assert np.abs(spin - _spin_of(reference)).max() < 1e-7
    assert np.ptp(gamma[:, 2]) > 0.1  # it does wobble
    assert np.ptp(r["energy.total"]) < 1e-8


def _spin_of(reference: np.ndarray) -> np.ndarray:
    """ω of M and γ, solved sample by sample."""
    found = []
    for M, g in zip(reference[:, :3], reference[:, 3:], strict=True):
        r = -rolling_disc.RADIUS * np.array([g[0], g[1], 0]) / np.hypot(g[0], g[1])
        inertia = np.diag(rolling_disc.INERTIA) + rolling_disc.MASS * (r @ r * np.eye(3) - np.outer(r, r))
        found.append(np.linalg.solve(inertia, M))
    return np.array(found)


def ideal_wheelset(times: np.ndarray, left: float = 0.4, right: float = 0.7) -> dict[str, np.ndarray]:
    """ACA (9)–(13) as twelve linear equations; y is up, z points to the right, wheel 1 is the right-hand one.

    The contact forces of (11), (12) do no work only if (13) reads L φ̇ = R (φ̇₂ − φ̇₁), with a_z in (10) accordingly.
    """
    R, L = wheelset.RADIUS, wheelset.LENGTH
    mass = 2 * wheelset.WHEEL + wheelset.ROD
    spin, rod = wheelset.WHEEL_INERTIA[1], wheelset.ROD_INERTIA[1]
    yaw = 2 * (wheelset.WHEEL_INERTIA[2] + wheelset.WHEEL * L**2 / 4) + wheelset.ROD_INERTIA[2]
    names = {name: k for k, name in enumerate(("f1", "f2", "f", "fr", "ax", "ay", "az", "X1", "X2", "Y1", "Y2", "Z"))}

    def solved(t: float, rates: np.ndarray) -> np.ndarray:
        d1, d2, d, dr = rates
        A, b = np.zeros((12, 12)), np.zeros(12)

        def row(k: int, value: float, **terms: float) -> None:
            for name, factor in terms.items():
                A[k, names[name]] = factor
            b[k] = value

        row(0, 0, ax=mass, X1=-1, X2=-1)
        row(1, -mass * 9.81, ay=mass, Y1=-1, Y2=-1)
        row(2, 0, az=mass, Z=-1)
        row(3, 0, ax=1, f1=R / 2, f2=R / 2)
        row(4, 0, ay=1)
        row(5, R**2 / (2 * L) * (d2**2 - d1**2), az=1)
        row(6, -right * np.sin(t), f1=spin, X1=-R)
        row(7, -left * np.sin(t), f2=spin, X2=-R)
        row(8, 0, fr=rod)
        row(9, d * (spin * (d1 + d2) + rod * dr), Y2=L / 2, Y1=-L / 2, Z=-R)
        row(10, 0, f=yaw, X1=-L / 2, X2=L / 2)
        row(11, 0, f=L, f1=R, f2=-R)
        return np.linalg.solve(A, b)

    def rhs(t: float, y: np.ndarray) -> list[float]:
        d1, d2 = y[:2]
        speed = -R / 2 * (d1 + d2)
        return [*solved(t, y[:4])[:4], 0, 0, y[2], speed * np.cos(y[6]), speed * np.sin(y[6])]

    start = [-1 / R, -1 / R, 0, 0, 0, 0, 0, 0, 0]
    y = solve_ivp(rhs, (0, times[-1]), start, "DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y
    forces = np.array([solved(t, rates) for t, rates in zip(times, y[:4].T, strict=True)])
    found = {"right": y[0], "left": y[1], "yaw": y[6], "x": y[7], "y": y[8]}
    return found | {name: forces[:, names[name]] for name in ("X1", "X2", "Y1", "Y2", "Z")}


def observed(r: lw.Result) -> dict[str, np.ndarray]:
    """The same quantities of a run."""
    across = [r[f"left-wheel.{k}"] - r[f"right-wheel.{k}"] for k in "xy"]
    yaw = np.unwrap(np.arctan2(-across[0], across[1]))
    c, s = np.cos(yaw), np.sin(yaw)
    push = {side: [-r[f"{side}-contact.multiplier{k}"] for k in (1, 2, 3)] for side in ("left", "right")}
    ahead = {side: c * x + s * y for side, (_, x, y) in push.items()}
    aside = {side: s * x - c * y for side, (_, x, y) in push.items()}
    found = {side: s * r[f"{side}-wheel.wx"] - c * r[f"{side}-wheel.wy"] for side in ("left", "right")} | {"yaw": yaw}
    found |= {"x": r["rod.x"], "y": r["rod.y"], "X1": ahead["right"], "X2": ahead["left"]}
    return found | {"Y1": push["right"][0], "Y2": push["left"][0], "Z": aside["left"] + aside["right"]}


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_ideal_wheelset(formulation):
    """Rigid pins: the axial force is shared in one of many ways, all else is what (9)–(13) say."""
    m = wheelset.model(compliant=False)
    report = m.check()
    assert report.degrees_of_freedom == 3 and len(report.redundant) == 1
    assert not report.unique["left"] and not report.unique["right"]
    r = m.simulate(10, formulation=formulation, rtol=1e-10, atol=1e-12, output=0.1)
    reference, found = ideal_wheelset(r.t), observed(r)
    for name, values in reference.items():
        assert np.abs(found[name] - values).max() < 2e-7, name  # contact forces too
    assert np.hypot(r["rod.wx"], r["rod.wy"]).max() < 1e-6  # nothing turns the rod about the axle
    assert np.ptp(reference["yaw"]) > 1 and np.ptp(reference["Y1"]) > 1


def test_wheelset_as_the_compliance_vanishes():
    """c = 1000, d = 5000 as in ACA, then stiffer: what separates it from the ideal one shrinks in proportion."""
    m = wheelset.model()
    assert m.check().degrees_of_freedom == 4
    ideal, apart = None, []
    for factor in (1, 10, 100):
        soft = {"stiffness": 1000.0 * factor, "damping": 5000.0 * factor}
        r = m.simulate(10, parameters=soft, rtol=1e-9, atol=1e-12, output=0.1)
        ideal = ideal_wheelset(r.t) if ideal is None else ideal
        apart.append(max(np.abs(r["rod.x"] - ideal["x"]).max(), np.abs(r["rod.y"] - ideal["y"]).max()))
    assert apart[0] < 1e-2
    assert apart[1] == pytest.approx(apart[0] / 10, rel=0.1)
    assert apart[2] == pytest.approx(apart[1] / 10, rel=0.1)


def test_bicycle_rights_itself():
    """At 5 m/s all modes are stable: the push dies out, and energy is what the push brought in."""
    r = bicycle.model().simulate(12)
    lean = np.abs(r["frame.wx"])
    assert lean[r.t < 1].max() > 0.05 and lean[r.t > 11].max() < 1e-3
    assert np.abs(r["steer.angle"]).max() > 0.01 and np.abs(r["steer.angle"][r.t > 11]).max() < 1e-3
    balance = r["energy.total"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-6 * abs(balance[0])


def test_car_settles_at_the_loads_of_the_lever():
    """Dropped from 10 mm above its rest, rolling: loads become those of the lever rule."""
    m = car.model(speed=10.0, steer=0.0, bump=0.0)
    for part in m.of_type(type(m["chassis"])):
        part.start(position=part.start_pose().p + lw.shift(0, 0, 0.01).p)
    r = m.simulate(5, output=0.05, solver="dopri5")
    assert r["front-left-tyre.load"][0] < 0.6 * car.wheel_load(True)
    for front in (True, False):
        for side in ("left", "right"):
            load = r[f"{'front' if front else 'rear'}-{side}-tyre.load"][-1]
            assert load == pytest.approx(car.wheel_load(front), rel=1e-4)


@pytest.fixture(scope="module")
def road_car() -> lw.Model:
    """Derived and compiled once; runs differ in parameters only."""
    return car.model()


def test_car_corners_as_the_single_track_formula_says(road_car):
    """Yaw rate of steady cornering: v δ / (L + K v²), K = m_front/C_front − m_rear/C_rear of the axles."""
    mass = [2 * car.wheel_load(front) / car.GRAVITY for front in (True, False)]
    understeer = mass[0] / (2 * car.CORNERING[0]) - mass[1] / (2 * car.CORNERING[1])
    for speed in (10.0, 17.5, 25.0):
        r = road_car.simulate(8, output=0.1, solver="dopri5", parameters={"steer": 1e-3, "bump": 0.0, "speed": speed})
        expected = speed * 1e-3 / (car.BASE + understeer * speed**2)
        assert r["chassis.wz"][-1] == pytest.approx(expected, rel=1e-4)
        slip = [r[f"{end}-left-tyre.slip_angle"][-1] for end in ("front", "rear")]
        for alpha, m_axle, stiffness in zip(slip, mass, car.CORNERING, strict=True):
            lateral = m_axle * speed * expected / 2
            assert alpha == pytest.approx(-lateral / stiffness, rel=0.02)


def test_car_over_a_bump_lifts_a_wheel_and_keeps_its_energy_balance(road_car):
    r = road_car.simulate(2, parameters={"bump": 0.08, "steer": 0.0})
    assert r["rear-left-tyre.load"].min() == 0  # it jumps
    assert {name for _, name in r.events} >= {"rear-left-tyre.switch"}
    assert np.ptp(r["rear-left-tyre.load"][r.t > 1.9]) < 0.1 * car.wheel_load(False)  # and lands
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-8 * r["energy.kinetic"][0]
    assert (np.diff(r["energy.dissipated"]) > -1e-9).all()


def test_car_on_ice_slides(road_car):
    """Resultant of each tyre stays below friction × load, however far the wheels are turned."""
    r = road_car.simulate(4, solver="dopri5", parameters={"friction": 0.1, "steer": 0.3, "bump": 0.0})
    for name in ("front-left", "front-right", "rear-left", "rear-right"):
        used = np.hypot(r[f"{name}-tyre.ahead"], r[f"{name}-tyre.aside"])
        assert (used <= 0.1 * r[f"{name}-tyre.load"] * (1 + 1e-9)).all()
    assert np.hypot(r["chassis.ax"], r["chassis.ay"])[r.t > 3].max() < 0.11 * 9.81
    assert r["front-left-tyre.slip_angle"].min() < -0.1
