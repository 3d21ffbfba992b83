"""What counts as the same text: rounding and wrapping may change, words, counts and digits that hold may not."""

from __future__ import annotations

import pytest

from .golden import agree


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ("residual 2.2e-16 m", "residual 0 m"),
        ("x  0.30000000000000004", "x 0.3"),
        ("f = 2.1\nN", "f = 2.2 N"),
        ("g = -9.81;", "g = -9.8100000000001;"),
    ],
)
def test_same(shown: str, kept: str) -> None:
    assert agree(shown, kept, 1e-9)


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ("t12 = 1", "t13 = 1"),
        ("y[3]", "y[4]"),
        ("501 samples", "502 samples"),
        ("x 0.3001", "x 0.3003"),
        ("g = -9.81", "g = 9.81"),
        ("Newton", "newton"),
        ("0.3 0.4", "0.3"),
    ],
)
def test_other(shown: str, kept: str) -> None:
    assert not agree(shown, kept, 1e-9)
