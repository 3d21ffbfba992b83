"""SYM sections V.C to VIII: generated programs, the three examples, pictures, the wish for constraints."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import double_pendulum_positions, robot, slider_crank_positions

from ..reference.test_positions import double_pendulum, robot_of_joints
from .audit import Finding, item, off, once, same

sym = partial(item, "SYM")
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


@sym("Sec. V.C", "the user gives kinematics and applied forces, nothing else", "lw.Kinematics, m.force")
def kinematics_and_forces() -> Finding:
    k = lw.Kinematics("pushed", ["x"], units=["m"], gravity=(0, 0, 0))
    b = k.body("b", lw.shift(k.q[0]), mass=2.0, inertia=(1, 1, 1))
    k.force("push", b, (6.0, 5.0, 0))
    return off(k.evaluate(formulation="minimal")["b.ax"].item() - 3.0, 1e-12, "m/s²", "6 N on 2 kg, differs by")


@sym("Sec. VI", "springs and dampers are there", "m.spring")
def springs() -> Finding:
    k = lw.Kinematics("sprung", ["x"], units=["m"], gravity=(0, 0, 0))
    b = k.body("b", lw.shift(k.q[0]), mass=2.0, inertia=(1, 1, 1))
    k.spring("s", k.ground.at(0, 0, 0), b.at(0, 0, 0), stiffness=50.0, length=0.2, damping=3.0)
    k.start(0.5, rates=(0.4,))
    return off(
        k.evaluate(formulation="minimal")["b.ax"].item() + (50 * 0.3 + 3 * 0.4) / 2,
        1e-10,
        "m/s²",
        "against closed form",
    )


@sym("Sec. VI", "a program is generated from the matrices", "m.equations", slow=True)
def generated() -> Finding:
    k = double_pendulum_positions.model()
    program: dict = {"__name__": "generated"}
    exec(k.equations("minimal").python(), program)
    y = solve_ivp(program["rhs"], (0, 2), program["START"], rtol=1e-11, atol=1e-12).y[:, -1]
    r = k.simulate(2, **TIGHT, output=2.0)
    return off([y[0] - r["q0"][-1], y[1] - r["q1"][-1]], 1e-7, "rad", "generated Python against our run, 2 s")


@sym("Sec. VI", "… in C, with data, start values and a main program", "m.equations", slow=True)
def generated_c() -> Finding:
    k = double_pendulum_positions.model()
    with TemporaryDirectory() as folder:
        sources = [str(p) for p in k.equations("minimal").write_c(Path(folder)) if p.suffix == ".c"]
        program = str(Path(folder) / "pendulum")
        subprocess.run(["cc", "-std=c99", "-O2", *sources, "-lm", "-o", program], check=True, capture_output=True)
        told = subprocess.run([program, "2", "2000"], check=True, capture_output=True, text=True).stdout
    values = dict(line.split()[:2] for line in told.splitlines() if line.startswith(("q0 ", "q1 ")))
    r = k.simulate(2, **TIGHT, output=2.0)
    apart = [float(values[name]) - r[name][-1] for name in ("q0", "q1")]
    return off(apart, 1e-6, "rad", "compiled and run for 2 s, against our run")


@sym(
    "Sec. VII",
    "seconds to generate: 1, 3 and 13",
    "m.equations",
    slow=True,
    weaker="a timing is no test: benchmarks/symbolic.py has ours; here that they are generated, with their size",
)
def generation() -> Finding:
    models = (double_pendulum_positions, slider_crank_positions, robot)
    sizes = [len(x.model().equations("minimal").python()) for x in models]
    return same(sizes[2] < 200_000, True, f"characters of Python {sizes}, below 200 000:")


@sym("VII.A, Fig. 8", "double pendulum: angles over 5 s", "examples/double_pendulum_positions.py", slow=True)
def figure_8() -> Finding:
    r = double_pendulum_positions.model().simulate(5, **TIGHT, output=0.05)
    exact = solve_ivp(double_pendulum, (0, 5), [0, 1, 0, 0], t_eval=r.t, rtol=1e-11, atol=1e-12).y
    return off(np.subtract([r["q0"], r["q1"]], exact[:2]), 1e-7, "rad", "against the textbook's equations")


@once
def crank(implicit: bool) -> lw.Result:
    k = slider_crank_positions.model(implicit)
    return k.simulate(6, formulation="minimal", solver="dop853", rtol=1e-11, atol=1e-12, output=2e-3)


def energy(r: lw.Result) -> np.ndarray:
    """Of the slider-crank of table II from its angle and rate alone."""
    q, w = r["q0"], r["q0.rate"]
    alpha = np.arcsin(np.sin(q) / 2)
    da = np.cos(q) / 2 / np.cos(alpha)
    dx = -np.sin(q) - 2 * np.sin(alpha) * da
    rod = (dx + np.sin(alpha) * da) ** 2 + (np.cos(alpha) * da) ** 2
    inertia = 1 / 4 + 0.0833 + 2 * rod + 0.6667 * da**2 + 5 * dx**2
    return inertia * w**2 / 2 + 9.81 * (np.sin(q) / 2 + 2 * np.sin(alpha))


@sym("(39), Fig. 9", "slider-crank with its loop solved by the user", "examples/slider_crank_positions.py", slow=True)
def closed_form() -> Finding:
    r = crank(False)
    alpha = np.arcsin(np.sin(r["q0"]) / 2)
    return off(r["piston.x"] - np.cos(r["q0"]) - 2 * np.cos(alpha), 1e-12, "m", "piston against (39)")


@sym("Table II", "its data: energy from angle and rate alone", "examples/slider_crank_positions.py", slow=True)
def table_2() -> Finding:
    return off(np.ptp(energy(crank(False))), 1e-7, "J", "6 s, changes by")


@sym("Fig. 10", "it comes back to where it started", "examples/slider_crank_positions.py", slow=True)
def figure_10() -> Finding:
    r = crank(False)
    w = r["q0.rate"]
    turning = np.flatnonzero((w[:-1] > 0) & (w[1:] <= 0))
    assert turning.size
    return off(r["q0"][turning] - 1, 5e-5, "rad", "after each oscillation, off 1 rad by")


@sym("VII.B", "intermediate variables from constraint equations, solved along", "m.variable, m.condition", slow=True)
def implicit_variables() -> Finding:
    one, two = crank(False), crank(True)
    return off(one["q0"] - two["q0"], 1e-6, "rad", "implicit against closed form, 6 s")


@sym("Sec. V.E, Fig. 11", "scene of boxes and frustums, animated", "m.simulate, studio/animation.py", slow=True)
def scene() -> Finding:
    r = slider_crank_positions.model().simulate(0.2, output=0.1)
    with TemporaryDirectory() as folder:
        page, picture = Path(folder) / "crank.html", Path(folder) / "crank.png"
        r.animate().save(page)
        r.snapshot(0.1, picture)
        return same(
            (page.stat().st_size > 10_000, picture.stat().st_size > 1_000), (True, True), "page and picture written:"
        )


@sym("Sec. V.E", "boxes, frustums, lines, triangles", "components/shapes.py")
def shapes() -> Finding:
    return same(
        [n for n in ("Box", "Frustum", "Line", "Mesh") if hasattr(lw.shapes, n)],
        ["Box", "Frustum", "Line", "Mesh"],
        "shapes:",
    )


# VII.C: the robot


@once
def robots() -> tuple[lw.Result, lw.Result]:
    tight = {"rtol": 1e-11, "atol": 1e-12, "output": 0.02}
    return robot.model().simulate(2, **tight), robot_of_joints().simulate(2, formulation="minimal", **tight)


NAMES = ("lift.slide", "lift.angle", "reach.slide", "reach.angle", "wrist.angle")


@sym("Fig. 12, Table III", "robot with five freedoms: position matrices against joints", "examples/robot.py", slow=True)
def figure_12() -> Finding:
    one, two = robots()
    return off(
        [one[f"q{i}"] - two[name] for i, name in enumerate(NAMES)], 1e-7, "m, rad", "2 s, five coordinates differ by"
    )


@sym("Table IV", "efforts of the actuators in three phases", "examples/robot.py")
def table_4() -> Finding:
    t = ca.SX.sym("t")
    f = ca.Function("f", [t], list(robot.efforts(t).values()))
    found = [[float(x) for x in f(at)] for at in (0.25, 1.0, 1.75)]
    exact = [
        [6348, 673 * 0.25 - 508, 36 * 0.25 + 986, 63.5],
        [4905, 148 * np.exp(-2.75) - 8, -2, 49.05],
        [3462, 240, -1019, 34.6],
    ]
    return off(
        np.subtract(found, exact), 1e-10, "N, N·m", "at 0.25, 1 and 1.75 s, with 673 for the printed 637, differ by"
    )


@sym(
    "Fig. 13",
    "point-to-point motion",
    "examples/robot.py",
    slow=True,
    weaker="the paper prints no start values: ours",
)
def figure_13() -> Finding:
    r = robots()[0]
    return off(
        r["q0.rate"][-1],
        0.01,
        "m/s",
        f"lifted by {r['q0'][-1] - r['q0'][0]:.2f} m in 2 s; speed of the lift at the end",
    )


@sym("VII.C", "lift of the robot: a mass under the given forces", "examples/robot.py", slow=True)
def lift() -> Finding:
    """All three bodies rise together: 500 kg under F0z less their weight, whatever the arm does."""
    r = robots()[0]
    t = np.minimum(r.t, 0.5)
    speed = (6348 - 4905) / 500 * t + (3462 - 4905) / 500 * np.maximum(r.t - 1.5, 0)
    return off(np.mean(np.abs(r["column.vz"] - speed)), 1e-3, "m/s", "speed of the column against one mass, on average")


@sym("VII.C", "action and reaction are applied together", "m.force, m.torque")
def reaction() -> Finding:
    k = lw.Kinematics("pair", ["x", "y"], units=["m", "m"], gravity=(0, 0, 0))
    a, b = (k.body(n, lw.shift(k.q[i]), mass=i + 1.0, inertia=(1, 1, 1)) for i, n in enumerate("ab"))
    k.force("push", b, (3.0, 0, 0), frame="body", reaction=a)
    row = k.evaluate(formulation="minimal")
    return off(1.0 * row["a.ax"].item() + 2.0 * row["b.ax"].item(), 1e-12, "N", "momentum of both changes by")


@sym("Fig. 14", "picture of the robot", "studio/picture.py", slow=True)
def figure_14() -> Finding:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "robot.png"
        robots()[0].snapshot(1.0, file)
        return same(file.stat().st_size > 1_000, True, "written:")


@sym("Sec. VIII", "controlled systems", "m.pid", slow=True)
def controlled() -> Finding:
    k = lw.Kinematics("servo", ["x"], units=["m"], gravity=(0, 0, 0))
    k.body("b", lw.shift(k.q[0]), mass=1.0, inertia=(1, 1, 1))
    k.pid("pid", k["x"], 1.0, kp=100.0, kd=20.0)
    r = k.simulate(2, **TIGHT, output=0.1)
    return off(
        r["x"] - (1 - (1 + 10 * r.t) * np.exp(-10 * r.t)), 1e-7, "m", "critically damped servo against closed form"
    )


@sym("Sec. VIII", "wish: kinematic constraints", "m.condition, components/joints.py", slow=True)
def constraints() -> Finding:
    """The double pendulum's tip on a vertical slot, by a joint, against a slider-crank that is solved by hand."""
    k = lw.Kinematics("constrained", coordinates=2, gravity=(0, -9.81, 0))
    q = k.q
    k.body("crank", lw.rotz(q[0]) @ lw.shift(0.5), mass=1, inertia=(0.0833, 0.0833, 0.0833))
    rod = k.body("rod", lw.rotz(q[0]) @ lw.shift(1.0) @ lw.rotz(q[1]) @ lw.shift(1.0), mass=2, inertia=(0.6667,) * 3)
    piston = k.body("piston", mass=5, inertia=(2, 2, 2))
    k.spherical("B", rod.at(1.0, 0, 0), piston.at(0, 0, 0))
    k.prismatic("P", k.ground.at(0, 0, 0), piston.at(0, 0, 0))
    k["q0"].start(1.0, rate=0.0)
    k["q1"].start(-1.0 - np.arcsin(np.sin(1.0) / 2))
    r = k.simulate(1, formulation="minimal", rtol=1e-10, atol=1e-12, output=0.05)
    exact = slider_crank_positions.model().simulate(1, formulation="minimal", rtol=1e-10, atol=1e-12, output=0.05)
    return off(r["q0"] - exact["q0"], 1e-6, "rad", "loop closed by joints against closed form, 1 s")
