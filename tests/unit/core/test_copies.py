"""Errors, models and results survive copying and pickling, and what is copied is independent."""

import copy
import importlib
import pickle
import pkgutil
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.core import errors


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def oscillator(mass=2.0):
    """x = 0.1 cos(√(k/m) t) for the default parameters, plus the input's force."""
    m = lw.Model("oscillator", gravity=(0, 0))
    k = m.parameter("k", 50.0)
    body = m.body("b", mass=mass, inertia=1)
    P = m.prismatic("P", m.ground, body.at())
    P.slide.law(lw.Spring(k))
    P.slide.start(0.1)
    m.force("push", body.at(), (m.input("F"), 0))
    return m


def end(model, **options):
    return model.simulate(1.0, **options).final["P.slide"]


def expected(mass=2.0, k=50.0):
    return 0.1 * np.cos(np.sqrt(k / mass))


copies = pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, again])


# Errors


def every_error():
    for info in pkgutil.walk_packages(lw.__path__, "linkwork."):
        if not info.name.rpartition(".")[2].startswith("_"):
            importlib.import_module(info.name)
    found, waiting = [], [errors.LinkworkError]
    while waiting:
        kind = waiting.pop()
        found.append(kind)
        waiting += [k for k in kind.__subclasses__() if k.__module__.startswith("linkwork.")]
    return found


def made(kind):
    if kind is errors.UnknownName:
        return kind("channel", "piston.z", ["piston.x", "piston.y"], component="run")
    if kind.__name__ == "SingularLoop":
        return kind("loop", ["Sf1", "Sf2"])
    return kind("a cause.", component="part", remedy="A remedy.")


@copies
def test_every_error_with_all_its_fields(copied):
    kinds = every_error()
    assert len(kinds) >= 7
    for kind in kinds:
        first = made(kind)
        first.add_note("seen in a test")
        second = copied(first)
        assert type(second) is kind and str(second) == str(first) and second.args == first.args
        assert vars(second) == vars(first)


def test_an_error_with_what_was_computed():
    result = oscillator().simulate(0.1)
    error = again(errors.IntegrationError("it stopped.", partial=result, component="b"))
    np.testing.assert_array_equal(error.partial.data, result.data)


# Models


@copies
@pytest.mark.parametrize("used", [False, True], ids=["new", "after a run"])
def test_a_copy_runs_and_is_independent(copied, used):
    first = oscillator()
    if used:
        end(first)
    second = copied(first)
    assert all(part.model is second for part in second.components.values())
    second["b"].mass = 3.0
    second.body("another", mass=1, inertia=1)
    assert end(second) == pytest.approx(expected(mass=3.0), abs=1e-8)
    assert end(first) == pytest.approx(expected(), abs=1e-8)
    assert "another" not in first.components
    first["b"].mass = 5.0
    assert end(second, parameters={"k": 20.0}) == pytest.approx(expected(3.0, 20.0), abs=1e-8)
    assert end(first) == pytest.approx(expected(5.0), abs=1e-8)


@copies
def test_symbols_stay_the_same_in_all_parts(copied):
    """Parameters, inputs, time and tables enter the copy's equations as they do the original's."""
    first = lw.Model("driven", gravity=(0, 0))
    body = first.body("b", mass=2.0, inertia=1)
    P = first.prismatic("P", first.ground, body.at())
    table = lw.Table([0, 1], [0, 6])
    first.force("ramp", body.at(), (table(first.t) + first.parameter("F", 1.0) * first.t, 0))
    P.slide.start(0, rate=0)
    second = copied(first)
    second.force("more", second["b"].at(), (lw.Table([0, 1], [0, 3])(second.t), 0))
    assert end(first) == pytest.approx(7 / 12, abs=1e-8)  # x = F t³ / (6 m)
    assert end(second) == pytest.approx(10 / 12, abs=1e-8)
    assert end(second, parameters={"F": 0.0}) == pytest.approx(9 / 12, abs=1e-8)
    table.values = [0, 12]  # the original's own
    assert end(first) == pytest.approx(13 / 12, abs=1e-8)
    assert end(second) == pytest.approx(10 / 12, abs=1e-8)
    shared = lw.Table([0, 1], [0, 1])
    first.force("last", first["b"].at(), (shared(first.t), 0))
    assert end(first) == pytest.approx(14 / 12, abs=1e-8)


def test_inputs_added_to_a_copy_are_its_own():
    first = oscillator()
    second = copy.deepcopy(first)
    for m, force in ((first, 4.0), (second, 6.0)):
        m.force("more", m["b"].at(), (m.input("G"), 0))
        # constant force G: x − G/k oscillates about G/k
        wanted = force / 50 + (0.1 - force / 50) * np.cos(5.0)
        assert end(m, inputs={"G": force}) == pytest.approx(wanted, abs=1e-8)


@copies
def test_bond_graphs(copied):
    g = lw.BondGraph("rc")
    one = g.one("one")
    g.C("c", g.parameter("C", 2.0), at=one, start=1.0)
    g.R("r", 0.5, at=one)
    other = copied(g)
    g.R("more", 0.5, at=one)
    assert other.simulate(1.0).final["c.displacement"] == pytest.approx(np.exp(-4), abs=1e-8)
    assert g.simulate(1.0).final["c.displacement"] == pytest.approx(np.exp(-2), abs=1e-8)


def test_functions_without_a_name_are_told_by_component():
    m = oscillator()
    m.force("odd", m["b"].at(), lambda t: (ca.sin(t), 0))
    with pytest.raises(lw.ModelError, match="^odd: its vector cannot be sent.*lambda.*top of a module"):
        pickle.dumps(m)
    assert np.isfinite(end(copy.deepcopy(m)))  # in this process they can be shared


@copies
def test_results(copied):
    first = oscillator().simulate(0.5)
    second = copied(first)
    np.testing.assert_array_equal(second.data, first.data)
    assert second.record == first.record and second.channels == first.channels and second.events == first.events


POOL = """
import multiprocessing, sys
import numpy as np
import linkwork as lw

def model():
    m = lw.Model("oscillator", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("b", mass=2.0, inertia=1).at())
    P.slide.law(lw.Spring(m.parameter("k", 50.0)))
    P.slide.start(0.1)
    return m

def run(job):
    m, k = job
    return m.simulate(1.0, parameters={"k": k})

def wrong(name):
    raise lw.UnknownName("channel", name, ["x", "y"])

if __name__ == "__main__":
    m = model()
    m.simulate(0.1)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        stiffness = [10.0, 20.0, 30.0, 40.0]
        for k, r in zip(stiffness, pool.map(run, [(m, k) for k in stiffness])):
            assert abs(r.final["P.slide"] - 0.1 * np.cos(np.sqrt(k / 2))) < 1e-8
        try:
            pool.map(wrong, ["z"])
        except lw.UnknownName as error:
            assert error.known == ["x", "y"] and error.name == "z"
            print("done")
"""


@pytest.mark.parametrize(
    "method", ["spawn", pytest.param("fork", marks=pytest.mark.skipif(sys.platform == "win32", reason="has no fork"))]
)
def test_a_pool_of_processes(method, tmp_path):
    """Before, an error that could not be unpickled made Pool.map wait for ever."""
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    done = subprocess.run([sys.executable, str(script), method], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "done", done.stderr
