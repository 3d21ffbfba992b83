"""Vector bonds as scalar bonds: the same efforts and flows, component by component, and the same motion."""

import casadi as ca
import numpy as np
import pytest

from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import (
    GY,
    MGY,
    MTF,
    TF,
    C,
    Constraint,
    Element,
    EulerGyrator,
    Field,
    I,
    MSe,
    MSf,
    R,
    Se,
    Sf,
)
from linkwork.bondgraph.expanding.expansion import expand
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.reading import read
from linkwork.core.errors import ModelError
from linkwork.examples import double_pendulum, pendulum, rssr, slider_crank, slider_crank_spatial, spinning_top
from linkwork.formulations.bondgraph.loads import multibond
from linkwork.formulations.contributions import gather
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.simulation.prepare import Choice, prepare

from ...crosscheck.mechanisms import random_mechanism

FULL = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
ROTATION = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
MODELS = {
    "pendulum": pendulum.model,
    "double pendulum": double_pendulum.model,
    "slider-crank": slider_crank.model,
    "slider-crank in space": slider_crank_spatial.model,
    "rssr": rssr.model,
    "top": spinning_top.model,
}


def difference(causality, known=None):
    """Largest relative difference of efforts, flows, rates, amounts and residuals at a random state; the expansion."""
    expanded = expand(causality)
    expanded.graph.check()
    assert all(b.size == 1 for b in expanded.graph.bonds)
    assert set(expanded.causality.stroke) == set(expanded.graph.bonds)
    vector, scalar = read(causality, known), expanded.gathered(expanded.read(known))
    for kind in ("states", "dependents", "enforced"):
        order = [x.element for x in getattr(vector, kind)]
        assert sorted(map(order.index, (x.element for x in getattr(scalar, kind)))) == list(range(len(order)))
        getattr(scalar, kind).sort(key=lambda x, order=order: order.index(x.element))
    unknowns = [(a.symbol, b.symbol) for k in ("states", "dependents", "enforced") for a, b in both(vector, scalar, k)]
    one, two = values(vector, causality.graph), values(scalar, causality.graph)
    if unknowns:
        two = ca.substitute(two, ca.vertcat(*(b for _, b in unknowns)), ca.vertcat(*(a for a, _ in unknowns)))
    symbols = ca.vertcat(*ca.symvar(ca.vertcat(one, two)), ca.SX(0, 1))
    sizes = [one.numel(), two.numel()]
    at = np.random.default_rng(5).uniform(0.2, 1.5, symbols.numel())
    a, b = (np.array(x).ravel() for x in ca.Function("f", [symbols], [ca.densify(one), ca.densify(two)])(at))
    assert sizes[0] == sizes[1] and np.all(np.isfinite(a)) and np.abs(a).max() > 0
    return np.abs(a - b).max() / np.abs(a).max(), expanded


def both(one, two, kind):
    return zip(getattr(one, kind), getattr(two, kind), strict=True)


def values(reading, graph):
    return ca.vertcat(
        *(x[b] for b in graph.bonds for x in (reading.effort, reading.flow)),
        *(x for s in reading.states for x in (s.rate, s.start)),
        *(d.amount for d in reading.dependents),
        *(e.residual for e in reading.enforced),
    )


def on_junction(*elements, size=3, forward=True):
    """A 1-junction with a driven inertia and the given elements; forward: half arrows point to them."""
    g = BondGraph("one junction")
    j = g.junction("v", 1)
    g.bond(g.add(Se("F", np.arange(1.0, size + 1), size)), j)
    g.bond(j, g.add(I("m", 2.0, size, start=np.arange(size))))
    for e in elements:
        g.add(e)
        g.bond(*((j, e) if forward else (e, j)), kind="translation")
    return g


