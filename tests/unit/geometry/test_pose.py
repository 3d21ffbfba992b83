"""Position matrices take one number or expression for each argument."""

import numpy as np
import pytest

import linkwork as lw


@pytest.mark.parametrize("turn", [lw.rotx, lw.roty, lw.rotz, lw.shift])
@pytest.mark.parametrize(
    "given", [(0.1 * k for k in range(5)), [1, 2], np.ones(3), "1", None, True], ids=lambda x: type(x).__name__
)
def test_anything_else_is_refused(turn, given):
    with pytest.raises(TypeError, match="give one number or expression"):
        turn(given)
