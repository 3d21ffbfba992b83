"""PRT: momentum along chains, cut joints, claims, the pendulum with a rotating end."""

from __future__ import annotations

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.compile.functions import builders
from linkwork.compile.stream import stream_of
from linkwork.core import registry
from linkwork.examples import pendulum, rotating_pendulum, rssr, slider_crank
from linkwork.formulations import formulate
from linkwork.simulation.prepare import Choice, prepare

from ..contracts.joint_contract import OPTIONS
from ..reference.printed_particles import balls, hinge_and_slider, spherical_chain
from .audit import Finding, item, missing, off, once, same
from .prt import GRAVITY, INERTIA, TIGHT, one_body

# chains


@item(
    "PRT",
    "(18)–(21), Fig. 3",
    "chain of ball joints: moments of all that each joint carries",
    "formulations/particle_chain.py",
    slow=True,
)
def ball_chain() -> Finding:
    return off(
        spherical_chain(4)[0], 1e-9, "", "four bodies, 24 equations in NumPy with the velocity terms, r̈ relative"
    )


@item("PRT", "(16), (20)", "reaction at the root of a chain", "formulations/points.py", slow=True)
def chain_reaction() -> Finding:
    return off(spherical_chain(2)[1], 1e-9, "", "two bodies, relative")


@item("PRT", "(22)", "chain with a floating base: three more equations", "formulations/floating.py")
def floating_chain() -> Finding:
    m = lw.Model("floating", gravity=tuple(GRAVITY))
    b, c = (m.body(name, mass=1.7, inertia=INERTIA) for name in "bc")
    joint = m.spherical("J", b.at(0.5, 0.2, -0.1), c.at(-0.4, 0.1, 0.2))
    for k in joint.coordinates:
        k.start(0.4, rate=0.9)
    b.start(velocity=(0.5, 0.3, -0.2), spin=(0.7, -1.1, 1.6))
    rows = [m.evaluate(formulation=f) for f in ("points", "absolute")]
    total = sum(1.7 * np.array([rows[0][f"{name}.a{x}"].item() for x in "xyz"]) for name in "bc")
    names = [f"{name}.{k}{x}" for name in "bc" for k in ("a", "alpha") for x in "xyz"]
    differ = [rows[0][n].item() - rows[1][n].item() for n in names]
    return off([*(total - 3.4 * GRAVITY), *differ], 1e-9, "N, m/s²", "momentum of both, and accelerations, differ by")


@item("PRT", "Serial chain", "3 N + 1 primary and 6 N secondary particles, 2 N of them unknown", "m.particles")
def how_many() -> Finding:
    m = balls(4)
    system = m.particles()
    primary = {tuple(np.round(p.position, 9)) for p in system if not isinstance(p.number, tuple)}
    halfway = sum(isinstance(p.number, tuple) for p in system)
    return same((len(primary), halfway, len(system.states)), (13, 24, 8), "N = 4:")


@item("PRT", "Steps 3, 4; (23)–(25)", "revolute and prismatic joints in a chain", "formulations/particle_chain.py")
def hinge_then_slider() -> Finding:
    return off(hinge_and_slider(), 1e-9, "", "12 equations in NumPy, r̈ relative")


@item(
    "PRT",
    "(23a)–(23c)",
    "what a prismatic joint keeps: lines parallel, in line, no turn",
    "formulations/points.py",
    slow=True,
)
def prismatic_constraints() -> Finding:
    """(23c) with the unit vector that the print leaves out."""
    m = lw.Model("arm", gravity=tuple(GRAVITY))
    a, b = (m.body(name, mass=1.5, inertia=INERTIA) for name in "ab")
    m.spherical("ball", m.ground.at(0, 0, 0), a.at(-0.3, 0, 0)).rx.start(0.4, rate=1.3)
    m.prismatic("slider", a.at(0.4, 0, 0), b.at(0, 0, 0)).slide.start(0.3, rate=-0.7)
    for name, body, place in (("a1", a, (0.4, 0, 0)), ("a2", a, (0.9, 0, 0)), ("a3", a, (0.5, 0.6, 0))):
        m.point(name, body.at(*place))
    for name, place in (("b1", (0, 0, 0)), ("b2", (0.5, 0, 0)), ("b3", (0.2, 0, 0.6))):
        m.point(name, b.at(*place))
    r = m.simulate(1, formulation="points", output=0.05, **TIGHT)
    at = {k: np.column_stack([r[f"{k}.{x}"] for x in "xyz"]) for k in ("a1", "a2", "a3", "b1", "b2", "b3")}
    line, along = at["a2"] - at["a1"], at["b2"] - at["b1"]
    unit = line / np.linalg.norm(line, axis=1)[:, None]
    arms = [at[f"{k}3"] - at[f"{k}1"] for k in "ab"]
    square = [x - np.einsum("ki,ki->k", x, unit)[:, None] * unit for x in arms]
    left = [np.cross(line, along), np.cross(line, at["b1"] - at["a1"])]
    return off([*left, np.einsum("ki,ki->k", *square)[:, None] * unit], 1e-8, "m²", "swinging slider, 1 s, left over")


