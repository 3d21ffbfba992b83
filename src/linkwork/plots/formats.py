"""The file formats of plots, known without importing what draws them."""

from __future__ import annotations

SUFFIXES = (".svg", ".png", ".pdf")
