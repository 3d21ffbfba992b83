"""What exists: bodies, joints, laws, forces, contacts, other domains. Importing it makes them available to models."""

from linkwork.components import (
    axial,
    backlash,
    bodies,
    contacts,
    control,
    drives,
    events,
    forces,
    hydraulics,
    joints,
    points,
    relations,
    solids,
    unknowns,
    variables,
    wiring,
)

__all__ = [
    "axial",
    "backlash",
    "bodies",
    "contacts",
    "control",
    "drives",
    "events",
    "forces",
    "hydraulics",
    "joints",
    "points",
    "relations",
    "solids",
    "unknowns",
    "variables",
    "wiring",
]
