"""What exists: bodies, joints, laws, forces, relations, points. Importing it makes them available to models."""

from linkwork.components import (
    bodies,
    contact,
    drives,
    events,
    forces,
    hydraulics,
    joints,
    points,
    relations,
    rolling,
    solids,
    unknowns,
    variables,
)

__all__ = [
    "bodies",
    "contact",
    "drives",
    "events",
    "forces",
    "hydraulics",
    "joints",
    "points",
    "relations",
    "rolling",
    "solids",
    "unknowns",
    "variables",
]
