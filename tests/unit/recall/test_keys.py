"""What tells one model from another: whatever changes equations changes it, and nothing is taken for something else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.recall.classes import NoKey
from linkwork.recall.content import Content

STIFFNESS = 50.0
"""Read by a law when it is called."""


def key(model: lw.Model, how: object = None) -> str:
    return Content(model, how).digest


def swing(law: Any = None, *, parameter: str = "k", first: str = "a", **options: Any) -> lw.Model:
    m = lw.Model("swing", gravity=options.pop("gravity", (0, -9.81)))
    k = m.parameter(parameter, options.pop("value", 50.0))
    u = m.input("u", options.pop("input", 0.0))
    for name in sorted("ab", reverse=first == "b"):
        body = m.body(name, mass=options.get("mass", 2.0), inertia=1)
        m.prismatic(f"P{name}", m.ground.at(0, ord(name)), body.at()).slide.law(lw.Spring(k))
    if law is not None:
        m["Pa"].slide.law(law(m, k, u) if callable(law) else law)
    return m


def named(t: Any, x: Any, v: Any) -> Any:
    return -STIFFNESS * x


def closing(stiffness: Any) -> Callable[..., Any]:
    return lambda x: -stiffness * x


def effort(function: Callable[..., Any]) -> Callable[..., lw.Effort]:
    return lambda m, k, u: lw.Effort(function)


VARIANTS: dict[str, Callable[[], lw.Model]] = {
    "plain": swing,
    "no gravity": lambda: swing(gravity=(0, 0)),
    "other gravity": lambda: swing(gravity=(0, -9.810000000000002)),
    "mass": lambda: swing(mass=2.0000000000000004),
    "name of a parameter": lambda: swing(parameter="stiffness"),
    "value of a parameter": lambda: swing(value=51.0),
    "value of an input": lambda: swing(input=1.0),
    "order of bodies": lambda: swing(first="b"),
    "a law more": lambda: swing(lambda m, k, u: lw.Damper(1.0)),
    "a parameter in a law": lambda: swing(lambda m, k, u: lw.Damper(k)),
    "an input in a law": lambda: swing(lambda m, k, u: lw.Effort(u)),
    "a function": lambda: swing(effort(named)),
    "a closure": lambda: swing(effort(closing(50.0))),
    "another closure": lambda: swing(effort(closing(51.0))),
    "a closure over a parameter": lambda: swing(lambda m, k, u: lw.Effort(closing(k))),
    "a default": lambda: swing(effort(lambda x, c=3.0: c * x)),
    "another default": lambda: swing(effort(lambda x, c=4.0: c * x)),
    "of time": lambda: swing(effort(lambda t: lw.sin(t))),
    "of the model's time": lambda: swing(lambda m, k, u: lw.Effort(lambda x: lw.sin(m.t) + x)),
    "of time and place": lambda: swing(lambda m, k, u: lw.Effort(lambda x: lw.sin(x) + x)),
    "a rate": lambda: swing(effort(lambda v: lw.sin(v))),
    "a table": lambda: swing(effort(lw.Table([0, 1, 2], [0.0, 1.0, 0.5]))),
    "another table": lambda: swing(effort(lw.Table([0, 1, 2], [0.0, 1.0, 0.25]))),
    "a table of something else": lambda: swing(effort(lambda x: lw.Table([0, 1, 2], [0.0, 1.0, 0.5])(x))),
    "a motion": lambda: swing(lambda m, k, u: lw.Motion(lambda t: 0.1 * t)),
    "another motion": lambda: swing(lambda m, k, u: lw.Motion(lambda t: 0.2 * t)),
    "a speed": lambda: swing(lambda m, k, u: lw.Motion(speed=lambda t: 0.1 * t)),
}


def test_all_variants_differ_and_each_is_found_again() -> None:
    keys = {name: key(build()) for name, build in VARIANTS.items()}
    same = {name: [n for n, k in keys.items() if k == keys[name]] for name in keys}
    assert same.pop("a function") == ["a function", "a closure"]  # they say the same
    same.pop("a closure")
    assert all(len(names) == 1 for names in same.values()), same
    assert keys == {name: key(build()) for name, build in VARIANTS.items()}


def test_a_function_that_reads_something_else_now_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Globals, closures and defaults are what they are when equations are derived."""
    before = key(swing(effort(named)))
    monkeypatch.setattr(f"{__name__}.STIFFNESS", 60.0)
    assert key(swing(effort(named))) != before
    cell = [1.0]
    law = effort(lambda x: cell[0] * x)
    before = key(swing(law))
    cell[0] = 2.0
    assert key(swing(law)) != before


