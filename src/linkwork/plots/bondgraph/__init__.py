"""Drawings of bond graphs: where things stand, how they are marked, and the files they go to."""
