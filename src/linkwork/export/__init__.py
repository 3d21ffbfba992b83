"""Equations to read (text, LaTeX, SymPy) and to use elsewhere (C, Python, CasADi): `m.equations(…)`."""

from linkwork.export import equations, graph, transfer

__all__ = ["equations", "graph", "transfer"]
