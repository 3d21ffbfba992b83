"""BND section 3.3 and appendix B: minimal coordinates, zero-order paths, R/C elements, Lagrange multipliers."""

from __future__ import annotations

from functools import partial

import casadi as ca
import numpy as np

import linkwork as lw
from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import Constraint
from linkwork.bondgraph.following.paths_report import open_paths
from linkwork.examples import slider_crank, slider_crank_spatial
from linkwork.formulations import formulate

from ..reference.interpreted import Interpreted
from ..reference.test_bond_graphs import pendulum
from ..unit.bondgraph.test_paths import TEXTBOOK, numbers
from ..unit.bondgraph.textbook import graph as textbook
from .audit import Finding, item, off, once, same

bnd = partial(item, "BND")
r, l = 0.2, 1.0
"""Crank and rod of table 7 [m]; all masses [kg] and inertias [kg·m²] are 1."""


class AppendixB:
    """Slider-crank in q = (γ, ψ, φ, x): transformations (18)–(24) and their rates at an angle and speed of the crank.

    Mended: cosines in the second rows of (21), (22); the signs of ψ and φ in (23), (24), see `printed_signs`; ẋ.
    """

    def __init__(self, gamma: float, rate: float = 1.0):
        g = ca.SX.sym("g")
        root = ca.sqrt(l**2 - (r * ca.sin(g)) ** 2)
        turn = -r * ca.cos(g) / root  # rate of the rod's angle γ + ψ per γ̇
        rod = ca.asin(-r * ca.sin(g) / l)
        slide = -r * ca.sin(g) - r**2 * ca.sin(g) * ca.cos(g) / root
        zero = ca.SX(3, 4)
        TW1, TV1, TW2, TV2, TW3, TV3 = (ca.SX(zero) for _ in range(6))
        TW1[2, 0] = 1
        TV1[0, 0], TV1[1, 0] = -r / 2 * ca.sin(g), r / 2 * ca.cos(g)
        TW2[2, :2] = 1
        TV2[0, :2] = ca.horzcat(-r * ca.sin(g) - l / 2 * ca.sin(rod), -l / 2 * ca.sin(rod))
        TV2[1, :2] = ca.horzcat(r * ca.cos(g) + l / 2 * ca.cos(rod), l / 2 * ca.cos(rod))
        TW3[2, :3] = 1
        TV3[0, 3] = 1
        M = ca.vertcat(1, turn - 1, -turn, slide)
        names = {"TW1": TW1, "TV1": TV1, "TW2": TW2, "TV2": TV2, "TW3": TW3, "TV3": TV3, "M": M}
        rates = {f"d{k}": ca.reshape(ca.jacobian(ca.vec(x), g) * rate, x.shape) for k, x in names.items()}
        both = names | rates
        values = ca.Function("T", [g], [ca.densify(x) for x in both.values()])(gamma)
        self.at = {k: np.array(x) for k, x in zip(both, values, strict=True)}
        self.gamma, self.rate = gamma, rate

    def inertia(self) -> np.ndarray:
        """Ĩ₁ of (12), all masses and inertias about z being 1."""
        return sum(self.at[k].T @ self.at[k] for k in ("TW1", "TV1", "TW2", "TV2", "TW3", "TV3"))

    def gyristor(self) -> np.ndarray:
        """MGR₁ of (13)."""
        return sum(self.at[k].T @ self.at[f"d{k}"] for k in ("TW1", "TV1", "TW2", "TV2", "TW3", "TV3"))

    def inertia2(self) -> float:
        return (self.at["M"].T @ self.inertia() @ self.at["M"]).item()  # (15)

    def gyristor2(self) -> float:
        M = self.at["M"]
        return (M.T @ (self.inertia() @ self.at["dM"] + self.gyristor() @ M)).item()  # (16)


def with_closed_form() -> lw.Model:
    m = slider_crank.model()
    O, A, P = m["O"].angle, m["A"].angle, m["P"].slide
    given = {
        A: lambda a: -a - lw.asin(r * lw.sin(a)),
        P: lambda a: r * lw.cos(a) + lw.sqrt(1 - (r * lw.sin(a)) ** 2),
    }
    m.dependence("closed-form", given, on=[O])
    return m


