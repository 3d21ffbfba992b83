"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer.

It is built with both into a copy of the package, and the tests of its binding run with that copy: any access outside of
what was allocated, any overflow or misaligned access ends the run with a report.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import linkwork

NATIVE = Path(linkwork.__file__).parent / "integrate" / "native"
COMPILE = NATIVE.parent.parent / "compile"
HERE = Path(__file__).parent
BINDING = [
    *sorted(str(path) for path in HERE.glob("test_*.py") if path != Path(__file__)),
    *(
        str(HERE.parent / name)
        for name in (
            "compile/test_machine_code.py",
            "compile/test_jacobian.py",
            "assembly/test_compiled.py",
            "large/test_elimination.py",
            "simulation/test_stepper.py",
        )
    ),
]
SUITED = "not (keyboard_interrupt or heavy_import or survives or cvodes or idas or sundials or wrong_words)"
"""Not those that count on speed, start processes of their own, or load libraries (SUNDIALS) that sanitizers refuse."""


@pytest.fixture(scope="module")
def compiler():
    found = shutil.which("gcc")
    if found is None or not sys.platform.startswith("linux"):
        pytest.skip("needs gcc on Linux")
    return found


def runtime(compiler, name):
    path = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"{name} is not installed")
    return path


def build(compiler, target, *sources):
    options = ["-shared", "-fPIC", "-O1", "-g", "-std=gnu11", "-fno-omit-frame-pointer", "-Wall", "-Wextra"]
    options += ["-fsanitize=address,undefined,float-divide-by-zero", "-fno-sanitize-recover=address,undefined"]
    options += [f"-I{sysconfig.get_paths()['include']}", f"-I{NATIVE}"]
    command = [compiler, *options, *map(str, sources), "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if "Python.h" in done.stderr:
        pytest.skip("needs Python's headers")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def environment(compiler, tmp_path_factory):
    """Where processes find the package with the library that watches itself."""
    folder = tmp_path_factory.mktemp("watched")
    shutil.copytree(NATIVE.parent.parent, folder / "linkwork", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    build(compiler, folder / "linkwork" / "integrate" / "native" / f"_native{suffix}", *sorted(NATIVE.glob("*.c")))
    build(compiler, folder / "linkwork" / "compile" / f"_machine_code{suffix}", *sorted(COMPILE.glob("*.c")))
    return {
        **os.environ,
        "PYTHONPATH": str(folder),
        "LD_PRELOAD": f"{runtime(compiler, 'libasan.so')} {runtime(compiler, 'libubsan.so')}",
        "PYTHONMALLOC": "malloc",  # each object by itself, so that a step beyond one is seen
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


WATCHED = """
import ctypes, numpy as np, linkwork
from linkwork.integrate.native import binding
assert {folder!r} in linkwork.__file__
library = binding.library()
assert ctypes.CDLL(None).__asan_init
ints, doubles = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_double)
starts, rows, order = (np.array(x, dtype=np.int32) for x in ([0, 1, 2], [0, {row}], [0, 1]))
values, b = np.ones(2), np.ones(2)
library.lw_solve_real(
    2, *(x.ctypes.data_as(ints) for x in (starts, rows, order)), None, *(x.ctypes.data_as(doubles) for x in (values, b))
)
print("done")
"""


@pytest.mark.slow
def test_it_watches(environment):
    """A pattern with a row that does not exist, past all checks: the sanitizer must see it."""
    script = WATCHED.replace("{folder!r}", repr(environment["PYTHONPATH"]))

    def run(row):
        code = script.replace("{row}", str(row))
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    good, bad = run(1), run(1000)
    assert good.stdout.strip() == "done", good.stderr
    assert bad.returncode != 0 and "ERROR: AddressSanitizer" in bad.stderr


@pytest.mark.slow
def test_the_binding(environment):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-s",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        "-k",
        SUITED,
    ]
    command += BINDING
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE.parents[2])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    assert "AddressSanitizer" not in done.stderr and "runtime error" not in done.stdout + done.stderr


MECHANISMS = """
import warnings
from importlib import import_module
warnings.simplefilter("ignore")
for name, solvers in {cases!r}:
    m = import_module("linkwork.examples." + name).model()
    for solver, options in solvers:
        m.simulate(0.2, solver=solver, **options)
print("done")
"""

CASES = [
    ("slider_crank", [("dopri5", {}), ("radau", {}), ("generalized_alpha", {"step": 1e-3}), ("newmark", {})]),
    ("double_pendulum", [("rk4", {"step": 1e-3}), ("dop853", {}), ("hht", {})]),
    ("hydraulic_jack", [("auto", {})]),
    ("bicycle", [("auto", {})]),
]


@pytest.mark.slow
def test_mechanisms(environment):
    code = MECHANISMS.format(cases=CASES)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "done", done.stderr[-6000:]
    assert "runtime error" not in done.stderr
