"""How long the rows of A are at a general position, where bodies move as the joints of a tree let them.

In flat positions a cut joint feels nothing in one direction: its row of A = B T vanishes, while no direction of the
bodies it joins does. What softens a row must not vanish with it, or singular positions would be as hard as others.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.geometry import SX


def general_sizes(view: Any, by_body: SX, T: SX) -> SX:
    """|row of A|² for each row B of `by_body`, with V = T v, as if nothing cancelled by the directions at hand.

    Velocities of a body count by their length, not by their components, and so do its angular velocities.
    """
    n = 2 if view.planar else 3
    blocks = [range(k, k + m) for k, m in _blocks(view, n)]
    size = SX.zeros(by_body.shape[0], 1)
    for block in blocks:
        B = by_body[:, list(block)]
        if B.nnz():
            size += ca.sum2(B**2) * ca.sumsqr(T[list(block), :])  # no roots: they have no derivative at 0
    return ca.densify(size)


def _blocks(view: Any, n: int) -> list[tuple[int, int]]:
    """(first, count) of the speeds that belong together: velocity and angular velocity of each body; variables."""
    found = []
    for body in view.bodies:
        first = view.slice(body).start
        found += [(first, n), (first + n, 1 if n == 2 else 3)]
    first = view.v.numel() - len(view.variables)
    return found + [(first + k, 1) for k in range(len(view.variables))]
