"""What exists: bodies, joints, laws, forces, relations, points. Importing it makes them available to models."""

from linkwork.components import bodies, events, forces, joints, points, relations, solids

__all__ = ["bodies", "events", "forces", "joints", "points", "relations", "solids"]
