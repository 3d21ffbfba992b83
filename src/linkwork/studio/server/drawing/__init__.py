"""Drawn planar mechanisms: what is drawn becomes components of a model file, and nothing else is kept of it."""
