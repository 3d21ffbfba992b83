"""One step of a Runge–Kutta method and its adjoint, for many steps at once.

Stages Yᵢ = y + h Σ aᵢⱼ Kⱼ, Kᵢ = f(Yᵢ); end y + h Σ bᵢ Kᵢ. With λ the multiplier at the end and Jᵢ = ∂f/∂y at Yᵢ, the
pulls on the slopes are kᵢ = h (bᵢ λ + Σ aⱼᵢ Jⱼᵀ kⱼ), and the multiplier at the start is λ + Σ Jᵢᵀ kᵢ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import LinkworkError

Slope = Callable[[slice | int, np.ndarray], np.ndarray]
"""(which stages, states) → slopes."""
Backwards = Callable[[int, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""(step, multiplier at its end) → multiplier at its start, pulls (stages, states, quantities)."""

ITERATIONS = 12
"""Newton iterations for implicit stages, before the step counts as not retraced."""


@dataclass(frozen=True)
class Tableau:
    """Coefficients a (stages, stages), b and c (stages,)."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray

    @property
    def stages(self) -> int:
        return self.b.size

    @property
    def implicit(self) -> bool:
        return bool(np.any(np.triu(self.a)))

    def forwards(
        self, h: np.ndarray, Y: np.ndarray, slope: Slope, jacobian: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and states of the stages, (steps, stages, states); steps h (steps,) begin at Y (steps, states)."""
        if self.implicit:
            return self._newton(h, Y, slope, jacobian)
        K = np.zeros((h.size, self.stages, Y.shape[1]))
        stages = np.empty_like(K)
        for i in range(self.stages):
            stages[:, i] = Y + h[:, None] * np.einsum("j,kjn->kn", self.a[i, :i], K[:, :i])
            K[:, i] = slope(i, stages[:, i])
        return K, stages

    def _newton(
        self, h: np.ndarray, Y: np.ndarray, slope: Slope, jacobian: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        steps, n, s = h.size, Y.shape[1], self.stages
        stages = np.repeat(Y[:, None, :], s, axis=1)
        scale = 1 + np.abs(Y).max(axis=0)
        for _ in range(ITERATIONS):
            K = slope(slice(None), stages)
            lack = Y[:, None, :] + h[:, None, None] * np.einsum("ij,kjn->kin", self.a, K) - stages
            J = jacobian(stages)
            matrix = np.eye(s * n) - self._blocks(h, J)
            move = np.linalg.solve(matrix, lack.reshape(steps, s * n, 1)).reshape(lack.shape)
            stages = stages + move
            if not np.abs(move / scale).max(initial=0.0) > 1e-13:
                break
        else:
            if not np.abs(move / scale).max() < 1e-9:
                raise LinkworkError("the implicit steps cannot be retraced.", remedy="Use method='forward'.")
        return slope(slice(None), stages), stages

    def _blocks(self, h: np.ndarray, J: np.ndarray) -> np.ndarray:
        """h·aᵢⱼ·Jⱼ as one matrix per step."""
        steps, s, n, _ = J.shape
        blocks = np.einsum("k,ij,kjab->kiajb", h, self.a, J)
        return blocks.reshape(steps, s * n, s * n)

    def backwards(self, h: np.ndarray, J: np.ndarray) -> Backwards:
        """The adjoint of each step; J: Jacobians at the stages, (steps, stages, states, states)."""
        return self._implicit(h, J) if self.implicit else self._explicit(h, J)

    def _explicit(self, h: np.ndarray, J: np.ndarray) -> Backwards:
        JT = np.swapaxes(J, 2, 3)

        def solve(k: int, multiplier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            pulls = np.empty((self.stages, *multiplier.shape))
            behind = np.zeros_like(pulls)  # Jᵢᵀ kᵢ
            for i in range(self.stages - 1, -1, -1):
                later = np.tensordot(self.a[i + 1 :, i], behind[i + 1 :], axes=1)
                pulls[i] = h[k] * (self.b[i] * multiplier + later)
                behind[i] = JT[k, i] @ pulls[i]
            return multiplier + behind.sum(axis=0), pulls

        return solve

    def _implicit(self, h: np.ndarray, J: np.ndarray) -> Backwards:
        steps, s, n, _ = J.shape
        # Row block i of the transposed system: kᵢ − h Σ aⱼᵢ Jⱼᵀ kⱼ = h bᵢ λ.
        matrix = np.einsum("k,ji,kjba->kiajb", h, self.a, J).reshape(steps, s * n, s * n)
        right = np.einsum("k,i,ab->kiab", h, self.b, np.eye(n)).reshape(steps, s * n, n)
        G = np.linalg.solve(np.eye(s * n) - matrix, right)

        def solve(k: int, multiplier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            pulls = (G[k] @ multiplier).reshape(s, n, -1)
            return multiplier + np.einsum("iba,ibm->am", J[k], pulls), pulls

        return solve


def _dormand_prince() -> Tableau:
    """Order 5 (Dormand and Prince 1980); the last row of the published table is b."""
    a = np.zeros((6, 6))
    rows = (
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    )
    for i, row in enumerate(rows):
        a[i + 1, : i + 1] = row
    b = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    return Tableau(a, b, np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]))


def _radau() -> Tableau:
    """Radau IIA of order 5: collocation at the Radau points, so a and b are integrals of Lagrange polynomials."""
    c = np.array([(4 - np.sqrt(6)) / 10, (4 + np.sqrt(6)) / 10, 1.0])
    powers = np.arange(3)
    values = c[:, None] ** powers  # Σⱼ aᵢⱼ cⱼᵏ = cᵢ^(k+1)/(k+1)
    integrals = c[:, None] ** (powers + 1) / (powers + 1)
    a = np.linalg.solve(values.T, integrals.T).T
    return Tableau(a, a[-1].copy(), c)


tableaux = {"dopri5": _dormand_prince(), "radau": _radau()}
"""By the name of the solver whose steps they retrace."""
