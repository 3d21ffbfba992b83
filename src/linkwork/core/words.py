"""The words of the library and the kind of each: an argument called `stiffness` is a number or an expression wherever
it stands. Where a word means something else, the class says so in its `arguments`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from linkwork.core import arguments, kinds
from linkwork.core.arguments import F
from linkwork.core.compliance import Compliance
from linkwork.core.kinds import Kind

_QUANTITIES = """
    area bristle bristle_damping bulk_modulus capacitance capacity conductance constant cornering coulomb creep crown
    damping density discharge dissipation displacement exponent friction gain inductance inertance kd ki kp laminar
    leakage length mass opening overlap phase pitch precharge radius ratio regularisation resistance rest restitution
    saturation slip_stiffness start_rate static stiffness stribeck thermal turbulence vapour volume
""".split()

COMPONENT: dict[str, Kind] = dict.fromkeys(_QUANTITIES, kinds.quantity) | {
    "action": kinds.text,
    "axis": kinds.vector,
    "axis2": kinds.vector,
    "direction": kinds.one_of(-1, 0, 1),
    "equation": kinds.function,
    "equations": kinds.expression,
    "frame": kinds.text,
    "function": kinds.function,
    "height": kinds.function.saying(cause="{word} {given} is no function."),
    "law": kinds.function,
    "lower": kinds.quantity,
    "memory": kinds.quantities,
    "offset": kinds.quantity,
    "order": kinds.one_of(1, 2),
    "period": kinds.positive_number,
    "point": kinds.vector,
    "residuals": kinds.expression,
    "segments": kinds.counted(1, 10_000),
    "unit": kinds.text,
    "upper": kinds.quantity,
    "weights": kinds.quantities,
    "what": kinds.text,
}
"""Of components, which say what is special to them in `Component.arguments`."""


def _option(kind: Kind) -> Kind:
    return kind.saying(cause="{word}={given}.")


_compliance = Kind(
    "Give lw.Compliance(error=1e-6).", lambda x: x if isinstance(x, Compliance) else kinds.REFUSED
)
_solver = Kind(
    "Give its name, such as 'radau', or a solver object, such as lw.Radau().",
    lambda x: x if isinstance(x, str) or hasattr(type(x), "run") else kinds.REFUSED,
)
_NAMED = kinds.mapping.saying("Give {name: value}, a dictionary.", "{word}={given} names none.")
_START = (_NAMED | Kind("", lambda x: x if hasattr(x, "placement") else kinds.REFUSED)).saying(
    "Give {name: value}, or what m.equilibrium() or m.assemble() returns.", "{word}={given} names none."
)

VERB: dict[str, Kind] = {
    word: _option(kind)
    for word, kind in {
        "atol": kinds.tolerance,
        "channels": kinds.names,
        "compliance": _compliance,
        "coordinates": kinds.names,
        "equilibrium": kinds.truth,
        "file": Kind("Give the name of a file.", lambda x: x if isinstance(x, (str, os.PathLike)) else kinds.REFUSED),
        "formulation": kinds.text,
        "formulations": kinds.names,
        "gradient": kinds.text,
        "loops": kinds.text,
        "max_iterations": kinds.count.saying("Give 1 or more."),
        "max_step": kinds.positive_number,
        "method": kinds.text,
        "minimise": kinds.truth,
        "outputs": kinds.names,
        "parameter": kinds.text,
        "progress": kinds.progress,
        "reference": kinds.text,
        "refine": kinds.truth,
        "rtol": kinds.tolerance,
        "solver": _solver,
        "solvers": kinds.several(_solver, "Give a list of solvers, names or objects.", empty=False),
        "state": kinds.numbers,
        "step": kinds.positive_number,
        "strict": kinds.truth,
        "t": kinds.number,
        "time": kinds.number,
        "tolerance": kinds.tolerance,
        "verify": kinds.truth,
        "watch": kinds.function,
    }.items()
} | {
    "parameters": _NAMED,
    "period": _option(kinds.positive_number).saying("Give seconds > 0.", "{word}={given} is no time."),
    "start": _START,
}
"""Of verbs."""


def with_own(common: Mapping[str, Kind], own: Mapping[str, Kind]) -> Mapping[str, Kind]:
    """Kinds by word, where a class has some of its own."""
    return {**common, **own} if own else common


def checked_as_verb(**own: Kind) -> Callable[[F], F]:
    """Decorator of what is done with a model: its arguments are read by the words of verbs; own: its own kinds."""
    known = VERB | {word: _option(kind) for word, kind in own.items()}
    return lambda call: arguments.checked(call, known, arguments.name_of_first)
