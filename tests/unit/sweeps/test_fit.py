"""`m.fit`: parameters that are known are found again, with the uncertainty that they have."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pandas as pd
import pytest

import linkwork as lw

T = np.linspace(0.0, 2.0, 41)
TRUE = {"k": 80.0, "d": 1.5}


def damped() -> lw.Model:
    m = lw.Model("damped", gravity=(0, -9.81))
    k, d = m.parameter("k", 50.0, unit="N/m"), m.parameter("d", 0.5, unit="N·s/m")
    force = m.input("u", 0.0)
    block = m.body("block", mass=m.parameter("mass", 2.0, unit="kg"), inertia=0.1)
    rail = m.prismatic("rail", m.ground.at(), block.at())
    rail.slide.law(lw.Spring(k)).law(lw.Damper(d)).law(lw.Effort(force))
    rail.slide.start(0.1, rate=0.0)
    return m


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return damped()


@pytest.fixture(scope="module")
def noisy(m):
    """What is measured with a deviation of 1 mm."""
    return closed_form(TRUE["k"], TRUE["d"]) + np.random.default_rng(1).normal(0, 1e-3, T.size)


def closed_form(k, d, mass=2.0, x0=0.1):
    w0, c = k / mass, d / (2 * mass)
    w = np.sqrt(w0 - c**2)
    return x0 * np.exp(-c * T) * (np.cos(w * T) + c / w * np.sin(w * T))


def test_exact_data_give_the_exact_values(m):
    fit = m.fit({"rail.slide": (T, closed_form(**TRUE))}, parameters=["k", "d"])
    assert fit.converged and fit.parameters == pytest.approx(TRUE, rel=1e-6)
    assert max(np.abs(r).max() for r in fit.residuals) < 1e-7 and fit["k"] == fit.parameters["k"]


def test_covariance_is_that_of_the_closed_form(m, noisy):
    """The standard deviations, from derivatives of the closed form by differences."""
    fit = m.fit({"rail.slide": (T, noisy, 1e-3)}, parameters=["k", "d"])
    h = 1e-5
    k, d = fit["k"], fit["d"]
    J = np.column_stack([
        (closed_form(k * (1 + h), d) - closed_form(k * (1 - h), d)) / (2 * h * k),
        (closed_form(k, d * (1 + h)) - closed_form(k, d * (1 - h))) / (2 * h * d),
    ])  # fmt: skip
    assert fit.covariance == pytest.approx(np.linalg.inv(J.T @ J / 1e-6), rel=1e-3)
    for name, value in TRUE.items():
        assert abs(fit[name] - value) < 3.5 * fit.deviation[name]
    assert 0.5 < fit.variance < 1.6 and not fit.unseen


def test_deviations_are_estimated_where_they_are_not_given(m, noisy):
    known = m.fit({"rail.slide": (T, noisy, 1e-3)}, parameters=["k", "d"])
    estimated = m.fit({"rail.slide": (T, noisy)}, parameters=["k", "d"])
    assert estimated.parameters == pytest.approx(known.parameters, rel=1e-6)
    spread = np.sqrt(known.variance)
    assert estimated.deviation == pytest.approx({n: spread * x for n, x in known.deviation.items()}, rel=1e-5)


def test_what_the_data_cannot_tell_is_told(m, noisy):
    """Only k/m and d/m show: all three may grow together."""
    fit = m.fit({"rail.slide": (T, noisy, 1e-3)}, parameters=["k", "d", "mass"])
    (blind,) = fit.unseen
    assert blind.shares == pytest.approx(dict.fromkeys(("k", "d", "mass"), 3**-0.5), rel=1e-4)
    assert set(fit.deviation.values()) == {np.inf}
    assert "not at all" in str(fit) and "not told" in str(fit)
    assert fit["k"] / fit["mass"] == pytest.approx(40, rel=0.01)


def test_a_parameter_without_influence(m, noisy):
    other = damped()
    other.parameter("paint", 1.0)
    fit = other.fit({"rail.slide": (T, noisy)}, parameters=["k", "paint"])
    assert fit.deviation["paint"] == np.inf and np.isfinite(fit.deviation["k"])
    assert [list(d.shares) for d in fit.unseen] == [["paint"]]


def test_start_values_are_fitted_too(m):
    fit = m.fit({"rail.slide": (T, closed_form(**TRUE, x0=0.17))}, parameters=["k", "d", "rail.slide"])
    assert fit.parameters == pytest.approx({**TRUE, "rail.slide": 0.17}, rel=1e-6)


def test_bounds_hold_and_are_told(m, noisy):
    fit = m.fit({"rail.slide": (T, noisy)}, parameters={"k": (10, 60), "d": (None, None)})
    assert fit["k"] == pytest.approx(60) and fit.at_bounds == ["k"] and "At a bound: k" in str(fit)


@pytest.mark.slow
def test_several_searches_find_what_one_does_not(m, noisy):
    """From far away the model swings out of step, and one search ends in a valley beside."""
    options = {"parameters": {"k": (10, 2000), "d": (0.1, 5)}, "start": {"k": 1500.0}}
    one = m.fit({"rail.slide": (T, noisy)}, **options)
    many = m.fit({"rail.slide": (T, noisy)}, **options, starts=8, workers=2)
    assert one.misfit > 10 * many.misfit and many["k"] == pytest.approx(80, rel=0.02)
    assert len(many.attempts) == 8 and many.attempts[0].start["k"] == 1500


def test_tables(m, noisy, tmp_path):
    frame = pd.DataFrame({"t": T, "rail.slide": noisy})
    file = tmp_path / "data.csv"
    frame.to_csv(file, index=False)
    mapping = m.fit({"rail.slide": (T, noisy)}, parameters=["k"])
    indexed = frame.set_index("t")
    result = lw.Result(T, noisy[:, None], [type(m.simulate(0.1).channels[0])("rail.slide", "m")])
    for data in (frame, indexed, file, str(file), result):
        assert m.fit(data, parameters=["k"]).parameters == pytest.approx(mapping.parameters, rel=1e-9)


def test_missing_values_and_channels_at_different_times(m):
    x = closed_form(**TRUE)
    x[5] = np.nan
    v = np.gradient(closed_form(**TRUE), T)
    fit = m.fit({"rail.slide": (T, x), "rail.slide.rate": (T[3::4], v[3::4], 0.05)}, parameters=["k", "d"])
    assert [each.t.size for each in fit.data] == [40, 10] and fit["k"] == pytest.approx(80, rel=0.01)


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ({}, {}, "no measurement to fit"),
        (3, {}, "holds no measurement"),
        (ca.DM.ones(3), {}, "holds no measurement"),
        ({"rail.slid": (T, T)}, {}, "Did you mean 'rail.slide"),
        ({"rail.slide": 3}, {}, "rail.slide: is measured as 3"),
        ({"rail.slide": (T[::-1], T)}, {}, "rising times"),
        ({"rail.slide": (T, T, 0.0)}, {}, "not positive"),
        ({"rail.slide": (T, T)}, {"parameters": ["kk"]}, "Did you mean 'k'"),
        ({"rail.slide": (T, T)}, {"parameters": []}, "no parameter to fit"),
        ({"rail.slide": (T, T)}, {"parameters": {"k": (3, 1)}}, "lower < upper"),
        ({"rail.slide": (T, T)}, {"parameters": ["k"], "fixed": {"k": 1.0}}, "both fixed and fitted"),
        ({"rail.slide": (T, T)}, {"parameters": ["k"], "start": {"d": 1.0}}, "d: is not fitted"),
        ({"rail.slide": (T, T)}, {"parameters": ["k"], "inputs": {"w": 1.0}}, "no input named 'w'"),
        ("nowhere.csv", {}, "cannot be read"),
    ],
)
def test_refused(m, data, options, said):
    with pytest.raises(lw.LinkworkError) as told:
        m.fit(data, **options)
    assert said in str(told.value)


def test_plot(m, noisy, tmp_path):
    fit = m.fit({"rail.slide": (T, noisy, 1e-3)}, parameters=["k", "d"])
    figure = fit.plot(file=tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000 and len(figure.axes) == 2
    assert figure.axes[1].get_ylabel().startswith("residual")
