"""Linearisation against textbook eigenvalues, hand-made reductions and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigvalsh
from scipy.optimize import brentq

import linkwork as lw
from linkwork.simulation.prepare import Choice, prepare

IDEAL = ("absolute", "minimal", "points")
G = 9.81


def frequencies(linear: lw.Linearization) -> np.ndarray:
    """Angular frequencies of the oscillating modes [rad/s], ascending."""
    return 2 * np.pi * np.sort(linear.frequencies[linear.frequencies > 0])


def bar(m: lw.Model, name: str, length: float, mass: float):
    """Uniform and thin, along x."""
    inertia = mass * length**2 / 12
    return m.body(name, mass=mass, inertia=inertia if m.is_planar else (1e-3 * inertia, inertia, inertia))


def double_pendulum(lengths=(1.0, 0.7), masses=(2.0, 0.5)) -> lw.Model:
    m = lw.Model("double", gravity=(0, -G))
    (l1, l2), (m1, m2) = lengths, masses
    upper, lower = bar(m, "upper", l1, m1), bar(m, "lower", l2, m2)
    A = m.revolute("A", m.ground.at(0, 0), upper.at(-l1 / 2, 0))
    m.revolute("B", upper.at(l1 / 2, 0), lower.at(-l2 / 2, 0))
    A.angle.start(-np.pi / 2)
    return m


@pytest.mark.parametrize("formulation", IDEAL)
def test_double_pendulum_at_the_bottom(formulation):
    (l1, l2), (m1, m2) = lengths, masses = (1.0, 0.7), (2.0, 0.5)
    M = np.array([[m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2], [m2 * l1 * l2 / 2, m2 * l2**2 / 3]])
    K = np.diag([(m1 / 2 + m2) * G * l1, m2 * G * l2 / 2])  # angles from the vertical
    linear = double_pendulum(lengths, masses).linearize(formulation=formulation)
    assert frequencies(linear) == pytest.approx(np.sqrt(eigvalsh(K, M)), rel=1e-10)
    assert linear.stable and linear.note == ""
    assert linear.state_names == ["A.angle", "B.angle", "A.angle.rate", "B.angle.rate"]


def test_compliant_joints_come_near():
    m = double_pendulum()
    stiff = lw.Compliance(stiffness=1e9, damping=1e5)
    for joint in ("A", "B"):
        m[joint].enforce("compliant", stiffness=stiff.stiffness, damping=stiff.damping)
    soft = m.linearize(m.equilibrium())
    slow = np.sort(soft.frequencies[(soft.frequencies > 0) & (soft.damping < 0.1)])
    assert slow[:2] == pytest.approx(double_pendulum().linearize().frequencies, rel=1e-5)


def test_chain_of_masses():
    n, k, mass = 5, 300.0, 2.0
    m = lw.Model("chain", gravity=(0, 0))
    last = m.ground.at(0, 0)
    for i in range(n):
        block = m.body(f"b{i}", mass=mass, inertia=1).start(position=(0.1 * (i + 1), 0))
        m.prismatic(f"P{i}", m.ground.at(0, 0), block.at(0, 0)).slide.start(0.1 * (i + 1))
        m.spring(f"S{i}", last, block.at(0, 0), stiffness=k, length=0.1)
        last = block.at(0, 0)
    m.spring("end", last, m.ground.at(0.1 * (n + 1), 0), stiffness=k, length=0.1)
    exact = 2 * np.sqrt(k / mass) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    assert frequencies(m.linearize()) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(("angle", "damping"), [(-np.pi / 2, 0.3), (np.pi / 2, 0.3), (-np.pi / 2, 5.0)])
def test_pendulum_damped_and_inverted(angle, damping):
    m = lw.Model("p", gravity=(0, -G))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.law(lw.Damper(damping))
    pin.angle.start(angle)
    linear = m.linearize()
    exact = np.roots([1 / 3, damping, -np.sin(angle) * G / 2])
    assert np.sort_complex(linear.eigenvalues) == pytest.approx(np.sort_complex(exact), rel=1e-10)
    assert linear.stable == (angle < 0)


# Four-bar with a spring, reduced by hand -----------------------------------------------------------------------------

CRANK, COUPLER, LEVER, BASE = 0.2, 0.6, 0.4, 0.6
MASSES = {"crank": 0.7, "coupler": 1.1, "lever": 0.9}


def four_bar(*, space: bool = False) -> lw.Model:
    """In space the loop of four parallel hinges has three redundant equations."""
    m = lw.Model("four-bar", gravity=(0, -G, 0) if space else (0, -G))
    crank, coupler, lever = (bar(m, n, x, MASSES[n]) for n, x in zip(MASSES, (CRANK, COUPLER, LEVER), strict=True))

    def at(body, x):
        return body.at(x, 0, 0) if space else body.at(x, 0)

    A = m.revolute("A", at(m.ground, 0), at(crank, -CRANK / 2))
    m.revolute("B", at(crank, CRANK / 2), at(coupler, -COUPLER / 2))
    m.revolute("C", at(coupler, COUPLER / 2), at(lever, LEVER / 2))
    m.revolute("D", at(m.ground, BASE), at(lever, -LEVER / 2))
    A.angle.start(0.4)
    if space:
        lever.start(position=(BASE, LEVER / 2, 0), rotation=np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    else:
        lever.start(position=(BASE, LEVER / 2), angle=np.pi / 2)
    A.angle.law(lw.Spring(m.parameter("k", 12.0), rest=0.2))
    A.angle.law(lw.Effort(m.input("torque", 0.0)))
    return m


def closed(a):
    """Angles of coupler and lever from the crank's, by the law of cosines."""
    x, y = CRANK * np.cos(a) - BASE, CRANK * np.sin(a)
    d = np.hypot(x, y)
    lever = np.arctan2(y, x) - np.arccos((d * d + LEVER**2 - COUPLER**2) / (2 * d * LEVER))
    coupler = np.arctan2(LEVER * np.sin(lever) - y, LEVER * np.cos(lever) - x)
    return coupler, lever


