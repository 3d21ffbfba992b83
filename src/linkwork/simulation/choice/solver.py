"""`solver="auto"`: explicit or implicit, judged from the modes of the equations linearised where a run starts.

An explicit method is held back by the fastest mode there is, whether or not that mode still moves of itself. Accuracy
asks for short steps only while a mode moves. Where the first means far more steps than the second, the equations are
stiff. An undamped mode moves all the time, so however fast it is, it is not stiff; but where an explicit method would
need too many steps it is worth the try that nothing excites that mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.arnoldi import largest_eigenvalues
from linkwork.core.activity import begin
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.integrate import evaluate
from linkwork.integrate.solver import Solver
from linkwork.simulation.choice.sampled import LOST, Sampled

AUTOMATIC = "auto"
EXPLICIT, IMPLICIT = "dopri5", "radau"

STEP_RATIO = 20.0
"""Steps of the explicit method that one step of the implicit method must replace; it takes as long as 8 to 18."""
LEAST_STEPS = 200
"""Steps that accuracy asks for at least: the modes do not show what loads and large motions ask for."""
TOO_MANY = 1_000_000
"""Steps of the explicit method that are too many even for a mode that may move all the time."""
PATIENCE = 20_000
"""Steps of an explicit method after which a run that was not stiff at its start is looked at again, then 4 times as
many, and so on."""
SUSPICION = 1000
"""Steps in a row that a fast mode holds back after which it is looked at sooner: such steps are many, and less accurate
than their estimates of the error say. A collision takes fewer."""
DENSE = 200
"""States up to which all eigenvalues are computed (some 20 ms); of larger systems, the largest only."""
COMPRESSED = 100
"""States from which it is worth while to look for fewer that have the same modes."""
LARGEST, BLOCK, ACCURACY = 30, 256, 1e-3
"""Eigenvalues that are computed of those, columns at a time, and their relative accuracy."""
MANY = 60
"""States from which some random directions are looked at before all."""
WHOLE = 2000
"""States up to which ∂ẏ/∂y is kept as it is, empty or not."""

_STABILITY = (1 / 600, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1)
"""Amplification of a mode by one step of dopri5, as a polynomial in step × eigenvalue, highest power first."""
LEAST_REACH, MOST_REACH = 1.0, 5.0
"""Step × |eigenvalue| at which a mode becomes unstable: between these, whatever its angle."""
_DISTURBANCE = 1e-7
_FINE = 1e-10
"""Disturbances of states, relative to 1 or their size; the fine one shows friction where a slip has hardly begun."""


_ASIDE = 0.01
"""How far [rad, m, relative to 1 or the coordinate] to look beside a singular position."""


@dataclass
class Automatic:
    """The choice over one run: at its start, and again where an explicit method takes many steps."""

    duration: float
    rtol: float
    signals: Mapping[int, OverTime]
    solver: str = ""
    reason: str = ""
    """Of the last choice, in one sentence."""
    first: int | None = None
    """Steps until the second look, where it is not `PATIENCE`."""
    patience: int | None = None
    """Steps until the next look; None: never."""
    changed: float | None = None
    """When the implicit method took over [s]."""

    def look(self, program: Program, t: float, y: np.ndarray, p: np.ndarray, *, presumed: bool = False) -> None:
        """Choose for the rest of the run from the state y at t [s]; p: parameters, then inputs."""
        begin("looking for stiffness")
        y = beside(program, t, y, p, self.signals)
        solver, reason = self._judged(program, t, y, p, presumed)
        if not self.solver:
            self.reason = reason
        elif solver == IMPLICIT:
            self.changed, self.reason = t, f"From {t:.4g} s on: {reason[0].lower()}{reason[1:]}"
        self.solver = solver
        self.patience = None if solver == IMPLICIT else 4 * self.patience if self.patience else self.first or PATIENCE

    def _judged(self, program: Program, t: float, y: np.ndarray, p: np.ndarray, presumed: bool) -> tuple[str, str]:
        """(solver, reason): from a few directions where these settle it, at the start of a run."""
        few, remaining = None, self.duration - t
        sampled = None if self.solver else self.sampled(program, t, y, p)
        if sampled is not None:
            clear = clearly_explicit(sampled.fastest_at_most, remaining, self.rtol)
            if clear is not None:
                return EXPLICIT, clear
            few = sampled.modes()
        for disturbance in (_DISTURBANCE, _FINE) if self.solver else (_DISTURBANCE,):
            eigenvalues = self.modes(program, t, y, p, disturbance) if few is None else few
            solver, reason = judge(eigenvalues, remaining=remaining, rtol=self.rtol, presumed=presumed)
            if solver == IMPLICIT:
                break
        return solver, reason

    def sampled(self, program: Program, t: float, y: np.ndarray, p: np.ndarray) -> Sampled | None:
        """What some directions tell; None where all are looked at as soon."""
        return Sampled(program, t, y, p, self.signals, _DISTURBANCE) if y.size >= MANY else None

    def modes(self, program: Program, t: float, y: np.ndarray, p: np.ndarray, disturbance: float) -> np.ndarray | None:
        """Eigenvalues [1/s] of the equations at t [s]; None where there are none."""
        return modes(program, t, y, p, self.signals, disturbance)

    def __str__(self) -> str:
        return self.solver if self.changed is None else f"{EXPLICIT}, {self.solver} from {self.changed:.4g} s"


def suspicion(patience: int | None) -> int:
    """Steps in a row that a fast mode may hold back, where a run is looked at again; 0: as many as there are."""
    return 0 if patience is None else SUSPICION * max(patience // PATIENCE, 1)


SolverChoice: TypeAlias = str | Solver | Automatic
"""A solver, its name, or one that is chosen on the way."""


def judge(eigenvalues: np.ndarray | None, *, remaining: float, rtol: float, presumed: bool = False) -> tuple[str, str]:
    """(solver, reason) for modes with these eigenvalues [1/s] over the `remaining` time [s].

    presumed: whether to take equations without derivatives (None) as stiff.
    """
    if eigenvalues is None:
        known = "the formulation makes stiff ones" if presumed else "nothing else says that they are stiff"
        return IMPLICIT if presumed else EXPLICIT, f"The equations have no derivatives at this state, and {known}."
    held, needed = steps_held(eigenvalues, remaining, rtol), steps_needed(eigenvalues, remaining, rtol)
    fastest = f"fastest mode {np.abs(eigenvalues).max(initial=0.0):.2g} 1/s"
    counts = f"{EXPLICIT} may be held to about {_rounded(held)} steps, accuracy asks for {_rounded(needed)}"
    if held > STEP_RATIO * needed:
        return IMPLICIT, f"The equations are stiff ({fastest}): {counts}."
    if held > TOO_MANY:
        return IMPLICIT, f"The {fastest}, is hardly damped, but {counts}, which is too many."
    if held > needed:
        return EXPLICIT, f"The equations are hardly stiff ({fastest}): {counts}."
    return EXPLICIT, f"The equations are not stiff ({fastest}): accuracy alone asks for the steps of {EXPLICIT}."


def clearly_explicit(fastest: float, remaining: float, rtol: float) -> str | None:
    """The reason, if no mode is faster than this [1/s] and none can hold the explicit method for long."""
    held = remaining * fastest / min(LEAST_REACH, 6 * _progress(rtol))
    if not held <= min(STEP_RATIO * LEAST_STEPS, TOO_MANY):
        return None
    return (
        f"The equations are not stiff: no mode is faster than {fastest:.2g} 1/s, which holds {EXPLICIT} to "
        f"{_rounded(held)} steps at most."
    )


def steps_held(eigenvalues: np.ndarray, duration: float, rtol: float) -> float:
    """Steps of dopri5 over `duration` [s] that the fastest mode may hold it to, also when that mode moves no more.

    With rtol = 1: those of stability alone, which it cannot do without.
    """
    # Growing modes are growth, not instability of the method; undamped ones come with a positive rounding error.
    modes = np.minimum(eigenvalues.real, 0) + 1j * eigenvalues.imag
    size = np.abs(modes)
    modes, size = modes[size > 0], size[size > 0]
    if not size.size:
        return 0.0
    least, most = min(LEAST_REACH, 6 * _progress(rtol)), min(MOST_REACH, 6 * _progress(rtol))
    fast = size * most >= size.max() * least  # others cannot be the ones that hold it
    modes, size = modes[fast], size[fast]
    if least == most:
        return float(duration * size.max() / most)
    trial = np.linspace(0.02, 5, 250)
    outside = np.abs(np.polyval(_STABILITY, trial[:, None] * (modes / size))) > 1 + 1e-9
    # A fast mode that only follows the slow motion costs accuracy before it costs stability: its local error is of a
    # lower order. The factor is measured on compliant mechanisms, for tolerances from 1e-3 to 1e-11.
    reach = np.minimum(trial[np.argmax(outside, axis=0)], 6 * _progress(rtol))
    return float(duration * np.max(size / reach))


def steps_needed(eigenvalues: np.ndarray, duration: float, rtol: float) -> float:
    """Steps of dopri5 that follow each mode until it has decayed below the tolerance, over `duration` [s]."""
    size, decay = np.abs(eigenvalues), np.maximum(-eigenvalues.real, 1e-300)
    moving = np.minimum(duration, np.log(1 / min(rtol, 0.1)) / decay)
    return float(max(np.max(size * moving, initial=0.0) / _progress(rtol), LEAST_STEPS))


def _progress(rtol: float) -> float:
    """Step × |eigenvalue| of a mode that moves, where the local error of dopri5 meets rtol; measured on pendulums."""
    return min((150 * rtol) ** 0.2, 1.0)


def modes(
    program: Program,
    t: float,
    y: np.ndarray,
    p: np.ndarray,
    signals: Mapping[int, OverTime],
    disturbance: float = _DISTURBANCE,
) -> np.ndarray | None:
    """Eigenvalues [1/s] of ∂ẏ/∂y at t [s], by central differences; None where they are not finite.

    Disturbances are moved onto the constraints: off them, accelerations next to a singular position answer like those
    of something very stiff, which no motion that keeps the constraints ever meets.
    """
    if not y.size:
        return np.zeros(0)
    blocks = _blocks(program, t, y, p, signals, disturbance)
    return _largest(blocks, y.size) if y.size > DENSE else _eigenvalues(np.hstack(list(blocks)))


def mode_shapes(
    program: Program, t: float, y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Eigenvalues [1/s] and their vectors (columns); None where derivatives are not finite or states too many."""
    jacobian = np.hstack(list(_blocks(program, t, y, p, signals, _DISTURBANCE))) if 0 < y.size <= DENSE else None
    if jacobian is None or not np.all(np.isfinite(jacobian)):
        return None
    values, vectors = lapack.eig(jacobian)
    return values, vectors


