"""What every place for outcomes does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.sweeps.outcome import Outcome

if TYPE_CHECKING:
    import xarray


class Store(ABC):
    """Takes outcomes in any order, each once."""

    done: np.ndarray
    """Whether each case is here, (cases,)."""
    failures: int = 0
    """Failed cases among those that are here."""

    @abstractmethod
    def add(self, case: int, outcome: Outcome) -> None:
        """Keep the outcome of a case. Once this returns, the end of the process does not lose it."""

    @abstractmethod
    def close(self, record: Record) -> None:
        """Nothing more will come; record: how it was made, JSON-able."""

    @abstractmethod
    def release(self) -> None:
        """Let go of files, whatever happened; what was added is safe."""

    @abstractmethod
    def dataset(self) -> xarray.Dataset:
        """All that is here; read only when it is looked at, if it is large."""
