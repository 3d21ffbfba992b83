"""Every verb takes parameters and inputs alike: by name, in place of the defaults, refused where there is none such."""

from __future__ import annotations

import inspect
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwork as lw
from linkwork.core import registry

Numbers = Any
OTHER = {"parameters": {"k": 60.0}, "inputs": {"u": 1.3}}


def oscillator(k: float = 40.0, u: float = 0.7, *, resting: bool = False) -> lw.Model:
    """A block on a rail: a spring of stiffness k, a force u."""
    m = lw.Model("oscillator", gravity=(0, -9.81))
    stiffness, force = m.parameter("k", k, unit="N/m"), m.input("u", u, unit="N")
    damping = m.parameter("c", 0.4, unit="N·s/m")
    block = m.body("block", mass=2.0, inertia=0.1)
    rail = m.prismatic("rail", m.ground.at(), block.at())
    rail.slide.law(lw.Spring(stiffness)).law(lw.Damper(damping))
    rail.slide.law(lw.Effort(lambda t, x, v: force * (x if resting else 1 + x)))
    rail.slide.start(0.0 if resting else 0.05, rate=0.0 if resting else 0.1)
    return m


def resting(k: float = 40.0, u: float = 0.7) -> lw.Model:
    """The same at rest where nothing pulls: a motion of any period."""
    return oscillator(k, u, resting=True)


def linkage(k: float = 1.0, u: float = 0.7) -> lw.Model:
    """A slider-crank with a rod of length k and its crank held at the angle u."""
    m = lw.Model("linkage", gravity=(0, -9.81))
    length, angle = m.parameter("k", k), m.input("u", u)
    crank, rod = m.body("crank", mass=1, inertia=1), m.body("rod", mass=1, inertia=1)
    m.revolute("O", m.ground.at(), crank.at(-0.1, 0)).angle.law(lw.Motion(angle))
    m.revolute("A", crank.at(0.1, 0), rod.at(0, 0))
    m.point_on_line("P", m.ground.at(), rod.at(length, 0))
    m.point("tip", rod.at(length, 0))
    return m


def _final(result: Any) -> Numbers:
    return [float(x) for name, x in result.final.items() if name.startswith(("block", "rail", "energy"))]


def _stepped(s: lw.Stepper) -> Numbers:
    s.step()
    return [s[c.name] for c in s.channels if c.name.startswith(("block", "rail", "energy"))]


def _fmu_starts(m: lw.Model, **given: Any) -> Numbers:
    """Start values of all parameters, inputs and states."""
    with TemporaryDirectory() as folder:
        path = m.fmu(Path(folder) / "x.fmu", binary=False, **given)
        with zipfile.ZipFile(path) as whole:
            root = ElementTree.fromstring(whole.read("modelDescription.xml"))
    return [float(v.attrib["start"]) for v in root.iter("Float64") if "start" in v.attrib]


