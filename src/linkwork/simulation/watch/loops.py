"""Were algebraic equations solved? Some are by a fixed number of Newton steps, which may not be enough."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.components.unknowns import Equation
from linkwork.core.finding import Finding
from linkwork.simulation.watch.evidence import Evidence, finding

SOLVED = 1e-6
"""Largest residual of an equation that counts as solved, as a share of its terms."""


@finding
def algebraic(run: Evidence) -> Iterable[Finding]:
    for equation in run.model.of_type(Equation):  # a bond graph has none
        off = run.result.get(f"{equation.name}.residual")
        if off is None or not np.any(wrong := ~(off <= SOLVED)):
            continue
        yield Finding(
            "algebraic equations", equation.name, float(run.result.t[int(np.argmax(wrong))]),
            f"it is not solved: what is left is {np.nanmax(off):.2g} of its terms. Write it nearly linear in the "
            "highest rates of its unknowns, or add a state.",
        )  # fmt: skip
