"""How workers come into being: forked from a process that has imported everything and has one thread, where the system
can. Nothing heavy is imported here, so that this process begins while the command is still busy with itself."""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing.connection import Connection
from typing import Any

from linkwork.studio.server.settings import Settings

PRELOADED = "linkwork.studio.server.preloaded"
"""What the process that workers are forked from imports once."""

SURROUNDINGS = {
    "PYTHONSAFEPATH": "1",  # else these processes would import modules that lie in the folder of models
    "OPENBLAS_NUM_THREADS": "1",  # matrices are small, and tabs are many
}
"""Variables of the environment these processes begin with; this process, which may be anybody's, keeps its own."""

_one_at_a_time = threading.Lock()


def _context() -> Any:
    if os.name == "posix" and "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([PRELOADED])
        return context
    return multiprocessing.get_context("spawn")


CONTEXT = _context()


def start(process: Any) -> None:
    """Start it in its surroundings."""
    with _one_at_a_time:
        before = {name: os.environ.get(name) for name in SURROUNDINGS}
        os.environ.update(SURROUNDINGS)
        try:
            process.start()
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def warm_up() -> None:
    """Start the process that workers are forked from, and wait until it has imported everything."""
    process = CONTEXT.Process(target=_nothing, daemon=True)
    start(process)
    process.join()


def begin(pipe: Connection, settings: Settings, tab: str) -> None:
    """What a worker does; nobody else needs it loaded."""
    from linkwork.studio.server.worker import work

    work(pipe, settings, tab)


def _nothing() -> None:
    pass
