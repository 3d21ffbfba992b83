"""Causality of textbook graphs: strokes, derivative causality, algebraic loops, conflicts, and what is said of them.

The number of stores in integral causality is checked against the order of the equations, found without causality.
"""

import numpy as np
import pytest

from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import MTF, C, Constraint, EulerGyrator, Field, I, R, Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import ModelError

from .textbook import graph, order


def names(ports):
    return [e.name for e, _ in ports]


def gives(c, name, port=0):
    """ "effort" or "flow": what an element determines at its port."""
    element = c.graph[name]
    return "flow" if c.receives_effort(c.graph.bond_at(element, port), element) else "effort"


MOTOR = "Se:V 1:i\n1:i R:Ra\n1:i I:La\n1:i GY:K\nGY:K 1:w\n1:w I:J\n"
BRIDGE = "Se:V 0:s\n0:s 1:a\n0:s 1:c\n1:a R:R1\n1:c R:R3\n1:a 0:l\n1:c 0:r\n0:l R:R2\n0:r R:R4\n0:l 1:g\n1:g 0:r\n"
MASS_SPRING_DAMPER = "Se:F 1:v\n1:v I:m\n1:v C:k\n1:v R:b"
TEXTBOOK = {
    # series: the mass sets the common speed, the spring its force; the damper sees the speed
    "mass-spring-damper": (MASS_SPRING_DAMPER, "m k", "", 0),
    "RLC series": ("Se:V 1:i\n1:i R:R\n1:i I:L\n1:i C:C", "L C", "", 0),
    # parallel, fed by a current: the capacitor sets the common voltage
    "RLC parallel": ("Sf:J 0:u\n0:u R:R\n0:u I:L\n0:u C:C", "L C", "", 0),
    # armature inductance and one inertia: the load is rigidly geared to the rotor, one of the two has no state
    "DC motor, gear, load": (
        MOTOR + "1:w TF:gear\nTF:gear 1:out\n1:out I:load\n1:out R:b",
        "La J",
        "load",
        0,
    ),
    # a shaft spring between them: both speeds are free
    "motor, elastic shaft, load": (
        MOTOR + "1:w 0:shaft\n0:shaft C:k\n0:shaft 1:out\n1:out I:load",
        "La J k load",
        "",
        0,
    ),
    "two masses on a lever": ("Se:F 1:a\n1:a I:m1\n1:a TF:lever\nTF:lever 1:b\n1:b I:m2", "m1", "m2", 0),
    "two capacitors in parallel": ("Se:V 1:i\n1:i R:R\n1:i 0:u\n0:u C:C1\n0:u C:C2", "C1", "C2", 0),
    # the voltage of an ideal source leaves a capacitor no state
    "capacitor at a source": ("Se:V 0:u\n0:u C:C\n0:u R:R", "", "C", 0),
    "inductor at a current source": ("Sf:J 1:i\n1:i I:L\n1:i R:R", "", "L", 0),
    # no store at all: who decides the current, R1 or R2?
    "resistive divider": ("Se:V 1:i\n1:i R:R1\n1:i 0:u\n0:u R:R2\n0:u R:load", "", "", 1),
    # two node voltages that only the five resistors together determine
    "Wheatstone bridge": (BRIDGE + "1:g R:Rg", "", "", 2),
    # an inductor in place of the galvanometer says what flows across; each half is still a divider
    "bridge with inductor": (BRIDGE + "1:g I:Lg", "Lg", "", 2),
    # pump (flow) – compressible oil – line (inertia, friction) – chamber – piston – mass with spring
    "pump, line, cylinder": (
        "Sf:pump 0:p1\n0:p1 C:oil1\n0:p1 R:leak\n0:p1 1:line\n1:line I:fluid\n1:line R:friction\n1:line 0:p2\n"
        "0:p2 C:oil2\n0:p2 TF:piston\nTF:piston 1:v\n1:v I:m\n1:v C:k",
        "oil1 fluid oil2 m k",
        "",
        0,
    ),
    # stiff oil left out: line and piston move as one, the mass loses its state
    "line, cylinder, no oil": (
        "Se:p 1:line\n1:line I:fluid\n1:line R:friction\n1:line TF:piston\nTF:piston 1:v\n1:v I:m",
        "fluid",
        "m",
        0,
    ),
    # road speed – tyre – wheel – suspension – body
    "quarter car": (
        "Sf:road 0:tyre\n0:tyre C:kt\n0:tyre 1:wheel\n1:wheel I:mu\nSe:gu 1:wheel\n1:wheel 0:strut\n0:strut 1:rel\n"
        "1:rel C:ks\n1:rel R:cs\n0:strut 1:body\n1:body I:ms\nSe:gs 1:body",
        "kt mu ks ms",
        "",
        0,
    ),
    # an inertia beyond a gyrator is a compliance: a mass and a spring, hence both states
    "I and I through GY": ("Se:F 1:a\n1:a I:I1\n1:a GY:g\nGY:g 1:b\n1:b I:I2", "I1 I2", "", 0),
    # and a compliance beyond it an inertia: as two inertias on one junction
    "I and C through GY": ("Se:F 1:a\n1:a I:I1\n1:a GY:g\nGY:g 0:b\n0:b C:C2", "I1", "C2", 0),
    # three inertias of a differential: the third speed is a combination of two
    "differential": ("1:a I:J1\nSe:T 1:a\n1:b I:J2\n1:a 0:d\n1:b 0:d\n0:d 1:c\n1:c I:J3", "J1 J2", "J3", 0),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook(name):
    text, integral, derivative, loops = TEXTBOOK[name]
    g = graph(text)
    c = assign(g)
    assert (names(c.integral), names(c.derivative)) == (integral.split(), derivative.split())
    assert len(c.chosen) == loops
    assert not c.conflicts and not c.opened
    assert order(g) == len(c.integral)


def test_strokes_of_mass_spring_damper():
    c = assign(graph(MASS_SPRING_DAMPER))
    # the force source and the spring give efforts, the mass answers with its speed, the damper is driven by the speed
    assert [gives(c, n) for n in ("F", "m", "k", "b")] == ["effort", "flow", "effort", "effort"]
    assert [c.stroke[b] for b in c.graph.bonds] == ["head", "head", "tail", "tail"]


def test_derivative_causality_is_explained():
    text = assign(graph(TEXTBOOK["two masses on a lever"][0])).report()
    assert "I:m2 has derivative causality: its flow is already determined by I:m1 through TF:lever." in text
    assert "Its inertia adds to that of I:m1" in text
    assert "square of the ratio" in text
    text = str(assign(graph(TEXTBOOK["two capacitors in parallel"][0])))
    assert "C:C2 has derivative causality: its effort is already determined by C:C1." in text
    assert "compliance adds to that of C:C1" in text
    text = str(assign(graph(TEXTBOOK["inductor at a current source"][0])))
    assert "determined by Sf:J" in text and 'method="lagrangian"' in text


def test_algebraic_loop_is_explained():
    c = assign(graph(TEXTBOOK["resistive divider"][0]))
    assert c.graph["R1"] in (c.chosen[0].tail.element, c.chosen[0].head.element)
    assert "R:R1, R:R2 and R:load form an algebraic loop" in str(c)
    assert "resistance (flow in, gives the effort)" in str(c)


def test_nonlinear_resistor_without_inverse_gets_the_flow():
    series = "Se:V 1:i\n1:i R:R1\n1:i R:R2"
    c = assign(graph(series, R("R1", 1.0), R("R2", lambda f: f**3)))
    assert (gives(c, "R1"), gives(c, "R2")) == ("flow", "effort")
    assert len(c.chosen) == 1  # it is still a loop
    c = assign(graph(series, R("R2", 0.0)))  # a resistance of zero cannot be inverted either
    assert gives(c, "R2") == "effort"
    with pytest.raises(ModelError, match=r"R:R2 has a law from flow to effort only.*Give R 'R2' its `inverse`"):
        assign(graph(series, R("R1", lambda f: f**3), R("R2", lambda f: f**3)))
    c = assign(graph(series, R("R1", lambda f: f**3, inverse=lambda e: e ** (1 / 3)), R("R2", lambda f: f**3)))
    assert (gives(c, "R1"), gives(c, "R2")) == ("flow", "effort")


def test_nonlinear_resistor_comes_before_a_store():
    """A law without inverse cannot be driven by the voltage of the capacitor: it makes the voltage itself."""
    c = assign(graph("Sf:J 0:u\n0:u R:diode\n0:u C:C", R("diode", lambda f: f**3)))
    assert names(c.derivative) == ["C"]  # u is what the diode says, so the capacitor follows
    assert "determined by R:diode" in str(c)
    c = assign(graph("R:diode C:C", R("diode", lambda f: f**3)))
    assert names(c.derivative) == ["C"]
    assert "determined by R:diode" in str(c)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        # two voltages for one node
        ("Se:V1 0:u\nSe:V2 0:u\n0:u R:R", ["Se:V2", "Se:V1", "0-junction 'u'", "only one bond", "resistor"]),
        # two speeds for one shaft
        ("Sf:w1 1:w\nSf:w2 1:w\n1:w R:b", ["Sf:w2", "Sf:w1", "1-junction 'w'", "only one bond", "relaxed"]),
        ("Sf:w1 1:w\n1:w TF:gear\nTF:gear 1:x\nSf:w2 1:x", ["Sf:w2", "Sf:w1", "TF:gear", "1-junction"]),
        # a gyrator turns the speed of one side into the force of the other
        ("Sf:n 1:w\n1:w GY:K\nGY:K 0:u\nSe:V 0:u", ["Sf:n", "Se:V", "GY:K"]),
        ("Se:V1 Se:V2", ["Se:V2", "Se:V1", "bond", "effort"]),
        ("Sf:f1 Sf:f2", ["Sf:f2", "Sf:f1", "bond", "flow"]),
        # currents alone: they would have to add up by themselves, and the voltage is anyone's guess
        ("Sf:J1 0:u\nSf:J2 0:u", ["Sf:J2", "Sf:J1", "nothing is left that determines its effort"]),
        ("Se:V1 1:i\nSe:V2 1:i", ["Se:V2", "Se:V1", "nothing is left that determines its flow"]),
    ],
)
def test_conflicts(text, parts):
    with pytest.raises(ModelError) as caught:
        assign(graph(text))
    for part in parts:
        assert part in str(caught.value)
    (conflict,) = assign(graph(text), strict=False).conflicts
    said = {f"{e.symbol}:{e.name}" for e in conflict.elements}
    assert {p for p in parts if p[:2] in ("Se", "Sf", "TF", "GY")} <= said
    assert (conflict.junction is None) == ("bond" in parts)
    assert f"Conflict: {conflict.text}" in str(assign(graph(text), strict=False))


