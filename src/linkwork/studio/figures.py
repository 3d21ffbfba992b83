"""Outlines of plane figures: closed rings of points (n, 2), counter-clockwise."""

from __future__ import annotations

import numpy as np

ROUND = 32


def circle(radius: float, centre: object = (0, 0), corners: int = ROUND) -> np.ndarray:
    angle = np.arange(corners) * 2 * np.pi / corners
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radius + np.asarray(centre, dtype=float)[:2]


def rectangle(length: float, width: float, centre: object = (0, 0)) -> np.ndarray:
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (length / 2, width / 2)
    return corners + np.asarray(centre, dtype=float)[:2]


def hull(points: np.ndarray) -> np.ndarray:
    """The convex hull (Andrew's monotone chain)."""
    ordered = sorted(set(map(tuple, np.asarray(points, dtype=float)[:, :2].tolist())))
    if len(ordered) < 3:
        return np.array(ordered)

    def half(chain: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        kept: list[tuple[float, ...]] = []
        for p in chain:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def link(points: np.ndarray, radius: float) -> np.ndarray:
    """A rounded plate that holds all points, `radius` beyond them: for two points a bar with round ends."""
    return hull(np.vstack([circle(radius, p) for p in np.asarray(points)]))


def gear(radius: float, teeth: int) -> np.ndarray:
    """A spur gear with straight flanks; module = 2 radius / teeth, one above and 1.2 below the pitch circle."""
    module = 2 * radius / teeth
    pitch = 2 * np.pi / teeth
    shape = ((-0.32, radius - 1.2 * module), (-0.14, radius + module), (0.14, radius + module),
             (0.32, radius - 1.2 * module))  # fmt: skip
    ring = [(r, (k + s) * pitch) for k in range(teeth) for s, r in shape]
    return np.array([(r * np.cos(a), r * np.sin(a)) for r, a in ring])


def zigzag(length: float, width: float, turns: int) -> np.ndarray:
    """A spring seen from the side, along x from 0 to `length`."""
    share = np.concatenate([[0, 0.1], 0.1 + 0.8 * (np.arange(2 * turns) + 0.5) / (2 * turns), [0.9, 1]])
    side = np.concatenate([[0, 0], np.where(np.arange(2 * turns) % 2, -1, 1) * width / 2, [0, 0]])
    return np.column_stack([share * length, side])


def arc(radius: float, start: float, end: float, corners: int = 28) -> np.ndarray:
    angle = np.linspace(start, end, corners)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radius


def hatching(start: object, end: object, depth: float, gap: float) -> list[np.ndarray]:
    """Short slanting lines below the line from start to end, on its right-hand side."""
    a, b = np.asarray(start, dtype=float)[:2], np.asarray(end, dtype=float)[:2]
    length = float(np.linalg.norm(b - a))
    u = (b - a) / length
    below = np.array([u[1], -u[0]])
    places = np.arange(gap / 2, length, gap)
    return [np.array([a + s * u, a + (s - depth) * u + depth * below]) for s in places]
