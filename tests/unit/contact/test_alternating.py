"""Coulomb contact by alternating directions: it keeps the laws, also where contacts are redundant."""

import numpy as np
import pytest

from linkwork.contact.alternating import by_alternating
from linkwork.contact.complementarity import ContactRows


@pytest.mark.parametrize("across", [1, 2])
@pytest.mark.parametrize("speeds", [3, 6, 10])
def test_laws_hold_for_random_contacts(across, speeds):
    """Four contacts on bodies with so few speeds that forces are not unique."""
    rng = np.random.default_rng(speeds)
    size, contacts, mu = 1 + across, 4, 0.4
    for _ in range(4):
        A = rng.standard_normal((contacts * size, speeds))
        W, b = A @ A.T, A @ rng.standard_normal(speeds)
        seats = [
            ContactRows(str(k), size * k, tuple(range(size * k + 1, size * (k + 1))), mu, mu, 0.0)
            for k in range(contacts)
        ]
        F = by_alternating(W, b, seats)
        assert F is not None
        u, scale = W @ F + b, np.abs(b).max()
        for seat in seats:
            N, un, T, slip = F[seat.normal], u[seat.normal], F[list(seat.tangential)], u[list(seat.tangential)]
            assert N >= 0 and un >= -1e-7 * scale and abs(N * un) < 1e-6 * scale * max(N, 1.0)
            assert np.linalg.norm(T) <= mu * N * (1 + 1e-9) + 1e-12
            if np.linalg.norm(slip) > 1e-5 * scale:
                assert T == pytest.approx(-mu * N * slip / np.linalg.norm(slip), abs=1e-5 * max(N, 1e-3))


def test_a_slip_that_jams_has_no_forces():
    seat = ContactRows("tip", 0, (1,), 2.0, 2.0, 0.0, direction=np.array([1.0]))
    assert by_alternating(np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([-1.0, 0.0]), [seat]) is None
