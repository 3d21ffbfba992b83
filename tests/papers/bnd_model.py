"""BND sections 2 and 3.1: bodies and joints as multibond graphs, causality of vector bonds, scalar bonds."""

from __future__ import annotations

from functools import partial

import numpy as np

import linkwork as lw
from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import MGY, TF, C, EulerGyrator, I, Junction
from linkwork.bondgraph.expanding.expansion import expand
from linkwork.bondgraph.graph import BondGraph
from linkwork.components.twist_wrench import KinematicPort
from linkwork.core.reaction import from_quaternion
from linkwork.examples import motor_slider_crank, slider_crank, slider_crank_spatial

from ..reference.interpreted import Interpreted
from ..reference.test_bond_graphs import JOINTS, KINDS, loaded, on_a_swing, pendulum
from ..unit.bondgraph.test_causality import bar, names
from ..unit.bondgraph.test_expansion import FULL, difference, net_of
from .audit import Finding, item, off, once, same
from .bonds_at_start import Bonds

bnd = partial(item, "BND")


@once
def swing() -> tuple[lw.Model, Bonds]:
    """A pinned body that carries another one by a cylindrical joint; everything moves."""
    m = on_a_swing("cylindrical", np.random.default_rng(5))
    return m, Bonds(m)


# 2.3: the rigid body


@bnd("(1)", "Newton's equation: the mass takes what is left of all forces", "formulations/bondgraph/net.py")
def newton() -> Finding:
    m, at = swing()
    return off(
        [at.on(f"{b}-m", "e") - float(m[b].mass) * at.body(b, "a") for b in "ab"],
        1e-9,
        "N",
        "effort on the mass against m a",
    )


@bnd("(2)", "Euler's equation in body axes with the Eulerian junction structure", "formulations/bondgraph/net.py")
def euler() -> Finding:
    m, at = swing()
    apart = []
    for b in "ab":
        J, R = np.array(m[b].inertia, dtype=float), at.axes(b)
        w = R.T @ at.body(b, "w")
        apart += [at.on(f"{b}-J", "e") - J @ R.T @ at.body(b, "alpha"), at.on(f"{b}-EJS", "e") - np.cross(w, J @ w)]
    return off(apart, 1e-9, "N·m", "efforts on the inertia and of ω × J ω differ by")


@bnd("(3)", "velocities of the points of a body", "formulations/bondgraph/net.py")
def points() -> Finding:
    m, at = swing()
    port = KinematicPort.of(at.result, "J", "A")
    hinge = next(e.name for e in at.graph.of_type(Junction) if e.name == "a-point2")
    return off(at.on(hinge, "f") - at.axes("a").T @ port.v[0], 1e-9, "m/s", "flow at the hinge differs by")


@bnd("(4)", "coordinate transformation between world and body axes", "formulations/bondgraph/net.py")
def turned() -> Finding:
    _, at = swing()
    return off(at.on("b-velocity", "f") - at.axes("b").T @ at.body("b", "v"), 1e-10, "m/s", "flow differs by")


@bnd("Fig. 2", "graph of a rigid body: inertia, gyrator, mass, weight, two 1-junctions, transformers", "m.bondgraph")
def body_graph() -> Finding:
    found = sorted(e.name for e in pendulum().bondgraph().elements.values() if e.group == "bar")
    expected = ["bar-EJS", "bar-J", "bar-m", "bar-point1", "bar-point1-2-TF", "bar-point1-sum", "bar-rotation",
                "bar-translation", "bar-velocity", "bar-velocity-1-MTF", "bar-weight"]  # fmt: skip
    return same(len(found) if found == expected else found, 11, "elements of a body with one point:")