def kinds(expanded, name):
    return [type(e).__name__ for e in expanded.elements[expanded.source.graph[name]]]


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(
    ("element", "made"),
    [
        (lambda: C("x", 3.0, 3, start=[1, 2, 3]), "C C C"),
        (lambda: C("x", [3.0, 4.0, 5.0], 3, displacement=[0.1, 0.2, 0.3]), "C C C"),
        (lambda: C("x", FULL, 3, start=[1, 2, 3]), "Field"),
        (lambda: C("x", FULL, 3, displacement=[0.1, 0.2, 0.3]), "MSe MSe MSe"),
        (lambda: C("x", lambda d: d**3, 3), "C C C"),
        (lambda: C("x", lambda d: FULL @ d, 3), "Field"),
        (lambda: C("x", lambda d: d * ca.dot(d, d), 3), "Field"),
        (lambda: R("x", FULL, 3), "Field"),
        (lambda: R("x", [1.0, 2.0, 0.5], 3), "R R R"),
        (lambda: R("x", lambda f: f * ca.fabs(f) - 0.5, 3), "R R R"),
        (lambda: R("x", lambda f: f * ca.norm_2(f), 3), "MSe MSe MSe"),
        (lambda: Constraint("x", [0.1, 0.2, 0.3], 3), "Constraint Constraint Constraint"),
        (lambda: I("x", FULL, 3), "Field"),
        (lambda: I("x", [1.0, 2.0, 3.0], 3), "I I I"),
        (lambda: EulerGyrator("x", lambda w: -ca.skew(ca.DM(FULL) @ w)), "Junction Junction Junction MGY MGY MGY"),
    ],
)
def test_elements_on_a_flow(element, made, forward):
    """Stores in integral and derivative causality, resistors, the Eulerian gyrator, whichever way the arrow points."""
    off, expanded = difference(assign(on_junction(element(), forward=forward)))
    assert off < 1e-12
    assert kinds(expanded, "x") == made.split()


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(
    ("element", "made"),
    [
        (lambda: R("x", FULL, 3), "Field"),
        (lambda: R("x", None, 3, inverse=lambda e: e**3), "R R R"),
        (lambda: R("x", None, 3, inverse=lambda e: e * ca.norm_2(e)), "MSf MSf MSf"),
        (lambda: Sf("x", [1.0, 2.0, 3.0], 3), "Sf Sf Sf"),
        (lambda: C("x", FULL, 3), "Field"),
        (lambda: I("x", lambda p: p * ca.dot(p, p), 3), "Field"),
    ],
)
def test_elements_on_an_effort(element, made, forward):
    g = BondGraph("one 0-junction")
    j = g.junction("u", 0)
    g.bond(g.add(Se("F", [1.0, 2.0, 3.0], 3)), j)
    e = g.add(element())
    g.bond(*((j, e) if forward else (e, j)))
    off, expanded = difference(assign(g))
    assert off < 1e-12
    assert kinds(expanded, "x") == made.split()


MODULI = {
    "rotation": ROTATION,
    "full": FULL,
    "signs": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 1.0]]),
    "minus": -np.eye(3),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("flow_in", [True, False])
@pytest.mark.parametrize("kind", [TF, GY])
@pytest.mark.parametrize("modulus", MODULI)
def test_matrix_two_ports(modulus, kind, flow_in, second, first):
    """All causalities, and half arrows with and against the two-port's own direction on either side."""
    m = MODULI[modulus]
    g = BondGraph("two-port")
    a, b = g.junction("a", 1), g.junction("b", 1)
    two_port = g.add(kind("x", m))
    two_port.orthogonal = modulus in ("rotation", "minus") and kind is TF
    # who determines the flows of the two sides: the inertias that have integral causality there
    near, far = (True, False) if kind is TF and flow_in else (False, True) if kind is TF else (flow_in, flow_in)
    for j, integral, name in ((a, near, "a"), (b, far, "b")):
        g.bond(j, g.add(I(f"{name}-I", 1.0, 3) if integral else C(f"{name}-C", 1.0, 3)))
        g.bond(g.add(Se(f"{name}-F", [1.0, 2.0, 3.0], 3)), j)
    g.bond(*((a, (two_port, 0)) if first else ((two_port, 0), a)))
    g.bond(*(((two_port, 1), b) if second else (b, (two_port, 1))))
    causality = assign(g)
    assert causality.receives_effort(g.bond_at(two_port, 0), two_port) == (not flow_in)
    off, expanded = difference(causality)
    assert off < 1e-12
    if kind is TF:
        # an expanded transformer is driven one way only, so the strokes follow from the structure alone
        again = assign(expanded.graph)
        assert all(again.stroke[b] == expanded.causality.stroke[b] for b in expanded.graph.bonds)


