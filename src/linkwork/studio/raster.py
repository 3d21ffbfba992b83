"""Triangles to pixels, with a depth buffer: each shows what is nearest there, wherever triangles pierce each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SLIVER = 1e-3
"""Area [pixels²] below which a triangle is not seen, and its slope not known."""
CHUNK = 3_000_000
"""Fragments that are held at once."""


@dataclass(frozen=True)
class Layer:
    """What is nearest at each pixel: face (height, width), −1 where there is none; near (height, width)."""

    face: np.ndarray
    near: np.ndarray


@dataclass(frozen=True)
class Plane:
    """Numbers that are linear over each triangle of the picture: value = at + x·across + y·down, in pixels."""

    at: np.ndarray
    across: np.ndarray
    down: np.ndarray


def planes(corners: np.ndarray, values: np.ndarray) -> Plane:
    """Through values (n, 3) at corners (n, 3, 2)."""
    (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(corners, (1, 2), (0, 1))
    v0, v1, v2 = values.T
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    area = np.where(np.abs(area) > SLIVER, area, np.inf)
    across = ((v1 - v0) * (y2 - y0) - (v2 - v0) * (y1 - y0)) / area
    down = ((v2 - v0) * (x1 - x0) - (v1 - v0) * (x2 - x0)) / area
    return Plane(*(part.astype(np.float32) for part in (v0 - across * x0 - down * y0, across, down)))


def nearest(corners: np.ndarray, near: np.ndarray, width: int, height: int) -> Layer:
    """Triangles with corners (n, 3, 2) [pixels, y downwards] and nearness (n, 3) at them, larger in front."""
    face = np.full(width * height, -1, dtype=np.int32)
    depth = np.full(width * height, -np.inf, dtype=np.float32)
    # from far to near: then most pixels are right at the first go
    order = np.argsort(near.mean(axis=1), kind="stable")
    slope = planes(corners, near)
    rows = _rows(corners, height)
    ends = np.cumsum(rows[order])
    start = 0
    while start < len(order):
        done = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, done + max(CHUNK // 40, 1))), start + 1)
        _draw(corners, slope, order[start:stop], width, height, face, depth)
        start = stop
    return Layer(face.reshape(height, width), depth.reshape(height, width))


def covered(corners: np.ndarray, width: int, height: int) -> np.ndarray:
    """Which pixels any of the triangles covers, (height, width)."""
    pixels = np.zeros(width * height, dtype=bool)
    for start in range(0, len(corners), 4000):
        spans = _spans(corners, np.arange(start, min(start + 4000, len(corners))), width, height)
        pixels[_pixels(spans, width)[0]] = True
    return pixels.reshape(height, width)


@dataclass(frozen=True)
class _Spans:
    """Runs of pixels: of which triangle, in which row, from which column, how many."""

    face: np.ndarray
    row: np.ndarray
    first: np.ndarray
    count: np.ndarray


def _rows(corners: np.ndarray, height: int) -> np.ndarray:
    y = corners[:, :, 1]
    low, high = np.ceil(y.min(axis=1) - 0.5), np.floor(y.max(axis=1) - 0.5)
    return np.maximum(np.clip(high, -1, height - 1) - np.clip(low, 0, height) + 1, 0).astype(np.int64)


def _spans(corners: np.ndarray, faces: np.ndarray, width: int, height: int) -> _Spans:
    """A pixel is covered where its middle is."""
    chosen = corners[faces]
    count = _rows(chosen, height)
    owner = np.repeat(np.arange(len(faces)), count)
    first = np.clip(np.ceil(chosen[:, :, 1].min(axis=1) - 0.5), 0, height).astype(np.int64)
    row = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count) + first[owner]
    y = row + 0.5
    left, right = np.full(len(owner), np.inf), np.full(len(owner), -np.inf)
    for k in range(3):
        (xa, ya), (xb, yb) = chosen[:, k].T, chosen[:, (k + 1) % 3].T
        rise = yb - ya
        lean = (xb - xa) / np.where(rise == 0, np.inf, rise)
        crossed = (y >= np.minimum(ya, yb)[owner]) & (y <= np.maximum(ya, yb)[owner]) & (rise != 0)[owner]
        x = xa[owner] + (y - ya[owner]) * lean[owner]
        left = np.where(crossed, np.minimum(left, x), left)
        right = np.where(crossed, np.maximum(right, x), right)
    start = np.clip(np.ceil(left - 0.5), 0, width)
    length = np.maximum(np.clip(np.ceil(right - 0.5), 0, width) - start, 0)
    filled = length > 0
    return _Spans(*(part[filled] for part in (faces[owner], row, start.astype(np.int64), length.astype(np.int64))))


def _pixels(spans: _Spans, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices of pixels, of the spans they belong to, and how far along these they lie."""
    owner = np.repeat(np.arange(len(spans.count), dtype=np.int32), spans.count)
    along = np.arange(len(owner), dtype=np.int32)
    along -= np.repeat((np.cumsum(spans.count) - spans.count).astype(np.int32), spans.count)
    return np.repeat((spans.row * width + spans.first).astype(np.int32), spans.count) + along, owner, along


def _draw(
    corners: np.ndarray,
    slope: Plane,
    faces: np.ndarray,
    width: int,
    height: int,
    face: np.ndarray,
    depth: np.ndarray,
) -> None:
    spans = _spans(corners, faces, width, height)
    pixel, owner, along = _pixels(spans, width)
    start = (
        slope.at[spans.face]
        + slope.across[spans.face] * (spans.first + 0.5)
        + slope.down[spans.face] * (spans.row + 0.5)
    )
    near = start.astype(np.float32)[owner] + slope.across[spans.face][owner] * along.astype(np.float32)
    # what is written last stays; where something nearer was overwritten it comes again, until nothing does
    ahead = near > depth[pixel]
    while ahead.any():
        pixel, owner, near = pixel[ahead], owner[ahead], near[ahead]
        depth[pixel] = near
        face[pixel] = spans.face[owner]
        ahead = near > depth[pixel]
