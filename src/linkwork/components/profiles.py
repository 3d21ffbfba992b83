"""Profiles of cams and tracks: functions, or measured points as a `lw.Table`; and where the centre of a roller runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

import casadi as ca
import numpy as np

from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.signal import Table
from linkwork.geometry import SX, Number

Profile: TypeAlias = Callable[..., Number] | Table
FUNCTION = kinds.function.saying("Give a function, or measured points as lw.Table(…).")
Radius: TypeAlias = Annotated[
    Profile,
    FUNCTION["m"],
    "distance from the cam's centre as a function of the angle [rad] in its frame: of a full turn, or"
    ' lw.Table(angles, radii, "cubic", ends="periodic") of measured points',
]
Roller: TypeAlias = Annotated[float, kinds.nonnegative_number["m"], "radius of the roller that follows; 0: a point"]
SAMPLES = 720
"""Of a profile, around a turn."""
POINTS = (24, 36, 48, 72, 120, 180, 360)
"""Of a pitch curve: each of them costs at every step, so no more than it needs."""
SPLINE_TOLERANCE = 1e-7
"""Share of its radius to which a spline must follow a pitch curve."""


def checked(name: str, profile: Profile) -> Profile:
    """A closed profile around the centre, without corners."""
    if isinstance(profile, Table):
        if profile.kind != "cubic" or profile.ends != "periodic" or not np.isclose(profile.pieces.period, 2 * np.pi):
            raise ModelError(
                f"{profile!r} is not a smooth profile of a full turn.",
                component=name,
                remedy='Give lw.Table(angles, radii, "cubic", ends="periodic"), the last angle 2π after the first.',
            )
    r, _, _ = sampled(name, profile)
    if not r.min() > 0:
        raise ModelError(
            f"its radius is {r.min():g} m somewhere.", component=name, remedy="The cam's centre must lie inside."
        )
    return profile


def sampled(name: str, profile: Profile) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Radius and its first and second derivatives around a turn."""
    angle = SX.sym("angle")
    try:
        r = SX(given := profile(angle))
    except NotImplementedError:  # what CasADi makes no expression of
        raise ModelError(f"its profile gives {given!r}.", component=name, remedy="It must give one radius.") from None
    if r.numel() != 1:
        raise ModelError(f"its profile gives {r.numel()} numbers.", component=name, remedy="It must give one radius.")
    if ca.symvar(ca.substitute(r, angle, SX(0))):
        raise ModelError("its profile depends on more than the angle.", component=name, remedy="Use numbers in it.")
    slope = ca.jacobian(r, angle)
    f = ca.Function("profile", [angle], [r, slope, ca.jacobian(slope, angle)])
    samples = np.vstack([np.array(x) for x in f.map(SAMPLES)(ca.DM(_around_a_turn()).T)])
    if not np.all(np.isfinite(samples)):
        raise ModelError("its profile is not a finite number somewhere.", component=name, remedy="Check it.")
    return samples[0], samples[1], samples[2]


def _around_a_turn() -> np.ndarray:
    return np.linspace(0, 2 * np.pi, SAMPLES, endpoint=False)


def pitch(name: str, profile: Profile, roller: float) -> Profile:
    """Where the centre of a roller on the profile runs, as a profile: a parallel curve.

    Refused where the profile is hollower than the roller is round: there it would touch in two places.
    """
    profile = checked(name, profile)
    if not roller:
        return profile
    r, d, dd = sampled(name, profile)
    angle = _around_a_turn()
    size = np.hypot(r, d)
    curvature = (r * r + 2 * d * d - r * dd) / size**3
    worst = int(np.argmin(1 + roller * curvature))
    # Outward normal of (r cos φ, r sin φ), and the polar angle of the point that is `roller` along it.
    turn = np.arctan2(-d, r)
    x, y = r + roller * np.cos(turn), roller * np.sin(turn)
    place, radius = angle + np.arctan2(y, x), np.hypot(x, y)
    if 1 + roller * curvature[worst] <= 0 or np.any(np.diff(place) <= 0):
        hollow = -1 / curvature[worst] if curvature[worst] < 0 else np.inf
        raise ModelError(
            f"a roller of radius {roller:g} m cannot follow its profile, which is hollow with a radius of"
            f" {hollow:.3g} m at {angle[worst]:.3g} rad.",
            component=name,
            remedy="Take a smaller roller, or a smoother profile (measured points scatter).",
        )
    for points in POINTS:
        picked = slice(None, None, SAMPLES // points)
        own, size = place[picked], radius[picked]
        table = Table([*own, own[0] + 2 * np.pi], [*size, size[0]], "cubic", ends="periodic")
        if np.abs(table(place) - radius).max() <= SPLINE_TOLERANCE * radius.max():
            break
    return table
