"""Structural controllability and observability against the Kalman rank for random values of the parameters."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.elements import Junction
from linkwork.examples import dc_motor, quarter_car, slider_crank


def reached(A, B):
    """Dimension of the space spanned by B, A B, A² B, …: an orthonormal basis grown step by step."""
    V, W = np.zeros((A.shape[0], 0)), B
    A = A / max(np.abs(A).max(initial=0.0), 1e-9)
    while W.size:
        W = W - V @ (V.T @ W)
        W = W - V @ (V.T @ W)
        U, s, _ = np.linalg.svd(W, full_matrices=False)
        U = U[:, s > 1e-8]
        if not U.size:
            break
        V, W = np.hstack([V, U]), A @ U
    return V.shape[1]


def random_graph(seed):
    """Junctions in a tree, now and then a ring; stores, resistors and one to three sources."""
    rng = np.random.default_rng(seed)
    g, count = lw.BondGraph("random"), int(rng.integers(2, 6))
    for k in range(count):
        g.junction(f"j{k}", int(rng.integers(0, 2)))
    pairs = [(int(rng.integers(0, k)), k) for k in range(1, count)]
    if count > 2 and rng.random() < 0.2:
        pairs.append((0, count - 1))
    for n, (a, b) in enumerate(pairs):
        between = str(rng.choice(["", "", "TF", "GY"]))
        value = float(rng.uniform(0.3, 3))
        g.chain(f"j{a}", *([getattr(g, between)(f"t{n}", value)] if between else []), f"j{b}")
    for k in range(count):
        for n in range(int(rng.integers(max(1, 2 - len(g.bonds_of(g[f"j{k}"]))), 4))):
            kind = str(rng.choice(list("RCCII")))
            getattr(g, kind)(f"{kind}{k}{n}", float(rng.uniform(0.3, 3)), at=f"j{k}")
    for n in range(int(rng.integers(1, 4))):
        k = int(rng.integers(0, count))
        (g.Se if g[f"j{k}"].kind else g.Sf)(f"source{n}", 1.0, at=f"j{k}")
    ends = [e.name for e in g.elements.values() if not isinstance(e, Junction) and e.ports == 1]
    outputs = [f"{rng.choice(ends)}.{rng.choice(['effort', 'flow'])}" for _ in range(int(rng.integers(1, 3)))]
    return g, list(dict.fromkeys(outputs))


def linear(g, sources, outputs):
    """None where the run itself has no states, or a ring of junctions says something twice."""
    try:
        space = g.linearize(inputs=sources, outputs=outputs)
    except lw.LinkworkError:
        return None
    return space if space.A.size else None


def check_support(found, matrix, names):
    """What is held constant consists of the stores that are named, and of no others."""
    if len(found.tied) != 1:
        return
    (store, others), *_ = found.tied.items()
    if set(others) & set(found.dependent):
        return  # what these hold follows from other states
    null = np.abs(np.linalg.svd(matrix)[2][-1])
    involved = {name.rpartition(".")[0] for name, x in zip(names, null, strict=True) if x > 1e-9}
    assert involved <= {store, *others}, str(found)


@pytest.mark.parametrize(
    "first", [pytest.param(k, marks=pytest.mark.slow) if k >= 30 else k for k in range(0, 120, 10)]
)
@pytest.mark.ci
def test_random_graphs_against_the_kalman_rank(first):
    compared = 0
    for seed in range(first, first + 10):
        g, outputs = random_graph(seed)
        space = linear(g, [e for e in g.elements if e.startswith("source")], outputs)
        if space is None:
            continue
        n = len(space.state_names)
        moved, seen = g.controllability(), g.observability(outputs)
        assert moved.holds == (reached(space.A, space.B) == n), (seed, str(moved))
        assert seen.holds == (reached(space.A.T, space.C.T) == n), (seed, str(seen))
        assert moved.rank == np.linalg.matrix_rank(np.hstack([space.A, space.B]), 1e-9)
        assert seen.rank == np.linalg.matrix_rank(np.vstack([space.A, space.C]), 1e-9)
        for found, matrix in ((moved, np.hstack([space.A, space.B]).T), (seen, np.vstack([space.A, space.C]))):
            check_support(found, matrix, space.state_names)
        compared += 1
    assert compared > 2


def test_series_capacitors_hold_a_combination():
    g = lw.BondGraph("series")
    loop = g.one("loop")
    g.Se("source", 1.0, at=loop)
    g.R("wire", 1.0, at=loop)
    g.C("first", 2.0, at=loop)
    g.C("second", 3.0, at=loop)
    found = g.controllability()
    assert not found
    assert (found.rank, found.unreached, found.tied) == (1, [], {"second": ["first"]})
    assert "a combination of second, first stays constant" in str(found)
    assert not g.observability("wire.flow").holds
    assert g.observability(["first.effort", "second.effort"]).holds


def test_what_no_path_reaches_is_named():
    g = lw.BondGraph("drop")
    tank, below = g.zero("tank"), g.zero("below")
    g.Sf("pump", 1.0, at=tank)
    g.C("upper", 1.0, at=tank)
    g.R("leak", 1.0, at=tank)
    g.C("lower", 1.0, at=below)
    g.R("drain", 1.0, at=below)
    found = g.controllability()
    assert (found.unreached, found.holds) == (["lower"], False)
    assert "lower: no causal path leads from a source to it" in str(found)
    assert g.observability("upper.effort").unreached == ["lower"]


def test_rings_that_cancel_are_told():
    """A branch both of whose ends are at the same effort: paths lead there, and nothing arrives."""
    g = lw.BondGraph("ring")
    near, far, branch = g.zero("near"), g.zero("far"), g.one("branch")
    g.bond(near, far)
    g.chain(near, branch, far)
    g.Sf("pump", 1.0, at=near)
    g.C("tank", 1.0, at=near)
    g.R("leak", 1.0, at=far)
    g.I("line", 2.0, at=branch)
    g.R("loss", 3.0, at=branch)
    for found in (g.controllability(), g.observability("tank.effort")):
        assert not found.holds
        assert found.cancelled == ["line"]
        assert "cancels" in str(found)


def test_dependent_stores_have_no_state():
    found = dc_motor.model().controllability()
    assert found.holds
    assert (found.states, found.dependent) == (["armature", "rotor"], ["load"])


def equal_pair(second):
    """Two masses, each on a spring and a damper, pushed by one force on a common carriage."""
    g = lw.BondGraph("pair")
    carriage = g.one("carriage")
    g.Se("force", 1.0, at=carriage)
    g.I("carrier", 1.0, at=carriage)
    for name, mass in (("left", 2.0), ("right", second)):
        joint, stroke, moves = g.zero(f"{name}-joint"), g.one(f"{name}-stroke"), g.one(f"{name}-moves")
        g.chain(carriage, joint, moves)
        g.bond(joint, stroke)
        g.C(f"{name}-spring", 5.0, at=stroke)
        g.R(f"{name}-damper", 0.1, at=stroke)
        g.I(f"{name}-mass", mass, at=moves)
    return g


def test_equal_values_spoil_what_structure_allows():
    for second, dimension in ((3.0, 5), (2.0, 3)):
        g = equal_pair(second)
        assert g.controllability().holds
        space = g.linearize(inputs="force")
        assert reached(space.A, space.B) == dimension


def test_removing_the_source_and_damper_changes_the_answer():
    g = quarter_car.model()
    assert g.controllability().holds
    assert not g.controllability([]).holds
    assert g.observability("suspension.effort").holds
    assert g.observability("body.flow").holds


def test_elements_that_strokes_do_not_describe():
    g = dc_motor.model()
    with pytest.raises(lw.LinkworkError, match="no source named"):
        g.controllability("motor")
    with pytest.raises(lw.LinkworkError, match="output"):
        g.observability("rotor")
    (bond,) = g.bonds_of(g["rotor"])
    g["supply"].value = -bond.flow
    with pytest.raises(lw.ModelError, match=r"supply.*follows a signal"):
        g.controllability()
    with pytest.raises(lw.ModelError, match="vector bond"):
        slider_crank.model().bondgraph().controllability()
