"""The machine and the versions a benchmark ran with: a time means nothing without them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def describe(packages: Iterable[str] = ()) -> str:
    """CPU, cores, load and versions, one line each."""
    found = [f"{name} {_version(name)}" for name in ("linkwork", "casadi", "llvmlite", "numpy", *packages)]
    load = f"{os.getloadavg()[0]:.2f} running processes on average" if hasattr(os, "getloadavg") else "unknown"
    return "\n".join(
        [
            f"machine   {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
            f"load      {load} over the last minute (above the number of cores: times are too long)",
            f"versions  Python {platform.python_version()}, {', '.join(found)}",
        ]
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        facts = dict(line.split(":", 1) for line in lines if ":" in line)
        return next(value.strip() for key, value in facts.items() if key.strip() == "model name")
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # used from a source tree that is not installed
        return "(not installed)"
