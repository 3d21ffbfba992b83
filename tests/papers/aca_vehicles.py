"""ACA section 4: rolling disc, wheelset, snakeboard; its wishes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import linkwork as lw
from linkwork.examples import bicycle, car, rolling_disc, snakeboard, wheelset

from ..reference.test_snakeboard import apart, ideal
from ..reference.test_vehicles import borisov_mamaev_kilin, ideal_wheelset, observed
from .audit import Finding, item, missing, off, once, same

aca = partial(item, "ACA")


# 4.1: rolling disc


@once
def disc() -> lw.Result:
    return rolling_disc.model().simulate(300, solver="dop853", rtol=1e-12, atol=1e-12, output=1.0)


@once
def disc_vectors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes of the disc (rows), angular velocity and upward direction γ in them, over time."""
    r = disc()
    e0, e1, e2, e3 = (r[f"disc.q{i}"] for i in range(4))
    x = np.column_stack([e0**2 + e1**2 - e2**2 - e3**2, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)])
    y = np.column_stack([2 * (e1 * e2 - e0 * e3), e0**2 - e1**2 + e2**2 - e3**2, 2 * (e2 * e3 + e0 * e1)])
    axes = np.stack([x, y, np.cross(x, y)], axis=1)
    spin = np.einsum("kij,kj->ki", axes, np.column_stack([r[f"disc.w{k}"] for k in "xyz"]))
    return axes, spin, axes[:, :, 2]


def arms() -> np.ndarray:
    """From the centre to the contact point, in the disc: x_B, y_B, z_B of the closed form."""
    gamma = disc_vectors()[2]
    return (
        -rolling_disc.RADIUS
        * np.column_stack([gamma[:, 0], gamma[:, 1], 0 * gamma[:, 0]])
        / np.sqrt(1 - gamma[:, 2:] ** 2)
    )


@aca("(5)–(8), Fig. 6", "contact point: on the rim, on the plane, its tangent level", "m.rolling", slow=True)
def contact_point() -> Finding:
    axes, _, _ = disc_vectors()
    r, arm = disc(), arms()
    place = np.einsum("kji,kj->ki", axes, arm) + np.column_stack([r[f"disc.{k}"] for k in "xyz"])
    tangent = np.einsum("kji,kj->ki", axes, np.column_stack([-arm[:, 1], arm[:, 0], 0 * arm[:, 0]]))
    return off(
        [place[:, 2], tangent[:, 2], np.linalg.norm(arm, axis=1) - rolling_disc.RADIUS],
        1e-9,
        "m",
        "300 s, height of the point, slope of the tangent, radius",
    )


@aca("Sec. 4.1", "no slip: the contact point of the disc is at rest", "m.rolling", slow=True)
def no_slip() -> Finding:
    axes, spin, _ = disc_vectors()
    r = disc()
    velocity = np.column_stack([r[f"disc.v{k}"] for k in "xyz"])
    return off(velocity + np.einsum("kji,kj->ki", axes, np.cross(spin, arms())), 1e-9, "m/s", "300 s, slip")


@aca(
    "Sec. 4.1, Fig. 5",
    "against Ṁ and γ̇ of the classic equations over hundreds of time units",
    "examples/rolling_disc.py",
    slow=True,
)
def classic_disc() -> Finding:
    _, spin, gamma = disc_vectors()
    exact = borisov_mamaev_kilin(disc().t, spin[0], gamma[0])
    momentum = np.array(rolling_disc.INERTIA) * spin + rolling_disc.MASS * np.cross(arms(), np.cross(spin, arms()))
    return off([momentum - exact[:, :3], gamma - exact[:, 3:]], 1e-7, "", "M and γ after 300 s; the paper has 1e-7")


@aca("Sec. 4.1", "rolling is not holonomic: freedoms of speeds and of positions", "m.check")
def nonholonomic() -> Finding:
    report = rolling_disc.model().check()
    return same((report.degrees_of_freedom, report.position_freedoms), (3, 5), "disc, of speeds and of positions:")


# 4.2: wheelset


@once
def rigid() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], lw.Result]:
    """What (9)–(13) say, what a run with rigid pins has, and the run."""
    r = wheelset.model(compliant=False).simulate(10, rtol=1e-10, atol=1e-12, output=0.1)
    return ideal_wheelset(r.t), observed(r), r


def differ(*names: str) -> list[np.ndarray]:
    exact, found, _ = rigid()
    return [found[n] - exact[n] for n in names]


@aca("(9)", "motion of the mass centre under the contact forces", "examples/wheelset.py", slow=True)
def wheelset_forces() -> Finding:
    return off(differ("X1", "X2", "Y1", "Y2", "Z"), 1e-6, "N", "10 s, five forces of (9)–(13) differ by")


@aca("(10)", "acceleration of the mass centre from the wheels", "examples/wheelset.py", slow=True)
def wheelset_path() -> Finding:
    return off(differ("x", "y"), 1e-6, "m", "10 s, path differs by")


