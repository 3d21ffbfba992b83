"""BND's two case studies simulated from their graphs, and what their graphs must satisfy at any state."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.elements import GY, TF, C, Constraint, EulerGyrator, I, Junction, MSe, R, Se, Sf
from linkwork.bondgraph.following.paths_report import open_paths
from linkwork.bondgraph.graph import BondGraph
from linkwork.core import registry

from .interpreted import Interpreted

IDEAL = [
    "bondgraph",
    "bondgraph-scalar",
    "bondgraph-zcp",
    "bondgraph-zcp-scalar",
    "bondgraph-minimal",
    "bondgraph-minimal-scalar",
    "bondgraph-canonical",
    "bondgraph-canonical-scalar",
]
SOFT = ["bondgraph-rc", "bondgraph-rc-scalar"]
LOADED = ["bondgraph", "bondgraph-zcp-scalar", "bondgraph-minimal", "bondgraph-canonical"]
TIGHT = {"rtol": 1e-9, "atol": 1e-11, "output": 0.01}
CASES = {
    "pendulum": (10, "pin.angle.rate", 1e6),
    "isostatic": (5, "piston.vx", 1e7),
    "hyperstatic": (5, "piston.vx", 1e7),
}
"""Duration [s], the speed that the paper compares, stiffness of its parasitic springs [N/m]."""
NEAR = 1e-8
"""Absolute and relative difference of channels in SI units: same state, same physics, another way to the equations."""
RINGING = 4e-3
"""m/s: how far the paper's R/C elements are from minimal coordinates (its figure 31)."""


def pendulum() -> lw.Model:
    """BND table 6 in space; the bar's inertia about its own axis, which the paper leaves open, plays no part."""
    m = lw.Model("pendulum", gravity=(0, -9.81, 0))
    bar = m.body("bar", mass=1, inertia=(0.01, 1 / 12, 1 / 12))
    pin = m.revolute("pin", m.ground.at(0, 0, 0), bar.at(-0.5, 0, 0))
    pin.angle.law(lw.Damper(0.1))
    pin.angle.start(0, rate=0)
    return m


@pytest.fixture(scope="module")
def case(example):
    """name → the model, built once."""
    built = {"pendulum": pendulum()}
    return lambda name: built.get(name) or example("slider_crank_spatial", redundant=name == "hyperstatic")


@pytest.fixture(scope="module")
def truth(case):
    """name → a run in minimal coordinates, not read from a graph."""
    kept = {}

    def run(name):
        if name not in kept:
            kept[name] = case(name).simulate(CASES[name][0], formulation="minimal", solver="dop853", **TIGHT)
        return kept[name]

    return run


def pairs(formulations: list[str]) -> list[tuple[str, str]]:
    """(mechanism, formulation); the largest graphs, hyperstatic in scalars, are left to the slow tests."""
    large = ("hyperstatic", "-scalar")
    return [(n, f) for n in CASES for f in formulations if n != large[0] or not f.endswith(large[1])]


def soft(name: str) -> lw.Compliance:
    return lw.Compliance(stiffness=CASES[name][2], damping=200)


# the tables


@pytest.mark.parametrize(("name", "formulation"), pairs(IDEAL))
def test_ideal_joints_against_minimal_coordinates(case, truth, name, formulation):
    """Also the class-4 cases that the paper calls hard to conduct, and the redundant constraints it has to remove."""
    duration, channel, _ = CASES[name]
    times = np.linspace(0, duration / 2, 6)
    got = Interpreted.of(case(name), formulation).run(times)
    expected = np.interp(times, truth(name).t, truth(name)[channel])
    assert np.ptp(expected) > 1
    assert np.abs(got[channel] - expected).max() < 1e-6


