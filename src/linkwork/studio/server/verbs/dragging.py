"""Drag a mechanism through its joints, and trace what it can reach. The start is changed when it is let go."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.analyses.dragging.dragging import Dragged, Dragging
from linkwork.analyses.dragging.free_motion import FreeMotion
from linkwork.analyses.dragging.tracing import Reach, reach_of
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.studio.page import base64_of
from linkwork.studio.server.patching import edited
from linkwork.studio.server.session import Session

STILL = 1e-9
"""Lengths of the mechanism by which nothing has moved."""


def grab(session: Session, body: str, point: list[float], view: list[float] | None = None) -> Record:
    """Take hold of a body at a point of the world [m]; view: direction of the eye, in space."""
    motion = _motion(session)
    number = motion.number_of(body)
    at = motion.start
    R, p = motion.of_body.numbers(motion.of_body.of(at.q, number))
    where = np.append(np.asarray(point, dtype=float), np.zeros(3))[:3]
    session.held["held"] = Dragging(motion, body, (R.T @ (where - p)).tolist(), view=view)
    return {"freedoms": int(at.free.shape[1]), "driven": motion.driven}


def drag(session: Session, target: list[float]) -> Record:
    """Pull towards a target in the world [m]: poses of all bodies, as near to it as the joints allow."""
    dragged: Dragged = _held(session).to(target)
    return {
        "poses": dragged.poses,
        "point": dragged.point,
        "distance": dragged.distance,
        "reached": dragged.reached,
        "settled": dragged.settled,
    }


def release(session: Session, cancel: bool = False) -> Record:
    """Let go: the mechanism starts from where it is now; cancel: from where it was."""
    held = _held(session)
    del session.held["held"]
    motion, here = held.motion, held.here
    if cancel or np.abs(here.q - motion.start.q).max() <= STILL * motion.length:
        return {"moved": False}
    data = session.document.data()
    _write_start(data.get("component", {}), motion, here.q, here.z)
    notes = [f"{name} is driven by a law: it starts where the law puts it." for name in _placed_by_law(motion)]
    session.document.change(edited(session.document.text, data))
    return session.changed() | {"moved": True, "notes": notes}


def trace(session: Session, body: str | None = None, point: list[float] | None = None) -> Record:
    """Curves of all recorded points over everything a mechanism with one freedom can reach, and of one more if given
    (in the axes of its body)."""
    reach: Reach = session.held.get("reach") or reach_of(_motion(session))
    session.held["reach"] = reach
    wanted: list[tuple[str | None, str, Any]] = []
    if body is not None and point is not None:
        wanted.append((None, body, point))
    wanted += _points(session, {b.name for b in reach.motion.bodies})
    curves = []
    for name, on, at in wanted:
        curve = reach.curve(on, np.asarray(at, dtype=float))
        columns = {axis: base64_of(curve[:, k], double=True) for k, axis in enumerate("xyz")}
        curves.append({"name": name, "body": on, "closed": reach.closed, **columns})
    return {"curves": curves, "closed": reach.closed, "positions": len(reach.q)}


# ---------------------------------------------------------------------- the document


def _motion(session: Session) -> FreeMotion:
    model = session.model
    if "motion" not in session.held:
        session.held["motion"] = FreeMotion(model, session.parameters)
    motion: FreeMotion = session.held["motion"]
    return motion


def _held(session: Session) -> Dragging:
    session.model  # noqa: B018 (another version lets go of what was held)
    dragging = session.held.get("held")
    if not isinstance(dragging, Dragging):
        raise LinkworkError("nothing is held.", component="drag", remedy="Take hold of a body first.")
    return dragging


def _points(session: Session, bodies: set[str]) -> list[tuple[str | None, str, Any]]:
    """Recorded points on bodies that move."""
    start = session.mechanism.start
    parts = {} if start is None else start.description.get("parts", {})
    return [
        (name, side["body"], side["point"])
        for name, part in parts.items()
        if "Point" in part["kinds"]
        for side in part["frames"].values()
        if side["body"] in bodies
    ]


def _placed_by_law(motion: FreeMotion) -> list[str]:
    rows = motion.mechanism.eq.constraints.rows
    return list(dict.fromkeys(row.owner for row in rows if row.direction == "motion"))


def _write_start(components: Record, motion: FreeMotion, q: np.ndarray, z: np.ndarray) -> None:
    """Poses of all bodies, and the values of those coordinates whose start is given."""
    planar = motion.model.is_planar
    for name, pose in motion.coordinates(q).items():
        part = components.get(name)
        if not isinstance(part, dict):
            continue
        kept = {w: x for w, x in part.get("start", {}).items() if w in ("velocity", "spin")}
        place = {"position": pose[:2], "angle": pose[2]} if planar else {"position": pose[:3], "quaternion": pose[3:]}
        part["start"] = place | kept
    values = motion.values(q, z)
    for name, part in components.items():
        if part.get("type") == "variable" and name in values:
            part["start"] = values[name]
        for label, told in part.get("free", {}).items():
            if "start" in told and f"{name}.{label}" in values:
                told["start"] = values[f"{name}.{label}"]
