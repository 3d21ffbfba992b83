"""Bicausal bonds: both effort and flow go the same way, from what is wanted to what must bring it about."""
