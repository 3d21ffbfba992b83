"""Start the server: bind the port first, so that what the terminal shows is true."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from linkwork.core.errors import LinkworkError
from linkwork.studio.server.app import app
from linkwork.studio.server.document import forget_old
from linkwork.studio.server.safety import is_local, new_token
from linkwork.studio.server.settings import LARGEST_MESSAGE, Settings

HIGHEST_PORT = 65535


def bound(settings: Settings) -> tuple[socket.socket, Settings]:
    """A socket at the address, and the settings with its port; another address than this machine's own has a token."""
    if not 0 <= settings.port <= HIGHEST_PORT:
        raise LinkworkError(
            f"{settings.port} is not a port.",
            remedy=f"Give --port from 1 to {HIGHEST_PORT}, or 0 for any that is free.",
        )
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.address, settings.port))
        made.listen(128)  # who connects from now on waits until the server runs
    except OSError as error:
        made.close()
        raise _unbound(settings, error) from None
    token = settings.token if is_local(settings.address) else settings.token or new_token()
    return made, replace(settings, port=made.getsockname()[1], token=token)


def _unbound(settings: Settings, error: OSError) -> LinkworkError:
    place = f"{settings.address}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return LinkworkError(
            f"port {settings.port} is in use.",
            component=place,
            remedy="Give another with --port, or --port 0 for any that is free; perhaps a studio runs already.",
        )
    if error.errno == errno.EACCES:
        return LinkworkError(
            f"port {settings.port} is not for everybody.", component=place, remedy="Give one above 1023."
        )
    return LinkworkError(
        f"the address cannot be used: {error.strerror or error}.",
        component=place,
        remedy="Give an address of this machine, for instance --address 127.0.0.1.",
    )


def url(settings: Settings) -> str:
    """What to type into a browser."""
    host = f"[{settings.address}]" if ":" in settings.address else settings.address
    token = "" if settings.token is None else f"?token={settings.token}"
    return f"http://{host}:{settings.port}/{token}"


def serve(settings: Settings, listening: socket.socket, begun: Callable[[], None] | None = None) -> None:
    """Until Ctrl-C; begun: called when pages can be asked for."""
    with contextlib.suppress(KeyboardInterrupt):  # which the server passes on when it has ended
        server_of(settings, begun).run(sockets=[listening])


def server_of(settings: Settings, begun: Callable[[], None] | None = None) -> uvicorn.Server:
    """A server that is not running yet."""
    forget_old(settings.folder)
    config = uvicorn.Config(
        app(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    return _Server(config, begun)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, begun: Callable[[], None] | None):
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._begun is not None:
            self._begun()
