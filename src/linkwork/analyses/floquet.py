"""Floquet: stability of a periodic motion, from what one period makes of small deviations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.algebra.rank import least_squares
from linkwork.analyses.linearization.independent import RESTING_FRAME, Frame
from linkwork.analyses.linearization.modes import Spectrum, spectrum
from linkwork.analyses.linearization.operating_point import At, Point, operating_point, placement_of
from linkwork.analyses.linearization.state_space import Tangent, coordinate_rows
from linkwork.analyses.linearization.variation import Turned, Variation
from linkwork.core.equations import Placement
from linkwork.core.errors import AssemblyError, LinkworkError, ModelError
from linkwork.core.plain_data import Record
from linkwork.core.registry import verb

if TYPE_CHECKING:
    from linkwork.core.model import Model

PERIODIC_TOLERANCE = 1e-8
"""How far from its start (relative) a motion may end that counts as periodic."""
GUESS_TOLERANCE = 1e-6
"""Relative tolerance with which a first guess of the period is found."""
CHEAP = 100.0
"""How much more readily the period is corrected than the start."""
ROUNDS = 15
"""Corrections of start and period at most."""
MOVING = Frame(moving=True)


@dataclass(frozen=True, repr=False)
class Floquet:
    """δx(t + T) = monodromy · δx(t): what a period T makes of deviations from a periodic motion.

    period       [s]; residual: how far the motion ends from its start (relative)
    state_names  x = [s, ṡ, z], as for a Linearization; state: x at the start of the period
    multipliers  eigenvalues of the monodromy matrix; exponents: ln(multiplier)/T [1/s]
    trivial      how many multipliers are 1: along the motion itself, to its neighbours, and of ignorable coordinates
    placement    the start of the period; give this object as `at=` to other analyses
    """

    model: str
    formulation: str
    period: float
    monodromy: np.ndarray
    state_names: list[str]
    positions: int
    state: np.ndarray
    residual: float
    accuracy: float
    rounds: int
    driven: bool
    placement: Placement
    time: float = 0.0

    @cached_property
    def _spectrum(self) -> Spectrum:
        """Of monodromy − 1, so that multipliers of 1 are taken out exactly."""
        size = self.accuracy * max(1.0, float(np.abs(self.monodromy).max(initial=0.0)))
        return spectrum(self.monodromy - np.eye(len(self.state_names)), np.full_like(self.monodromy, size))

    @property
    def multipliers(self) -> np.ndarray:
        """Complex, those of 1 first."""
        return 1.0 + self._spectrum.eigenvalues

    @property
    def exponents(self) -> np.ndarray:
        """[1/s]; the imaginary part is known up to full turns per period."""
        with np.errstate(divide="ignore"):
            return np.log(self.multipliers) / self.period

    @property
    def trivial(self) -> int:
        return sum(self._spectrum.zeros)

    @property
    def ignorable(self) -> list[str]:
        """Coordinates that nothing depends on."""
        unit = np.eye(len(self.state_names))[: self.positions]
        still = np.abs(self.monodromy.T[: self.positions] - unit).max(axis=1, initial=0.0) <= 100 * self.accuracy
        return [name for name, idle in zip(self.state_names, still, strict=False) if idle]

    @property
    def verdict(self) -> str:
        """Either "stable" or "unstable". Drift along the motion and to its neighbours does not count."""
        growing = np.abs(self.multipliers) - 1.0 > self._spectrum.noise + 10 * self.accuracy
        return "unstable" if np.any(growing & (self._spectrum.eigenvalues != 0)) else "stable"

    @property
    def stable(self) -> bool:
        return self.verdict == "stable"

    def to_dict(self) -> Record:
        """Everything in JSON's own types; complex numbers as [real, imaginary]."""
        return {
            "model": self.model,
            "formulation": self.formulation,
            "time": self.time,
            "period": self.period,
            "states": dict(zip(self.state_names, self.state.tolist(), strict=True)),
            "monodromy": self.monodromy.tolist(),
            "multipliers": [[float(x.real), float(x.imag)] for x in self.multipliers],
            "trivial": self.trivial,
            "ignorable": self.ignorable,
            "residual": self.residual,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        kind = "driven" if self.driven else "free"
        lines = [f"{self.model}: {kind} periodic motion, period {self.period:.8g} s; {self.verdict}"]
        if self.trivial:
            names = f"; nothing depends on {', '.join(self.ignorable)}" if self.ignorable else ""
            lines.append(f"{self.trivial} of {len(self.state_names)} multipliers are 1{names}")
        lines.append(f"{'multiplier':>28}  {'size':>10}  takes part")
        for k, value in enumerate(self.multipliers):
            share = self._spectrum.participation[:, k]
            order = [i for i in np.argsort(-share) if share[i] > 0.1 * share.max()][:3]
            text = f"{value.real:.6g}" if abs(value.imag) < 1e-12 else f"{value.real:.6g} {value.imag:+.6g}i"
            lines.append(f"{text:>28}  {abs(value):>10.6g}  {', '.join(self.state_names[i] for i in order)}")
        return "\n".join(lines)

    __repr__ = __str__


@verb
def floquet(
    model: Model,
    period: float | None = None,
    *,
    at: At | None = None,
    coordinates: list[str] | None = None,
    formulation: str = "absolute",
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    time: float | None = None,
    refine: bool = True,
    rtol: float = 1e-10,
) -> Floquet:
    """Whether a periodic motion is stable: what one period makes of small deviations (monodromy matrix, multipliers).

    period [s]: that of what drives the model; of a model that nothing drives, about its own (None: found by itself).
    at: on the motion or near it, as for `linearize` (default: the start); refine: correct start (and period, where
    nothing drives it) until the motion closes. Parameters and inputs keep one value.
    """
    if period is not None and not (isinstance(period, (int, float, np.number)) and 0 < period < np.inf):
        raise ModelError(f"period={period!r} is not a time.", component=model.name, remedy="Give seconds > 0.")
    point = operating_point(model, at, formulation, parameters, inputs, time)
    point.y = point.candidates.local.closed(point.t, point.y, point.p)
    shooting = _Shooting(point, coordinates, rtol)
    if period is None:
        if shooting.flow.driven:
            raise ModelError(
                "time drives it, and a function of time does not tell its period.",
                component=model.name,
                remedy="Give period=… [s], a multiple of all periods that drive it.",
            )
        period = shooting.first_return()
    return shooting.result(model, *shooting.closed(float(period), refine))


class _Shooting:
    """A motion that is to end where it began."""

    def __init__(self, point: Point, coordinates: list[str] | None, rtol: float):
        self.point, self.local, self.candidates = point, point.candidates.local, point.candidates
        self.flow = Variation(self.local, point.p, rtol)
        self.rtol, self.wanted = rtol, coordinates
        self._begin(point.y)

    def _begin(self, y: np.ndarray) -> None:
        """Coordinates and deviations at the start."""
        t, p = self.point.t, self.point.p
        self.y, self.tangent = y, Tangent(self.candidates, (t, y, p), self.wanted, MOVING)
        self.wanted = [c.name for c in self.tangent.chosen]
        self.reference = self.candidates.reference_values(t, y, p, RESTING_FRAME)
        units = [self.local.eq.observation.outputs.get(name, ("rad",))[0] for name in self.wanted]
        others = len(self.tangent.fast) + len(self.local.linearised)
        self.apart = Turned(np.array([unit == "rad" for unit in units] + [False] * others))
        self.x = self._coordinates(t, y)

    def _coordinates(self, t: float, y: np.ndarray) -> np.ndarray:
        """x, small rotations counted from the start."""
        at = t, y, self.point.p
        values = coordinate_rows(self.candidates, self.tangent.chosen, at, RESTING_FRAME, self.reference)[0].ravel()
        n, z = len(self.tangent.chosen), self.local.split(y)[2]
        return np.concatenate([values[:n], values[n:][self.tangent.fast], z[self.local.linearised]])

    def first_return(self) -> float:
        rate = self._rate(self.point.t, self.y)
        if np.abs(rate).max(initial=0.0) < 1e-9:
            raise ModelError(
                "it rests, so there is no period.", component=self.local.name, remedy="Use m.linearize(…)."
            )

        scale = np.maximum(np.abs(rate), 1e-3 * max(1.0, float(np.abs(self.x).max())))

        def distance(y: np.ndarray) -> float:
            return float(np.linalg.norm(self.apart(self._coordinates(self.point.t, y), self.x) / scale))

        return Variation(self.local, self.point.p, GUESS_TOLERANCE).first_return(self.point.t, self.y, distance)

    def _rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẋ."""
        none = np.zeros((self.local.nq + self.local.nv + len(self.local.linearised), 0))
        rate, _ = self.flow.rates(t, y, none)
        return self._by_state(t, y) @ np.concatenate([rate[: self.local.nq + self.local.nv], self._kept(rate)])

    def _kept(self, y: np.ndarray) -> np.ndarray:
        return self.local.split(y)[2][self.local.linearised]

    def _by_state(self, t: float, y: np.ndarray) -> np.ndarray:
        """∂x/∂(q, v, z)."""
        _, by_q, by_v, by_z = coordinate_rows(self.candidates, self.tangent.chosen, (t, y, self.point.p), MOVING)
        n, nz = len(self.tangent.chosen), len(self.local.linearised)
        rows = np.hstack([by_q, by_v, by_z])
        own = np.hstack([np.zeros((nz, self.local.nq + self.local.nv)), np.eye(nz)])
        return np.vstack([rows[:n], rows[n:][self.tangent.fast], own])

    def period_map(self, period: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Monodromy matrix, how far x ends from its start, and ẋ at the end."""
        t, n = self.point.t, self.tangent.into.shape[1]
        basis = self.tangent.basis
        delta = np.vstack([self.tangent.into @ basis[:n], basis[n:]])
        y, delta = self.flow.run(t, self.y, delta, period)
        there = self._by_state(t + period, y)
        off = self.apart(self._coordinates(t + period, y), self.x)
        return there @ delta, off, self._rate(t + period, y)

    def closed(self, period: float, refine: bool) -> tuple[float, np.ndarray, float, int]:
        """Period, monodromy matrix, residual and how many corrections it took (Newton's method, shortest steps)."""
        for k in range(ROUNDS):
            matrix, off, rate = self.period_map(period)
            n = off.size
            noise = 1e3 * self.rtol * max(1.0, float(np.abs(matrix).max(initial=0.0)))
            idle = np.abs(matrix - np.eye(n)).max(axis=0, initial=0.0) <= noise
            idle[len(self.tangent.chosen) :] = False
            off = np.where(idle, 0.0, off)  # what nothing depends on may go on
            residual = float(np.linalg.norm(off) / max(1.0, float(np.linalg.norm(self.x))))
            if residual <= PERIODIC_TOLERANCE:
                return period, matrix, residual, k
            if not refine:
                break
            # The shortest step; the period may change more freely than the start, which may be right already.
            columns = [matrix - np.eye(n)] + ([] if self.flow.driven else [CHEAP * rate[:, None]])
            step = least_squares(np.hstack(columns), -off)
            size = float(np.abs(step[:n]).max(initial=0.0))
            step = step * min(1.0, 0.5 * max(1.0, float(np.abs(self.x).max())) / max(size, 1e-300))
            period = period if self.flow.driven else self._longer(period, CHEAP * float(step[n]))
            try:
                self._begin(self._moved(step[:n]))
            except AssemblyError:
                break
        raise LinkworkError(
            f"the motion does not close: after {period:.6g} s it is off by {residual:.2g} (relative).",
            component=self.local.name,
            remedy="Start nearer to the periodic motion, for instance at=(result, time) after it has settled; check "
            "the period" + ("." if refine else ", or give refine=True."),
        )

    @staticmethod
    def _longer(period: float, step: float) -> float:
        return period + float(np.clip(step, -0.3 * period, 0.3 * period))

    def _moved(self, step: np.ndarray) -> np.ndarray:
        local, n = self.local, self.tangent.into.shape[1]
        moved = self.tangent.basis @ step
        y = local.moved(self.y, moved[: local.nv])
        y[local.driven] += moved[local.nv : n]
        y[local.nq : local.nq + local.nv] += moved[n : n + local.nv]
        y[[local.nq + local.nv + k for k in local.linearised]] += moved[n + local.nv :]
        return local.closed(self.point.t, y, self.point.p)

    def result(self, model: Model, period: float, matrix: np.ndarray, residual: float, rounds: int) -> Floquet:
        point, local = self.point, self.local
        (values,) = point.ready.program.function("outputs")(point.t, self.y, point.p)
        channels = dict(zip((c.name for c in point.ready.program.channels), np.asarray(values).ravel(), strict=True))
        names = local.eq.states.names[local.nq + local.nv :]
        first_order = dict(zip(names, local.split(self.y)[2].tolist(), strict=True))
        chosen = self.tangent.chosen
        return Floquet(
            model=model.name,
            formulation=point.ready.formulation,
            period=period,
            monodromy=matrix,
            state_names=[c.name for c in chosen] + [chosen[k].rate for k in self.tangent.fast] + local.z_names,
            positions=len(chosen),
            state=self.x,
            residual=residual,
            accuracy=max(1e3 * self.rtol, 10 * residual),
            rounds=rounds,
            driven=self.flow.driven,
            placement=placement_of(model, point.ready, channels, first_order, point.p),
            time=point.t,
        )
