"""Efforts, flows and state equations, read off a causal graph."""
