"""Did the motion go on along its branch where loops lay flat?"""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.analyses.branches import branch_changes
from linkwork.analyses.findings.run import Evidence, finding
from linkwork.core.finding import Finding


@finding
def changed(run: Evidence) -> Iterable[Finding]:
    path = run.path
    jumps = [t for t, _ in path.notes] + [e.t for e in path.events if run.program.events[e.index].action != "record"]
    return branch_changes(run.program, path.t, path.y, run.p, run.signals, jumps=jumps)