@item(
    "PRT", "Serial chain", "any other lower or higher pair in the same way", "formulations/particle_view.py", slow=True
)
def other_joints() -> Finding:
    worst, kinds = 0.0, ("cylindrical", "screw", "universal", "planar", "distance", "point_on_plane", "point_on_curve")
    for kind in kinds:
        m = lw.Model("swing", gravity=(0, 0, -9.81))
        a, b = (m.body(name, mass=1.2, inertia=(0.2, 0.25, 0.3)) for name in "ab")
        m.revolute("pin", m.ground.at(0, 0, 0), a.at(-0.4, 0.1, 0)).angle.start(0.3, rate=1.2)
        options = OPTIONS.get(kind, {})
        joint = m.add(registry.components[kind]("J", a.at(0.3, 0.1, -0.2), b.at(-0.2, 0.1, 0.3), **options))
        for c in joint.coordinates:
            c.start(0.4, rate=-0.7)
        rows = [m.evaluate(formulation=f) for f in ("points", "absolute")]
        for name in (n for n in rows[0] if n.startswith(("a.a", "b.a", "J.reaction"))):
            worst = max(worst, abs(rows[0][name].item() - rows[1][name].item()))
    return off(worst, 1e-8, "m/s², N", f"{len(kinds)} joints against absolute coordinates")


# trees and loops


@item("PRT", "Open or closed chain", "trees with several branches", "formulations/inwards.py")
def branches() -> Finding:
    m = lw.Model("tree", gravity=(0, 0, -9.81))
    trunk = m.body("trunk", mass=2, inertia=(0.3, 0.2, 0.4))
    m.spherical("root", m.ground.at(0, 0, 0), trunk.at(0, 0, 0.5)).rx.start(0.5, rate=1.0)
    for k, x in enumerate((0.3, -0.4, 0.2)):
        b = m.body(f"branch{k}", mass=1, inertia=(0.1, 0.2, 0.15))
        m.revolute(f"J{k}", trunk.at(x, 0.1 * k, -0.5), b.at(0, 0.3, 0), axis=(1, 0.2 * k, 0)).angle.start(
            0.3, rate=k - 1.0
        )
    rows = [m.evaluate(formulation=f) for f in ("points", "minimal")]
    names = [n for n in rows[0] if n.startswith(("trunk.a", "branch")) and n.split(".")[1].startswith("a")]
    return off(
        [rows[0][n].item() - rows[1][n].item() for n in names], 1e-9, "m/s²", "three branches against joint coordinates"
    )


@once
def loop_rows() -> list[dict[str, float]]:
    m = rssr.model()
    return [{n: x.item() for n, x in m.evaluate(formulation=f).items()} for f in ("points", "absolute")]


@item("PRT", "Open or closed chain", "loops are cut, multipliers close them", "formulations/points.py")
def loops() -> Finding:
    one, two = loop_rows()
    names = [n for n in one if n.split(".")[1] in ("ax", "ay", "az", "alphax", "alphay", "alphaz")]
    return off([one[n] - two[n] for n in names], 1e-8, "m/s²", "RSSR linkage against absolute coordinates")


@item("PRT", "Open or closed chain", "reactions of cut joints", "formulations/points.py")
def loop_reactions() -> Finding:
    one, two = loop_rows()
    names = [n for n in one if ".reaction." in n]
    return off([one[n] - two[n] for n in names], 1e-8, "N, N·m", f"{len(names)} components differ by")


@item("PRT", "Introduction", "planar mechanisms by particles", "formulations/points.py", slow=True)
def in_the_plane() -> Finding:
    m = slider_crank.model()
    runs = [m.simulate(1, formulation=f, output=0.1, **TIGHT) for f in ("points", "minimal")]
    return off(runs[0]["piston.vx"] - runs[1]["piston.vx"], 1e-7, "m/s", "slider-crank, piston velocity differs by")


@item(
    "PRT",
    "Open or closed chain",
    "constraints are linear or quadratic in the coordinates",
    "formulations/particles.py",
    weaker="distances are; loops are read along normalised directions, which is not polynomial, but lets rk4 pass "
    "singular positions",
)
def quadratic() -> Finding:
    r = np.random.default_rng(3).normal(size=(4, 9))
    eq = prepare(one_body(), Choice("points")).equations
    f = ca.Function("f", [eq.t, eq.y, eq.p], [eq.constraints.position])
    rest = np.zeros(eq.y.numel() - 9)
    phi = np.array([np.array(f(0, [*(r[0] + k * r[1]), *rest], [])).ravel() for k in range(4)])
    return off(np.diff(phi, 3, axis=0), 1e-10, "m", "third differences of the distances along a line")


