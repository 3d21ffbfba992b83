"""The plane in space: what exists there, where it is in space, and back."""

import casadi as ca
import numpy as np
import pytest

from linkwork.geometry import SX, embedding, rotations


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, lambda x: SX(ca.DM(x))])
def test_components_there_and_back(rng, planar, kind):
    space = embedding(planar)
    true, axial = kind(rng.normal(size=space.along)), kind(rng.normal(size=space.about))
    for part, into, back in ((true, space.true_vector, space.true), (axial, space.axial_vector, space.axial)):
        whole = into(part)
        assert whole.shape[0] == 3
        assert np.array_equal(np.array(ca.DM(back(whole))), np.array(ca.DM(part)))
    both = np.concatenate([np.array(ca.DM(x)).ravel() for x in (true, axial)])
    six = space.six(kind(both))
    assert six.shape[0] == 6
    assert np.array_equal(np.array(ca.DM(six)).ravel()[space.rows], both)
    for found, wanted in zip(
        space.split(kind(both)), (space.true_vector(true), space.axial_vector(axial)), strict=True
    ):
        assert np.array_equal(np.array(ca.DM(found)), np.array(ca.DM(wanted)))


def test_the_plane_keeps_what_a_motion_in_it_has(rng):
    space, R = embedding(True), rotations.about_z(SX(0.3))
    force, moment = SX(ca.DM([*rng.normal(size=2), 0])), SX(ca.DM([0, 0, 1.7]))
    kept = space.true_vector(space.on_true(R) @ space.true(force))
    assert np.allclose(np.array(ca.DM(kept)), np.array(ca.DM(R @ force)))
    assert float(space.on_axial(R) @ space.axial(moment)) == pytest.approx(1.7)
    J = np.array(ca.DM(space.inertia(SX(2.5))))
    assert J[2, 2] == 2.5 and np.count_nonzero(J) == 1
    assert embedding(False).rows == [0, 1, 2, 3, 4, 5] and space.rows == [0, 1, 5]