def test_junctions_that_determine_each_other_twice():
    """A 1-junction takes its flow from one bond: two of them can take theirs from two of three common bonds only."""
    text = "Se:F 1:a\n1:a 1:b\n1:a 1:b\n1:a 1:b\n1:b I:m"
    with pytest.raises(ModelError, match="no strokes obey the rules"):
        assign(graph(text))
    c = assign(graph(text), strict=False)
    assert len(c.conflicts) == 1 and len(c.stroke) == 5


CROSS = np.array([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.1], [0.2, -0.1, 0.0]])


def cross(name):
    tf = MTF(name, CROSS)
    tf.invertible = False
    return tf


def test_modulus_driven_backwards():
    """BND's C2: a cross product passes flow from its first port to its second, never back."""
    ways = graph("Sf:n 1:w\n1:w MTF:x\nMTF:x 1:v\n1:v I:m", Sf("n", 0.0, 3), cross("x"), I("m", 1.0, 3))
    c = assign(ways)
    assert (gives(c, "x", 0), gives(c, "x", 1), names(c.derivative)) == ("effort", "flow", ["m"])
    back = graph("1:w MTF:x\n1:w I:J\nMTF:x 1:v\nSf:n 1:v", Sf("n", 0.0, 3), cross("x"), I("J", 1.0, 3))
    with pytest.raises(ModelError) as caught:
        assign(back)
    for part in ("Sf:n", "MTF:x", "1-junction 'v'", "relaxed"):
        assert part in str(caught.value)
    c = assign(back, "relaxed")
    assert [e.name for e in c.opened] == ["n"] and names(c.integral) == ["J"]
    wide = graph("Sf:n 1:w\n1:w TF:x\nTF:x 1:v\n1:v R:b", Sf("n", 0.0, 2), MTF("x", np.ones((3, 2))), R("b", 1.0, 3))
    assert gives(assign(wide), "x", 1) == "flow"


