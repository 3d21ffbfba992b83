"""Finding: something about a run that its reader must know before trusting it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from linkwork.core.plain_data import Data, Record


@dataclass(frozen=True)
class Finding:
    """What the watch has to say about a run; `str` gives it as a sentence."""

    name: str
    """Of the kind: "energy balance", "residual", "reactions", "damping", …"""
    component: str
    """Which part of the model it is about, as near as can be told."""
    time: float | None
    """When it began [s]; None: it holds for the whole run."""
    message: str
    """What is wrong, how large it is against what, and what to do."""

    def __str__(self) -> str:
        when = "" if self.time is None else f" (from t = {self.time:.6g} s on)"
        return f"{self.component}{when}: {self.message}"

    def plain(self) -> Record:
        """As data that a record can hold."""
        return asdict(self)

    @classmethod
    def read(cls, data: Data) -> Finding:
        """From what `plain` gave."""
        return cls(data["name"], data["component"], data["time"], data["message"])
