"""Keep what was made: model, results, figures, a page that plays by itself, a link, the same in Python."""

from __future__ import annotations

import base64
import io
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.files import results
from linkwork.files.atomic import replacing
from linkwork.studio.animation import Animation
from linkwork.studio.build import build_scene
from linkwork.studio.server import links
from linkwork.studio.server.python_text import python_of
from linkwork.studio.server.safety import inside
from linkwork.studio.server.session import Session

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "nc": "application/x-netcdf",
    "csv": "text/csv",
}
"""Of files that are sent to the browser, by suffix."""
FIGURES = ("series", "energy", "phase", "drift", "steps")
MODELS = (".toml", ".urdf", ".xml")


def save(session: Session, path: str, overwrite: bool = False) -> Record:
    """Write the model to a file of the folder: .toml as it is; .urdf, .xml what these formats can hold."""
    target = _target(session, path, MODELS, overwrite or path == session.document.path)
    if target.suffix.lower() == ".toml":
        with replacing(target) as draft:
            draft.write_text(session.document.text, encoding="utf-8", newline="\n")
        session.document.saved_as(path)
        session.changed()
        return {"path": path, "warnings": []}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        session.model.save(target)
    return {"path": path, "warnings": [str(one.message) for one in told]}


def save_result(
    session: Session, run: str, path: str | None = None, format: str = "nc", overwrite: bool = False
) -> Record:
    """Write a run to a file of the folder (.nc, .csv); without a path it is sent, in a format."""
    kept = session.run(run)
    if path is not None:
        results.save(kept.result, _target(session, path, results.SUFFIXES, overwrite))
        return {"path": path}
    if f".{format}" not in results.SUFFIXES:
        raise LinkworkError(f"no result has the format {format!r}.", remedy="Use nc or csv.")
    with tempfile.TemporaryDirectory(prefix="linkwork-") as folder:
        file = Path(folder) / f"result.{format}"
        results.save(kept.result, file)
        return _sent(f"{_called(session)}.{format}", format, file.read_bytes())


def figure(
    session: Session,
    run: str,
    channels: list[str] | None = None,
    format: str = "svg",
    kind: str = "series",
    runs: list[str] | None = None,
) -> Record:
    """A figure of a run, as it would be printed; runs: others whose curves lie over it."""
    if format not in ("svg", "png", "pdf"):
        raise LinkworkError(f"no figure has the format {format!r}.", remedy="Use svg, png or pdf.")
    made = _figure(session, run, channels or [], kind, runs or [])
    target = io.BytesIO()
    made.savefig(target, format=format)
    return _sent(f"{_called(session)}-{kind}.{format}", format, target.getvalue())


def picture(session: Session, run: str | None = None, time: float = 0.0, format: str = "png") -> Record:
    """The mechanism at a time of a run [s], or at its start."""
    if format not in ("svg", "png", "pdf"):
        raise LinkworkError(f"no picture has the format {format!r}.", remedy="Use svg, png or pdf.")
    result = session.mechanism.start if run is None else session.run(run).result
    if result is None:
        raise LinkworkError("there is no picture of it yet.", remedy="See what the check says.")
    target = io.BytesIO()
    result.snapshot(time if run is not None else 0.0).savefig(target, format=format, dpi=150)
    return _sent(f"{_called(session)}.{format}", format, target.getvalue())


def page(
    session: Session, run: str, channels: list[str] | None = None, reactions: bool = False, forces: bool = True
) -> Record:
    """One HTML page that plays the run and needs nothing else: what is on the screen, to be sent to somebody."""
    result = session.run(run).result
    scene = build_scene(result, plot=channels, reactions_shown=reactions, forces=forces)
    return {"name": f"{_called(session)}.html", "text": Animation(scene).html}


def link(session: Session) -> Record:
    """The model as the end of an address: `#` + text opens it."""
    return {"text": links.link_of(session.document.text)}


def python(session: Session) -> Record:
    """The model as a Python script."""
    return {"name": f"{_called(session)}.py", "text": python_of(session.document.data())}


def _figure(session: Session, run: str, channels: list[str], kind: str, runs: list[str]) -> Figure:
    result = session.run(run).result
    if kind == "series":
        drawn: Figure = result.plot(*channels, label=session.run(run).label if runs else "")
        for other in runs:
            kept = session.run(other)
            kept.result.plot(*channels, axes=drawn.axes, label=kept.label)
        return drawn
    if kind not in FIGURES:
        raise LinkworkError(f"no figure is called {kind!r}.", remedy=f"Use one of: {', '.join(FIGURES)}.")
    plots = {"energy": "plot_energy", "phase": "plot_phase", "drift": "plot_drift", "steps": "plot_steps"}
    made: Figure = getattr(result, plots[kind])(*(channels if kind == "phase" else ()))
    return made


def _target(session: Session, path: str, suffixes: tuple[str, ...], overwrite: bool) -> Path:
    target = inside(session.folder, path)
    if target.suffix.lower() not in suffixes:
        raise LinkworkError(
            f"is not saved as {target.suffix or 'a file without a suffix'}.",
            component=path,
            remedy=f"Give a name that ends in {', '.join(suffixes)}.",
        )
    if not target.parent.is_dir():
        raise LinkworkError("there is no such folder.", component=path, remedy="Choose one that exists.")
    if target.exists() and not (overwrite and target.is_file()):
        raise LinkworkError("exists already.", component=path, remedy="Choose another name, or overwrite it.")
    return target


def _called(session: Session) -> str:
    """A name for files, made of the model's."""
    name = str(session.document.data().get("model", {}).get("name", ""))
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)[:60].strip("-") or "model"


def _sent(name: str, suffix: str, content: bytes) -> Record:
    return {"name": name, "kind": KINDS[suffix], "data": base64.b64encode(content).decode("ascii")}