@pytest.mark.parametrize(("name", "formulation"), [("pendulum", SOFT[1]), ("hyperstatic", SOFT[0])])
def test_parasitic_elements_ring_less_than_the_paper_s(case, truth, name, formulation):
    _ring(case, truth, name, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", IDEAL + SOFT)
@pytest.mark.parametrize("name", CASES)
def test_compiled_runs(case, truth, name, formulation):
    if formulation in SOFT:
        _ring(case, truth, name, formulation)
        return
    duration, channel, _ = CASES[name]
    r = case(name).simulate(duration, formulation=formulation, **TIGHT)
    assert np.abs(r[channel] - truth(name)[channel]).max() < 1e-6
    assert r.bonds.residual < 1e-9


def _ring(case, truth, name, formulation):
    duration, channel, _ = CASES[name]
    options = TIGHT | {"rtol": 1e-7, "atol": 1e-9, "solver": "radau"}
    r = case(name).simulate(duration, formulation=formulation, compliance=soft(name), **options)
    assert 1e-6 < np.abs(r[channel] - truth(name)[channel]).max() < RINGING


def test_what_the_paper_calls_hard_is_located(case):
    """Zero-order paths: class 1 alone for the pendulum, class 4 where the mechanism closes on itself; index 2."""
    classes = {name: open_paths(case(name).bondgraph(joints="ideal")) for name in CASES}
    assert [classes[name].classes for name in CASES] == [[1], [1, 4], [1, 4]]
    assert [classes[name].count[4] for name in CASES] == [0, 1, 2]
    assert all(found.index == 2 for found in classes.values())
    assert open_paths(case("isostatic").bondgraph(joints="rc")).index == 0


# power


def imbalances(graph: BondGraph, probes: dict[str, float]) -> dict[str, float]:
    """Power [W] that each junction, two-port and Eulerian structure makes or loses; and all other elements together."""
    found = {"whole": 0.0}
    for element in graph.elements.values():
        sides = [(1 if b.head.element is element else -1, probes[f"{b.name}.power"]) for b in graph.bonds_of(element)]
        passes = isinstance(element, Junction | TF | GY | EulerGyrator)
        key = element.name if passes else "whole"
        found[key] = found.get(key, 0.0) + sum(sign * power for sign, power in sides)
    return found


@pytest.mark.parametrize(("name", "formulation"), pairs(IDEAL + SOFT))
def test_power_balance(case, name, formulation, rng):
    """Power neither comes nor goes in the junction structure, and the inertias take what kinetic energy gains."""
    form = Interpreted.of(case(name), formulation, soft(name) if formulation in SOFT else None)
    eq, p = form.ready.equations, form.ready.p
    names = list(eq.observation.probes)
    kinetic = ca.Function("k", [eq.t, eq.y, eq.p], [ca.gradient(eq.observation.outputs["energy.kinetic"][1], eq.y)])
    for y in (form.ready.state, form.anywhere(rng), form.anywhere(rng)):
        probes = dict(zip(names, form.call("probes", 0.0, y, p).tolist(), strict=True))
        for bond in eq.graph.bonds:
            e, f = ([probes[f"{bond.name}.{letter}{i + 1}"] for i in range(bond.size)] for letter in "ef")
            exchanged = np.abs(np.multiply(e, f)).sum()  # what cancels in the sum
            assert np.dot(e, f) == pytest.approx(probes[f"{bond.name}.power"], rel=0, abs=1e-12 * exchanged)
        largest = max(abs(probes[f"{bond.name}.power"]) for bond in eq.graph.bonds)
        worst = max((abs(x), n) for n, x in imbalances(eq.graph, probes).items())
        assert worst[0] <= 1e-9 * largest, worst[1]
        stores = [b for e in eq.graph.of_type(I) for b in eq.graph.bonds_of(e)]
        taken = sum(probes[f"{b.name}.power"] for b in stores)
        gained = float(np.array(kinetic(0.0, y, p)).ravel() @ form.call("rhs", 0.0, y, p))
        assert taken == pytest.approx(gained, abs=1e-9 * max(largest, 1e-300))


@pytest.mark.parametrize(("name", "formulation"), pairs(IDEAL))
def test_what_flows_collect_efforts_hand_back(case, name, formulation, rng):
    """A is read along the flows, Aᵀ along the efforts: that they agree is the power conservation of the structure."""
    form = Interpreted.of(case(name), formulation)
    eq = form.ready.equations
    by_flows = ca.jacobian(eq.constraints.velocity, eq.v)
    f = ca.Function("A", [eq.t, eq.y, eq.p], [ca.densify(by_flows), ca.densify(eq.constraints.jacobian)])
    for _ in range(3):
        A, transposed = (np.array(x) for x in f(0.3, form.anywhere(rng), form.ready.p))
        assert A.shape == (len(eq.constraints.rows), eq.v.numel())
        assert np.abs(A - transposed).max(initial=0) < 1e-12 * max(1.0, np.abs(A).max(initial=0))
    assert len(eq.constraints.rows) > 0 or name == "pendulum"


# what stands for what


def loaded() -> lw.Model:
    """Every kind of law, on a cylindrical joint that carries a prismatic one."""
    m = lw.Model("laws", gravity=(0, 0, -9.81))
    a, b = (m.body(name, mass=1, inertia=(0.1, 0.2, 0.3)) for name in "ab")
    J = m.cylindrical("J", m.ground.at(0, 0, 0), a.at(0.1, 0, 0))
    P = m.prismatic("P", a.at(0.2, 0, 0), b.at(0, 0, 0.1))
    push = m.input("push", 1.0, unit="N")
    for law in (lw.Spring(100), lw.Damper(3), lw.Friction(2), lw.Effort(m.parameter("F", 2.0)), lw.Effort(push)):
        J.slide.law(law)
    J.angle.law(lw.Motion(lambda t: 0.2 * t**2))
    P.slide.law(lw.Limits(-0.1, 0.1, stiffness=1e3))
    P.slide.law(lw.Limits(-0.1, 0.1, stiffness=1e3, dissipation=0.5))
    P.slide.law(lw.Effort(lambda t, x, v: -x * v * lw.sin(t)))
    m.spring("link", a.at(0, 0, 0), b.at(0.3, 0, 0), stiffness=50, damping=1, length=0.2)
    J.slide.start(0.05, rate=0.4)
    P.slide.start(0.12, rate=-0.3)
    return m


KINDS = {
    "a-weight": Se,
    "J-slide-spring": C,
    "J-slide-damper2": R,
    "J-slide-friction3": R,
    "J-slide-effort4": Se,
    "J-slide-effort5": MSe,
    "J-angle-motion-MSe": Constraint,
    "P-slide-limits": C,
    "P-slide-limits2": MSe,
    "P-slide-effort3": MSe,
    "link-C": C,
    "link-R": R,
    "J-blocked-translation-MSe": Constraint,
    "a-J": I,
    "a-EJS": EulerGyrator,
}


def test_laws_are_the_right_elements():
    m = loaded()
    for bonds in ("vector", "scalar"):
        graph = m.bondgraph(bonds=bonds)
        found = {name: type(graph[name]) for name in KINDS if name in graph.elements}
        assert found.items() <= KINDS.items()
        scalar = {n for n in KINDS if n.startswith(("J-slide", "P-slide", "J-angle", "link"))}
        assert found.keys() >= (KINDS.keys() if bonds == "vector" else scalar)
        assert all(b.size == 1 for b in graph.bonds) is (bonds == "scalar")
    ideal = m.bondgraph(joints="ideal")
    assert {type(ideal[n]) for n in ("J-angle-motion-Sf", "J-blocked-translation-Sf")} == {Sf}
    soft = m.bondgraph(joints="rc")
    assert isinstance(soft["J-blocked-translation-soft-C"], C) and isinstance(soft["J-blocked-translation-soft-R"], R)


@pytest.mark.parametrize("formulation", LOADED)
def test_loads_as_elements_act_as_they_should(formulation):
    """All of them together give the accelerations and energies of `absolute`."""
    m = loaded()
    exact, got = (Interpreted.of(m, f) for f in ("absolute", formulation))
    agree(got.channels(0.0, got.ready.state), exact.channels(0.0, exact.ready.state))


# joints

JOINTS = {
    name: cls
    for name, cls in registry.components.items()
    if issubclass(cls, lw.Joint) and not issubclass(cls, lw.AxialJoint)  # cylindrical joints with laws of their own
}
NEEDED: dict[str, dict] = {
    "screw": {"pitch": 0.05},
    "distance": {"length": 0.7},
    "point_on_curve": {"height": lambda x: 0.3 * lw.cos(2 * x)},
    "point_on_cam": {"radius": lambda a: 0.5 + 0.05 * lw.cos(a), "roller": 0.1},
}


def on_a_swing(kind: str, rng: np.random.Generator) -> lw.Model:
    """A body on a pin that carries another one by the joint in question, sprung and damped along what is free."""
    m = lw.Model(f"swing with {kind}", gravity=(0, -9.81, 0))
    a, b = (m.body(name, mass=1 + rng.random(), inertia=(0.2, 0.25, 0.3)) for name in "ab")
    pin = m.revolute("pin", m.ground.at(0, 0, 0), a.at(-0.4, 0.1, 0))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    frames = a.at(0.3, 0.1, -0.2, rotation=turn * np.linalg.det(turn)), b.at(-0.2, 0.1, 0.3)
    joint = m.add(JOINTS[kind]("J", *frames, **NEEDED.get(kind, {})))
    pin.angle.start(rng.uniform(-1, 1), rate=rng.uniform(-1, 1))
    for c in joint.coordinates:
        c.law(lw.Spring(20))
        c.law(lw.Damper(0.5))
        c.start(rng.uniform(0.1, 0.6), rate=rng.uniform(-1, 1))
    return m


def test_the_library_has_eighteen_joints():
    assert len([c for c in JOINTS.values() if c.__module__.startswith("linkwork.")]) == 18


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint(kind, rng):
    """Poses, speeds, accelerations, reactions and energies as in `absolute`, at the start and after a short run."""
    m = on_a_swing(kind, rng)
    times = np.array([0.0, 0.1])
    exact, got = (Interpreted.of(m, f).run(times, 1e-10) for f in ("absolute", "bondgraph"))
    for k in range(2):
        agree({n: x[k] for n, x in got.items()}, {n: x[k] for n, x in exact.items()})
    assert np.ptp(exact["energy.kinetic"]) > 1e-3


def agree(got: dict[str, float], exact: dict[str, float]) -> None:
    """All channels but the multipliers, which depend on how rows are written, and what the solver says of itself."""
    own = ("multiplier", "residual", "solver")
    kept = {name: x for name, x in exact.items() if not any(word in name for word in own)}
    assert len(kept) > 50
    assert {name: got[name] for name in kept} == pytest.approx(kept, rel=NEAR, abs=NEAR)


# size


@pytest.mark.slow
def test_fifty_bodies(rng):
    """A chain of 50 links: graph, causality, and the same accelerations as the recursion along the tree gives."""
    m = lw.Model("chain", gravity=(0, -9.81))
    last = m.ground.at(0, 0)
    for k in range(50):
        link = m.rod(f"link{k + 1}", length=0.2, mass=0.3)
        joint = m.revolute(f"J{k + 1}", last, link.at(-0.1, 0))
        joint.angle.start(rng.uniform(-0.5, 0.5), rate=rng.uniform(-1, 1))
        last = link.at(0.1, 0)
    graph = m.bondgraph()
    causality = graph.causality()
    assert len(causality.integral) == 100 and not causality.derivative and not causality.conflicts
    tree, read = (Interpreted.of(m, f) for f in ("minimal", "bondgraph"))
    joints, bodies = (form.call("rhs", 0.0, form.ready.state, form.ready.p) for form in (tree, read))
    expected = np.cumsum(joints[50:])  # accelerations of the joints add up along the chain
    assert bodies[150:][2::3] == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())
