"""Kernels in joint coordinates: the same motion as straight-line code and absolute coordinates, by other equations."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.stabilisation import Projection
from linkwork.large import fits
from linkwork.large.kernels import Kind
from linkwork.large.tree import loops as tree_loops
from linkwork.large.tree.link_kind import LinkKind
from linkwork.large.tree.loop_fronts import loop_fronts
from tests.unit.large.mechanisms import ladder, mixture, net, tree
from tests.unit.large.mixtures import mixture as everything

TIGHT = {"formulation": "minimal", "solver": "dop853", "rtol": 1e-10, "atol": 1e-11}


def apart(m: lw.Model, duration: float, **options: object) -> float:
    """Largest difference of any channel between kernels and straight-line code, relative to 1 or the value."""
    one, other = (m.simulate(duration, kernels=k, output=duration / 5, **(TIGHT | options)) for k in (True, False))
    assert "kinds" in one.record["kernels"] and one.record["formulation"] == "minimal"
    assert one.channels == other.channels
    assert [name for _, name in one.events] == [name for _, name in other.events]
    assert [w.component for w in one.warnings] == [w.component for w in other.warnings]
    kept = [k for k, c in enumerate(one.channels) if c.name != "solver.step"]
    mine = one.data.copy()
    for k in (k for k, c in enumerate(one.channels) if c.name.endswith(".q0")):  # −e is the same rotation as e
        e = slice(k, k + 4)
        mine[:, e] *= np.sign(np.sum(mine[:, e] * other.data[:, e], axis=1))[:, None]
    return float(np.max(np.abs(mine - other.data)[:, kept] / (1 + np.abs(other.data[:, kept]))))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_trees_of_all_joints(seed, planar):
    m = mixture(seed, 6, planar=planar)
    assert apart(m, 0.2, inputs={"torque": lambda t: lw.sin(3 * t)}, parameters={"length": 0.45}) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(100, 160))
@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_more_trees_of_all_joints(seed, planar):
    try:
        m = mixture(seed, 9, planar=planar)
        m.simulate(0.2, kernels=False, **TIGHT)
    except lw.LinkworkError as error:
        pytest.skip(str(error))
    assert apart(m, 0.2, inputs={"torque": lambda t: lw.sin(3 * t)}, parameters={"length": 0.45}) < 1e-7


@pytest.mark.parametrize("make", [lambda: ladder(3), lambda: ladder(2, spatial=True), lambda: net(2, 2)])
def test_loops(make):
    assert apart(make(), 0.2) < 1e-8


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_everything_that_has_kernels(planar):
    """Relations of many joints, rolling, contacts, tables, events and classes of the user's, on a tree."""
    assert apart(everything(0, planar=planar, branches=2), 0.05) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(1, 9))
@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_more_of_everything(seed, planar):
    assert apart(everything(seed, planar=planar, branches=4), 0.05) < 1e-8


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("carrier", ["floating", "fixed", "hinged"])
def test_loops_on_bodies_that_move(carrier, planar):
    """A loop between two bodies drives what carries both of them; the second loop hangs on the first."""
    m = lw.Model("carried", gravity=(0.3, -9.81) if planar else (0.3, -9.81, 0.2))
    inertia = 0.1 if planar else (0.1, 0.12, 0.11)
    base = m.body("base", mass=1, inertia=inertia)
    if carrier == "hinged":
        m.revolute("hinge", m.ground.at(0, 0), base.at(-0.4, 0.1)).angle.start(0.3, rate=1.0)
    elif carrier == "fixed":
        m.fixed("weld", m.ground.at(0, 0), base.at(-0.4, 0.1))
    for n in range(2):
        a, b, c = (m.body(f"{x}{n}", mass=0.5 + 0.2 * n, inertia=inertia) for x in "abc")
        m.revolute(f"p{n}", base.at(-0.5, 0), a.at(-0.25, 0)).angle.start(1.2, rate=1.0)
        m.revolute(f"q{n}", a.at(0.25, 0), b.at(-0.5, 0.01))
        (m.revolute if planar else m.spherical)(f"r{n}", b.at(0.5, 0), c.at(-0.25, 0.02))
        (m.revolute if planar else m.spherical)(f"s{n}", c.at(0.25, 0), base.at(0.5, 0))
        base = b
    assert apart(m, 0.05) < 1e-9


def test_soft_joints_close_loops():
    m = tree(3, 5, planar=True)
    for joint in m.of_type(lw.Joint)[::2]:
        joint.enforce("compliant")
    assert apart(m, 0.02) < 1e-7


