"""What touches: outlines, springy and rigid contact, friction, rolling, tyres."""

from linkwork.components.contacts import (
    cam,
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
    "cam",
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