def potential(a, k=12.0, torque=0.0):
    coupler, lever = closed(a)
    height = {"crank": CRANK / 2 * np.sin(a), "lever": LEVER / 2 * np.sin(lever)}
    height["coupler"] = CRANK * np.sin(a) + COUPLER / 2 * np.sin(coupler)
    return sum(MASSES[n] * G * height[n] for n in MASSES) + k * (a - 0.2) ** 2 / 2 - torque * a


def derivative(f, x, h=1e-3):
    """Central difference of sixth order."""
    return sum(c * (f(x + j * h) - f(x - j * h)) for j, c in ((1, 45), (2, -9), (3, 1))) / (60 * h)


def inertia(a):
    """Of all bars per unit of crank speed."""
    lengths = dict(zip(MASSES, (CRANK, COUPLER, LEVER), strict=True))
    turn = {
        "crank": 1.0,
        "coupler": derivative(lambda x: closed(x)[0], a),
        "lever": derivative(lambda x: closed(x)[1], a),
    }

    def centre(x):
        c = closed(x)[0]
        return np.array([CRANK * np.cos(x) + COUPLER / 2 * np.cos(c), CRANK * np.sin(x) + COUPLER / 2 * np.sin(c)])

    v = derivative(centre, a)
    total = MASSES["coupler"] * v @ v + MASSES["crank"] * (CRANK / 2) ** 2
    total += MASSES["lever"] * (LEVER / 2 * turn["lever"]) ** 2
    return total + sum(MASSES[n] * lengths[n] ** 2 / 12 * turn[n] ** 2 for n in MASSES)


