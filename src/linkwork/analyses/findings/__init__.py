"""The watch: what a run has to say against itself, judged from its own samples. One file per kind of finding."""

from linkwork.analyses.findings import balance, branches, contacts, damping, loops, reactions, residuals  # noqa: F401  (register)
from linkwork.analyses.findings.run import Evidence, finding, judge

__all__ = ["Evidence", "finding", "judge"]
