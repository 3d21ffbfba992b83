"""Inverse models of bond graphs: the source that brings about a wanted output."""

from linkwork.analyses.graphs.inverse.inverse import GraphInverse, inverse

__all__ = ["GraphInverse", "inverse"]
