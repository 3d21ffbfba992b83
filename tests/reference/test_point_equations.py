"""PRT's momentum equations (16)–(25), written out as the paper has them, in all r̈ at once: what `points` solves."""

import pytest

from .printed_particles import hinge_and_slider, spherical_chain


@pytest.mark.parametrize("n", [1, 2, 4])
def test_spherical_joints(n):
    assert max(spherical_chain(n)) < 1e-9


def test_revolute_and_prismatic_joints():
    assert hinge_and_slider() < 1e-9
