"""`linkwork studio`: what it is given, what it refuses, and what other commands do not pay for it."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from linkwork.cli import studio as command
from linkwork.cli.app import main
from linkwork.studio.server import processes, serving
from linkwork.studio.server.settings import Settings


@pytest.fixture
def served(monkeypatch):
    """What would have been served, instead of serving it."""
    found: list[Settings] = []

    def serve(settings, listening, begun):
        listening.close()
        found.append(settings)
        begun()

    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(processes, "warm_up", lambda: None)
    return found


@pytest.fixture
def opened(monkeypatch):
    """Addresses that would have been opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


def test_the_page_is_opened_where_it_is_served(served, opened, capsys, tmp_path):
    assert main(["studio", "--port", "0", "--folder", str(tmp_path)]) == 0
    (settings,) = served
    assert settings.folder == tmp_path.resolve() and settings.address == "127.0.0.1" and settings.token is None
    assert opened == [f"http://127.0.0.1:{settings.port}/"] and opened[0] in capsys.readouterr().out


def test_an_example_is_what_new_tabs_begin_with(served, opened, tmp_path):
    assert main(["studio", "slider-crank", "--set", "torque=12", "--port", "0", "--no-browser"]) == 0
    assert 'name = "slider-crank"' in served[0].first and "torque = {value = 12.0" in served[0].first
    assert served[0].first_hints["duration"] == 5.0 and not opened


def test_a_python_model_is_run_by_the_command_and_becomes_a_model_file(served, tmp_path):
    file = tmp_path / "mine.py"
    lines = ["import linkwork as lw", "m = lw.Model('mine')", "m.body('b', mass=1, inertia=1)"]
    file.write_text("\n".join(lines))
    assert main(["studio", str(file), "--port", "0", "--no-browser"]) == 0
    assert "[component.b]" in served[0].first


def test_another_address_gets_a_token(served, capsys):
    assert main(["studio", "--address", "0.0.0.0", "--port", "0", "--no-browser"]) == 0
    token = served[0].token
    assert token is not None and len(token) >= 30 and f"?token={token}" in capsys.readouterr().out.replace("\n", "")


def test_a_port_in_use_is_told(served, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["studio", "--port", str(port), "--no-browser"]) == 1
    assert f"port {port} is in use" in capsys.readouterr().err and not served


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["slider-crunk"], 2, "slider-crank"),
        (["nothing.toml"], 1, "nothing.toml"),
        (["quarter-car"], 1, "bond graph"),
        (["--folder", "/no/such/folder"], 1, "is no folder"),
        (["--address", "203.0.113.7"], 1, "address cannot be used"),
        (["--time-limit", "0"], 1, "> 0"),
    ],
)
def test_what_cannot_be_served_is_told(served, capsys, words, code, says):
    assert main(["studio", "--port", "0", "--no-browser", *words]) == code
    assert says in capsys.readouterr().err.replace("\n", " ") and not served


def test_ctrl_c_is_how_it_ends(monkeypatch, tmp_path):
    class Server:
        def run(self, sockets):
            sockets[0].close()
            raise KeyboardInterrupt

    monkeypatch.setattr(serving, "server_of", lambda *_: Server())
    monkeypatch.setattr(processes, "warm_up", lambda: None)
    assert main(["studio", "--port", "0", "--no-browser", "--folder", str(tmp_path)]) == 0


def test_a_missing_extra_is_told_with_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "starlette" else object())
    assert main(["studio", "--no-browser"]) == 1
    assert "starlette" in (told := capsys.readouterr().err) and "pip install 'linkwork[studio]'" in told


def test_nothing_else_imports_the_server():
    code = (
        "import sys, linkwork; from linkwork.cli.app import main; main(['examples', '--names'])\n"
        "import linkwork.studio.animation, linkwork.cli.view\n"
        "wrong = {'starlette', 'uvicorn', 'websockets', 'latex2mathml', 'linkwork.studio.server'} & set(sys.modules)\n"
        "sys.exit(str(wrong) if wrong else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_port_is_told(served, capsys, tmp_path):
    assert main(["studio", "--port", "65536", "--folder", str(tmp_path)]) == 1
    assert "65536 is not a port. Give --port from 1 to 65535" in capsys.readouterr().err


@pytest.mark.ci
def test_modules_in_the_folder_of_models_are_never_run(tmp_path):
    """Not even where they are named as modules that every process imports."""
    folder, scripts = tmp_path / "models", tmp_path / "scripts"
    folder.mkdir()
    scripts.mkdir()
    for name in ("numbers", "numpy", "casadi"):
        (folder / f"{name}.py").write_text("open('ran', 'w')")
    script = scripts / "begin.py"  # as a command begins: its own folder is looked into, not the one it is called in
    script.write_text(
        "import os\nfrom linkwork.studio.server.processes import warm_up\n"
        "if __name__ == '__main__':\n    before = dict(os.environ)\n    warm_up()\n    assert os.environ == before"
    )
    done = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == ""
    assert not (folder / "ran").exists()