def test_relations_of_joints_on_one_branch():
    """A gear between joints whose bodies carry each other: forces of one relation meet on a link; turns are counted."""
    m = lw.Model("gears", gravity=(0, -9.81))
    before, joints = m.ground, []
    for k in range(4):
        body = m.body(f"b{k}", mass=1, inertia=0.1)
        joints.append(m.revolute(f"j{k}", before.at(0.3 if k else 0, 0), body.at(-0.3, 0)))
        before = body
    m.gear("G", joints[0].angle, joints[3].angle, ratio=2)
    m.gear("H", joints[1].angle, joints[2].angle, ratio=-3)
    joints[0].angle.start(0.2, rate=20.0)
    joints[1].angle.start(0.1, rate=-1.0)
    assert apart(m, 1.0) < 1e-7


def test_loops_with_baumgarte():
    assert apart(ladder(2), 0.2, stabilisation="baumgarte") < 1e-8


def test_redundant_loops_pass_flat_positions():
    """Down to where all bars lie in one line, and through it."""
    m = ladder(2, spatial=True)
    result = m.simulate(1.5, kernels=True, formulation="minimal", output=0.05)
    assert result["bar0.y"].min() < -0.3
    assert np.ptp(result["energy.total"]) < 1e-5
    assert result["residual.position"].max() < 1e-9
    assert set(result.record["undetermined reactions"]) == {j.name for j in m.of_type(lw.Joint)}
    other = m.simulate(1.5, kernels=False, output=0.05)
    np.testing.assert_allclose(result["bar0.x"], other["bar0.x"], atol=1e-5)


def test_light_bodies_in_loops():
    """A rod of a millionth of the mass: multipliers are found once more for what is left."""
    m = ladder(2)
    m["rod1"].mass, m["rod1"].inertia = 1e-6, 1e-7
    result = m.simulate(1, kernels=True, formulation="minimal", output=0.1)
    other = m.simulate(1, kernels=True, formulation="absolute", output=0.1)
    np.testing.assert_allclose(result["rod1.x"], other["rod1.x"], atol=1e-6)
    assert np.ptp(result["energy.total"]) < 1e-5


