"""Mutated model files, URDF and MJCF are read or refused, whatever they hold."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

import linkwork as lw

from .files import mutated, seeds, verdict

FILES = 500


@pytest.mark.ci
def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    begin = seeds()
    for number in range(FILES):
        rng = random.Random(number)
        suffix, content = rng.choice(begin)
        path = tmp_path / f"file{suffix}"
        path.write_bytes(mutated(content, rng, [c for s, c in begin if s == suffix]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind, what = verdict(lw.load, path)
        assert kind in ("read", "refused", "slow"), (number, what)  # a timing is no test