def test_the_two_structures_of_a_coordinate_transformation():
    """BND figure 11: 1-junctions where flows come in, 0-junctions where they are summed; nine transformers."""
    for flow_in in (True, False):
        g = BondGraph("transformation")
        a, b = g.junction("a", 1), g.junction("b", 1)
        tf = g.add(TF("x", 1.1 * FULL))
        g.bond(a, (tf, 0), kind="translation")
        g.bond((tf, 1), b, kind="translation")
        g.bond(a, g.add(I("m", 1.0, 3) if flow_in else C("k", 1.0, 3)))
        g.bond(b, g.add(C("k2", 1.0, 3) if flow_in else I("m2", 1.0, 3)))
        expanded = expand(assign(g))
        junctions = {e.name: e.kind for e in expanded.elements[tf] if hasattr(e, "common")}
        inputs, outputs = (1, 0) if flow_in else (0, 1)
        sides = ("in", "out") if flow_in else ("out", "in")
        assert junctions == {
            f"x-{side}-{axis}": kind for side, kind in zip(sides, (inputs, outputs), strict=True) for axis in "xyz"
        }
        assert sum(isinstance(e, TF) for e in expanded.elements[tf]) == 9


def test_zero_entries_have_no_bond_and_ones_a_plain_one():
    """A cross product: two entries in each row; a choice of components needs no transformer at all."""
    g = on_junction()
    cross, picked = (
        g.add(MTF("cross", -ca.skew(ca.SX([1.0, 2.0, 0.5])))),
        g.add(TF("picked", [[0, 0, 1.0], [0, 1.0, 0]])),
    )
    cross.invertible = False
    for tf, n in ((cross, 3), (picked, 2)):
        at = g.junction(f"{tf.name}-at", 1)
        g.bond("v", (tf, 0), kind="rotation")
        g.bond((tf, 1), at, kind="translation")
        g.bond(at, g.add(R(f"{tf.name}-R", 2.0, n)))
    off, expanded = difference(assign(g))
    assert off < 1e-12
    assert sum(isinstance(e, TF) for e in expanded.elements[cross]) == 4  # two of the six are 1 and -1
    assert not any(isinstance(e, TF) for e in expanded.elements[picked])
    assert [e.name for e in expanded.elements[picked] if isinstance(e, Se)] == ["picked-x-none"]  # asks for no effort


def test_fields_with_vector_ports_and_opened_sources():
    g = BondGraph("field")
    law = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.2
    field = g.add(Field("x", "I", law, [2, 2], start=[1, 2, 3, 4]))
    for port, name in enumerate("ab"):
        j = g.junction(name, 1)
        g.bond(j, (field, port))
        g.bond(g.add(Se(f"{name}-F", [1.0, 2.0], 2)), j)
    tf = g.add(TF("t", [[1.0, 2.0]]))
    g.bond("a", (tf, 0))
    g.bond((tf, 1), g.add(Sf("s", 0.3)))
    causality = assign(g, "relaxed")
    assert [e.name for e in causality.opened] == ["s"]
    off, expanded = difference(causality)
    assert off < 1e-12
    assert expanded.graph["x"].sizes == [1, 1, 1, 1] and len(expanded.causality.integral) == 4
    assert [e.name for e in expanded.causality.opened] == ["s"]


def test_modulus_in_a_circle_is_solved():
    """A gyrator modulated by the very flow it takes part in: r = 1/(1 + S(f)) by Newton, as for the vector."""
    g = BondGraph("circle")
    j = g.junction("v", 1)
    g.bond(g.add(Se("F", [0.3, 0.2, 0.1], 3)), j)
    g.bond(j, g.add(R("r", [2.0, 3.0, 4.0], 3)))
    g.bond(j, g.add(EulerGyrator("x", lambda w: ca.skew(w + ca.DM([0.2, 0.1, 0.4])))))
    off, _ = difference(assign(g))
    assert off < 1e-12


def test_names_groups_and_kinds_are_carried_over():
    g = on_junction(C("spring", 3.0, 3), Se("spring-x", 1.0, 3))
    g["spring"].group, g["spring"].label, g["spring"].domain = "leg", "k", "translation"
    expanded = expand(assign(g))
    made = expanded.elements[g["spring"]]
    assert [e.name for e in made] == ["spring-x-2", "spring-y", "spring-z"]  # one name was taken
    assert [(e.group, e.label, e.domain) for e in made] == [("leg", f"k {a}", "translation") for a in "xyz"]
    bonds = expanded.bonds[g.bond_at(g["spring"], 0)]
    assert [b.kind for b in bonds] == ["translation"] * 3 and bonds[0].name.endswith("-x")
    assert g["spring"].size == 3 and g["spring"].graph is g  # the vector graph is as before


