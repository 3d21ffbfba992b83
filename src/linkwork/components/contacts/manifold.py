"""Which corners, edges and faces of two convex polytopes touch, or are about to: numbers, at one pose.

The axis along which they overlap least, or are farthest apart, is found among all that can be it (separating axes:
faces of both, and edges across edges). Where a face of one faces a face of the other, corners of each stand over the
other face, and edges cross. Each of these is a contact of its own, whose gap is an exact distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.components.contacts.polytope import Polytope

ON = 1e-9
"""Share of the size within which a point counts as on a line."""
PARALLEL = 1e-6
"""Sine of the angle between edges that have no common normal."""
LEANING = 0.5
"""Cosine between the normal of two edges and that of the face from which on they are no contact along that."""
REACH, LEAST = 0.25, 0.02
"""Shares of the shortest edge and of the smaller one's size within which contacts are chosen ahead of touching."""

NONE = np.zeros(3)


class Feature(NamedTuple):
    """One contact: a corner over a face, an edge across an edge, or (rounded) what is nearest at corners and edges.

    Each vector in its own body's axes. normal_a, normal_b: of the face, from b towards a; along_a, along_b: unit
    vectors along edges; point_a, point_b: a corner, or any point of the face or edge. place: where it is, in b's axes.
    """

    place: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    normal_a: np.ndarray = NONE
    normal_b: np.ndarray = NONE
    along_a: np.ndarray = NONE
    along_b: np.ndarray = NONE
    rounded: bool = False


class Axis(NamedTuple):
    """A direction from b towards a (b's axes), how far they are apart along it [m], and which face it belongs to."""

    normal: np.ndarray
    apart: float
    owner: str = ""
    face: int = 0


@dataclass(frozen=True)
class Manifold:
    """axis: the one that separates best; features; change: how far something moves before these are others [m]."""

    axis: Axis
    features: list[Feature]
    change: float


