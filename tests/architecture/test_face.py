"""Editors and type checkers see what components and verbs declare: the stub is up to date, every type is inferred."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linkwork.core import declarations, late, stub

SCRIPT = Path(__file__).with_name("user_script.py")
SOURCE = str(stub.FILE.parents[2])


def names() -> list[str]:
    """Whatever the script gives a name."""
    given = [node.targets[0] for node in ast.parse(SCRIPT.read_text("utf-8")).body if isinstance(node, ast.Assign)]
    return [name.id for name in given if isinstance(name, ast.Name)]


def run(*command: str, tmp_path: Path) -> str:
    """What a type checker says of the script with all types revealed."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.read_text("utf-8") + "".join(f"reveal_type({name})\n" for name in names()), "utf-8")
    done = subprocess.run([*command, str(script)], capture_output=True, text=True, cwd=tmp_path, env=_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environment() -> dict[str, str]:
    return os.environ | {"MYPYPATH": SOURCE, "PYTHONPATH": SOURCE}


def test_stub_is_up_to_date():
    """Written by another process: it runs imports that are meant for type checkers only."""
    code = "import sys; from linkwork.core import stub; sys.stdout.buffer.write(stub.text().encode())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=_environment())
    assert done.stdout.decode() == stub.FILE.read_text("utf-8"), "run python -m linkwork.core.stub"


@pytest.mark.ci
def test_mypy_infers_every_type(tmp_path):
    pytest.importorskip("mypy")
    said = run(sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", tmp_path=tmp_path)
    types = re.findall(r'Revealed type is "(.*)"', said)
    assert len(types) == len(names())
    assert not [pair for pair in zip(names(), types, strict=True) if re.search(r"\bAny\b", _plain(pair[1]))]
    assert types[names().index("O")] == "linkwork.components.joints.Revolute"
    assert types[names().index("angle")] == "linkwork.components.joint.JointCoordinate"
    find_slips(tmp_path)  # here, as what mypy knows of the package is then kept


@pytest.mark.ci
def test_pyright_infers_every_type(tmp_path):
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    checker = shutil.which("basedpyright", path=places) or shutil.which("pyright", path=places)
    if checker is None:
        pytest.skip("pyright is not installed")
    config = {"typeCheckingMode": "strict", "reportUnknownMemberType": False, "extraPaths": [SOURCE]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    said = run(checker, "--pythonpath", sys.executable, tmp_path=tmp_path)
    types = re.findall(r'Type of "\w+" is "(.*)"', said)
    assert len(types) == len(names())
    assert not [pair for pair in zip(names(), types, strict=True) if re.search(r"\bAny\b|Unknown", _plain(pair[1]))]


def _plain(said: str) -> str:
    """Without the shape and element type of arrays, which NumPy leaves open."""
    return re.sub(r"(numpy\.)?ndarray\[[^,]*(, \.\.\.\])?, (numpy\.)?dtype\[\w+\]\]", "ndarray", said)


def find_slips(tmp_path):
    wrong = {
        "O.angel.start(1)": 'has no attribute "angel"',
        'm.revolute("C", m.ground.at())': "Missing positional argument",
        'm.spring("T", crank, rod, stiffness="stiff")': '"stiffness" to "spring"',
        "m.simulate(5, rtoll=1e-8)": 'Unexpected keyword argument "rtoll"',
    }
    script = tmp_path / "wrong.py"
    script.write_text(SCRIPT.read_text("utf-8") + "\n".join(wrong), "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=_environment())
    for told in wrong.values():
        assert told in done.stdout
    assert f"Found {len(wrong)} errors" in done.stdout


def test_table_of_places_is_up_to_date():
    code = "import sys; from linkwork.core import declarations; sys.stdout.buffer.write(declarations.text().encode())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=_environment())
    assert done.stdout.decode() == declarations.FILE.read_text("utf-8"), "run python -m linkwork.core.stub"


PROMISED = """
import sys
import linkwork as lw
from linkwork.core import places, registry
from linkwork.core.late import Late

assert "linkwork.core.model" not in sys.modules
model = lw.Model("m")
asked = {*places.COMPONENTS, *places.VERBS}
assert asked <= {*dir(model)}
assert "linkwork.analyses.floquet" not in sys.modules and "linkwork.components.ropes" not in sys.modules
assert all(getattr(model, name).__doc__ for name in asked - {"ground"})
assert registry.components.keys() == places.COMPONENTS.keys() and registry.verbs.keys() == places.VERBS.keys()
assert all(name in dir(lw) and getattr(lw, name) is not None for name in lw.__all__)
for cls, methods in places.METHODS.items():
    assert all(callable(getattr(getattr(lw, cls), name)) for name in methods), cls
"""


def test_what_is_promised_by_name_is_there_when_asked_for():
    """In a process of its own, where nothing has been loaded yet."""
    subprocess.run([sys.executable, "-c", PROMISED], check=True, env=_environment())


def test_a_table_that_is_out_of_date_says_what_to_do():
    class Old:
        pass

    late.promise(Old, {"gone": "linkwork.core.late"})
    with pytest.raises(AttributeError, match=r"core\.late declares no gone: run python -m linkwork\.core\.stub"):
        Old().gone  # noqa: B018
