"""How components with ports are joined: to each other, to coordinates, to frames."""

from linkwork.components.wiring import connections, lines_of_action, wired

__all__ = ["connections", "lines_of_action", "wired"]