def _blocks(
    program: Program, t: float, y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime], disturbance: float
) -> Iterator[np.ndarray]:
    """∂ẏ/∂y in blocks of columns."""
    rhs = program.function("rhs")

    def columns(first: int) -> np.ndarray:
        """A block of ∂ẏ/∂y, from column `first` on."""
        step = np.diag(disturbance * np.maximum(1.0, np.abs(y)))[first : first + BLOCK]
        m = len(step)
        times, states = np.full(2 * m, t), np.vstack([y + step, y - step])
        if program.constrained:
            states = evaluate(program.function("project"), times, states, p, signals, inputs=len(program.inputs))
        rates = evaluate(rhs, times, states, p, signals, inputs=len(program.inputs))
        return ((rates[:m] - rates[m:]) / (2 * step.sum(axis=1)[:, None])).T

    return (columns(first) for first in range(0, y.size, BLOCK))


def beside(program: Program, t: float, y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime]) -> np.ndarray:
    """The state y, or one a little further on or back along the motion where y is next to a singular position.

    What the modes seem to be there belongs to the position alone, and is left behind in a moment.
    """
    if not program.margins or not program.constrained:
        return y
    inputs, here = len(program.inputs), np.array([t])
    rate = evaluate(program.function("rhs"), here, y[None], p, signals, inputs=inputs)[0]
    q = slice(program.layout.q)
    fastest = np.max(np.abs(rate[q]) / (1 + np.abs(y[q])), initial=0.0)
    if not (np.all(np.isfinite(rate)) and fastest > 0):
        return y
    near = y + np.outer((-_ASIDE, 0.0, _ASIDE), rate) / fastest
    times = np.full(3, t)
    near = evaluate(program.function("project"), times, near, p, signals, inputs=inputs)
    roots = np.sqrt(np.maximum(evaluate(program.function("margins"), times, near, p, signals, inputs=inputs), 0))
    largest = roots.max(axis=0)
    watched = largest > 1e-3  # others are redundant
    share = np.min(roots[:, watched] / largest[watched], axis=1, initial=1.0)
    return near[int(np.argmax(share))] if share[1] < 0.5 and np.all(np.isfinite(near)) else y


