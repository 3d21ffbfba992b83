"""Ropes over pulleys, which can only pull: each point, pulley and drum feels the tension along the rope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import casadi as ca

from linkwork.components.bodies import frame_of
from linkwork.components.coordinate import Coordinate
from linkwork.components.given import Place
from linkwork.components.joint import JointCoordinate
from linkwork.core import component as contract
from linkwork.core.component import Frame, Load, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import nonnegative, nonzero, positive, shown, truth
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, cross, dot

if TYPE_CHECKING:
    from linkwork.core.model import Model


UP = SX([0, 0, 1])


@dataclass(frozen=True)
class Pulley:
    """A sheave that a rope runs over: a frame at its centre, whose z axis is its axle, and its radius [m].

    The rope goes round counter-clockwise about z; with a negative radius, clockwise. It turns freely, without mass.
    """

    at: Place
    radius: float


class Path(NamedTuple):
    """Length [m] of a path over pulleys, and its directions: at the start and at the end of each straight piece."""

    length: SX
    along: list[SX]


def path_over(centres: Sequence[SX], radii: Sequence[Number], up: SX) -> Path:
    """Straight pieces that touch circles about `up`, and arcs on them; radius < 0: clockwise, 0: a point.

    A piece from c₁ to c₂ along u with left normal n touches at c − ρ n: n·(c₂ − c₁) = ρ₂ − ρ₁. The length of the
    whole then changes by u along each centre: forces of the tension alone.
    """
    length, along = SX(0), []
    for k in range(len(centres) - 1):
        d = centres[k + 1] - centres[k]
        lead = SX(radii[k + 1]) - radii[k]
        square = ca.fmax(dot(d, d), 1e-300)  # where both are in one place, it has no direction
        straight = ca.sqrt(ca.fmax(square - lead**2, 1e-300))
        along.append((straight * d - lead * cross(up, d)) / square)
        length += straight
    for k in range(1, len(centres) - 1):
        r = SX(radii[k])
        if r.is_zero():
            continue
        before, after = along[k - 1], along[k]
        turn = ca.sign(r) * ca.atan2(dot(up, cross(before, after)), dot(before, after))
        turn = ca.if_else(turn < -ca.pi / 2, turn + 2 * ca.pi, turn)  # up to three quarters of a turn
        length += ca.fabs(r) * turn
    return Path(length, along)


@component
class Rope(contract.Force):
    """A rope without mass from one frame to another, over points and pulleys: it pulls, or hangs slack.

    Tension k·(length − unstretched) + damping·rate, never below 0, the same everywhere: pulleys turn freely. With
    `winch` it is wound on a drum, whose angle takes up the rope: unstretched length − drum·angle.
    """

    passive = True

    def __init__(
        self,
        name: str,
        *route: Annotated[Place | Pulley, "frames in order; those between may be lw.Pulley(frame, radius)"],
        stiffness: Annotated[Number, positive["N/m"], "k, of the whole rope"],
        length: Annotated[
            Number | None,
            positive["m"],
            "unstretched, from end to end, where the drum is at 0; None: as it lies at the bodies' start poses",
        ] = None,
        damping: Annotated[Number, nonnegative["N·s/m"], "force per rate of its length"] = 0.0,
        winch: Annotated[Coordinate | None, "angle of a drum that winds it up"] = None,
        drum: Annotated[Number, nonzero["m"], "radius of the drum; negative: winds the other way"] = 1.0,
    ):
        super().__init__(name)
        if len(route) < 2 or any(isinstance(end, Pulley) for end in (route[0], route[-1])):
            raise ModelError(
                "goes from nowhere to nowhere.",
                component=name,
                remedy="Give two frames or more; the first and the last are not pulleys.",
            )
        if winch is not None and not isinstance(winch, Coordinate):
            raise ModelError(
                f"{shown(winch)} is not a coordinate.", component=name, remedy="Give the drum's `O.angle`."
            )
        self.route = tuple(frame_of(x.at if isinstance(x, Pulley) else x, name) for x in route)
        self.radii = tuple(x.radius if isinstance(x, Pulley) else 0.0 for x in route)
        for k, radius in enumerate(self.radii):
            setattr(self, f"radius{k}", radius)
        if len({m.body.name for m in self.route}) < 2:
            raise ModelError("pulls on one body only.", component=name, remedy="Give frames of two bodies.")
        self.stiffness, self.damping = stiffness, damping
        self.length: Any = length
        self.winch, self.drum = winch, drum

    def attached(self, model: Model) -> None:
        if not model.is_planar and any(self.radii):
            raise ModelError(
                "pulleys with a radius are for the plane.",
                component=self.name,
                remedy="Let it run over points (radius 0) in space.",
            )
        if self.length is None:
            wound = 0 if self.winch is None or self.winch.value is None else self.drum * self.winch.value
            self.length = path_over([m.at_start.p for m in self.route], self.radii, UP).length + wound

    def markers(self) -> tuple[Marker, ...]:
        return self.route

    def _path(self, view: View) -> tuple[list[Frame], Path]:
        frames = [view.frame(m) for m in self.route]
        return frames, path_over([f.p for f in frames], self.radii, UP)

    def _stretch(self, view: View) -> tuple[SX, SX, list[SX]]:
        """How far it is stretched [m], how fast, and the directions of its pieces."""
        frames, path = self._path(view)
        rate = sum((dot(u, b.v - a.v) for u, a, b in zip(path.along, frames[:-1], frames[1:], strict=True)), SX(0))
        stretch = path.length - self.length
        if self.winch is not None:
            stretch += self.drum * view.coordinate(self.winch)
            rate += self.drum * view.rate(self.winch)
        return stretch, rate, path.along

    def _tension(self, view: View) -> SX:
        stretch, rate, _ = self._stretch(view)
        return ca.if_else(stretch > 0, ca.fmax(self.stiffness * stretch + self.damping * rate, 0), 0)

    def loads(self, view):
        T, along = self._tension(view), self._stretch(view)[2]
        pulls = [SX(3, 1) for _ in self.route]
        for k, u in enumerate(along):
            pulls[k] += T * u
            pulls[k + 1] -= T * u
        return [Load(m, pull, SX(3, 1)) for m, pull in zip(self.route, pulls, strict=True)]

    def efforts(self, view):
        return [] if self.winch is None else [(self.winch, -self.drum * self._tension(view))]

    def potential(self, view):
        return self.stiffness * ca.fmax(self._stretch(view)[0], 0) ** 2 / 2

    def dissipation(self, view):
        stretch, rate, _ = self._stretch(view)
        return (self._tension(view) - self.stiffness * ca.fmax(stretch, 0)) * rate

    def switches(self, view):
        return [self._stretch(view)[0]]

    def channels(self, view):
        stretch, rate, _ = self._stretch(view)
        return {"tension": ("N", self._tension(view)), "stretch": ("m", stretch), "rate": ("m/s", rate)}


class _Side(NamedTuple):
    """Of a belt: tension [N], what of it is elastic, rate of its length [m/s], direction, and ρ z of both wheels."""

    tension: SX
    spring: SX
    rate: SX
    along: SX
    first: SX
    second: SX


@component
class Belt(contract.Element):
    """A belt on two wheels that turn on one carrier about parallel axes; it does not slip, and each side only pulls.

    Tension of the sides: pretension ± k·(what one wheel has taken up more than the other), never below 0.
    """

    def __init__(
        self,
        name: str,
        driver: Annotated[Any, "angle of a revolute joint: of the wheel on its second body"],
        driven: Annotated[Any, "the same of the other wheel"],
        *,
        radius1: Annotated[Number, positive["m"], "of the driver's wheel"],
        radius2: Annotated[Number, positive["m"], "of the driven wheel"],
        stiffness: Annotated[Number, positive["N/m"], "k, of each side"],
        damping: Annotated[Number, nonnegative["N·s/m"], "of each side"] = 0.0,
        pretension: Annotated[Number, nonnegative["N"], "of both sides where both angles are 0"] = 0.0,
        crossed: Annotated[bool, truth, "whether the wheels turn in opposite directions"] = False,
    ):
        super().__init__(name)
        for c in (driver, driven):
            if not isinstance(c, Coordinate) or not c.is_angle or not hasattr(c, "joint"):
                raise ModelError(f"{shown(c)} is not an angle of a joint.", component=name, remedy="Give `O.angle`.")
        if driver is driven:
            raise ModelError("drives a wheel by itself.", component=name, remedy="Give two wheels.")
        self.driver, self.driven, self.radius1, self.radius2 = driver, driven, radius1, radius2
        self.stiffness, self.damping, self.pretension, self.crossed = stiffness, damping, pretension, crossed
        self.back = -1 if crossed else 1

    @property
    def _angles(self) -> tuple[JointCoordinate, JointCoordinate]:
        return self.driver, self.driven

    def markers(self) -> tuple[Marker, ...]:
        return self.driver.joint.second, self.driven.joint.second

    def attached(self, model: Model) -> None:
        carriers = {c.joint.first.body.name for c in self._angles}
        if len(carriers) > 1:
            raise ModelError(
                f"its wheels turn on {' and '.join(sorted(carriers))}: their distance may change.",
                component=self.name,
                remedy="Let both joints have the same first body.",
            )

    def _sides(self, view: View) -> list[_Side]:
        """Both: from the driver to the driven wheel with both on its left, and back.

        ė = ρ₂ ω₂ − ρ₁ ω₁ + u·(v₂ − v₁), all as seen from what carries both axes; so joints may give way.
        """
        wheels = [(c, self.back * SX(self.radius2) if k else SX(self.radius1)) for k, c in enumerate(self._angles)]
        sides = []
        for (c1, r1), (c2, r2) in (wheels, wheels[::-1]):
            A, B, M, N = (view.frame(m) for m in (c1.joint.second, c2.joint.second, c1.joint.first, c2.joint.first))
            here, there = path_over([A.p, B.p], [r1, r2], M.z), path_over([M.p, N.p], [r1, r2], M.z)
            u, w = here.along[0], there.along[0]
            turned = ca.atan2(dot(M.z, cross(w, u)), dot(w, u))
            away = here.length - there.length - (r2 - r1) * turned
            stretch = away + r2 * view.coordinate(c2) - r1 * view.coordinate(c1)
            rate = dot(u, B.v - A.v) - dot(w, N.v - M.v) + r2 * view.rate(c2) - r1 * view.rate(c1)
            spring = self.pretension + self.stiffness * stretch
            T = ca.if_else(spring > 0, ca.fmax(spring + self.damping * rate, 0), 0)
            sides.append(_Side(T, spring, rate, u, r1 * M.z, r2 * M.z))
        return sides

    def loads(self, view):
        one, other = self._sides(view)
        # A side touches at c − ρ n, n = z × u: its pull has the moment ρ T z about the centre.
        pull, arms = one.tension * one.along - other.tension * other.along, one.tension - other.tension
        first, second = self.markers()
        return [Load(first, pull, arms * one.first), Load(second, -pull, -arms * one.second)]

    def potential(self, view):
        return sum((ca.fmax(side.spring, 0) ** 2 / (2 * self.stiffness) for side in self._sides(view)), SX(0))

    def dissipation(self, view):
        return sum(((side.tension - ca.fmax(side.spring, 0)) * side.rate for side in self._sides(view)), SX(0))

    def switches(self, view):
        return [side.spring for side in self._sides(view)]

    def channels(self, view):
        T1, T2 = (side.tension for side in self._sides(view))
        return {
            "tension1": ("N", T1),
            "tension2": ("N", T2),
            "effort": ("N·m", self.back * self.radius2 * (T2 - T1)),
        }
