"""Names of channels and states: `front.hub.vx` is the `vx` of `front.hub`, which is in the submodel `front`."""

from __future__ import annotations

from collections.abc import Container


def split(name: str, owners: Container[str]) -> tuple[str, str]:
    """(owner, what) of a channel: the longest of the owners that its name begins with, else its first word."""
    end = name.rfind(".")
    while end > 0:
        if name[:end] in owners:
            return name[:end], name[end + 1 :]
        end = name.rfind(".", 0, end)
    owner, _, what = name.partition(".")
    return owner, what
