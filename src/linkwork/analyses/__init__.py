"""What can be done with a model: assemble, check, simulate, compare, … Importing it makes these verbs of models.

Single steps are modules here; what takes several is a folder named after the activity.
"""

from linkwork.analyses import bond_graph, check, evaluate, simulate, simulate_graph, structure
from linkwork.analyses.assembling import assemble
from linkwork.analyses.comparing import compare
from linkwork.analyses.differentiating import sensitivity
from linkwork.analyses.driving import inverse_dynamics, kinematics
from linkwork.analyses.linearizing import equilibrium, floquet, linearize, root_locus
from linkwork.analyses.optimising import optimise

__all__ = [
    "assemble",
    "bond_graph",
    "check",
    "compare",
    "equilibrium",
    "evaluate",
    "floquet",
    "inverse_dynamics",
    "kinematics",
    "linearize",
    "optimise",
    "root_locus",
    "sensitivity",
    "simulate",
    "simulate_graph",
    "structure",
]
