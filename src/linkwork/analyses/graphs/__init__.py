"""What bond graphs by themselves are good for: linearise, reduce, invert."""

from linkwork.analyses.graphs import inverse, linearize, reduction

__all__ = ["inverse", "linearize", "reduction"]
