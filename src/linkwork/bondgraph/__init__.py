"""Bond graphs: elements, bonds, causality, causal paths, equations read off the graph. Usable without any mechanism.

Power flows along a bond towards its half arrow: effort × flow is positive then. The causal stroke marks the end that
receives the effort (and answers with the flow).
"""

from linkwork.bondgraph import editing, subgraph
from linkwork.bondgraph.assigning import causality
from linkwork.bondgraph.following import paths_report
from linkwork.bondgraph.reading import state_equations
from linkwork.bondgraph.structural import controllability
from linkwork.bondgraph.transfer import transfer_function

__all__ = [
    "causality",
    "controllability",
    "editing",
    "paths_report",
    "state_equations",
    "subgraph",
    "transfer_function",
]
