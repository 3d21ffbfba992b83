"""MJCF: the compiler's options, and orientations in all the ways a file may give them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.files.robots.tree import Placement
from linkwork.files.robots.xml_tree import Element


@dataclass
class Compiler:
    """What <compiler> says that positions and inertias depend on."""

    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    inertia: str = "auto"
    groups: tuple[float, float] = (0, 5)
    meshes: str = ""
    total_mass: float = -1.0

    def read(self, element: Element) -> list[str]:
        """Take the attributes of an element; gives those that are not understood."""
        known = {"angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "meshdir", "assetdir"}
        known.add("settotalmass")
        quiet = {"texturedir", "discardvisual", "strippath", "convexhull", "usethread", "alignfree", "saveinertial"}
        given = element.attributes
        self.degrees = given.get("angle", "degree" if self.degrees else "radian") == "degree"
        self.sequence = given.get("eulerseq", self.sequence)
        self.autolimits = given.get("autolimits", "true" if self.autolimits else "false") == "true"
        self.inertia = given.get("inertiafromgeom", self.inertia)
        self.meshes = given.get("meshdir", given.get("assetdir", self.meshes))
        self.total_mass = element.number("settotalmass", self.total_mass)
        if "inertiagrouprange" in given:
            low, high = element.numbers("inertiagrouprange", 2)
            self.groups = (low, high)
        usual = {"coordinate": "local", "balanceinertia": "false", "boundmass": "0"}
        usual |= {"boundinertia": "0", "fitaabb": "false", "fusestatic": "false"}
        return [w for w, x in given.items() if w not in known | quiet and usual.get(w) != x]

    def angle(self, value: float) -> float:
        """An angle of the file [rad]."""
        return float(np.deg2rad(value)) if self.degrees else value

    def placement(self, element: Element) -> Placement:
        """Where an element is, seen from what it is in."""
        return Placement(np.array(element.numbers("pos", 3, [0.0, 0.0, 0.0])), self.rotation(element))

    def rotation(self, element: Element) -> np.ndarray:
        """From quat, axisangle, euler, xyaxes or zaxis."""
        given = element.attributes
        said = [w for w in ("quat", "axisangle", "euler", "xyaxes", "zaxis") if w in given]
        if len(said) > 1:
            element.fail(f"{element.said} gives its orientation twice: {' and '.join(said)}.")
        if not said:
            return np.eye(3)
        if said[0] == "quat":
            return from_quaternion(unit(element, "quat", element.numbers("quat", 4)))
        if said[0] == "axisangle":
            *axis, angle = element.numbers("axisangle", 4)
            return about(unit(element, "axisangle", axis), self.angle(angle))
        if said[0] == "zaxis":
            return _to_z(unit(element, "zaxis", element.numbers("zaxis", 3)))
        if said[0] == "xyaxes":
            x, y = np.split(np.array(element.numbers("xyaxes", 6)), 2)
            x = unit(element, "xyaxes", x)
            y = unit(element, "xyaxes", y - (x @ y) * x)
            return np.column_stack([x, y, np.cross(x, y)])
        return self._euler(element)

    def _euler(self, element: Element) -> np.ndarray:
        R = np.eye(3)
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            element.fail(f"eulerseq {self.sequence[:20]!r} is no sequence of three axes.")
        for letter, angle in zip(self.sequence, element.numbers("euler", 3), strict=True):
            turned = about(np.eye(3)["xyz".index(letter.lower())], self.angle(angle))
            R = R @ turned if letter.islower() else turned @ R
        return R


def unit(element: Element, word: str, vector: object) -> np.ndarray:
    """A vector of length 1 along one that is given."""
    direction = np.array(vector, dtype=float)
    size = float(np.linalg.norm(direction))
    if not size > 1e-15:
        element.fail(f"{word} of {element.said} has no direction.")
    return direction / size


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


def from_quaternion(q: np.ndarray) -> np.ndarray:
    """(w, x, y, z), of length 1."""
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def _to_z(z: np.ndarray) -> np.ndarray:
    """The least rotation that turns (0, 0, 1) to a direction."""
    axis = np.cross((0.0, 0.0, 1.0), z)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return about(axis / size, float(np.arctan2(size, z[2])))


def placed_geom(compiler: Compiler, geom: Element) -> tuple[Placement, list[float]]:
    """Where a geom is, and its sizes; `fromto` gives place, direction and half length."""
    size = geom.numbers("size", None, [])
    if "fromto" not in geom.attributes:
        return compiler.placement(geom), size
    a, b = np.split(np.array(geom.numbers("fromto", 6)), 2)
    direction = unit(geom, "fromto", a - b)
    half = float(np.linalg.norm(b - a)) / 2
    if geom.attributes.get("type", "sphere") in ("box", "ellipsoid"):
        size = [*size[:1], *size[:1], half]
    else:
        size = [*size[:1], half]
    return Placement((a + b) / 2, _to_z(direction)), size
