"""Functional Mock-up Units of others while they run."""
