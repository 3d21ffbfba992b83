"""Equations that are alike have the same code; equations that are not have not."""

from dataclasses import replace
from importlib import import_module

import casadi as ca
import numpy as np
import pytest

from linkwork.compile import identity, program
from linkwork.compile.functions import builders
from linkwork.compile.identity import identity_of, text_identity
from linkwork.simulation.prepare import Choice, prepare

FUNCTIONS = ("rhs", "outputs", "events", "project", "margins", "retract", "dae", "alpha_residual")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))


def equations(name, formulation="absolute"):
    model = import_module(f"linkwork.examples.{name}").model()
    return prepare(model, Choice(formulation), contacts=True).equations


def texts(eq):
    return [derive().serialize() for name, derive in builders(eq).items() if name in FUNCTIONS]


def test_the_same_model_derived_twice_is_the_same():
    first, second = (identity_of(equations("slider_crank")) for _ in range(2))
    assert first is not None and first == second
    assert identity_of(equations("slider_crank", "minimal")) != first
    assert identity_of(equations("double_pendulum")) != first


def test_equations_without_first_order_states_have_one():
    eq = equations("n_four_bar")
    assert not eq.z.numel()
    assert identity_of(eq) is not None


@pytest.mark.parametrize("example", ["pendulum", "hydraulic_jack"])
def test_whatever_changes_a_function_changes_the_identity(example):
    """Each expression is changed in its turn: if that can be seen in any function, it is seen."""
    eq = equations(example)
    known, before, seen = text_identity(eq), texts(eq), 0
    count = len(eq.expressions())
    for k in np.unique(np.linspace(0, count - 1, 25).astype(int)).tolist():
        changed = eq.map(lambda all_of_them, k=k: [3.5 * x if i == k else x for i, x in enumerate(all_of_them)])
        if known == text_identity(changed):
            assert texts(changed) == before
        else:
            seen += 1
    assert known is not None and seen > 5


def test_equations_that_cannot_be_written_down_have_none():
    assert text_identity(equations("rssr", "points")) is None
    contacts = import_module("linkwork").Model("ball", gravity=(0, -9.81))
    ball = contacts.body("ball", mass=1, inertia=0.1).start(position=(0, 1))
    contacts.rigid_contact("floor", ball.at(0, 0), contacts.ground.at(0, 0), restitution=0.5)
    assert text_identity(prepare(contacts, Choice(), contacts=True).equations) is None


def test_other_code_of_the_package_is_another_identity(monkeypatch):
    eq = equations("pendulum")
    before = text_identity(eq)
    monkeypatch.setattr(identity, "package", lambda: "another version")
    assert text_identity(eq) != before


def test_a_second_process_derives_no_function(monkeypatch):
    """What was made for a model is found for another one that is the same."""
    first = import_module("linkwork.examples.slider_crank").model().simulate(0.1, solver="radau", output=0.1)
    refuse = {name: lambda: pytest.fail("derived again") for name in FUNCTIONS + ("dae_jacobian", "dae_shifted")}
    monkeypatch.setattr(program, "builders", lambda _: refuse)
    second = import_module("linkwork.examples.slider_crank").model().simulate(0.1, solver="radau", output=0.1)
    np.testing.assert_array_equal(first["piston.x"], second["piston.x"])
    assert ca.CasadiMeta.version() in identity.package()


class Watched:
    """A part of equations that takes note of what is read of it."""

    def __init__(self, name, part, read):
        self._name, self._part, self._read = name, part, read

    def __getattr__(self, field):
        self._read.add(f"{self._name}.{field}")
        return getattr(self._part, field)


@pytest.mark.parametrize("example", ["slider_crank", "hydraulic_jack", "bicycle"])
def test_what_functions_read_is_in_the_identity(example):
    """All of it, also what is no expression; parts of contacts and deferred ones have no identity at all."""
    eq = equations(example)
    parts = ("motion", "constraints", "algebraic", "states", "observation", "signals", "contacts")

    def read_by(look):
        read = set()
        look(replace(eq, **{name: Watched(name, getattr(eq, name), read) for name in parts}))
        return read

    functions = read_by(lambda watched: [derive() for derive in builders(watched).values()])
    assert {"motion.mass", "motion.zdot", "constraints.gamma"} < functions <= read_by(text_identity)
