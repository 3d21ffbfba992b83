"""Films of a scene, picture by picture: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from linkwork.core.activity import begin, reached
from linkwork.core.errors import LinkworkError
from linkwork.core.progress.showing import showing
from linkwork.studio.picture import picture
from linkwork.studio.scene import Scene

DPI = 90
FRAME_LIMIT = 1500


@showing
def write_film(scene: Scene, path: Path, fps: float) -> None:
    """Write .gif or .mp4 that lasts as long as the animation plays."""
    if not fps > 0:
        raise LinkworkError(f"{fps} pictures per second.", remedy="Give fps > 0.")
    (_gif if path.suffix.lower() == ".gif" else _mp4)(scene, path, fps)


def pictures(scene: Scene, fps: float) -> Iterator[np.ndarray]:
    """Each picture as an array (height, width, 3), both even, as films want them."""
    duration = float(scene.t[-1] - scene.t[0]) / scene.speed
    count = int(np.clip(round(duration * fps), 1, FRAME_LIMIT))
    begin("drawing the pictures")
    for k, time in enumerate(np.linspace(scene.t[0], scene.t[-1], count)):
        reached(k / count)
        figure = picture(scene, scene.frame_at(float(time)))
        figure.set_dpi(DPI)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        image = np.asarray(canvas.buffer_rgba())[:, :, :3]
        yield np.ascontiguousarray(image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2])


def _gif(scene: Scene, path: Path, fps: float) -> None:
    frames = [Image.fromarray(image).convert("P", palette=Image.Palette.ADAPTIVE, colors=64)
              for image in pictures(scene, fps)]  # fmt: skip
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(1000 / fps), loop=0, optimize=False)


def _mp4(scene: Scene, path: Path, fps: float) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise LinkworkError(
            "ffmpeg is needed to write .mp4 and is not installed.", remedy="Install ffmpeg, or write .gif or .html."
        )
    process: subprocess.Popen[bytes] | None = None
    for image in pictures(scene, fps):
        if process is None:
            size = f"{image.shape[1]}x{image.shape[0]}"
            command = [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
                       "-r", str(fps), "-i", "-", "-pix_fmt", "yuv420p", str(path)]  # fmt: skip
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(image.tobytes())
    assert process is not None
    _, complaint = process.communicate()
    if process.returncode:
        raise LinkworkError(f"ffmpeg failed: {complaint.decode(errors='replace').strip()}", component=str(path))
