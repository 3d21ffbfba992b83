"""The watch: what a run has to say against itself, judged from its own samples. One file per kind of finding."""

from linkwork.analyses.findings import (  # noqa: F401  (register)
    balance,
    branches,
    contacts,
    damping,
    loops,
    reactions,
    residuals,
)
from linkwork.analyses.findings.run import Evidence, finding, judge

__all__ = ["Evidence", "finding", "judge"]
