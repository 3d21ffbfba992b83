"""Equations → Program: derives and compiles each function when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache as once

import casadi as ca
import numpy as np

from linkwork.compile.functions import SHIFTED, builders, margin_rows
from linkwork.compile.identity import identity_of
from linkwork.compile.native import NativeCode, compile_source, source_of
from linkwork.core.activity import begin
from linkwork.core.equations import Equations
from linkwork.core.program import NativeFunction, Program
from linkwork.core.sizes import check_sizes


def compile_program(eq: Equations, parameters: Mapping[str, float], inputs: Mapping[str, float]) -> Program:
    """A Program whose functions are machine code; parameters and inputs stay arguments."""
    derive = builders(check_sizes(eq, eq.observation.graph.name if eq.observation.graph is not None else "equations"))

    def build(name: str) -> NativeFunction:
        begin(f"compiling {name}")
        clock, before = time.perf_counter(), program.derive_seconds
        compiled: NativeCode
        known = f"{identity()} {name}" if identity() is not None else None
        if name in SHIFTED:
            from linkwork.compile.jacobian import compile_jacobian

            compiled = compile_jacobian(name, derived(SHIFTED[name]), derived(name), identity=known, tier=program.tier)
        else:
            compiled = compile_source(source_of(name, derived(name), known), tier=program.tier)
        program.compile_seconds += time.perf_counter() - clock - (program.derive_seconds - before)
        return compiled

    @once
    def identity() -> str | None:
        return identity_of(eq)

    def derived(name: str) -> Callable[[], ca.Function]:
        def make() -> ca.Function:
            clock = time.perf_counter()
            function = derive[name]()
            program.derive_seconds += time.perf_counter() - clock
            return function

        return make

    def build_lanes(name: str, lanes: int) -> NativeFunction:
        from linkwork.compile.lanes import compile_lanes

        begin(f"compiling {name} for {lanes} cases at a time")
        compiled = compile_lanes(derive[name](), lanes, name=name)
        program.compile_seconds += compiled.seconds
        return compiled

    program = Program(
        layout=eq.layout,
        build=build,
        parameters=dict(parameters),
        inputs=dict(inputs),
        channels=eq.observation.channels,
        events=tuple(e for e, _ in eq.observation.events),
        unweighted=_unweighted(eq),
        scale=np.concatenate([eq.states.scale, np.ones(eq.z.numel())]) if eq.states.scale.size else None,
        constrained=eq.algebraic.improved is not None or eq.projects,
        settling=eq.algebraic.improved is not None,
        dependent=eq.constraints.projected is not None and not eq.motion.explicit,
        margins=tuple(row.owner for row in margin_rows(eq)),
        build_lanes=build_lanes,
        symbolic=lambda name: derive[name](),
    )
    return program


def _unweighted(eq: Equations) -> np.ndarray:
    """States whose errors count for nothing. Next to the kink of a valve, no step is short enough for the rate of its
    side, a current [A] here and a voltage [V] there."""
    recording = np.array(eq.states.unweighted, dtype=bool)
    if not eq.states.sides:
        return recording
    sides = np.array([name in eq.states.sides for name in eq.states.names])
    return sides | recording if recording.size else sides
