"""Derivatives of a run with respect to parameters, forwards and backwards."""
