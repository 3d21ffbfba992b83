"""BLAS has one thread where a verb decomposes a matrix that is large, and as many as before afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from linkwork.algebra import lapack
from linkwork.core.threads import single_threaded


def counts() -> dict[str, int]:
    return {x.filepath: x.num_threads for x in ThreadpoolController().lib_controllers if x.user_api == "blas"}


@pytest.fixture
def three():
    """As many threads as no machine has by default."""
    with ThreadpoolController().limit(limits=3, user_api="blas"):
        if set(counts().values()) != {3}:
            pytest.skip("the number of threads cannot be changed here")
        yield


@single_threaded
def decomposed(n: int) -> dict[str, int]:
    lapack.svd(np.eye(n))
    return counts()


def test_one_thread_for_a_large_matrix_until_the_verb_ends(three):
    assert set(decomposed(100).values()) == {1}
    assert set(counts().values()) == {3}


def test_nothing_changes_for_small_ones_and_outside_of_verbs(three):
    assert set(decomposed(10).values()) == {3}
    lapack.svd(np.eye(100))
    assert set(counts().values()) == {3}


def test_nested_verbs_and_failures(three):
    @single_threaded
    def outer() -> dict[str, int]:
        decomposed(100)
        return counts()

    @single_threaded
    def failing() -> None:
        decomposed(100)
        raise ValueError

    assert set(outer().values()) == {1}
    assert set(counts().values()) == {3}
    with pytest.raises(ValueError):
        failing()
    assert set(counts().values()) == {3}