def bar(hinges: int) -> BondGraph:
    """A rigid body of BND figure 2, in vector bonds, fixed by flow sources at some of its points."""
    text = "1:w I:J\n1:w EJS:e\n1:v I:m\nSe:g 1:v"
    given = [I("J", [1.0, 2.0, 3.0], 3), EulerGyrator("e", lambda w: w), I("m", 5.0, 3), Se("g", [0.0, 0.0, -9.81], 3)]
    for k in range(hinges):
        text += f"\n1:w MTF:x{k}\nMTF:x{k} 0:s{k}\n1:v 0:s{k}\n0:s{k} 1:h{k}\n1:h{k} Sf:h_{k}"
        given += [cross(f"x{k}"), Sf(f"h_{k}", 0.0, 3)]
    return graph(text, *given)


def test_pendulum_with_vector_bonds():
    c = assign(bar(1))
    # the hinge and the rotation say how the centre moves
    assert (names(c.integral), names(c.derivative)) == (["J"], ["m"])
    assert "I:m has derivative causality: its flow is already determined by Sf:h_0 and I:J through MTF:x0." in str(c)
    c = assign(bar(1), "lagrangian")
    assert (names(c.integral), c.derivative, [e.name for e in c.opened]) == (["J", "m"], [], ["h_0"])


