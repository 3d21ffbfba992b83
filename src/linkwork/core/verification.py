"""Verification: which digits of a run can be believed, from a second run that was made in another way."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from linkwork.core.plain_data import Data, Record


@dataclass(frozen=True)
class Verification:
    """How far a run agrees with one that is tighter, and made with another formulation where there is one."""

    formulation: str
    """Of the second run."""
    solver: str
    rtol: float
    digits: dict[str, float]
    """By group of channels ("positions", "reactions", …): digits that agree, relative to the group's largest value."""
    channels: dict[str, float]
    """By channel: the same, relative to the channel's own largest value; those that stay zero are left out."""

    @property
    def least(self) -> float:
        """Digits of the group that agrees least."""
        return min(self.digits.values(), default=0.0)

    def __str__(self) -> str:
        lines = [f"digits that hold against {self.formulation}, {self.solver}, rtol {self.rtol:g}:"]
        width = max(map(len, self.digits), default=0)
        for group, digits in self.digits.items():
            worst = self._worst(digits)
            lines.append(f"  {group:<{width}}  {digits:4.1f}{worst}")
        return "\n".join(lines)

    def _worst(self, digits: float) -> str:
        return "  (hardly any)" if digits < 2 else ""

    def plain(self) -> Record:
        """As data that a record can hold."""
        return asdict(self)

    @classmethod
    def read(cls, data: Data) -> Verification:
        """From what `plain` gave."""
        return cls(data["formulation"], data["solver"], data["rtol"], dict(data["digits"]), dict(data["channels"]))
