"""Rigid contacts in FMUs: what is decided in C is what Python decides, one problem at a time and in whole runs."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.contact.complementarity import ContactRows, solve
from linkwork.contact.restitution import one_contact
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.export import fmi

fmpy = pytest.importorskip("fmpy")
from fmpy.validation import validate_fmu  # noqa: E402

from .test_fmu import KINDS, compared, strict_compiler  # noqa: E402, F401

pytestmark = pytest.mark.ci

RUNTIME = Path(fmi.__file__).parent / "runtime"
OPEN, STUCK, SLIDING = range(3)
ROOM = 1 << 22


class Seat(ctypes.Structure):
    _fields_ = [
        ("normal", ctypes.c_int), ("count", ctypes.c_int), ("tangential", ctypes.c_int * 2),
        ("friction", ctypes.c_double), ("resting", ctypes.c_double), ("noise", ctypes.c_double),
        ("press", ctypes.c_double), ("slides", ctypes.c_int), ("direction", ctypes.c_double * 2),
    ]  # fmt: skip


class Touch(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("direction", ctypes.c_double * 2)]


class Problem(ctypes.Structure):
    _fields_ = [
        ("rows", ctypes.c_int), ("count", ctypes.c_int), ("W", ctypes.c_void_p), ("b", ctypes.c_void_p),
        ("seats", ctypes.POINTER(Seat)),
    ]  # fmt: skip


class Room(ctypes.Structure):
    _fields_ = [("next", ctypes.c_void_p)]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    target = tmp_path_factory.mktemp("contacts") / "contacts.so"
    names = [RUNTIME / f"{n}.c" for n in ("dense", "complementarity", "newton", "impact", "one_contact")]
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, *names, "-o", target, "-lm"], check=True)
    return ctypes.CDLL(str(target))


def in_c(library, W, b, seats):
    """What `solve` gives, from C; None: they jam."""
    count = len(seats)
    given = (Seat * count)()
    for s, x in zip(given, seats, strict=True):
        s.normal, s.count = -1 if x.normal is None else x.normal, len(x.tangential)
        s.tangential[:] = [*x.tangential, 0, 0][:2]
        s.friction, s.resting, s.noise, s.press = x.friction, x.static, x.noise, x.press
        s.slides = x.direction is not None
        s.direction[:] = [0.0, 0.0] if x.direction is None else [*x.direction, 0.0][:2]
    F, touches, room = np.zeros(b.size), (Touch * count)(), ctypes.create_string_buffer(ROOM)
    problem = Problem(b.size, count, W.ctypes.data, b.ctypes.data, given)
    address = (ctypes.addressof(room) + 15) // 16 * 16
    done = library.fmu_solve(ctypes.byref(problem), F.ctypes.data_as(ctypes.c_void_p), touches, Room(address))
    return (F, touches) if done else None


def random_problem(rng, slips: int):
    """A few contacts of one to three bodies; some slide already, some have no gap."""
    count, freedoms = int(rng.integers(1, 5)), int(rng.integers(3, 9))
    presses = rng.random(count) < (0.2 if slips else 0.0)
    seats, row = [], 0
    for k in range(count):
        normal = None if presses[k] else row
        row += 0 if presses[k] else 1
        rows = tuple(range(row, row + slips))
        row += slips
        mu = float(rng.choice([0.0, 0.2, 0.7]))
        direction = rng.standard_normal(slips)
        slides = slips and rng.random() < 0.3
        seats.append(
            ContactRows(f"c{k}", normal, rows, mu, mu * float(rng.choice([1.0, 1.3])), 1e-9,
                        direction / np.linalg.norm(direction) if slides else None, float(presses[k]))
        )  # fmt: skip
    J = rng.standard_normal((row, freedoms))
    return np.ascontiguousarray(J @ J.T), np.ascontiguousarray(J @ rng.standard_normal(freedoms)), seats


@pytest.mark.parametrize("slips", [0, 1, 2])
def test_forces_of_random_contacts_are_those_of_python(library, slips):
    rng, kinds = np.random.default_rng(slips), {"open": OPEN, "stuck": STUCK, "sliding": SLIDING}
    solved = 0
    for _ in range(30 if slips == 2 else 100):
        W, b, seats = random_problem(rng, slips)
        try:
            F, states = solve(W, b, seats)
        except LinkworkError:
            assert in_c(library, W, b, seats) is None
            continue
        found = in_c(library, W, b, seats)
        assert found is not None
        assert np.abs(W @ (found[0] - F)).max() <= 1e-7 * np.abs(b).max()  # forces themselves may not be unique
        assert [t.kind for t in found[1]] == [kinds[s.kind] for s in states]
        solved += 1
    assert solved > 15


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_impulses_of_one_contact_are_those_of_python(library, rows):
    rng = np.random.default_rng(rows)
    room = ctypes.create_string_buffer(ROOM)
    place = Room((ctypes.addressof(room) + 15) // 16 * 16)
    call = library.fmu_one_contact
    call.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 2, *[ctypes.c_double] * 2, ctypes.c_void_p, Room]
    for _ in range(30):
        J = rng.standard_normal((rows, 6))
        W, u = np.ascontiguousarray(J @ J.T), rng.standard_normal(rows)
        u[0] = -abs(u[0])
        mu, e, P = float(rng.random()), float(rng.random()), np.zeros(rows)
        expected = one_contact(W, u, mu, e)
        done = call(rows, W.ctypes.data, u.ctypes.data, mu, e, P.ctypes.data, place)
        assert bool(done) == (expected is not None)
        if expected is not None:
            assert P == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def bouncing() -> lw.Model:
    """A ball that spins and bounces until it rolls."""
    m = lw.Model("ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=0.5, inertia=2e-3)
    ball.start(position=(0, 0.5), velocity=(1, 0), spin=-20)
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.6, friction=0.3)
    return m


def pushed() -> lw.Model:
    """A box on two corners: it sticks, is pushed, slides, and comes to rest."""
    m = lw.Model("box", gravity=(0, -9.81))
    box = m.body("box", mass=2, inertia=0.05)
    box.start(position=(0, 0.1))
    m.rigid_contact("floor", box, shape=lw.outlines.Box((0.4, 0.2)), friction=0.3, static=0.4)
    push = m.input("push", 0.0, unit="N")
    step = lw.Table([0.0, 0.1, 0.3, 0.5], [0.0, 10.0, 0.0, 0.0], "hold")
    m.force("F", box.at(0, -0.05), lambda t: (push + step(t), 0))
    return m


def rubbing() -> lw.Model:
    """An oscillator with dry friction that stops."""
    m = lw.Model("rubbing", gravity=(0, 0))
    O = m.revolute("O", m.ground, m.body("disc", mass=1, inertia=0.1).at())
    O.angle.law(lw.Spring(10.0)).start(1.0)
    m.dry_friction("brake", O.angle, 0.9, static=1.1)
    return m


def loaded() -> lw.Model:
    """A pendulum whose pin sticks, from what it carries."""
    m = lw.Model("loaded", gravity=(0, -9.81))
    O = m.revolute("O", m.ground, m.body("bar", mass=1, inertia=0.1).at(-0.5, 0))
    O.angle.start(0.2)
    m.joint_stiction("pin", O.angle, 0.3, radius=0.1, lag=1e-2)
    return m


def rolling() -> lw.Model:
    """In space: a ball that is thrown, slides along a curve, and rolls."""
    m = lw.Model("thrown", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=1, inertia=(4e-3, 4e-3, 4e-3))
    ball.start(position=(0, 0, 0.15), velocity=(1, 0.5, 0), spin=(10, 5, 3))
    m.rigid_contact("floor", ball, radius=0.1, restitution=0.4, friction=0.2)
    return m


def row_of_balls() -> lw.Model:
    """A shock that passes through three balls."""
    m = lw.Model("row", gravity=(0, 0))
    balls = [m.body(f"b{k}", mass=1, inertia=0.1) for k in range(3)]
    for k, ball in enumerate(balls):
        ball.start(position=(0.2 * k - (0.3 if k == 0 else 0.0), 0), velocity=(2.1 if k == 0 else 0, 0))
    for k in range(2):
        m.rigid_contact(f"c{k}", balls[k], balls[k + 1], radius=0.1, other=lw.outlines.Ball(0.1), restitution=0.8)
    return m


CASES = {
    "ball": (bouncing, 1.2, 120), "box": (pushed, 0.6, 60), "dry friction": (rubbing, 2.0, 100),
    "stiction": (loaded, 1.0, 50), "in space": (rolling, 0.6, 60), "row": (row_of_balls, 0.4, 40),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_runs_with_rigid_contacts_are_those_of_ours(tmp_path, case):
    model, duration, count = CASES[case]
    path = model().fmu(tmp_path / "x.fmu", duration=duration, version="2.0" if case == "box" else "3.0")
    assert validate_fmu(str(path)) == []
    for kind in KINDS:
        compared(model(), path, kind, duration, count, 1e-12)


@pytest.mark.slow
def test_an_input_that_an_importer_changes_lets_it_slip(tmp_path):
    path = pushed().fmu(tmp_path / "x.fmu", duration=0.6)
    signals = np.array([(0.0, 0.0), (0.4, 0.0), (0.4, 9.0), (0.6, 9.0)], dtype=[("time", float), ("push", float)])
    own = pushed().simulate(0.6, inputs={"push": lw.Table([0.0, 0.4], [0.0, 9.0], "hold")}, output=0.01, rtol=1e-10)
    for kind in KINDS:
        theirs = fmpy.simulate_fmu(str(path), stop_time=0.6, fmi_type=kind, output_interval=0.01, input=signals,
                                   relative_tolerance=1e-10)  # fmt: skip
        assert np.interp(0.6, theirs["time"], theirs["box.x"]) == pytest.approx(own["box.x"][-1], abs=1e-7)


def test_outlines_whose_corners_are_chosen_during_a_run_are_told_by_name(tmp_path):
    m = lw.Model("two boxes", gravity=(0, -9.81))
    a, b = (m.body(name, mass=1, inertia=0.1) for name in "ab")
    a.start(position=(0, 0.5))
    box = lw.outlines.Box((0.2, 0.2))
    m.rigid_contact("pair", a, b, shape=box, other=box)
    with pytest.raises(ModelError, match=r"pair: .*Ball"):
        m.fmu(tmp_path / "x.fmu", binary=False)
    assert not list(tmp_path.iterdir())