@bnd("(8)–(10), (23), (24)", "dependent velocities from the independent one, M_β", "formulations/partition.py")
def dependent_velocities() -> Finding:
    m = slider_crank.model()
    m["O"].angle.start(0.9, rate=1.7)
    row = m.evaluate()
    M = AppendixB(0.9).at["M"].ravel() * 1.7
    found = [row[c].item() for c in ("O.angle.rate", "A.angle.rate", "B.angle.rate", "piston.vx")]
    return off(np.subtract(found, M), 1e-10, "rad/s, m/s", "γ̇, ψ̇, φ̇, ẋ against the assembled mechanism")


@bnd(
    "(23), (24), misprint",
    "ψ̇ and φ̇: with the positions of (21), r cos γ/√(l² − r² sin² γ) has the other sign in both",
    "formulations/partition.py",
)
def printed_signs() -> Finding:
    g = 0.9
    m = slider_crank.model()
    m["O"].angle.start(g, rate=1.0)
    row = m.evaluate()
    found = np.array([row[f"{joint}.angle.rate"].item() for joint in "AB"])
    share = r * np.cos(g) / np.sqrt(l**2 - (r * np.sin(g)) ** 2)
    printed = np.array([share - 1, -share])
    wrong = np.abs(printed - found).max()
    assert wrong > 0.1
    return off(np.array([-share - 1, share]) - found, 1e-10, "rad/s", f"printed, off by {wrong:.1f} rad/s; mended by")


@bnd("(11), (18)–(22)", "velocities of the bodies from the generalised ones", "formulations/minimal.py")
def body_velocities() -> Finding:
    m = slider_crank.model()
    m["O"].angle.start(0.9, rate=1.7)
    row, B = m.evaluate(), AppendixB(0.9)
    q = B.at["M"] * 1.7
    found, exact = [], []
    for k, name in enumerate(("crank", "rod", "piston"), 1):
        found += [row[f"{name}.wz"].item(), row[f"{name}.vx"].item(), row[f"{name}.vy"].item()]
        exact += [(B.at[f"TW{k}"] @ q)[2, 0], *(B.at[f"TV{k}"] @ q)[:2, 0]]
    return off(np.subtract(found, exact), 1e-10, "rad/s, m/s", "three bodies differ by")


@bnd("(12)", "virtual inertia of an open chain", "formulations/bondgraph/minimal.py")
def virtual_inertia() -> Finding:
    mass, _, exact = open_chain()
    return off(mass - exact.inertia()[:2, :2] + np.ones((2, 2)), 1e-12, "kg·m²", "crank and rod, TᵀM T differs by")


@bnd("(13)", "gyristor of an open chain", "formulations/bondgraph/minimal.py")
def gyristor() -> Finding:
    _, force, exact = open_chain()
    speeds = exact.at["M"][:2, 0] * exact.rate
    return off(
        force + exact.gyristor()[:2, :2] @ speeds, 1e-12, "N·m", "crank and rod without weight, TᵀM Ṫ q̇ differs by"
    )


@once
def open_chain() -> tuple[np.ndarray, np.ndarray, AppendixB]:
    """Crank and rod without piston, torque and weight, as the graph of joint rates has them."""
    m = lw.Model("chain", gravity=(0, 0))
    crank, rod = m.body("crank", mass=1, inertia=1), m.body("rod", mass=1, inertia=1)
    m.revolute("O", m.ground.at(0, 0), crank.at(-r / 2, 0))
    m.revolute("A", crank.at(r / 2, 0), rod.at(-l / 2, 0))
    eq, exact = formulate(m, "bondgraph-minimal"), AppendixB(0.9, 1.7)
    y = [0.9, -0.9 + np.arcsin(-r * np.sin(0.9) / l), *(exact.at["M"][:2, 0] * 1.7)]
    f = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass), ca.densify(eq.motion.force)])
    mass, force = (np.array(x) for x in f(0.0, [*y, *np.zeros(eq.y.numel() - 4)], []))
    return mass, force.ravel(), exact