class Pair:
    """Two polytopes, a at pose (R, p) seen from b."""

    def __init__(self, a: Polytope, b: Polytope, R: np.ndarray, p: np.ndarray):
        self.a, self.b, self.R, self.p = a, b, R, p
        self.a_in_b = a.moved(R, p)
        """a in b's axes."""
        self.size, self.smaller = max(a.radius, b.radius), min(a.radius, b.radius)
        self.reach = max(REACH * min(a.shortest, b.shortest), LEAST * self.smaller)

    def manifold(self, *, rounded: bool, most: int) -> Manifold:
        """most: so many features at most, the outermost ones. rounded: there is a skin around them."""
        face = self._faces()
        edge, crossing, change = self._edges()
        best = edge if edge.apart > face.apart else face
        features: list[Feature] = []
        if face.apart > best.apart - self.reach:
            features, border = self._over_faces(face)
            change = min(change, border) if best is edge else border
        if crossing is not None:
            features.append(crossing)
        if rounded and (near := self._nearest()) is not None:
            axis, feature, border = near
            change = min(change, border)
            if axis.apart > best.apart + ON * self.size:
                best = axis
            features.append(feature)
        return Manifold(best, self._outermost(features, best.normal, most), change)

    def _faces(self) -> Axis:
        """The face of either whose plane has most of the other before it, or least behind."""
        a, b = self.a_in_b, self.b
        over_b = (a.corners @ b.normals.T).min(axis=0) - b.offsets
        over_a = (b.corners @ a.normals.T).min(axis=0) - a.offsets
        i, j = int(over_b.argmax()), int(over_a.argmax())
        if over_b[i] >= over_a[j] - ON * self.size:
            return Axis(b.normals[i], float(over_b[i]), "b", i)
        return Axis(-a.normals[j], float(over_a[j]), "a", j)

    def _edges(self) -> tuple[Axis, Feature | None, float]:
        """The two edges whose common normal separates best, as an axis and as a contact, if they cross.

        And how far they are from doing so, or from crossing no more [m].
        """
        a, b = self.a_in_b, self.b
        none = Axis(NONE, -np.inf), None, np.inf
        if not len(a.directions) or not len(b.directions):
            return none
        normals = np.cross(a.directions[:, None], b.directions[None])
        sine = np.linalg.norm(normals, axis=2)
        first, second = np.nonzero(sine > PARALLEL)
        normals = normals[first, second] / sine[first, second][:, None]
        heights_a, heights_b = normals @ a.corners.T, normals @ b.corners.T
        flipped = heights_a.min(axis=1) - heights_b.max(axis=1) < heights_b.min(axis=1) - heights_a.max(axis=1)
        sign = np.where(flipped, -1.0, 1.0)
        normals, heights_a, heights_b = normals * sign[:, None], heights_a * sign[:, None], heights_b * sign[:, None]
        low, high = heights_a.min(axis=1), heights_b.max(axis=1)
        rows = np.arange(len(first))
        start_a, start_b = a.shape.edges[first, 0], b.shape.edges[second, 0]
        outermost = heights_a[rows, start_a] - low + high - heights_b[rows, start_b] < 10 * ON * self.size
        if not outermost.any():
            return none
        k = int(np.where(outermost, low - high, -np.inf).argmax())
        axis = Axis(normals[k], float(low[k] - high[k]))
        crossing = self._across(int(first[k]), int(second[k]), normals[k])
        if crossing is None:
            return axis, None, 0.0
        ends = np.vstack([a.corners[a.shape.edges[first[k]]], b.corners[b.shape.edges[second[k]]]])
        flat = (ends - crossing.place) - np.outer((ends - crossing.place) @ axis.normal, axis.normal)
        return axis, crossing, float(np.linalg.norm(flat, axis=1).min())

    def _across(self, i: int, j: int, normal: np.ndarray) -> Feature | None:
        """Edge i of a across edge j of b, unless their nearest points lie beyond their ends."""
        a, b = self.a_in_b, self.b
        x, y = a.corners[a.shape.edges[i]], b.corners[b.shape.edges[j]]
        u, v, w = x[1] - x[0], y[1] - y[0], x[0] - y[0]
        uu, vv, uv, uw, vw = u @ u, v @ v, u @ v, u @ w, v @ w
        det = uu * vv - uv * uv
        s, t = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
        if not (0 <= s <= 1 and 0 <= t <= 1):
            return None
        side = 1.0 if np.cross(u, v) @ normal > 0 else -1.0
        return Feature(
            place=y[0] + t * v,
            point_a=self.a.corners[a.shape.edges[i, 0]],
            point_b=y[0],
            along_a=side * self.a.directions[i],
            along_b=b.directions[j],
        )

    def _over_faces(self, axis: Axis) -> tuple[list[Feature], float]:
        """What of the other's nearest face is over this one, and the reverse; and how far that is from changing."""
        own, other = (self.b, self.a_in_b) if axis.owner == "b" else (self.a_in_b, self.b)
        outward = own.normals[axis.face]
        lowest = int((other.corners @ outward).argmin())
        beside = [k for k, ring in enumerate(other.shape.rings) if lowest in ring]
        facing = min(beside, key=lambda k: float(other.normals[k] @ outward))
        mine, theirs = list(own.shape.rings[axis.face]), list(other.shape.rings[facing])
        close, near = self._close(other, theirs, outward), ON * self.size
        over, under = _beyond(other.corners[close], own.corners[mine], outward), np.zeros(0)
        turn = {"a": "b", "b": "a"}[axis.owner]
        features = [self._corner(turn, close[k], axis.face) for k in np.flatnonzero(over <= near)]
        flat = bool(other.normals[facing] @ outward < -0.1)  # else it stands on its edge
        if flat:
            close = self._close(own, mine, -outward)
            under = _beyond(own.corners[close], other.corners[theirs], other.normals[facing])
            features += [self._corner(axis.owner, close[k], facing) for k in np.flatnonzero(under <= near)]
        if len(mine) > 2 and flat:
            features += self._crossings(axis, mine, theirs)
        distances = np.abs(np.concatenate([over, under]))
        return features, float(distances.min())

    def _close(self, body: Polytope, ring: list[int], along: np.ndarray) -> list[int]:
        """Corners of a face, and others that lie hardly farther along a direction: of faces that are nearly flush."""
        heights = body.corners @ along
        return [*ring, *(int(k) for k in np.flatnonzero(heights < heights.min() + self.reach) if k not in ring)]

    def _corner(self, whose: str, corner: int, face: int) -> Feature:
        """A corner of one over a face of the other."""
        if whose == "a":
            return Feature(
                place=self.a_in_b.corners[corner],
                point_a=self.a.corners[corner],
                point_b=self.b.corners[self.b.shape.rings[face][0]],
                normal_b=self.b.normals[face],
            )
        return Feature(
            place=self.b.corners[corner],
            point_a=self.a.corners[self.a.shape.rings[face][0]],
            point_b=self.b.corners[corner],
            normal_a=-self.a.normals[face],
        )

    def _crossings(self, axis: Axis, mine: list[int], theirs: list[int]) -> list[Feature]:
        """Edges of one face that cross edges of the other."""
        rings = (theirs, mine) if axis.owner == "b" else (mine, theirs)
        edges_a, edges_b = (_edges_of(body, ring) for body, ring in zip((self.a_in_b, self.b), rings, strict=True))
        i, j = (k.ravel() for k in np.meshgrid(edges_a, edges_b, indexing="ij"))
        normals = np.cross(self.a_in_b.directions[i], self.b.directions[j])
        sine = np.linalg.norm(normals, axis=1)
        facing = np.abs(normals @ axis.normal) >= LEANING * sine
        skew = np.flatnonzero(facing & (sine > PARALLEL))
        crossings = [self._across(int(i[k]), int(j[k]), axis.normal) for k in skew]
        return [crossing for crossing in crossings if crossing is not None]

    def _nearest(self) -> tuple[Axis, Feature, float] | None:
        """The nearest points where these lie on corners or edges, but not across edges; None where cores overlap.

        And how far they are from lying on other corners or edges [m].
        """
        a, b = self.a_in_b, self.b
        if len(a.directions):
            pairs_a, pairs_b = a.shape.edges, b.shape.edges
        else:
            pairs_a, pairs_b = np.array(a.shape.rings), np.array(b.shape.rings)
        i, j = (k.ravel() for k in np.meshgrid(np.arange(len(pairs_a)), np.arange(len(pairs_b)), indexing="ij"))
        x, u = a.corners[pairs_a[i, 0]], a.corners[pairs_a[i, 1]] - a.corners[pairs_a[i, 0]]
        y, v = b.corners[pairs_b[j, 0]], b.corners[pairs_b[j, 1]] - b.corners[pairs_b[j, 0]]
        s, t = _on_segments(x, u, y, v)
        away = x + s[:, None] * u - y - t[:, None] * v
        k = int(np.linalg.norm(away, axis=1).argmin())
        length = float(np.linalg.norm(away[k]))
        inside = [bool(1e-9 < m < 1 - 1e-9) for m in (s[k], t[k])]
        if length <= ON * self.size or all(inside):
            return None
        ends = pairs_a[i[k], int(s[k] > 0.5)], pairs_b[j[k], int(t[k] > 0.5)]
        own = self.a.corners[pairs_a[i[k]]]
        feature = Feature(
            place=y[k] + t[k] * v[k],
            point_a=self.a.corners[ends[0]],
            point_b=b.corners[ends[1]],
            along_a=(own[1] - own[0]) / np.linalg.norm(own[1] - own[0]) if inside[0] else NONE,
            along_b=v[k] / np.linalg.norm(v[k]) if inside[1] else NONE,
            rounded=True,
        )
        borders = [np.inf]
        for body, pairs, edge, at, end, within in (
            (a, pairs_a, i[k], s[k], ends[0], inside[0]),
            (b, pairs_b, j[k], t[k], ends[1], inside[1]),
        ):
            along = body.corners[pairs[:, 1]] - body.corners[pairs[:, 0]]
            lengths = np.linalg.norm(along, axis=1)
            if within:
                borders.append(min(at, 1 - at) * lengths[edge])
            else:
                beside = (pairs == end).any(axis=1)
                borders += np.abs(along[beside] @ away[k] / lengths[beside]).tolist()
        return Axis(away[k] / length, length), feature, float(min(borders))

    def _outermost(self, features: list[Feature], normal: np.ndarray, most: int) -> list[Feature]:
        """Without those that are where another is; of too many, the deepest, and of these the farthest apart."""
        flat = np.eye(3) - np.outer(normal, normal)
        near = 1e-6 * self.size
        kept: list[Feature] = []
        for feature in features:
            if all(np.linalg.norm(flat @ (feature.place - other.place)) > near for other in kept):
                kept.append(feature)
        if len(kept) <= most:
            return kept
        gaps, places = np.array([self._gap(f) for f in kept]), np.array([flat @ f.place for f in kept])
        away = np.linalg.norm(places - places.mean(axis=0), axis=1)
        chosen: list[int] = []
        while len(chosen) < most:
            gaps[chosen] = np.inf
            chosen.append(int(np.where(gaps <= gaps.min() + near, away, -1.0).argmax()))
            away = np.linalg.norm(places[:, None] - places[chosen], axis=2).min(axis=1)
        return [kept[k] for k in sorted(chosen)]

    def _gap(self, feature: Feature) -> float:
        """Height of a's point over b's along the normal, without a skin [m]."""
        u, v, w = self.R @ feature.along_a, feature.along_b, self.R @ feature.point_a + self.p - feature.point_b
        if feature.rounded:
            return float(np.linalg.norm(w - u @ w * u - v @ w * v))
        across = np.cross(u, v)
        normal = self.R @ feature.normal_a + feature.normal_b + across / max(float(np.linalg.norm(across)), 1e-300)
        return float(normal @ w)


