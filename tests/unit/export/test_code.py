"""Generated C, Python and CasADi functions compute what the compiled Program computes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import slider_crank
from linkwork.export import c_source
from linkwork.export.c_source import Routine, Tables, c_sources
from linkwork.export.python_source import Definition, python_source
from linkwork.simulation.prepare import Choice, prepare

from .equation_models import ball_chain, double_pendulum, switched_slider
from .every_operation import COLUMNS, every_operation, points_of_trial

CASES = [
    (slider_crank.model, "minimal"),
    (slider_crank.model, "absolute"),
    (ball_chain, "minimal"),
    (switched_slider, "minimal"),
    (switched_slider, "points"),
]
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]
gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")


def case_name(value: Any) -> str:
    return getattr(value, "__module__", "") + getattr(value, "__name__", str(value))


@cache
def sheet_of(make: Any, formulation: str = "minimal") -> Any:
    return make().equations(formulation)


@cache
def visited(make: Any, formulation: str) -> tuple[Any, list[tuple[float, np.ndarray, np.ndarray]]]:
    """The compiled program, and (t, y, p) at consistent states of a motion and at a state off the constraints."""
    ready = prepare(make(), Choice(formulation))
    y = ready.state
    found = [(0.0, y, ready.p)]
    rhs, project = ready.program.function("rhs"), ready.program.function("project")
    for n in range(1, 41):
        y = project(0.005 * n, y + 0.005 * rhs(0.005 * (n - 1), y, ready.p)[0], ready.p)[0]
        if n % 20 == 0:
            found.append((0.005 * n, y, ready.p * (1 + 0.05 * n)))
    return ready.program, [*found, (0.7, y * 1.001, ready.p)]


def close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    scale = np.abs(expected).max(initial=1.0)
    assert np.abs(found - expected).max(initial=0.0) <= 1e-12 * scale


class Library:
    """Generated C, compiled and loaded."""

    def __init__(self, folder: Path, name: str):
        self.name, target = name, folder / f"{name}.so"
        command = ["gcc", *FLAGS, "-shared", "-fPIC", str(folder / f"{name}.c"), "-lm", "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        self.code = ctypes.CDLL(str(target))

    def __call__(self, function: str, t: float, y: np.ndarray, p: np.ndarray, *sizes: int) -> list[np.ndarray]:
        pointer = ctypes.POINTER(ctypes.c_double)
        arrays = [np.ascontiguousarray(x, dtype=float) for x in (y, p)] + [np.full(max(n, 1), np.nan) for n in sizes]
        places = [x.ctypes.data_as(pointer) for x in arrays]
        getattr(self.code, f"{self.name}_{function}")(ctypes.c_double(t), *places)
        return [x[:n] for x, n in zip(arrays[2:], sizes, strict=True)]


@gcc
@pytest.mark.parametrize(("make", "formulation"), CASES, ids=case_name)
def test_c_computes_what_the_program_does(make: Any, formulation: str, tmp_path: Path) -> None:
    sheet = sheet_of(make, formulation)
    header, *_ = sheet.write_c(tmp_path / "new" / "folder")
    library = Library(header.parent, header.stem)
    program, states = visited(make, formulation)
    mass = sheet.casadi()["mass"]
    nq, nv = sheet.q.numel(), sheet.v.numel()
    for t, y, p in states:
        close(library("rhs", t, y, p, y.size)[0], program.function("rhs")(t, y, p)[0])
        close(library("outputs", t, y, p, len(program.channels))[0], program.function("outputs")(t, y, p)[0])
        expected = np.array(ca.densify(mass(t, y[:nq], y[nq : nq + nv], y[nq + nv :], p)))
        close(library("mass_matrix", t, y, p, nv * nv)[0].reshape(nv, nv), expected)
        if program.constrained:
            projected, residual = library("project", t, y, p, y.size, 2)
            close(projected, program.function("project")(t, y, p)[0])
            assert residual == pytest.approx(program.function("project")(t, y, p)[1], abs=1e-14)


@gcc
def test_long_functions_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_source, "CHUNK", 60)
    sheet = sheet_of(ball_chain)
    (source,) = [path for path in sheet.write_c(tmp_path, "cut") if path.name == "cut.c"]
    assert source.read_text("utf-8").count("static void rhs_") > 3
    program, states = visited(ball_chain, "minimal")
    library = Library(tmp_path, "cut")
    for t, y, p in states:
        close(library("rhs", t, y, p, y.size)[0], program.function("rhs")(t, y, p)[0])


@gcc
def test_main_prints_the_start_and_integrates(tmp_path: Path) -> None:
    """Runge-Kutta with projection in C follows the same path as the adaptive solver."""
    model = slider_crank.model()
    sheet = model.equations(parameters={"torque": 7.0})
    files = [str(path) for path in sheet.write_c(tmp_path, "crank") if path.suffix == ".c"]
    done = subprocess.run(["gcc", *FLAGS, *files, "-lm", "-o", str(tmp_path / "crank")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    run = subprocess.run([str(tmp_path / "crank"), "1", "2000"], capture_output=True, text=True, check=True)
    start, end = run.stdout.split("# end, t = 1 s")
    lines = dict(line.split(" ", 1) for line in end.splitlines() if "." in line and not line.startswith("#"))
    r = model.simulate(1, parameters={"torque": 7.0}, rtol=1e-10, atol=1e-12)
    for channel in ("piston.x", "O.reaction.fx", "energy.supplied", "O.angle"):
        assert float(lines[channel].split()[0]) == pytest.approx(r[channel][-1], rel=1e-7), channel
    assert "O.angle 0." in start and "piston.x" in start


@pytest.mark.parametrize(("make", "formulation"), CASES, ids=case_name)
def test_python_computes_what_the_program_does(make: Any, formulation: str) -> None:
    module: dict[str, Any] = {"__name__": "generated"}
    exec(compile(sheet_of(make, formulation).python(), "generated", "exec"), module)
    program, states = visited(make, formulation)
    for t, y, p in states:
        close(module["rhs"](t, y, p), program.function("rhs")(t, y, p)[0])
        close(module["outputs"](t, y, p), program.function("outputs")(t, y, p)[0])
    assert [name for name, _ in module["CHANNELS"]] == [channel.name for channel in program.channels]
    assert len(module["STATES"]) == len(set(module["STATES"])) == len(module["START"])


@pytest.mark.parametrize(("make", "formulation"), [*CASES[:3], (double_pendulum, "minimal")], ids=case_name)
def test_shown_equations_have_the_same_solution(make: Any, formulation: str) -> None:
    """M v̇ + Aᵀλ = f, A v̇ = γ solved by NumPy gives the accelerations of the right-hand side."""
    sheet = sheet_of(make, formulation)
    module: dict[str, Any] = {"__name__": "generated"}
    exec(compile(sheet.python(), "generated", "exec"), module)
    y, nq, nv = sheet.start, sheet.q.numel(), sheet.v.numel()
    parts = (0.0, y[:nq], y[nq : nq + nv], y[nq + nv :])
    M, f = module["mass_matrix"](*parts), module["force"](*parts)
    A = module["jacobian"](*parts) if sheet.row_names else np.zeros((0, nv))
    gamma = module["gamma"](*parts) if sheet.row_names else np.zeros(0)
    whole = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    a = np.linalg.solve(whole, np.concatenate([f, gamma]))[:nv]
    assert a == pytest.approx(module["rhs"](0.0, y)[nq : nq + nv], rel=1e-9, abs=1e-9)


def test_python_runs_alone(tmp_path: Path) -> None:
    """In a process of its own, with nothing but NumPy to be imported."""
    text = sheet_of(slider_crank.model).python()
    (tmp_path / "crank.py").write_text(text, encoding="utf-8")
    assert [line for line in text.splitlines() if "import" in line] == ["import numpy as np"]
    command = [sys.executable, "-I", str(tmp_path / "crank.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONIOENCODING": "utf-8"})
    assert done.stdout.splitlines()[0].startswith("O.angle: ")


def test_casadi_functions_have_names_and_values() -> None:
    sheet = sheet_of(slider_crank.model, "absolute")
    functions = sheet.casadi()
    assert functions["rhs"].name_in() == ["t", "y", "p"]
    y, n = sheet.start, sheet.q.numel()
    residual = functions["position"](t=0, q=y[:n], v=y[n : 2 * n], z=y[2 * n :], p=sheet.p)["position"]
    assert np.abs(np.array(residual)).max() < 1e-10
    assert functions["mass"](0, y[:n], y[n : 2 * n], y[2 * n :], sheet.p).shape == (9, 9)


def tables() -> Tables:
    return Tables("every operation", {"STATES": 2}, ["x", "y"], [], [], np.zeros(2), np.zeros(0))


@gcc
def test_every_operation_in_c(tmp_path: Path) -> None:
    f = every_operation()
    sources = c_sources("all", tables(), [Routine("rhs", f, ("dy",), "")])
    for name, text in sources.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = Library(tmp_path, "all")
    for y in points_of_trial():
        expected = np.array(f(0.0, y, [])).ravel()
        assert library("rhs", 0.0, y, np.zeros(0), COLUMNS)[0] == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_every_operation_in_python() -> None:
    f = every_operation()
    module: dict[str, Any] = {"__name__": "generated"}
    exec(python_source(tables(), [Definition("rhs", f, ("t", "y", "p"), "")]), module)
    for y in points_of_trial():
        expected = np.array(f(0.0, y, [])).ravel()
        assert module["rhs"](0.0, y) == pytest.approx(expected, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("name", ["main", "2fast", "a-b", "", "größe"])
def test_names_that_c_cannot_have(name: str) -> None:
    with pytest.raises(lw.LinkworkError, match="cannot begin names in C"):
        sheet_of(double_pendulum).c(name)


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(lw.LinkworkError, match="cannot be written"):
        sheet_of(double_pendulum).write_c(tmp_path / "file" / "folder")


def test_unknown_names() -> None:
    with pytest.raises(lw.UnknownName, match="minimal"):
        double_pendulum().equations("minimum")
    with pytest.raises(lw.UnknownName, match="projection"):
        double_pendulum().equations(stabilisation="projektion")
    with pytest.raises(lw.UnknownName, match="m1"):
        double_pendulum().equations(parameters={"m3": 1.0})


def stopping() -> lw.Model:
    """A ball thrown up: it passes 1 m twice, and the run ends where it comes back."""
    m = lw.Model("throw", gravity=(0, -9.81))
    ball = m.particle("ball", mass=1.0).start(position=(0, 0.1), velocity=(0, 6.0))
    m.event("metre", lambda b: b.p[1] - 1, ball.at())
    m.event("down", lambda b: b.p[1], ball.at(), direction=-1, action="stop")
    return m


@gcc
def test_events_in_c(tmp_path: Path) -> None:
    sheet_of(stopping).write_c(tmp_path, "throw")
    command = ["gcc", *FLAGS, str(tmp_path / "throw.c"), str(tmp_path / "main.c"), "-lm", "-o", str(tmp_path / "throw")]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    said = subprocess.run([str(tmp_path / "throw"), "3", "50"], capture_output=True, text=True, check=True).stdout
    told = [line[len("# event ") :].split(", t = ") for line in said.splitlines() if line.startswith("# event")]
    root = np.sqrt(36 - 2 * 9.81 * 0.9)
    expected = [("metre", (6 - root) / 9.81), ("metre", (6 + root) / 9.81), ("down", (6 + np.sqrt(36 + 1.962)) / 9.81)]
    assert [name for name, _ in told] == [name for name, _ in expected]
    for (_, text), (_, time) in zip(told, expected, strict=True):
        assert float(text.split()[0]) == pytest.approx(time, abs=1e-12)
    end = next(line for line in said.splitlines() if line.startswith("# end, t = "))
    assert float(end.split("t = ")[1].split()[0]) == pytest.approx(expected[-1][1], abs=1e-12)


def test_events_in_python() -> None:
    module: dict[str, Any] = {"__name__": "generated"}
    exec(compile(sheet_of(stopping).python(), "generated", "exec"), module)
    assert module["EVENTS"] == (("metre", 0, "record"), ("down", -1, "stop"))
    assert module["events"](0.0, module["START"]) == pytest.approx([-0.9, 0.1], abs=1e-15)