@aca("(11)", "spin of wheels; the rod keeps its own", "examples/wheelset.py", slow=True)
def wheelset_spins() -> Finding:
    r = rigid()[2]
    return off([*differ("left", "right"), np.hypot(r["rod.wx"], r["rod.wy"])], 1e-6, "rad/s", "10 s, differ by")


@aca("(12)", "turning of the whole", "examples/wheelset.py", slow=True)
def wheelset_yaw() -> Finding:
    return off(differ("yaw"), 1e-6, "rad", "10 s, heading differs by")


@aca(
    "(13), Fig. 8, misprint",
    "yaw from the wheels: with (12) as it stands L φ̇ = R (φ̇₂ − φ̇₁); printed is its negative",
    "examples/wheelset.py",
    slow=True,
)
def wheelset_signs() -> Finding:
    _, found, r = rigid()
    yaw = np.gradient(found["yaw"], r.t)
    turned = wheelset.RADIUS * (found["left"] - found["right"]) / wheelset.LENGTH
    wrong = np.abs(yaw + turned).max()
    assert wrong > 0.1
    return off(
        (yaw - turned)[2:-2], 2e-3, "rad/s", f"printed, off by {wrong:.1f} rad/s; mended, by differences of the heading"
    )


@aca("Sec. 4.2", "rigid pins leave the axial force open", "m.check")
def open_force() -> Finding:
    report = wheelset.model(compliant=False).check()
    return same(
        (len(report.redundant), report.unique["left"], report.unique["right"]),
        (1, False, False),
        "redundant rows; unique left, right:",
    )


@aca(
    "Sec. 4.2, Fig. 7",
    "compliance adds two freedoms",
    "m.check",
    slow=True,
    weaker="one: wheels that do not slip hold their ends of the axle, only the rod between them is free to slide",
)
def added_freedoms() -> Finding:
    found = [wheelset.model(compliant=k).check().degrees_of_freedom for k in (False, True)]
    return same(found, [3, 4], "freedoms of speeds, rigid and compliant:")


@aca("Sec. 4.2", "with c = 1000, d = 5000 it is close to the ideal one", "m.spring_ideal", slow=True)
def compliant_wheelset() -> Finding:
    r = wheelset.model().simulate(10, rtol=1e-9, atol=1e-12, output=0.1)
    exact = ideal_wheelset(r.t)
    return off([r["rod.x"] - exact["x"], r["rod.y"] - exact["y"]], 1e-2, "m", "way of 11 m, apart by")


@aca("Sec. 4.2", "external forces and torques on the wheelset", "examples/wheelset.py", slow=True)
def external() -> Finding:
    r = rigid()[2]
    return off(
        np.ptp(r["energy.total"] - r["energy.supplied"]),
        1e-6,
        "J",
        "torques on the wheels, energy less their work changes by",
    )


# 4.3: snakeboard


@once
def board(gait: str) -> lw.Result:
    """Three periods, with what Lewis and others neglect scaled by 1e-7."""
    m = snakeboard.model(gait)
    return m.simulate(6 * np.pi, parameters={"neglected": 1e-7}, rtol=1e-10, atol=1e-12, output=np.pi / 30)


@aca("Sec. 4.3", "servo constraints drive axles and flywheel", "m.fixed_servo", slow=True)
def servos() -> Finding:
    r = board("drive")
    return off(
        [r["front.angle"] - 0.3 * np.sin(r.t), r["rider.angle"] - 0.7 * np.sin(r.t)],
        1e-8,
        "rad",
        "angles against a sin ωt",
    )


@aca("Sec. 4.3, Fig. 9", "static indeterminacy of the coupler, and its cure", "m.check", slow=True)
def indeterminate() -> Finding:
    stiff, soft = (snakeboard.model(compliant=k).check() for k in (False, True))
    return same(
        (len(stiff.redundant) > 0, len(soft.redundant)), (True, 0), "redundant with rigid pins, rows with springs:"
    )


@aca("Fig. 10", "gait drive: ahead, faster and faster", "examples/snakeboard.py", slow=True)
def drive() -> Finding:
    r = board("drive")
    assert np.hypot(r["flywheel.x"], r["flywheel.y"])[-1] > 1
    return off(apart(r, "drive"), 1e-6, "m", "more than 1 m in three periods; off the ideal path")


@aca("Fig. 11", "gait rotate: turns where it is", "examples/snakeboard.py", slow=True)
def rotate() -> Finding:
    r = board("rotate")
    assert np.ptp(ideal("rotate", r.t)[2]) > 0.3 and np.hypot(r["flywheel.x"], r["flywheel.y"]).max() < 0.1
    return off(apart(r, "rotate"), 1e-6, "m", "turned by more than 0.3 rad within 0.1 m; off the ideal path")


@aca("Fig. 12", "gait parking: sideways", "examples/snakeboard.py", slow=True)
def parking() -> Finding:
    r = board("parking")
    assert r["flywheel.y"][-1] > 0.02 and abs(r["flywheel.x"][-1]) < 1e-4
    return off(apart(r, "parking"), 1e-6, "m", "more than 2 cm aside; off the ideal path")


