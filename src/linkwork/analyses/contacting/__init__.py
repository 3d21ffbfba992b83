"""Rigid contacts in a run: impulses, and which contacts close, stick, slide or open."""
