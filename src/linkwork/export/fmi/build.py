"""From sources to a file: compiled with the compiler of this machine, and zipped."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from linkwork.core.errors import LinkworkError
from linkwork.integrate import native

FLAGS = ("-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-DLW_PRIVATE")
_RUNTIME = Path(__file__).parent / "runtime"
_NATIVE = Path(native.__file__).parent
_LEFT_OUT = ("module.c", "evaluate.c", "closing.c", "closing.h", "many.c")
"""Sources of the integrators that only Python needs."""
_STAMP = (1980, 1, 1, 0, 0, 0)
"""Of all files: the same model gives the same FMU."""


def library_sources(version: str) -> dict[str, str]:
    """{file name: text} of the runtime for this version of FMI and of the integrators."""
    other = "fmi2.c" if version == "3.0" else "fmi3.c"
    files = [*_NATIVE.glob("*.[ch]"), *_RUNTIME.glob("*.[ch]")]
    kept = sorted((f for f in files if f.name not in (*_LEFT_OUT, other)), key=lambda f: f.name)
    return {f.name: f.read_text(encoding="utf-8") for f in kept}


def platform_folder(version: str) -> str:
    """Of the library for this machine, as the standard names it."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    if version == "3.0" or (machine != "x86_64" and system != "darwin"):
        return f"{machine}-{system}"
    return {"windows": "win64", "darwin": "darwin64", "linux": "linux64"}[system]


def library_name(identifier: str) -> str:
    return identifier + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def compiled(sources: Mapping[str, str], identifier: str) -> bytes:
    """The shared library of these sources."""
    compiler = _compiler()
    with TemporaryDirectory(prefix="linkwork-fmu-") as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        target = folder / library_name(identifier)
        flags = [flag for flag in FLAGS if flag != "-fPIC" or sys.platform != "win32"]
        flags += os.environ.get("CFLAGS", "").split()
        command = [*compiler, *flags, *(x for x in sources if x.endswith(".c")), "-o", target.name, "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            raise LinkworkError(
                f"the C compiler failed: {first.strip()}",
                component=" ".join(compiler),
                remedy="Set CC to another compiler, or give binary=False for an FMU of sources alone.",
            )
        return target.read_bytes()


def _compiler() -> list[str]:
    named = os.environ.get("CC", "").split()
    for words in [named] if named else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(words[0]):
            return words
    raise LinkworkError(
        "there is no C compiler.",
        component=" ".join(named) or "cc",
        remedy="Install one (gcc or clang) or set CC; binary=False writes an FMU of sources alone.",
    )


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """All of it or nothing: a neighbour that takes the place of the file in the end."""
    draft = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as whole:
            for name, content in files.items():
                info = zipfile.ZipInfo(name, _STAMP)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                whole.writestr(info, content)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LinkworkError(
            f"cannot be written: {error.strerror}.", component=str(path), remedy="Name a folder you may write to."
        ) from error
