"""Linearisation of steady motions against closed forms: tops, free bodies, rolling discs, the benchmark bicycle."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import bicycle

G = 9.81
ALL = ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal", "bondgraph-zcp"]


def moving(linear: lw.Linearization) -> np.ndarray:
    """Eigenvalues that are not zero."""
    return linear.eigenvalues[linear.eigenvalues != 0]


def same(found, exact, rel=1e-9):
    """The same numbers in any order."""
    found, exact = np.asarray(found), np.asarray(exact)
    assert found.size == exact.size, (found, exact)
    size = np.abs(exact).max()
    for x in exact:
        k = int(np.argmin(np.abs(found - x)))
        assert abs(found[k] - x) < rel * size, (found, exact)
        found = np.delete(found, k)


# Sleeping top --------------------------------------------------------------------------------------------------------

MASS, REACH, ACROSS, AXIAL = 1.3, 0.25, 0.02, 0.03
PIVOT = ACROSS + MASS * REACH**2
CRITICAL = np.sqrt(4 * MASS * G * REACH * PIVOT) / AXIAL


def top(spin: float) -> lw.Model:
    m = lw.Model("top", gravity=(0, 0, -G))
    body = m.body("top", mass=MASS, inertia=(ACROSS, ACROSS, AXIAL))
    m.spherical("tip", m.ground.at(), body.at(0, 0, -REACH))
    body.start(position=(0, 0, REACH), spin=(0, 0, spin))
    return m


@pytest.mark.parametrize("formulation", ALL)
@pytest.mark.parametrize("share", [0.3, 0.99, 1.01, 4.0])
def test_sleeping_top(formulation, share):
    """Tilt as a complex number u: I_t ü − i I_a ω u̇ − m g l u = 0, stable iff ω² > 4 m g l I_t/I_a²."""
    linear = top(share * CRITICAL).linearize(formulation=formulation)
    roots = np.roots([PIVOT, -1j * AXIAL * share * CRITICAL, -MASS * G * REACH])
    same(moving(linear), [*roots, *roots.conj()])
    assert linear.steady and linear.stable == (share > 1)
    assert linear.zeros == 2 and linear.ignorable == ["top.rotation_z"]
    assert "steadily" in linear.note and "2 zero eigenvalues" in str(linear)


@pytest.mark.parametrize("spin", [1e3, 1e5])
def test_very_fast_top(spin):
    linear = top(spin).linearize()
    roots = np.roots([PIVOT, -1j * AXIAL * spin, -MASS * G * REACH])
    for root in roots:  # nutation and the slow precession, 1e9 apart
        assert np.abs(linear.eigenvalues - root).min() < 1e-8 * abs(root)
    assert linear.stable and f"{spin:.4g}" in linear.note


def test_precessing_top():
    """Steady precession at a tilt: nutation of the slow one, by the effective potential of the closed form."""
    tilt, precession = 0.5, 3.0
    # m g l = I_a n Ω − (I_t) Ω² cos θ, n the spin about the top's own axis.
    n = (MASS * G * REACH + PIVOT * precession**2 * np.cos(tilt)) / (AXIAL * precession)
    R = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    m = lw.Model("top", gravity=(0, 0, -G))
    body = m.body("top", mass=MASS, inertia=(ACROSS, ACROSS, AXIAL))
    m.spherical("tip", m.ground.at(), body.at(0, 0, -REACH))
    own = np.array([-precession * np.sin(tilt), 0, n])  # in body axes
    spin = R @ own
    body.start(position=R @ [0, 0, REACH], rotation=R, spin=spin)
    c, s = np.cos(tilt), np.sin(tilt)
    axial, vertical = AXIAL * n, PIVOT * precession * s**2 + AXIAL * n * c

    def force(x):  # −V′ of the effective potential / I_t
        w = (vertical - axial * np.cos(x)) / (PIVOT * np.sin(x) ** 2)
        return w**2 * np.sin(x) * np.cos(x) - axial / PIVOT * w * np.sin(x) + MASS * G * REACH / PIVOT * np.sin(x)

    h = 1e-5
    square = -(force(tilt + h) - force(tilt - h)) / (2 * h)
    for formulation in ("absolute", "minimal", "points"):
        linear = m.linearize(formulation=formulation)
        assert linear.steady and linear.stable
        assert np.abs(linear.eigenvalues - 1j * np.sqrt(square)).min() < 1e-6


# Free body -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_free_body_about_each_axis(formulation, axis):
    """λ² = −ω² (I₁ − I₂)(I₁ − I₃)/(I₂ I₃): unstable about the middle axis alone."""
    moments, spin = np.array([1.0, 2.2, 2.9]), 5.0
    m = lw.Model("satellite", gravity=(0, 0, 0))
    body = m.body("body", mass=2, inertia=tuple(moments))
    w = np.zeros(3)
    w[axis] = spin
    e = np.array([0.8, 0.2, -0.3, 0.4])
    m["body"].start(quaternion=e / np.linalg.norm(e), velocity=(0, 0, 0))
    R = np.array(m.assemble().placement.rotation["body"])
    body.start(spin=R @ w)
    linear = m.linearize(formulation=formulation)
    first, (second, third) = moments[axis], np.delete(moments, axis)
    root = np.sqrt(complex(-(spin**2) * (first - second) * (first - third) / (second * third)))
    for value in (root, -root):
        assert np.abs(linear.eigenvalues - value).min() < 1e-9 * spin
    assert linear.steady and linear.stable == (axis != 1)


def test_satellite_of_two_bodies():
    """Tumbling about the axis of the largest moment is stable, of the middle one is not, also with a hinge locked."""
    for about, stable in ((2, True), (1, False)):
        m = lw.Model("pair", gravity=(0, 0, 0))
        a = m.body("a", mass=2, inertia=(0.2, 0.3, 0.4)).start(position=(-0.1, 0, 0))
        b = m.body("b", mass=1, inertia=(0.1, 0.15, 0.2)).start(position=(0.2, 0, 0))
        hinge = m.revolute("hinge", a, b, point=(0.1, 0, 0), axis=(1, 0, 0))
        hinge.angle.law(lw.Spring(50.0))
        w = np.zeros(3)
        w[about] = 2.0
        for body, x in ((a, -0.1), (b, 0.2)):
            body.start(spin=w, velocity=np.cross(w, [x, 0, 0]))
        linear = m.linearize()
        assert linear.steady and linear.stable == stable


# Rolling -------------------------------------------------------------------------------------------------------------


def disc(speed: float, radius: float = 0.3, *, lean: float = 0.0) -> lw.Model:
    m = lw.Model("disc", gravity=(0, 0, -G))
    body = m.body("disc", mass=1.2, inertia=(1.2 * radius**2 / 4, 1.2 * radius**2 / 4, 1.2 * radius**2 / 2))
    m.rolling("contact", body.at(), radius=radius)
    along_y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    if not lean:
        body.start(position=(0, 0, radius), rotation=along_y, velocity=(speed, 0, 0), spin=(0, speed / radius, 0))
        return m
    c, s = np.cos(lean), np.sin(lean)
    R = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]) @ along_y
    # Steady circle (SymPy's equations with u1 = 0): 6 u2 u3 − u3² tan q2 + 4 g/r sin q2 = 0, u2 about the axle.
    u2 = speed / radius
    roots = np.roots([-np.tan(lean), 6 * u2, 4 * G / radius * s])
    u3 = float(roots[np.argmin(np.abs(roots))].real)
    axle, across, up = R[:, 2], np.array([1.0, 0, 0]), None
    up = np.cross(across, axle)
    spin = u2 * axle + u3 * up
    arm = radius * up  # from the contact to the centre
    body.start(position=(0, 0, arm[2]), rotation=R, velocity=np.cross(spin, arm), spin=spin)
    return m


@pytest.mark.parametrize("formulation", ALL)
@pytest.mark.parametrize("speed", [0.5, 3.0])
def test_upright_rolling_disc(formulation, speed):
    """q̈₂ = −(12 Ω² − 4 g/r)/5 q₂ (SymPy's equations, linear): stable for Ω² > g/(3 r)."""
    radius = 0.3
    linear = disc(speed, radius).linearize(formulation=formulation)
    root = np.sqrt(complex(-(12 * (speed / radius) ** 2 - 4 * G / radius) / 5))
    same(moving(linear), [root, -root])
    assert linear.stable == ((speed / radius) ** 2 > G / (3 * radius))
    assert linear.zeros == 6


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_disc_rolling_in_a_circle(formulation):
    """SymPy's equations of the disc at a lean, differentiated by differences: lean, spin and pivoting."""
    radius, lean, speed = 0.3, 0.25, 3.0
    u2 = speed / radius
    roots = np.roots([-np.tan(lean), 6 * u2, 4 * G / radius * np.sin(lean)])
    u3 = float(roots[np.argmin(np.abs(roots))].real)

    def rates(y):
        q2, u1, u2, u3 = y
        return np.array([
            u1,
            (6 * radius * u2 * u3 - radius * u3**2 * np.tan(q2) + 4 * G * np.sin(q2)) / (5 * radius),
            -(2 / 3) * u1 * u3,
            u1 * (-2 * u2 + u3 * np.tan(q2)),
        ])  # fmt: skip

    y, h = np.array([lean, 0, u2, u3]), 1e-6
    A = np.column_stack([(rates(y + h * e) - rates(y - h * e)) / (2 * h) for e in np.eye(4)])
    root = np.linalg.eigvals(A)
    root = root[np.argmax(root.imag)]
    linear = disc(speed, radius, lean=lean).linearize(formulation=formulation)
    assert linear.steady and linear.stable
    assert np.abs(linear.eigenvalues - root).min() < 1e-6


M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


@pytest.mark.parametrize(("speed", "formulation"), [(6.0, f) for f in ALL] + [(3.0, "minimal"), (8.0, "absolute")])
def test_bicycle_at_every_speed(speed, formulation):
    """Eigenvalues of the published matrices; the capsize mode at 6 m/s is nearly zero, beside six that are."""
    below = np.hstack([-np.linalg.solve(M, G * K0 + speed**2 * K2), -np.linalg.solve(M, speed * C1)])
    exact = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), below]))
    linear = bicycle.model(speed, push=0).linearize(formulation=formulation)
    assert linear.zeros == 6
    found = moving(linear)
    for value in exact:
        assert np.abs(found - value).min() < 1e-8 * abs(value)
    assert linear.stable == bool(np.all(exact.real < 0))


