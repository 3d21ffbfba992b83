"""One search, from where it begins to where nothing is left to gain."""

from __future__ import annotations

from linkwork.analyses.optimisation import ipopt
from linkwork.analyses.optimisation.search import Interrupted, Task, search
from linkwork.analyses.optimisation.visits import Visits


def descended(visits: Visits, method: str, tolerance: float, iterations: int) -> tuple[bool, str]:
    """Whether it converged, and how it ended in words; what interrupts it comes out as it was raised."""
    task = Task(
        values=visits.values,
        slopes=visits.slopes,
        x0=visits.scaled(visits.begin),
        lower=visits.scaled_bounds(0),
        upper=visits.scaled_bounds(1),
        low=visits.scaled_limits(0),
        high=visits.scaled_limits(1),
        tolerance=tolerance,
        iterations=iterations,
    )
    try:
        return ipopt.search(task) if method == "ipopt" else search(task, method)
    except Interrupted as end:
        raise end.cause or end from None
