"""MJCF: actuators at joints, each an input of the model and a law on a coordinate."""

from __future__ import annotations

from linkwork.components.laws import Effort
from linkwork.core.errors import UnknownName
from linkwork.files.robots.mjcf_scene import Scene
from linkwork.files.robots.xml_tree import Element
from linkwork.geometry import SX
from linkwork.geometry.functions import fmax, fmin

KNOWN = ("motor", "position", "velocity", "general")
USUAL = {"dyntype": "none", "gaintype": "fixed"}


def actuate(scene: Scene, element: Element) -> None:
    """Add an actuator: force = gain·control + bias₀ + bias₁·length + bias₂·speed, length = gear·coordinate."""
    if element.tag not in KNOWN:
        return scene.report.left_out(element, f"actuators of the kind <{element.tag}> are not understood.")
    name = element.attributes.get("joint")
    if name is None:
        return scene.report.left_out(element, "only actuators at joints are taken.")
    if name not in scene.joints:
        error = UnknownName("joint", name, scene.joints)
        element.fail(error.cause, error.remedy)
    part = scene.joints[name]
    odd = [w for w, usual in USUAL.items() if element.attributes.get(w, usual) != usual]
    if odd or part.kind not in ("hinge", "slide") or element.attributes.get("biastype", "affine") not in BIASES:
        return scene.report.left_out(element, "actuators with dynamics, muscles, or at ball joints are not taken.")
    coefficients = _coefficients(scene, element)
    if coefficients is None:
        return None
    gain, bias = coefficients
    gear = element.leading("gear", 1.0)
    control = scene.model.input(scene.name(element.attributes.get("name") or f"{name}-control"), 0.0)
    bounded = _bounded(scene, element, control, "ctrl")
    ref = part.ref

    def effort(x: SX, v: SX) -> SX:
        force = gain * bounded + bias[0] + bias[1] * gear * (x + ref) + bias[2] * gear * v
        return gear * _bounded(scene, element, force, "force")

    part.joint.coordinates[0].law(Effort(effort))
    return None


BIASES = ("none", "affine")


def _coefficients(scene: Scene, element: Element) -> tuple[float, list[float]] | None:
    """Gain, and bias of a constant, of the length and of the speed."""
    if element.tag == "motor":
        return 1.0, [0.0, 0.0, 0.0]
    if element.tag == "position":
        if "dampratio" in element.attributes or element.number("timeconst", 0.0):
            scene.report.left_out(element, "dampratio and timeconst are not understood: it is left out.")
            return None
        kp = element.number("kp", 1.0)
        return kp, [0.0, -kp, -element.number("kv", 0.0)]
    if element.tag == "velocity":
        kv = element.number("kv", 1.0)
        return kv, [0.0, 0.0, -kv]
    gain = element.leading("gainprm", 1.0)
    affine = element.attributes.get("biastype", "none") == "affine"
    return gain, [*element.numbers("biasprm", None, [0.0]), 0.0, 0.0, 0.0][:3] if affine else [0.0, 0.0, 0.0]


def _bounded(scene: Scene, element: Element, value: SX, word: str) -> SX:
    limited = element.attributes.get(f"{word}limited", "auto")
    if limited == "false" or f"{word}range" not in element.attributes:
        return value
    if limited == "auto" and not scene.compiler.autolimits:
        return value
    low, high = element.numbers(f"{word}range", 2)
    return fmin(fmax(value, low), high)
