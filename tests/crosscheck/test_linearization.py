"""All formulations give the same linear system on random mechanisms: the same states, A and C."""

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import random_mechanism

OTHERS = ("minimal", "points")


def apart(model: lw.Model) -> dict[str, float]:
    """Largest difference of A and C from the absolute formulation's, relative to their largest entries."""
    first = model.linearize()
    found = {}
    for name in OTHERS:
        other = model.linearize(formulation=name)
        assert other.state_names == first.state_names
        for matrix in "AC":
            a, b = getattr(first, matrix), getattr(other, matrix)
            found[f"{name} {matrix}"] = np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(a).max(initial=0.0))
    return found


@pytest.mark.parametrize(("planar", "loops", "seed"), [(True, 0, 3), (True, 1, 1), (True, 2, 4)])
def test_formulations_agree(planar, loops, seed):
    found = apart(random_mechanism(seed, planar=planar, loops=loops, size=3))
    assert max(found.values()) < 1e-7, found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("planar", "loops"), [(p, n) for p in (True, False) for n in (0, 1, 2)])
def test_formulations_agree_on_more(planar, loops, seed):
    found = apart(random_mechanism(seed, planar=planar, loops=loops, size=4 if planar else 3))
    assert max(found.values()) < 1e-6, found