@aca("Fig. 13", "closeness of the models as the neglected inertias vanish", "examples/snakeboard.py", slow=True)
def closeness() -> Finding:
    m = snakeboard.model("rotate")
    found = []
    for share in (1.0, 1e-2):
        r = m.simulate(6 * np.pi, parameters={"neglected": share}, rtol=1e-10, atol=1e-12, output=np.pi / 30)
        found.append(apart(r, "rotate"))
    return off(found[1] / found[0], 0.02, "", f"{found[0]:.1e} m with all of them; with a hundredth, as a share")


@once
def soft_board() -> lw.Result:
    return snakeboard.model(compliant=True).simulate(6, rtol=1e-9, output=0.1)


@aca("Sec. 4.3", "servos put energy in, spring joints lose it", "examples/snakeboard.py", slow=True)
def energy() -> Finding:
    r = soft_board()
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert r["energy.dissipated"][-1] > 0
    return off(np.ptp(balance), 1e-6, "J", "6 s with spring joints, balance changes by")


@aca("Sec. 4.3", "compliance hardly changes the motion", "m.spring_ideal", slow=True)
def compliant_board() -> Finding:
    soft, hard = soft_board(), snakeboard.model().simulate(6, rtol=1e-9, output=0.1)
    apart = [soft[f"flywheel.{k}"] - hard[f"flywheel.{k}"] for k in "xy"]
    return off(apart, 1e-3, "m", "c = 1000, d = 5000 against rigid pins, 6 s")


@aca("Fig. 14", "picture of the board", "studio/animation.py", slow=True)
def picture() -> Finding:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "board.png"
        board("drive").snapshot(1.0, file)
        return same(file.stat().st_size > 1_000, True, "written:")


missing(
    "ACA",
    "Sec. 4.3",
    "other courses (astroid, cycloid, eight, roses)",
    "the control laws are in a report that the paper cites; gaits of your own are servo angles",
)
missing("ACA", "Sec. 4.3", "port-controlled Hamiltonian form of the board", "cited only; no Hamiltonian formulation")


# wishes


@aca("Sec. 5", "wish: unilateral contact", "m.rigid_contact", slow=True)
def unilateral() -> Finding:
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1)).start(position=(0, 0, 1.1))
    m.rigid_contact("floor", b, radius=0.1, restitution=0.5)
    r = m.simulate(1.0, rtol=1e-9, output=0.01)
    fall = np.sqrt(2 / 9.81)
    after = r.t > fall + 0.01
    t = r.t[after] - fall
    exact = 0.1 + 0.5 * np.sqrt(2 * 9.81) * t - 9.81 * t**2 / 2
    keep = exact > 0.11
    return off(
        (r["b.z"][after] - exact)[keep], 1e-6, "m", "ball dropped from 1 m, restitution 0.5, against closed form"
    )


@aca("Sec. 5", "wish: friction in contacts", "m.rigid_contact", slow=True)
def friction() -> Finding:
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1.0, inertia=(0.004, 0.004, 0.004)).start(position=(0, 0, 0.1), velocity=(2.0, 0, 0))
    m.rigid_contact("floor", b, radius=0.1, friction=0.3)
    r = m.simulate(1.0, rtol=1e-9, output=0.1)
    return off(
        r["b.vx"][-1] - 5 / 7 * 2.0, 1e-6, "m/s", "ball that slides until it rolls: 5/7 of its speed, differs by"
    )


@aca("Sec. 5", "wish: uneven roads", "m.rolling", slow=True)
def uneven() -> Finding:
    m = lw.Model("hills", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1.0, inertia=(0.004, 0.004, 0.004)).start(position=(0, 0, 0.1))
    m.rolling("contact", b.at(), radius=0.1, crown=0.1, height=lambda x, y: 0.05 * lw.sin(2 * x) + 0.02 * y)
    r = m.simulate(2, rtol=1e-9, atol=1e-11, output=0.1)
    assert np.ptp(r["b.y"]) > 0.1
    return off(np.ptp(r["energy.total"]), 1e-6, "J", "ball on waves, 2 s, energy changes by")


@aca("Sec. 5", "wish: larger vehicles: a bicycle", "examples/bicycle.py", slow=True)
def rides() -> Finding:
    r = bicycle.model().simulate(12, output=0.1)
    return off(r["steer.angle"][r.t > 11], 1e-3, "rad", "pushed at 5 m/s it rights itself; steering angle after 11 s")


@aca("Sec. 5", "… and a car with tyres", "examples/car.py", slow=True)
def drives() -> Finding:
    r = car.model().simulate(8, output=0.5, solver="dopri5", parameters={"steer": 1e-3, "bump": 0.0})
    mass = [2 * car.wheel_load(front) / car.GRAVITY for front in (True, False)]
    K = mass[0] / (2 * car.CORNERING[0]) - mass[1] / (2 * car.CORNERING[1])
    return off(
        r["chassis.wz"][-1] / (15.0 * 1e-3 / (car.BASE + K * 15.0**2)) - 1,
        1e-3,
        "",
        "yaw rate against the single-track formula, relative",
    )