@pytest.mark.parametrize("formulation", IDEAL)
def test_four_bar_with_a_spring(formulation):
    m = four_bar()
    rest = brentq(lambda a: derivative(potential, a), -0.5, 0.8, xtol=1e-14)
    found = m.equilibrium(formulation=formulation)
    assert found.coordinates["A.angle"] == pytest.approx(rest, abs=1e-9)
    stiffness = derivative(lambda a: derivative(potential, a), rest)
    linear = m.linearize(found, formulation=formulation)
    assert linear.state_names == ["A.angle", "A.angle.rate"]
    assert frequencies(linear) == pytest.approx([np.sqrt(stiffness / inertia(rest))], rel=1e-7)
    assert linear.B.ravel() == pytest.approx([0, 1 / inertia(rest)], rel=1e-7)


@pytest.mark.parametrize("formulation", ["acausal", "bondgraph", "bondgraph-minimal", "bondgraph-zcp"])
def test_equilibrium_of_the_four_bar_in_other_formulations(formulation):
    """Also where joints hold by the choice of speeds alone, so that only closing the positions keeps them closed."""
    rest = brentq(lambda a: derivative(potential, a), -0.5, 0.8, xtol=1e-14)
    assert four_bar().equilibrium(formulation=formulation).coordinates["A.angle"] == pytest.approx(rest, abs=1e-9)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph-zcp"])
@pytest.mark.parametrize("angle", [0.3, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8])
def test_next_to_a_singular_position(formulation, angle):
    """A parallelogram, nearly flat: θ̈ = −k cos θ, so the derivative is k sin θ; right, or refused."""
    m = lw.Model("parallelogram", gravity=(0, -G))
    a, c, b = (bar(m, name, 1.0, 1.0) for name in "acb")
    m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)).angle.start(angle)
    m.revolute("B", a.at(0.5, 0), c.at(-0.5, 0))
    m.revolute("C", c.at(0.5, 0), b.at(0.5, 0))
    m.revolute("D", m.ground.at(1, 0), b.at(-0.5, 0))
    x, y = np.cos(angle), np.sin(angle)
    a.start(position=(x / 2, y / 2), angle=angle)
    b.start(position=(1 + x / 2, y / 2), angle=angle)
    c.start(position=(0.5 + x, y), angle=0)
    try:
        linear = m.linearize(formulation=formulation, coordinates=["A.angle"])
    except lw.ModelError as error:
        linear, said = None, str(error)
    if linear is None:
        assert "singular position" in said and angle < 1e-3
    else:
        assert linear.A[1, 0] == pytest.approx(G * 2 / (2 / 3 + 1) * y, rel=1e-3)


def test_redundant_constraints_change_nothing():
    plane, space = four_bar(), four_bar(space=True)
    assert space.check().redundant
    a, at = plane.linearize(plane.equilibrium()), space.equilibrium()
    for formulation in ("absolute", "minimal"):
        b = space.linearize(at, formulation=formulation)
        assert a.state_names == b.state_names
        assert b.A == pytest.approx(a.A, rel=1e-9, abs=1e-9)
    with pytest.raises(lw.LinkworkError, match="not unique"):
        space.linearize(outputs="B.reaction.mx")


def test_away_from_equilibrium_the_vector_field():
    """Geometric stiffness and curvature: d(angular acceleration)/d(angle, speed) by differences along the motion."""
    m, h = four_bar(), 1e-4

    def acceleration(angle, rate):
        m["A"].angle.start(angle, rate=rate)
        return m.evaluate()["crank.alphaz"][0]

    differences = [
        (acceleration(0.4 + h, 3.0) - acceleration(0.4 - h, 3.0)) / (2 * h),
        (acceleration(0.4, 3.0 + h) - acceleration(0.4, 3.0 - h)) / (2 * h),
    ]
    m["A"].angle.start(0.4, rate=3.0)
    for formulation in IDEAL:
        linear = m.linearize(formulation=formulation)
        assert "No equilibrium" in linear.note
        assert linear.A[1] == pytest.approx(differences, rel=1e-6)
    other = m.linearize(coordinates=["D.angle"])
    assert other.state_names == ["D.angle", "D.angle.rate"]


# Steady motion -------------------------------------------------------------------------------------------------------

