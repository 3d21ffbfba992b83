"""The mechanism as a graph: bodies are nodes, joints are edges."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from linkwork.components.joint import Joint

if TYPE_CHECKING:
    from linkwork.core.model import Model


def neighbours(model: Model) -> dict[str, list[tuple[Joint, str]]]:
    """body → [(joint, body at its other end)]."""
    graph: dict[str, list[tuple[Joint, str]]] = {}
    for joint in model.of_type(Joint):
        a, b = joint.first.body.name, joint.second.body.name
        graph.setdefault(a, []).append((joint, b))
        graph.setdefault(b, []).append((joint, a))
    return graph


def loop_through(model: Model, joint: Joint) -> list[str]:
    """Names of the joints on the shortest loop that `joint` closes, itself first; only itself if there is none."""
    graph = neighbours(model)
    start, goal = joint.second.body.name, joint.first.body.name
    came: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if here == goal:
            break
        for other, there in graph[here]:
            if other is not joint and there not in came:
                came[there] = (here, other.name)
                queue.append(there)
    path = []
    while goal in came and came[goal][1]:
        goal, name = came[goal]
        path.append(name)
    return [joint.name, *reversed(path)]
