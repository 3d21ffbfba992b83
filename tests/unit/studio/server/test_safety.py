"""Who may ask, and for which files."""

from __future__ import annotations

import os

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from linkwork.core.errors import LinkworkError
from linkwork.studio.server.answers import asked
from linkwork.studio.server.app import app
from linkwork.studio.server.safety import inside, is_local, refusal
from linkwork.studio.server.settings import Settings

OWN = {"host": "localhost:8137", "origin": "http://localhost:8137"}


def client(tmp_path, **settings) -> TestClient:
    """Of a server that has not begun: whoever is refused needs no worker."""
    return TestClient(app(Settings(tmp_path, port=8137, **settings)), base_url="http://localhost:8137")


@pytest.mark.parametrize(
    "name",
    [
        "../a.toml", "a/../../b.toml", "/etc/passwd", "C:\\a.toml", "\\\\host\\a.toml", "..\\a.toml", ".hidden.toml",
        ".git/config", "a/.b/c.toml", "", " ", ".", "..", "a\0b.toml", "x" * 2000,
    ],
)  # fmt: skip
def test_paths_outside_of_the_folder_are_refused(tmp_path, name):
    with pytest.raises(LinkworkError):
        inside(tmp_path, name)


def test_paths_in_the_folder_are_found(tmp_path):
    assert inside(tmp_path, "a b/ü.toml") == tmp_path.resolve() / "a b" / "ü.toml"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_that_lead_out_are_refused(tmp_path, asking):
    outside = tmp_path / "outside"
    folder = tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.toml").write_text("linkwork = 1\n")
    (folder / "link").symlink_to(outside)
    (folder / "one.toml").symlink_to(outside / "secret.toml")
    for name in ("link/secret.toml", "one.toml", "link/new.toml"):
        with pytest.raises(LinkworkError, match="outside"):
            inside(folder, name)
    ask = asking()
    object.__setattr__(ask.session.settings, "folder", folder)
    assert ask("files")["files"] == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8137", "localhost.evil.example", "127.0.0.1.nip.io", ""]
)
def test_other_names_of_this_machine_are_refused(tmp_path, host):
    assert client(tmp_path).get("/", headers={"host": host}).status_code == 403
    assert refusal(Settings(tmp_path), {"host": host}, {})


@pytest.mark.parametrize("host", ["localhost:8137", "127.0.0.1:1", "[::1]:8137", "LOCALHOST:8137", "127.0.0.1"])
def test_its_own_names_are_taken(tmp_path, host):
    assert refusal(Settings(tmp_path), {"host": host}, {}) is None


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:9999", "http://localhost", "file://localhost:8137", None, ""],
)
def test_pages_of_others_may_not_connect(tmp_path, origin):
    headers = {"host": "localhost:8137"} | ({} if origin is None else {"origin": origin})
    with pytest.raises(WebSocketDisconnect), client(tmp_path).websocket_connect("/ws?tab=a", headers=headers):
        pass


@pytest.mark.parametrize("tab", ["", "?", "a/b", "../a", "a" * 65, "a%00"])
def test_a_tab_has_a_plain_name(tmp_path, tab):
    with pytest.raises(WebSocketDisconnect), client(tmp_path).websocket_connect(f"/ws?tab={tab}", headers=OWN):
        pass


def test_another_address_needs_its_token(tmp_path):
    assert is_local("127.0.0.1") and is_local("::1") and is_local("localhost")
    assert not is_local("0.0.0.0") and not is_local("192.168.1.5") and not is_local("evil.example")
    there = client(tmp_path, address="0.0.0.0", token="right")
    for query in ("", "?token=", "?token=wrong", "?token=righ", "?token=r%C3%ADght"):
        assert there.get(f"/{query}").status_code == 403
        with pytest.raises(WebSocketDisconnect), there.websocket_connect(f"/ws?tab=a&{query[1:]}", headers=OWN):
            pass
    assert there.get("/?token=right").status_code != 403


@pytest.mark.parametrize(
    "path",
    [
        "/web/../server/app.py", "/web/%2e%2e/server/app.py", "/web/..%2fserver/app.py", "/web/..%5cserver%5capp.py",
        "/player/page.py", "/player/..%2f..%2fpyproject.toml", "/player/build.py", "/web/", "/web//etc/passwd",
        "/web/.hidden.js", "/docs", "/web/nothing.js", "/player/C:%5ca.js",
    ],
)  # fmt: skip
def test_only_files_of_the_page_are_served(tmp_path, path):
    assert client(tmp_path).get(path).status_code == 404


def test_scripts_are_served_with_headers_that_keep_others_out(tmp_path):
    for path in ("/", "/three.js", "/player.js", "/player.css", "/web/app.js"):
        answer = client(tmp_path).get(path)
        assert answer.status_code == 200 and answer.headers["x-content-type-options"] == "nosniff"
    assert "javascript" in client(tmp_path).get("/three.js").headers["content-type"]
    policy = client(tmp_path).get("/three.js").headers["content-security-policy"]
    assert "script-src 'self';" in policy and "frame-ancestors 'none'" in policy and "http" not in policy


def test_pictures_are_of_examples_and_for_those_who_may_ask(tmp_path):
    there = client(tmp_path, address="0.0.0.0", token="right")
    assert there.get("/thumbnails/pendulum.png").status_code == 403
    assert client(tmp_path).get("/thumbnails/pendulum.png", headers={"host": "evil.example"}).status_code == 403
    for name in ("nothing", "..%2fpendulum", "%2e%2e", "pendulum.png%00"):
        assert client(tmp_path).get(f"/thumbnails/{name}.png").status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_nothing_is_taken_but_questions(tmp_path, method):
    assert getattr(client(tmp_path), method)("/").status_code == 405


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "3", '{"id": 1}', '{"verb": "state"}', '{"id": "1", "verb": "state"}', '{"id": 1, "verb": 2}',
        '{"id": true, "verb": "state"}', '{"id": 1, "verb": "run", "duration": NaN}', "[" * 100_000,
        '{"id": 1, "verb": "run", "duration": -Infinity}',
    ],
)  # fmt: skip
def test_what_is_no_request_is_told(text):
    with pytest.raises(LinkworkError):
        asked(text)


def test_nothing_of_a_text_is_run(ask, tmp_path):
    mark = tmp_path / "mark"
    for expression in (f"open('{mark}', 'w')", "__import__('os')", "ground.__class__", "(() -> exec('1'))()"):
        ask("new")
        ask("add", kind="body", name="b", arguments={"mass": expression, "inertia": 1})
        assert ask("state")["problem"] is not None
    ask("open", text=f"import os\nopen({str(mark)!r}, 'w')")
    assert ask("state")["problem"] is not None and not mark.exists()
    with pytest.raises(LinkworkError):
        ask("open", file="model.py")
    with pytest.raises(LinkworkError):
        ask("open", example="../slider_crank")
