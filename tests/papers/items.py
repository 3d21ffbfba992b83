"""All items of the five papers: each file registers those of one paper, or of a part of it."""

from . import aca, ame, bnd, prt, sym  # noqa: F401  (fill the list)
from .audit import ITEMS

__all__ = ["ITEMS"]
