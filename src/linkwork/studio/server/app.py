"""The server: the page, its scripts, and one WebSocket per tab."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from linkwork import examples
from linkwork.core.errors import LinkworkError
from linkwork.studio.front_end import three
from linkwork.studio.page import player_script, player_style
from linkwork.studio.server.answers import as_json, asked, told
from linkwork.studio.server.processes import warm_up
from linkwork.studio.server.safety import HEADERS, checked_tab, foreign, refusal
from linkwork.studio.server.settings import LARGEST_MESSAGE, Settings
from linkwork.studio.server.tabs import Tab, Tabs
from linkwork.studio.server.thumbnails import Thumbnails

KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
}
TAKEN_OVER, REFUSED, TOO_LARGE = 4001, 4003, 1009
"""Codes with which a connection is closed: the tab was opened elsewhere; who asks may not; the message is too large."""


def app(settings: Settings) -> Starlette:
    """The application for one folder."""
    tabs, thumbnails = Tabs(settings), Thumbnails()

    @contextlib.asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(tabs.look_after()), asyncio.create_task(asyncio.to_thread(warm_up))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await tabs.close()
            await thumbnails.close()

    async def page(request: Request) -> Response:
        if (why := refusal(settings, request.headers, request.query_params)) is not None:
            return PlainTextResponse(f"Refused: {why}\n", 403, HEADERS)
        return _file("index.html")

    async def script(request: Request) -> Response:
        return Response(three(), media_type="text/javascript", headers=HEADERS)

    async def web(request: Request) -> Response:
        return _file(request.path_params["path"])

    async def thumbnail(request: Request) -> Response:
        name = request.path_params["name"]
        if (why := refusal(settings, request.headers, request.query_params)) is not None:
            return PlainTextResponse(f"Refused: {why}\n", 403, HEADERS)
        picture = await thumbnails.picture(name) if name in examples.names() else None
        if picture is None:
            return PlainTextResponse("There is no such picture.\n", 404, HEADERS)
        return Response(picture, media_type="image/png", headers=HEADERS | {"Cache-Control": "max-age=86400"})

    async def player(request: Request) -> Response:
        return Response(player_script(), media_type="text/javascript", headers=HEADERS)

    async def style(request: Request) -> Response:
        return Response(player_style(), media_type="text/css", headers=HEADERS)

    async def connection(socket: WebSocket) -> None:
        await connected(settings, tabs, socket)

    routes = [
        Route("/", page),
        Route("/three.js", script),
        Route("/web/{path:path}", web),
        Route("/thumbnails/{name}.png", thumbnail),
        Route("/player.js", player),
        Route("/player.css", style),
        WebSocketRoute("/ws", connection),
    ]
    made = Starlette(routes=routes, lifespan=living)
    made.state.tabs = tabs
    return made


def _file(name: str) -> Response:
    """A file of the page; nothing else, whatever the name says."""
    parts = name.split("/")
    suffix = f".{name.rpartition('.')[2]}"
    plain = all(part and not part.startswith(".") and "\\" not in part and ":" not in part for part in parts)
    if not plain or suffix not in KINDS:
        return PlainTextResponse("There is no such file.\n", 404, HEADERS)
    try:
        content = files("linkwork.studio").joinpath("web", *parts).read_bytes()
    except (OSError, ValueError):
        return PlainTextResponse("There is no such file.\n", 404, HEADERS)
    return Response(content, media_type=KINDS[suffix], headers=HEADERS)


async def connected(settings: Settings, tabs: Tabs, socket: WebSocket) -> None:
    """One page, from its first word to its last."""
    why = refusal(settings, socket.headers, socket.query_params) or foreign(settings, socket.headers)
    name = checked_tab(socket.query_params.get("tab"))
    if why is not None or name is None:
        await socket.close(REFUSED)  # before it is accepted: the browser sees a refusal (403)
        return
    await socket.accept()
    try:
        tab = tabs.tab(name)
    except LinkworkError as error:
        await socket.close(REFUSED, str(error)[:120])
        return
    page = _Page(socket)
    if isinstance(before := getattr(tab.page, "__self__", None), _Page):
        await before.close(TAKEN_OVER)
    tab.page, tab.left_at = page.send, None
    try:
        await _conversation(tab, page)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        if tab.page == page.send:
            tab.page, tab.left_at = None, time.monotonic()


async def _conversation(tab: Tab, page: _Page) -> None:
    while True:
        text = await page.socket.receive_text()
        if len(text) > LARGEST_MESSAGE:
            await page.close(TOO_LARGE)
            return
        identity = None
        try:
            request = asked(text)
            identity = request["id"]
            await tab.ask(request, page.send)
        except LinkworkError as error:
            await page.send(as_json({"id": identity, "error": told(error)}).decode())


class _Page:
    """A connection; messages go out one after the other."""

    def __init__(self, socket: WebSocket):
        self.socket = socket
        self._turn = asyncio.Lock()

    async def send(self, text: str) -> None:
        async with self._turn:
            if self.socket.application_state is WebSocketState.CONNECTED:
                await self.socket.send_text(text)

    async def close(self, code: int) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await self.socket.close(code)
