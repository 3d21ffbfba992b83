"""`result.animate(…)` and `result.snapshot(…)`."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.files.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.analyses.particles import ParticleSystem
    from linkwork.studio.scene import Scene

FILMS = (".gif", ".mp4")
PICTURES = (".png", ".svg", ".pdf")


class Animation:
    """A scene that shows itself in notebooks and in the browser, and can be written to a file."""

    def __init__(self, scene: Scene):
        self.scene = scene

    @property
    def html(self) -> str:
        """One page that needs nothing else, not even a network."""
        from linkwork.studio.page import page

        return page(self.scene)

    def save(self, file: str | os.PathLike[str], *, fps: float = 25.0) -> Animation:
        """Write .html, or a film: .gif, or .mp4 where ffmpeg is installed. fps: pictures per second of a film."""
        path = Path(file)
        suffix = path.suffix.lower()
        if suffix in (".html", ".htm"):
            text = self.html
            with replacing(path) as draft:
                draft.write_text(text, encoding="utf-8")
        elif suffix in FILMS:
            from linkwork.studio.film import write_film

            with replacing(path) as draft:
                write_film(self.scene, draft, fps)
        else:
            raise LinkworkError(
                f"no animation has the suffix {path.suffix!r}.",
                component=str(path),
                remedy=f"Use one of: .html, {', '.join(FILMS)}.",
            )
        return self

    def show(self) -> Path:
        """Open it in the browser, from a temporary file; returns where that is."""
        folder = Path(tempfile.mkdtemp(prefix="linkwork-"))
        path = folder / f"{''.join(c if c.isalnum() else '-' for c in self.scene.title) or 'animation'}.html"
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        inner = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{inner}" style="width:100%;height:520px;border:0" allowfullscreen></iframe>'

    def __repr__(self) -> str:
        counts = [("body", "bodies", len(self.scene.bodies())), ("frame", "frames", len(self.scene.t))]
        told = ", ".join(f"{n} {one if n == 1 else many}" for one, many, n in counts)
        return f"<Animation of {self.scene.title!r}: {told}>"


def animate(
    result: Result,
    file: str | os.PathLike[str] | None = None,
    *,
    plot: str | Sequence[str] | None = None,
    trace: Sequence[str] = (),
    follow: str | None = None,
    speed: float | None = None,
    forces: bool = True,
    reactions: bool = False,
    particles: ParticleSystem | None = None,
) -> Animation:
    """Animate the run; with a file, write it: .html (one page that plays offline), .gif or .mp4.

    plot: channels to plot along, with a cursor ("piston.x, O.reaction.*"; default: those worth a first look);
    trace: bodies whose mass centres leave a trace, beside the points the model records; follow: a body the camera stays
    with; speed: seconds of motion per second; forces, reactions: arrows that are shown at first; particles: those of
    formulation "points" on their bodies, m.particles().
    """
    from linkwork.studio.build import build_scene

    scene = build_scene(
        result,
        plot=plot,
        trace=trace,
        follow=follow,
        speed=speed,
        forces=forces,
        reactions_shown=reactions,
        particles=particles,
    )
    made = Animation(scene)
    return made if file is None else made.save(file)


def snapshot(
    result: Result,
    t: float,
    file: str | os.PathLike[str] | None = None,
    *,
    labels: bool = False,
    trace: Sequence[str] = (),
    forces: bool = True,
    reactions: bool = False,
    particles: ParticleSystem | None = None,
    dpi: float = 150.0,
) -> Figure:
    """A picture of the mechanism at the sample nearest to time t [s]; with a file (.png, .svg, .pdf), write it.

    labels: write the names of bodies and joints; trace, forces, reactions, particles: as for `animate`.
    Returns a Figure.
    """
    from linkwork.studio.build import build_scene

    if result.t.size and not result.t[0] - 1e-9 <= t <= result.t[-1] + 1e-9:
        raise LinkworkError(
            f"no picture at {t:g} s: the result covers {result.t[0]:g} … {result.t[-1]:g} s.",
            component=result.record.get("model"),
        )
    path = None if file is None else Path(file)
    if path is not None and path.suffix.lower() not in PICTURES:
        raise LinkworkError(
            f"no picture format has the suffix {path.suffix!r}.",
            component=str(path),
            remedy=f"Use one of: {', '.join(PICTURES)}.",
        )
    scene = build_scene(result, plot=(), trace=trace, forces=forces, reactions_shown=reactions, particles=particles)
    from linkwork.studio.picture import picture

    figure = picture(scene, scene.frame_at(t), labels=labels)
    if path is not None:
        with replacing(path) as draft:
            figure.savefig(draft, dpi=dpi, format=path.suffix[1:].lower())
    return figure


Result.register("animate", animate)
Result.register("snapshot", snapshot)
