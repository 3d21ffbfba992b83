"""Plain data: JSON's own types, for what is saved with a run, told of it, or drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Data: TypeAlias = Mapping[str, Any]
"""To be read."""
Record: TypeAlias = dict[str, Any]
"""To be written to."""
