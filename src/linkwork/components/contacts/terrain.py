"""The place of uneven ground that is nearest to a ball or to the rim of a wheel: exact, however curved the ground."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from linkwork.components.checked import expression
from linkwork.components.contacts.outlines import Terrain
from linkwork.geometry import SX, Number, dot

STEPS = 8
"""Newton steps towards the nearest place, before the two that give its derivatives: together enough, to rounding, for
slopes of 1 and balls of four fifths of the ground's least radius of curvature."""

GRID = 1e-8
"""Places [m] to which the foot is rounded before its last two steps."""

SIDE_ROUNDING = 1e-6
"""Distance [m] below which rounding may decide on which side of the ground a point is: what lies on it must have the
curvature of the ground all the same."""


@dataclass(frozen=True)
class Nearest:
    """In the ground's axes: distance of the core from the ground (signed), unit normal, nearest point of the core."""

    distance: SX
    normal: SX
    core: SX


def nearest(ground: Terrain, core: Callable[[SX], SX], size: Number, planar: bool) -> Nearest:
    """Nearest points of the ground and of a core.

    core(normal): its point that lies deepest against a unit normal; size: how far that is from the core's centre.
    With s(u) the ground over u and x(u) the core's deepest point for its normal there, the nearest pair fulfils
    (s − x)·∂s/∂u = 0: Newton from the foot of the vertical. Where that leads astray, far above or below the ground,
    the distance from the tangent plane straight below has the right sign, and is taken instead.
    """
    up = 1 if planar else 2
    if ground.height is None:
        normal = SX(ca.DM([0, 1, 0] if planar else [0, 0, 1]))
        deepest = core(normal)
        return Nearest(deepest[up], normal, deepest)
    u = SX.sym("u", up)
    height = _height(ground, u)
    slope = ca.gradient(height, u)
    normal = _upright(slope, up)
    deepest = core(normal)
    # (s − x)·∂s/∂u; its Jacobian where the ground's curvature does not matter is 1 + slope·slopeᵀ.
    pull = u - deepest[:up] + (height - deepest[up]) * slope
    flat = SX.eye(up) + slope @ slope.T
    curved = ca.jacobian(pull, u)
    sound = _determinant(curved) > 0.02 * _determinant(flat)
    if up == 2:
        sound = ca.logic_and(sound, curved[0, 0] + curved[1, 1] > 0)
    matrix = ca.if_else(sound, curved, flat)
    step = -_solved(matrix, pull)

    first = core(SX(ca.DM([0, 1, 0] if planar else [0, 0, 1])))
    start = first[:up]
    above = first[up] - ca.substitute(height, u, start)
    reach = ca.fabs(above) + size + SIDE_ROUNDING
    short = step * ca.fmin(1, reach / ca.sqrt(ca.fmax(dot(step, step), 1e-30)))
    distance = dot(normal[: up + 1], deepest[: up + 1] - ca.vertcat(u, height))
    at, rest = start, SX(0)
    for _ in range(STEPS):
        rest, move = ca.substitute([ca.norm_inf(pull), short], [u], [at])
        at = at + move
    gap = ca.substitute(distance, u, at)
    # A nearest place is never farther than the one straight below, and on the same side: but for a wheel, whose rim may
    # touch a slope beside its lowest point.
    same_side = ca.logic_or(gap * above >= 0, ca.fabs(above) < size + SIDE_ROUNDING)
    nearer = ca.logic_and(same_side, ca.fabs(gap) <= ca.fabs(above) * (1 + 1e-9) + size + SIDE_ROUNDING)
    fine = ca.logic_and(rest <= 1e-3 * reach, nearer)
    fine = ca.logic_and(fine, ca.substitute(sound, u, at))
    # A rounded place has no derivatives: those of the foot then come from two more steps, exact up to the third, and
    # not from all of them. A foot that was not found stays straight below.
    at = GRID * ca.floor(ca.if_else(fine, at, start) / GRID + 0.5)
    last = _solved(ca.if_else(fine, curved, SX.eye(up)), ca.if_else(fine, pull, 0))
    for _ in range(2):
        at = at - ca.substitute(last, u, at)
    return Nearest(*ca.substitute([distance, normal, deepest], [u], [at]))


def _height(ground: Terrain, u: SX) -> SX:
    assert ground.height is not None
    return expression("height", ground.height(*(u[i] for i in range(u.numel()))))


def _upright(slope: SX, up: int) -> SX:
    parts = [-slope[i] for i in range(up)] + [SX(1)] + ([SX(0)] if up == 1 else [])
    return ca.vertcat(*parts) / ca.sqrt(1 + dot(slope, slope))


def _determinant(a: SX) -> SX:
    return a[0] if a.numel() == 1 else a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]


def _solved(a: SX, b: SX) -> SX:
    """a⁻¹ b for one or two unknowns."""
    if a.numel() == 1:
        return b / a
    return ca.vertcat(a[1, 1] * b[0] - a[0, 1] * b[1], a[0, 0] * b[1] - a[1, 0] * b[0]) / _determinant(a)
