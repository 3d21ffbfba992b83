"""The words of verbs and the kind of each: an argument called `rtol` is a tolerance wherever it stands."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable

from linkwork.core import arguments, kinds
from linkwork.core.arguments import F
from linkwork.core.compliance import Compliance
from linkwork.core.kinds import Kind


def _option(kind: Kind) -> Kind:
    return kind.saying(cause="{word}={given}.")


_compliance = Kind("Give lw.Compliance(error=1e-6).", lambda x: x if isinstance(x, Compliance) else kinds.REFUSED)
_solver = Kind(
    "Give its name, such as 'radau', or a solver object, such as lw.Radau().",
    lambda x: x if isinstance(x, str) or hasattr(type(x), "run") else kinds.REFUSED,
)
_NAMED = kinds.mapping.saying("Give {name: value}, a dictionary.", "{word}={given} names none.")


def _run_and_time(x: object) -> object:
    """A result, or one and a time of it, for verbs that begin where another run has been."""
    if isinstance(x, tuple) and len(x) == 2 and hasattr(x[0], "record"):
        return x if kinds.number.read(x[1]) is not kinds.REFUSED else kinds.REFUSED
    return x if hasattr(x, "placement") else kinds.REFUSED


_START = (_NAMED | Kind("", _run_and_time)).saying(
    "Give {name: value}, or what m.equilibrium(), m.assemble() or m.simulate(…) returns, or (result, time).",
    "{word}={given} names none.",
)

_WORDS: dict[str, Kind] = {
    "assemble": kinds.truth,
    "atol": kinds.tolerance,
    "channels": kinds.names,
    "close": kinds.truth,
    "compile": kinds.text,
    "compliance": _compliance,
    "coordinates": kinds.names,
    "dt": kinds.positive_number.saying("Give a positive number of seconds."),
    "equilibrium": kinds.truth,
    "file": Kind("Give the name of a file.", lambda x: x if isinstance(x, (str, os.PathLike)) else kinds.REFUSED),
    "formulation": kinds.text,
    "formulations": kinds.names,
    "gradient": kinds.text,
    "judge": kinds.truth,
    "kernels": kinds.truth,
    "loops": kinds.text,
    "max_iterations": kinds.count.saying("Give 1 or more."),
    "max_step": kinds.positive_number,
    "method": kinds.text,
    "minimise": kinds.truth,
    "outputs": kinds.names,
    "parameter": kinds.text,
    "progress": kinds.progress,
    "reference": kinds.text,
    "realtime": kinds.truth,
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
}
VERB = {word: _option(kind) for word, kind in _WORDS.items()} | {
    "parameters": _NAMED,
    "period": _option(kinds.positive_number).saying("Give seconds > 0.", "{word}={given} is not a time."),
    "start": _START,
}
"""Of verbs."""


MEANINGS: dict[str, str] = {
    "atol": "absolute error that a step may make",
    "compliance": "how soft joints are where springs enforce them, lw.Compliance(error=1e-6)",
    "coordinates": "names of coordinates that are kept as states; None: chosen",
    "duration": "[s] of the run",
    "ends": "two or more of them",
    "formulation": "in which way the equations are derived, see `simulate`",
    "inputs": "name → value of an input, instead of its default",
    "max_iterations": "after which the search ends",
    "max_step": "longest step [s]",
    "parameters": "name → value of a parameter, instead of its default",
    "progress": "called with the share that is done, instead of a bar; True: told where there is no terminal, too",
    "rtol": "relative error that a step may make",
    "t": "time [s]",
    "time": "at which it is looked at [s]",
    "values": "of the parameter, in order",
}
"""Of words that a verb's own text leaves out."""


def told(call: Callable[..., object]) -> str:
    """The text of a verb, with a line for each argument that it does not speak of."""
    own = inspect.getdoc(call) or ""
    _, *given = inspect.signature(call).parameters.values()
    left = [p for p in given if not re.search(rf"\b{p.name}\b", own)]
    lines = [f"{p.name}{'' if p.default is p.empty else f' = {p.default!r}'}: {MEANINGS[p.name]}" for p in left]
    return "\n".join([own, *([""] if lines else []), *lines])


def checked_as_verb(**own: Kind) -> Callable[[F], F]:
    """Decorator of what is done with a model: its arguments are read by the words of verbs; own: its own kinds."""
    known = VERB | {word: _option(kind) for word, kind in own.items()}
    return lambda call: arguments.checked(call, known, arguments.name_of_first)
