"""Equations → Program: derives and compiles each function when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from linkwork.compile.functions import builders, margin_rows
from linkwork.compile.native import compile_function
from linkwork.core.activity import begin
from linkwork.core.equations import Equations
from linkwork.core.program import NativeFunction, Program
from linkwork.core.sizes import check_sizes


def compile_program(eq: Equations, parameters: Mapping[str, float], inputs: Mapping[str, float]) -> Program:
    """A Program whose functions are machine code; parameters and inputs stay arguments."""
    derive = builders(check_sizes(eq, eq.observation.graph.name if eq.observation.graph is not None else "equations"))

    def build(name: str) -> NativeFunction:
        clock = time.perf_counter()
        begin(f"compiling {name}")
        function = derive[name]()
        program.derive_seconds += time.perf_counter() - clock
        compiled = compile_function(function, name=name, tier=program.tier)
        program.compile_seconds += compiled.seconds
        return compiled

    program = Program(
        layout=eq.layout,
        build=build,
        parameters=dict(parameters),
        inputs=dict(inputs),
        channels=eq.observation.channels,
        events=tuple(e for e, _ in eq.observation.events),
        unweighted=np.array(eq.states.unweighted, dtype=bool),
        scale=np.concatenate([eq.states.scale, np.ones(eq.z.numel())]) if eq.states.scale.size else None,
        constrained=eq.algebraic.improved is not None or eq.projects,
        settling=eq.algebraic.improved is not None,
        dependent=eq.constraints.projected is not None and not eq.motion.explicit,
        margins=tuple(row.owner for row in margin_rows(eq)),
        symbolic=lambda name: derive[name](),
    )
    return program
