"""Equations: the mechanics of a model to read (text, LaTeX, SymPy) and to use elsewhere (C, Python, CasADi)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import casadi as ca
import numpy as np

from linkwork.compile.functions import builders
from linkwork.core import arguments, kinds
from linkwork.core.activity import begin
from linkwork.core.compliance import Compliance
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError
from linkwork.core.progress.showing import showing
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.export.c_source import Routine, Tables, c_sources
from linkwork.export.latex import latex_document, latex_text, markdown_text
from linkwork.export.names import Names, names_of
from linkwork.export.python_source import Definition, python_source
from linkwork.export.symbolic_equations import SymbolicEquations, symbolic
from linkwork.export.text import text_of
from linkwork.formulations import formulate
from linkwork.formulations.stabilisation import Baumgarte, Projection, stabilisation_of
from linkwork.geometry import SX
from linkwork.signals.inputs import signals_of
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.prepare import Choice, inputs_of, prepare

if TYPE_CHECKING:
    from linkwork.core.model import Model

F = TypeVar("F", bound=Callable[..., Any])

LONGEST_SHOWN = 30
"""Speeds of a model up to which a notebook shows its equations as formulas."""


@verb
def equations(
    model: Model,
    formulation: str = "minimal",
    *,
    stabilisation: Projection | Baumgarte | str = "projection",
    compliance: Compliance | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
) -> EquationSheet:
    """The equations of motion of the model in a formulation, as symbols, text or source code.

    formulation: "absolute", "minimal", …, "auto"; stabilisation, compliance: as in `simulate`;
    parameters, inputs: values other than the defaults, for the start state and the tables of generated code (of what
    changes with time, the value at t = 0).
    """
    stabilisation = stabilisation_of(stabilisation)
    choice = Choice(formulation, stabilisation, compliance)
    ready = prepare(model, choice, parameters_of(model, parameters), inputs=inputs)
    p = model.p_at(ready.equations, ready.p, signals=signals_of(model, inputs).given)
    shown = running = ready.equations
    if ready.formulation == "minimal" and not running.constraints.rows:
        # Trees run by a recursion that never forms a mass matrix; whoever reads the equations wants to see it.
        options = {"stabilisation": stabilisation, "softness": running.constraints.softness, "recursion": False}
        plain = formulate(model, "minimal", **options).in_time()
        symbols = replace(plain.symbols, inputs=running.symbols.inputs)
        shown = replace(plain, symbols=symbols, signals=running.signals)
    names = [*model.parameters, *inputs_of(model, running)]
    named = [(name, model.units.get(name, "")) for name in names]
    parts = frozenset(name for name in model.components if "." in name)
    return EquationSheet(model.name, ready.formulation, shown, running, ready.state, p, tuple(named), parts)


def _written(method: F) -> F:
    """Decorator of what may take longer than deriving the equations did."""

    @wraps(method)
    def write(*args: object, **options: object) -> Any:
        begin("writing the equations")
        return method(*args, **options)

    return showing(cast(F, write))


@dataclass(frozen=True, eq=False)
class EquationSheet:
    """M(q) v̇ + Aᵀλ = f,  q̇ = H v,  A v̇ = γ,  Φ(t, q) = 0,  ż = g:  symbols and names of one formulation.

    Where the formulation has solved for the accelerations (`explicit`), it is v̇ = f.
    The symbols are CasADi SX. `.text()`, `.latex()`, `.sympy()` are to read; `.c()`, `.python()`, `.casadi()` to use.
    """

    model: str
    formulation: str
    equations: Equations
    """The equations that are shown."""
    running: Equations
    """The same as they are integrated: for trees in minimal coordinates, solved by recursion."""
    start: np.ndarray
    """y = [q, v, z] at t = 0."""
    p: np.ndarray
    """Values of parameters, then inputs."""
    parameter_units: tuple[tuple[str, str], ...]
    """(name, unit) of each entry of p."""
    owners: frozenset[str] = frozenset()
    """Components that are parts of submodels, whose names have dots."""
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", names_of(self.equations, self.owners))

    # Symbols ---------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> SX:
        return self.equations.t

    @property
    def q(self) -> SX:
        return self.equations.q

    @property
    def v(self) -> SX:
        return self.equations.v

    @property
    def z(self) -> SX:
        return self.equations.z

    @property
    def parameters(self) -> SX:
        return self.equations.symbols.parameters

    @property
    def inputs(self) -> SX:
        return self.equations.symbols.inputs

    @property
    def qdot(self) -> SX:
        """q̇ in q and v."""
        return self.equations.motion.qdot

    @property
    def mass(self) -> SX:
        """M, speeds × speeds."""
        return self.equations.motion.mass

    @property
    def force(self) -> SX:
        """f, one entry per speed."""
        return self.equations.motion.force

    @property
    def position(self) -> SX:
        """Φ(t, q), constraints at position level."""
        return self.equations.constraints.position

    @property
    def jacobian(self) -> SX:
        """A, constraints × speeds."""
        return self.equations.constraints.jacobian

    @property
    def gamma(self) -> SX:
        """γ = A v̇."""
        return self.equations.constraints.gamma

    @property
    def zdot(self) -> SX:
        """ż; may hold the symbols `equations.a` and `equations.multipliers` for v̇ and λ."""
        return self.equations.motion.zdot

    @property
    def state_names(self) -> list[str]:
        """One name per entry of y = [q, v, z]: "O.angle", "O.angle.rate", "rod.x", …"""
        return [name.plain for name in self.names.states]

    @property
    def row_names(self) -> list[str]:
        """One name per row of A: the component and the direction."""
        return [str(row) for row in self.equations.constraints.rows]

    # To read ---------------------------------------------------------------------------------------------------------

    @_written
    def text(self) -> str:
        """Sizes and equations in plain Unicode."""
        return text_of(self)

    @arguments.method(cse=kinds.truth)
    @_written
    def sympy(self, *, cse: bool | None = None) -> SymbolicEquations:
        """The same in SymPy; nothing is simplified, unless by `.simplified()` of what is returned.

        cse: name common subexpressions, listed in `.where` (None: only where written out they would fill books).
        """
        return symbolic(self.equations, self.names, self.p, cse=cse)

    @arguments.method(cse=kinds.truth, simplify=kinds.truth, document=kinds.truth, digits=kinds.counted(1, 17))
    @_written
    def latex(self, *, cse: bool | None = None, simplify: bool = False, document: bool = False, digits: int = 6) -> str:
        """Equations in LaTeX (amsmath). document: a whole document that compiles; digits: of decimal numbers.

        cse: name common subexpressions in a list at the end (None: where expressions are long);
        simplify: let SymPy simplify every entry first, which is slow for more than two or three bodies.
        """
        return (latex_document if document else latex_text)(self, cse=cse, simplify=simplify, digits=digits)

    def _repr_markdown_(self) -> str | None:
        return self._shown(markdown_text)

    def _repr_latex_(self) -> str | None:
        return self._shown(EquationSheet.latex)

    def _shown(self, make: Callable[[EquationSheet], str]) -> str | None:
        """None, and a notebook shows the plain text: without SymPy, and where no one would read the formulas."""
        try:
            return make(self) if self.equations.v.numel() <= LONGEST_SHOWN else None
        except LinkworkError:
            return None

    def __repr__(self) -> str:
        return self.text()

    # To use ----------------------------------------------------------------------------------------------------------

    @_written
    def casadi(self) -> dict[str, ca.Function]:
        """CasADi functions by name: rhs, outputs, project, events (t, y, p); mass, force, … (t, q, v, z, p)."""
        made = builders(self.running, shared=True)
        results = {"rhs": ["ydot"], "outputs": ["channels"], "project": ["projected", "residuals"]}
        functions = {}
        for name, wanted in results.items():
            f = made[name]()
            arguments = f.sx_in()
            functions[name] = ca.Function(name, arguments, f.call(arguments, True, False), ["t", "y", "p"], wanted)
        if self.running.observation.events:
            f = made["events"]()
            arguments = f.sx_in()
            located = f.call(arguments, True, False)[:1]
            functions["events"] = ca.Function("events", arguments, located, ["t", "y", "p"], ["g"])
        eq = self.equations
        arguments = [eq.t, eq.q, eq.v, eq.z, eq.p]
        for name, value in self._terms().items():
            functions[name] = ca.Function(name, arguments, [value], ["t", "q", "v", "z", "p"], [name], {"cse": True})
        return functions

    @_written
    def python(self) -> str:
        """A Python module that needs only NumPy: rhs(t, y, p), outputs(t, y, p), mass_matrix(t, q, v, z, p), …"""
        functions = self.casadi()
        state, parts = ("t", "y", "p"), ("t", "q", "v", "z", "p")
        notes = {"rhs": "Time derivative of the state y.", "outputs": "All channels, in the order of CHANNELS."}
        if self._constrained:
            notes["project"] = "(y one step nearer to the constraints, [position residual, velocity residual] before)."
        if "events" in functions:
            notes["events"] = "What is located: zeros of these, in the order of EVENTS."
        made = [Definition(name, functions[name], state, note) for name, note in notes.items()]
        for name, note in _NOTES.items():
            if not self._terms()[name].numel() and name != "mass":
                continue  # there are no constraints
            matrix = name in ("mass", "jacobian")
            called = "mass_matrix" if name == "mass" else name
            made.append(Definition(called, _dense(functions[name]), parts, note, matrix))
        return python_source(self._tables(), made)

    @arguments.method(name=kinds.text)
    @_written
    def c(self, name: str | None = None) -> dict[str, str]:
        """Standalone C99 as {file name: text}: `<name>.h`, `<name>.c` and a `main.c` that prints the start.

        name: a C identifier that all public names begin with; by default made of the model's name.
        """
        prefix = _identifier(self.model) if name is None else name
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix, re.ASCII) or prefix == "main":
            raise LinkworkError(
                f"{prefix!r} cannot begin names in C.", remedy="Use letters, digits and '_', and not 'main'."
            )
        functions = self.casadi()
        eq = self.equations
        mass = ca.Function("mass", [eq.t, eq.y, eq.p], [ca.densify(eq.motion.mass.T)], {"cse": True})  # row by row
        routines = [
            Routine("rhs", functions["rhs"], ("dy",), "dy = time derivative of the state y"),
            Routine("outputs", functions["outputs"], ("channels",), "all channels, see the table of their names"),
            Routine("mass_matrix", mass, ("mass",), "mass matrix, row by row"),
        ]
        if self._constrained:
            note = "projected = y one step nearer to the constraints; residual = largest |position|, |velocity| before"
            routines.append(Routine("project", functions["project"], ("projected", "residual"), note))
        if "events" in functions:
            routines.append(Routine("events", functions["events"], ("g",), "g = what is located where it crosses zero"))
        return c_sources(prefix, self._tables(), routines)

    @arguments.method(name=kinds.text)
    def write_c(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write the C files into a folder, which is made if need be; returns their paths."""
        target = Path(folder)
        texts = self.c(name)
        try:
            target.mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                (target / file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise LinkworkError(
                f"cannot be written: {error.strerror}.", component=str(target), remedy="Name a folder you may write to."
            ) from error
        return [target / file for file in texts]

    @property
    def _constrained(self) -> bool:
        return self.running.projects

    def _terms(self) -> dict[str, SX]:
        motion, rows = self.equations.motion, self.equations.constraints
        constraints = rows.jacobian, rows.gamma, rows.position, rows.velocity
        parts = (motion.mass, motion.force, *constraints, motion.qdot)
        return dict(zip(_NOTES, parts, strict=True))

    def _tables(self) -> Tables:
        layout = self.equations.layout
        channels = [(channel.name, channel.unit) for channel in self.running.observation.channels]
        sizes = {
            "STATES": layout.y,
            "COORDINATES": layout.q,
            "SPEEDS": layout.v,
            "FIRST_ORDER_STATES": layout.z,
            "PARAMETERS": len(self.p),
            "INPUTS": self.inputs.numel(),
            "CHANNELS": len(channels),
        }
        events = [(event.name, event.direction, event.action) for event, _ in self.running.observation.events]
        sizes |= {"EVENTS": len(events)} if events else {}
        title = f"{self.model}: equations of motion, {self.formulation} formulation; SI units, angles in rad."
        return Tables(title, sizes, self.state_names, self.parameter_units, channels, self.start, self.p, events)


_NOTES = {
    "mass": "Mass matrix M, speeds × speeds.",
    "force": "Generalised forces f, one per speed: M v̇ + Aᵀλ = f.",
    "jacobian": "Constraint Jacobian A, constraints × speeds.",
    "gamma": "Right-hand side γ of the constraints at acceleration level, A v̇ = γ.",
    "position": "Constraints at position level, Φ(t, q) = 0.",
    "velocity": "Constraints at velocity level, A v − b = 0.",
    "qdot": "Time derivative of the coordinates, q̇ = H(q) v.",
}


def _dense(f: ca.Function) -> ca.Function:
    arguments = f.sx_in()
    return ca.Function(f.name(), arguments, [ca.densify(f(*arguments))], {"cse": True})


def _identifier(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "model"
    return word if word[0].isalpha() and word != "main" else f"model_{word}"
