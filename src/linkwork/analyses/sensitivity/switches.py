"""Where a right-hand side jumps."""

from __future__ import annotations

import numpy as np


def jump(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(value before, step) where there is more than a kink leaves, else None.

    before, after: right-hand sides at distances 1 and 2 (rows) from the switch; the values at the switch are
    extrapolated, so that what changes steadily does not count.
    """
    left, right = (2 * side[0] - side[1] for side in (before, after))
    # Each state by itself: next to a pressure's rate, the jump of an acceleration would look like nothing.
    size = 1e-8 + 1e-6 * (np.abs(left) + np.abs(right))
    steady = np.abs(before[0] - before[1]) + np.abs(after[0] - after[1])
    step = right - left
    return (left, step) if np.any(np.abs(step) > size + 10 * steady) else None
