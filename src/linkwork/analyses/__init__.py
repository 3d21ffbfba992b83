"""What can be done with a model: assemble, check, compare, simulate. Importing it makes these verbs of models."""

from linkwork.analyses import assemble, check, compare, evaluate, simulate

__all__ = ["assemble", "check", "compare", "evaluate", "simulate"]
