"""Result → Scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.algebra import lapack
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Data
from linkwork.core.result import Result
from linkwork.studio.dress import dress
from linkwork.studio.motion import IDENTITY, Anchor, Motion
from linkwork.studio.scene import Curve, Label, Scene, Trace
from linkwork.studio.stage import Stage, corners, outermost
from linkwork.studio.symbols import draw_joint, draw_part
from linkwork.studio.symbols.arrows import reactions
from linkwork.studio.symbols.elements import joint_springs
from linkwork.studio.symbols.ground import default_floor
from linkwork.studio.symbols.particles import draw_particles

if TYPE_CHECKING:
    from linkwork.analyses.particles import ParticleSystem

SPEEDS = [m * 10.0**k for k in range(-7, 5) for m in (1, 2, 5)]


def build_scene(
    result: Result,
    *,
    plot: str | Sequence[str] | None = None,
    trace: Sequence[str] = (),
    follow: str | None = None,
    speed: float | None = None,
    forces: bool = True,
    reactions_shown: bool = False,
    all_samples: bool = False,
    particles: ParticleSystem | None = None,
) -> Scene:
    """Everything there is to see of a run.

    plot: channels (patterns) to plot along; trace: bodies whose mass centres leave a trace, beside recorded points;
    follow: a body that the camera stays with; speed: seconds of motion per second (None: one that takes a few seconds);
    all_samples: make every sample a frame, however many there are; particles: those to draw on the bodies.
    """
    motion = Motion(result, all_samples=all_samples)
    stage = _furnished(motion)
    for name in trace:
        stage.traces.append(Trace(name, motion.paths[_body(motion, name)].p, stage.colours[name]))
    if follow is not None:
        _body(motion, follow)
    _labels(stage)
    if particles is not None:
        draw_particles(stage, particles)
    low, high, hull = stage.low, stage.high, outermost(np.vstack(stage.hull))
    beside = np.zeros(3)
    if stage.leader is not None and follow is None:  # it travels: stay with it
        follow = stage.leader
        start = motion.paths[follow].p[0]
        low, high = (start + offset for offset in stage.around)
        hull, beside = corners(low, high), (low + high) / 2 - start
    return Scene(
        title=str(result.record.get("model", "")),
        planar=stage.planar,
        t=motion.t,
        nodes=stage.nodes,
        arrows=stage.arrows,
        traces=stage.traces,
        curves=[
            Curve(name, result.unit(name), np.array(result[name][motion.rows])) for name in _channels(result, plot)
        ],
        labels=stage.labels,
        low=low,
        high=high,
        hull=hull,
        up=np.array([0.0, 1.0, 0.0]) if stage.planar else stage.up,
        towards=_towards(stage),
        unit=stage.unit,
        speed=_speed(motion.t, speed),
        follow=follow,
        beside=beside,
        show={"force": forces, "reaction": reactions_shown},
        scales=_scales(stage),
    )


def _scales(stage: Stage) -> dict[str, float]:
    """Metres per newton, of the groups that have arrows of forces."""
    forces = any({"Force", "Tyre"} & set(part["kinds"]) for part in stage.parts.values())
    return {"force": stage.force_scale if forces else 0.0, "reaction": stage.reaction_scale}


def _furnished(motion: Motion) -> Stage:
    """Bodies, joints and all other parts, the arrows of reactions, and a floor."""
    stage = Stage(motion)
    dress(stage)
    for name, joint in stage.joints.items():
        draw_joint(stage, name, joint)
    joint_springs(stage)
    for name, part in stage.parts.items():
        draw_part(stage, name, part)
    reactions(stage)
    default_floor(stage)
    return stage


def _body(motion: Motion, name: str) -> str:
    if name not in motion.paths or name == motion.ground:
        raise UnknownName("body", name, [b for b in motion.paths if b != motion.ground])
    return name


def _channels(result: Result, plot: str | Sequence[str] | None) -> list[str]:
    if plot is None:
        plot = [p for p in result.record.get("show", ()) if any(True for _ in _matching(result, p))]
    words = plot.replace(",", " ").split() if isinstance(plot, str) else list(plot)
    return result.names(*words)


def _matching(result: Result, pattern: str) -> list[str]:
    try:
        return result.names(pattern)
    except UnknownName:
        return []


def _speed(t: np.ndarray, given: float | None) -> float:
    """What was given, or real time where the film lasts 1 … 60 s, else the round speed nearest to one of 5 or 30 s."""
    if given is not None:
        if not given > 0:
            raise LinkworkError(f"speed {given}.", remedy="Give seconds of motion per second, > 0.")
        return float(given)
    duration = float(t[-1] - t[0])
    if 1 <= duration <= 60 or duration == 0:
        return 1.0
    wanted = 5.0 if duration < 1 else 30.0
    return min(SPEEDS, key=lambda s: abs(np.log(duration / s / wanted)))


def _labels(stage: Stage) -> None:
    for name, joint in stage.joints.items():
        if stage.motion.knows(joint["second"]):
            path = stage.motion.frame(joint["second"])
            stage.labels.append(Label(name, path.p, Anchor(joint["second"]["body"], *_local(joint["second"]))))
    for name, path in stage.motion.paths.items():
        if name != stage.ground:
            points = stage.points[name]
            middle = points.mean(axis=0) if len(points) > 1 else np.zeros(3)
            stage.labels.append(Label(name, path.at(middle), Anchor(name, middle, IDENTITY)))


def _local(side: Data) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(side["point"], dtype=float), IDENTITY


def _towards(stage: Stage) -> np.ndarray:
    """From the mechanism to the camera: face on in the plane; in space across the flattest side, from above."""
    if stage.planar:
        return np.array([0.0, 0.0, 1.0])
    up = stage.up
    paths = [path.at(p) for name, path in stage.motion.paths.items() for p in stage.points[name]]
    paths += [path.p for name, path in stage.motion.paths.items() if name != stage.ground]
    every = np.vstack(paths)
    every = every - every.mean(axis=0)
    level = every - np.outer(every @ up, up)
    spreads, axes = lapack.eigh(level.T @ level / len(level) + 1e3 * stage.diagonal**2 * np.outer(up, up))
    thin, wide = axes[:, 0], axes[:, 1]
    flat = spreads[0] < 0.02 * spreads[1]
    if spreads[1] <= 0 or spreads[0] > 0.6 * spreads[1]:  # as wide as deep: the usual view, x to the right
        thin = -np.cross(np.eye(3)[0], up)
        thin = thin if np.linalg.norm(thin) > 0.1 else np.cross(np.eye(3)[1], up)
        thin = thin / np.linalg.norm(thin)
        wide = np.cross(up, thin)
    if np.cross(up, thin) @ (1.0, 0.4, 0.2) < 0:
        thin = -thin
    wide = np.cross(up, thin)
    turn = np.deg2rad(22 if flat else 32)
    level_view = np.cos(turn) * thin + np.sin(turn) * wide
    rise = np.deg2rad(18 if flat else 24)
    view = np.cos(rise) * level_view + np.sin(rise) * up
    return np.asarray(view / np.linalg.norm(view))
