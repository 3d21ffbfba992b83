"""ACA sections 2 and 3: ports, the canonical junction structure, joints sealed by two scalar equations."""

from __future__ import annotations

from functools import partial

import numpy as np

import linkwork as lw
from linkwork.bondgraph.elements import Junction
from linkwork.components.twist_wrench import KinematicPort
from linkwork.examples import slider_crank_spatial, wheelset

from ..unit.components.test_axial import arm
from .audit import Finding, item, missing, off, once, same
from .bonds_at_start import Bonds

aca = partial(item, "ACA")
INERTIA = np.diag([0.3, 0.2, 0.4])


@once
def chain() -> tuple[lw.Joint, lw.Result]:
    """A driven body that carries another one on a spring along an axis, about which it is turned by a servo."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    first = m.body("first", mass=1, inertia=(0.1, 0.1, 0.1)).start(position=(0.5, 0, 0))
    last = m.body("last", mass=2, inertia=INERTIA).start(position=(1.5, 0.2, 0.1))
    m.fixed_controlled("A", m.ground, first, point=(0, 0, 0), axis=(0, 0, 1), torque=lambda t, v: 2 - v)
    laws = {"translation": [lw.Spring(200.0), lw.Damper(5.0)], "rotation": lw.Motion(lambda t: lw.sin(2 * t))}
    B = m.axial_joint("B", first, last, point=(1, 0, 0), axis=(1, 1, 0), **laws)
    return B, m.simulate(1, rtol=1e-10, atol=1e-12, output=0.05)


def ports() -> tuple[KinematicPort, KinematicPort]:
    joint, r = chain()
    return joint.kinematic_port("A", r), joint.kinematic_port("B", r)


# 2: ports and the bond graph of a constraint


@aca("Sec. 2", "power of a wrench on a twist", "components/twist_wrench.py", slow=True)
def power() -> Finding:
    joint, r = chain()
    A, B = ports()
    inflow = joint.wrench_port("A", r).power(A) + joint.wrench_port("B", r).power(B)
    laws = r["B.slide.power"] + r["B.angle.power"]
    return off(inflow - laws, 1e-7, "W", "into both bodies less what the joint's laws give")


@aca(
    "Fig. 1",
    "a constraint takes twists in and gives wrenches: rate of momentum of the last body",
    "components/twist_wrench.py",
    slow=True,
)
def wrench() -> Finding:
    joint, r = chain()
    on_B, k = joint.wrench_port("B", r), ports()[1]
    force = np.column_stack([2 * r[f"last.a{x}"] for x in "xyz"]) - [0, 0, -2 * 9.81]
    centre = np.column_stack([r[f"last.{x}"] for x in "xyz"])
    R = k.T @ k.T[0].T
    J = R @ INERTIA @ R.transpose(0, 2, 1)
    spin = np.einsum("kij,kj->ki", J, k.omega)
    euler = np.einsum("kij,kj->ki", J, k.epsilon) + np.cross(k.omega, spin)
    moment = on_B.M + np.cross(on_B.P - centre, on_B.F)
    return off([on_B.F - force, moment - euler], 1e-7, "N, N·m", "Newton and Euler from the port alone, left over")


@once
def canonical() -> Bonds:
    m = lw.Model("two", gravity=(0, 0, -9.81))
    a, b = (m.body(n, mass=1.0, inertia=(0.2, 0.3, 0.4)) for n in "ab")
    a.start(position=(0.5, 0, 0))
    b.start(position=(1.4, 0.1, 0))
    m.fixed_ideal("O", m.ground, a, point=(0, 0, 0), axis=(0, 1, 0)).angle.start(0.3, rate=1.0)
    m.free_ideal("J", a, b, point=(1, 0, 0), axis=(1, 1, 0)).slide.start(0.1, rate=0.5)
    return Bonds(m, "bondgraph-canonical")


@aca("Fig. 2", "bodies are 1-junctions of their twist, constraints 0-junctions", "formulations/bondgraph/canonical.py")
def canonical_graph() -> Finding:
    graph = canonical().graph
    twists = [e for e in graph.of_type(Junction) if e.name in ("a-twist", "b-twist") and e.kind == 1]
    zero = [e for e in graph.of_type(Junction) if e.kind == 0 and e.group == "J"]
    sizes = {graph.bonds_of(e)[0].size for e in twists}
    return same(
        (len(twists), sizes, len(zero) > 0), (2, {6}, True), "twist junctions, their size, a 0-junction in the joint:"
    )


@aca(
    "Sec. 2",
    "a twist is carried from the mass centre to the point, a wrench back",
    "formulations/bondgraph/canonical.py",
)
def carried() -> Finding:
    at = canonical()
    A, B = (KinematicPort.of(at.result, "J", end) for end in "AB")
    found = at.on("J-relative", "f")
    v = B.v[0] - A.v[0] - np.cross(A.omega[0], B.r[0] - A.r[0])
    return off(
        found - np.concatenate([A.T[0].T @ v, A.T[0].T @ (B.omega - A.omega)[0]]),
        1e-9,
        "m/s, rad/s",
        "relative twist in the axes of A, differs by",
    )


@aca(
    "Sec. 2", "transformers and junctions neither make nor lose power", "formulations/bondgraph/canonical.py", slow=True
)
def conserved() -> Finding:
    m = slider_crank_spatial.model(redundant=False)
    return off(
        m.simulate(0.5, formulation="bondgraph-canonical", output=0.1).bonds.residual,
        1e-9,
        "",
        "slider-crank, share of the largest power on a bond",
    )


@aca(
    "Sec. 2",
    "canonical junction structure: the equations read off it",
    "formulations/bondgraph/canonical.py",
    slow=True,
)
def canonical_run() -> Finding:
    m = slider_crank_spatial.model(redundant=False)
    one, two = (m.simulate(1, formulation=f, rtol=1e-9, output=0.1) for f in ("bondgraph-canonical", "minimal"))
    return off(
        one["piston.vx"] - two["piston.vx"], 1e-6, "m/s", "slider-crank, piston velocity against minimal coordinates"
    )


@aca("Sec. 2", "slipping contact: one flow constraint, five effort constraints", "m.point_on_plane")
def slipping() -> Finding:
    m = lw.Model("puck", gravity=(0.3, -0.4, -9.81))
    b = m.body("b", mass=2.0, inertia=(0.1, 0.2, 0.3)).start(spin=(0.4, -0.2, 1.0))
    m.point_on_plane("J", m.ground.at(0, 0, 0), b.at(0.1, 0.2, -0.3))
    row = m.evaluate()
    efforts = [row[f"J.reaction.{k}"].item() for k in ("fx", "fy", "mx", "my", "mz")]
    assert abs(row["J.reaction.fz"].item()) > 1
    return off(efforts, 1e-10, "N, N·m", "the other five components of the reaction")


@aca("Sec. 2", "resistance along the tangent", "lw.Friction", slow=True)
def sliding_friction() -> Finding:
    m = lw.Model("sled", gravity=(0, 0, -9.81))
    b = m.body("b", mass=2.0, inertia=(0.1, 0.1, 0.1)).start(position=(0, 0, 0.5), velocity=(2.0, 0, 0))
    J = m.prismatic("J", m.ground.at(0, 0, 0.5), b.at())
    J.slide.law(lw.Friction(0.3 * 2.0 * 9.81))
    r = m.simulate(0.5, rtol=1e-9, output=0.1)
    return off(r["J.slide.rate"] - (2.0 - 0.3 * 9.81 * r.t), 1e-6, "m/s", "sled with friction 0.3 against closed form")


@aca("Sec. 2", "acausal: equations of ports, matched and sorted", "formulations/acausal.py", slow=True)
def acausal() -> Finding:
    m = wheelset.model()
    one, two = (m.simulate(0.3, formulation=f, rtol=1e-9, atol=1e-11, output=0.05) for f in ("acausal", "absolute"))
    return off(
        [one[c] - two[c] for c in ("rod.x", "rod.vx", "left.angle.rate")], 1e-6, "m, m/s", "wheelset against `absolute`"
    )


@aca("Fig. 3", "compliance instead of constraints: causality is unique", "m.bondgraph")
def compliance() -> Finding:
    m, _ = arm("fixed_ideal")
    c = m.bondgraph(joints="rc").causality()
    return same(
        (len(c.conflicts), len(c.derivative), len(c.opened)),
        (0, 0, 0),
        "conflicts, derivative causalities, opened sources:",
    )


missing("ACA", "Sec. 2", "deformable bodies as ends of a constraint", "all bodies are rigid")


@aca("Sec. 2", "forces as through variables, as currents are", "core/port.py")
def through_variables() -> Finding:
    m = lw.Model("shafts")
    left, right = m.shaft_inertia("left", inertia=2.0), m.shaft_inertia("right", inertia=3.0)
    m.connect(left.a, right.a)
    m.shaft_torque("drive", 10.0, left.a)
    r = m.simulate(1, output=0.5)
    return off(
        r["right.speed"][-1] - 2.0, 1e-8, "rad/s", "torques at a node sum to zero: 10 N·m on 2 + 3 kg·m², differs by"
    )


# 3: the joint


@aca("Sec. 3", "six of twelve equations: Newton's third law", "components/twist_wrench.py", slow=True)
def third_law() -> Finding:
    joint, r = chain()
    A, B = joint.wrench_port("A", r), joint.wrench_port("B", r)
    return off([A.F + B.F, A.M + B.M], 1e-8, "N, N·m", "F_A + F_B and M_A + M_B")


@aca("Sec. 3", "a joint is an axis n_A and two points r_A, r_B on it", "components/axial.py", slow=True)
def axis() -> Finding:
    A, B = ports()
    apart = B.r - A.r
    off_axis = apart - np.einsum("ki,ki->k", apart, A.axis)[:, None] * A.axis
    return off([off_axis, B.axis - A.axis], 1e-8, "m", "points off the axis, axes apart")


@aca("(1)", "absolute, convective and relative velocity", "components/twist_wrench.py", slow=True)
def velocities() -> Finding:
    joint, r = chain()
    A, B = ports()
    relative = B.v - A.v - np.cross(A.omega, B.r - A.r)
    return off(
        relative - r["B.slide.rate"][:, None] * A.axis, 1e-8, "m/s", "v_Br against the slide along n, differs by"
    )


@aca("(2)", "accelerations with Coriolis' term; a_Br = μ n", "components/twist_wrench.py", slow=True)
def second_velocities() -> Finding:
    A, B = ports()
    d = B.r - A.r
    convective = A.a + np.cross(A.epsilon, d) + np.cross(A.omega, np.cross(A.omega, d))
    v = B.v - A.v - np.cross(A.omega, d)
    relative = B.a - convective - 2 * np.cross(A.omega, v)
    mu = np.einsum("ki,ki->k", relative, A.axis)
    return off(relative - mu[:, None] * A.axis, 1e-7, "m/s²", "what of a_Br is not along n")


@aca("(3)", "relative rotation: ε_r = λ n", "components/twist_wrench.py", slow=True)
def relative_rotation() -> Finding:
    _, r = chain()
    A, B = ports()
    w = B.omega - A.omega
    e = B.epsilon - A.epsilon - np.cross(A.omega, w)
    servo = -4 * np.sin(2 * r.t)
    return off(e - servo[:, None] * A.axis, 1e-6, "rad/s²", "ε_r against the servo's λ along n")


@aca("Sec. 3", "F and M, the efforts along and about the axis", "components/axial.py", slow=True)
def efforts() -> Finding:
    joint, r = chain()
    A, F = ports()[0], joint.wrench_port("A", r).F
    law = 200 * r["B.slide"] + 5 * r["B.slide.rate"]
    return off(np.einsum("ki,ki->k", F, A.axis) - law, 1e-8, "N", "(F_A, n) against c ν + d ν̇")


@aca("Sec. 3", "complementarity: of flow and effort exactly one is given", "m.axial_joint")
def complementarity() -> Finding:
    refused = 0
    for laws in ({"translation": [lw.Motion(0.0), lw.Spring(10)], "rotation": lw.Free()}, {"translation": lw.Free()}):
        try:
            arm("axial_joint", **laws)
        except (lw.ModelError, TypeError):
            refused += 1
    return same(refused, 2, "both given, none given; refused:")


@aca(
    "Sec. 3",
    "acceleration level by itself: no velocity equation is differentiated by hand",
    "structure/index.py, m.structure",
)
def index_reduction() -> Finding:
    m, _ = arm("fixed_ideal")
    return same(m.structure().index, 3, "index found and lowered:")


def swing(kind: str, **options: object) -> lw.Result:
    m, joint = arm(kind, **options)
    return m.simulate(1, rtol=1e-10, atol=1e-12, output=0.1)


@aca("FixedIdealJoint", "μ = 0, M = 0", "m.fixed_ideal", slow=True)
def fixed_ideal() -> Finding:
    """A physical pendulum: φ̈ from its energy."""
    r = swing("fixed_ideal")
    same_, _ = arm("revolute")
    exact = same_.simulate(1, rtol=1e-10, atol=1e-12, output=0.1)["J.angle"]
    return off([r["J.slide"], r["J.angle"] - exact], 1e-7, "m, rad", "slide, and angle against a revolute joint")


@aca("FreeIdealJoint", "F = 0, M = 0", "m.free_ideal", slow=True)
def free_ideal() -> Finding:
    m, joint = arm("free_ideal")
    joint.slide.start(0.1, rate=0.4)
    r = m.simulate(1, rtol=1e-10, atol=1e-12, output=0.1)
    return off(r["J.slide"] - 0.1 - 0.4 * r.t, 1e-8, "m", "horizontal axis: uniform slide, differs by")


@aca("SpringIdealJoint", "F = c ν + d ν̇, M = 0", "m.spring_ideal", slow=True)
def spring_ideal() -> Finding:
    m, joint = arm("spring_ideal", stiffness=200.0, damping=40.0)
    joint.slide.start(0.1, rate=0.0)
    r = m.simulate(1, rtol=1e-10, atol=1e-12, output=0.05)
    return off(
        r["J.slide"] - 0.1 * (1 + 10 * r.t) * np.exp(-10 * r.t),
        1e-8,
        "m",
        "2 kg, critically damped, against closed form",
    )


@aca("FixedControlledJoint, (4)", "μ = 0, M = f(t, φ, φ̇)", "m.fixed_controlled", slow=True)
def fixed_controlled() -> Finding:
    r = swing("fixed_controlled", torque=lambda t, x, v: lw.sin(t) - 0.3 * x - 0.1 * v)
    law = np.sin(r.t) - 0.3 * r["J.angle"] - 0.1 * r["J.angle.rate"]
    return off([r["J.angle.effort"] - law, r["J.slide"]], 1e-8, "N·m", "torque against the law")


@aca("FreeSlideJoint", "F = 0, λ = 0", "m.free_slide", slow=True)
def free_slide() -> Finding:
    m, joint = arm("free_slide")
    joint.slide.start(0.1, rate=0.4)
    r = m.simulate(1, rtol=1e-10, atol=1e-12, output=0.1)
    return off([r["J.slide"] - 0.1 - 0.4 * r.t, r["J.angle"]], 1e-8, "m, rad", "uniform slide, no turn, differs by")


@aca("FixedServoJoint", "μ = 0, λ = f(t, φ, φ̇)", "m.fixed_servo", slow=True)
def fixed_servo() -> Finding:
    m, joint = arm("fixed_servo", acceleration=lambda t, x, v: -4 * x - 0.2 * v)
    joint.angle.start(0.3, rate=0.1)
    r = m.simulate(2, rtol=1e-10, atol=1e-12, output=0.1)
    w = np.sqrt(4 - 0.01)
    exact = np.exp(-0.1 * r.t) * (0.3 * np.cos(w * r.t) + 0.13 / w * np.sin(w * r.t))
    return off(r["J.angle"] - exact, 1e-8, "rad", "angle against the solution of its own law")


@aca("Sec. 3", "any other pair of equations seals a joint", "m.axial_joint")
def any_other() -> Finding:
    m, _ = arm("axial_joint", translation=lw.Motion(0.1), rotation=lw.Damper(1.0))
    return same(m.check().degrees_of_freedom, 1, "slide given, damped rotation; freedoms:")


@aca("Sec. 3", "a joint driven by an electric motor", "m.dc_motor", slow=True)
def motor() -> Finding:
    m = lw.Model("spindle", gravity=(0, 0, 0))
    body = m.body("body", mass=2, inertia=(0.3, 0.2, 0.4))
    joint = m.fixed_ideal("J", m.ground.at(), body.at())
    m.dc_motor("motor", joint.angle, voltage=12.0, resistance=0.5, inductance=1e-3, constant=0.2)
    r = m.simulate(100, output=50.0)
    return off(r["J.angle.rate"][-1] - 12 / 0.2, 1e-5, "rad/s", "12 V, no load: speed off u/K by")
