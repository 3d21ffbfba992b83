"""Loops in the minimal formulation: partitioned speeds, and closed-form solutions given by the user."""

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import n_four_bar, slider_crank, slider_crank_spatial, squeezer
from linkwork.simulation.choice.partition import choose_partition

TIGHT = {"solver": "dop853", "rtol": 1e-10, "atol": 1e-12}


def deviation(a: lw.Result, b: lw.Result) -> float:
    """Largest difference of channels both have, relative to their size."""
    common = [k for k in a if k in b and not k.startswith("solver") and "multiplier" not in k and ".q" not in k]
    return max(np.abs(a[k] - b[k]).max() / (1 + np.abs(a[k]).max()) for k in common)


@pytest.mark.parametrize(
    ("build", "duration"),
    [(slider_crank.model, 3), (lambda: slider_crank_spatial.model(redundant=True), 2), (squeezer.model, 0.03)],
)
def test_partition_agrees_with_multipliers(build, duration):
    m = build()
    a = m.simulate(duration, formulation="minimal", **TIGHT)
    b = m.simulate(duration, formulation="minimal", loops="partition", **TIGHT)
    assert deviation(a, b) < 1e-7


def test_partition_works_on_absolute_coordinates_too():
    m = slider_crank.model()
    assert deviation(m.simulate(2, **TIGHT), m.simulate(2, loops="partition", **TIGHT)) < 1e-7


def test_partition_is_changed_where_it_becomes_ill_conditioned():
    """The slide is no coordinate at the dead centres: the run changes to another and goes on."""
    m = slider_crank.model()
    a = m.simulate(5, formulation="minimal", **TIGHT)
    b = m.simulate(5, formulation="minimal", independent=["P.slide"], **TIGHT)
    assert b.record["statistics"]["coordinate changes"] >= 1
    assert np.array_equal(a.t, b.t)
    assert deviation(a, b) < 1e-7


def test_wrong_independent_coordinates():
    m = slider_crank.model()
    with pytest.raises(lw.UnknownName, match=r"Did you mean 'O.angle'"):
        m.simulate(1, formulation="minimal", independent=["O.angel"])
    with pytest.raises(lw.ModelError, match="1 degrees of freedom, but 2"):
        m.simulate(1, formulation="minimal", independent=["O.angle", "P.slide"])
    flat = slider_crank.model()
    flat["O"].angle.start(0.0, rate=0)
    with pytest.raises(lw.ModelError, match=r"P.slide cannot be independent.*Take "):
        flat.simulate(1, formulation="minimal", independent=["P.slide"])
    with pytest.raises(lw.UnknownName, match="way to treat loops"):
        m.simulate(1, loops="magic")


def closed_form(m: lw.Model, sign: int = -1) -> lw.Model:
    def tilt(angle):
        return lw.asin(0.2 * lw.sin(angle))

    m.dependence(
        "closed",
        {
            m["A"].angle: lambda angle: -angle + sign * tilt(angle),
            m["P"].slide: lambda angle: 0.2 * lw.cos(angle) + lw.sqrt(1 - (0.2 * lw.sin(angle)) ** 2),
        },
        on=[m["O"].angle],
    )
    return m


def test_closed_form_leaves_one_coordinate():
    reference = slider_crank.model().simulate(3, **TIGHT)
    r = closed_form(slider_crank.model()).simulate(3, formulation="minimal", **TIGHT)
    assert r.record["degrees"] == {"coordinates": 1, "speeds": 1, "constraints": 0}
    assert deviation(reference, r) < 1e-7


def test_closed_form_changes_nothing_elsewhere():
    reference = slider_crank.model().simulate(1, **TIGHT)
    assert deviation(reference, closed_form(slider_crank.model()).simulate(1, **TIGHT)) == 0


def test_wrong_closed_form_is_told():
    with pytest.raises(lw.AssemblyError, match=r"closed: says A.angle = .* assemble at"):
        closed_form(slider_crank.model(), sign=1).simulate(1, formulation="minimal")
    m = slider_crank.model()
    m.dependence("d", {m["B"].angle: lambda a: -lw.asin(-0.2 * lw.sin(a))}, on=[m["O"].angle])
    with pytest.raises(lw.ModelError, match="B.angle is not a minimal coordinate"):
        m.simulate(1, formulation="minimal")


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_singular_positions_are_passed(formulation):
    """N four-bar at N = 3: the published bound is 0.1 J over 10 s."""
    r = n_four_bar.model(3).simulate(10, formulation=formulation)
    assert np.ptp(r["energy.total"]) < 1e-3


def test_a_row_of_rounding_noise_is_no_constraint() -> None:
    eq: Any = SimpleNamespace(
        constraints=SimpleNamespace(jacobian=ca.SX(ca.DM([[1.0, 2.0], [3e-17, 1e-17]]))),
        motion=SimpleNamespace(mass=ca.SX.eye(2)),
        states=SimpleNamespace(speed_names=["a", "b"]),
        at=lambda p, t: SimpleNamespace(values=lambda y, *parts: [np.array(ca.DM(x)) for x in parts]),
    )
    found = choose_partition(eq, 0.0, np.zeros(2), np.zeros(0), None, SimpleNamespace(name="m"))
    assert len(found.independent) == 1
