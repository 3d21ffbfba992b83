"""Tabs and their processes: a crash, an endless run or a hunger for memory stays in the tab that has it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Record
from linkwork.studio.server.answers import as_json
from linkwork.studio.server.processes import CONTEXT, begin, start
from linkwork.studio.server.settings import EVENT, TAB_LIMIT, Settings

WAITING = 200
"""Requests that a tab may have open."""

Deliver = Callable[[str], Awaitable[None]]


@dataclass
class _Open:
    """A request that the worker has not answered."""

    identity: int
    deliver: Deliver
    began: float | None = None


class Tab:
    """One tab: the worker that computes for it, and the page that listens, if one does."""

    def __init__(self, settings: Settings, name: str):
        self.settings, self.name = settings, name
        self.page: Deliver | None = None
        self.left_at: float | None = time.monotonic()
        """When the last page went; None: one is there."""
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, _Open] = {}
        self._count = 0
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    # ------------------------------------------------------------------ the page

    async def ask(self, request: Record, deliver: Deliver) -> None:
        """Hand a request to the worker; the answer goes to `deliver`."""
        if len(self._open) >= WAITING:
            raise LinkworkError("too many requests at a time.", remedy="Wait for answers.")
        if self._pipe is None:
            await self._start()
        self._count += 1
        number = self._count
        self._open[number] = _Open(request["id"], deliver, None if request["verb"] == "cancel" else time.monotonic())
        pipe = self._pipe
        try:
            await asyncio.to_thread(pipe.send, (number, request))  # type: ignore[union-attr]
        except (OSError, ValueError):
            await self._lost(pipe, "its process ended")

    async def _start(self) -> None:
        mine, other = CONTEXT.Pipe()
        process = CONTEXT.Process(target=begin, args=(other, self.settings, self.name), daemon=True)
        await asyncio.to_thread(start, process)
        other.close()
        self._process, self._pipe = process, mine
        threading.Thread(target=self._listen, args=(mine,), daemon=True).start()

    # ------------------------------------------------------------------ the worker

    def _listen(self, pipe: Connection) -> None:
        """In a thread: messages of one worker until it ends."""
        try:
            while True:
                head, _, body = pipe.recv_bytes().partition(b"\n")
                self._post(self._received(pipe, int(head), body.decode("utf-8")))
        except (EOFError, OSError):
            self._post(self._lost(pipe, "its process ended"))

    def _post(self, coroutine: Any) -> None:
        try:
            asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError:  # the server is down
            coroutine.close()

    async def _received(self, pipe: Connection, number: int, text: str) -> None:
        if pipe is not self._pipe:
            return
        if number == EVENT:
            await _delivered(self.page, text)
            return
        request = self._open.pop(number, None)
        now = time.monotonic()
        for later in self._open.values():  # the next one has the worker for itself from now on
            later.began = now if later.began is not None else None
        if request is not None:
            await _delivered(request.deliver, text)

    async def _lost(self, pipe: Connection | None, why: str) -> None:
        """The worker is gone: whoever waits is told; another one begins where the document was kept."""
        if pipe is None or pipe is not self._pipe:
            return
        open_, self._open = self._open, {}
        await self._end()
        message = f"the tab's worker was started again: {why}."
        for waiting in open_.values():
            error = {
                "message": message,
                "component": None,
                "remedy": "The model is kept, and so are runs that had ended.",
            }
            await _delivered(waiting.deliver, as_json({"id": waiting.identity, "error": error}).decode())
        await _delivered(self.page, as_json({"event": "lost", "message": message}).decode())

    async def watch(self) -> None:
        """End a worker that does not react to its time limit."""
        limits = self.settings.limits
        oldest = min((x.began for x in self._open.values() if x.began is not None), default=None)
        if oldest is not None and time.monotonic() - oldest > limits.seconds + limits.grace:
            await self._lost(self._pipe, f"a request took longer than {limits.seconds:g} s")

    async def _end(self) -> None:
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if process is not None:
            process.kill()
            await asyncio.to_thread(process.join)
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()

    @property
    def busy(self) -> bool:
        return bool(self._open)

    @property
    def process(self) -> int | None:
        """Number of the worker's process, if there is one."""
        return None if self._process is None else self._process.pid


async def _delivered(deliver: Deliver | None, text: str) -> None:
    if deliver is not None:
        with contextlib.suppress(Exception):  # a page that has just gone misses what it asked for
            await deliver(text)


class Tabs:
    """All of them."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.tabs: dict[str, Tab] = {}

    def tab(self, name: str) -> Tab:
        """The tab of a name, new unless it is known."""
        if name not in self.tabs:
            if len(self.tabs) >= TAB_LIMIT:
                self._forget_one()
            self.tabs[name] = Tab(self.settings, name)
        return self.tabs[name]

    def _forget_one(self) -> None:
        gone = [tab for tab in self.tabs.values() if tab.left_at is not None]
        if not gone:
            raise LinkworkError(f"{TAB_LIMIT} tabs are open already.", remedy="Close one.")
        oldest = min(gone, key=lambda tab: tab.left_at or 0.0)
        del self.tabs[oldest.name]
        asyncio.ensure_future(oldest._end())

    async def look_after(self) -> None:
        """Until the server ends: limits of time, and workers of tabs that nobody comes back to."""
        while True:
            await asyncio.sleep(1.0)
            for tab in list(self.tabs.values()):
                await tab.watch()
                gone = tab.left_at is not None and time.monotonic() - tab.left_at > self.settings.limits.idle
                if gone and not tab.busy:
                    self.tabs.pop(tab.name, None)
                    await tab._end()

    async def close(self) -> None:
        for tab in self.tabs.values():
            await tab._end()
        self.tabs.clear()
