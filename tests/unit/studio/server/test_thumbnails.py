"""Small pictures of the examples: drawn once, then read from the cache."""

from __future__ import annotations

import asyncio

import pytest

from linkwork.studio.server import thumbnails

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    return tmp_path / "thumbnails"


def test_an_example_is_drawn_once(cache, monkeypatch):
    async def asked():
        made = thumbnails.Thumbnails()
        made._begin, made._ask = lambda: None, thumbnails.drawn
        return [await made.picture("pendulum") for _ in range(2)]

    first, again = asyncio.run(asked())
    assert first == again and first.startswith(PNG) and len(first) < 20_000
    (file,) = cache.iterdir()
    assert file.name.startswith("pendulum-") and file.read_bytes() == first
    monkeypatch.setattr(thumbnails, "drawn", lambda name: b"")
    assert asyncio.run(asked()) == [first, first]  # from disk, by another server


def test_what_cannot_be_drawn_has_no_picture(cache):
    class Pipe:
        def __init__(self):
            self.asked, self.sent = ["dc-motor", "nothing"], []

        def recv(self):
            if not self.asked:
                raise EOFError
            return self.asked.pop(0)

        def send_bytes(self, found):
            self.sent.append(found)

    pipe = Pipe()
    thumbnails.draw_on(pipe)
    assert pipe.sent == [b"", b""]
