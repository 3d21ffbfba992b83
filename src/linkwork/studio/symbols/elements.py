"""Springs, dampers, cylinders, rods without mass: what reaches from one point to another."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.motion import Path, pointing, product, spread
from linkwork.studio.scene import Item, Span
from linkwork.studio.stage import ELEMENT, JOINT, Stage
from linkwork.studio.symbols.flat_joints import slide_range
from linkwork.studio.symbols.registry import symbol

TURNS = 8


def _span(a: Path, b: Path) -> tuple[Path, Path, np.ndarray]:
    """Frames at both ends, x towards the other end, and the distance between them (frames,)."""
    frames = max(len(a.p), len(b.p))
    start, end = spread(a.p, frames), spread(b.p, frames)
    turn = pointing(end - start)
    back = product(turn, np.array([0.0, 0.0, 0.0, 1.0]))  # half a turn about z: what lies on one side stays there
    return Path(start, turn), Path(end, back), np.linalg.norm(end - start, axis=1)


def _follows(a: Path, b: Path, length: float | None = None, *, back: bool = False) -> Span | None:
    return None if a.on is None or b.on is None else Span(a.on, b.on, length, back)


def coil(stage: Stage, name: str, a: Path, b: Path, side: float = 0.0) -> None:
    """A coil from a to b that stretches; side: how far beside the line [m]."""
    path, _, length = _span(a, b)
    u, mean = stage.unit, max(float(np.nanmean(length)), 1e-9)
    width = min(5 * u, 0.5 * mean)
    turns = int(np.clip(mean / (2 * u), 4, TURNS))
    if stage.planar:
        line = figures.zigzag(mean, width, turns) + (0, side)
        ends = [np.array([[0, 0], [0, side]]), np.array([[mean, side], [mean, 0]])] if side else []
        items: list[Item] = [stage.stroke(piece, colours.SPRING, ELEMENT, 0.42) for piece in (line, *ends)]
    else:
        angle = np.linspace(0, 2 * np.pi * turns, 18 * turns)
        share = 0.08 + 0.84 * angle / angle[-1]
        wire = np.column_stack([share * mean, width / 2 * np.cos(angle) + side, width / 2 * np.sin(angle)])
        tips = [np.array([[0, 0, 0], [0.04 * mean, side, 0], wire[0]]), np.array([wire[-1], [0.96 * mean, side, 0],
                [mean, 0, 0]])]  # fmt: skip
        items = [stage.surface(meshes.tube(piece, 0.42 * u, 6), colours.SPRING) for piece in (wire, *tips)]
    scale = np.column_stack([np.maximum(length / mean, 1e-6), np.ones(len(length)), np.ones(len(length))])
    stage.add(name, "element", items, path, scale, _follows(a, b, mean))


def damper(stage: Stage, name: str, a: Path, b: Path, side: float = 0.0) -> None:
    """A pot on a's end and a piston on b's."""
    _pot(stage, name, a, b, side, 3.2 * stage.unit, colours.METAL)


def _pot(stage: Stage, name: str, a: Path, b: Path, side: float, width: float, colour: str) -> None:
    start, end, length = _span(a, b)
    u = stage.unit
    short, long = float(np.nanmin(length)), float(np.nanmax(length))
    pot = max(0.9 * short if long > 1.5 * short else 0.55 * long, 2 * u)
    rod = max(min(long - 0.8 * pot, 0.97 * short), u)  # its piston stays inside at full length, where that is possible
    if stage.planar:
        fill = colours.mixed(colour, colours.PAPER, 0.5)
        first: list[Item] = [
            stage.area(figures.rectangle(0.8 * pot, width, (0.6 * pot, side)), fill=fill, layer=ELEMENT),
            stage.stroke(np.array([[0, 0], [0, side], [0.2 * pot, side]]), colours.INK, ELEMENT, 0.45),
        ]
        # seen from b the same side lies on the other hand
        second: list[Item] = [
            stage.stroke(np.array([[0, 0], [0, -side], [rod, -side]]), colours.INK, ELEMENT + 1, 0.55),
            stage.area(figures.rectangle(0.5 * u, 0.82 * width, (rod, -side)), fill=colours.INK, layer=ELEMENT + 1),
        ]
    else:
        barrel = meshes.moved(meshes.along("x", meshes.cylinder(width / 2, 0.9 * pot)), (0.55 * pot, side, 0))
        shaft = meshes.moved(meshes.along("x", meshes.cylinder(0.22 * width, rod)), (rod / 2, -side, 0))
        first = [stage.surface(barrel, colour), stage.surface(meshes.sphere(0.9 * u), colour)]
        second = [stage.surface(shaft, colours.mixed(colour, colours.PAPER, 0.5)),
                  stage.surface(meshes.sphere(0.9 * u), colour)]  # fmt: skip
    stage.add(name, "element", first, start, between=_follows(a, b))
    stage.add(name, "element", second, end, between=_follows(a, b, back=True))


@symbol("Spring")
def spring(stage: Stage, name: str, part: Data) -> None:
    """A coil, a damper, or both, side by side or one around the other."""
    a, b = (stage.motion.frame(part["frames"][end]) for end in "ab")
    stiff, damped = (part["numbers"].get(what, 1.0) != 0 for what in ("stiffness", "damping"))
    apart = 3.4 * stage.unit if stiff and damped and stage.planar else 0.0  # in space the coil goes around the damper
    for end in part["frames"].values():
        if end["body"] == stage.ground:
            anchor(stage, name, np.array(end["point"]))
    if stiff or not damped:
        coil(stage, name, a, b, apart)
    if damped:
        damper(stage, name, a, b, -apart)


def anchor(stage: Stage, name: str, point: np.ndarray) -> None:
    """Where something is fastened to the ground: a small hatched plate, or a block in space."""
    u = stage.unit
    if stage.planar:
        up = np.array([0.0, -1.0 if point[1] > (stage.low[1] + stage.high[1]) / 2 else 1.0])  # it hangs, or it stands
        ends = np.array([point[:2] - (3.5 * u, 0), point[:2] + (3.5 * u, 0)])
        lines = [
            ends,
            *figures.hatching(*((ends[0], ends[1]) if up[1] > 0 else (ends[1], ends[0])), depth=1.4 * u, gap=1.6 * u),
        ]
        stage.add(name, "ground", [stage.stroke(piece, colours.INK, 2, 0.28) for piece in lines])
        stage.include(np.array([[*(e - 2 * u * up), 0.0] for e in ends]))
    else:
        stage.add(name, "ground", [stage.surface(meshes.moved(meshes.box((4 * u,) * 3), point), colours.GROUND)])


@symbol("Bushing")
def bushing(stage: Stage, name: str, part: Data) -> None:
    """A rubber ring on the first frame."""
    u, path = stage.unit, stage.motion.frame(part["frames"]["a"])
    if stage.planar:
        ring = (figures.circle(2.6 * u), figures.circle(1.2 * u)[::-1])
        stage.add(
            name, "element", [stage.area(*ring, fill=colours.mixed("#2b2f33", "#ffffff", 0.3), layer=JOINT)], path
        )
    else:
        stage.add(name, "element", [stage.surface(meshes.ring(1.2 * u, 2.6 * u, 3 * u), "#3b4046")], path)


@symbol("HydraulicCylinder")
def hydraulic_cylinder(stage: Stage, name: str, part: Data) -> None:
    """A barrel and a rod between its two frames, or behind the sliding joint that it pushes."""
    ends = [part["frames"][key] for key in ("from", "to") if key in part["frames"]]
    if len(ends) == 2:
        a, b = (stage.motion.frame(end) for end in ends)
        for end in ends:
            _eye(stage, name, end)
    else:
        along = [c for c in part.get("coordinates", {}).values() if c.endswith(".slide")]
        wall = _wall(stage, along[0], behind=True) if along else None
        if wall is None:
            return
        a, b = wall
    shortest = float(np.nanmin(_span(a, b)[2]))
    _pot(stage, name, a, b, 0.0, max(min(5.5 * stage.unit, 0.22 * shortest), 2 * stage.unit), colours.BODIES[0])


def _eye(stage: Stage, name: str, end: Data) -> None:
    """The pin that one end hangs on; on the ground with something that holds it."""
    if end["body"] == stage.ground:
        anchor(stage, name, np.array(end["point"]))
    if stage.planar:
        ring = stage.area(figures.circle(0.7 * stage.unit), fill=colours.PAPER, layer=JOINT + 5)
        stage.add(name, "element", [ring], stage.motion.frame(end))


def joint_springs(stage: Stage) -> None:
    """Coils of spring laws on sliding joints; they lean on a wall beyond where the joint comes."""
    for name, joint in stage.joints.items():
        if stage.motion.knows(joint["first"], joint["second"]) and "Spring" in joint.get("laws", {}).get("slide", ()):
            pushed = any(f"{name}.slide" in p.get("coordinates", {}).values() for p in stage.parts.values())
            behind = not pushed and not _ahead(joint)
            with stage.sized_for(joint["first"], joint["second"]):
                wall = _wall(stage, f"{name}.slide", behind=behind)
                if wall is not None:
                    coil(stage, name, *wall)


def _ahead(joint: Data) -> bool:
    """Whether the first body's mass centre lies ahead of the joint: a spring had better lean there."""
    axis = 0 if "Prismatic" in joint["kinds"] else 2
    return float(np.array(joint["first"]["point"]) @ np.array(joint["first"]["rotation"])[:, axis]) < -1e-9


