"""Frames of joints as they were given, for those who know bodies by number."""

from __future__ import annotations

import numpy as np

from linkwork.components.bodies import Solid
from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.geometry import Pose


def frame_as_given(joint: Joint, which: int) -> tuple[Pose, np.ndarray] | None:
    """Frame M (0) or N (1) on its body as it was given, and the rotation that makes it the joint's own; None: it is
    found from start poses."""
    end = joint._ends[which]
    if not isinstance(end, Marker) or end.in_world:
        return None
    return end.pose, np.eye(3) if joint._axis is None else joint.alignment(which)


def body_of_frame(joint: Joint, which: int) -> Solid:
    """The body that frame M (0) or N (1) is on."""
    end = joint._ends[which]
    return joint.markers()[which].body if end is None else end.body if isinstance(end, Marker) else end