def _eigenvalues(jacobian: np.ndarray) -> np.ndarray | None:
    if not np.all(np.isfinite(jacobian)):
        return None
    return lapack.eigvals(jacobian if len(jacobian) < COMPRESSED else _compressed(jacobian))


def _compressed(jacobian: np.ndarray) -> np.ndarray:
    """A smaller matrix with the same eigenvalues other than 0, if there is one; else the same.

    Coordinates that constraints tie to others have none of their own: a chain of ten spatial bodies with 140 states has
    20 that are not 0. All that the matrix makes of random vectors spans what it can make at all, if they are enough.
    """
    n = len(jacobian)
    some = np.random.default_rng(0).standard_normal((n, n // 3))  # the same choice in every run
    basis, _ = np.linalg.qr(jacobian @ some)
    kept = basis.T @ jacobian
    if np.linalg.norm(jacobian - basis @ kept) > LOST * np.linalg.norm(jacobian):
        return jacobian
    return kept @ basis


def _largest(blocks: Iterable[np.ndarray], states: int) -> np.ndarray | None:
    """The eigenvalues of largest size; columns come in blocks, as most of them are empty where there are many."""
    if states <= WHOLE:
        jacobian = np.hstack(list(blocks))
        return largest_eigenvalues(jacobian, LARGEST, ACCURACY) if np.all(np.isfinite(jacobian)) else None
    from scipy.sparse import csc_array, hstack
    from scipy.sparse.linalg import ArpackError, eigs

    sparse = hstack([csc_array(block) for block in blocks], format="csc")
    if not np.all(np.isfinite(sparse.data)):
        return None
    start = np.random.default_rng(0).standard_normal(states)  # the same choice in every run
    try:
        return eigs(sparse, k=LARGEST, which="LM", v0=start, tol=ACCURACY, return_eigenvectors=False)
    except ArpackError:  # no convergence, or nothing but free motions: the matrix is nilpotent
        return _eigenvalues(sparse.toarray())


def _rounded(steps: float) -> str:
    """To two digits: more would pretend to be exact."""
    return f"{int(float(f'{steps:.2g}'))}" if steps < 1e6 else f"{steps:.1e}"