@bnd("Fig. 3", "Cardan angles and rotation matrix from the angular velocity", "m.free", slow=True)
def cardan() -> Finding:
    m = lw.Model("turning", gravity=(0, 0, 0))
    pose = m.free("pose", m.ground.at(), m.body("b", mass=1, inertia=(0.3, 0.5, 0.7)).at(), sequence="xyz")
    for k, c in enumerate(pose.coordinates[3:]):
        c.start(0.2 * k, rate=1.0 - 0.4 * k)
    r = m.simulate(1, rtol=1e-10, output=0.1)
    a, b, c = (r[f"pose.{x.label}"][-1] for x in pose.coordinates[3:])

    def about(k: int, x: float) -> np.ndarray:
        i, j = (k + 1) % 3, (k + 2) % 3
        R = np.eye(3)
        R[i, i] = R[j, j] = np.cos(x)
        R[i, j], R[j, i] = -np.sin(x), np.sin(x)
        return R

    told = from_quaternion(*(r[f"b.q{k}"] for k in range(4)))[-1]
    order = [x.label for x in pose.coordinates[3:]]
    angle = dict(zip(order, (a, b, c), strict=True))
    R = about(0, angle["roll"]) @ about(1, angle["pitch"]) @ about(2, angle["yaw"])
    return off(R - told, 1e-9, "", "matrix of the XYZ angles against that of the state")


@bnd("Sec. 2.3", "Rodrigues–Hamilton parameters instead of angles", "formulations/maximal_view.py")
def quaternions() -> Finding:
    at = swing()[1]
    return off(
        sum(at.result[f"b.q{k}"].item() ** 2 for k in range(4)) - 1,
        1e-12,
        "",
        "the state has four of them; their norm is off by",
    )


@bnd("Sec. 2.3", "start values must fit the constraints", "m.assemble")
def consistent_start() -> Finding:
    found = slider_crank_spatial.model().assemble()
    row = slider_crank_spatial.model().evaluate()
    assert found is not None
    return off(
        [row["residual.position"].item(), row["residual.velocity"].item()],
        1e-10,
        "m, m/s",
        "found by assembly, left over",
    )


# 2.4: joints


@bnd("(5)", "relative rotation of the two bodies of a joint", "formulations/bondgraph/net.py")
def relative_rotation() -> Finding:
    _, at = swing()
    A, B = (KinematicPort.of(at.result, "J", end) for end in "AB")
    return off(at.on("J-rotation", "f") - A.T[0].T @ (B.omega - A.omega)[0], 1e-9, "rad/s", "flow differs by")


@bnd("(6), (7)", "relative velocity of their points", "formulations/bondgraph/net.py")
def relative_velocity() -> Finding:
    _, at = swing()
    A, B = (KinematicPort.of(at.result, "J", end) for end in "AB")
    v = B.v[0] - A.v[0] - np.cross(A.omega[0], B.r[0] - A.r[0])
    return off(at.on("J-translation", "f") - A.T[0].T @ v, 1e-9, "m/s", "flow differs by")


@bnd("Fig. 4", "general joint: the blocked directions do no work", "formulations/bondgraph/net.py")
def blocked() -> Finding:
    _, at = swing()
    held = [e.name for e in at.graph.elements.values() if "blocked" in e.name and e.name.endswith("MSe")]
    return off(
        [at.on(name, "e") @ at.on(name, "f") for name in held], 1e-9, "W", f"{len(held)} efforts that block, power"
    )


@bnd("Figs. 5–7", "library of joints", "components/joints.py", slow=True)
def every_joint() -> Finding:
    worst, count = 0.0, 0
    for kind in (k for k, c in JOINTS.items() if c.__module__.startswith("linkwork.")):
        m = on_a_swing(kind, np.random.default_rng(3))
        exact, got = (Interpreted.of(m, f) for f in ("absolute", "bondgraph"))
        one, two = (form.channels(0.0, form.ready.state) for form in (exact, got))
        told = [n for n in one if n.startswith(("a.a", "b.a")) or ".reaction." in n]
        worst = max(worst, *(abs(one[n] - two[n]) / max(1.0, abs(one[n])) for n in told))
        count += 1
    return off(worst, 1e-8, "", f"{count} joints, accelerations and reactions of the graph against `absolute`")


