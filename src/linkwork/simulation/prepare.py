"""From a model to something that can run: formulation, program and start state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.assembly.assemble import Assembly, kept_assembly
from linkwork.assembly.numbers import absolute_equations
from linkwork.assembly.redundancy import undetermined_reactions
from linkwork.compile.program import compile_program
from linkwork.contact.rows import with_contacts
from linkwork.core.activity import begin
from linkwork.core.compliance import Compliance
from linkwork.core.component import Constraint
from linkwork.core.equations import Equations, Placed, Placement, Row
from linkwork.core.errors import ModelError
from linkwork.core.program import Program
from linkwork.core.signal import Inputs
from linkwork.formulations import formulate, is_own
from linkwork.formulations.order import Structure, chosen_by, structure_of
from linkwork.formulations.partition import partitioned
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.recall.notes import named_after
from linkwork.recall.recall import recalled
from linkwork.simulation.choice.compliance import softness_of
from linkwork.simulation.choice.formulation import AUTOMATIC, choose
from linkwork.simulation.choice.partition import choose_partition
from linkwork.simulation.refusal import check_choice, refuse_contacts, refuse_pairs, refuse_sampling

if TYPE_CHECKING:
    from linkwork.core.model import Model

COMPLIANT_FORMULATIONS = ("compliant", "bondgraph-rc", "bondgraph-rc-scalar")
"""Formulations in which all joints are springs and dampers."""


@dataclass(frozen=True)
class Choice:
    """How the equations are to be written: everything that changes them but the model itself."""

    formulation: str = "absolute"
    stabilisation: Projection | Baumgarte = field(default_factory=Projection)
    compliance: Compliance | None = None
    loops: str = "multipliers"
    """"multipliers" or "partition" (of the speeds into independent and dependent ones)."""
    independent: tuple[str, ...] | None = None
    """Which coordinates are to be independent; None: chosen by pivoting, anew where they become ill-conditioned."""
    structure: Structure | None = None
    """What the values of the parameters say of its structure."""


@dataclass
class Prepared:
    """A program, its equations, and where it starts."""

    equations: Equations
    program: Program
    assembly: Assembly
    p: np.ndarray
    """Parameters, then inputs."""
    choice: Choice
    """As it was taken, also where "auto" was asked for."""
    reason: str
    """Why, in one sentence."""

    @property
    def formulation(self) -> str:
        return self.choice.formulation

    @property
    def state(self) -> np.ndarray:
        """y where it starts."""
        return self._start.copy()

    @cached_property
    def _start(self) -> np.ndarray:
        return start_state(self.equations, self.assembly)


def prepare(
    model: Model,
    choice: Choice,
    parameters: dict[str, float] | None = None,
    *,
    contacts: bool = False,
    inputs: Inputs | None = None,
    assembly: Assembly | None = None,
    implicit: bool = False,
) -> Prepared:
    """Assemble, formulate and make the program; the last two are kept until the model changes.

    contacts: whether the caller can deal with rigid contacts, whose modes change; else a model with some is refused.
    inputs: what drives them, for the start; assembly: where it begins, if that is known already.
    implicit: whether the solver will be, where the formulation is to be chosen.
    """
    if contacts:
        check_choice(model, choice.formulation, choice.loops, isinstance(choice.stabilisation, Baumgarte))
    else:
        refuse_contacts(model, "this analysis")
        refuse_pairs(model, "this analysis")
        refuse_sampling(model, "this analysis")
    if assembly is None:
        strict = choice.formulation not in COMPLIANT_FORMULATIONS
        assembly = kept_assembly(model, parameters, inputs, strict=strict)
    with model.prepared_for(parameters):
        return _prepared(model, choice, assembly, parameters, implicit)


def _prepared(
    model: Model, choice: Choice, assembly: Assembly, parameters: dict[str, float] | None, implicit: bool
) -> Prepared:
    choice = replace(choice, structure=structure_of(model))
    reason = "It was asked for."
    if choice.formulation == AUTOMATIC:
        name, reason = choose(model, implicit=implicit)
        if solved_together(absolute_equations(model)):
            name, reason = "acausal", "A component restricts the motion of bodies: both must be solved together."
        choice = replace(choice, formulation=name)
    if choice not in model.memory:
        softness = (
            softness_of(model, _default_compliance(choice), assembly.state, assembly.placement.parameters)
            if _any_soft(model, choice)
            else {}
        )
        redundant = bool(undetermined_reactions(model, assembly.state, assembly.placement.parameters))
        eq = _running(model, choice, softness, redundant)
        model.memory[choice] = eq, compile_program(eq, model.parameters, inputs_of(model, eq))
    eq, program = model.memory[choice]
    ready = Prepared(eq, program, assembly, model.p_at(eq, parameters), choice, reason)
    return repartitioned(model, ready, 0.0, ready.state) if choice.loops == "partition" else ready


def _running(model: Model, choice: Choice, softness: dict[Row, tuple[float, float]], redundant: bool) -> Equations:
    """As they run: with contacts, and no more of the signals than is used."""

    if (ready := _of_assembly(model, choice, softness, redundant)) is not None and _as_they_run(ready):
        return ready

    def derive(model: Model) -> Equations:
        return with_contacts(_equations(model, choice, softness, redundant)).in_time()

    if not is_own(choice.formulation):
        return derive(model)
    return recalled(model, ("to run", choice, softness, redundant, chosen_by(model)), derive)


def _equations(model: Model, choice: Choice, softness: dict[Row, tuple[float, float]], redundant: bool) -> Equations:
    """In the formulation of the choice; those that assembly has derived already serve again."""
    ready = _of_assembly(model, choice, softness, redundant)
    if ready is not None:
        return ready
    begin(f"deriving the {choice.formulation} equations")
    with model.prepared_for(model.nominal, redundant=redundant):
        return formulate(model, choice.formulation, stabilisation=choice.stabilisation, softness=softness)


def _of_assembly(
    model: Model, choice: Choice, softness: dict[Row, tuple[float, float]], redundant: bool
) -> Equations | None:
    """Those that assembly has derived, where these are what was asked for."""
    if choice.formulation != "absolute" or not isinstance(choice.stabilisation, Projection) or softness:
        return None
    eq = absolute_equations(model)
    if solved_together(eq) or eq.motion.order is None:
        return None
    order = replace(eq.motion.order, redundant=redundant)
    return named_after(eq, replace(eq, motion=replace(eq.motion, order=order)), f"redundant: {redundant}")


def _as_they_run(eq: Equations) -> bool:
    """Whether there is nothing left to be put in."""
    return not eq.contacts.places and not eq.signals.taken


def solved_together(eq: Equations) -> bool:
    """Whether these are acausal: nothing else could be derived."""
    return eq.motion.explicit or eq.contacts.push is not None


def starting_at(ready: Prepared, start: Placed) -> Prepared:
    """The same, from another state: what `equilibrium` or `assemble` has found."""
    placement = getattr(start, "placement", None)
    if not isinstance(placement, Placement):
        raise ModelError(f"start {start!r}.", remedy="Give what m.equilibrium() or m.assemble() returns.")
    return replace(ready, assembly=replace(ready.assembly, placement=placement))


def repartitioned(model: Model, ready: Prepared, t: float, y: np.ndarray) -> Prepared:
    """The same with speeds partitioned as suits the state y; each partition is derived and compiled once."""
    choice = ready.choice
    whole, _ = model.memory[choice]
    if not whole.constraints.velocity.numel():
        return ready
    if not whole.multipliers.numel():  # solved for v̇ already, as points and acausal are
        raise ModelError(
            f"the {ready.formulation} formulation has no loops to partition.",
            component=model.name,
            remedy='Use loops="multipliers", or formulation="absolute" or "minimal".',
        )
    wanted = choice.independent if t == 0 else None  # a wish for the start; later, what suits the position
    partition = choose_partition(whole, t, y, ready.p, wanted, model)
    key = (choice, partition)
    if key not in model.memory:
        eq = partitioned(whole, partition)
        model.memory[key] = eq, compile_program(eq, model.parameters, inputs_of(model, eq))
    eq, program = model.memory[key]
    program.tier = ready.program.tier
    return replace(ready, equations=eq, program=program)


def inputs_of(model: Model, eq: Equations) -> dict[str, float]:
    """Inputs and all that follows time, by name, as these equations have them."""
    return dict(model.input_values(eq))


def _default_compliance(choice: Choice) -> Compliance | None:
    return (choice.compliance or Compliance()) if choice.formulation in COMPLIANT_FORMULATIONS else None


def _any_soft(model: Model, choice: Choice) -> bool:
    return choice.formulation in COMPLIANT_FORMULATIONS or any(c.compliance for c in model.of_type(Constraint))


def start_state(eq: Equations, assembly: Assembly) -> np.ndarray:
    """y = [q, v, z] of an assembly in the coordinates of a formulation."""
    named = assembly.placement.first_order
    z = [named.get(name, 0.0) for name in eq.z_names]
    return np.concatenate([eq.start.state(assembly.placement), z])
