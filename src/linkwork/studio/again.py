"""The same things in another motion: what a run with other parameters shows, without drawing anything anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.core.result import Result
from linkwork.studio.motion import Motion
from linkwork.studio.scene import Arrow, Node, Scene, Trace


def moved(scene: Scene, result: Result) -> Scene | None:
    """The scene with the motion of another result of the same mechanism, whose description is the same.

    What is seen, sizes of symbols and scales of arrows stay. None: something in it follows from more than where the
    bodies are, so that it must be built anew.
    """
    motion = Motion(result)
    nodes = [_node(node, motion) for node in scene.nodes]
    arrows = [_arrow(arrow, motion, scene.scales.get(arrow.group, 0.0)) for arrow in scene.arrows]
    traces = [_trace(trace, motion) for trace in scene.traces]
    kept = [node for node in nodes if node is not None], [a for a in arrows if a is not None]
    drawn = [trace for trace in traces if trace is not None]
    if scene.curves or (len(kept[0]), len(kept[1]), len(drawn)) != (len(nodes), len(arrows), len(traces)):
        return None
    return replace(scene, t=motion.t, nodes=kept[0], arrows=kept[1], traces=drawn)


def _node(node: Node, motion: Motion) -> Node | None:
    if node.between is not None or (node.scale is None and (node.on is not None or len(node.position) == 1)):
        return node
    if node.group != "body" or node.scale is not None or node.name not in motion.paths:
        return None
    path = motion.paths[node.name]
    return replace(node, position=path.p, quaternion=path.q)


def _arrow(arrow: Arrow, motion: Motion, scale: float) -> Arrow | None:
    """Reactions, and forces that are channels; other arrows have scales of their own."""
    channel = f"{arrow.name}.reaction.f" if arrow.group == "reaction" else f"{arrow.name}.f"
    if arrow.on is None or f"{channel}x" not in motion.result or not scale > 0:
        return None
    vectors = motion.vector(channel) * scale
    return replace(arrow, vectors=vectors) if np.isfinite(vectors).all() else None


def _trace(trace: Trace, motion: Motion) -> Trace | None:
    part = motion.description.get("parts", {}).get(trace.name)
    if part is None or "marker" not in part["frames"]:
        return None
    return replace(trace, points=motion.frame(part["frames"]["marker"]).p)
