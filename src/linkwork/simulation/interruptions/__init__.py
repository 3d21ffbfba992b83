"""What interrupts a run, and how it goes on: one file each. Where two want to at one time, the first one here does."""

from linkwork.simulation.interruptions.contacts import Contacts
from linkwork.simulation.interruptions.cosimulation import Cosimulation
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides
from linkwork.simulation.interruptions.repartition import Repartition
from linkwork.simulation.interruptions.sampling import Sampling
from linkwork.simulation.interruptions.settling import Settling
from linkwork.simulation.interruptions.solver_change import SolverChange

KINDS: list[type[Interruption]] = [Cosimulation, Sampling, Contacts, Settling, Repartition, SolverChange]


def interruptions_of(setting: Setting) -> list[Interruption]:
    """Those that have a part in a run."""
    return [interruption for kind in KINDS if (interruption := kind.of(setting)) is not None]


__all__ = ["KINDS", "Interruption", "Moment", "Setting", "Sides", "SolverChange", "interruptions_of"]