@item("PRT", "Open or closed chain", "no angles and no rotation matrices", "formulations/points.py")
def no_angles() -> Finding:
    ready = prepare(rotating_pendulum.model(), Choice("points"))
    return same(ready.equations.q.numel(), 9, "coordinates of three particles instead of two bodies' poses:")


@item(
    "PRT",
    "Open or closed chain",
    "recursive: work grows with the number of bodies",
    "formulations/particle_recursion.py",
    slow=True,
)
def work() -> Finding:
    count = [builders(formulate(balls(n), "points"), shared=True)["rhs"]().n_instructions() for n in (2, 4, 6)]
    return off(
        (count[2] - count[1]) / (count[1] - count[0]) - 1,
        0.02,
        "",
        "instructions per body at 2–4 and 4–6 bodies differ by a share of",
    )


def instructions(m: lw.Model, formulation: str) -> int:
    return len(stream_of(builders(formulate(m, formulation), shared=True)["rhs"]()))


def plain_chain(n: int) -> lw.Model:
    """Balls along one axis of bodies whose inertia is the same about all."""
    m = lw.Model("plain", gravity=(0, 0, -9.81))
    last = m.ground.at(0, 0, 0)
    for k in range(n):
        b = m.body(f"b{k}", mass=1, inertia=(0.1, 0.1, 0.1))
        m.spherical(f"j{k}", last, b.at(-0.5, 0, 0))
        last = b.at(0.5, 0, 0)
    return m


@item(
    "PRT",
    "Open or closed chain",
    "cheaper than absolute coordinates",
    "formulations/points.py",
    slow=True,
    weaker="for bodies of any inertia it is; where all moments of inertia are equal absolute coordinates cost less",
)
def cost() -> Finding:
    any_, plain = (instructions(m, "points") / instructions(m, "absolute") for m in (balls(4), plain_chain(4)))
    return off(
        any_, 0.9, "", f"four ball-jointed bodies, instructions as a share: {plain:.2f} with equal moments, else"
    )


@item("PRT", "Open or closed chain", "design sensitivities in point coordinates", "m.sensitivity", slow=True)
def sensitivities() -> Finding:
    m = pendulum.model()
    found = [
        m.sensitivity("bar.y", "length", 0.5, formulation=f, rtol=1e-9)["bar.y", "length"][-1]
        for f in ("points", "absolute")
    ]
    return off(np.subtract(*found), 1e-6, "", "∂y/∂length after 0.5 s differs by")


missing("PRT", "Open or closed chain", "deformable bodies whose nodes are shared particles", "all bodies are rigid")


@item(
    "PRT",
    "Open or closed chain",
    "particles are what graphics need",
    "m.particles, studio/symbols/particles.py",
    slow=True,
)
def drawn() -> Finding:
    m = rotating_pendulum.model()
    r = m.simulate(0.1, formulation="points")
    nodes = r.animate(particles=m.particles()).scene.nodes
    return same(sum(node.group == "particle" for node in nodes), 20, "particles in the animation:")


# the example


@once
def pendulums(regular: bool) -> dict[str, lw.Result]:
    m = rotating_pendulum.model(regular=regular)
    return {f: m.simulate(10, formulation=f, output=0.05, **TIGHT) for f in ("points", "absolute")}


@item("PRT", "Table 1", "masses and inertias of the two bodies", "examples/rotating_pendulum.py")
def table_1() -> Finding:
    m = rotating_pendulum.model()
    found = [(float(m[b].mass), float(np.diag(np.array(m[b].inertia, dtype=float))[0])) for b in ("rod", "end")]
    return same(found, [(1.5, 0.1), (25.0, 25.0)], "mass [kg] and inertia [kg·m²]:")


@item(
    "PRT",
    "Fig. 5a–c",
    "coordinates of particle 2 against absolute coordinates",
    "examples/rotating_pendulum.py",
    slow=True,
    weaker="the lengths of figure 4 are lost, so the curves are ours",
)
def figure_5() -> Finding:
    one, two = pendulums(False).values()
    return off([one[c] - two[c] for c in ("P2.x", "P2.y", "P2.z")], 1e-7, "m", "10 s, x, y and z differ by")


@item(
    "PRT",
    "Example",
    "regular precession",
    "examples/rotating_pendulum.py",
    slow=True,
    weaker="from rest, as in the paper, the rod nutates; it precesses regularly if it starts with Ω = m g l/(I ω)",
)
def precession() -> Finding:
    r = pendulums(True)["points"]
    angle = np.unwrap(np.arctan2(r["P2.y"], r["P2.x"]))
    rate = (1.5 * 0.5 + 25.0) * 9.81 / (25.0 * 2.0)
    return off(
        [*r["P2.z"], angle[-1] / 10 / rate - 1], 1e-8, "m", "level over 10 s, and rate against closed form, differ by"
    )


@item("PRT", "Example", "energy of the free response", "examples/rotating_pendulum.py", slow=True)
def energy() -> Finding:
    return off(np.ptp(pendulums(False)["points"]["energy.total"]), 1e-6, "J", "10 s, changes by")
