"""The values in an array, as NumPy finds them."""

import numpy as np
import pytest

from linkwork.algebra.distinct import distinct


@pytest.mark.parametrize("size", [0, 1, 2, 50])
@pytest.mark.parametrize("kind", [np.int32, float])
def test_as_unique(size, kind):
    given = np.random.default_rng(size).integers(0, 9, size).astype(kind)
    usual = np.unique(given, return_index=True, return_inverse=True, return_counts=True)
    for found, wanted in zip(distinct(given), usual, strict=True):
        np.testing.assert_array_equal(found, wanted)
