"""The process of one tab: requests in, answers out, one after the other, until there is nobody at the other end."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
import warnings
from multiprocessing.connection import Connection

from linkwork.core.interrupts import heard
from linkwork.core.plain_data import Record
from linkwork.studio.server.answers import as_json, told
from linkwork.studio.server.session import Session
from linkwork.studio.server.settings import EVENT, Settings
from linkwork.studio.server.verbs import answer

BETWEEN_TELLINGS = 0.05
"""s between two reports of progress."""
WORTH_TELLING = 0.15
"""s from which a request is long enough for its progress to be told."""
REST = 0.5
"""s without a request after which there is time for the disk."""


def work(pipe: Connection, settings: Settings, tab: str) -> None:
    """Answer requests that come as (number, request); answers go out as the number, a line break and JSON."""
    _alone(settings)
    worker = _Worker(pipe, settings, tab)
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.run()


def _alone(settings: Settings) -> None:
    """Ctrl-C in the terminal is for the server; memory is bounded, where the system can do that."""
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):
            os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    warnings.simplefilter("ignore")  # what the watch finds is in the result
    if sys.platform != "win32":
        import resource

        used = _address_space()
        with contextlib.suppress(OSError, ValueError):
            most = used + settings.limits.memory
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _address_space() -> int:
    """Bytes that the process has mapped now; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


class _Worker:
    def __init__(self, pipe: Connection, settings: Settings, tab: str):
        self.pipe, self.limits = pipe, settings.limits
        self.inbox: queue.SimpleQueue[tuple[int, Record]] = queue.SimpleQueue()
        self.sending, self.turning = threading.Lock(), threading.Lock()
        self.current: int | None = None
        """Request that is being answered, by the page's number."""
        self.stopping = False
        self.late = False
        self.told_at = self.began = 0.0
        self.session = Session(settings, tab, self.tell)

    # ------------------------------------------------------------------ the thread that listens

    def listen(self) -> None:
        try:
            while True:
                number, request = self.pipe.recv()
                if request.get("verb") == "cancel":
                    self.send(number, {"id": request["id"], "ok": {"cancelled": self.stop(request.get("of"))}})
                else:
                    self.inbox.put((number, request))
        except (EOFError, OSError):
            os._exit(0)

    def stop(self, of: object = None, *, late: bool = False) -> bool:
        """Interrupt the request with this number (None: whichever it is); False: it is not being answered."""
        with self.turning:
            if self.current is None or (of is not None and of != self.current) or self.stopping:
                return False
            self.stopping, self.late = True, late
            signal.raise_signal(signal.SIGINT) if os.name == "nt" else os.kill(os.getpid(), signal.SIGINT)
            return True

    # ------------------------------------------------------------------ the thread that works

    def run(self) -> None:
        while True:
            try:
                number, request = self._next()
                self.send(number, {"id": request["id"], **self.answered(request)})
            except KeyboardInterrupt:  # that of a request which has ended meanwhile
                continue

    def _next(self) -> tuple[int, Record]:
        """The next request; when none comes for a moment, runs are written to disk."""
        try:
            return self.inbox.get(timeout=REST)
        except queue.Empty:
            self.session.write_runs()
            return self.inbox.get()

    def answered(self, request: Record) -> Record:
        clock = threading.Timer(self.limits.seconds, lambda: self.stop(late=True))
        clock.daemon = True
        try:
            try:
                with self.turning:
                    self.current, self.stopping, self.late = request["id"], False, False
                self.session.asked, self.told_at, self.began = request["id"], 0.0, time.monotonic()
                clock.start()
                with heard():
                    content = answer(self.session, request)
                if self.late and isinstance(content, dict):  # a run that was stopped is kept as far as it got
                    content["note"] = f"Stopped after {self.limits.seconds:g} s, the time limit of a tab."
                return {"ok": content}
            finally:
                clock.cancel()
                with self.turning:
                    self.current = None
                if self.stopping:  # the interrupt must have arrived before the next request begins
                    time.sleep(0.05)
        except KeyboardInterrupt:
            return {"error": self._interrupted()}
        except Exception as error:
            return {"error": told(error)}

    def _interrupted(self) -> Record:
        if self.late:
            cause, remedy = f"it took longer than {self.limits.seconds:g} s.", "Ask for less, or raise --time-limit."
        else:
            cause, remedy = "cancelled.", ""
        return {"message": cause, "component": None, "remedy": remedy or None, "cancelled": not self.late}

    # ------------------------------------------------------------------ both

    def tell(self, event: Record) -> None:
        """An event; reports of progress are thinned out."""
        if event["event"] == "progress":
            now = time.monotonic()
            if now - self.began < WORTH_TELLING:
                return
            if event.get("share") is not None:
                if now - self.told_at < BETWEEN_TELLINGS:
                    return
                self.told_at = now
        self.send(EVENT, event)

    def send(self, number: int, content: Record) -> None:
        body = as_json(content)
        with self.sending, contextlib.suppress(OSError):
            self.pipe.send_bytes(b"%d\n" % number + body)
