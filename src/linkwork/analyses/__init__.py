"""What can be done with a model: assemble, check, simulate. Importing it makes the verbs available to models."""

from linkwork.analyses import assemble, check, evaluate, simulate

__all__ = ["assemble", "check", "evaluate", "simulate"]
