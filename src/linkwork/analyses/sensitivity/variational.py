"""The variational system: states and their derivatives with respect to parameters, integrated together.

With S = ∂y/∂p: Ṡ = f_y S + f_p. Differentiating the projection onto the constraints as well keeps S on the linearised
constraints, so that redundant and closed loops need no treatment of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.compile.native import compile_function
from linkwork.core.program import NativeFunction, Program, StateLayout
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.analyses.sensitivity.flow_by_equations import FlowByEquations


def varied(flow: FlowByEquations, chosen: tuple[int, ...]) -> Program:
    """A program for Y = [y, S₁, S₂, …], one Sⱼ per chosen parameter (index into p)."""
    derive = _Derivation(flow, chosen)
    blocks, layout = 1 + len(chosen), flow.eq.layout

    def build(name: str) -> NativeFunction:
        return compile_function(made(name), name=name)

    def made(name: str) -> ca.Function:
        makers: dict[str, Callable[[], ca.Function]] = {
            "rhs": derive.rhs,
            "project": derive.project,
            "outputs": derive.outputs,
            "events": derive.events,
            "dae": derive.dae,
            "dae_jacobian": derive.dae_jacobian,
        }
        return makers[name]()

    v = layout.v * blocks
    return Program(
        # Only the sum of q, v and z matters to these solvers, but q also sets the scale of position residuals.
        layout=StateLayout(layout.q, v, layout.y * blocks - layout.q - v, layout.multipliers * blocks),
        build=build,
        parameters=flow.parameters,
        inputs=flow.inputs,
        channels=(),
        events=tuple(flow.events),
        unweighted=np.tile(flow.program.unweighted, blocks),
        constrained=flow.program.constrained,
        symbolic=made,
    )


class _Derivation:
    """Forward derivatives of the functions of a flow along all chosen parameters at once."""

    def __init__(self, flow: FlowByEquations, chosen: tuple[int, ...]):
        self.flow, self.chosen = flow, chosen
        self.t, self.p = SX.sym("t"), SX.sym("p", flow.eq.p.numel())

    def _symbols(self, size: int) -> list[SX]:
        return [SX.sym(f"s{j}", size) for j in range(1 + len(self.chosen))]

    def _along(self, value: SX, state: SX, moved: list[SX]) -> list[SX]:
        """∂value/∂state·Sⱼ + ∂value/∂pⱼ for each chosen parameter."""
        derivatives = []
        for i, direction in zip(self.chosen, moved, strict=True):
            unit = SX(self.p.numel(), 1)
            unit[i] = 1
            derivatives.append(ca.jtimes(value, ca.vertcat(state, self.p), ca.vertcat(direction, unit)))
        return derivatives

    def _function(self, name: str, state: SX, results: list[SX]) -> ca.Function:
        return ca.Function(name, [self.t, state, self.p], results)

    def _varied(self, name: str) -> tuple[SX, SX, list[SX]]:
        """All states, all values of the function, and its further results."""
        y, *moved = self._symbols(self.flow.size)
        results = self.flow.symbolic(name).call([self.t, y, self.p])
        values = ca.vertcat(results[0], *self._along(results[0], y, moved))
        return ca.vertcat(y, *moved), ca.densify(values), results[1:]

    def rhs(self) -> ca.Function:
        state, values, _ = self._varied("rhs")
        return self._function("rhs", state, [values])

    def outputs(self) -> ca.Function:
        state, values, _ = self._varied("outputs")
        return self._function("outputs", state, [values])

    def project(self) -> ca.Function:
        state, values, further = self._varied("project")
        return self._function("project", state, [values, *further])

    def events(self) -> ca.Function:
        y, *moved = self._symbols(self.flow.size)
        (g,) = self.flow.symbolic("events").call([self.t, y, self.p])
        return self._function("events", ca.vertcat(y, *moved), [g])

    def _parts(self) -> tuple[list[SX], SX]:
        """Each block's Y = [y, a, λ]; and all of them ordered states, accelerations, multipliers."""
        layout = self.flow.eq.layout
        y, a, m = (self._symbols(n) for n in (layout.y, layout.v, layout.multipliers))
        return [ca.vertcat(*parts) for parts in zip(y, a, m, strict=True)], ca.vertcat(*y, *a, *m)

    def _ordered(self, blocks: list[SX]) -> SX:
        layout = self.flow.eq.layout
        cuts = [0, layout.y, layout.y + layout.v, layout.y + layout.x]
        split = [ca.vertsplit(ca.densify(block), cuts) for block in blocks]
        return ca.vertcat(*(parts[k] for k in range(3) for parts in split))

    def dae(self) -> ca.Function:
        blocks, state = self._parts()
        value = self.flow.symbolic("dae")(self.t, blocks[0], self.p)
        return self._function("dae", state, [self._ordered([value, *self._along(value, blocks[0], blocks[1:])])])

    def dae_jacobian(self) -> ca.Function:
        """Without ∂Ṡ/∂y: S then follows y by one Newton iteration, and the matrix falls into equal blocks."""
        blocks, state = self._parts()
        J = self.flow.symbolic("dae_jacobian")(self.t, blocks[0], self.p)
        number = ca.DM(np.arange(state.numel()))
        f = ca.Function("order", [state], blocks)
        matrix = SX(state.numel(), state.numel())
        for places in f.call([number]):
            index = [int(k) for k in np.array(places).ravel()]
            matrix[index, index] = J
        return self._function("dae_jacobian", state, [matrix])
