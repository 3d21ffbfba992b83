"""A second process finds what the first has derived, and its results are the same bit by bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import linkwork as lw
from linkwork import examples
from linkwork.compile.functions import builders
from linkwork.compile.identity import text_identity
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError, LinkworkWarning
from linkwork.formulations import formulations
from linkwork.recall.content import Content
from linkwork.recall.packed_equations import bytes_of
from linkwork.simulation.prepare import Choice, Prepared, prepare

MODELS = [name for name in examples.names() if isinstance(examples.module(name).model(), lw.Model)]

PROGRAM = """
import json, sys
import casadi as ca
from linkwork import examples
from linkwork.formulations import formulate

done, taken = [], ca.jacobian
def jacobian(*given):
    done.append("jacobian")
    return taken(*given)
def look(frame, event, _):
    if event == "call" and frame.f_code is formulate.__code__:
        done.append("formulate")
model = examples.module(sys.argv[1]).model()
ca.jacobian = jacobian
sys.setprofile(look)
r = model.simulate(0.05, output=0.01, formulation=sys.argv[2])
sys.setprofile(None)
print(json.dumps([done, r.record["code"]["equations"], r.data.tobytes().hex()]))
"""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkworkWarning)
        yield


def built(name: str) -> lw.Model:
    return examples.module(name).model()


@pytest.mark.parametrize(
    ("name", "formulation"), [("slider-crank", "absolute"), ("excavator-boom", "acausal"), ("rssr", "bondgraph")]
)
def test_process(cache: Path, name: str, formulation: str) -> None:
    """Two of them, one after the other, and one that keeps nothing; hashes of texts differ from one to the next."""

    def run(folder: str) -> tuple[list[str], str, str]:
        surroundings = {**os.environ, "LINKWORK_CACHE": folder, "PYTHONHASHSEED": "random"}
        command = [sys.executable, "-W", "ignore", "-c", PROGRAM, name, formulation]
        done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
        return tuple(json.loads(done.stdout.splitlines()[-1]))

    first, second, alone = run(str(cache)), run(str(cache)), run("off")
    assert first[1] == alone[1] == "derived" and "formulate" in first[0] and "jacobian" in first[0]
    assert second[:2] == ([], "found")
    assert first[2] == second[2] == alone[2]


@pytest.mark.parametrize("name", MODELS)
def test_run_derives_nothing_again(name: str, cache: Path, derived: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another model that is the same, without what the first one remembers."""
    first = built(name).simulate(0.05, output=0.01)
    assert first.record["code"]["equations"] == "derived"
    again = built(name)
    derived.clear()
    second = again.simulate(0.05, output=0.01)
    assert derived == [] and second.record["code"]["equations"] == "found"
    assert first.data.tobytes() == second.data.tobytes() and first.t.tobytes() == second.t.tobytes()
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    alone = built(name).simulate(0.05, output=0.01)
    assert alone.record["code"]["equations"] == "derived" and alone.data.tobytes() == first.data.tobytes()


def texts(eq: Equations) -> dict[str, str]:
    """Of all functions; why there is none, where there is none. What stays behind has not everything in common."""
    found = {}
    for name in builders(eq):
        try:
            found[name] = builders(eq, shared=name in ("project", "margins"))[name]().serialize()
        except (LinkworkError, RuntimeError) as error:
            found[name] = str(error)
    return found


def alike(first: Prepared, second: Prepared) -> None:
    a, b = first.equations, second.equations
    assert texts(a) == texts(b)
    assert text_identity(a) == text_identity(b)
    assert first.state.tobytes() == second.state.tobytes()
    assert first.program.channels == second.program.channels and first.program.margins == second.program.margins
    assert a.states.names == b.states.names and a.constraints.rows == b.constraints.rows
    assert [e for e, _ in a.observation.events] == [e for e, _ in b.observation.events]
    assert list(a.observation.probes) == list(b.observation.probes)


@pytest.mark.ci
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("formulation", formulations)
def test_equations_are_the_same(name: str, formulation: str, cache: Path, derived: list[str]) -> None:
    try:
        first = prepare(built(name), Choice(formulation), contacts=True)
    except LinkworkError:
        pytest.skip("it does not take this formulation")
    again = built(name)
    derived.clear()
    second = prepare(again, Choice(formulation), contacts=True)
    assert derived == []
    alike(first, second)


@pytest.mark.parametrize("formulation", ["points", "bondgraph-zcp", "bondgraph"])
def test_what_stays_behind_is_of_the_model_as_it_was(formulation: str, cache: Path) -> None:
    """Expressions that are derived later, and graphs: whatever has become of the model since."""
    first = prepare(built("rssr"), Choice(formulation))
    model = built("rssr")
    second = prepare(model, Choice(formulation))
    model[next(b for b in model.components if hasattr(model[b], "mass") and b != "ground")].mass = 17
    alike(first, second)


def test_bonds_of_a_run_whose_graph_stayed_behind(cache: Path) -> None:
    runs = [built("slider-crank").simulate(0.05, formulation="bondgraph", output=0.01) for _ in range(2)]
    assert [r.record["code"]["equations"] for r in runs] == ["derived", "found"]
    assert str(runs[0].bonds) == str(runs[1].bonds)


@pytest.mark.parametrize("name", ["pendulum", "hydraulic-jack"])
def test_whatever_changes_a_function_changes_the_identity_that_is_kept(name: str, cache: Path) -> None:
    """Each expression is changed in its turn: if that can be seen in any function, it is seen."""
    model = built(name)
    eq = prepare(model, Choice("absolute"), contacts=True).equations
    content = Content(model)
    known, before, seen = bytes_of(eq, content)[1], texts(eq), 0
    count = len(eq.expressions())
    for k in sorted({int(x) for x in range(0, count, max(1, count // 25))}):
        changed = eq.map(lambda all_of_them, k=k: [3.5 * x if i == k else x for i, x in enumerate(all_of_them)])
        if known == bytes_of(changed, content)[1]:
            assert texts(changed) == before
        else:
            seen += 1
    assert known is not None and seen > 5
    assert known == bytes_of(eq, content)[1]


def weighed(stiffness: float = 50.0) -> lw.Model:
    """A light body between heavy ones, whose masses are parameters."""
    m = lw.Model("weighed", gravity=(0, -9.81))
    heavy, light, k = m.parameter("heavy", 10.0), m.parameter("light", 1e-6), m.parameter("k", stiffness)
    before = m.ground.at()
    for name, mass in (("a", heavy), ("b", light), ("c", heavy)):
        body = m.body(name, mass=mass, inertia=mass)
        m.revolute(f"J{name}", before, body.at(-0.5, 0)).angle.law(lw.Spring(k))
        before = body.at(0.5, 0)
    return m


def test_numbers_that_equations_are_chosen_by(cache: Path, derived: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Other parameters have the same equations, but for those by which an order of elimination is chosen."""

    def prepared(**parameters: float) -> Prepared:
        derived.clear()
        return prepare(weighed(), Choice(), parameters)

    prepared()
    assert derived
    for same in ({}, {"k": 60.0}):
        prepared(**same)
        assert not derived
    heavier = prepared(heavy=20.0)
    assert derived
    monkeypatch.setenv("LINKWORK_CACHE", "off")
    alike(heavier, prepared(heavy=20.0))
