"""What readers raise for a file that is cut short, altered, or something else altogether."""

from __future__ import annotations


class Damaged(ValueError):
    """The text says what is wrong with the file's content; `load` adds which file it is."""