def _wall(stage: Stage, coordinate: str, *, behind: bool) -> tuple[Path, Path] | None:
    """(a, b): a point fixed on the first body beyond the range of a sliding joint, and the second body's end there."""
    joint = stage.joints.get(coordinate.rpartition(".")[0])
    if joint is None or not coordinate.endswith(".slide") or not stage.motion.knows(joint["first"], joint["second"]):
        return None
    u, axis = stage.unit, 0 if "Prismatic" in joint["kinds"] else 2
    first, second = stage.motion.frame(joint["first"]), stage.motion.frame(joint["second"])
    low, high = slide_range(first, second, axis)
    sign, edge = (-1.0, low) if behind else (1.0, high)
    place, half = np.zeros(3), np.zeros(3)
    beyond, begin = (14 * u, 4.5 * u) if joint["first"]["body"] == stage.ground else (9 * u, 3 * u)
    place[axis] = edge + sign * (begin + max(1.4 * (high - low), beyond))
    half[axis] = sign * begin
    a, b = first.fixed(place), second.fixed(half)
    if joint["first"]["body"] == stage.ground and stage.planar:
        line = np.array([[place[0], -5 * u], [place[0], 5 * u]])
        ends = (line[1], line[0]) if behind else (line[0], line[1])
        back = [line, *figures.hatching(*ends, 1.5 * u, 1.8 * u)]
        stage.add(
            coordinate.rpartition(".")[0], "ground", [stage.stroke(piece, colours.INK, 2, 0.3) for piece in back], first
        )
        stage.include(
            np.vstack([first.at([*p, 0.0]) for p in (line[0], line[1], line[0] + sign * np.array([2 * u, 0]))])
        )
    return a, b


@symbol("Distance")
def massless_rod(stage: Stage, name: str, joint: Data) -> None:
    """A thin bar with an eye at each end."""
    u = stage.unit
    a, b = (stage.motion.frame(joint[end]) for end in ("first", "second"))
    start, _, length = _span(a, b)
    mean = float(np.nanmean(length))
    if stage.planar:
        items: list[Item] = [stage.stroke(np.array([[0, 0], [mean, 0]]), colours.INK, ELEMENT, 0.7)]
        items += [stage.area(figures.circle(u, (x, 0)), fill=colours.PAPER, layer=JOINT + 5) for x in (0, mean)]
    else:
        bar = meshes.between((0, 0, 0), (mean, 0, 0), 0.6 * u)
        items = [stage.surface(part, colours.METAL) for part in (bar, meshes.sphere(1.5 * u),
                 meshes.moved(meshes.sphere(1.5 * u), (mean, 0, 0)))]  # fmt: skip
    stage.add(name, "joint", items, start, between=_follows(a, b))
