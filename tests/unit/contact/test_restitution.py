"""Impacts with restitution and friction: Routh's construction in the plane, energies everywhere."""

import numpy as np
import pytest

from linkwork.contact.complementarity import ContactRows
from linkwork.contact.restitution import one_contact, several_contacts


def rod(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Response and speeds at the lower end of a thrown rod of 1 kg and 1 m, normal first."""
    angle, inertia = rng.uniform(0, np.pi), 1 / 12
    x, y = 0.5 * np.cos(angle), -0.5 * np.sin(angle)  # from the mass centre to the end
    W = np.array([[1 + x * x / inertia, -x * y / inertia], [-x * y / inertia, 1 + y * y / inertia]])
    v, spin = rng.uniform(-3, 3, 2), rng.uniform(-10, 10)
    u = np.array([v[1] + spin * x, v[0] - spin * y])
    u[0] = -abs(u[0])
    return W, u


def gained(W: np.ndarray, u: np.ndarray, P: np.ndarray) -> float:
    return float(u @ P + P @ W @ P / 2)


def routh(W: np.ndarray, u: np.ndarray, mu: float, e: float) -> np.ndarray:
    """By pieces: slip, then stick or the other way; the work of the normal impulse in each, term by term."""
    n, c, t = W[0, 0], W[0, 1], W[1, 1]
    d = np.sign(u[1])
    a, s = n - mu * c * d, c - mu * t * d  # rates of u_n and u_t while it slips
    sticks = abs(c) <= mu * t
    a2, friction2 = (n - c * c / t, -c / t) if sticks else (n - mu * abs(c), -mu * np.sign(c))
    stop = -u[1] / s if d * s < 0 else np.inf
    ends = -u[0] / a if a > 0 else np.inf
    if stop < ends:  # the slip ends while it is still compressed
        left = u[0] + a * stop
        work = u[0] * stop + a * stop**2 / 2 - left**2 / (2 * a2)
        more = -left / a2 + e * np.sqrt(-2 * work / a2)
        return np.array([stop + more, -mu * d * stop + friction2 * more])
    work = -(u[0] ** 2) / (2 * a)
    if (1 + e) * ends <= stop:
        return (1 + e) * ends * np.array([1.0, -mu * d])
    speed = a * (stop - ends)  # the slip ends while it springs back
    missing = -(e**2) * work - speed * (stop - ends) / 2
    more = (-speed + np.sqrt(speed**2 + 2 * a2 * missing)) / a2
    return np.array([stop + more, -mu * d * stop + friction2 * more])


def test_a_rod_follows_rouths_construction_and_never_gains():
    rng = np.random.default_rng(0)
    newton = 0
    for _ in range(1000):
        W, u = rod(rng)
        mu, e = rng.uniform(0, 1.5), rng.uniform(0, 1)
        P = one_contact(W, u, mu, e)
        np.testing.assert_allclose(P, routh(W, u, mu, e), rtol=1e-9, atol=1e-12)
        assert gained(W, u, P) <= 0
        assert (W @ P + u)[0] >= -1e-12
        assert abs(P[1]) <= mu * P[0] * (1 + 1e-12)
        slides = -(1 + e) * u[0] / (W[0, 0] - mu * W[0, 1] * np.sign(u[1])) * np.array([1, -mu * np.sign(u[1])])
        stuck = np.linalg.solve(W, [-(1 + e) * u[0], -u[1]])
        jump = stuck if abs(stuck[1]) <= mu * stuck[0] else slides
        newton += gained(W, u, jump) > 1e-9
    assert newton > 10  # the speeds of a rebound, given by e alone, do gain


def test_without_friction_it_is_newtons_law():
    rng = np.random.default_rng(1)
    for e in (0.0, 0.5, 1.0):
        W, u = rod(rng)
        for size in (1, 2):
            P = one_contact(W[:size, :size], u[:size], 0.0, e)
            assert (W[:size, :size] @ P + u[:size])[0] == pytest.approx(-e * u[0], abs=1e-12)
    assert gained(W, u, P) == pytest.approx(0, abs=1e-12)


def in_space(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A box of 1 kg that is hit somewhere on its surface."""
    arm, inertia = rng.uniform(-0.3, 0.3, 3), rng.uniform(0.005, 0.02, 3)
    J = np.array([np.concatenate([n, np.cross(arm, n)]) for n in np.eye(3)])
    W = J @ np.diag([1, 1, 1, *1 / inertia]) @ J.T
    u = rng.uniform(-3, 3, 3)
    u[0] = -abs(u[0])
    return W, u


def test_in_space_it_never_gains_either():
    rng = np.random.default_rng(2)
    for _ in range(60):
        W, u = in_space(rng)
        mu, e = rng.uniform(0, 1.5), rng.choice([0.0, 0.5, 1.0])
        P = one_contact(W, u, mu, e)
        assert gained(W, u, P) <= 0
        assert (W @ P + u)[0] >= -1e-11
        assert np.hypot(*P[1:]) <= mu * P[0] * (1 + 1e-9)


def test_in_space_many_small_impulses_agree():
    """Friction against the slip at the middle of each of 4,000 small normal impulses."""
    rng = np.random.default_rng(3)
    for mu, e in ((0.2, 0.8), (0.6, 0.5), (0.1, 1.0)):
        W, u = in_space(rng)
        P = one_contact(W, u, mu, e)
        small, now, total, work, taken = P[0] / 4_000, u.copy(), np.zeros(3), 0.0, None
        while taken is None or work < e**2 * taken:
            rates = np.array([1.0, *(-mu * now[1:] / max(np.hypot(*now[1:]), 1e-12))])
            half = now + small / 2 * (W @ rates)
            rates = np.array([1.0, *(-mu * half[1:] / max(np.hypot(*half[1:]), 1e-12))])
            after = now + small * (W @ rates)
            work += small * (now[0] + after[0]) / 2
            now, total = after, total + small * rates
            if taken is None and now[0] >= 0:
                taken, work = -work, 0.0
        np.testing.assert_allclose(total, P, rtol=0, atol=2e-3 * P[0])


def test_a_plane_problem_in_space_is_the_plane_problem():
    rng = np.random.default_rng(4)
    for _ in range(50):
        W, u = rod(rng)
        mu, e, turn = rng.uniform(0, 1.5), rng.uniform(0, 1), rng.uniform(0, 2 * np.pi)
        Q = np.array([[1, 0, 0], [0, np.cos(turn), -np.sin(turn)], [0, np.sin(turn), np.cos(turn)]])
        whole = np.zeros((3, 3))
        whole[:2, :2], whole[2, 2] = W, 1.0
        P = Q.T @ one_contact(Q @ whole @ Q.T, Q @ [*u, 0.0], mu, e)
        np.testing.assert_allclose(P, [*routh(W, u, mu, e), 0.0], rtol=1e-7, atol=1e-9)


def seats(count: int, mu: float, across: int = 1) -> list[ContactRows]:
    tangential = [tuple(range(count + across * k, count + across * (k + 1))) for k in range(count)]
    return [ContactRows(str(k), k, tangential[k] if mu else (), mu, mu, 0.0) for k in range(count)]


def test_contacts_that_share_an_impact_never_gain():
    rng = np.random.default_rng(5)
    found = 0
    while found < 60:
        across = 1 + found % 2
        A = rng.standard_normal((2 * (1 + across), 6))
        W, u = A @ A.T, A @ rng.standard_normal(6)
        if (u[:2] >= 0).any():
            continue
        found += 1
        mu, e = rng.uniform(0, 1), rng.choice([0.0, 0.4, 1.0], 2)
        P = several_contacts(W, u, seats(2, mu, across), e)
        assert gained(W, u, P) <= 1e-12
        smooth = several_contacts(W[:2, :2], u[:2], seats(2, 0.0), np.ones(2))
        assert gained(W[:2, :2], u[:2], smooth) == pytest.approx(0, abs=1e-11)


def test_a_box_that_lands_flat_rebounds_flat():
    x, y, inertia = 0.5, -0.2, 0.1
    J = np.array([[0, 1, -x], [0, 1, x], [1, 0, -y], [1, 0, -y]])
    W = J @ np.diag([1, 1, 1 / inertia]) @ J.T
    for mu in (0.0, 0.3):
        u = J @ [0.0, -2.0, 0.0]
        rows = slice(None) if mu else slice(2)
        P = several_contacts(W[rows, rows], u[rows], seats(2, mu), np.full(2, 0.6))
        np.testing.assert_allclose((u[rows] + W[rows, rows] @ P)[:2], 1.2, rtol=1e-9)


def test_a_hinged_bar_gets_stuck_or_comes_back():
    """One freedom: the slip ends where the approach does; with enough friction nothing comes back."""
    j = np.array([1.0, -0.5])
    W, u = np.outer(j, j), -2.0 * j
    for mu, back in ((0.2, True), (2.5, False)):
        P = one_contact(W, u, mu, 0.8)
        after = u + W @ P
        assert after[0] >= -1e-12
        assert (after[0] > 0.1) == back
        assert gained(W, u, P) <= 1e-12