def test_bar_on_two_hinges():
    """BND 3.1.1: flow sources at two points of one body conflict, for the cross products cannot be turned round."""
    with pytest.raises(ModelError) as caught:
        assign(bar(2))
    for part in ("Sf:h_1", "Sf:h_0", "junction", "relaxed"):
        assert part in str(caught.value)
    c = assign(bar(2), "relaxed")
    assert ([e.name for e in c.opened], names(c.integral), names(c.derivative)) == (["h_1"], ["J"], ["m"])
    assert gives(c, "h_1") == "effort"
    c = assign(bar(2), "lagrangian")
    assert ([e.name for e in c.opened], c.derivative) == (["h_0", "h_1"], [])
    assert "opened: an effort such that the flow has its value" in str(c)


def test_only_responsible_sources_are_opened():
    """A current into a capacitor takes nobody's state; a speed imposed on a mass does."""
    c = assign(graph("Sf:J 0:u\n0:u C:C\n0:u 1:v\n1:v I:m\nSf:w 1:v"), "lagrangian")
    assert [e.name for e in c.opened] == ["w"]
    assert not c.derivative


def test_relaxed_is_scap_where_nothing_conflicts():
    for text, *_ in TEXTBOOK.values():
        a, b = assign(graph(text)), assign(graph(text), "relaxed")
        assert list(a.stroke.values()) == list(b.stroke.values()) and not b.opened


def test_constraint_is_an_effort():
    g = graph("1:v I:m\n1:v MSe:hold", Constraint("hold"))
    c = assign(g)
    assert gives(c, "hold") == "effort" and names(c.integral) == ["m"]


