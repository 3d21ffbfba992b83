"""What a saved file says of its content, so that a bit that has changed since is told and not computed with."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from linkwork.core.result import Result
from linkwork.files.damage import Damaged

NOTES = ("record", "events", "description")


def of_result(result: Result) -> str:
    """SHA-256 of all that a file of it holds: times, values, names, units and notes."""
    digest = hashlib.sha256()
    for numbers in (result.t, result.data):
        values = np.array(numbers, dtype="<f8", order="C")
        values[np.isnan(values)] = np.nan  # there are many, and they are all one
        digest.update(json.dumps(values.shape).encode())
        digest.update(values.tobytes())
    notes = [[(c.name, c.unit) for c in result.channels], *(getattr(result, note) for note in NOTES)]
    digest.update(json.dumps(notes).encode())
    return digest.hexdigest()


def of_content(content: object) -> str:
    """SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def compare(stored: object, computed: str) -> None:
    """Damaged where a file's content is not what was saved."""
    if stored != computed:
        raise Damaged("its content is not what was saved (the checksum differs)")