@bnd("(14), (17)", "the Eulerian junction structure seen from the joint rates", "formulations/bondgraph/minimal.py")
def eulerian() -> Finding:
    J, (a2, u1, u2) = np.diag([0.3, 0.5, 0.7]), (0.5, 1.1, -0.7)
    m = lw.Model("gimbal", gravity=(0, 0, 0))
    U = m.universal("U", m.ground.at(), m.body("b", mass=1, inertia=(0.3, 0.5, 0.7)).at())
    U.angle1.start(0.3, rate=u1)
    U.angle2.start(a2, rate=u2)
    form = Interpreted.of(m, "bondgraph-minimal")
    found = form.call("rhs", 0.0, form.ready.state, form.ready.p)[2:4]
    T = np.array([[np.cos(a2), 0], [0, 1], [np.sin(a2), 0]])
    dT = u2 * np.array([[-np.sin(a2), 0], [0, 0], [np.cos(a2), 0]])
    u = np.array([u1, u2])
    w = T @ u
    exact = np.linalg.solve(T.T @ J @ T, -T.T @ (J @ dT @ u + np.cross(w, J @ w)))
    return off(found - exact, 1e-12, "rad/s²", "body in a gimbal against (12)–(14) in NumPy")


@bnd("(15)", "virtual inertia of the closed loop", "formulations/dependence.py")
def virtual_inertia_2() -> Finding:
    eq = formulate(with_closed_form(), "minimal")
    f = ca.Function("f", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass)])
    rest = np.zeros(eq.y.numel() - 1)
    angles = np.linspace(0, 6, 7)
    apart = [f(0.0, [g, *rest], [10.0]) - AppendixB(g).inertia2() for g in angles]
    return off(np.array(apart, dtype=float), 1e-12, "kg·m²", "seven angles, differs by")


@bnd("(16), Figs. 15, 28", "gyristor of the closed loop: acceleration of the crank", "formulations/dependence.py")
def gyristor_2() -> Finding:
    g, rate = 0.9, 1.7
    m = slider_crank.model()
    m["O"].angle.start(g, rate=rate)
    B = AppendixB(g, rate)
    slide = B.at["M"][3, 0]
    push = 10 - 2 * rate - 5 * slide**2 * rate - 9.81 * r * np.cos(g)  # torque, dampers, weight of crank and rod
    exact = (push - B.gyristor2() * rate) / B.inertia2()
    found = [m.evaluate(formulation=f)["crank.alphaz"].item() for f in ("minimal", "bondgraph-minimal", "absolute")]
    return off(np.array(found) - exact, 1e-9, "rad/s²", "three formulations against appendix B")


@bnd(
    "Fig. 14",
    "two levels: absolute to relative to independent velocities, without multipliers",
    "formulations/partition.py",
    slow=True,
)
def two_levels() -> Finding:
    m, run = slider_crank.model(), {"rtol": 1e-10, "atol": 1e-12, "output": 0.1}
    one = m.simulate(2, formulation="minimal", loops="partition", independent=["O.angle"], **run)
    two = m.simulate(2, formulation="absolute", **run)
    return off(one["piston.vx"] - two["piston.vx"], 1e-7, "m/s", "partitioned against multipliers, piston velocity")


@bnd(
    "Sec. 3.3.1",
    "an ordinary differential equation: Runge–Kutta of order 4 with fixed steps",
    "formulations/minimal.py",
    slow=True,
)
def fixed_steps() -> Finding:
    m = pendulum()
    exact = m.simulate(2, formulation="bondgraph-minimal", solver="dop853", rtol=1e-12, atol=1e-13, output=2.0)
    errors = []
    for step in (0.01, 0.005):
        found = m.simulate(2, formulation="bondgraph-minimal", solver="rk4", step=step, output=2.0)
        errors.append(abs(found["pin.angle"][-1] - exact["pin.angle"][-1]))
    return off(np.log2(errors[0] / errors[1]) - 4, 0.3, "", "pendulum, order found less 4")


# 3.3.2: zero-order causal paths


@bnd("Sec. 3.3.2", "classes 1 to 4 of zero-order causal paths", "bondgraph/following/paths.py")
def classes() -> Finding:
    right = 0
    for text, expected, index in TEXTBOOK.values():
        opening = open_paths(assign(textbook(text)))
        right += numbers(opening) == expected and opening.index == index
    return same(right, len(TEXTBOOK), "textbook graphs with the right classes and index:")


