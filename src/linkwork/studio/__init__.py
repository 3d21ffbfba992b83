"""Studio: looks of a mechanism in motion. It reads results and shapes; nothing below knows that it exists."""

from __future__ import annotations

from linkwork.core.result import Result
from linkwork.studio.animation import Animation, animate, snapshot

Result.register("animate", animate)
Result.register("snapshot", snapshot)

__all__ = ["Animation", "animate", "snapshot"]
