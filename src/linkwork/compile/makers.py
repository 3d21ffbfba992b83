"""What makes code from instructions, as far as it is ours: code that is kept on disk must not outlive it."""

from __future__ import annotations

import hashlib
from functools import cache as once
from pathlib import Path
from uuid import uuid4


@once
def makers() -> str:
    """A digest of the files of this folder; another one in every process where they cannot be read (in an archive)."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        for path in sorted(Path(__file__).parent.iterdir()):
            if path.suffix in (".py", ".so", ".pyd"):
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
    except OSError:
        return uuid4().hex
    return digest.hexdigest()
