"""Spatial four-bar (RSSR): a driven crank moves a rocker in another plane through a rod with ball ends."""

import math

import numpy as np

import linkwork as lw
from linkwork.geometry.rotations import align

DURATION = 5.0
SHOW = ("R2.angle", "S2.reaction.f?", "energy.*")


def model(crank_radius: float = 0.1, rocker_length: float = 0.3) -> lw.Model:
    """The crank turns about z at the origin, the rocker about x at (0.4, 0.3, 0); one free spin of the rod remains."""
    m = lw.Model("rssr", gravity=(0, 0, -9.81))
    wrist, pivot = (crank_radius, 0.0, 0.0), (0.4, 0.3, 0.0)
    tip = (pivot[0], pivot[1], rocker_length)
    middle = tuple((a + b) / 2 for a, b in zip(wrist, tip, strict=True))
    length = math.dist(wrist, tip)
    crank = m.cylinder("crank", radius=0.02, length=crank_radius, density=7850)
    rod = m.rod("rod", length=length, radius=0.01, density=7850)
    rocker = m.rod("rocker", length=rocker_length, radius=0.015, density=7850, axis="z")
    crank.start(position=(crank_radius / 2, 0, 0))
    rod.start(position=middle, rotation=_pointing(wrist, tip))
    rocker.start(position=(pivot[0], pivot[1], rocker_length / 2))
    R1 = m.revolute("R1", m.ground, crank, point=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("S1", crank, rod, point=wrist)
    m.spherical("S2", rod, rocker, point=tip)
    m.revolute("R2", m.ground, rocker, point=pivot, axis=(1, 0, 0))
    R1.angle.start(0, rate=m.parameter("rate", 15.0, unit="rad/s"))
    return m


def _pointing(a: tuple[float, ...], b: tuple[float, ...]) -> np.ndarray:
    """A rotation whose x axis points from a to b."""
    return align([y - x for x, y in zip(a, b, strict=True)], "x")
