"""Where names go in a picture: beside what they name, over no part and over no other name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

DIRECTIONS = tuple(
    (np.cos(a), np.sin(a)) for a in np.deg2rad([45, 135, -45, -135, 90, -90, 0, 180, 20, 160, -20, -160])
)
RINGS = 14
"""Distances at which room is looked for, each half a line of text farther away."""


@dataclass(frozen=True)
class Name:
    """A text with its box (left, low, wide, tall), and whether a line must lead to its point."""

    text: str
    box: tuple[float, float, float, float]
    point: tuple[float, float]
    far: bool


class Room:
    """Which places of a picture are free; lengths in cells of `taken` (rows, columns), y upwards from the last row."""

    def __init__(self, taken: np.ndarray):
        self.height, self.width = taken.shape
        self.sums = np.zeros((self.height + 1, self.width + 1), dtype=np.int64)
        self.sums[1:, 1:] = taken[::-1].cumsum(axis=0).cumsum(axis=1)
        self.boxes: list[tuple[float, float, float, float]] = []

    def is_free(self, box: tuple[float, float, float, float]) -> bool:
        left, low, wide, tall = box
        if left < 0 or low < 0 or left + wide > self.width or low + tall > self.height:
            return False
        a, b, c, d = int(left), int(np.ceil(left + wide)), int(low), int(np.ceil(low + tall))
        if self.sums[d, b] - self.sums[c, b] - self.sums[d, a] + self.sums[c, a]:
            return False
        return not any(left < x + w and x < left + wide and low < y + h and y < low + tall for x, y, w, h in self.boxes)

    def take(self, box: tuple[float, float, float, float]) -> None:
        self.boxes.append(box)


def named(room: Room, points: Sequence[tuple[str, float, float]], letter: float, line: float) -> Iterator[Name]:
    """Boxes for names of points; one that finds no room is left out. letter, line: size of letters [cells]."""
    for text, x, y in points:
        wide, tall = letter * len(text), line
        for ring in range(RINGS):
            reach = (0.4 + 0.5 * ring) * line
            boxes = (_beside(x, y, dx, dy, reach, wide, tall) for dx, dy in DIRECTIONS)
            free = next((box for box in boxes if room.is_free(box)), None)
            if free is not None:
                room.take(free)
                yield Name(text, free, (x, y), ring > 1)
                break


def _beside(
    x: float, y: float, dx: float, dy: float, reach: float, wide: float, tall: float
) -> tuple[float, float, float, float]:
    """The box whose nearest point lies in a direction from the point, at a distance."""
    return (x + dx * reach + (dx - 1) * wide / 2, y + dy * reach + (dy - 1) * tall / 2, wide, tall)
