"""Whatever is public, found by introspection: names of `linkwork`, components, verbs, and methods of what they give."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import linkwork as lw
from linkwork.core import registry
from tests.fuzz.scenes import EMPTY, Scene, valid

LEFT_OUT = {
    "component",  # a decorator that would fill the registry with the fuzzer's own classes
    "SX",  # CasADi's own class
    # What analyses give and nobody makes by hand:
    "Assembly", "BondTable", "Causality", "Comparison", "EquationSheet", "Equilibrium", "Finding", "Floquet", "Frame",
    "Distribution", "Fit", "Gradient", "GraphInverse", "GraphReduction", "GraphTransferFunction",
    "JointCoordinate", "KinematicPort", "Linearization", "Load", "Marker", "Mode", "Optimum",
    "Report", "Result", "RootLocus",
    "Sensitivity", "StructuralProperty", "Structure", "SymbolicEquations", "WrenchPort",
    # Errors:
    "AssemblyError", "IntegrationError", "LinkworkError", "LinkworkWarning", "ModelError", "UnknownName",
}  # fmt: skip
WRITES = ("save", "animate", "plot", "snapshot", "show", "watch", "draw", "write", "register", "to_")
"""Methods that draw or write files: slow, or of other packages."""
INNER = {
    "add_row", "alignment", "all_symbols", "attached", "bond_at", "bonds_of", "changed", "clearance", "closure",
    "corners", "corners_between", "derivative", "discard", "end_of", "input_values", "load", "markers", "measure",
    "motion", "moved", "of_type", "offer_bonds", "other", "p_at", "parameter_values", "prepared_for", "prune",
    "reaction_rows", "start_pose", "steps", "symbols", "touched", "warn", "with_jumps",
}  # fmt: skip
"""What the library calls itself, not its users."""


@dataclass(frozen=True)
class Target:
    """Something to call: `find(scene)` gives the function, `arguments(scene)` valid arguments for it."""

    label: str
    kind: str
    find: Callable[[Scene], Callable[..., Any]]
    module: str
    planar: bool = True

    @property
    def slow(self) -> bool:
        """Whether a call derives, compiles or runs something."""
        return self.kind == "verb" or self.label.startswith(("graph.simulate", "graph.paths", "equations."))

    def arguments(self, scene: Scene) -> tuple[list[Any], dict[str, Any]]:
        return valid(self.label.rpartition(".")[2], self.module, self.signature(scene), scene)

    def signature(self, scene: Scene) -> inspect.Signature:
        try:
            return inspect.signature(self.find(scene))
        except (TypeError, ValueError):
            return inspect.Signature([inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)])


def instances(scene: Scene) -> dict[str, Any]:
    """One object of each public class that has methods worth calling."""
    if "instances" in scene.__dict__:
        return scene.__dict__["instances"]
    m = scene.model
    g = lw.BondGraph("g")
    loop = g.one("loop")
    g.Se("E", 1.0, at=loop)
    g.R("R", 1.0, at=loop)
    g.I("I", 1.0, at=loop)
    scene.__dict__["instances"] = {
        "model": m,
        "body": scene.body,
        "ground": m.ground,
        "joint": scene.joint,
        "coordinate": scene.joint.angle,
        "kinematics": lw.Kinematics("kin", 2),
        "variable": m.variable("var"),
        "state": m.state("sta", 0.0, rate=scene.parameter),
        "spring": m.spring("spr", m.ground.at(), scene.second, stiffness=1.0, length=0.1),
        "graph": g,
        "table": lw.Table([0, 1], [0, 1]),
        "signal": lw.Signal(lambda t: t),
        "pose": lw.rotz(0.1),
    }
    return scene.__dict__["instances"]


_RESULTS: dict[str, Any] = {}


def results() -> dict[str, Any]:
    """What analyses give, made once."""
    if not _RESULTS:
        m = Scene().model
        _RESULTS.update(
            result=m.simulate(0.02, output=0.01), linearization=m.linearize(inputs=["u"]), report=m.check(),
            assembly=m.assemble(), equations=m.equations("minimal"), structure=m.structure(),
        )  # fmt: skip
    return _RESULTS


def targets() -> list[Target]:
    found: list[Target] = []
    for name in lw.__all__:
        thing = getattr(lw, name)
        if name in LEFT_OUT or not callable(thing):
            found += list(_of_namespace(name, thing)) if isinstance(thing, types.ModuleType) else []
        else:
            found.append(Target(name, "name", lambda s, f=thing: f, getattr(thing, "__module__", "") or ""))
    for name, cls in registry.components.items():
        if name != "ground" and cls.__module__.startswith("linkwork."):
            found.append(Target(name, "component", lambda s, n=name: getattr(s.model, n), cls.__module__, _flat(cls)))
    for name, function in registry.verbs.items():
        found.append(Target(name, "verb", lambda s, n=name: getattr(s.model, n), function.__module__))
    scene = Scene()
    for owner, thing in instances(scene).items():
        for name in _methods(thing):
            find = lambda s, o=owner, n=name: getattr(instances(s)[o], n)  # noqa: E731
            found.append(Target(f"{owner}.{name}", "method", find, type(thing).__module__))
    for owner, thing in results().items():
        for name in _methods(thing):
            find = lambda s, o=owner, n=name: getattr(results()[o], n)  # noqa: E731
            found.append(Target(f"{owner}.{name}", "method", find, type(thing).__module__))
    return found


def _of_namespace(name: str, module: types.ModuleType) -> Iterator[Target]:
    for word, thing in vars(module).items():
        if inspect.isclass(thing) and thing.__module__ == module.__name__ and not word.startswith("_"):
            yield Target(f"{name}.{word}", "name", lambda s, f=thing: f, module.__name__)


def _flat(cls: type) -> bool:
    """Whether it exists in the plane."""
    return getattr(cls, "plane", ()) is not None


def _methods(thing: Any) -> list[str]:
    own = [n for n in dir(type(thing)) if not n.startswith("_") and not n.startswith(WRITES)]
    own = [n for n in own if n not in INNER and inspect.isfunction(getattr(type(thing), n, None))]
    own = [n for n in own if "view" not in inspect.signature(getattr(type(thing), n)).parameters]
    taken = registry.components.keys() | registry.verbs.keys()
    special = [n for n in ("__getitem__", "__call__", "__contains__") if inspect.isfunction(getattr(type(thing), n, 0))]
    return sorted(n for n in own if n not in taken or not isinstance(thing, lw.Model)) + special


def parameters(target: Target, scene: Scene) -> list[inspect.Parameter]:
    return [p for p in target.signature(scene).parameters.values() if p.name != "self"]


__all__ = ["EMPTY", "Target", "parameters", "targets"]
