"""Watch a run while it is computed: a page on this computer's own address, and frames sent to it as they come."""

from __future__ import annotations

import json
import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from linkwork.core.errors import LinkworkError
from linkwork.studio.build import build_scene
from linkwork.studio.page import motion_data, page

if TYPE_CHECKING:
    from linkwork.core.result import Result
    from linkwork.studio.scene import Scene


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A browser that goes away in the middle of an answer is nothing to tell of."""


class LiveView:
    """A server for one run. Call `update` with what there is so far, then `finish` with the whole.

    The address is `url`. Only this computer can reach it. Before the first update a page waits for it.
    """

    def __init__(self, title: str, port: int = 0, **options: Any):
        self._title, self._options = title, options
        self._changed = threading.Condition()
        self._scene: Scene | None = None
        self._page: Scene | None = None
        """The scene that the page was made of."""
        self._pages = 0
        """How many pages were made."""
        self._ended: str | None = None
        self._html = ""
        self.fetched = False
        """Whether a browser has the whole run."""
        view = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.rstrip("/") == "" or self.path.startswith("/?"):
                    view._send_page(self)
                elif self.path.startswith("/frames?"):
                    view._send_frames(self)
                else:
                    self.send_error(404)

            def log_message(self, *_: object) -> None:
                """A terminal is no place for a log of requests."""

        try:
            self._server = _Server(("127.0.0.1", port), Handler)
        except OSError as error:
            raise LinkworkError(
                f"no server at port {port}: {error.strerror or error}.", remedy="Choose another port."
            ) from error
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def update(self, result: Result) -> None:
        """Show a run as far as it has come."""
        self._set(result, None)

    def finish(self, result: Result) -> None:
        """Show the whole run; pages load it anew, with scrubbing over all of it."""
        self._set(result, "done")

    def fail(self, message: str) -> None:
        """Tell the viewer that the run has ended early."""
        with self._changed:
            self._ended = self._ended or f"failed {message}"
            self._changed.notify_all()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _set(self, result: Result, ended: str | None) -> None:
        if ended is None and result.t.size < 2:  # nothing has moved yet
            return
        scene = build_scene(result, all_samples=ended is None, **self._options)
        # symbols and view are those of the motion so far; once it has outgrown them a page is loaded anew
        outgrown = self._page is None or _outgrown(self._page, scene)
        number = self._pages + outgrown
        text = page(scene, live=0 if ended else number) if outgrown or ended else self._html
        with self._changed:
            self._scene, self._html, self._ended, self._pages = scene, text, ended, number
            if outgrown:
                self._page = scene
            self._changed.notify_all()

    def _grown(self, sent: int) -> bool:
        return self._scene is not None and len(self._scene.t) > sent

    def _news(self, sent: int, number: int) -> tuple[Scene | None, str | None]:
        """The scene once there are more frames than `sent`; a word where the run has ended or outgrown that page."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None or self._grown(sent))
            return self._scene, self._ended or (None if number == self._pages else "changed")

    def _send_page(self, request: BaseHTTPRequestHandler) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._scene is not None or self._ended is not None)
            whole = self._ended is not None
        words = escape(self._title), escape(self._ended or "")
        body = (self._html or "<!DOCTYPE html><title>{}</title>{}".format(*words)).encode()
        request.send_response(200)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        request.wfile.write(body)
        self.fetched = self.fetched or whole

    def _send_frames(self, request: BaseHTTPRequestHandler) -> None:
        """Server-sent events: each holds the frames since the one before; "done" is the last."""
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        asked = parse_qs(urlsplit(request.path).query)
        number, sent = (int(asked[key][0]) if asked.get(key, [""])[0].isdigit() else 0 for key in ("page", "from"))
        try:
            while True:
                scene, ended = self._news(sent, number)
                if ended is not None or scene is None:
                    word, _, message = (ended or "").partition(" ")
                    request.wfile.write(f"event: {word}\ndata: {message}\n\n".encode())
                    return
                data = json.dumps(motion_data(scene, sent))
                sent = len(scene.t)
                request.wfile.write(f"event: frames\ndata: {data}\n\n".encode())
                request.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            return


def _outgrown(old: Scene, new: Scene) -> bool:
    """Whether a page made of the old scene would show the new one badly: other parts, another view or another size."""

    def parts(scene: Scene) -> list[object]:
        moves = [(node.name, node.group, len(node.position) > 1) for node in scene.nodes]
        return [*moves, len(scene.arrows), len(scene.traces), scene.follow]

    return parts(old) != parts(new) or new.diagonal > 1.3 * old.diagonal
