"""Every argument of every component is declared, and what is refused as a number is refused as a parameter's value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest

import linkwork as lw
from linkwork.core import registry
from linkwork.core.declared import Argument, arguments_of

from ..fuzz.scenes import Scene, valid

COMPONENTS = {word: cls for word, cls in registry.components.items() if cls.__module__.startswith("linkwork.")}
del COMPONENTS["ground"]
TOGETHER: dict[str, dict[str, Any]] = {
    "contact": {"bristle": 1e4},
    "hydraulic_cylinder": {"bulk_modulus": 1e9, "head_volume": 1e-3, "rod_volume": 1e-3},
    "hydraulic_line": {"inertance": 1e6},
}
"""What some arguments need beside them."""
DOUBTFUL = (-1.0, 0.0, 2.0, -1e9)
"""Numbers of which some are out of any range."""


def arguments(cls: type) -> dict[str, Argument]:
    found = {a.name: a for a in arguments_of(cls.__init__).values()}
    return {word: a for word, a in found.items() if word not in ("self", "name")}


def named(wanted: Callable[[Argument], bool]) -> list[Any]:
    """Component and argument, of all components."""
    every = ((word, name, a) for word, cls in COMPONENTS.items() for name, a in arguments(cls).items())
    return [pytest.param(word, name, id=f"{word}-{name}") for word, name, a in every if wanted(a)]


def takes_numbers(argument: Argument) -> bool:
    return {float, lw.SX} <= {part for hint in get_args(argument.hint) for part in (hint, *get_args(hint))}


def scene_of(word: str) -> Scene:
    return Scene(planar=getattr(COMPONENTS[word], "plane", ()) is not None)


def built(word: str, name: str, value: Any) -> lw.Model:
    """A model with a component of this kind, one of whose arguments is `value`, a number or a parameter."""
    scene = scene_of(word)
    call = getattr(scene.model, word)
    args, named = valid(word, COMPONENTS[word].__module__, inspect.signature(call), scene)
    named = named | TOGETHER.get(word, {})
    given = value(scene.model) if callable(value) else value
    order = [p.name for p in inspect.signature(call).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    if name in order[: len(args)]:
        args[order.index(name)] = given
    elif inspect.signature(call).parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
        args[-1] = given
    else:
        named[name] = given
    if {name} & {"mass", "density"} and word in ("box", "cylinder", "rod", "sphere"):
        named = {k: v for k, v in named.items() if k not in {"mass", "density"} - {name}}
    call(*args, **named)
    return scene.model


def refusal(word: str, name: str, value: Any) -> lw.LinkworkError | None:
    try:
        built(word, name, value).parameter_values()
    except lw.LinkworkError as error:
        return error
    return None


@pytest.mark.parametrize("word", COMPONENTS)
def test_every_argument_has_a_type_and_a_meaning(word):
    for name, argument in arguments(COMPONENTS[word]).items():
        assert argument.meaning, name
        assert argument.hint is not Any, name


@pytest.mark.parametrize("word", COMPONENTS)
def test_help_tells_every_argument(word):
    method = getattr(scene_of(word).model, word)
    told = [line.partition(":")[0] for line in (method.__doc__ or "").splitlines()]
    for name, argument in arguments(COMPONENTS[word]).items():
        line = next(line for line in told if line.split()[:1] == [name])
        assert argument.kind.unit in line
    assert not any(p.annotation is inspect.Parameter.empty for p in inspect.signature(method).parameters.values())
    assert inspect.signature(method).return_annotation == COMPONENTS[word].__name__


@pytest.mark.parametrize(("word", "name"), named(takes_numbers))
def test_what_is_refused_as_a_number_is_refused_as_a_parameter(word, name):
    for number in DOUBTFUL:
        told = refusal(word, name, number)
        as_parameter = refusal(word, name, lambda m, x=number: m.parameter("doubtful", x))
        if told is not None and "lw.signed" not in told.remedy:
            assert as_parameter is not None, f"{name}={number}: {told}"
            assert as_parameter.remedy


@pytest.mark.parametrize(("word", "name"), named(lambda a: a.kind.range is not None and not a.kind.range.slip))
def test_ranges_are_verified(word, name):
    """The message names component, argument, value and remedy."""
    argument = arguments(COMPONENTS[word])[name]
    bad = next(x for x in DOUBTFUL if not argument.kind.range.holds(x))
    told = refusal(word, name, lambda m: m.parameter("bad", bad))
    assert told is not None and told.component == "x" and told.remedy
    assert name.replace("_", " ") in told.cause.replace("_", " ") and str(bad) in told.cause
    assert refusal(word, name, bad) is not None


@pytest.mark.parametrize("word", registry.verbs)
def test_help_tells_every_argument_of_a_verb(word):
    verb = registry.verbs[word]
    for name in list(inspect.signature(verb).parameters)[1:]:
        assert re.search(rf"\b{name}\b", verb.__doc__), name


def circuit() -> lw.Model:
    m = lw.Model("circuit")
    body = m.body("wheel", mass=1.0, inertia=0.1)
    pin = m.revolute("pin", m.ground.at(), body.at())
    R = m.parameter("R", 1.0)
    m.dc_motor("motor", pin.angle, voltage=m.input("u", 0.0), resistance=R, inductance=0.1, constant=0.2)
    pin.angle.law(lw.Damper(m.parameter("d", 0.1)))
    pin.angle.law(lw.Friction(0.01, stribeck=m.parameter("vs", 0.1)))
    return m


VERBS = {
    "assemble": lambda m, p: m.assemble(parameters=p),
    "bondgraph": lambda m, p: m.bondgraph(parameters=p),
    "check": lambda m, p: m.check(parameters=p),
    "compare": lambda m, p: m.compare(["absolute", "minimal"], 0.1, parameters=p),
    "equations": lambda m, p: m.equations("minimal", parameters=p),
    "equilibrium": lambda m, p: m.equilibrium(parameters=p),
    "evaluate": lambda m, p: m.evaluate(parameters=p),
    "floquet": lambda m, p: m.floquet(0.1, parameters=p),
    "fmu": lambda m, p: m.fmu("x.fmu", binary=False, parameters=p),
    "inverse_dynamics": lambda m, p: m.inverse_dynamics({"pin.angle": lambda t: t}, 0.1, parameters=p),
    "kinematics": lambda m, p: m.kinematics(0.1, drive={"pin.angle": lambda t: t}, parameters=p),
    "linearize": lambda m, p: m.linearize(parameters=p),
    "optimise": lambda m, p: m.optimise(lw.Final("pin.angle"), {"d": (0.1, 1.0)}, 0.1, parameters=p),
    "particles": lambda m, p: m.particles(parameters=p),
    "root_locus": lambda m, p: m.root_locus("d", [0.1, 0.2], parameters=p),
    "sensitivity": lambda m, p: m.sensitivity("pin.angle", "d", 0.1, parameters=p),
    "simulate": lambda m, p: m.simulate(0.1, parameters=p),
    "stepper": lambda m, p: m.stepper(0.01, parameters=p),
    "structure": lambda m, p: m.structure(parameters=p),
    "sweep": lambda m, p: m.sweep({"u": [0.0]}, 0.1, parameters=p),
}


def test_every_verb_is_tried():
    asked = {word for word, verb in registry.verbs.items() if "parameters" in inspect.signature(verb).parameters}
    assert asked - {"fit"} == set(VERBS)  # whose parameters are those that it looks for


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("name", "told"), [("R", r"^motor: resistance -1"), ("vs", r"^pin\.angle: stribeck -1")])
def test_every_verb_verifies_ranges(verb, name, told):
    with pytest.raises(lw.ModelError, match=told):
        VERBS[verb](circuit(), {name: -1.0})


def test_values_that_are_swept_are_verified():
    with pytest.raises(lw.ModelError, match=r"^pin\.angle: stribeck -0\.1"):
        circuit().root_locus("vs", [0.1, -0.1])
    with pytest.raises(lw.ModelError, match=r"^motor: resistance -"):
        circuit().optimise(lw.Final("pin.angle"), {"R": (-2.0, -1.0)}, 0.1, start={"R": -1.0})


def test_a_parameter_may_take_any_sign_where_a_number_only_looks_like_a_slip():
    with pytest.raises(lw.ModelError, match="lw.signed"):
        lw.Damper(-0.1)
    assert circuit().parameter_values({"d": -0.1})[1] == -0.1


def test_what_is_changed_later_is_verified():
    m = circuit()
    m["motor"].resistance = 2 * m.symbols(["R"])[0] - 3
    with pytest.raises(lw.ModelError, match=r"^motor: resistance -1"):
        m.assemble()
    m["motor"].resistance = 2.0
    m.assemble()