READ: dict[str, tuple[Callable[..., lw.Model], Callable[..., Numbers]]] = {
    "assemble": (linkage, lambda m, **g: [*m.assemble(**g).coordinates.values(), *m.assemble(**g).state]),
    "check": (linkage, lambda m, **g: str(m.check(**g)).partition("; residual")[0]),
    "bondgraph": (oscillator, lambda m, **g: len(m.bondgraph(**g).bonds)),
    "compare": (oscillator, lambda m, **g: _final(m.compare(["absolute", "minimal"], 0.1, **g).results["absolute"])),
    "equations": (oscillator, lambda m, **g: [*(s := m.equations(**g)).p, *s.start]),
    "equilibrium": (oscillator, lambda m, **g: m.equilibrium(**g).coordinates["rail.slide"]),
    "evaluate": (oscillator, lambda m, **g: _final(m.evaluate(**g))),
    "floquet": (resting, lambda m, **g: [*m.floquet(0.5, refine=False, **g).multipliers.real]),
    "fmu": (oscillator, lambda m, **g: _fmu_starts(m, **g)),
    "inverse_dynamics": (
        oscillator,
        lambda m, **g: _final(m.inverse_dynamics({"rail.slide": lambda t: 0.05 + 0.1 * t}, 0.1, **g)),
    ),
    "kinematics": (
        oscillator,
        lambda m, **g: _final(m.kinematics(0.1, drive={"rail.slide": lambda t: 0.05 + 0.1 * t}, **g)),
    ),
    "linearize": (oscillator, lambda m, **g: m.linearize(**g).A.ravel()),
    "optimise": (
        oscillator,
        lambda m, **g: m.optimise(lw.Final("rail.slide"), {"c": (0.1, 0.9)}, 0.1, **g).objective,
    ),
    "particles": (linkage, lambda m, **g: [x for p in m.particles(**g) for x in p.position]),
    "root_locus": (
        oscillator,
        lambda m, **g: np.sort(np.abs(np.ravel(m.root_locus("c", [1.0, 2.0], **g).eigenvalues))),
    ),
    "sensitivity": (
        oscillator,
        lambda m, **g: np.ravel(list(m.sensitivity("rail.slide", "c", 0.1, **g).final.values())),
    ),
    "simulate": (oscillator, lambda m, **g: _final(m.simulate(0.1, **g))),
    "stepper": (oscillator, lambda m, **g: _stepped(m.stepper(0.1, **g))),
    "structure": (oscillator, lambda m, **g: str(m.structure(**g))),
    "sweep": (
        oscillator,
        lambda m, **g: m.sweep({"c": [0.4]}, 0.1, keep="end", channels="rail.*", backend="serial", **g)[
            "rail.slide.end"
        ].item(),
    ),
}
"""verb → (a model with the parameter k and the input u, numbers that a call gives)."""
NEITHER = dict.fromkeys(("connect", "plane"), "it changes the model and asks for no number") | {
    "fit": "its parameters are those that it looks for",
    "save": "it writes the model as it is",
}
NO_INPUTS = {"structure": "which equations there are does not hang on inputs"}
SYMBOLS = {"bondgraph", "structure"}
"""What they give holds symbols: numbers only decide which equations there are."""
TAKING = [(verb, what) for verb in READ for what in OTHER if (verb, what) != ("structure", "inputs")]


def test_every_verb_is_here() -> None:
    assert {*READ, *NEITHER} == {n for n, f in registry.verbs.items() if f.__module__.startswith("linkwork.")}


@pytest.mark.parametrize("verb", READ)
def test_signature(verb: str) -> None:
    taken = inspect.signature(registry.verbs[verb]).parameters
    for what in OTHER if verb not in NO_INPUTS else ("parameters",):
        assert taken[what].kind is inspect.Parameter.KEYWORD_ONLY and taken[what].default is None


@pytest.mark.parametrize(("verb", "what"), TAKING)
def test_given_is_the_same_as_built_in(verb: str, what: str) -> None:
    """A value given in the call does what it does as the default of the model, and it does something."""
    make, read = READ[verb]
    (name, value), *_ = OTHER[what].items()
    value *= 0.02 if make is linkage and what == "parameters" else 1.0
    given, built, before = read(make(), **{what: {name: value}}), read(make(**{name: value})), read(make())
    if isinstance(given, str):
        assert given == built
    else:
        assert given == pytest.approx(built, rel=1e-9, abs=1e-12)
    if verb not in SYMBOLS:
        assert given != pytest.approx(before) if not isinstance(given, str) else given != before


@pytest.mark.parametrize(("verb", "what"), TAKING)
@pytest.mark.parametrize("wrong", [{"kk": 1.0}, {"k": "high", "u": "high"}, {"k": np.nan, "u": np.nan}, ["k"]])
def test_wrong_is_refused(verb: str, what: str, wrong: Any) -> None:
    """An unknown name, a value that is no number, and what is no dictionary."""
    make, read = READ[verb]
    if isinstance(wrong, dict) and "kk" not in wrong:
        wrong = {name: wrong[name] for name in OTHER[what]}
    with pytest.raises(lw.LinkworkError) as told:
        read(make(), **{what: wrong})
    assert any(word in str(told.value) for word in ("kk", "k:", "u:", "oscillator", "linkage"))
