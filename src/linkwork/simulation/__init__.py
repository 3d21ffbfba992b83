"""Runs: a model, or a bond graph alone, over time. Importing it makes `simulate` a verb of both.

What happens on the way is one file each in `interruptions`; what a run finds against itself, in `watch`.
"""

from linkwork.simulation import graph, simulate
from linkwork.simulation.stepper import stepper

__all__ = ["graph", "simulate", "stepper"]