@bnd(
    "Sec. 2.4.1",
    "springs, dampers and sources on the free directions are C, R, Se, MSe",
    "formulations/bondgraph/loads.py",
    slow=True,
)
def functional_elements() -> Finding:
    graph = loaded().bondgraph()
    right = sum(type(graph[name]) is cls for name, cls in KINDS.items())
    return same(right, len(KINDS), "elements of the right kind:")


@bnd("Sec. 2.4.1", "the L element: flow source, R and C, or modulated effort", "m.bondgraph")
def three_ways() -> Finding:
    m = pendulum()
    kinds = []
    for way, name in (("ideal", "Sf"), ("rc", "soft-C"), ("lagrange", "MSe")):
        kinds.append(type(m.bondgraph(joints=way)[f"pin-blocked-translation-{name}"]).__name__)
    return same(kinds, ["Sf", "C", "Constraint"], "what blocks the pin:")


@bnd("Sec. 1", "electrical actuators in the mechanism's graph", "formulations/bondgraph/networks.py", slow=True)
def mechatronics() -> Finding:
    m = motor_slider_crank.model()
    exact, got = (m.simulate(0.1, formulation=f, rtol=1e-9, output=0.05) for f in ("absolute", "bondgraph"))
    return off(
        exact["piston.vx"] - got["piston.vx"],
        1e-6,
        "m/s",
        "motor on a slider-crank, piston velocity against `absolute`",
    )


# 3.1: vector and scalar bonds


@bnd(
    "Fig. 8",
    "from vector to scalar bonds, then use of the graph: activity of its elements",
    "simulation/bonds/table.py",
    slow=True,
)
def activity() -> Finding:
    r = slider_crank.model().simulate(1, formulation="bondgraph-scalar", output=0.1)
    return off(sum(r.bonds.index.values()) - 1, 1e-9, "", "shares of all stores and resistors, sum off one by")


@bnd("Sec. 3.1.1, C1", "components of a vector bond have one causality", "bondgraph/assigning/causal_rules.py")
def first_rule() -> Finding:
    c = assign(net_of(slider_crank_spatial.model(), "lagrange").graph)
    expanded = expand(c)
    mixed = [b for b, parts in expanded.bonds.items() if len({expanded.causality.stroke[p] for p in parts}) > 1]
    return same(len(mixed), 0, f"{len(expanded.bonds)} vector bonds, with mixed strokes:")


@bnd(
    "Sec. 3.1.1, C2, Fig. 9",
    "cross products take flow in at one side only, gyrators take flow in",
    "bondgraph/assigning/causal_rules.py",
)
def second_rule() -> Finding:
    c = assign(bar(1))
    g = c.graph
    ways = [not c.receives_effort(g.bond_at(g["x0"], 0), g["x0"]), c.receives_effort(g.bond_at(g["x0"], 1), g["x0"])]
    ways.append(not c.receives_effort(g.bond_at(g["e"], 0), g["e"]))
    return same(ways, [True, True, True], "flow into the transformer, out of it, into the gyrator:")


@bnd("Fig. 10", "flow sources at two points of a body conflict", "bondgraph/assigning/conflicts.py")
def two_hinges() -> Finding:
    try:
        assign(bar(2))
    except lw.ModelError as error:
        named = all(part in str(error) for part in ("Sf:h_0", "Sf:h_1"))
        return same(
            (named, names(assign(bar(2), "relaxed").integral)),
            (True, ["J"]),
            "both named, and opened J keeps its state:",
        )
    return same("no conflict", "conflict", "two hinges:")