def long_chain(links: int) -> lw.Model:
    """Two kinds of links, one after the other: no run of the walk is long."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = m.ground.at(0, 0, 0)
    for k in range(links):
        link = m.body(f"b{k}", mass=1 + 0.1 * (k % 3), inertia=(0.01, 0.1, 0.1))
        if k % 2:
            m.revolute(f"j{k}", before, link.at(-0.5, 0, 0), axis=(0, 1, 0)).angle.start(0.02, rate=0.1)
        else:
            m.universal(f"j{k}", before, link.at(-0.5, 0, 0), axis=(0, 1, 0), axis2=(0, 0, 1))
        before = link.at(0.5, 0, 0)
    return m


def test_large_trees_take_joint_coordinates_by_themselves():
    m = long_chain(160)
    result = m.simulate(0.02, formulation="auto", output=0.02)
    assert result.record["formulation"] == "minimal" and "tree" in result.record["formulation_reason"]
    assert result.record["kernels"].startswith("4 kinds")
    other = m.simulate(0.02, output=0.02, kernels=True)
    assert other.record["formulation"] == "absolute"
    for name in ("b159.x", "b159.az", "j3.angle", "j0.reaction.fz", "energy.total"):
        np.testing.assert_allclose(result[name], other[name], rtol=1e-6, atol=1e-6)
    loops = ladder(80).simulate(0.01, formulation="auto", output=0.01)
    assert loops.record["formulation"] == "absolute" and "kinds" in loops.record["kernels"]


def test_a_run_goes_on_from_a_start_and_counts_turns():
    m = lw.Model("spin", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0.1)
    m.revolute("j", m.ground.at(0, 0), b.at(-0.5, 0)).angle.start(3 * np.pi, rate=10.0)
    one, other = (m.simulate(1, kernels=k, **TIGHT, start=m.assemble(), output=0.5) for k in (True, False))
    np.testing.assert_allclose(one["j.angle"], other["j.angle"], rtol=1e-9)
    assert one["j.angle"][0] == pytest.approx(3 * np.pi)


# Independence ---------------------------------------------------------------------------------------------------------


def accelerations(formulation: str) -> np.ndarray:
    m = tree(4, 5)
    return m.simulate(0.001, kernels=True, formulation=formulation, output=0.001)["b2.ax"]


@pytest.mark.parametrize(
    ("place", "formulation"),
    [("twist", "minimal"), ("inertia", "minimal"), ("dynamics", "absolute")],
)
def test_equations_of_motion_are_not_shared(monkeypatch, place, formulation):
    """Change S, the inertia of a body in the recursion, or the mass matrix: one formulation alone notices."""
    right = {name: accelerations(name) for name in ("minimal", "absolute")}
    np.testing.assert_allclose(right["minimal"], right["absolute"], rtol=1e-8)
    if place == "twist":
        S = LinkKind.S.func  # type: ignore[attr-defined]
        monkeypatch.setattr(LinkKind, "S", property(lambda self: 1.01 * S(self)))
    elif place == "inertia":
        monkeypatch.setattr("linkwork.large.tree.body_kernels.crossed_force", lambda twist, momentum: 1.5 * momentum)
    else:
        entries = Kind.entry_lists
        monkeypatch.setattr(Kind, "entry_lists", lambda self: (1.01 * entries(self)[0], entries(self)[1]))
    for name in right:
        changed = not np.allclose(accelerations(name), right[name], rtol=1e-6)
        assert changed == (name == formulation)


def test_which_bodies_feel_a_changed_mass():
    """A heavier tip moves the links that carry it, and no other branch."""

    def fork(mass: float) -> lw.Result:
        m = lw.Model("fork", gravity=(0, -9.81))
        for side, heavy in (("l", mass), ("r", 1.0)):
            upper, lower = m.body(f"{side}0", mass=1, inertia=0.1), m.body(f"{side}1", mass=heavy, inertia=0.1)
            m.revolute(f"{side}a", m.ground.at(0, 0), upper.at(-0.5, 0)).angle.start(0.3, rate=1.0)
            m.revolute(f"{side}b", upper.at(0.5, 0), lower.at(-0.5, 0)).angle.start(0.5, rate=0.0)
        return m.simulate(0.1, kernels=True, formulation="minimal", solver="rk4", step=0.01, output=0.1)

    one, other = fork(1.0), fork(1.3)
    assert abs(one["l0.ax"][-1] - other["l0.ax"][-1]) > 1e-3
    assert np.array_equal(one["r0.ax"], other["r0.ax"]) and np.array_equal(one["rb.angle"], other["rb.angle"])


# What takes straight-line code, and parts -----------------------------------------------------------------------------


def test_implicit_solvers_are_refused_by_name():
    m = tree(0, 4, planar=True)
    with pytest.raises(lw.LinkworkError, match="joint coordinates"):
        m.simulate(0.1, kernels=True, formulation="minimal", solver="radau")


def test_a_joint_without_kernels_is_named():
    """What is driven here is no coordinate of the tree, and would need a row of its own."""
    m = tree(0, 3)
    body = m.body("last", mass=1, inertia=(0.1, 0.1, 0.1))
    driven = m.distance("driven", m["b2"].at(0.3, 0, 0), body.at(0, 0, 0), length=0.5)
    driven.elevation.law(lw.Motion(lambda t: 0.1 * t))
    with pytest.raises(lw.LinkworkError, match="more than its own bodies") as refused:
        m.simulate(0.1, kernels=True, formulation="minimal")
    assert refused.value.component == "driven"


def test_stiff_trees_take_absolute_coordinates():
    m = long_chain(150)
    for joint in m.of_type(lw.Joint):
        for c in joint.coordinates:
            c.law(lw.Spring(1e5)).law(lw.Damper(1e4))
    result = m.simulate(0.01, formulation="auto", output=0.01)
    assert result.record["formulation"] == "absolute" and "radau" in result.record["solver"]


def test_loops_that_share_too_much_are_refused(monkeypatch):
    monkeypatch.setattr(tree_loops, "SHARED_LIMIT", 3)
    with pytest.raises(lw.LinkworkError, match="share"):
        ladder(2).simulate(0.1, kernels=True, formulation="minimal")


def test_fronts_of_loops_solve_any_pattern():
    """Every entry of the system has its place, in the front of whichever block goes first."""
    random = np.random.default_rng(1)
    for _ in range(20):
        sizes = random.integers(1, 4, 7)
        together = [random.choice(7, 3, replace=False).tolist() for _ in range(3)]
        fronts = loop_fronts(sizes, together)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        for joints in together:
            for a in joints:
                for b in joints:
                    front = min(fronts.of[a], fronts.of[b])
                    columns = fronts.index[fronts.first[front] : fronts.first[front] + fronts.order[front]]
                    assert {starts[a], starts[b]} <= set(columns.tolist())
        pivots = np.concatenate([_columns(fronts, f)[: fronts.pivots[f]] for f in range(len(sizes))])
        assert sorted(pivots.tolist()) == list(range(starts[-1]))
        for f in range(len(sizes)):
            child = int(fronts.child[f])
            while child >= 0:
                left = _columns(fronts, child)[fronts.pivots[child] :]
                into = fronts.into[fronts.leads[child] : fronts.leads[child] + left.size]
                np.testing.assert_array_equal(_columns(fronts, f)[into], left)
                child = int(fronts.sibling[child])


def _columns(fronts, f):
    return fronts.index[fronts.first[f] : fronts.first[f] + fronts.order[f]]


def test_links_of_one_kind_walk_together():
    """Few stages where there are few kinds, whatever the order of the model: as many as kinds follow each other."""
    for m, runs in ((ladder(30), 3), (long_chain(20), 20)):
        tables = fits.large_of(m, Projection(), "minimal").tables
        assert len(tables.walk) <= runs
        seen = {-1}
        for group, members in tables.walk:
            for body in group.own[members].tolist():
                assert tables.carrier[body] in seen
                seen.add(body)
        assert len(seen) == len(tables.bodies) + 1
