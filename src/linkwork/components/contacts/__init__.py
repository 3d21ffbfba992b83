"""What touches: outlines, springy and rigid contact, friction, rolling, tyres."""

from linkwork.components.contacts import (
    contact,
    convex,
    dry_friction,
    features,
    friction,
    joint_friction,
    manifold,
    outlined,
    outlines,
    polytope,
    rigid_contact,
    rolling,
    terrain,
    touching,
    tyres,
)

__all__ = [
    "contact",
    "convex",
    "dry_friction",
    "features",
    "friction",
    "joint_friction",
    "manifold",
    "outlined",
    "outlines",
    "polytope",
    "rigid_contact",
    "rolling",
    "terrain",
    "touching",
    "tyres",
]
