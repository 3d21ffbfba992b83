"""What a studio was started with, and what its tabs may use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linkwork.core.plain_data import Record

LARGEST_MESSAGE: Final = 20_000_000
"""Bytes of one request: a model file of the largest size, as JSON."""
LARGEST_TEXT: Final = 16_000_000
"""Bytes of a model, as the loader of model files has it."""
TAB_LIMIT: Final = 64
"""Workers at a time."""
KEPT_RUNS: Final = 12
"""Results that a tab keeps; the oldest goes first."""
KEPT_BYTES: Final = 400_000_000
"""Of all results of a tab."""
ARCHIVED_BYTES: Final = 60_000_000
"""Of all results of a tab on disk; those that do not fit are gone when the server ends."""
EVENT: Final = -1
"""Number of a message of a worker that answers no request."""
AUTOSAVES: Final = ".linkwork-studio"
"""The folder of documents that are open, in the folder of the studio."""


@dataclass(frozen=True)
class Limits:
    """Of one tab."""

    seconds: float = 120.0
    """Of wall time that a request may take; then it is cancelled."""
    grace: float = 10.0
    """s after which a worker that does not react to that is ended."""
    memory: int = 4_000_000_000
    """Bytes of address space beyond what a worker has when it starts, where the system can limit that."""
    idle: float = 600.0
    """s that the worker of a closed tab waits for it to come back."""


@dataclass(frozen=True)
class Settings:
    """What all of a studio knows; given to workers as it is."""

    folder: Path
    """Where models are opened and saved; nothing outside of it is read or written."""
    address: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    """What a request must carry; None: nothing, where the address is this machine's own."""
    first: str | None = None
    """Text of the model that a new tab opens; None: an empty one."""
    first_hints: Record | None = None
    """What it says of itself: name, duration and channels to show."""
    limits: Limits = Limits()
