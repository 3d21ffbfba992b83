"""Linearization: the state equation near an operating point, its modes and its transfer functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.linearization.modes import Mode, Spectrum, modes_of, spectrum, table_of
from linkwork.core.activity import begin
from linkwork.core.arguments import method
from linkwork.core.errors import LinkworkError
from linkwork.core.face import LinearizationFace
from linkwork.core.kinds import complex_numbers, numbers
from linkwork.core.plain_data import Record
from linkwork.core.progress.showing import showing

if TYPE_CHECKING:
    import scipy.signal


@dataclass(frozen=True, repr=False)
class Linearization(LinearizationFace):
    """d(δx)/dt = A δx + B δu,  δy = C δx + D δu: deviations from the operating point.

    state_names   x = [s, ṡ, z]: independent coordinates, their rates, first-order states
    state, rate   x and ẋ at the operating point; inputs, outputs: values there, by name
    error         how far rounding may have moved each entry of A
    positions     how many of the states are coordinates s; speeds: how many are rates
    moving        whether the operating point is no equilibrium
    steady        whether A stays the same along the motion; if not, eigenvalues tell nothing of stability
    note          what to know about the operating point; empty if it is an equilibrium
    """

    model: str
    formulation: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    state_names: list[str]
    positions: int
    speeds: int
    state: np.ndarray
    rate: np.ndarray
    error: np.ndarray
    inputs: Mapping[str, float] = field(default_factory=dict)
    outputs: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    time: float = 0.0
    moving: bool = False
    steady: bool = True
    note: str = ""

    @property
    def input_names(self) -> list[str]:
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        return list(self.outputs)

    # Modes -----------------------------------------------------------------------------------------------------------

    @cached_property
    @showing
    def _spectrum(self) -> Spectrum:
        begin("finding the eigenvalues")
        return spectrum(self.A, self.error)

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A [1/s], complex, slow ones first."""
        return self._spectrum.eigenvalues

    @property
    def eigenvectors(self) -> np.ndarray:
        """Right eigenvectors of A as columns, in the order of `eigenvalues`."""
        return self._spectrum.vectors

    @cached_property
    def modes(self) -> list[Mode]:
        """One per real eigenvalue or complex pair, slow ones first."""
        return modes_of(self._spectrum, self.state_names, self.positions, self.speeds)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequency of each mode [Hz]; 0 where it does not oscillate."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def damping(self) -> np.ndarray:
        """Share of critical damping of each mode."""
        return np.array([mode.damping for mode in self.modes])

    @property
    def zeros(self) -> int:
        """How many eigenvalues are exactly 0."""
        return sum(self._spectrum.zeros)

    @property
    def ignorable(self) -> list[str]:
        """Coordinates that nothing depends on, alone or together with others; each has a zero eigenvalue."""
        return [n for n, x in zip(self.state_names[: self.positions], self._spectrum.idle, strict=False) if x > 0.5]

    @property
    def verdict(self) -> str:
        """One of "stable": no deviation grows; "unstable": one grows exponentially; "indifferent": one drifts away, as
        a mass that nothing holds; "not steady": eigenvalues do not tell.

        In a steady motion the drift along it and its neighbours (another speed) does not count.
        """
        if not self.steady:
            return "not steady"
        if self._spectrum.growing.any():
            return "unstable"
        return "indifferent" if not self.moving and len(self._spectrum.zeros) > 1 else "stable"

    @property
    def stable(self) -> bool:
        """Whether no deviation grows, nor drifts away; undamped oscillation counts as stable. See `verdict`."""
        return self.verdict == "stable"

    # Transfer --------------------------------------------------------------------------------------------------------

    @method(s=complex_numbers)
    def transfer(self, s: complex | Sequence[complex] | np.ndarray) -> np.ndarray:
        """G(s) = C (s − A)⁻¹ B + D; shape (outputs, inputs), or (*s.shape, outputs, inputs) for an array of s [1/s]."""
        s = np.asarray(s, dtype=complex)
        matrix = s[..., None, None] * np.eye(self.A.shape[0]) - self.A
        try:
            with np.errstate(divide="raise", invalid="raise", over="raise"):
                return self.C @ np.linalg.solve(matrix, np.broadcast_to(self.B, (*s.shape, *self.B.shape))) + self.D
        except (np.linalg.LinAlgError, FloatingPointError):
            raise LinkworkError(
                "the transfer function is infinite there: s is an eigenvalue.",
                component=self.model,
                remedy="Choose s beside the eigenvalues, or give the model some damping.",
            ) from None

    @method(w=numbers)
    def frequency_response(self, w: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """G(iω) for angular frequencies w [rad/s]; shape (*w.shape, outputs, inputs)."""
        return self.transfer(1j * np.asarray(w, dtype=float))

    def to_scipy(self) -> scipy.signal.StateSpace:
        """The same as scipy.signal.StateSpace."""
        if not self.B.shape[1] or not self.C.shape[0]:
            raise LinkworkError(
                f"there is no {'input' if not self.B.shape[1] else 'output'}, and SciPy wants one.",
                component=self.model,
                remedy="Declare one with m.input(…), or name outputs=[…].",
            )
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    # Showing ---------------------------------------------------------------------------------------------------------

    def to_dict(self) -> Record:
        """Everything in JSON's own types; complex numbers as [real, imaginary]."""
        pairs = [[float(x.real), float(x.imag)] for x in self.eigenvalues]
        return {
            "model": self.model,
            "formulation": self.formulation,
            "time": self.time,
            "states": dict(zip(self.state_names, self.state.tolist(), strict=True)),
            "inputs": dict(self.inputs),
            "outputs": dict(self.outputs),
            **{name: getattr(self, name).tolist() for name in "ABCD"},
            "eigenvalues": pairs,
            "stable": self.stable,
            "verdict": self.verdict,
            "zeros": self.zeros,
            "ignorable": self.ignorable,
            "note": self.note,
        }

    def __str__(self) -> str:
        size = f"{len(self.state_names)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        lines = [f"{self.model}: {size}; {self.verdict}"]
        if self.note:
            lines.append(self.note)
        if self.zeros:
            many = "1 zero eigenvalue" if self.zeros == 1 else f"{self.zeros} zero eigenvalues"
            lines.append(f"{many}: nothing depends on {', '.join(self.ignorable) or 'a combination of the states'}")
        lines.append("states: " + (", ".join(self.state_names) or "none"))
        return "\n".join([*lines, table_of(self.modes, judged=self.steady)] if self.modes else lines)

    __repr__ = __str__
