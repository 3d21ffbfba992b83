"""Implicit methods by kernels: the same residuals, Newton matrices and results as straight-line code has."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.program import NativeFunction
from tests.unit.large.mechanisms import ladder, net, tree
from tests.unit.large.test_kernels import apart, both
from tests.unit.large.test_runs import apart as runs_apart

MODELS = {
    "tree": lambda: tree(1, 4),
    "planar tree": lambda: tree(0, 5, planar=True),
    "loops": lambda: ladder(2),
    "redundant loops": lambda: ladder(2, spatial=True),
    "net": lambda: net(2, 2),
}


def dense(function: NativeFunction, *arguments: object) -> np.ndarray:
    """A sparse result with its zeros."""
    ((starts, rows),) = function.out_patterns
    (values,) = function(*arguments)
    matrix = np.zeros((len(starts) - 1, len(starts) - 1))
    matrix[rows, np.repeat(np.arange(len(starts) - 1), np.diff(starts))] = values
    return matrix


def without_softness(matrix: np.ndarray, multipliers: int) -> np.ndarray:
    """Which rows may be dependent, and so are softened, is found in another way; by how much is bounded here."""
    first = len(matrix) - multipliers
    soft = np.diagonal(matrix)[first:]
    assert np.all(soft <= 0) and np.all(soft > -1e-5)
    return matrix - np.diag(np.concatenate([np.zeros(first), soft]))


@pytest.mark.parametrize("name", MODELS)
def test_functions_are_those_of_straight_line_code(name):
    ready, large = both(MODELS[name]())
    ours, theirs = large.program(), ready.program
    n, random = theirs.layout, np.random.default_rng(0)
    y = ready.state + 1e-2 * random.normal(size=n.y)
    x, zdot, chain = random.normal(size=n.x), random.normal(size=n.z), np.array([0.7, 0.03, 0.002, 0.01])
    index1, alpha = (0.3, np.concatenate([y, x]), ready.p), (0.3, y, x, zdot, ready.p, chain)
    for function, given in (("dae", index1), ("alpha_residual", alpha)):
        assert apart(ours.function(function)(*given)[0], theirs.function(function)(*given)[0]) < 1e-10, function
    for function, given in (("dae_jacobian", index1), ("alpha_jacobian", alpha)):
        one, other = (without_softness(dense(p.function(function), *given), n.multipliers) for p in (ours, theirs))
        assert apart(one, other) < 1e-10, function
    moved = ours.function("retract")(y[: n.q], 0.01 * x[: n.v])[0]
    assert apart(moved, theirs.function("retract")(y[: n.q], 0.01 * x[: n.v])[0]) < 1e-12


def test_the_newton_matrix_is_the_derivative_of_the_residual():
    ready, large = both(tree(2, 5))
    program, n = large.program(), ready.program.layout
    random = np.random.default_rng(1)
    Y = np.concatenate([ready.state + 1e-2 * random.normal(size=n.y), random.normal(size=n.x)])
    dae, step = program.function("dae"), 1e-6
    columns = [dae(0.0, Y + step * e, ready.p)[0] - dae(0.0, Y - step * e, ready.p)[0] for e in np.eye(Y.size)]
    matrix = without_softness(dense(program.function("dae_jacobian"), 0.0, Y, ready.p), n.multipliers)
    assert apart(matrix, np.array(columns).T / (2 * step)) < 1e-6


def test_the_elimination_order_has_every_unknown_once():
    _, large = both(net(2, 2))
    for name in ("dae_jacobian", "alpha_jacobian"):
        structure = large.program().function(name).structure
        assert np.array_equal(np.sort(structure.order), np.arange(structure.column_start.size - 1))


@pytest.mark.parametrize(
    ("name", "solver", "options"),
    [
        ("tree", "radau", {}),
        ("loops", "radau", {}),
        ("redundant loops", "radau", {}),
        ("planar tree", "generalized_alpha", {"step": 0.002}),
        ("tree", "hht", {"step": 0.002}),
        ("loops", "newmark", {"step": 0.002}),
    ],
)
def test_runs_are_those_of_straight_line_code(name, solver, options):
    assert runs_apart(MODELS[name](), 0.1, solver=solver, **options) < 1e-9


def beam(links: int, stiffness: float, damping: float) -> lw.Model:
    m = lw.Model("beam", gravity=(0, 0, -9.81))
    end = m.ground.at(0, 0, 0)
    for k in range(links):
        link = m.body(f"link{k}", mass=0.1, inertia=(1e-5, 1e-4, 1e-4))
        joint = m.universal(f"joint{k}", end, link.at(-0.05, 0, 0), axis=(0, 1, 0), axis2=(0, 0, 1))
        for bending in joint.coordinates:
            bending.law(lw.Spring(stiffness)).law(lw.Damper(damping))
        end = link.at(0.05, 0, 0)
    return m


def test_stiff_equations_take_an_implicit_method_by_themselves():
    m = beam(4, 1e4, 1e2)
    one, other = (m.simulate(0.5, kernels=k, output=0.1, formulation="absolute") for k in (True, False))
    assert one.record["solver"] == other.record["solver"] == "radau"
    assert "stiff" in one.record["solver_reason"]
    np.testing.assert_allclose(one["link3.z"], other["link3.z"], atol=1e-9)


def test_equations_that_become_stiff_on_the_way_are_looked_at_again(monkeypatch):
    """A pendulum that falls onto a hard and well damped stop."""
    monkeypatch.setattr("linkwork.simulation.choice.solver.PATIENCE", 300)
    monkeypatch.setattr("linkwork.simulation.choice.solver.SUSPICION", 50)
    m = lw.Model("stop", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0.1)
    joint = m.revolute("J", m.ground.at(0, 0), b.at(-0.5, 0))
    joint.angle.law(lw.Limits(-0.5, 1, stiffness=1e7, dissipation=1e2))
    runs = [m.simulate(4, kernels=k, output=0.5, formulation="absolute") for k in (True, False)]
    assert all(r.record["solver"].startswith("dopri5, radau from") for r in runs)
    np.testing.assert_allclose(runs[0]["J.angle"], runs[1]["J.angle"], atol=1e-6)


def test_rows_that_may_be_redundant_are_softened():
    _, large = both(ladder(2, spatial=True))
    program = large.program()
    n = program.layout
    matrix = dense(program.function("dae_jacobian"), 0.0, np.ones(n.y + n.x), np.zeros(0))
    assert np.any(np.diagonal(matrix)[-n.multipliers :] < 0)