def test_spring_with_known_displacement_needs_no_state():
    c = assign(graph("Se:F 1:v\n1:v I:m\n1:v C:k", C("k", 1.0, displacement=0.2)))
    assert names(c.integral) == ["m"] and gives(c, "k") == "effort"
    with pytest.raises(ModelError, match="C:k gives an effort, for its displacement is known"):
        assign(graph("Se:F C:k", C("k", 1.0, displacement=0.2)))


def test_fields_port_by_port():
    """A beam as a 2-port inertia: one end is held by a flow source, the other is free."""
    g = graph(
        "Sf:w 1:a\n1:a I:beam\n1:b I:beam\nSe:F 1:b", Field("beam", "I", np.array([[2.0, 1.0], [1.0, 2.0]]), [1, 1])
    )
    c = assign(g)
    assert c.derivative == [(g["beam"], 0)] and c.integral == [(g["beam"], 1)]
    assert "I:beam (port 1) has derivative causality: its flow is already determined by Sf:w" in str(c)
    assert "port 1: derivative (flow in, gives the effort), port 2: integral" in str(c)


def test_ring_with_one_gyrator():
    """No dualisation makes this gyrator a transformer: it is tried both ways."""
    g = graph("Se:F 1:a\n1:a I:m\n1:a GY:g\nGY:g 1:b\n1:b I:n\n1:a 0:s\n1:b 0:s\n0:s C:k")
    c = assign(g)
    assert names(c.integral) == ["m", "n", "k"] and order(g) == 3
    assert (gives(c, "g", 0), gives(c, "g", 1)) == ("effort", "effort")


@pytest.mark.parametrize(("junction", "store", "given"), [("1", "I", "effort"), ("0", "C", "flow")])
def test_many_rings_with_three_gyrators(junction, store, given):
    """The gyroscopic terms of several bodies in scalar bonds are triangles of gyrators; and their duals."""
    text = ""
    for k in range(7):
        a, b, c = (f"{junction}:{x}{k}" for x in "abc")
        text += f"{a} GY:g{k}\nGY:g{k} {b}\n{b} GY:h{k}\nGY:h{k} {c}\n{c} GY:i{k}\nGY:i{k} {a}\n"
        text += "".join(f"{x} {store}:s{x[2:]}\n" for x in (a, b, c))
    g = graph(text)
    c = assign(g)
    assert len(c.integral) == 21 and order(g) == 21 and not c.chosen
    assert {gives(c, f"{x}{k}", port) for x in "ghi" for k in range(7) for port in (0, 1)} == {given}


def test_order_of_adding_decides_who_keeps_its_state():
    a = assign(graph("Se:F 1:v\n1:v I:m1\n1:v I:m2"))
    b = assign(graph("Se:F 1:v\n1:v I:m2\n1:v I:m1"))
    assert (names(a.derivative), names(b.derivative)) == (["m2"], ["m1"])


def test_long_chain():
    """More bonds than Python recurses: n masses and springs all keep their states."""
    n = 300
    text = "Se:F 1:v0\n" + "\n".join(
        f"1:v{k} I:m{k}\n1:v{k} 0:s{k}\n0:s{k} C:k{k}\n0:s{k} 1:v{k + 1}" for k in range(n)
    )
    c = assign(graph(f"{text}\n1:v{n} I:end"))
    assert len(c.integral) == 2 * n + 1 and not c.derivative
    rigid = "Se:F 1:v0\n" + "\n".join(f"1:v{k} I:m{k}\n1:v{k} TF:t{k}\nTF:t{k} 1:v{k + 1}" for k in range(n))
    c = assign(graph(f"{rigid}\n1:v{n} I:end"))
    assert names(c.integral) == ["m0"] and len(c.derivative) == n
    assert str(c).count("has derivative causality") == n


def test_what_cannot_be_assigned():
    g = graph(MASS_SPRING_DAMPER)
    with pytest.raises(ModelError, match="method 'lagrange'.*scap, relaxed, lagrangian"):
        assign(g, "lagrange")
    g.add(R("loose", 1.0))
    with pytest.raises(ModelError, match="loose: nothing is bonded to its port 1 of 1"):
        assign(g)