# What is not steady --------------------------------------------------------------------------------------------------


def test_an_unbalanced_wheel_is_not_steady():
    m = lw.Model("wheel", gravity=(0, -G))
    wheel = m.body("wheel", mass=1, inertia=0.1)
    axle = m.revolute("axle", m.ground.at(), wheel.at(-0.05, 0))
    axle.angle.start(0.0, rate=8.0)
    linear = m.linearize()
    assert linear.verdict == "not steady" and not linear.stable and "m.floquet" in linear.note
    m["axle"].angle.law(lw.Effort(lambda t, x, v: 0.05 * G * lw.cos(x)))  # weight made up for
    linear = m.linearize()
    assert linear.verdict == "stable" and linear.zeros == 2 and linear.ignorable == ["axle.angle"]


def test_released_at_rest_is_not_steady_either():
    """Nothing moves yet, but it will."""
    m = lw.Model("pendulum", gravity=(0, -G))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1, inertia=0.1).at(0, 0.5)).angle.start(0.4)
    linear = m.linearize()
    assert linear.verdict == "not steady" and "No equilibrium" in linear.note and "grows" not in str(linear)


def test_orbit_in_the_plane():
    """A mass on a spring about a centre, going round: radial frequency² = Ω² (3 + …) by the effective potential."""
    k, rest, radius, mass = 40.0, 0.4, 1.0, 2.0
    turning = np.sqrt(k * (radius - rest) / (mass * radius))
    exact = np.sqrt(3 * turning**2 + k / mass)
    for formulation in ("absolute", "minimal", "points"):
        m = lw.Model("orbit", gravity=(0, 0))
        body = m.body("body", mass=mass, inertia=1).start(position=(3 + radius, 1), velocity=(0, turning * radius))
        m.spring("S", m.ground.at(3, 1), body.at(), stiffness=k, length=rest)
        linear = m.linearize(formulation=formulation)
        assert linear.steady and linear.stable
        same(moving(linear), [1j * exact, -1j * exact])


def test_a_free_mass_is_indifferent():
    m = lw.Model("masses", gravity=(0, 0))
    for i in range(2):
        rail = m.prismatic(f"P{i}", m.ground.at(), m.body(f"b{i}", mass=1 + i, inertia=1).at())
        rail.slide.start(0.5 * i)
    m.spring("S", m["b0"].at(), m["b1"].at(), stiffness=30, length=0.5)
    linear = m.linearize()
    assert linear.verdict == "indifferent" and not linear.stable and linear.zeros == 2
    assert linear.ignorable == ["P0.slide", "P1.slide"]  # both together
    same(moving(linear), [1j * np.sqrt(45), -1j * np.sqrt(45)])
