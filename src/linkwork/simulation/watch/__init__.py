"""The watch: what a run has to say against itself, judged from its own samples. One file per kind of finding."""

from linkwork.simulation.watch import (  # noqa: F401  (register)
    balance,
    branches,
    contacts,
    damping,
    loops,
    reactions,
    residuals,
)
from linkwork.simulation.watch.evidence import Evidence, finding, judge

__all__ = ["Evidence", "finding", "judge"]
