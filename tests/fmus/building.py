"""Foreign FMUs, built once for all tests of a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import weakref
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def lag() -> Path:
    """An FMU for co-simulation that was written by hand: see lag.c."""
    return _built("lag")


def ball() -> Path:
    """One for model exchange: see ball.c."""
    return _built("ball")


@cache
def _built(name: str) -> Path:
    """Of FMI 2.0."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = Path(tempfile.mkdtemp(prefix="linkwork-test-"))
    weakref.finalize(_built, shutil.rmtree, folder, ignore_errors=True)
    library = folder / f"{name}{fmpy.sharedLibraryExtension}"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE / f"{name}.c", "-lm"], check=True)
    with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
        archive.write(HERE / f"{name}.xml", "modelDescription.xml")
        archive.write(library, f"binaries/{fmpy.platform}/{library.name}")
    return folder / f"{name}.fmu"


def edited(change: Callable[[str], str], new: Path, *, without: str = "\0", also: dict[str, str] | None = None) -> str:
    """The same with another description, without files whose names begin so, and with others."""
    with zipfile.ZipFile(lag()) as old, zipfile.ZipFile(new, "w") as archive:
        for name in old.namelist():
            data = old.read(name)
            if not name.startswith(without):
                archive.writestr(name, change(data.decode()).encode() if name.endswith(".xml") else data)
        for name, text in (also or {}).items():
            archive.writestr(name, text)
    return str(new)
