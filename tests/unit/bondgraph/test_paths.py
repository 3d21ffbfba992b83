"""Zero-order causal paths: textbook graphs whose classes are known, mechanisms, and what classes say of equations."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import TF, C, Constraint, EulerGyrator, I, R, Se, Sf
from linkwork.bondgraph.expanding.expansion import expand
from linkwork.bondgraph.following.dependence import dependence, other
from linkwork.bondgraph.following.matching import matched
from linkwork.bondgraph.following.paths import zero_order_paths
from linkwork.bondgraph.following.paths_report import open_paths
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.reading import read
from linkwork.examples import pendulum, rssr, slider_crank, slider_crank_spatial, spinning_top

from .test_expansion import net_of
from .textbook import graph, order

RING = "1:a C:c1\n0:p I:i1\n1:b C:c2\n0:q I:i2\n1:a 0:p\n0:p 1:b\n1:b TF:n\nTF:n 0:q\n0:q 1:a"
BRIDGE = "Se:V 0:s\n0:s 1:a\n0:s 1:c\n1:a R:R1\n1:c R:R3\n1:a 0:l\n1:c 0:r\n0:l R:R2\n0:r R:R4\n0:l 1:g\n1:g 0:r\n"
GYRATOR_RING = "Se:E 1:a\n1:a R:R\n1:a GY:g\nGY:g 0:b\n1:a 0:b"
TEXTBOOK = {
    # nothing implicit
    "mass-spring-damper": ("Se:F 1:v\n1:v I:m\n1:v C:k\n1:v R:b", {}, 0),
    "motor": ("Se:V 1:i\n1:i R:Ra\n1:i I:La\n1:i GY:K\nGY:K 1:w\n1:w I:J\n1:w R:b", {}, 0),
    # rigidly joined stores: one of them follows
    "lever": ("Se:F 1:a\n1:a I:m1\n1:a TF:lever\nTF:lever 1:b\n1:b I:m2", {1: 1}, 1),
    "capacitors": ("Se:V 1:i\n1:i R:R\n1:i 0:u\n0:u C:C1\n0:u C:C2\n0:u C:C3", {1: 2}, 1),
    "through a gyrator": ("Se:V 1:i\n1:i R:R\n1:i I:L\n1:i GY:g\nGY:g 0:w\n0:w C:k", {1: 1}, 1),
    # a store that a source imposes has no state and no path: its rate is that of the source
    "imposed": ("Sf:J 1:i\n1:i I:L\n1:i R:R", {}, 1),
    # resistors that need each other
    "divider": ("Se:V 1:i\n1:i R:R1\n1:i 0:u\n0:u R:R2", {2: 1}, 1),
    "divider with two loads": ("Se:V 1:i\n1:i R:R1\n1:i 0:u\n0:u R:R2\n0:u R:R3", {2: 2}, 1),
    # a resistor that meets itself around a gyrator
    "gyrator ring": (GYRATOR_RING, {3: 1}, 1),
    # junctions that determine each other: f = 2 f − f₁ − f₂
    "ring": (RING, {4: 1}, 1),
    # the same, and a dependent store needs the rate of what circulates
    "ring with dependent mass": (RING + "\n1:b I:m", {1: 2, 4: 1}, 2),
}


def net(model, method="relaxed"):
    return assign(net_of(model, "ideal").graph, method)


def numbers(opening):
    return {k: n for k, n in opening.count.items() if n}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_classes(name):
    text, classes, index = TEXTBOOK[name]
    causality = assign(graph(text))
    opening = open_paths(causality)
    assert numbers(opening) == classes
    assert opening.index == index
    # found without causality: the order is the number of stores with a state
    assert order(causality.graph) == len(causality.integral)
    text = str(opening)
    assert text.count("\n- class") == len(opening.paths)
    assert {p.number for p in opening.paths} == set(classes)
    assert f"index {index}" in text and ("break variable(s)" in text) == bool(opening.breaks)


@pytest.mark.parametrize("name", [n for n in TEXTBOOK if "dependent mass" not in n])
def test_index_is_that_of_the_equations(name):
    """Rates of dependent stores are solvable together: the equations read off have a regular Jacobian in them."""
    _, _, index = TEXTBOOK[name]
    causality = assign(graph(TEXTBOOK[name][0]))
    assert implicit(causality) == (1 if causality.derivative else 0)
    assert index >= implicit(causality)


def implicit(causality):
    """0: all rates are explicit; 1: unknown rates and efforts follow from their equations; 2: some do not."""
    got = read(causality)
    unknown = ca.vertcat(ca.SX(0, 1), *(u.symbol for u in (*got.dependents, *got.enforced)))
    if not unknown.numel():
        return 0
    x = ca.vertcat(ca.SX(0, 1), *(s.symbol for s in got.states))
    xdot = ca.vertcat(ca.SX(0, 1), *(s.rate for s in got.states))
    rates = [u.symbol - (ca.jtimes(u.amount, x, xdot) if x.numel() else 0) for u in got.dependents]
    J = ca.jacobian(ca.vertcat(*rates, *(u.residual for u in got.enforced)), unknown)
    free = ca.symvar(J)
    at = np.random.default_rng(1).uniform(0.3, 0.9, len(free))
    J = np.array(ca.Function("J", [ca.vertcat(*free, ca.SX(0, 1))], [ca.densify(J)])(at))
    return 1 if np.linalg.matrix_rank(J) == len(J) else 2


@pytest.mark.parametrize("name", TEXTBOOK)
def test_cuts_are_those_of_the_reading(name):
    """The break variables of algebraic loops are where the equations are cut."""
    causality = assign(graph(TEXTBOOK[name][0]))
    cuts = [b for b in open_paths(causality).breaks if ":" not in b]
    assert cuts == read(causality).loops


def test_wheatstone_bridge():
    """Five resistors, two node voltages: all that depends on itself goes through resistors, nothing closes without."""
    opening = open_paths(assign(graph(BRIDGE + "1:g R:Rg")))
    assert opening.classes == [2] and opening.index == 1
    members = {e.name for p in opening.paths for e in p.ends}
    assert members == {"R1", "R2", "R3", "R4", "Rg"}


def test_a_path_comes_back_along_its_bonds():
    """Power is conserved: whatever is handed on one way is handed on by the other variable the other way."""
    for causality in (*(assign(graph(text)) for text, _, _ in TEXTBOOK.values()), net(slider_crank.model())):
        links = {(n, v) for v, needs in dependence(causality).needs.items() for n in needs}
        assert links == {(other(v), other(n)) for n, v in links}


def test_what_a_path_says():
    (path,) = zero_order_paths(assign(graph(TEXTBOOK["lever"][0])))
    assert path.number == 1 and [e.name for e in path.ends] == ["m1", "m2"]
    assert [e.name for e in path.elements] == ["m1", "a", "lever", "b", "m2"]
    assert [b.name for b in path.bonds] == ["b2", "b3", "b4", "b5"]
    assert "I:m1 and I:m2" in str(path) and "implicit" in path.meaning and "compliance" in path.remedy
    (path,) = zero_order_paths(assign(graph(RING)))
    assert {e.name for e in path.elements} == {"a", "b", "p", "q", "n"} and not path.ends
    (path,) = zero_order_paths(assign(graph(GYRATOR_RING)))
    assert [e.name for e in path.ends] == ["R"] and {"a", "b", "g"} < {e.name for e in path.elements}


def test_eulerian_gyrator_is_algebraic():
    """Without an inertia the gyroscopic moment and the resistor make a loop of class 2."""
    g = BondGraph("gyroscope")
    j = g.junction("w", 1)
    for e in (Se("M", 1.0, 3), R("b", 2.0, 3), EulerGyrator("x", lambda w: ca.skew(w))):
        g.bond(j, g.add(e))
    (path,) = zero_order_paths(assign(g))
    assert path.number == 2 and {e.name for e in path.ends} == {"b", "x"}


def test_break_variable_and_resistor():
    """An effort that must make a flow through a resistor vanish follows at once: index 1, not 2."""
    g = graph("1:v R:r")
    g.bond("v", g.add(Constraint("s", 0.5)))
    opening = open_paths(assign(g))
    assert numbers(opening) == {2: 1} and opening.index == 1 == implicit(assign(g))
    g = graph("1:v I:m")
    g.bond("v", g.add(Constraint("s", 0.5)))
    opening = open_paths(assign(g))
    assert not opening.paths and opening.index == 2 == implicit(assign(g))
    assert opening.breaks == ["effort of MSe:s"] and "effort of MSe:s" in str(opening)


def test_sources_that_meet_only_each_other():
    opening = open_paths(graph("Sf:a 1:v\n1:v Sf:b\n1:v R:r"))
    (path,) = [p for p in opening.paths if p.opened_by is not None]
    assert path.number == 4 and not path.determined
    assert "cannot be determined" in path.meaning and "Take one" in path.remedy


def test_opened_source_of_a_component():
    """One component of a vector mass is imposed: the mass keeps its state, the source is a break variable."""
    g = BondGraph("component")
    j = g.junction("v", 1)
    g.bond(j, g.add(I("m", 1.0, 2)))
    tf = g.add(TF("x", [[1.0, 0.0]]))
    g.bond(j, (tf, 0))
    g.bond((tf, 1), g.add(Sf("s", 0.0)))
    opening = open_paths(g)
    assert numbers(opening) == {1: 1} and opening.index == 2 == implicit(opening.causality)
    # component by component the same graph has no constraint on a state: that component follows the source
    scalar = expand(opening.causality)
    for e in scalar.graph.of_type(TF):
        e.invertible = True
    free = open_paths(scalar.graph)
    assert not numbers(free) and not free.causality.opened and free.index == 1


def test_many_rings_are_not_enumerated():
    """Two ways at each of n stages of a ring are 2ⁿ rings; n + 1 of them are independent."""
    stages, lines = 30, []
    for k in range(stages):
        for way in "xy":
            lines += [f"1:a{k} TF:{way}{k}", f"TF:{way}{k} 0:s{k}"]
        lines += [f"0:s{k} I:i{k}", f"1:a{k} C:c{k}", f"0:s{k} 1:a{(k + 1) % stages}"]
    opening = open_paths(assign(graph("\n".join(lines))))
    assert numbers(opening) == {4: stages + 1}
    found = [p for p in opening.paths if p.number == 4]
    assert 1 <= len(found) <= stages + 1 and all(len(p.bonds) >= 3 * stages for p in found)


def test_sources_are_given_stores_as_well_as_can_be():
    one, free = dict.fromkeys("abcd", 1), dict.fromkeys("abcd", ())
    assert matched({"a": "xy", "b": "x"}, free, {"a": 2, "b": 2}, {"x": 3, "y": 3}) == {"b": "x", "a": "y"}
    assert matched({"a": "xy", "b": "yz", "c": "x"}, free, one, dict.fromkeys("xyz", 1)).keys() == set("abc")
    assert len(matched({"a": "xy", "b": "yx", "c": "xyz", "d": "xyz"}, free, one, dict.fromkeys("xyz", 1))) == 3
    assert matched({"a": "x"}, free, {"a": 4}, {"x": 3}) == {}
    # the first one takes y and must move to z for the second, for which x has no room
    assert matched({"a": "yz", "b": "yx"}, free, one, {"x": 0, "y": 1, "z": 1}) == {"a": "z", "b": "y"}
    # x from a needs y, y from b needs x: only one of them can be had
    both = {"a": "xy", "b": "xy"}
    assert len(matched({"a": "x", "b": "y"}, both, one, {"x": 1, "y": 1})) == 1
    assert len(matched({"a": "x", "b": "y"}, {"a": "x", "b": "xy"}, one, {"x": 1, "y": 1})) == 2


MECHANISMS = {
    "pendulum": (pendulum.model, [1], 1, 0),
    "top": (spinning_top.model, [1], 1, 0),
    "slider-crank": (slider_crank.model, [1, 4], 2, 1),
    # BND 4.2: class 1 and 4; one loop of translations, and with revolutes throughout one of rotations
    "isostatic": (lambda: slider_crank_spatial.model(redundant=False), [1, 4], 2, 1),
    "hyperstatic": (slider_crank_spatial.model, [1, 4], 2, 2),
    "rssr": (rssr.model, [1, 4], 2, 1),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms(name):
    make, classes, index, rings = MECHANISMS[name]
    causality = net(make())
    opening = open_paths(causality)
    assert opening.classes == classes and opening.index == index
    closed = [p for p in opening.paths if p.number == 4]
    assert len(closed) == rings and all(p.opened_by in causality.opened for p in closed)
    dependent = {p.ends[1] for p in opening.paths if p.opened_by is None}
    assert dependent == {e for e, _ in causality.derivative}
    assert len(opening.breaks) == len(causality.opened) + len(causality.derivative)
    scalar = open_paths(expand(causality).causality)
    assert scalar.index == index and scalar.classes == classes


def test_slider_crank_loop_is_named_from_ground_to_ground():
    opening = open_paths(net(slider_crank.model()))
    (loop,) = [p for p in opening.paths if p.number == 4]
    assert [e.name for e in loop.ends] == ["O-blocked-translation-Sf", "P-blocked-translation-Sf"]
    assert {e.group for e in loop.elements} >= {"crank", "rod", "O", "A", "B", "P"}


def test_open_chain_has_no_class_4():
    """A slider on a swinging bar: its sources must be opened because they block some components only, not by a loop."""
    m = lw.Model("chain", gravity=(0, -9.81, 0))
    bar, slider = (m.body(name, mass=1, inertia=(1, 1, 1)) for name in ("bar", "slider"))
    m.revolute("O", m.ground.at(0, 0, 0), bar.at(-0.5, 0, 0))
    m.prismatic("P", bar.at(0.2, 0, 0), slider.at(0, 0.1, 0))
    opening = open_paths(net(m))
    assert len(opening.causality.opened) == 3 and opening.classes == [1] and opening.index == 2


def test_lagrange_and_compliant_joints_have_none():
    model = slider_crank.model()
    lagrange = open_paths(assign(net_of(model, "lagrange").graph))
    assert not lagrange.paths and lagrange.index == 2 and len(lagrange.breaks) == 5
    g = BondGraph("spring")
    j = g.junction("v", 1)
    for e in (I("m", 1.0, 3), C("k", 1.0, 3), R("d", 1.0, 3)):
        g.bond(j, g.add(e))
    assert "none" in str(open_paths(g))
