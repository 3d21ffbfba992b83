"""Consistent starts: positions and speeds from whatever was said of them. Importing it makes `assemble` a verb."""

from linkwork.assembly import assemble

__all__ = ["assemble"]
