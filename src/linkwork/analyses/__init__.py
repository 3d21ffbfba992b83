"""What can be done with a model besides running it: check, kinematics, linearize, compare, … Importing it makes these
verbs of models.

What takes one module is one here; what takes several is a folder.
"""

from linkwork.analyses import bond_graph, evaluate, floquet, graphs, particles, root_locus, structure
from linkwork.analyses.check import check
from linkwork.analyses.comparison import compare
from linkwork.analyses.equilibrium import equilibrium
from linkwork.analyses.inverse_dynamics import inverse_dynamics
from linkwork.analyses.kinematics import kinematics
from linkwork.analyses.linearization import linearize
from linkwork.analyses.optimisation import optimise
from linkwork.analyses.sensitivity import sensitivity

__all__ = [
    "bond_graph",
    "check",
    "compare",
    "equilibrium",
    "evaluate",
    "floquet",
    "graphs",
    "inverse_dynamics",
    "kinematics",
    "linearize",
    "optimise",
    "particles",
    "root_locus",
    "sensitivity",
    "structure",
]