MASS, ARM, BALL, SHAFT, SPEED = 1.3, 0.8, 0.02, 0.05, 5.0
TILT = np.arccos(G / (ARM * SPEED**2) / 1.0)


def governor(*, driven: bool) -> lw.Model:
    """A bob on an arm, hinged to a shaft that turns about the vertical."""
    m = lw.Model("governor", gravity=(0, 0, -G))
    shaft = m.body("shaft", mass=1, inertia=(SHAFT, SHAFT, SHAFT))
    bob = m.body("bob", mass=MASS, inertia=(BALL, BALL, BALL)).start(position=(0, 0, -ARM))
    S = m.revolute("S", m.ground, shaft, point=(0, 0, 0), axis=(0, 0, 1))
    H = m.revolute("H", shaft, bob, point=(0, 0, 0), axis=(0, -1, 0))
    H.angle.start(TILT)
    if driven:
        S.angle.law(lw.Motion(speed=SPEED))
    else:
        S.angle.start(0, rate=SPEED)
    return m


@pytest.mark.parametrize("formulation", IDEAL)
def test_bob_in_steady_rotation(formulation):
    s, c, reach = np.sin(TILT), np.cos(TILT), MASS * ARM**2
    stiff = reach * SPEED**2 * s**2
    around = SHAFT + BALL + reach * s**2
    linear = governor(driven=False).linearize(formulation=formulation)
    gyroscopic = (2 * reach * SPEED * s * c) ** 2 / around
    assert frequencies(linear) == pytest.approx([np.sqrt((stiff + gyroscopic) / (reach + BALL))], rel=1e-9)
    assert "steadily" in linear.note and linear.stable
    driven = governor(driven=True).linearize(formulation=formulation)
    assert frequencies(driven) == pytest.approx([np.sqrt(stiff / (reach + BALL))], rel=1e-9)
    assert driven.state_names == ["S.angle", "H.angle", "H.angle.rate"]  # the drive's angle is free, its speed is not
    assert np.abs(driven.eigenvalues).min() < 1e-6


class KnifeEdge(lw.Constraint):
    """A point of a body that cannot slip sideways."""

    def __init__(self, name, frame):
        super().__init__(name)
        self.frame = frame

    def markers(self):
        return (self.frame,)

    def speed_rows(self, view):
        f = view.frame(self.frame)
        return [lw.dot(f.R[:, 1], f.v)]


def test_sledge_on_a_knife_edge():
    """Chaplygin's sledge: straight motion with the mass centre ahead loses its turning rate as −m a V/(I + m a²)."""
    mass, inertia, a, V = 2.0, 0.3, 0.4, 1.5
    m = lw.Model("sledge", gravity=(0, 0))
    sledge = m.body("sledge", mass=mass, inertia=inertia).start(position=(0, 0), angle=0.3)
    sledge.start(velocity=(V * np.cos(0.3), V * np.sin(0.3)), spin=0)
    m.add(KnifeEdge("edge", sledge.at(-a, 0)))
    linear = m.linearize()
    assert len(linear.state_names) == 5 and (linear.positions, linear.speeds) == (3, 2)
    by_size = linear.eigenvalues[np.argsort(np.abs(linear.eigenvalues))]
    assert by_size[-1] == pytest.approx(-mass * a * V / (inertia + mass * a**2), rel=1e-9)
    assert np.abs(by_size[:-1]).max() < 1e-5


# A, B, C, D ----------------------------------------------------------------------------------------------------------