@bnd(
    "Fig. 11, Sec. 3.1.2",
    "the two structures of a coordinate transformation",
    "bondgraph/expanding/scalar_structures.py",
)
def two_structures() -> Finding:
    found = []
    for flow_in in (True, False):
        g = BondGraph("transformation")
        a, b = g.junction("a", 1), g.junction("b", 1)
        tf = g.add(TF("x", 1.1 * FULL))
        g.bond(a, (tf, 0), kind="translation")
        g.bond((tf, 1), b, kind="translation")
        g.bond(a, g.add(I("m", 1.0, 3) if flow_in else C("k", 1.0, 3)))
        g.bond(b, g.add(C("k2", 1.0, 3) if flow_in else I("m2", 1.0, 3)))
        parts = expand(assign(g)).elements[tf]
        near = {e.kind for e in parts if isinstance(e, Junction) and ("-in-" in e.name)}
        found.append((sum(isinstance(e, TF) for e in parts), *near))
    return same(found, [(9, 1), (9, 1)], "transformers, and the junctions where flow comes in:")


@bnd("Fig. 12", "gyroscopic terms in scalar bonds: a triangle of gyrators", "bondgraph/expanding/scalar_structures.py")
def triangle() -> Finding:
    graph = pendulum().bondgraph(bonds="scalar")
    return same(len([e for e in graph.of_type(MGY) if e.group == "bar"]), 3, "modulated gyrators of one body:")


@bnd("Fig. 13", "translation in scalar bonds, weight along y", "bondgraph/expanding/scalar_parts.py")
def scalar_translation() -> Finding:
    graph = pendulum().bondgraph(bonds="scalar")
    return same(
        (len([n for n in graph.elements if n.startswith("bar-m-")]), "bar-weight-y" in graph.elements),
        (3, True),
        "masses, and weight on y:",
    )


@bnd("Sec. 3.1.2, 5", "wish: vector bonds become scalar bonds by themselves", "m.bondgraph", slow=True)
def automatic_scalars() -> Finding:
    net = net_of(slider_crank_spatial.model(), "ideal")
    return off(
        difference(assign(net.graph, "relaxed"), net.known_flows())[0],
        1e-12,
        "",
        "hyperstatic slider-crank, all efforts and flows, relative",
    )


@bnd("Sec. 1", "simplification and reduction of graphs", "bondgraph/editing.py, analyses/graphs/reduction.py")
def pruned_and_reduced() -> Finding:
    g = BondGraph("branch")
    v = g.one("v")
    g.Se("push", 1.0, at=v)
    g.I("m", 1.0, at=v)
    g.R("drag", 1.0, at=v)
    slow, tail = g.one("slow"), g.one("tail")
    g.chain(v, g.TF("lever", 1e-4), slow)
    g.C("leaf", 1.0, at=slow)
    g.chain(v, g.TF("idle", 2.0), tail)
    g.prune()
    left = sorted({"idle", "tail"} & set(g.elements))
    small = g.reduced(g.simulate(2.0), share=0.999, outputs=["m.flow"])
    return same((left, "leaf" in small.graph.elements), ([], False), "idle branches, and the least active element:")


@bnd("Sec. 1", "model inversion by bicausal bonds", "analyses/graphs/inverse/inverse.py", slow=True)
def inverted() -> Finding:
    m = slider_crank.model()
    drive = {"O.angle": lambda t: 0.3 + 0.5 * (1 - lw.cos(3 * t))}
    inverse = m.bondgraph().inverse("O-angle-effort", "crank.angle")
    r = inverse.simulate(1.0, drive["O.angle"], output=0.05, rtol=1e-11, atol=1e-13)
    wanted = m.inverse_dynamics(drive, 1.0, actuators=["O.angle"], output=0.05)["O.angle.actuator"] + 10.0
    return off(np.abs(r["O-angle-effort.effort"] - wanted).max(), 1e-9, "N·m", "slider-crank, torque of a given motion")


@bnd("Sec. 3.2", "ideal joints give inertias derivative causality, open chain or closed", "m.bondgraph", slow=True)
def derivative_causality() -> Finding:
    found = [
        len(m.bondgraph(joints="ideal").causality().derivative) for m in (pendulum(), slider_crank_spatial.model())
    ]
    kept = isinstance(pendulum().bondgraph()["bar-EJS"], EulerGyrator)
    return same((min(found) > 0, kept), (True, True), f"dependent inertias {found}; there are some in both:")
