"""Has an implicit solver damped away a fast vibration that nothing in the model damps?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.core.finding import Finding
from linkwork.simulation.choice.solver import mode_shapes
from linkwork.simulation.watch.balance import NAME as BALANCE
from linkwork.simulation.watch.energy import at_work, missing, noise
from linkwork.simulation.watch.evidence import Evidence, finding

VIBRATION_SHARE = 1e-5
"""Share of the energies at work: where a fast vibration is worth a look, a hundredth of what opens the balance."""
COARSE = 0.3
"""Step × angular frequency from which Radau's damping of a mode matters."""
SOLVERS = ("radau", "hht", "newmark", "alpha")


@finding
def damping(run: Evidence) -> Iterable[Finding]:
    """Told by the energy that is missing, and a mode that steps do not follow and nothing damps."""
    if not any(name in run.solver.lower() for name in SOLVERS):
        return
    off = missing(run.result)
    if off is None or off.size < 2:
        return
    moved, gone = at_work(run.result), -off
    if not gone[-1] > VIBRATION_SHARE * moved[-1] or not gone[-1] > (limit := VIBRATION_SHARE * moved[-1] + noise(run)):
        return
    first = int(np.argmax(gone > limit))
    mode = _coarse_mode(run, max(first - 1, 0))
    if mode is None:
        return
    rate, owner = mode
    run.findings = [f for f in run.findings if f.name != BALANCE]  # it is this that opens it
    yield Finding(
        "damping", owner, float(run.result.t[first]),
        f"a vibration of {rate / (2 * np.pi):.3g} Hz that nothing in the model damps is faster than the steps of the "
        f"implicit solver, which damp it: {gone[-1]:.2g} J of {moved[-1]:.3g} J at work have gone. Add the damping "
        "that there really is, or follow it: solver='dopri5', or max_step of a tenth of its period.",
    )  # fmt: skip


def _coarse_mode(run: Evidence, sample: int) -> tuple[float, str] | None:
    """(angular frequency [1/s], whose it is) of the fastest undamped mode that steps do not follow."""
    path = run.path
    t, y = float(path.t[sample]), path.y[sample]
    shapes = mode_shapes(run.program, t, y, run.p, run.signals)
    if shapes is None:
        return None
    eigenvalues, vectors = shapes
    after = path.step[sample:]
    step = float(np.median(after[after > 0])) if np.any(after > 0) else 0.0
    left = float(path.t[-1]) - t
    hardly = np.abs(eigenvalues.real) * left < 1.0  # by itself it would keep a good part of its energy
    fast = np.abs(eigenvalues.imag) * step > COARSE
    if not np.any(hardly & fast):
        return None
    k = int(np.argmax(np.where(hardly & fast, np.abs(eigenvalues), 0.0)))
    mover = int(np.argmax(np.abs(vectors[:, k])))  # of a fast mode, speeds are the largest part
    names = run.equations.states.names
    return float(np.abs(eigenvalues[k])), names[mover] if len(names) == y.size else run.model.name