def test_all_four_matrices_against_differences():
    """A spatial arm with a lag in its drive, moving: every entry by differences of the compiled functions."""
    m = lw.Model("arm", gravity=(0, 0, -G))
    upper = m.rod("upper", length=0.6, mass=1.0, radius=0.02).start(position=(0.3, 0, 0))
    lower = m.rod("lower", length=0.4, mass=0.5, radius=0.02).start(position=(0.8, 0, 0))
    A = m.universal("A", m.ground, upper, point=(0, 0, 0), axis=(0, 0, 1), axis2=(0, 1, 0))
    B = m.revolute("B", upper, lower, point=(0.6, 0, 0), axis=(0, 1, 0))
    u = m.input("u", 0.2)
    drive = m.state("drive", 0.1, unit="N·m")
    drive.rate = (u - drive.symbol) / 0.05
    B.angle.law(lw.Effort(lambda t, x, v: drive.symbol - 0.3 * v + 0.1 * u * x))
    for c, x, v in zip([*A.coordinates, B.angle], (0.3, -0.5, 0.8), (1.0, -2.0, 0.7), strict=True):
        c.start(x, rate=v)
    ready = prepare(m, Choice("minimal"), {})
    y, p, h = ready.state, ready.p, 1e-6
    names = ["upper.vz", "B.reaction.fx", "B.angle.effort", "lower.alphay"]
    columns = [[c.name for c in ready.program.channels].index(n) for n in names]
    kept = [k for k, n in enumerate(ready.equations.states.names) if not n.startswith("energy.")]

    def difference(f, k, *, of_input):
        up, down = [(y.copy(), p.copy()) for _ in range(2)]
        up[of_input][k] += h
        down[of_input][k] -= h
        return (f(*up) - f(*down)) / (2 * h)

    def rates(y, p):
        return np.array(ready.program.function("rhs")(0.0, y, p)[0])[kept]

    def seen(y, p):
        return np.array(ready.program.function("outputs")(0.0, y, p)[0])[columns]

    for formulation in IDEAL:
        linear = m.linearize(outputs=names, formulation=formulation)
        assert linear.state_names[-1] == "drive" and len(linear.state_names) == 7
        expected = {
            "A": np.column_stack([difference(rates, k, of_input=0) for k in kept]),
            "B": difference(rates, 0, of_input=1)[:, None],
            "C": np.column_stack([difference(seen, k, of_input=0) for k in kept]),
            "D": difference(seen, 0, of_input=1)[:, None],
        }
        for name, matrix in expected.items():
            assert getattr(linear, name) == pytest.approx(matrix, rel=1e-6, abs=2e-6), (formulation, name)


def test_cart_moved_by_a_given_acceleration():
    """Motion(acceleration=u): its speed is a state, and the pendulum feels −u/l."""
    m = lw.Model("cart", gravity=(0, -G))
    cart = m.body("cart", mass=1, inertia=1)
    bob = m.body("bob", mass=0.5, inertia=1e-12)
    P = m.prismatic("P", m.ground.at(0, 0), cart.at(0, 0))
    H = m.revolute("H", cart.at(0, 0), bob.at(0, 0.7))
    u = m.input("u")
    P.slide.law(lw.Motion(acceleration=lambda t: u))
    H.angle.start(0)
    for formulation in IDEAL:
        linear = m.linearize(formulation=formulation)
        assert linear.state_names == ["P.slide", "H.angle", "H.angle.rate", "P.slide.speed"]
        assert linear.B.ravel() == pytest.approx([0, 0, -1 / 0.7, 1], rel=1e-9)
        assert linear.transfer(2j)[linear.output_names.index("H.angle"), 0] == pytest.approx(
            -1 / 0.7 / (G / 0.7 - 4), rel=1e-9
        )


def test_free_body_in_space():
    """Position and small rotations about world axes describe a body that no joint holds."""
    found = []
    for formulation in IDEAL:
        m = lw.Model("satellite", gravity=(0, 0, 0))
        body = m.body("body", mass=2, inertia=(1, 2, 3)).start(position=(0.3, 0, 0), spin=(0.2, -0.4, 1.0))
        m.spring("S", m.ground.at(0, 0, 0), body.at(0.1, 0.2, 0), stiffness=5, length=0.1)
        linear = m.linearize(formulation=formulation)
        assert linear.state_names[:6] == [*(f"body.{i}" for i in "xyz"), *(f"body.rotation_{i}" for i in "xyz")]
        found.append(linear.A)
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    assert found[2] == pytest.approx(found[0], abs=1e-9)
