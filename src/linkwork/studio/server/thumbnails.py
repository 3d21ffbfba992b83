"""Small pictures of the examples: drawn once, by a process of its own that gives way to everything else, and kept in
the user's cache."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from linkwork.compile.cache_folder import directory
from linkwork.core.errors import LinkworkError
from linkwork.files.atomic import replacing
from linkwork.studio.server.processes import CONTEXT, start

WIDTH: Final = 2.6
"""Inches at 100 pixels each, on a card."""
SHAPE: Final = 0.46
"""Height over width."""
PATIENCE: Final = 60.0
"""s that one picture may take."""
IDLE: Final = 20.0
"""s after which the process that draws them ends."""
NICE: Final = 15
"""How far it gives way to others."""


class Thumbnails:
    """Asked for by name; one is drawn at a time."""

    def __init__(self) -> None:
        self._known: dict[str, bytes | None] = {}
        self._turn = asyncio.Lock()
        self._pipe: Connection | None = None
        self._process: BaseProcess | None = None
        self._rest: asyncio.TimerHandle | None = None

    async def picture(self, name: str) -> bytes | None:
        """PNG of an example; None: there is nothing to see of it."""
        async with self._turn:
            if name not in self._known:
                self._known[name] = await asyncio.to_thread(_read, name)
                if self._known[name] is None:
                    self._known[name] = await self._drawn(name)
            return self._known[name]

    async def _drawn(self, name: str) -> bytes | None:
        if self._rest is not None:
            self._rest.cancel()
        try:
            if self._pipe is None:
                await asyncio.to_thread(self._begin)
            picture = await asyncio.to_thread(self._ask, name)
        except (OSError, EOFError):
            await self.close()
            return None
        self._rest = asyncio.get_running_loop().call_later(IDLE, self._end)
        if picture:
            await asyncio.to_thread(_write, name, picture)
        return picture or None

    def _begin(self) -> None:
        mine, other = CONTEXT.Pipe()
        process = CONTEXT.Process(target=begin, args=(other,), daemon=True)
        start(process)
        other.close()
        self._pipe, self._process = mine, process

    def _ask(self, name: str) -> bytes:
        assert self._pipe is not None
        self._pipe.send(name)
        if not self._pipe.poll(PATIENCE):
            raise EOFError
        return self._pipe.recv_bytes()

    def _end(self) -> None:
        """It ends by itself when nobody is at the other end of its pipe."""
        if self._pipe is not None:
            self._pipe.close()
        self._pipe = self._process = None

    async def close(self) -> None:
        process = self._process
        self._end()
        if process is not None:
            process.kill()
            await asyncio.to_thread(process.join)


def begin(pipe: Connection) -> None:
    """What the process does that draws them."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICE)
    draw_on(pipe)


def draw_on(pipe: Connection) -> None:
    """Names in, pictures out, until nobody asks."""
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            name = pipe.recv()
            try:
                picture = drawn(name)
            except Exception:  # of what cannot be drawn there is no picture
                picture = b""
            pipe.send_bytes(picture)


def drawn(name: str) -> bytes:
    """The example at its start, as PNG."""
    from io import BytesIO

    from linkwork import examples
    from linkwork.studio.build import build_scene
    from linkwork.studio.picture import picture

    scene = build_scene(examples.module(name).model().evaluate(), plot=())
    image = BytesIO()
    made = picture(scene, 0, notes=False, size=WIDTH, shape=SHAPE)
    made.savefig(image, format="png", dpi=100, transparent=scene.planar)
    return image.getvalue()


# ---------------------------------------------------------------------- on disk


def _place(name: str) -> Path | None:
    """Where it is kept; what the example says is part of it. None: there is no cache."""
    folder, spec = directory(), find_spec(f"linkwork.examples.{name.replace('-', '_')}")
    if folder is None or spec is None or spec.origin is None:
        return None
    said = Path(spec.origin).read_bytes() + f"{_version()} {WIDTH} {SHAPE}".encode()
    return folder / "thumbnails" / f"{name}-{hashlib.sha256(said).hexdigest()[:16]}.png"


def _version() -> str:
    try:
        return version("linkwork")
    except PackageNotFoundError:  # used from a source tree that is not installed
        return ""


def _read(name: str) -> bytes | None:
    try:
        place = _place(name)
        return None if place is None else place.read_bytes()
    except OSError:
        return None


def _write(name: str, picture: bytes) -> None:
    with contextlib.suppress(OSError, LinkworkError):
        place = _place(name)
        if place is None:
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        for old in place.parent.glob(f"{name}-{'?' * 16}.png"):
            old.unlink(missing_ok=True)
        with replacing(place) as draft:
            draft.write_bytes(picture)