@bnd("Sec. 3.3.2", "class 4 makes the index 2", "bondgraph/following/paths_report.py")
def class_4_index() -> Finding:
    ring, closed = (open_paths(assign(textbook(TEXTBOOK[k][0]))) for k in ("lever", "ring with dependent mass"))
    return same((ring.index, closed.index), (1, 2), "index of a class 1 graph, and with class 4:")


@bnd("Sec. 3.3.2, 4.2.5, 5", "wish: class-4 paths are found", "m.bondgraph", slow=True)
def found_class_4() -> Finding:
    found = [slider_crank_spatial.model(redundant=k).bondgraph(joints="ideal").paths() for k in (False, True)]
    told = [(x.count[1], x.count[4], x.index) for x in found]
    return same(told, [(8, 1, 2), (8, 2, 2)], "class 1, class 4, index; isostatic and hyperstatic:")


@bnd("Sec. 3.3.2, 5", "wish: they are opened by break variables", "formulations/bondgraph/zero_order.py", slow=True)
def opened_class_4() -> Finding:
    m = slider_crank_spatial.model(redundant=False)
    run = {"rtol": 1e-9, "atol": 1e-11, "output": 0.1}
    one, two = (m.simulate(1, formulation=f, **run) for f in ("bondgraph-zcp", "minimal"))
    return off(one["piston.vx"] - two["piston.vx"], 1e-6, "m/s", "isostatic slider-crank, piston velocity")


# 3.3.3: R/C elements


@bnd(
    "Sec. 3.3.3",
    "R/C elements leave neither constraints nor derivative causality",
    "formulations/bondgraph/lagrange.py",
    slow=True,
)
def soft_causality() -> Finding:
    g = slider_crank_spatial.model().bondgraph(joints="rc")
    c = g.causality()
    return same(
        (len(c.derivative), len(c.opened), len(c.conflicts), g.paths().index),
        (0, 0, 0, 0),
        "derivative, opened, conflicts, index:",
    )


@bnd("Sec. 3.3.3", "explicit solvers with fixed steps can run them", "formulations/bondgraph/lagrange.py", slow=True)
def soft_explicit() -> Finding:
    m = pendulum()
    soft = lw.Compliance(stiffness=1e6, damping=200)
    exact = m.simulate(0.5, formulation="minimal", output=0.1)
    found = m.simulate(0.5, formulation="bondgraph-rc", compliance=soft, solver="rk4", step=2e-5, output=0.1)
    return off(
        found["pin.angle"] - exact["pin.angle"], 1e-3, "rad", "pendulum, rk4 with 20 µs, against minimal coordinates"
    )


@bnd("Sec. 3.3.3", "start values that do not fit are tolerated", "formulations/compliant.py", slow=True)
def soft_start() -> Finding:
    """A parallelogram with a third bar that is 0.1 mm too long: no position closes it."""
    m = lw.Model("parallelogram", gravity=(0, -9.81))
    table = m.body("table", mass=1, inertia=0.1)
    for k, x in enumerate((-0.5, 0.0, 0.5)):
        length = 0.3 + 1e-4 * (k == 1)
        bar = m.body(f"bar{k}", mass=0.2, inertia=0.01)
        m.revolute(f"O{k}", m.ground.at(x, 0), bar.at(-length / 2, 0)).angle.start(-1.0)
        m.revolute(f"A{k}", bar.at(length / 2, 0), table.at(x, 0))
    try:
        m.simulate(0.2, formulation="absolute")
    except lw.LinkworkError:
        found = m.simulate(
            0.2, formulation="compliant", compliance=lw.Compliance(stiffness=1e6, damping=200), output=0.1
        )
        return off(
            found["residual.position"].max(),
            2e-4,
            "m",
            "a bar 0.1 mm too long: refused by multipliers, with R/C open by",
        )
    return same("ran", "refused", "with multipliers it")


@bnd("Sec. 3.3.3", "over-constrained mechanisms run", "formulations/compliant.py", slow=True)
def soft_redundant() -> Finding:
    m = slider_crank_spatial.model(redundant=True)
    soft = lw.Compliance(stiffness=1e7, damping=200)
    exact = m.simulate(0.5, formulation="minimal", output=0.05)
    found = m.simulate(0.5, formulation="compliant", compliance=soft, output=0.05, rtol=1e-7)
    return off(found["piston.vx"] - exact["piston.vx"], 4e-3, "m/s", "hyperstatic slider-crank, piston velocity")


