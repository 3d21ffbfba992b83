"""What bond graphs by themselves are good for: linearise, reduce, invert."""

from linkwork.analyses.graphs import linearize, reduction

__all__ = ["linearize", "reduction"]
