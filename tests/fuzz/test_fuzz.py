"""Two thousand wrong or odd calls of everything public; `python -m tests.fuzz --calls 100000` makes more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fuzz(*options: str, limit: float) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *options], cwd=ROOT, capture_output=True, text=True, timeout=limit
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.ci
def test_two_thousand_calls():
    """Mostly of components and methods; each ends in an error of ours, or in something that has a meaning."""
    said = fuzz("--calls", "2000", "--seed", "13", "--share", "0", "--quick", limit=600)
    assert said.splitlines()[-1].startswith("2000 calls: ")


@pytest.mark.slow
def test_models_are_used_afterwards():
    fuzz("--calls", "1000", "--seed", "14", "--share", "1", "--workers", "2", limit=3000)
