"""Small motions about a position: eigenvalues, modes that move in the picture, and how they wander with a parameter."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.linearization.modes import Mode
from linkwork.analyses.linearization.operating_point import At
from linkwork.components.bodies import Body
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.studio.build import build_scene
from linkwork.studio.page import scene_data
from linkwork.studio.server.session import Session

FRAMES = 49
"""Of one swing, the last like the first."""
SWING, TURN = 0.1, 0.35
"""How far a mode moves: as a share of the mechanism's size, and in rad; whichever is reached first."""
SHOWN_SECONDS = 2.0
"""That one swing takes on the screen, whatever its frequency."""
MODE_LIMIT = 24
VALUE_LIMIT = 400


def modes(session: Session, at: str = "equilibrium", run: str | None = None, time: float = 0.0) -> Record:
    """Eigenvalues, verdict, and every mode as a scene in motion.

    at: "equilibrium" (where there is none: the start, which is said), "start", or "run": where a run is at a time [s].
    """
    model = session.model
    point, note = _point(session, at, run, time)
    poses = [f"{body.name}.{axis}" for body in model.of_type(Body) for axis in _axes(model.is_planar)]
    linear = model.linearize(point, outputs=poses, parameters=session.parameters)
    order = _columns(linear)
    return {
        "verdict": linear.verdict,
        "note": " ".join(filter(None, (note, linear.note))),
        "states": linear.state_names,
        "eigenvalues": [[float(x.real), float(x.imag)] for x in linear.eigenvalues],
        "modes": [_told(session, linear, mode, column) for mode, column in order[:MODE_LIMIT]],
    }


def root_locus(
    session: Session, parameter: str, low: float, high: float, count: int = 40, equilibrium: bool | None = None
) -> Record:
    """Eigenvalues for values of a parameter between two; critical: where stability is lost or gained.

    equilibrium: whether it is followed, else the start is kept; unless said: where there is one.
    """
    if not 2 <= count <= VALUE_LIMIT or not low < high:
        raise LinkworkError(
            f"{count} values from {low:g} to {high:g}.",
            component=parameter,
            remedy="Give low < high and 2 … 400 values.",
        )
    values = np.linspace(low, high, count)
    others = {name: x for name, x in session.parameters.items() if name != parameter}
    note = ""
    try:
        followed = equilibrium is not False
        locus = session.model.root_locus(parameter, values, equilibrium=followed, parameters=others)
    except UnknownName:
        raise
    except LinkworkError as error:
        if equilibrium is not None:
            raise
        followed, note = False, f"At the start, because no equilibrium can be followed: {error.cause}"
        locus = session.model.root_locus(parameter, values, equilibrium=False, parameters=others)
    told: Record = locus.to_dict()
    return told | {"unit": locus.unit, "now": session.parameters.get(parameter), "equilibrium": followed, "note": note}


def _axes(planar: bool) -> tuple[str, ...]:
    return ("x", "y", "angle") if planar else ("x", "y", "z", "q0", "q1", "q2", "q3")


def _point(session: Session, at: str, run: str | None, time: float) -> tuple[At | None, str]:
    """Where the model is linearised, and what to say of it."""
    if at == "start":
        return None, "At the start."
    if at == "run":
        if run is None:
            raise LinkworkError("which run is not said.", component="modes", remedy="Give run and time.")
        kept = session.run(run)
        if not session.fits(kept):
            raise LinkworkError("the model has changed since this run.", component=kept.label, remedy="Run it again.")
        return (kept.result, time), f"At {time:g} s of {kept.label}."
    if at != "equilibrium":
        raise LinkworkError(f"at {at!r}.", component="modes", remedy='Give "equilibrium", "start" or "run".')
    try:
        rest: At = session.model.equilibrium(parameters=session.parameters)
        return rest, "At its equilibrium."
    except LinkworkError as error:
        return None, f"At the start, because there is no equilibrium to be found: {error.cause}"


def _columns(linear: Linearization) -> list[tuple[Mode, int]]:
    """Each mode with its column of the eigenvectors."""
    left = list(enumerate(linear.eigenvalues.tolist()))
    columns = []
    for mode in linear.modes:
        place = next(k for k, (_, value) in enumerate(left) if value == mode.eigenvalue)
        columns.append((mode, left.pop(place)[0]))
    return columns


def _told(session: Session, linear: Linearization, mode: Mode, column: int) -> Record:
    return {
        "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
        "frequency": mode.frequency,
        "damping": mode.damping,
        "growing": mode.growing and linear.steady,
        "moves": [{"name": name, "size": abs(mode.shape[name])} for name in mode.leaders],
        "participation": mode.participation,
        "scene": _moving(session, linear, mode, column),
    }


def _moving(session: Session, linear: Linearization, mode: Mode, column: int) -> Record | None:
    """The mode as a motion of bodies: poses at the operating point + Re(C φ e^{iωt}), φ the eigenvector.

    That is the linear motion itself: it is shown so small that what joints would add is not seen.
    """
    start = session.mechanism.start
    names = list(linear.outputs)
    if start is None or not names:
        return None
    shift = linear.C @ linear.eigenvectors[:, column]
    size = _size(session)
    moved = max((abs(x) for n, x in zip(names, shift, strict=True) if n.rpartition(".")[2] in "xyz"), default=0.0)
    turned = max(
        ((1 if n.endswith(".angle") else 2) * abs(x) for n, x in zip(names, shift, strict=True) if n[-1] not in "xyz"),
        default=0.0,
    )
    scales = [most / x for most, x in ((SWING * size, moved), (TURN, turned)) if x > 1e-12 * max(moved, turned, 1e-300)]
    if not scales:
        return None
    phase = np.exp(2j * np.pi * np.linspace(0.0, 1.0, FRAMES))
    rest = np.array(list(linear.outputs.values()))
    data = rest + np.real(np.outer(phase, min(scales) * shift))
    period = 1.0 / mode.frequency if mode.oscillates else SHOWN_SECONDS
    channels = [Channel(name, start.unit(name) if name in start else "") for name in names]
    record = {"model": session.model.name, "status": "finished"}
    result = Result(np.linspace(0.0, period, FRAMES), data, channels, record=record, description=start.description)
    return scene_data(build_scene(result, plot=(), speed=period / SHOWN_SECONDS))


def _size(session: Session) -> float:
    """Of the mechanism at its start [m]."""
    scene = session.mechanism.scene
    return 1.0 if scene is None else float(np.linalg.norm(np.subtract(scene["high"], scene["low"]))) or 1.0
