"""An FMU for model exchange: it has states and no solver; one from here takes it from exchange to exchange."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwork.components.cosimulation.cosimulation import Cosimulation
from linkwork.simulation.cosimulation.instance import Instance, KeptState

TOLERANCE = 1e-8
"""Relative, unless the user says otherwise; absolute: this share of the nominal value of each state."""
ROUNDING = 1e-13
"""Share of a time within which an event is located."""
PATIENCE = 500
"""Steps of the explicit method from one exchange to the next; then the implicit one takes over for good."""
ITERATIONS = 1000
"""Of discrete states at one time, and of events there."""
LOOKS = 3
"""Times in each step, its end the last of them, at which event indicators are looked at."""


class Exchange(Instance):
    """One FMU between its start and its end. Inputs are held from one exchange to the next; an event of its own is
    located where an indicator changes its sign."""

    def __init__(self, part: Cosimulation):
        super().__init__(part)
        self._rtol = part.tolerance or TOLERANCE
        self._next, self._stiff = np.inf, False
        third = self._known.version == "3.0"
        self._update: Callable[[], tuple[Any, ...]] = (
            self._fmu.updateDiscreteStates if third else self._fmu.newDiscreteStates
        )
        self._derivatives = self._fmu.getContinuousStateDerivatives if third else self._fmu.getDerivatives
        count = self._fmu.getNumberOfContinuousStates() if third else self._known.states
        self._x, self._rates, self._nominal = np.zeros(count), np.zeros(count), np.ones(count)
        self._indicators = np.zeros(self._fmu.getNumberOfEventIndicators() if third else self._known.indicators)

    def initialise(self, starts: Mapping[str, float | str], inputs: Mapping[str, float]) -> None:
        super().initialise(starts, inputs)
        self._call("cannot be initialised", 0.0, lambda: self._settle(0.0))

    def give(self, inputs: Mapping[str, float], t: float) -> None:
        def set_in_event_mode() -> None:
            self._fmu.enterEventMode()
            self._set(inputs)
            self._settle(t)

        self._call("does not take its inputs", t, set_in_event_mode)

    def step(self, t: float, length: float) -> None:
        what = f"failed in its step from t = {t:.9g} s to {t + length:.9g} s"
        self._call(what, t, lambda: self._advance(t, t + length))

    def state(self) -> KeptState:
        kept = super().state()
        kept.more = self._x.copy(), self._nominal.copy(), self._next, self._stiff
        return kept

    def restore(self, state: object) -> None:
        super().restore(state)
        assert isinstance(state, KeptState)
        x, nominal, self._next, self._stiff = state.more
        self._x, self._nominal = x.copy(), nominal.copy()

    # ------------------------------------------------------------------ from one time to another

    def _advance(self, t: float, end: float) -> None:
        last, count = t, 0
        while t < end:
            stop = min(end, max(self._next, t))
            event = stop >= self._next
            if stop - t > ROUNDING * max(1.0, abs(t)):
                t, crossed = self._integrate(t, stop)
                event = crossed or t >= self._next
            elif stop > t:
                t = stop
                self._place(t, self._x)
            if event:
                self._fmu.enterEventMode()
                self._settle(t)
            count = count + 1 if t <= last else 0
            last = t
            if count > ITERATIONS:
                raise self._error(f"events of the FMU follow each other without end at t = {t:.9g} s")

    def _integrate(self, t: float, stop: float) -> tuple[float, bool]:
        """Up to a time, or to an event before it; the time that was reached, and whether it is that of an event."""
        from scipy.integrate import DOP853, Radau

        method = Radau if self._stiff else DOP853
        atol = self._rtol * np.append(self._nominal, 1.0)
        # One more state that rests: there may be none, and an FMU without states has events, too.
        solver = method(self._slope, t, np.append(self._x, 0.0), stop, rtol=self._rtol, atol=atol)
        before = self._positive(t, self._x)
        steps = 0
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                raise RuntimeError(message or "the step has become too short")
            crossing = self._crossing(solver, before)
            at = solver.t if crossing is None else crossing
            self._x = (solver.y if crossing is None else solver.dense_output()(crossing))[:-1].copy()
            self._place(at, self._x)
            enter, terminate = self._fmu.completedIntegratorStep()
            if terminate:
                raise self._error(f"the FMU asks to end the simulation at t = {at:.9g} s")
            if crossing is not None or enter:
                return float(at), True
            before = self._positive(at, self._x)
            steps += 1
            if steps > PATIENCE and not self._stiff:
                self._stiff = True
                return float(at), False
        return stop, False

    def _crossing(self, solver: Any, before: np.ndarray) -> float | None:
        """Where the first indicator changes its sign in the step just done [s]; a time just behind it."""
        if not before.size:
            return None
        path, left = solver.dense_output(), solver.t_old
        for right in np.linspace(solver.t_old, solver.t, LOOKS + 1)[1:]:
            if np.any(self._positive(right, path(right)[:-1]) != before):
                break
            left = right
        else:
            return None
        while right - left > ROUNDING * max(1.0, abs(right)):
            middle = 0.5 * (left + right)
            if not left < middle < right:
                break
            changed = bool(np.any(self._positive(middle, path(middle)[:-1]) != before))
            left, right = (left, middle) if changed else (middle, right)
        return float(right)

    # ------------------------------------------------------------------ what the FMU says

    def _settle(self, t: float) -> None:
        """From event mode to continuous time: discrete states until none changes, then states and the next event."""
        for _ in range(ITERATIONS):
            again, terminate, nominals, values, defined, time = self._update()
            if terminate:
                raise self._error(f"the FMU asks to end the simulation at t = {t:.9g} s")
            self._next = float(time) if defined else np.inf
            if not again:
                break
        else:
            raise self._error(f"the discrete states of the FMU come to no end at t = {t:.9g} s")
        self._fmu.enterContinuousTimeMode()
        if self._x.size:
            self._fmu.getContinuousStates(_pointer(self._x), self._x.size)
            self._fmu.getNominalsOfContinuousStates(_pointer(self._nominal), self._x.size)
            self._nominal = np.where(self._nominal > 0, self._nominal, 1.0)

    def _place(self, t: float, x: np.ndarray) -> None:
        self._fmu.setTime(float(t))
        if self._x.size:
            self._fmu.setContinuousStates(_pointer(np.ascontiguousarray(x, dtype=float)), self._x.size)

    def _slope(self, t: float, x: np.ndarray) -> np.ndarray:
        self._place(t, x[:-1])
        if self._x.size:
            self._derivatives(_pointer(self._rates), self._x.size)
        if not np.isfinite(self._rates).all():
            raise self._error(f"the derivatives of the FMU are not finite at t = {t:.9g} s")
        return np.append(self._rates, 0.0)

    def _positive(self, t: float, x: np.ndarray) -> np.ndarray:
        """On which side of zero each event indicator is."""
        if self._indicators.size:
            self._place(t, x)
            self._fmu.getEventIndicators(_pointer(self._indicators), self._indicators.size)
        return self._indicators > 0


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
