"""Derivatives by kernels: against differences of the schedules they come from, and against straight-line code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.sensitivity.flow_by_equations import FlowByEquations
from linkwork.core.program import NativeFunction
from linkwork.large.fits import large_of
from linkwork.large.varied import Varied
from linkwork.simulation.prepare import Choice, prepare
from tests.unit.large import mixtures
from tests.unit.large.mechanisms import ladder, mixture, net, tree
from tests.unit.large.test_implicit import dense
from tests.unit.large.test_kernels import apart

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def driven_ladder(*, spatial: bool) -> lw.Model:
    m = ladder(2, spatial=spatial)
    m["g0"].angle.law(lw.Effort(m.parameter("effort", 3.0)))
    m["bar1"].mass = m.parameter("heavy", 1.3)
    return m


def held_net() -> lw.Model:
    m = net(2, 2)
    m["n0_0"].mass = m.parameter("heavy", 1.3)
    m["k0_0_1_0"].stiffness = m.parameter("stiffness", 150.0)
    return m


MODELS: dict[str, Callable[[], lw.Model]] = {
    "tree": lambda: tree(1, 4),
    "planar tree": lambda: tree(0, 5, planar=True),
    "joints of all kinds": lambda: mixture(3, 6),
    "loops": lambda: driven_ladder(spatial=False),
    "redundant loops": lambda: driven_ladder(spatial=True),
    "net": held_net,
    "own classes": lambda: mixtures.mixture(3, planar=True),
}


class Both:
    """Functions of a model with derivatives by all parameters, by kernels and by straight-line code, at one state."""

    def __init__(self, m: lw.Model, formulation: str):
        ready = prepare(m, Choice(formulation), contacts=True)
        self.large = large_of(m, None, formulation)
        self.program = self.large.ready(ready.state, ready.p)
        self.names = [c.name for c in self.program.channels]
        self.chosen = tuple(range(len(m.parameters)))
        self.ours = Varied(self.large, self.program, self.chosen, None)
        outputs = ready.equations.observation.outputs
        observed = [outputs[name][1] for name in self.names]
        flow = FlowByEquations(ready.equations, observed, [], m.parameters, dict.fromkeys(m.inputs, 0.0))
        self.theirs = flow.varied(self.chosen)
        random = np.random.default_rng(0)
        self.y, self.p = ready.state + 1e-3 * random.normal(size=ready.state.size), ready.p
        self.S = random.normal(size=(len(self.chosen), self.y.size))
        for _ in range(4):
            closed = self.ours.project()(0.2, self.Y, self.p)[0].reshape(len(self.S) + 1, -1)
            self.y, self.S = closed[0], closed[1:]

    @property
    def Y(self) -> np.ndarray:
        return np.concatenate([self.y, *self.S])

    def function(self, name: str) -> NativeFunction:
        return self.ours.outputs(np.arange(len(self.names)), None) if name == "outputs" else getattr(self.ours, name)()

    def own(self, block: int) -> np.ndarray:
        """Places of the states, accelerations and multipliers of a block."""
        return self.ours._numbers(block, implicit=True)

    def smooth(self, name: str) -> np.ndarray:
        """Which results: the largest of many residuals that are all rounding has no slope."""
        count = self.y.size if name != "outputs" else len(self.names)
        return np.array([name != "outputs" or not self.names[k].startswith("residual") for k in range(count)])


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("name", MODELS)
def test_functions_move_as_differences_of_them_and_as_straight_line_code(name, formulation):
    """Of rows that follow from others only what stays closed is determined, so that states are closed first."""
    of = Both(MODELS[name](), formulation)
    for function in ("rhs", "project", "outputs"):
        kept = of.smooth(function)
        values = of.function(function)(0.2, of.Y, of.p)[0].reshape(len(of.S) + 1, -1)[:, kept]
        straight = of.theirs.function(function)(0.2, of.Y, of.p)[0].reshape(len(of.S) + 1, -1)[:, kept]
        assert apart(values, straight) < 1e-8, function
        source = of.program.function(function)
        assert np.array_equal(values[0], source(0.2, of.y, of.p)[0][kept])
        for k, direction in enumerate(of.S):
            expected = slope(lambda y, p: source(0.2, y, p)[0][kept], of.y, of.p, direction, k)  # noqa: B023
            assert apart(values[k + 1], expected) < 1e-6, (function, k)


def slope(f: Callable[[np.ndarray, np.ndarray], np.ndarray], y, p, direction, k: int) -> np.ndarray:
    """Along a direction of y and parameter k, by differences."""
    unit = np.arange(p.size) == k

    def central(h: float) -> np.ndarray:
        return (f(y + h * direction, p + h * unit) - f(y - h * direction, p - h * unit)) / (2 * h)

    return (4 * central(5e-5) - central(1e-4)) / 3


@pytest.mark.parametrize("name", ["tree", "loops", "redundant loops", "own classes"])
def test_residuals_of_implicit_methods_move_as_differences_of_them(name):
    of = Both(MODELS[name](), "absolute")
    layout, count = of.program.layout, len(of.S)
    random = np.random.default_rng(1)
    a, multipliers = random.normal(size=(count + 1, layout.v)), random.normal(size=(count + 1, layout.multipliers))
    every = np.concatenate([of.Y, a.ravel(), multipliers.ravel()])
    rest, matrix = of.ours.dae()(0.2, every, of.p)[0], dense(of.ours.dae_jacobian(), 0.2, every, of.p)
    source, own = of.program.function("dae"), every[of.own(0)]
    jacobian = dense(of.program.function("dae_jacobian"), 0.2, own, of.p)
    assert np.array_equal(rest[of.own(0)], source(0.2, own, of.p)[0])
    for k in range(count):
        expected = slope(lambda y, p: source(0.2, y, p)[0], own, of.p, every[of.own(k + 1)], k)
        assert apart(rest[of.own(k + 1)], expected) < 1e-6
    for k in range(count + 1):
        assert np.array_equal(matrix[np.ix_(of.own(k), of.own(k))], jacobian)
        matrix[np.ix_(of.own(k), of.own(k))] = 0
    assert not matrix.any()


def asked(m: lw.Model, of, duration: float, *, kernels: bool, **options: object):
    """`of`: names of channels, or scalars."""
    return m.sensitivity(of, None, duration, kernels=kernels, **({"rtol": 1e-10, "atol": 1e-12} | options))


def of_runs(m: lw.Model, duration: float, **options: object) -> float:
    """Largest difference of any derivative of any channel, relative to 1 or the value."""
    r = m.simulate(1e-3, kernels=True, output=1e-3, formulation=options["formulation"])
    names = [c.name for c in r.channels if not c.name.startswith(("solver", "residual"))]
    one, other = (asked(m, names, duration, kernels=k, output=duration / 4, **options) for k in (True, False))
    assert "kinds" in one.record["kernels"] and one.record["formulation"] == options["formulation"]
    assert one.record["jumps"] == other.record["jumps"] and one.record["solver"] == other.record["solver"]
    return max(apart(one[pair], other[pair]) for pair in one.pairs())


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
@pytest.mark.parametrize("name", ["tree", "loops", "redundant loops", "own classes"])
def test_runs(name, formulation):
    assert of_runs(MODELS[name](), 0.2, formulation=formulation, solver="dopri5") < 1e-7


def test_runs_of_implicit_methods():
    assert of_runs(MODELS["tree"](), 0.2, formulation="absolute", solver="radau") < 1e-7


@pytest.mark.parametrize(("formulation", "solver"), [("absolute", "radau"), ("minimal", "dopri5")])
def test_the_start_of_soft_joints_moves_with_parameters(formulation, solver):
    """They start closed, wherever their bodies are said to be."""
    m = tree(3, 3, planar=True)
    m["b0"].start(position=(0.8, 0.0))
    m["j0"].enforce("compliant", stiffness=2e3, damping=40.0)
    assert of_runs(m, 0.02, formulation=formulation, solver=solver) < 1e-7


def switched() -> lw.Model:
    """Carts that are pushed beyond a place that is a parameter, and start at another one."""
    m = lw.Model("switched", gravity=(0, 0))
    threshold, push, begin = m.parameter("threshold", 0.5), m.parameter("push", 3.0), m.parameter("begin", 0.1)
    for k in range(3):
        P = m.prismatic(f"P{k}", m.ground.at(0, k), m.body(f"cart{k}", mass=1 + k, inertia=1).at())
        P.slide.start(begin, rate=1.0 + 0.1 * k)
        P.slide.law(lw.Effort(lambda t, x, v, k=k: lw.if_else(x > threshold + 0.1 * k, push, 0.0)))
    return m


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_jumps_move_with_parameters(formulation):
    """x = x₀ + v t + a/2 (t − s)² from s = (threshold − x₀)/v on."""
    s = asked(switched(), "P1.slide", 1.0, kernels=True, formulation=formulation)
    assert s.record["jumps"] == 3
    v, a, at = 1.1, 3.0 / 2, 0.5 / 1.1
    assert s["P1.slide", "push"][-1] == pytest.approx((1 - at) ** 2 / 4, rel=1e-8)
    assert s["P1.slide", "threshold"][-1] == pytest.approx(-a * (1 - at) / v, rel=1e-6)
    assert s["P1.slide", "begin"][-1] == pytest.approx(1 + a * (1 - at) / v, rel=1e-6)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_scalars(formulation):
    m = tree(1, 4)
    scalars = [
        lw.Final("tip.x") + 2 * lw.Integral(lambda c: c["energy.kinetic"] ** 2 * c["stiffness"]),
        lw.Final(lambda c: c["tip.y"] * c["length"]),
    ]
    one, other = (asked(m, scalars, 0.2, kernels=k, formulation=formulation) for k in (True, False))
    for mine, theirs in zip(one, other, strict=True):
        assert mine.value == pytest.approx(theirs.value, rel=1e-9)
        assert dict(mine) == pytest.approx(dict(theirs), rel=1e-7, abs=1e-8)


def test_many_parameters_are_treated_in_groups(monkeypatch):
    from linkwork.analyses.sensitivity import flow_by_kernels

    whole = asked(switched(), "P1.slide", 1.0, kernels=True)
    monkeypatch.setattr(flow_by_kernels, "AT_ONCE", 2)
    parts = asked(switched(), "P1.slide", 1.0, kernels=True)
    for pair in whole.pairs():
        assert parts[pair] == pytest.approx(whole[pair], rel=1e-6, abs=1e-8)


def chain(n: int) -> lw.Model:
    m = lw.Model("chain", gravity=(0, -9.81))
    mass, damping, end = m.parameter("mass", 1.0), m.parameter("damping", 0.1), m.ground.at(0, 0)
    for k in range(n):
        link = m.body(f"link{k}", mass=mass if k == 7 else 1.0, inertia=0.1)
        m.revolute(f"joint{k}", end, link.at(-0.5, 0)).angle.law(lw.Damper(damping))
        end = link.at(0.5, 0)
    return m


def test_large_models_take_kernels_by_themselves():
    m = chain(150)
    s = m.sensitivity(["joint7.angle", "link20.y"], ["mass", "damping"], 0.1, output=0.1)
    assert s.record["kernels"] == "4 kinds for 300 components" and s.record["formulation"] == "minimal"
    for name, value in {"mass": 1.0, "damping": 0.1}.items():
        h = 1e-3 * value
        runs = [m.simulate(0.1, parameters={name: value + x * h}, output=0.1, rtol=1e-11, atol=1e-13) for x in (1, -1)]
        for channel in s.channels:
            expected = (runs[0][channel][-1] - runs[1][channel][-1]) / (2 * h)
            assert s[channel, name][-1] == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_what_has_no_kernels_says_so():
    m = switched()
    with pytest.raises(lw.ModelError, match=r"the adjoint method.*kernels"):
        m.sensitivity(lw.Final("P1.slide"), "push", 1.0, method="adjoint", kernels=True)
    with pytest.raises(lw.UnknownName, match=r"no channel named 'P1\.slid'.*Did you mean"):
        m.sensitivity("P1.slid", "push", 1.0, kernels=True)
    m.rigid_contact("floor", m["cart1"], radius=0.1)
    with pytest.raises(lw.ModelError, match=r"floor: it has no kernels"):
        m.sensitivity("P1.slide", "push", 1.0, kernels=True)


class Root(lw.Force):
    """Pushes nothing, and records √(x − 0.1)."""

    def __init__(self, name: str, at: lw.Marker):
        super().__init__(name)
        self.at = at

    def loads(self, view):
        return []

    def channels(self, view):
        return {"root": ("√m", lw.sqrt(view.frame(self.at).p[0] - 0.1))}


@pytest.mark.parametrize("kernels", [True, False])
def test_what_has_no_derivative_is_told(kernels):
    m = switched()
    m.add(Root("root", m["cart1"].at()))
    with pytest.warns(lw.LinkworkWarning, match=r"root\.root has no derivative .*begin at t = 0 s: "):
        s = asked(m, ["root.root", "P1.slide"], 1.0, kernels=kernels)
    assert not np.isfinite(s["root.root", "begin"][0]) and np.isfinite(s["root.root", "begin"][1:]).all()
    with pytest.raises(lw.LinkworkError, match=r"switched: final .* has no derivative with respect to begin"):
        asked(m, lw.Final(lambda c: lw.sqrt(c["begin"] - 0.1)), 1.0, kernels=kernels)