def apart(a: Polytope, b: Polytope, R: np.ndarray, p: np.ndarray) -> float:
    """Along the axis that separates them best [m]; less than zero: so far must one move to be free of the other."""
    pair = Pair(a, b, R, p)
    return max(pair._faces().apart, pair._edges()[0].apart)


def moved(feature: Feature, R: np.ndarray, p: np.ndarray) -> Feature:
    """The same, with its place at another pose of a seen from b."""
    x, y = R @ feature.point_a + p, feature.point_b
    if np.any(feature.normal_a):
        return feature._replace(place=y)
    u, v = R @ feature.along_a, feature.along_b
    if not np.any(u):
        return feature._replace(place=x)
    w, across = x - y, float(u @ v)
    return feature._replace(place=x + (across * (v @ w) - u @ w) / max(1 - across**2, PARALLEL**2) * u)


def _beyond(points: np.ndarray, ring: np.ndarray, along: np.ndarray) -> np.ndarray:
    """How far each point is outside a ring of corners [m], seen along a direction; less than zero: inside."""
    if len(ring) == 2:
        side = ring[1] - ring[0]
        side = side - side @ along * along
        outward, corners = np.array([-side, side]), ring
    else:
        outward = np.cross(np.roll(ring, -1, axis=0) - ring, along)
        outward *= np.where(np.einsum("ij,ij->i", outward, ring.mean(axis=0) - ring) > 0, -1.0, 1.0)[:, None]
        corners = ring
    outward = outward / np.maximum(np.linalg.norm(outward, axis=1), 1e-300)[:, None]
    return ((points[:, None] - corners[None]) * outward[None]).sum(axis=2).max(axis=1)


def _edges_of(body: Polytope, ring: list[int]) -> list[int]:
    """Numbers of the edges around a face."""
    pairs = {tuple(sorted(pair)) for pair in zip(ring, (*ring[1:], ring[0]), strict=True)}
    return [k for k, edge in enumerate(body.shape.edges) if (int(edge[0]), int(edge[1])) in pairs]


def _on_segments(x: np.ndarray, u: np.ndarray, y: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where on segments from x along u and from y along v (one per row) they are nearest, 0 … 1 of their lengths."""

    def dots(k: np.ndarray, m: np.ndarray) -> np.ndarray:
        return np.einsum("ij,ij->i", k, m)

    w = x - y
    uu, vv, uv, uw, vw = dots(u, u), dots(v, v), dots(u, v), dots(u, w), dots(v, w)
    det = uu * vv - uv**2
    skew = det > 1e-14 * uu * vv
    s = np.clip(np.where(skew, (uv * vw - vv * uw) / np.where(skew, det, 1.0), 0.5), 0, 1)
    t = np.clip((uv * s + vw) / vv, 0, 1)
    s = np.clip((uv * t - uw) / uu, 0, 1)
    return s, np.clip((uv * s + vw) / vv, 0, 1)
