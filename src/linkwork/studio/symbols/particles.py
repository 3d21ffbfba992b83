"""The particles that stand for bodies in formulation "points": discs or balls whose area tells their mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.studio import colours, figures, meshes
from linkwork.studio.motion import IDENTITY, Anchor, Path
from linkwork.studio.scene import Item, Label
from linkwork.studio.stage import Stage

if TYPE_CHECKING:
    from linkwork.analyses.particles import BodyParticle, ParticleSystem

FRONT = 90
"""In front of bodies and joints."""
HEAVY, LIGHT = 2.4, 0.8
"""Radius of the heaviest particle, and the least radius [pin radii]."""
COLOURS = {"state": "#cc3311", "shared": "#aa4488", "dependent": "#ccaa33", "secondary": "#667788"}


def draw_particles(stage: Stage, system: ParticleSystem) -> None:
    """Filled where the mass is positive, hollow (space: pale) where it is negative; primary ones have their numbers."""
    heaviest = max((abs(p.mass) for p in system), default=0.0) or 1.0
    for p in system:
        if p.body not in stage.motion.paths:
            raise LinkworkError(
                f"the picture has no body {p.body!r}.",
                component=p.name,
                remedy="Give the particles of the same model, m.particles().",
            )
        point = np.array([*p.place, 0.0][:3])
        body = stage.motion.paths[p.body]
        anchor = Anchor(p.body, point, IDENTITY)
        path = Path(body.at(point), np.broadcast_to(IDENTITY, (len(body.p), 4)), anchor)
        radius = stage.unit * max(LIGHT, HEAVY * np.sqrt(abs(p.mass) / heaviest))
        stage.add(p.name, "particle", [_ball(stage, p, radius)], path)
        stage.include(path.p)
        if p.role != "secondary":
            stage.labels.append(Label(p.name, path.p, anchor))


def _ball(stage: Stage, p: BodyParticle, radius: float) -> Item:
    colour, negative = COLOURS[p.role], p.mass < 0
    if stage.planar:
        rings = [figures.circle(radius)] + ([figures.circle(0.6 * radius)] if negative else [])
        return stage.area(*rings, fill=colour, layer=FRONT)
    return stage.surface(meshes.sphere(radius), colours.mixed(colour, colours.PAPER, 0.7) if negative else colour)