def test_two_symbols_of_one_name_are_two() -> None:
    """An expression of a stranger is none of the model's own parameter that is called the same."""
    own = swing(lambda m, k, u: lw.Effort(k))
    stranger = swing(lambda m, k, u: lw.Effort(lw.SX.sym("k")))
    assert key(own) != key(stranger)


def test_which_of_two_alike_is_meant() -> None:
    """What is at two bodies that are the same."""

    def pushed(name: str) -> lw.Model:
        m = swing()
        m.force("F", m[name].at(), (1.0, 0.0))
        return m

    assert key(pushed("a")) != key(pushed("b"))


def test_texts_are_not_taken_for_what_they_look_like() -> None:
    m = swing()
    said = ["=", ("=",), ["="], "expression", ("expression",), 1, 1.0, True, None, b"=", np.float64(1.0), (), [], {}]
    assert len({key(m, how) for how in said}) == len(said)


class OwnSpring(lw.Spring):
    """A class of the user's."""


class Called:
    """An object that can be called, of the user's own."""

    factor = 2.0

    def __call__(self, x: Any) -> Any:
        return self.factor * x

    def effort(self, x: Any) -> Any:
        return self.factor * x


def test_classes_of_the_user_have_no_key() -> None:
    with pytest.raises(NoKey):
        key(swing(OwnSpring(2.0)))


def test_an_object_that_is_called_is_what_it_gives() -> None:
    one, other = Called(), Called()
    other.factor = 3.0
    assert key(swing(effort(one))) == key(swing(effort(one.effort)))
    assert key(swing(effort(one))) != key(swing(effort(other)))
    assert key(swing(effort(one.effort))) != key(swing(effort(other.effort)))


def test_a_method_of_the_user_that_is_called_with_frames_has_no_key() -> None:
    m = swing()
    m.event("E", Called().effort, m["a"].at())
    with pytest.raises(NoKey):
        key(m)


def test_defaults_of_arguments_that_nobody_gives() -> None:
    """A displacement is a function of time alone, whatever else is in its signature."""

    def moved(rate: float) -> lw.Model:
        return swing(lambda m, k, u: lw.Motion(lambda t, x=rate: x * t))

    assert key(moved(1.0)) != key(moved(2.0))


@pytest.mark.parametrize("frame", ["a", "b"])
def test_defaults_of_arguments_that_are_frames(frame: str) -> None:
    """What stands in their place is not what the function sees."""
    m = swing()
    function = {"a": lambda t, a=None: (t, 0.0), "b": lambda t, b=None: (t, 0.0)}[frame]
    m.force("F", m["a"].at(), function, reaction=m["b"].at())
    with pytest.raises(NoKey):
        key(m)


def test_functions_of_frames_have_no_key() -> None:
    m = swing()
    m.event("E", lambda frame: frame.x, m["a"].at())
    with pytest.raises(NoKey):
        key(m)


def test_an_event_of_frames_that_was_given_its_height_has_no_key() -> None:
    m = swing()
    m.event("E", partial(lambda height, frame: frame.p[1] - height, 1.0), m["a"].at())
    with pytest.raises(NoKey):
        key(m)


@pytest.mark.parametrize(
    "thing",
    [
        partial(max, 1),
        np.ma.masked_array([1.0], [False]),
        np.rec.array([(1, 2.0)]),
        np.float16(1.0),
        Random(1),
        ValueError("a"),
        Fraction(1, 2),
    ],
)
def test_what_hides_something_has_no_key(thing: object) -> None:
    """Not all that other libraries keep is an attribute of theirs."""
    with pytest.raises(NoKey):
        key(swing(), thing)


def test_classes_of_other_libraries_are_told_apart() -> None:
    m = swing()
    assert len({key(m, kind) for kind in (int, float, np.ndarray, ValueError)}) == 4


def test_an_exchanged_method_is_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lw.Spring, "effort", lambda self, t, x, v: -2 * self.stiffness * x)
    with pytest.raises(NoKey):
        key(swing())


def test_an_exchanged_constant_is_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(swing())
    monkeypatch.setattr(lw.Spring, "passive", False)
    assert key(swing()) != before


def test_a_method_of_one_object_has_no_key() -> None:
    m = swing()
    m["Pa"].slide.laws[0].__dict__["effort"] = lambda t, x, v: 0
    with pytest.raises(NoKey):
        key(m)


def test_copies_are_the_same() -> None:
    m = swing(effort(lambda x: 2 * x))
    assert key(copy.deepcopy(m)) == key(m)


def test_what_follows_changes_nothing_of_the_key() -> None:
    m = swing(effort(lambda t, x: lw.sin(t) * x))
    before = key(m)
    m.simulate(0.1)
    m.check()
    assert key(m) == before
    m.changed()
    assert key(m) == before