@bnd("Sec. 3.3.3", "the stiffer the more accurate", "lw.Compliance", slow=True)
def stiffness() -> Finding:
    m, apart = pendulum(), []
    exact = m.simulate(1, formulation="minimal", rtol=1e-10, output=0.05)
    for k in (1e5, 1e6):
        soft = lw.Compliance(stiffness=k, damping=2000)
        found = m.simulate(1, formulation="compliant", compliance=soft, solver="radau", rtol=1e-9, output=0.05)
        apart.append(np.abs(found["pin.angle"] - exact["pin.angle"]).max())
    return off(apart[1] / apart[0], 0.2, "", "pendulum, error of the angle with ten times the stiffness, as a share")


# 3.3.4: Lagrange multipliers


@bnd("Sec. 3.3.4, Fig. 16", "efforts such that flows vanish", "bondgraph/elements.py")
def effort_that_holds() -> Finding:
    m = pendulum()
    form = Interpreted.of(m, "bondgraph")
    eq = form.ready.equations
    values = dict(zip(eq.observation.probes, form.call("probes", 0.0, form.ready.state, form.ready.p), strict=True))
    graph = eq.graph
    (bond,) = graph.bonds_of(graph["pin-blocked-translation-MSe"])
    e = np.array([values[f"{bond.name}.e{k}"] for k in (1, 2, 3)])
    return off(np.abs(e) - [0, 9.81 / 4, 0], 1e-9, "N", "horizontal bar at rest: m g/4 in the pin, differs by")


@bnd("Sec. 3.3.4", "every inertia keeps its state, the index is 2", "m.bondgraph", slow=True)
def multiplier_causality() -> Finding:
    g = slider_crank_spatial.model(redundant=False).bondgraph()
    c = g.causality()
    found = (len(c.derivative), len(g.of_type(Constraint)) > 0, g.paths().index)
    return same(found, (0, True, 2), "derivative causalities, efforts that hold, index:")


@bnd("Sec. 3.3.4, 5", "wish: redundant constraints need not be removed by hand", "algebra/rank.py, m.check", slow=True)
def redundant_multipliers() -> Finding:
    m = slider_crank_spatial.model(redundant=True)
    named = len(m.check().redundant)
    one = m.simulate(1, formulation="bondgraph", rtol=1e-9, output=0.1)
    two = slider_crank_spatial.model(redundant=False).simulate(1, formulation="minimal", rtol=1e-9, output=0.1)
    assert named == 3
    return off(
        one["piston.vx"] - two["piston.vx"], 1e-6, "m/s", "three redundant rows are named and left in, piston velocity"
    )


@bnd("Sec. 3.3.4", "start values: what is left out is found, what contradicts is refused", "m.assemble")
def corrected_start() -> Finding:
    m = slider_crank.model()
    m["O"].angle.start(0.9, rate=1.7)
    row = m.evaluate()
    m["crank"].start(velocity=(0.5, 0.5), spin=3.0)
    try:
        m.evaluate()
    except lw.AssemblyError:
        left = [row["residual.position"].item(), row["residual.velocity"].item()]
        return off(left, 1e-10, "m, m/s", "a second speed is refused; with the crank's alone, left over")
    return same("taken", "refused", "contradicting speeds are")


@bnd("Sec. 3.3.3, 3.3.4", "backward differentiation formulas for both", "integrate/sundials.py", slow=True)
def backward_differences() -> Finding:
    m, run = pendulum(), {"rtol": 1e-8, "atol": 1e-10, "output": 0.1}
    exact = m.simulate(1, formulation="minimal", **run)["pin.angle"]
    hard = m.simulate(1, formulation="bondgraph", solver="idas", **run)["pin.angle"]
    soft = lw.Compliance(stiffness=1e6, damping=200)
    springs = m.simulate(1, formulation="bondgraph-rc", compliance=soft, solver="cvodes", **run)["pin.angle"]
    return off(
        [hard - exact, springs - exact], 1e-3, "rad", "pendulum, multipliers and R/C against minimal coordinates"
    )
