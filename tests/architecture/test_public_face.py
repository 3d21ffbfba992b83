"""`import linkwork`: the public names, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import linkwork

# Each of these takes a tenth of a second or more to import, and a run that neither plots nor saves needs none of them.
LATE = ("matplotlib", "networkx", "pandas", "scipy", "xarray")


def kind_and_name(name: str) -> tuple[int, str]:
    """Acronyms and constants first, then classes, then functions, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_all_is_sorted_and_without_repetition():
    assert linkwork.__all__ == sorted(set(linkwork.__all__), key=kind_and_name)


def test_all_is_complete():
    public = {n for n, v in vars(linkwork).items() if not n.startswith("_") and not isinstance(v, ModuleType)}
    assert public - {"annotations"} <= set(linkwork.__all__)


@pytest.mark.parametrize("name", linkwork.__all__)
def test_every_public_name_exists(name):
    assert hasattr(linkwork, name)


def test_import_leaves_slow_packages_alone():
    code = f"import sys, linkwork; print(*[p for p in {LATE!r} if p in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