def test_what_cannot_be_expanded_is_named():
    with pytest.raises(ModelError, match="x: .*not skew"):
        expand(assign(on_junction(EulerGyrator("x", lambda w: ca.diag(w)))))

    class Odd(Se):
        pass

    class Strange(Element):
        pass

    causality = assign(on_junction(Odd("x", 1.0, 3)))
    assert kinds(expand(causality), "x") == ["Odd"] * 3
    g = on_junction(Se("x", 1.0, 3))
    causality = assign(g)
    g["x"].__class__ = Strange
    with pytest.raises(ModelError, match="x: no scalar bonds are known for a Strange"):
        expand(causality)


def net_of(model, joints):
    view = MaximalView(model)
    got = gather(model, view)
    in_joint_axes(view, got.position, lambda row: True)
    return multibond(view, got, joints=joints)


@pytest.mark.parametrize("joints", ["lagrange", "ideal"])
@pytest.mark.parametrize("name", MODELS)
def test_mechanisms_read_the_same(name, joints):
    net = net_of(MODELS[name](), joints)
    method = "scap" if joints == "lagrange" else "relaxed"
    off, expanded = difference(assign(net.graph, method), net.known_flows())
    assert off < 1e-12
    again = assign(expanded.graph, method)
    assert all(again.stroke[b] == expanded.causality.stroke[b] for b in expanded.graph.bonds)
    spatial = any(b.size == 3 for b in net.graph.bonds)
    assert spatial == any(type(e) is MGY for e in expanded.graph.elements.values())


@pytest.mark.parametrize(("name", "duration"), [("pendulum", 0.5), ("slider-crank", 0.3), ("top", 0.1)])
def test_the_same_motion(name, duration):
    model = MODELS[name]()
    for formulation, limit in (("bondgraph", 1e-8), ("bondgraph-rc", 1e-6)):
        long = duration if formulation == "bondgraph" else 0.02
        options = {"rtol": 1e-9, "atol": 1e-11, "output": long / 5}
        vector = model.simulate(long, formulation=formulation, **options)
        scalar = model.simulate(long, formulation=f"{formulation}-scalar", **options)
        assert set(vector) == set(scalar)
        for channel in (c for c in vector if not c.startswith(("solver.", "residual."))):
            assert np.abs(vector[channel] - scalar[channel]).max() <= limit * max(1.0, np.abs(vector[channel]).max())


@pytest.mark.ci
@pytest.mark.parametrize(("planar", "loops", "seed"), [(True, 1, 0), (False, 0, 1), (False, 1, 2)])
def test_random_mechanisms_have_the_same_equations(planar, loops, seed):
    model = random_mechanism(seed, planar=planar, loops=loops, size=2)
    vector, scalar = (prepare(model, Choice(f)) for f in ("bondgraph", "bondgraph-scalar"))
    one, two = vector.equations, scalar.equations
    y = vector.state
    assert np.array_equal(y, scalar.state)
    n, m = one.q.numel(), one.v.numel()
    for what in ("mass", "force", "jacobian", "velocity", "gamma"):
        found = []
        for eq in (one, two):
            part = eq.motion if hasattr(eq.motion, what) else eq.constraints
            f = ca.Function("f", [eq.t, eq.q, eq.v, eq.z, eq.p], [ca.densify(getattr(part, what))])
            found.append(np.array(f(0.1, y[:n], y[n : n + m], y[n + m :], vector.p)))
        assert np.allclose(*found, rtol=1e-11, atol=1e-11), what
    assert len(two.observation.probes) > len(one.observation.probes)
    graph = two.graph
    assert isinstance(graph, BondGraph) and all(b.size == 1 for b in graph.bonds)


def test_modulated_sources_are_the_only_stand_ins():
    """No element of a mechanism has to be replaced by a source."""
    net = net_of(MODELS["slider-crank"](), "lagrange")
    expanded = expand(assign(net.graph))
    for element, made in expanded.elements.items():
        if not isinstance(element, MSe | MSf):
            assert not any(isinstance(e, MSe | MSf) for e in made)
