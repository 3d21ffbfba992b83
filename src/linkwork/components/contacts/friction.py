"""Dry friction of one touch: regularised (fades at small speeds), or by a bristle that bends, and slides when bent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.components.contacts.touching import Touch
from linkwork.core.component import Frame
from linkwork.geometry import SX, Number, dot

ELASTIC = 0.7
"""Share of its greatest deflection up to which a bristle only bends: so far a load may go to and fro without creep."""

LETS_GO = 1e-3
"""Time [s] in which a bristle straightens that is bent more than its load allows."""


@dataclass(frozen=True)
class Drag:
    """Friction on a [N], world axes; stored energy [J], loss [W]; rates of the bristle's deflections."""

    force: SX
    stored: SX
    loss: SX
    rates: SX


def regularised(slip: SX, limit: SX, creep: Number) -> Drag:
    """Against the slip [m/s], of size limit [N], fading below the speed creep [m/s]."""
    force = -limit * slip / ca.sqrt(dot(slip, slip) + creep**2)
    return Drag(force, SX(0), -dot(force, slip), SX(0, 1))


def axes_of(touch: Touch, B: Frame, planar: bool) -> SX:
    """Axes in which a bristle's deflection is kept: the tangent in the plane; b's own in space, which never jump."""
    return touch.tangents[0] if planar else B.R


def bristle(slip: SX, limit: SX, bend: SX, axes: SX, normal: SX, stiffness: Any, damping: Any) -> Drag:
    """Elastic-plastic bristle after Dupont et al. (2002), for any direction of slip.

    bend: deflections [m] along the axes; stiffness k [N/m], damping [N·s/m]; limit [N] is the greatest force.
    With z the deflection and v the slip: ż = v − α (v·z)₊ z/z², α from 0 (bends) to 1 (slides, |kz| = limit). Bent
    beyond its limit it straightens, and without a load it does not bend. Loss kα (v·z)₊ and what straightening frees.
    """
    slip_here = axes.T @ slip
    size = ca.sqrt(ca.fmax(dot(bend, bend), 1e-300))
    most = limit / stiffness
    share = size / ca.fmax(most, 1e-300)
    pressed = limit > 0
    part = ca.fmin(ca.fmax((share - ELASTIC) / (1 - ELASTIC), 0), 1)
    sliding = part * part * (3 - 2 * part)
    along = dot(slip_here, bend) / size
    # What bends it of the slip; all of it where it points back.
    bending = ca.if_else(pressed, slip_here - sliding * ca.fmax(along, 0) * bend / size, 0)
    excess = ca.fmax(1 - most / size, 0)
    rates = bending - excess / LETS_GO * bend
    held = bend * (1 - excess)
    viscous = damping * bending
    damped = viscous * limit / ca.fmax(limit + ca.sqrt(ca.fmax(dot(viscous, viscous), 1e-300)), 1e-300)
    force = -(axes @ (stiffness * held + damped))
    force = force - normal * dot(force, normal)
    stored = stiffness * dot(bend, bend) / 2
    # What neither moves the body nor bends the bristle.
    loss = -dot(force, slip) - stiffness * dot(bend, rates)
    return Drag(force, stored, loss, rates)
