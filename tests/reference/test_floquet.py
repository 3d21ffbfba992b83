"""Periodic motions: multipliers against hand-derived equations integrated by SciPy, and against Mathieu's tables."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk, mathieu_a, mathieu_b

import linkwork as lw
from linkwork.cli.app import main

G = 9.81
ALL = ["absolute", "minimal", "points", "acausal", "bondgraph", "bondgraph-minimal", "bondgraph-zcp"]


def monodromy(rates, y, period, h=1e-6):
    """By differences of whole periods."""

    def end(y):
        return solve_ivp(rates, (0, period), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    return np.column_stack([(end(y + h * e) - end(y - h * e)) / (2 * h) for e in np.eye(len(y))])


def same(found, exact, tolerance=1e-6):
    found = list(found)
    for x in exact:
        k = int(np.argmin(np.abs(np.array(found) - x)))
        assert abs(found.pop(k) - x) < tolerance * max(1, abs(x))


def mathieu(a: float, q: float) -> lw.Model:
    """ẍ + (a − 2 q cos 2t) x = 0."""
    m = lw.Model("mathieu", gravity=(0, 0))
    block = m.body("block", mass=1, inertia=1)
    rail = m.prismatic("rail", m.ground.at(), block.at())
    rail.slide.law(lw.Effort(lambda t, x, v: -(a - 2 * q * lw.cos(2 * t)) * x))
    return m


@pytest.mark.parametrize("formulation", ALL)
def test_mathieus_equation(formulation):
    for a, q in ((1.1, 0.3), (2.0, 0.7)):
        found = mathieu(a, q).floquet(np.pi, formulation=formulation)
        exact = monodromy(lambda t, y, a=a, q=q: [y[1], -(a - 2 * q * np.cos(2 * t)) * y[0]], np.zeros(2), np.pi)
        assert found.monodromy == pytest.approx(exact, abs=1e-7)
        same(found.multipliers, np.linalg.eigvals(exact))
        assert found.driven and found.trivial == 0 and found.rounds == 0
        assert np.linalg.det(found.monodromy) == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("order", [1, 2])
def test_borders_of_mathieus_tongues(order):
    """Between b_n(q) and a_n(q) it is unstable, on both sides not."""
    q = 0.6
    low, high = sorted((mathieu_b(order, q), mathieu_a(order, q)))
    for a, stable in ((low - 1e-3, True), (low + 1e-3, False), (high - 1e-3, False), (high + 1e-3, True)):
        assert mathieu(float(a), q).floquet(np.pi, formulation="minimal").stable == stable


LENGTH, STROKE = 0.4, 0.02


def shaken(speed: float, *, space: bool = False) -> lw.Model:
    """A pendulum upright on a support that vibrates vertically (Kapitza's)."""
    m = lw.Model("kapitza", gravity=(0, 0, -G) if space else (0, -G))
    inertia = (0.003, 0.003, 0.002) if space else 0.003
    cart, bob = m.body("cart", mass=1, inertia=inertia), m.body("bob", mass=0.5, inertia=inertia)
    if space:
        up = m.prismatic("up", m.ground.at(rotation=UP), cart.at(rotation=UP))
        m.spherical("ball", cart.at(), bob.at(0, 0, -LENGTH))
        bob.start(position=(0, 0, LENGTH))
    else:
        up = m.prismatic("up", m.ground.at(rotation=np.pi / 2), cart.at(rotation=np.pi / 2))
        m.revolute("pin", cart.at(), bob.at(0, -LENGTH))
    up.slide.law(lw.Motion(lambda t: STROKE * lw.cos(speed * t)))
    return m


UP = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("speed", [100.0, 300.0])
@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_pendulum_on_a_vibrating_support(formulation, speed):
    """(I + m l²) θ̈ = m l (g + ü) θ upright; fast vibration holds it: a² ω² > 2 g (I + m l²)/(m l)."""
    whole, period = 0.003 + 0.5 * LENGTH**2, 2 * np.pi / speed

    def rates(t, y):
        return [y[1], 0.5 * LENGTH / whole * (G - STROKE * speed**2 * np.cos(speed * t)) * y[0]]

    found = shaken(speed).floquet(period, formulation=formulation)
    exact = np.linalg.eigvals(monodromy(rates, np.zeros(2), period))
    same(found.multipliers, exact)
    assert found.stable == (speed > 200)
    assert found.stable == bool(np.all(np.abs(exact) < 1 + 1e-6))


def test_shaken_in_space():
    """Both directions alike, and the turning about the vertical does not matter: two multipliers 1."""
    found = shaken(300.0, space=True).floquet(2 * np.pi / 300, formulation="minimal")
    whole = 0.003 + 0.5 * LENGTH**2

    def rates(t, y):
        return [y[1], 0.5 * LENGTH / whole * (G - STROKE * 300**2 * np.cos(300 * t)) * y[0]]

    once = np.linalg.eigvals(monodromy(rates, np.zeros(2), 2 * np.pi / 300))
    assert found.trivial == 2
    same(found.multipliers, [1, 1, *once, *once], 1e-5)
    assert found.stable


def van_der_pol(strength: float = 1.0, start: float = 1.9) -> lw.Model:
    m = lw.Model("van der Pol", gravity=(0, 0))
    rail = m.prismatic("rail", m.ground.at(), m.body("block", mass=1, inertia=1).at())
    rail.slide.law(lw.Effort(lambda t, x, v: -x + strength * (1 - x * x) * v))
    rail.slide.start(start, rate=0.0)
    return m


@pytest.mark.slow
def test_limit_cycle():
    """Started beside it; Liouville: the other multiplier is exp(∮ (1 − x²) dt)."""
    found = van_der_pol().floquet(formulation="minimal")
    assert found.period == pytest.approx(6.663286859323130, abs=1e-7)  # known to many digits
    run = solve_ivp(
        lambda t, y: [y[1], -y[0] + (1 - y[0] ** 2) * y[1], 1 - y[0] ** 2],
        (0, found.period), [*found.state, 0], "DOP853", rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    assert run.y[:2, -1] == pytest.approx(found.state, abs=1e-6)
    assert found.trivial == 1 and found.stable and not found.driven
    assert np.abs(found.multipliers).min() == pytest.approx(np.exp(run.y[2, -1]), rel=1e-5)
    backwards = van_der_pol(-1.0, 2.0086)  # time reversed: the same cycle, unstable
    assert not backwards.floquet(6.6633, formulation="minimal", rtol=1e-8).stable


def test_a_free_pendulum_swings_with_the_known_period():
    """Two multipliers 1: along the motion, and to swings of another width."""
    m = lw.Model("pendulum", gravity=(0, -G))
    bar = m.body("bar", mass=1, inertia=0.1)
    m.revolute("pin", m.ground.at(), bar.at(0, 0.8)).angle.start(1.2)

    def exact(state):  # of the swing with the same energy
        cosine = np.cos(state[0]) - 0.74 * state[1] ** 2 / (2 * G * 0.8)
        return 4 * np.sqrt(0.74 / (G * 0.8)) * ellipk((1 - cosine) / 2)

    found = m.floquet(formulation="minimal")
    assert found.state == pytest.approx([1.2, 0], abs=1e-3)
    assert found.period == pytest.approx(exact(found.state), rel=1e-7)
    assert found.trivial == 2 and found.stable
    again = m.floquet(0.97 * found.period, formulation="absolute")  # a period not far off is corrected
    assert again.period == pytest.approx(exact(again.state), rel=1e-6)


def test_whirling_is_periodic_too():
    """Round and round: the angle grows by a turn each period."""
    m = lw.Model("pendulum", gravity=(0, -G))
    bar = m.body("bar", mass=1, inertia=0.1)
    m.revolute("pin", m.ground.at(), bar.at(0, 0.8)).angle.start(0, rate=9.0)
    found = m.floquet(formulation="minimal")

    def rates(t, y):
        return [y[1], -0.8 * G / 0.74 * np.sin(y[0])]

    run = solve_ivp(rates, (0, found.period), found.state, rtol=1e-11, atol=1e-12)
    assert run.y[:, -1] - found.state == pytest.approx([2 * np.pi, 0], abs=1e-6)


def test_what_it_refuses():
    with pytest.raises(lw.ModelError, match="does not tell its period"):
        mathieu(1.0, 0.2).floquet()
    with pytest.raises(lw.ModelError, match="is not a time"):
        mathieu(1.0, 0.2).floquet(-1.0)
    with pytest.raises(lw.LinkworkError, match="does not close"):
        van_der_pol(start=0.5).floquet(3.0, formulation="minimal", refine=False)
    m = van_der_pol(start=0.0)
    with pytest.raises(lw.ModelError, match="it rests"):
        m.floquet(formulation="minimal")


def test_it_can_be_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = van_der_pol(start=2.0086).floquet(6.6633, formulation="minimal", rtol=1e-8)
    assert "1 of 2 multipliers are 1" in str(found) and "stable" in str(found)
    assert found.to_dict()["trivial"] == 1
    assert main(["floquet", "pendulum", "--formulation", "minimal", "--json", "f.json", "--set", "damping=0"]) == 0
    assert "free periodic motion" in capsys.readouterr().out and (tmp_path / "f.json").exists()
