"""Joints and components of one's own between ports of bodies: put together by connecting, the same as by frames."""

import numpy as np
import pytest

import linkwork as lw


class Stiff(lw.PortComponent):
    """A spring between two frames, by its port equations."""

    def __init__(self, name, stiffness):
        super().__init__(name)
        self.a, self.b, self.stiffness = self.frame("a"), self.frame("b"), stiffness

    def equations(self):
        pull = self.stiffness * (self.b.p - self.a.p)
        return [self.a.force + pull, self.b.force - pull, self.a.torque, self.b.torque]

    def stored(self):
        stretch = self.b.p - self.a.p
        return self.stiffness * lw.dot(stretch, stretch) / 2


def bodies(m):
    upper, lower = (m.body(name, mass=1.0, inertia=0.1) for name in ("upper", "lower"))
    upper.start(position=(0.5, 0))
    lower.start(position=(1.5, 0))
    return upper, lower


def by_frames():
    m = lw.Model("chain")
    upper, lower = bodies(m)
    m.revolute("O", m.ground.at(), upper.at(-0.5, 0))
    m.revolute("A", upper.at(0.5, 0), lower.at(-0.5, 0)).angle.law(lw.Spring(3.0))
    return m


def by_ports():
    m = lw.Model("chain")
    upper, lower = bodies(m)
    O, A = m.revolute("O", None, None), m.revolute("A", None, None)
    m.connect(m.ground.port, O.port_a)
    m.connect(O.port_b, upper.at(-0.5, 0))
    m.connect(upper.at(0.5, 0).port, A.port_a)
    m.connect(A.port_b, lower.at(-0.5, 0))
    A.angle.law(lw.Spring(3.0))
    return m


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal"])
def test_the_same_however_it_was_put_together(formulation):
    one, other = (build().simulate(1.0, formulation=formulation) for build in (by_frames, by_ports))
    assert list(one) == list(other)
    for name in ("lower.x", "lower.y", "A.reaction.fx"):
        np.testing.assert_allclose(one[name], other[name], rtol=0, atol=1e-12)


def test_one_frame_for_several_ports():
    m = lw.Model("V")
    body, left, right = (m.body(name, mass=1.0, inertia=0.1) for name in ("body", "left", "right"))
    joints = [m.revolute(name, None, None) for name in ("O", "A", "B")]
    m.connect(m.ground, joints[0].port_a)
    m.connect(body.port, joints[0].port_b, joints[1].port_a, joints[2].port_a)
    m.connect(left.at(0, 0.5), joints[1].port_b)
    m.connect(right.at(0.1, 0.5), joints[2].port_b)
    assert m.check().degrees_of_freedom == 3


def test_a_component_of_ones_own_waits_for_its_frames():
    def model(spring):
        m = lw.Model("mass")
        mass = m.body("mass", mass=2.0, inertia=0.1).start(position=(1, 0))
        spring(m, m.ground.at(), mass.at(0, 0))
        return m

    def by_ports(m, a, b):
        own = m.add(Stiff("spring", 50.0))
        m.connect(a, own.a)
        m.connect(own.b, b)

    found = model(by_ports).simulate(1.0)
    truth = model(lambda m, a, b: m.spring("spring", a, b, stiffness=50.0, length=0.0)).simulate(1.0)
    np.testing.assert_allclose(found["mass.x"], truth["mass.x"], atol=1e-7)


def test_closure_alone_is_settled_when_both_ends_are_known():
    class Pin(lw.Joint):
        free, plane = ("angle",), ("angle",)

        def closure(self, M, N):
            d = N.p - M.p
            return [d[0], d[1]]

    m = lw.Model("pin")
    bar = m.body("bar", mass=1.0, inertia=0.1).start(position=(0.5, 0))
    pin = m.add(Pin("pin", None, None))
    m.connect(m.ground, pin.port_a)
    m.connect(bar.at(-0.5, 0), pin.port_b)
    assert m.check().degrees_of_freedom == 1
    assert abs(m.simulate(0.5)["pin.angle"][-1]) > 0.1


def test_structure_shows_what_a_joint_says_at_its_ports():
    said = by_ports().structure().equations_of("A")
    assert sum(line.startswith("equation") for line in said) == 2
    assert any("wrench on lower.angle" in line and "A.multiplier1" in line for line in said)
    with pytest.raises(lw.LinkworkError, match="nope"):
        by_ports().structure().equations_of("nope")


def mistakes():
    m = lw.Model("mistakes")
    bar = m.body("bar", mass=1.0, inertia=0.1)
    O, A = m.revolute("O", None, None), m.revolute("A", None, None)
    m.connect(m.ground, O.port_a)
    other = lw.Model("other").body("stranger", mass=1.0, inertia=0.1)
    return m, bar, O, A, other


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, bar, O, A, other: m.simulate(1), "O.*port_b.*not connected"),
        (lambda m, bar, O, A, other: m.check(), "O.*port_b.*not connected"),
        (lambda m, bar, O, A, other: m.connect(bar.port, O.port_a), "O.port_a.*connected already"),
        (lambda m, bar, O, A, other: m.connect(m.ground, O.port_b), "joins 'ground' to itself"),
        (lambda m, bar, O, A, other: m.connect(O.port_b, A.port_a), "0 frames.*put a body between"),
        (lambda m, bar, O, A, other: m.connect(bar, m.ground, O.port_b), "2 frames"),
        (lambda m, bar, O, A, other: m.connect(bar, O.angle), "O.angle is not a mechanical port"),
        (lambda m, bar, O, A, other: m.connect(other.port, O.port_b), "stranger.*another"),
    ],
)
def test_mistakes_are_told(call, words):
    with pytest.raises(lw.LinkworkError, match=words):
        call(*mistakes())


def test_a_mistake_leaves_the_port_as_it_was():
    m, bar, O, A, _ = mistakes()
    with pytest.raises(lw.LinkworkError):
        m.connect(m.ground, O.port_b)
    m.connect(bar.at(-0.5, 0), O.port_b)
    m.components.pop("A", None)
    m.changed()
    assert m.check().degrees_of_freedom == 1
