"""What exists: bodies, joints, laws, forces, relations, points. Importing it makes them available to models."""

from linkwork.components import bodies, forces, joints, points, relations, solids

__all__ = ["bodies", "forces", "joints", "points", "relations", "solids"]
